/** The command line that shows a finding again. */

import { newestFirst, type RevisionId, type TransportId } from '../../spec/revisions.js';
import type { RunStart, SubjectPlace } from './run-event.js';

/** Quotes a word for a POSIX shell, only where it needs it. */
export const shellQuote = (word: string): string =>
  /^[\w@%+:,./-][\w@%+=:,./-]*$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`;

interface Place {
  readonly revision: RevisionId;
  readonly transport: TransportId;
  /** Where the subject is found. */
  readonly subject: SubjectPlace;
  /** Full name of the case; absent for the probe, which precedes every run and cannot be chosen. */
  readonly caseName?: string;
  readonly offers: readonly string[];
  /** Which generated value, of the seed. */
  readonly path?: string;
}

/** A complete command line that runs one case as this run did. */
export function reproduce(start: RunStart, place: Place): string {
  const { revision, transport, subject, caseName, offers, path } = place;
  // what a client and a server did cannot be made to happen again; the record can be judged again
  if (start.role === 'watch') return 'mcp-conform judge <run.jsonl>';
  const words = ['mcp-conform', start.role];
  if (start.role === 'judge') return [...words, ...start.options].map(shellQuote).join(' ');
  // Without the option the newest revision the subject offers is judged.
  const asked = revision !== newestFirst().find(r => offers.includes(r.id))?.id;
  if (asked) words.push('--revision', revision);
  if (transport === 'http-sse' || start.role === 'client') words.push('--transport', transport);
  if (caseName !== undefined) words.push('--run', caseName);
  words.push(...start.options);
  for (const [flag, on] of [
    ['--fixtures', start.fixtures],
    ['--strict', start.strict],
  ] as const)
    if (on && !start.options.includes(flag)) words.push(flag);
  words.push('--seed', String(start.seed));
  if (path !== undefined) words.push('--path', path);
  const at = start.role === 'authorization-server' ? '--issuer' : '--url';
  if (subject.url !== null) words.push(at, subject.url);
  if (subject.command) words.push('--', ...subject.command);
  return words.map(shellQuote).join(' ');
}
