/** Puts the records of the parts of a run together: one run with one report and one exit code. */

import type { Finding } from '../judge/finding.js';
import type { Event } from '../record/event.js';
import { ExitCode } from '../report/exit-code.js';
import { type KnownEntry, KnownFailures } from '../report/known-failing.js';
import { incompleteness, inOrder, type PartFile } from '../report/parts.js';
import { UsageError } from '../report/pattern.js';
import type { FindingEvent, RevisionStart, RunEnd, RunEvent, RunStart } from '../report/run-event.js';
import { defaultRuns, isSteady } from '../scenario/generation.js';
import type { Suite } from './plan.js';

/** A known-failing list for the whole run, and the scenarios that it may name. */
export interface MergeOptions {
  readonly known?: readonly KnownEntry[];
  readonly suite: Suite;
}

/** The events of a part under one revision over one transport, without begin and end. */
interface Segment {
  readonly start: RevisionStart;
  readonly events: RunEvent[];
  durationMs: number;
}

interface Part {
  readonly at: number;
  readonly start: RunStart;
  /** Events before the first revision. */
  readonly before: RunEvent[];
  readonly segments: Map<string, Segment>;
  /** Events after the last revision. */
  readonly after: RunEvent[];
  end: RunEnd;
}

const startOf = ([first]: readonly RunEvent[]): RunStart => first as RunStart;

/**
 * The events of the whole run.
 * @param files the records of the parts, in any order
 * @throws UsageError for records that are not parts of one run
 */
export function mergeRuns(
  files: readonly PartFile<readonly RunEvent[]>[],
  options: MergeOptions,
): RunEvent[] {
  for (const { file, content } of files) {
    const { role } = startOf(content);
    if (role !== 'server' && role !== 'client')
      throw new UsageError(`${file}: a run of "${role}" has no parts. Give runs of server or client.`);
  }
  const { parts: given, missing, of } = inOrder(files, startOf);
  sameSettings(given);
  const parts = given.map(({ content }) => partOf(content));
  const events = joined(parts);
  const known = options.known && new KnownFailures(options.known);
  const told = known ? marked(events, known) : events;
  const unfinished = parts.flatMap(({ at, end: { unjudged, stopped } }) => {
    const reason = unjudged?.reason ?? stopped;
    return reason === undefined ? [] : [{ at, reason }];
  });
  const stopped = incompleteness(missing, of, unfinished);
  const isNothingJudged = parts.every(({ end }) => end.unjudged);
  const stale = known
    ? staleIn(told, known, options.suite, startOf(told))
    : [...new Set(parts.flatMap(({ end }) => end.stale ?? []))];
  const totals = {
    kind: 'run-end',
    durationMs: Math.max(...parts.map(({ end }) => end.durationMs)),
    processesStarted: parts.reduce((sum, { end }) => sum + end.processesStarted, 0),
    ...(isNothingJudged && { unjudged: parts[0]!.end.unjudged! }),
    ...(stopped !== undefined && !isNothingJudged && { stopped }),
    ...(stale.length > 0 && { stale }),
  } as const;
  const exitCode = new ExitCode();
  for (const event of told) exitCode.add(event);
  return [...told, { ...totals, exitCode: exitCode.at(totals) }];
}

/** @throws UsageError for parts that ran with different options */
function sameSettings(parts: readonly PartFile<readonly RunEvent[]>[]): void {
  const settings = ({ content }: PartFile<readonly RunEvent[]>) => {
    const { options, strict, fixtures, pending, minJudged, revision, partial } = startOf(content);
    return JSON.stringify([options, strict, fixtures, pending, minJudged, revision, partial]);
  };
  const other = parts.find(part => settings(part) !== settings(parts[0]!));
  if (other)
    throw new UsageError(
      `${other.file}: other options than ${parts[0]!.file}: these are not parts of one run. Give each part the same options.`,
    );
}

function partOf(events: readonly RunEvent[]): Part {
  const start = startOf(events);
  const before: RunEvent[] = [];
  const after: RunEvent[] = [];
  const segments = new Map<string, Segment>();
  let open: Segment | undefined;
  let end: RunEnd | undefined;
  for (const event of events.slice(1)) {
    if (event.kind === 'run-end') end = event;
    else if (event.kind === 'revision-start') {
      open = { start: event, events: [], durationMs: 0 };
      // what follows a revision belongs to the negotiation of the next one
      open.events.push(...after.splice(0));
      segments.set(`${event.revision} ${event.transport}`, open);
    } else if (event.kind === 'revision-end') {
      if (open) open.durationMs = event.durationMs;
      open = undefined;
    } else (open?.events ?? (segments.size > 0 ? after : before)).push(event);
  }
  return { at: start.shard!.at, start, before, segments, after, end: end! };
}

/** Counts the events, links, cases and milliseconds of one part after those of the parts before it. */
class Numbering {
  private readonly seqs = new Map<number, number>();

  constructor(
    private readonly part: number,
    private readonly before: { readonly link: number; readonly case: number; readonly at: number },
    private readonly nextSeq: () => number,
  ) {}

  /** The event with its numbers in the merged run. */
  of(event: RunEvent): RunEvent {
    switch (event.kind) {
      case 'wire':
        return { kind: 'wire', event: this.wire(event.event) };
      case 'finding':
        return { ...event, finding: this.finding(event.finding) };
      case 'case-start':
      case 'case-end':
      case 'confirmation':
        return { ...event, case: this.caseOf(event.case) };
      default:
        return event;
    }
  }

  private caseOf(number: number): number {
    return number === 0 ? 0 : number + this.before.case;
  }

  private wire(event: Event): Event {
    const seq = this.nextSeq();
    this.seqs.set(event.seq, seq);
    const { link, at } = this.before;
    const numbers = { seq, at: event.at + at, link: event.link + link, case: this.caseOf(event.case) };
    return event.kind === 'open' ? { ...event, ...numbers, part: this.part } : { ...event, ...numbers };
  }

  private finding(finding: Finding): Finding {
    const evidence = finding.evidence.flatMap(seq => this.seqs.get(seq) ?? []);
    return { ...finding, case: this.caseOf(finding.case), evidence };
  }
}

/** All events but the last, each revision and transport once. */
function joined(parts: readonly Part[]): RunEvent[] {
  const { shard: _, ...start } = parts[0]!.start;
  const startedAt = parts.map(part => part.start.startedAt).sort()[0]!;
  let seq = 0;
  let before = { link: 0, case: 0, at: 0 };
  const numbered = parts.map(part => {
    const count = mostIn(part);
    const numbering = new Numbering(part.at, before, () => ++seq);
    before = {
      link: before.link + count.link,
      case: before.case + count.case,
      at: before.at + count.at,
    };
    return { part, numbering };
  });
  const all = (of: (part: Part) => readonly RunEvent[]): RunEvent[] =>
    numbered.flatMap(({ part, numbering }) => of(part).map(event => numbering.of(event)));
  const keys = [...new Set(parts.flatMap(({ segments }) => [...segments.keys()]))].sort(byRevision(parts));
  return [
    { ...start, startedAt },
    ...all(part => part.before),
    ...keys.flatMap(key => {
      const segments = parts.flatMap(({ segments }) => segments.get(key) ?? []);
      const { revision, transport } = segments[0]!.start;
      const durationMs = Math.max(...segments.map(s => s.durationMs));
      return [
        together(segments.map(s => s.start)),
        ...all(({ segments }) => segments.get(key)?.events ?? []),
        { kind: 'revision-end', revision, transport, durationMs } as const,
      ];
    }),
    ...all(part => part.after),
  ];
}

/** The numbers that a part uses at most. */
function mostIn({ before, segments, after }: Part): { link: number; case: number; at: number } {
  const most = { link: 0, case: 0, at: 0 };
  const events = [before, ...[...segments.values()].map(s => s.events), after].flat();
  for (const event of events) {
    if (event.kind === 'case-start') most.case = Math.max(most.case, event.case);
    if (event.kind !== 'wire') continue;
    most.link = Math.max(most.link, event.event.link);
    most.at = Math.max(most.at, event.event.at);
  }
  return most;
}

/** The order of a whole run: as in the first part that has both. */
const byRevision =
  (parts: readonly Part[]) =>
  (a: string, b: string): number => {
    const both = parts.find(({ segments }) => segments.has(a) && segments.has(b));
    const keys = [...(both ?? parts[0]!).segments.keys()];
    return keys.indexOf(a) - keys.indexOf(b);
  };

/** A requirement applies where a part has a case or a capability for it. */
function together(starts: readonly RevisionStart[]): RevisionStart {
  const requirements = [...new Set(starts.flatMap(s => s.requirements))].sort();
  const reasons = new Map(starts.flatMap(s => s.notApplicable.map(one => [one.id, one] as const)));
  return {
    ...starts[0]!,
    planned: starts.reduce((sum, { planned }) => sum + planned, 0),
    requirements,
    notApplicable: [...reasons.values()].filter(({ id }) => !requirements.includes(id)),
  };
}

/** The events with the marks of a list of known failures; a generated value counts as listed where a plain one does. */
function marked(events: readonly RunEvent[], known: KnownFailures): RunEvent[] {
  const names = namesIn(events);
  const marks = new Map<FindingEvent, FindingEvent>();
  const findings = events.filter(e => e.kind === 'finding');
  const nameOf = (event: FindingEvent) => names.get(event) ?? '';
  for (const generated of [false, true])
    for (const event of findings.filter(e => Boolean(e.finding.counterexample) === generated)) {
      const { knownFailing: _, ...bare } = event;
      const reason = known.apply(event.finding, nameOf(event));
      marks.set(event, reason === undefined ? bare : { ...bare, knownFailing: reason });
    }
  return events.map(event => (event.kind === 'finding' ? marks.get(event)! : event));
}

/** The full names of the cases of findings. */
function namesIn(events: readonly RunEvent[]): Map<FindingEvent, string> {
  const cases = new Map<number, string>();
  const names = new Map<FindingEvent, string>();
  for (const event of events) {
    if (event.kind === 'revision-start') cases.set(0, `${event.revision}/${event.transport}/probe`);
    else if (event.kind === 'case-start') cases.set(event.case, event.name);
    else if (event.kind === 'finding') names.set(event, cases.get(event.finding.case) ?? '');
  }
  return names;
}

function staleIn(
  events: readonly RunEvent[],
  known: KnownFailures,
  { scenarios }: Suite,
  { role, partial, seed, options }: RunStart,
): string[] {
  const places = events.flatMap(e => (e.kind === 'revision-start' ? [`${e.revision}/${e.transport}`] : []));
  const ran = [
    ...places.map(place => `${place}/probe`),
    ...events.flatMap(e => (e.kind === 'case-start' ? [e.name] : [])),
  ];
  const own = scenarios.filter(s => s.role === role);
  const at = options.indexOf('--runs');
  const runs = at === -1 ? defaultRuns : Number(options[at + 1]);
  const possible = (some: readonly { readonly name: string }[]) =>
    places.flatMap(place => some.map(({ name }) => `${place}/${name}`));
  const others = isSteady({ seed, runs }) ? [] : own.filter(s => 'generated' in s && s.generated);
  return known.stale(ran, partial || runs === 0 ? possible(own) : [], possible(others));
}
