/** The conversations of a run over a faulty network, as one record. */

import type { TransportId } from '../../../spec/revisions.js';
import { grouped } from '../../grouped.js';
import type { Finding } from '../../judge/finding.js';
import type { Event } from '../../record/event.js';
import type { RevisionStart, RunEvent } from '../../report/run-event.js';
import { nameOfFault } from '../proxy/network.js';
import { keyOf, type Trial } from './trial.js';

interface Judged {
  readonly start: RevisionStart;
  readonly findings: Finding[];
}

/**
 * The events of all trials, numbered one after the other, and the findings of each side.
 * @param trials each with the failures to report; its other failures are left out
 */
export function* assembled(trials: readonly Trial[], transport: TransportId): Generator<RunEvent> {
  const judged: Judged[] = [];
  let before = { seq: 0, link: 0, at: 0 };
  const names = new Map<number, string>();
  for (const [index, trial] of trials.entries()) {
    const { events } = trial.history;
    const number = index + 1;
    names.set(number, trial.fault ? nameOfFault(trial.fault) : 'without a fault');
    for (const event of events) yield { kind: 'wire', event: renumbered(event, before, number) };
    judged.push(...judgedIn(trial, before.seq, number));
    before = {
      seq: before.seq + events.length,
      link: before.link + Math.max(0, ...events.map(e => e.link)),
      at: before.at + (events.at(-1)?.at ?? 0),
    };
  }
  for (const parts of grouped(judged, ({ start }) => `${start.side} ${start.revision}`).values()) {
    const { start } = parts[0]!;
    yield start;
    for (const [number, name] of names) {
      yield {
        kind: 'case-start',
        case: number,
        name: `${start.revision}/${transport}/network/${name}`,
        title: `a conversation over a network: ${name}`,
      };
      yield { kind: 'case-end', case: number, durationMs: 0 };
    }
    for (const finding of parts.flatMap(part => part.findings)) yield { kind: 'finding', finding };
    yield { kind: 'revision-end', revision: start.revision, transport: start.transport, durationMs: 0 };
  }
}

/** A trial is a part of its own for rules over several conversations: its server may begin again. */
function renumbered(
  event: Event,
  before: { readonly seq: number; readonly link: number; readonly at: number },
  number: number,
): Event {
  const numbers = {
    seq: event.seq + before.seq,
    link: event.link + before.link,
    at: event.at + before.at,
    case: number,
  };
  return event.kind === 'open' ? { ...event, ...numbers, part: number } : { ...event, ...numbers };
}

function judgedIn(trial: Trial, seqBefore: number, number: number): Judged[] {
  const reported = new Set(trial.failures.map(keyOf));
  const judged: Judged[] = [];
  for (const event of trial.judged) {
    if (event.kind === 'revision-start') judged.push({ start: event, findings: [] });
    if (event.kind !== 'finding') continue;
    const { start, findings } = judged.at(-1)!;
    const { finding } = event;
    const { side } = start;
    if (finding.verdict === 'fail' && !reported.has(keyOf({ side: side as 'server' | 'client', finding })))
      continue;
    findings.push({ ...finding, case: number, evidence: finding.evidence.map(seq => seq + seqBefore) });
  }
  return judged;
}
