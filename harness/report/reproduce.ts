/** The command line that reproduces a finding. */

import { definedRevisions, type RevisionId, type TransportId } from '../../spec/revisions.js';
import type { RunStart, SubjectPlace } from './run-event.js';
import { quoteFor } from './shell-quote.js';

/** Quotes a word for the shell of this system. */
export const shellQuote = (word: string): string => quoteFor(process.platform, word);

/** The words that start the program again. */
export const programOf = ({ program }: RunStart): readonly string[] => program ?? ['mcp-conform'];

interface Place {
  readonly revision: RevisionId;
  readonly transport: TransportId;
  /** Command or URL of the subject. */
  readonly subject: SubjectPlace;
  /** Full name of the case; absent for the probe, which precedes every run and cannot be selected. */
  readonly caseName?: string;
  readonly offers: readonly string[];
  /** Full names of further cases that have to run. */
  readonly beside?: readonly string[];
  /** Path of the generated value, for the seed. */
  readonly path?: string;
}

/**
 * Whether a run without `--revision` judges this revision: the newest that the subject offers. A run that was asked
 * for one revision does not know all offers.
 */
const isDefault = (start: RunStart, revision: RevisionId, offers: readonly string[]): boolean =>
  start.revision === undefined && revision === definedRevisions.findLast(r => offers.includes(r.id))?.id;

/** A complete command line that repeats one case of this run. */
export function reproduce(start: RunStart, place: Place): string {
  const { revision, transport, subject, caseName, beside = [], offers, path } = place;
  const words = [...programOf(start), start.role];
  // observed traffic between a client and a server cannot be reproduced; the record can be judged again
  if (start.role === 'watch')
    return `${[...programOf(start), 'judge', 'run.jsonl'].map(shellQuote).join(' ')}  # a record of --reporter jsonl=run.jsonl`;
  if (start.role === 'judge') return [...words, ...start.options].map(shellQuote).join(' ');
  if (start.role === 'gateway') return reproduceGateway(start, caseName);
  if (start.role === 'network') return reproduceNetwork(start, caseName);
  if (!isDefault(start, revision, offers)) words.push('--revision', revision);
  if (transport === 'http-sse' || start.role === 'client') words.push('--transport', transport);
  if (caseName !== undefined) for (const name of [caseName, ...beside]) words.push('--run', name);
  words.push(...start.options);
  for (const [flag, on] of [
    ['--fixtures', start.fixtures],
    ['--strict', start.strict],
  ] as const)
    if (on && !start.options.includes(flag)) words.push(flag);
  words.push('--seed', `${start.seed}`);
  if (path !== undefined) words.push('--path', path);
  const at = start.role === 'authorization-server' ? '--issuer' : '--url';
  if (subject.url !== null) words.push(at, subject.url);
  if (subject.command) words.push('--', ...subject.command);
  return words.map(shellQuote).join(' ');
}

/** A step runs in each revision that the gateway speaks; the options name both transports. */
function reproduceGateway(start: RunStart, caseName: string | undefined): string {
  const words = [...programOf(start), 'gateway'];
  if (caseName !== undefined) words.push('--run', `**/${caseName.split('/').slice(2).join('/')}`);
  words.push(...start.options);
  if (start.strict && !start.options.includes('--strict')) words.push('--strict');
  if (start.subject.url !== null) words.push('--url', start.subject.url);
  if (start.subject.command) words.push('--', ...start.subject.command);
  return words.map(shellQuote).join(' ');
}

/** A case over a faulty network is named after its fault. */
function reproduceNetwork(start: RunStart, caseName: string | undefined): string {
  const [, fault] = caseName?.split('/network/') ?? [];
  const words = [...programOf(start), 'network', ...(fault === undefined ? [] : ['--at', fault])];
  words.push(...start.options);
  if (start.strict && !start.options.includes('--strict')) words.push('--strict');
  if (start.subject.url !== null) words.push('--url', start.subject.url);
  if (start.subject.command) words.push('--', ...start.subject.command);
  return words.map(shellQuote).join(' ');
}
