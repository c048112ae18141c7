/** A requirement: one obligation, with a clause (level and place) for each revision in which it holds. */

import { readFileSync } from 'node:fs';
import { extensionUrl } from './extensions/index.js';
import type { Role } from './json-rpc.js';
import type { RequirementId } from './requirements.generated.js';
import type { RevisionId, TransportId } from './revisions.js';

export type { RequirementId } from './requirements.generated.js';

export type Level = 'MUST' | 'MUST NOT' | 'SHOULD' | 'SHOULD NOT' | 'MAY';

/** The party that has the obligation. `both` binds either side, whichever has the role in the sentence. */
export type Binds = 'server' | 'client' | 'both' | 'authorization-server' | 'host' | 'intermediary';

export interface Clause {
  readonly level: Level;
  /** Page and anchor below `/specification/<revision>/`, e.g. `server/tools#error-handling`, `schema#Tool`. */
  readonly place: string;
  /** The place for the HTTP transports, where `place` is in the section about stdio. */
  readonly placeOverHttp?: string;
  /** The version of an extension that contains the place, e.g. `tasks/2026-07-28`; default: the revision. */
  readonly extension?: string;
}

export interface Requirement {
  readonly id: RequirementId;
  readonly binds: Binds;
  /**
   * Capability that activates the obligation, as a dotted path: `tools`, `resources.subscribe`. The bound
   * party declares it, or the side in the prefix: `client:sampling`, `server:completions`. An extension is
   * `extensions/` and its identifier. No party declares `authorization`: it is active where a server requires
   * a token.
   */
  readonly needs?: string;
  readonly over?: readonly TransportId[];
  /** The obligation in the words of this project, one sentence. */
  readonly says: string;
  readonly clauses: Partial<Record<RevisionId, Clause>>;
  /**
   * The source of the level when the cited place contains no capital keyword: `prose` is graded as a warning
   * at most; `schema` (the type definitions), `json-rpc` (JSON-RPC 2.0, binding as a whole) and `linked` (an
   * RFC or page that the place makes binding, named in `see`) keep their level.
   */
  readonly basis?: Basis | Partial<Record<RevisionId, Basis>>;
  /** The document on which the basis rests, e.g. `OAuth 2.1 §5.3.1`. */
  readonly see?: string;
  /**
   * The reason why implementers and the text disagree, or the gap in the text: such a row yields notes only.
   */
  readonly contested?: string;
  /** What the lists below cannot say: the examined messages, and limits of the judgement. */
  readonly judging?: string;
  /** The forms of a breach, each with a short name that the fault or example showing it repeats. */
  readonly breaches?: Readonly<Record<string, Facet>>;
  /** The legal variations that are not reported, each with a name that a quirk or an example repeats. */
  readonly legal?: Readonly<Record<string, Facet>>;
  /**
   * The reason why the requirement cannot be judged from outside; by role where only one of two bound roles
   * cannot be judged.
   */
  readonly unjudged?: string | Partial<Record<Role, string>>;
}

/**
 * One line; or one line with the reason why no fault, quirk or example shows it, or with the statement that the references
 * behave so in every run (legal variations only).
 */
type Facet =
  | string
  | { readonly is: string; readonly unproven: string }
  | { readonly is: string; readonly by: 'reference' };

export const facetText = (facet: Facet): string => (typeof facet === 'string' ? facet : facet.is);

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

/** @throws {Error} for an id that no row has; ids are typed, so this is an error of the caller. */
export function requirement(id: RequirementId): Requirement {
  const row = requirements().get(id);
  if (!row) throw new Error(`No requirement has the id "${id}".`);
  return row;
}

/** The clause in force, if any: the only lookup, which replaces every comparison of revisions. */
export const clauseIn = (row: Requirement, revision: RevisionId): Clause | undefined => row.clauses[revision];

export const basisIn = (row: Requirement, revision: RevisionId): Basis | undefined =>
  typeof row.basis === 'string' ? row.basis : row.basis?.[revision];

/** Revisions whose type definitions have no page on the website; their URL is that of the file. */
const withoutSchemaPage: readonly RevisionId[] = ['2024-11-05', '2025-03-26'];

/** The place of a clause. @param transport the transport of a conversation, which may have a section of its own */
export const placeOf = ({ place, placeOverHttp = place }: Clause, transport?: TransportId): string =>
  transport === undefined || transport === 'stdio' ? place : placeOverHttp;

/** The URL of the page of the specification that contains the clause. @param transport see `placeOf` */
export function clauseUrl(revision: RevisionId, clause: Clause, transport?: TransportId): string {
  const place = placeOf(clause, transport);
  if (clause.extension !== undefined) return extensionUrl(clause.extension, place);
  const [page = '', anchor] = place.split('#');
  if (page === 'schema' && withoutSchemaPage.includes(revision))
    return `https://github.com/modelcontextprotocol/modelcontextprotocol/blob/main/schema/${revision}/schema.ts`;
  // The website serves basic/index.mdx as /basic, and converts the names of type definitions to lower case.
  const path = page.replace(/(^|\/)index$/, '');
  const hash = anchor ? `#${page === 'schema' ? anchor.toLowerCase() : anchor}` : '';
  return `https://modelcontextprotocol.io/specification/${revision}${path && `/${path}`}${hash}`;
}
