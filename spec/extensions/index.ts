/** The extensions in the catalogue. Adding one: a folder here and a line in this list (README of `spec/`). */

import type { Revision, RevisionId } from '../revision.js';
import { extension as apps } from './apps/2026-01-26/extension.js';
import { extension as dpop } from './dpop/draft/extension.js';
import { extension as enterprise } from './enterprise-managed-authorization/stable/extension.js';
import { type Extension, extensionPath } from './extension.js';
import { extension as clientCredentials } from './oauth-client-credentials/draft/extension.js';
import { extension as skills } from './skills/stable/extension.js';
import { extension as tasks20260728 } from './tasks/2026-07-28/extension.js';

export { type AddedResult, type Extension, extensionPath } from './extension.js';

export const extensions: readonly Extension[] = [
  apps,
  clientCredentials,
  dpop,
  enterprise,
  skills,
  tasks20260728,
];

/** The identifiers of all versions, each once. */
export const extensionIdentifiers: readonly string[] = [...new Set(extensions.map(e => e.identifier))].sort();

/** The version of an extension that is used with a revision; undefined for an unknown extension. */
export const findExtension = (identifier: string, revision: RevisionId): Extension | undefined =>
  extensions.find(e => e.identifier === identifier && e.revisions.includes(revision));

/** The known extensions among identifiers, in the versions that are used with a revision; each one once. */
export const extensionsAmong = (identifiers: Iterable<string>, revision: Revision): Extension[] =>
  [...new Set(identifiers)].sort().flatMap(identifier => findExtension(identifier, revision.id) ?? []);

/** Whether `needs` names an extension that servers use without declaring it. */
export const isShownByLists = (needs: string): boolean =>
  extensions.some(e => e.isShownByLists && needs === extensionPath(e.identifier));

/** The member of `params` that `Mcp-Name` repeats for a method of any extension. */
export const headerNames: Readonly<Record<string, string>> = Object.assign(
  {},
  ...extensions.map(e => e.headerNames ?? {}),
);

/** The address of a cited place in the repository of an extension. @throws {Error} for an unknown page */
export function extensionUrl(id: string, place: string): string {
  const extension = extensions.find(e => e.id === id);
  const [page = '', anchor] = place.split('#');
  const file = extension?.pages[page];
  if (!extension || file === undefined) throw new Error(`No extension "${id}" has a page "${page}".`);
  return `https://github.com/${extension.repository}/blob/${extension.commit}/${file}${anchor ? `#${anchor}` : ''}`;
}
