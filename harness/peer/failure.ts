/** Describes why a subject does not respond: the event, with the last output of the subject. */

import type { Event } from '../record/event.js';
import { handshakeMethods } from '../record/handshake.js';
import { lastWords } from '../record/last-words.js';
import { errorOf, overflowInWords, resultOf } from '../record/message.js';
import { isSpawnError, notStartedInWords } from '../record/not-started.js';
import { starvedInWords } from '../time/clock.js';
import { describeHttpEnd } from './failure-http.js';
import type { Peer } from './peer.js';

/** A sentence, and lines of detail. @param subject the subject in the sentence */
export function describeFailure(
  peer: Peer,
  subject: 'server' | 'gateway' = 'server',
): [reason: string, details: string[]] {
  if (peer.link.http) return describeHttpEnd(peer);
  const { conversation } = peer;
  const { exit } = conversation;
  const garbage = conversation.frames('subject').map(f => f.text);
  const details = [
    ...garbage.slice(0, 3).map(line => `stdout: ${line.slice(0, 200)}`),
    ...outputOf(conversation.events),
  ];
  return [reason(peer, exit, subject), details];
}

function reason(peer: Peer, exit: Extract<Event, { kind: 'exit' }> | undefined, subject: string): string {
  const { conversation, timing } = peer;
  const overflow = conversation.eventsOf('overflow')[0];
  const garbage = conversation.frames('subject').length;
  const asked = conversation.requests({ by: 'peer' })[0]?.method ?? handshakeMethods.request;
  const also =
    garbage > 0 ? ` The ${subject} wrote ${garbage} line${garbage === 1 ? '' : 's'} to stdout instead.` : '';
  const refused = conversation.exchanges({ by: 'peer' }).find(e => e.request.method === asked && errorOf(e));
  if (refused) {
    const { code, message } = errorOf(refused)!;
    return `The ${subject} refused ${asked} with error ${JSON.stringify(code)} ${JSON.stringify(message)}.`;
  }
  const answered = conversation
    .exchanges({ by: 'peer' })
    .find(e => e.request.method === asked && resultOf(e));
  if (answered && !peer.declared)
    return `The ${subject} answered ${asked} with a result that declares no capabilities: ${JSON.stringify(resultOf(answered)).slice(0, 200)}.`;
  if (overflow)
    return `The ${subject} wrote too much before it answered initialize: ${overflowInWords(overflow)}. The harness terminated the ${subject}.`;
  if (!exit) {
    const starved = conversation.eventsOf('deadline').find(d => d.starved)?.starved;
    const why = starved === undefined ? '' : `; ${starvedInWords(starved)}`;
    const { ms = timing.answer } = conversation.eventsOf('deadline').find(d => d.label === 'answer') ?? {};
    return `The ${subject} did not answer ${asked} within ${ms / 1000} s${why}.${also}`;
  }
  if (exit.code === null && exit.signal === null)
    return `${notStartedInWords(stderrLines(conversation.events).at(-1))}.`;
  const how = exit.signal ? `was terminated by ${exit.signal}` : `exited with code ${exit.code}`;
  return `The ${subject} ${how} before it answered ${asked}.${also}`;
}

/** The lines that the subject wrote to stderr. */
function stderrLines(events: readonly Event[]): string[] {
  const text = events.flatMap(e => (e.kind === 'stderr' ? [e.text] : [])).join('');
  return text.split(/\r?\n/).filter(line => line.trim() !== '');
}

/** What the subject wrote to stderr, as lines of detail. */
export const outputOf = (events: readonly Event[]): string[] =>
  withoutMiddle(stderrLines(events)).flatMap(line => (isSpawnError(line) ? [] : [`stderr: ${line}`]));

/** Many programs print the error first, and then the help: the first lines, and the last ones. */
function withoutMiddle(lines: readonly string[], first = 4, last = 16): readonly string[] {
  if (lines.length <= first + last + 1) return lines;
  const end = lastWords(lines.slice(first), last);
  return [...lines.slice(0, first), `… ${lines.length - first - end.length} lines …`, ...end];
}
