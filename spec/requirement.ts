/** A requirement: one obligation, with a clause (level and place) for each revision in which it holds. */

import { readFileSync } from 'node:fs';
import type { Role } from './json-rpc.js';
import type { RequirementId } from './requirements.generated.js';
import type { RevisionId, TransportId } from './revisions.js';

export type { RequirementId } from './requirements.generated.js';

export type Level = 'MUST' | 'MUST NOT' | 'SHOULD' | 'SHOULD NOT' | 'MAY';

/** Who is obliged. `both` binds whoever plays the part the sentence speaks of. */
export type Binds = 'server' | 'client' | 'both' | 'authorization-server' | 'host' | 'intermediary';

export interface Clause {
  readonly level: Level;
  /** Page and anchor below `/specification/<revision>/`, e.g. `server/tools#error-handling`, `schema#Tool`. */
  readonly place: string;
}

export interface Requirement {
  readonly id: RequirementId;
  readonly binds: Binds;
  /**
   * Capability that switches the obligation on, as a dotted path: `tools`, `resources.subscribe`. It is declared by the
   * party that is bound, or by the side named in front: `client:sampling`, `server:completions`. `authorization` is
   * declared by nobody: it is in force where a server asks for a token.
   */
  readonly needs?: string;
  readonly over?: readonly TransportId[];
  /** The obligation in our own words, one sentence. */
  readonly says: string;
  readonly clauses: Partial<Record<RevisionId, Clause>>;
  /**
   * Where the level comes from when no capital keyword stands at the place: `prose` is graded as a warning at most;
   * `schema` (the type definitions), `json-rpc` (JSON-RPC 2.0, binding as a whole) and `linked` (an RFC or page that the
   * place makes binding, named in `see`) keep their level.
   */
  readonly basis?: Basis | Partial<Record<RevisionId, Basis>>;
  /** The document behind the basis, e.g. `OAuth 2.1 §5.3.1`. */
  readonly see?: string;
  /** Why implementers and the text disagree, or where the text is silent: such a row yields notes only. */
  readonly contested?: string;
  /** What counts as a violation, and which legal variations are not flagged. */
  readonly judging?: string;
  /** Why it cannot be judged from outside; by role where only one of two that are bound cannot be. */
  readonly unjudged?: string | Partial<Record<Role, string>>;
}

export type Basis = 'prose' | 'schema' | 'json-rpc' | 'linked';

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

/** Why it cannot be judged for a role; undefined when it can. */
export const whyUnjudged = ({ unjudged }: Requirement, role: Role): string | undefined =>
  typeof unjudged === 'object' ? unjudged[role] : unjudged;

export const basisIn = (row: Requirement, revision: RevisionId): Basis | undefined =>
  typeof row.basis === 'string' ? row.basis : row.basis?.[revision];

/** Revisions whose type definitions have no page on the website; their place is the file itself. */
const withoutSchemaPage: readonly RevisionId[] = ['2024-11-05', '2025-03-26'];

/** The page of the specification where the clause stands. */
export function clauseUrl(revision: RevisionId, clause: Clause): string {
  const [page = '', anchor] = clause.place.split('#');
  if (page === 'schema' && withoutSchemaPage.includes(revision))
    return `https://github.com/modelcontextprotocol/modelcontextprotocol/blob/main/schema/${revision}/schema.ts`;
  // The website serves basic/index.mdx as /basic, and slugs the names of the type definitions.
  const path = page.replace(/(^|\/)index$/, '');
  const hash = anchor ? `#${page === 'schema' ? anchor.toLowerCase() : anchor}` : '';
  return `https://modelcontextprotocol.io/specification/${revision}${path && `/${path}`}${hash}`;
}
