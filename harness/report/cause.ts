/**
 * The event that broke things: findings about one event of the subject have one cause, and are told once.
 */

import type { Event } from '../record/event.js';
import type { RunReport } from './report.js';

type Grade = RunReport['findings'][number]['grade'];

/** What is kept of an event: who sent it, and what it belongs to. */
interface Trace {
  readonly by: 'client' | 'server' | 'harness';
  /** Events with one key are one thing that the subject did. */
  readonly key: string;
  readonly isDeath?: boolean;
}

/** Time (ms) within which all connections to a server see the end of its process. */
const together = 50;

/** Recognises the causes of findings by the events that are their evidence. */
export class Causes {
  private readonly traces: (Trace | undefined)[] = [];
  /** The blocks of streams whose message has not been seen yet, by link. */
  private readonly framed = new Map<number, number>();
  private readonly streams = new Set<string>();
  /** Links over HTTP, which may have one process together. */
  private readonly shared = new Set<number>();
  private readonly deaths = new Set<string>();
  private death: { readonly at: number; readonly key: string } | undefined;

  add(event: Event): void {
    const trace = this.traceOf(event);
    if (trace) this.traces[event.seq] = trace;
  }

  /**
   * The key of the event that the evidence shows as the cause: the end of a process; without one, the last event of the
   * subject, or the last deadline. Undefined for evidence without such an event.
   */
  of(evidence: readonly number[], subject: 'client' | 'server'): string | undefined {
    const traces = evidence.flatMap(seq => this.traces[seq] ?? []);
    const death = traces.findLast(t => t.isDeath);
    if (death) return death.key;
    return (traces.findLast(t => t.by === subject) ?? traces.findLast(t => t.by === 'harness'))?.key;
  }

  /** Whether a key is the end of a process. */
  readonly isDeath = (key: string): boolean => this.deaths.has(key);

  private traceOf(event: Event): Trace | undefined {
    const { seq, link } = event;
    switch (event.kind) {
      case 'frame': {
        const block = this.framed.get(link);
        this.framed.delete(link);
        const key =
          block !== undefined ? `${block}` : (this.whole(link, event.exchange, event.by) ?? `${seq}`);
        return { by: event.by, key };
      }
      case 'sse':
        if (event.framed) this.framed.set(link, seq);
        return { by: 'server', key: `${seq}` };
      case 'http-request':
        return { by: 'client', key: this.whole(link, event.exchange, 'client')! };
      case 'http-response': {
        const isStream = event.headers.some(
          ([name, value]) => /^content-type$/i.test(name) && /event-stream/i.test(value),
        );
        if (isStream) this.streams.add(`${link}/${event.exchange}`);
        return { by: 'server', key: this.whole(link, event.exchange, 'server') ?? `${seq}` };
      }
      case 'http-body':
        return {
          by: event.of ? 'client' : 'server',
          key: this.whole(link, event.exchange, event.of ? 'client' : 'server') ?? `${seq}`,
        };
      case 'http-end':
        return event.by === 'client'
          ? undefined
          : { by: 'server', key: this.whole(link, event.exchange, 'server') ?? `${seq}` };
      case 'open':
        if (event.transport !== 'stdio') this.shared.add(link);
        return undefined;
      case 'exit':
        return { by: 'harness', key: this.deathOf(event), isDeath: true };
      case 'output-closed':
      case 'overflow':
      case 'deadline':
        return { by: 'harness', key: `${seq}` };
      default:
        return undefined;
    }
  }

  /** One process may serve several connections: they see its end at the same time. */
  private deathOf(event: Event): string {
    const key = this.deathKey(event);
    this.deaths.add(key);
    return key;
  }

  private deathKey({ seq, at, link }: Event): string {
    if (!this.shared.has(link)) return `${seq}`;
    if (!this.death || at - this.death.at > together) this.death = { at, key: `${seq}` };
    return this.death.key;
  }

  /** A request with its body, or a response with its body, is one thing; the events of a stream are several. */
  private whole(link: number, exchange: number | undefined, by: 'client' | 'server'): string | undefined {
    if (exchange === undefined || (by === 'server' && this.streams.has(`${link}/${exchange}`)))
      return undefined;
    return `${link}/${exchange} ${by}`;
  }
}

/** From the gravest grade to the mildest. */
const grades: readonly Grade[] = ['error', 'violation', 'warning', 'knownFailing', 'note', 'inconclusive'];

/** Findings with at least so many causes, and so many times as many as another one, hold for most messages. */
const mostly = { causes: 5, times: 4 };
const isMostly = (causes: number, others: number): boolean =>
  causes >= Math.max(mostly.causes, others * mostly.times);

/** Rows that hold for every message say less than the rows of a feature. */
const isGeneral = (requirement: string): boolean => /^(base|jsonrpc)\./.test(requirement);

interface Caused {
  readonly requirement: string;
  readonly grade: Grade;
  readonly case: string;
}

/**
 * Finds the finding that tells a cause, for each finding that repeats it. Inconclusive findings have reasons of their
 * own, and tell nothing about the subject. A finding about most messages, such as a header that is always missing,
 * shares every message with others and tells no cause of them, except the end of a process.
 * @param causes the keys of each finding; a finding merged from several has several
 * @param isDeath whether a key is the end of a process
 * @returns the telling finding for each other one
 */
export function tellers<F extends Caused>(
  causes: ReadonlyMap<F, ReadonlySet<string>>,
  isDeath: (key: string) => boolean = () => false,
): Map<F, F> {
  const byKey = new Map<string, F[]>();
  const failures = [...causes].filter(([{ grade }]) => grade !== 'inconclusive' && grade !== 'error');
  for (const [finding, keys] of failures) {
    for (const key of keys) byKey.set(key, [...(byKey.get(key) ?? []), finding]);
  }
  // of all findings of a requirement: a short conversation has few messages
  const totals = new Map<string, number>();
  for (const [{ requirement }, { size }] of failures)
    totals.set(requirement, (totals.get(requirement) ?? 0) + size);
  const found = new Map<F, F>();
  const place = new Map([...causes.keys()].map((finding, at) => [finding, at]));
  const rank = (f: F) => grades.indexOf(f.grade) * 2 + (isGeneral(f.requirement) ? 1 : 0);
  for (const [finding, keys] of failures) {
    // each of its events is told by one finding of another requirement
    const shared = [...keys].map(key => new Set(byKey.get(key)));
    if (shared.length === 0) continue;
    const isOfProcess = [...keys].some(isDeath);
    const isCause = (other: F) => {
      const { size } = causes.get(other)!;
      if (isOfProcess) return true;
      if (isMostly(size, keys.size)) return false;
      return size <= keys.size || !isMostly(totals.get(other.requirement)!, totals.get(finding.requirement)!);
    };
    const candidates = [...shared[0]!].filter(
      other =>
        other.requirement !== finding.requirement && isCause(other) && shared.every(set => set.has(other)),
    );
    const [teller] = [finding, ...candidates].sort(
      (a, b) => rank(a) - rank(b) || place.get(a)! - place.get(b)!,
    );
    if (teller !== finding) found.set(finding, teller!);
  }
  // a chain ends at the finding that no other one tells
  for (const [finding, teller] of found) {
    let last = teller;
    for (let next = found.get(last); next && next !== finding; next = found.get(last)) last = next;
    found.set(finding, last);
  }
  return found;
}
