/** A requirement: one obligation, with a clause (level and place) for each revision in which it holds. */

import { readFileSync } from 'node:fs';
import type { RequirementId } from './requirements.generated.js';
import type { RevisionId, TransportId } from './revisions.js';

export type { RequirementId } from './requirements.generated.js';

export type Level = 'MUST' | 'MUST NOT' | 'SHOULD' | 'SHOULD NOT' | 'MAY';

/** Who is obliged. `both` binds whoever plays the part the sentence speaks of. */
export type Binds = 'server' | 'client' | 'both' | 'authorization-server' | 'host' | 'intermediary';

export interface Clause {
  readonly level: Level;
  /** Page and anchor below `/specification/<revision>/`, e.g. `server/tools#error-handling`. */
  readonly place: string;
}

export interface Requirement {
  readonly id: RequirementId;
  readonly binds: Binds;
  /** Capability that switches the obligation on, as a dotted path: `tools`, `resources.subscribe`. */
  readonly needs?: string;
  readonly over?: readonly TransportId[];
  /** The obligation in our own words, one sentence. */
  readonly says: string;
  readonly clauses: Partial<Record<RevisionId, Clause>>;
  /**
   * Where the level comes from when no capital keyword stands at the place: `prose` is graded as a warning at most,
   * `schema` (the type definitions) and `json-rpc` (JSON-RPC 2.0, binding as a whole) keep their level.
   */
  readonly basis?: Basis | Partial<Record<RevisionId, Basis>>;
  /** Why implementers and the text disagree, or where the text is silent: such a row yields notes only. */
  readonly contested?: string;
  /** What counts as a violation, and which legal variations are not flagged. */
  readonly judging?: string;
  /** Why it cannot be judged from outside. */
  readonly unjudged?: string;
}

export type Basis = 'prose' | 'schema' | 'json-rpc';

let loaded: Map<RequirementId, Requirement> | undefined;

/** Every requirement by id, read once from `requirements.json`. */
export function requirements(): ReadonlyMap<RequirementId, Requirement> {
  if (!loaded) {
    const rows = JSON.parse(
      readFileSync(new URL('./requirements.json', import.meta.url), 'utf8'),
    ) as Requirement[];
    loaded = new Map(rows.map(row => [row.id, row]));
  }
  return loaded;
}

/** @throws {Error} for an id that no row has; ids are typed, so this is a bug of the caller. */
export function requirement(id: RequirementId): Requirement {
  const row = requirements().get(id);
  if (!row) throw new Error(`No requirement is called "${id}".`);
  return row;
}

/** The one lookup that replaces every comparison of revisions: the clause in force, if any. */
export const clauseIn = (row: Requirement, revision: RevisionId): Clause | undefined => row.clauses[revision];

export const basisIn = (row: Requirement, revision: RevisionId): Basis | undefined =>
  typeof row.basis === 'string' ? row.basis : row.basis?.[revision];

/** The page of the specification where the clause stands. */
export const clauseUrl = (revision: RevisionId, clause: Clause): string =>
  clause.place.startsWith('schema')
    ? `https://modelcontextprotocol.io/specification/${revision}/${clause.place.replace(/^schema\.ts#?/, 'schema#').toLowerCase().replace(/#$/, '')}`
    : `https://modelcontextprotocol.io/specification/${revision}/${clause.place}`;
