/** Headers as they go out, and as they are written down. */

import { createHash } from 'node:crypto';
import type { HeaderList } from '../../event.js';

/** What nobody may read in a record. Session ids are not among them: rules compare them, and they die with the run. */
const secretNames = ['authorization', 'proxy-authorization', 'cookie', 'set-cookie'];

/** A short hash in place of a secret, so that it can be seen whether two are the same. */
export const fingerprint = (secret: string): string =>
  `#${createHash('sha256').update(secret).digest('hex').slice(0, 8)}`;

/** @param alsoSecret names in lower case, such as those the user gave with `--header` */
export const redact = (headers: HeaderList, alsoSecret: ReadonlySet<string>): HeaderList =>
  headers.map(([name, value]) => {
    const lower = name.toLowerCase();
    if (!secretNames.includes(lower) && !alsoSecret.has(lower)) return [name, value];
    // the scheme is no secret: `Bearer #1a2b3c4d`
    const scheme = /^(\w+) (?=\S)/.exec(value)?.[1];
    return lower.endsWith('authorization') && scheme
      ? [name, `${scheme} ${fingerprint(value.slice(scheme.length + 1))}`]
      : [name, fingerprint(value)];
  });

/** User and password of a URL are secrets too. */
export function redactUrl(url: URL): string {
  if (!url.username && !url.password) return url.href;
  const shown = new URL(url);
  shown.username = '';
  shown.password = '';
  return shown.href.replace('//', `//${fingerprint(`${url.username}:${url.password}`)}@`);
}

/** Changes to a list of headers: a value replaces, null takes away; whatever the case of the name. */
export type HeaderChanges = Readonly<Record<string, string | null>>;

export function withChanges(headers: HeaderList, changes: HeaderChanges = {}): HeaderList {
  const touched = new Set(Object.keys(changes).map(name => name.toLowerCase()));
  const added = Object.entries(changes).flatMap(([name, value]) =>
    value === null ? [] : [[name, value] as const],
  );
  return [...headers.filter(([name]) => !touched.has(name.toLowerCase())), ...added];
}
