/**
 * Where the time of a run went. The events of a run contain it: what was under way at each moment, in all conversations.
 * What was under way without anything else is on the critical path: only a shorter one shortens the run.
 */

import { isObject, type Json, parseJson } from '../../spec/json-rpc.js';
import { entry, grouped } from '../grouped.js';
import type { Event, Frame } from '../record/event.js';
import { idKey } from '../record/message.js';
import type { RunEnd, RunEvent } from './run-event.js';

/** What the harness waits for. */
export type Activity = 'start' | 'response' | 'deadline' | 'quiet' | 'client' | 'exit' | 'unrecorded';

/** A kind of wait, all times in milliseconds. */
export interface TimeShare {
  readonly count: number;
  /** Sum over all conversations. */
  readonly total: number;
  /** Time in which nothing else was under way. */
  readonly alone: number;
  readonly median: number;
  readonly longest: number;
}

export interface ProfileReport {
  readonly durationMs: number;
  readonly activities: ReadonlyMap<Activity, TimeShare>;
  /** Responses by method. */
  readonly methods: ReadonlyMap<string, TimeShare>;
  /** Time in which the harness waited for nothing. */
  readonly idle: number;
  /** Duration of the cases with generated values, summed up. */
  readonly generated: number;
  /** What this process measured about itself; absent in records of other versions. */
  readonly own?: RunEnd['own'];
}

interface Wait {
  readonly activity: Activity;
  /** The method of the request that got the response. */
  readonly method?: string;
  readonly from: number;
  readonly to: number;
}

/** What is under way in a conversation. */
interface LinkState {
  openedAt: number;
  /** Whether the opened process has not sent anything. */
  isStarting: boolean;
  closingAt: number | undefined;
  /** The last frame; the next one of a client under test comes after it. */
  lastAt: number;
  readonly requests: Map<string, { readonly method: string; readonly at: number }>;
}

/** Follows the events of a run, a live one or a stored one. */
export class Profile {
  private readonly waits: Wait[] = [];
  private readonly links = new Map<number, LinkState>();
  private harness: 'client' | 'server' = 'client';
  private readonly generatedCases = new Set<number>();
  private generated = 0;
  private end: RunEnd | undefined;

  add(event: RunEvent): void {
    if (event.kind === 'run-start') this.harness = event.role === 'client' ? 'server' : 'client';
    else if (event.kind === 'wire') this.addWire(event.event);
    else if (event.kind === 'case-start' && event.name.includes('/generated/'))
      this.generatedCases.add(event.case);
    else if (event.kind === 'case-end' && this.generatedCases.has(event.case))
      this.generated += event.durationMs;
    else if (event.kind === 'run-end') this.addEnd(event);
  }

  private addEnd(end: RunEnd): void {
    this.end = end;
    for (const [from, to] of end.own?.unrecorded ?? []) this.waits.push({ activity: 'unrecorded', from, to });
  }

  private addWire(event: Event): void {
    const link = entry(
      this.links,
      event.link,
      (): LinkState => ({
        openedAt: event.at,
        isStarting: false,
        closingAt: undefined,
        lastAt: event.at,
        requests: new Map(),
      }),
    );
    const wait = (activity: Activity, from: number, method?: string) =>
      this.waits.push({ activity, from, to: event.at, ...(method !== undefined && { method }) });
    switch (event.kind) {
      case 'open':
        link.openedAt = event.at;
        link.isStarting = event.pid !== undefined;
        break;
      case 'frame':
        this.addFrame(event, link, wait);
        break;
      case 'closing':
      case 'input-closed':
        // the harness gave up the wait for a further message of the client
        if (this.harness === 'server' && link.closingAt === undefined) wait('client', link.lastAt);
        link.closingAt ??= event.at;
        break;
      case 'exit':
        if (link.closingAt !== undefined) wait('exit', link.closingAt);
        break;
      case 'quiet':
        wait('quiet', event.at - event.ms);
        break;
      case 'deadline': {
        // the time until an exit is counted when the process exits
        if (event.label.startsWith('exit')) break;
        const key = event.request === undefined ? undefined : idKey(event.request);
        const asked = key === undefined ? undefined : link.requests.get(key);
        if (key !== undefined) link.requests.delete(key);
        wait('deadline', asked?.at ?? event.at - event.ms);
        break;
      }
    }
  }

  private addFrame(
    frame: Frame,
    link: LinkState,
    wait: (activity: Activity, from: number, method?: string) => void,
  ): void {
    const isOurs = frame.by === this.harness;
    const messages = read(frame.text);
    if (isOurs)
      for (const { id, method } of messages)
        if (id !== undefined && typeof method === 'string')
          link.requests.set(idKey(id), { method, at: frame.at });
    if (!isOurs) {
      if (link.isStarting) wait('start', link.openedAt);
      let isResponse = false;
      for (const { id, method } of messages) {
        const asked = id === undefined || method !== undefined ? undefined : link.requests.get(idKey(id));
        if (!asked) continue;
        isResponse = true;
        link.requests.delete(idKey(id!));
        // the first response of a process that starts is counted as its start
        if (!link.isStarting) wait('response', asked.at, asked.method);
      }
      if (this.harness === 'server' && !isResponse && !link.isStarting) wait('client', link.lastAt);
      link.isStarting = false;
    }
    link.lastAt = frame.at;
  }

  report(): ProfileReport {
    const byActivity = grouped(this.waits, wait => wait.activity);
    const byMethod = grouped(
      this.waits.filter(wait => wait.method !== undefined),
      wait => wait.method!,
    );
    const alone = this.aloneBy(wait => byActivity.get(wait.activity)!);
    const aloneOfMethods = this.aloneBy(wait => byMethod.get(wait.method!) ?? byActivity.get(wait.activity)!);
    const shares = <K>(groups: ReadonlyMap<K, readonly Wait[]>, times: ReadonlyMap<unknown, number>) =>
      new Map([...groups].map(([key, waits]) => [key, { ...spread(waits), alone: times.get(waits) ?? 0 }]));
    const own = this.end?.own;
    return {
      durationMs: this.end?.durationMs ?? 0,
      activities: shares(byActivity, alone),
      methods: shares(byMethod, aloneOfMethods),
      idle: alone.get(undefined) ?? 0,
      generated: this.generated,
      ...(own && { own }),
    };
  }

  /** Milliseconds in which only waits of one group were under way, by group; with the key undefined: no waits at all. */
  private aloneBy(groupOf: (wait: Wait) => readonly Wait[]): Map<readonly Wait[] | undefined, number> {
    const steps = this.waits
      .flatMap(wait => [
        { at: wait.from, group: groupOf(wait), change: 1 },
        { at: wait.to, group: groupOf(wait), change: -1 },
      ])
      .sort((one, other) => one.at - other.at);
    const alone = new Map<readonly Wait[] | undefined, number>();
    const underWay = new Map<readonly Wait[], number>();
    let last = 0;
    const passTo = (at: number): void => {
      const [only] = underWay.keys();
      if (underWay.size < 2 && at > last) alone.set(only, (alone.get(only) ?? 0) + at - last);
      last = Math.max(last, at);
    };
    for (const { at, group, change } of steps) {
      passTo(at);
      const count = (underWay.get(group) ?? 0) + change;
      if (count > 0) underWay.set(group, count);
      else underWay.delete(group);
    }
    passTo(this.end?.durationMs ?? 0);
    return alone;
  }
}

function read(text: string): { id?: Json | undefined; method?: Json | undefined }[] {
  const json = parseJson(text);
  return (Array.isArray(json) ? json : [json]).filter(isObject);
}

function spread(waits: readonly Wait[]): Omit<TimeShare, 'alone'> {
  const times = waits.map(({ from, to }) => to - from).sort((one, other) => one - other);
  return {
    count: times.length,
    total: times.reduce((sum, ms) => sum + ms, 0),
    median: times[Math.floor(times.length / 2)] ?? 0,
    longest: times.at(-1) ?? 0,
  };
}
