/** An extension of MCP in one version: where its text is, and what it adds to the revisions with which it is used. */

import type { RevisionId } from '../revision.js';

export interface Extension {
  /** The folder below `spec/extensions/`: name and version. */
  readonly id: `${string}/${string}`;
  /** The key in `capabilities.extensions`. */
  readonly identifier: string;
  /** Findings about a draft are notes. */
  readonly status: 'official' | 'draft';
  /** The revisions with which this version is used: its rows have clauses for these. */
  readonly revisions: readonly RevisionId[];
  /** The public repository that holds the text, as `owner/name`. */
  readonly repository: string;
  /** The commit to which the line numbers of the rows refer. */
  readonly commit: string;
  /** The file of each page that rows cite, below the root of the repository. */
  readonly pages: Readonly<Record<string, string>>;
  /** True if the version has message types: a `schema.ts` beside this file. */
  readonly hasSchema: boolean;
  /** Servers use it without declaring it: what they list shows that they have it. */
  readonly isShownByLists?: boolean;
  /** Values of `resultType` that the extension adds, each with its definition and the methods that may get it. */
  readonly resultTypes?: Readonly<Record<string, AddedResult>>;
  /** The member of `params` that `Mcp-Name` repeats, by method. */
  readonly headerNames?: Readonly<Record<string, string>>;
}

export interface AddedResult {
  readonly definition: string;
  readonly methods: readonly string[];
}

/** The path under which a declaration of capabilities names an extension, in `needs` and in `declares`. */
export const extensionPath = (identifier: string): string => `extensions/${identifier}`;
