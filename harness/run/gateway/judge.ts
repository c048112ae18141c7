/** Judges the record of a gateway: what it answered its client, what it sent to its server, and what became of each message. */

import { clauseIn, requirement } from '../../../spec/requirement.js';
import type { RevisionId, TransportId } from '../../../spec/revisions.js';
import { entry } from '../../grouped.js';
import type { Finding, Judgement } from '../../judge/finding.js';
import type { Rule, RunRule } from '../../judge/rule.js';
import type { Conversation } from '../../record/conversation.js';
import type { Event } from '../../record/event.js';
import { beginsHandshake } from '../../record/handshake.js';
import { History } from '../../record/history.js';
import { infoOf } from '../../record/introduction.js';
import { ExitCode } from '../../report/exit-code.js';
import type { RunEvent } from '../../report/run-event.js';
import type { GatewayRule, Passage } from '../../scenario/gateway.js';
import { judgeSide } from '../judge-both.js';

/** A case as it ran. */
export interface CaseRun {
  readonly number: number;
  /** The name of the step. */
  readonly step: string;
  readonly title: string;
  readonly durationMs: number;
}

export interface GatewayJudges {
  readonly rules: readonly (Rule | RunRule)[];
  readonly comparison: readonly GatewayRule[];
}

/** The conversations before and behind the gateway among recorded events. @param links of one pass; default: all */
export function passageOf(events: readonly Event[], links?: ReadonlySet<number>): Passage | undefined {
  const own = links ? events.filter(({ link }) => links.has(link)) : events;
  const opened = own.filter(e => e.kind === 'open');
  const behind = new Set(opened.filter(e => e.unplanned).map(({ link }) => link));
  const before = opened.find(e => !e.unplanned);
  if (!before) return undefined;
  const of = (party: 'server' | 'client', isBack: boolean): Conversation[] =>
    [...History.from(own, party).conversations.values()].filter(
      c => behind.has(c.link) === isBack && c.messages.length > 0,
    );
  const back = of('client', true);
  const transports = {
    front: before.transport as TransportId,
    back: back[0]?.transport ?? (before.transport as TransportId),
  };
  return { front: of('server', false), back, transports };
}

/** The findings of one pass, for each side and for the gateway between them. */
export function* judgePassage(
  passage: Passage,
  revision: RevisionId,
  cases: readonly CaseRun[],
  { rules, comparison }: GatewayJudges,
): Generator<RunEvent> {
  const deliberate = new Set(
    passage.front.flatMap(c => c.eventsOf('frame').flatMap(frame => (frame.deliberate ? [frame.case] : []))),
  );
  for (const number of withSeveralClients(passage)) deliberate.add(number);
  for (const [side, conversations] of [
    ['server', passage.front],
    ['client', passage.back],
  ] as const)
    for (const id of new Set(conversations.map(c => c.revision.id))) {
      const own = conversations.filter(c => c.revision.id === id);
      const events = withPass(withCases(judgeSide(side, id, own, rules), cases), revision);
      yield* side === 'client' ? blameless(events, deliberate) : events;
    }
  yield* withCases(judgeBetween(passage, revision, comparison), cases);
}

/**
 * Cases with messages of several clients, where the requests behind the gateway name no session: nothing tells whether
 * two requests with one id are of one sender.
 */
function withSeveralClients({ front, back }: Passage): number[] {
  const namesNoSession = back.some(
    c =>
      c.transport !== 'stdio' &&
      c
        .http()
        .some(e => e.sent.length > 0 && !e.sent.some(beginsHandshake) && !e.requestHeader('mcp-session-id')),
  );
  if (!namesNoSession) return [];
  const links = new Map<number, Set<number>>();
  for (const frame of front.flatMap(c => c.eventsOf('frame')))
    entry(links, frame.case, () => new Set<number>()).add(frame.link);
  return [...links].filter(([, clients]) => clients.size > 1).map(([number]) => number);
}

/** A gateway passes on what the harness breaks on purpose: nothing in such a case is its fault as a client. */
function* blameless(events: Iterable<RunEvent>, deliberate: ReadonlySet<number>): Generator<RunEvent> {
  for (const event of events)
    if (event.kind !== 'finding' || event.finding.verdict !== 'fail' || !deliberate.has(event.finding.case))
      yield event;
}

/** The cases belong to each of the judgements: a finding is counted where its case is. */
function* withCases(events: Iterable<RunEvent>, cases: readonly CaseRun[]): Generator<RunEvent> {
  for (const event of events) {
    yield event;
    if (event.kind !== 'revision-start') continue;
    for (const { number, step, title, durationMs } of cases) {
      yield { kind: 'case-start', case: number, name: `${event.revision}/${event.transport}/${step}`, title };
      yield { kind: 'case-end', case: number, durationMs };
    }
  }
}

/** Several passes can have the same revision behind the gateway. */
function* withPass(events: Iterable<RunEvent>, pass: RevisionId): Generator<RunEvent> {
  for (const event of events)
    yield event.kind === 'revision-start' && event.revision !== pass ? { ...event, pass } : event;
}

function* judgeBetween(
  passage: Passage,
  revision: RevisionId,
  comparison: readonly GatewayRule[],
): Generator<RunEvent> {
  const transport = passage.transports.front;
  const inForce = comparison.filter(({ requirement: id }) => {
    const row = requirement(id);
    return clauseIn(row, revision) !== undefined && (!row.over || row.over.includes(transport));
  });
  const [first] = passage.front;
  yield {
    kind: 'revision-start',
    revision,
    transport,
    side: 'intermediary',
    info: ownInfo(passage),
    capabilities: first?.capabilities('server') ?? {},
    offers: [revision],
    planned: 0,
    requirements: [...new Set(inForce.map(rule => rule.requirement))].sort(),
    notApplicable: [],
  };
  const caseAt = new Map(
    [...passage.front, ...passage.back].flatMap(c => c.events.map(e => [e.seq, e.case] as const)),
  );
  for (const { requirement: id, judge } of inForce)
    for (const judgement of judge(passage))
      yield { kind: 'finding', finding: toFinding(id, judgement, caseAt) };
  yield { kind: 'revision-end', revision, transport, durationMs: 0 };
}

/** The name of the gateway: none where it passes on the one of the server. */
function ownInfo({ front: [first], back }: Passage) {
  const own = first && infoOf(first, 'server');
  const isOfServer = back.some(c => JSON.stringify(infoOf(c, 'server')) === JSON.stringify(own));
  return own && !isOfServer ? own : null;
}

/** A finding belongs to the case of its first event: what is lost was sent there. */
function toFinding(
  requirement: Finding['requirement'],
  judgement: Judgement,
  caseAt: ReadonlyMap<number, number>,
): Finding {
  const first = Math.min(...judgement.evidence);
  return { requirement, source: 'rule', case: caseAt.get(first) ?? 0, ...judgement };
}

/** Judges a stored run of a gateway again. */
export function* rejudgeGateway(events: readonly RunEvent[], judges: GatewayJudges): Generator<RunEvent> {
  const exitCode = new ExitCode();
  const kept = events.filter(e => e.kind === 'run-start' || e.kind === 'wire');
  const passes = events.flatMap(e => (e.kind === 'revision-start' && e.side === 'intermediary' ? [e] : []));
  const wire = kept.flatMap(e => (e.kind === 'wire' ? [e.event] : []));
  const ends = events.flatMap(e => (e.kind === 'case-end' ? [[e.case, e.durationMs] as const] : []));
  const durations = new Map(ends);
  function* judged(): Generator<RunEvent> {
    yield* kept;
    for (const { revision } of passes) {
      const links = linksOf(wire, revision);
      const passage = passageOf(wire, links);
      const numbers = new Set(wire.filter(e => links.has(e.link)).map(e => e.case));
      const cases = events.flatMap(e =>
        e.kind === 'case-start' && numbers.has(e.case)
          ? [
              [
                e.case,
                {
                  number: e.case,
                  step: stepIn(e.name),
                  title: e.title,
                  durationMs: durations.get(e.case) ?? 0,
                },
              ] as const,
            ]
          : [],
      );
      if (passage) yield* judgePassage(passage, revision, [...new Map(cases).values()], judges);
    }
  }
  for (const event of judged()) {
    exitCode.add(event);
    yield event;
  }
  for (const event of events) if (event.kind === 'run-end') yield { ...event, exitCode: exitCode.at(event) };
}

const stepIn = (name: string): string => name.split('/').slice(2).join('/');

/** The links of the pass in a revision: those before the gateway, and those behind it that opened meanwhile. */
function linksOf(events: readonly Event[], revision: RevisionId): Set<number> {
  // the process of a gateway that listens on HTTP has a link too, which is no conversation
  const opened = events.filter(e => e.kind === 'open').filter(({ transport }) => transport !== 'process');
  const links = new Set<number>();
  let isOwn = false;
  for (const { link, revision: of, unplanned } of opened) {
    if (!unplanned) isOwn = of === revision;
    if (isOwn) links.add(link);
  }
  return links;
}
