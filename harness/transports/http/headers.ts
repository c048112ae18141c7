/** Headers as sent, and headers as recorded. */

import type { HeaderList } from '../../record/event.js';
import { fingerprint, type Secrets } from '../../record/redaction.js';

/**
 * Headers whose values are not recorded. Session ids are recorded: rules compare them, and they expire with
 * the run.
 */
const secretNames = ['authorization', 'proxy-authorization', 'cookie', 'set-cookie'];

const none: ReadonlySet<string> = new Set();

/**
 * Headers without their secrets.
 * @param secrets learn the credentials, which may occur elsewhere
 * @param alsoSecret names in lower case, such as those the user gave with `--header`
 */
export const redact = (
  headers: HeaderList,
  secrets?: Secrets,
  alsoSecret: ReadonlySet<string> = none,
): HeaderList =>
  headers.map(([name, value]) => {
    const lower = name.toLowerCase();
    if (!secretNames.includes(lower) && !alsoSecret.has(lower)) return [name, value];
    if (secretNames.includes(lower)) secrets?.learnHeader(lower, value);
    // the scheme is not secret: `Bearer ~1a2b3c4d`
    const scheme = /^(\w+) (?=\S)/.exec(value)?.[1];
    return lower.endsWith('authorization') && scheme
      ? [name, `${scheme} ${fingerprint(value.slice(scheme.length + 1))}`]
      : [name, fingerprint(value)];
  });

/** The headers of a request to the harness, in their original order and case. */
export const headersOf = ({ rawHeaders }: { readonly rawHeaders: readonly string[] }): HeaderList =>
  Array.from(
    { length: rawHeaders.length / 2 },
    (_, i) => [rawHeaders[2 * i]!, rawHeaders[2 * i + 1]!] as const,
  );

/** The user name and password of a URL are secrets too. */
export function redactUrl(url: URL): string {
  if (!url.username && !url.password) return url.href;
  const shown = new URL(url);
  shown.username = '';
  shown.password = '';
  return shown.href.replace('//', `//${fingerprint(`${url.username}:${url.password}`)}@`);
}

/** Changes to a list of headers: a value replaces, null removes; names are case-insensitive. */
type HeaderChanges = Readonly<Record<string, string | null>>;

export function withChanges(headers: HeaderList, changes: HeaderChanges = {}): HeaderList {
  const touched = new Set(Object.keys(changes).map(name => name.toLowerCase()));
  const added = Object.entries(changes).flatMap(([name, value]) =>
    value === null ? [] : [[name, value] as const],
  );
  return [...headers.filter(([name]) => !touched.has(name.toLowerCase())), ...added];
}

/** Header names and values, decoded byte by byte: a value is not always UTF-8. */
export function pairs(raw: readonly Buffer[]): HeaderList {
  const text = (part: Buffer | undefined) => Buffer.from(part ?? '').toString('latin1');
  return Array.from({ length: raw.length / 2 }, (_, i) => [text(raw[2 * i]), text(raw[2 * i + 1])] as const);
}
