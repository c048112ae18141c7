/** Which cases a client under test plays in one conversation and in one start, and how it is led from one to the next. */

import type { ClientScenario } from '../../scenario/client.js';
import type { Official } from '../../scenario/client-task.js';
import type { Script, Step } from '../../scenario/script.js';
import { held, type Serve, type ServeHandler } from '../../scenario/serve.js';
import type { Address } from '../../transports/link.js';
import type { Case } from '../plan.js';

type ClientCase = Case<ClientScenario>;

/** The cases at one end of ours, in their order. */
export type ClientLane = readonly [ClientCase, ...ClientCase[]];

/** The sittings of one start, in their order. */
export type ClientLanes = readonly [ClientLane, ...ClientLane[]];

/** So many at most, so that sittings that run side by side are of one length. */
const most = 8;

/** So many at most in one start: their script has to fit into a variable of the environment. */
const mostSittings = 40;

/**
 * Distributes cases, always in the same way. The first case begins first, then come the longest sittings.
 * @param honours the client does what scripts say; else each case is a sitting of its own
 */
export function clientSchedule(cases: readonly ClientCase[], supportsScripts: boolean): ClientLane[] {
  const groups = new Map<string, ClientCase[]>();
  const alone: ClientLane[] = [];
  for (const planned of cases) {
    if (!supportsScripts || planned.scenario.isolation !== 'shared') alone.push([planned]);
    else {
      const key = groundOf(planned.scenario);
      groups.set(key, [...(groups.get(key) ?? []), planned]);
    }
  }
  const [first = [], ...others] = [alone.slice(0, 1), [...groups.values()].flatMap(chunk), alone.slice(1)];
  return [...first, ...others.flat()];
}

/** Who shares a start has to agree on this. */
const groundOf = ({ declares, http, stdio, does }: ClientScenario): string =>
  JSON.stringify([declares, http, stdio, does.find(isConnect)?.[1]]);

/** Of one length, those that set how the client answers last: nothing puts that back. */
function chunk(cases: readonly ClientCase[]): ClientLane[] {
  const count = Math.ceil(cases.length / most);
  const sets = ({ scenario }: ClientCase) => Number(scenario.does.some(isAnswer));
  const parts = Array.from({ length: count }, (_, part) =>
    cases.filter((_, at) => at % count === part).sort((a, b) => sets(a) - sets(b)),
  );
  return parts.map(([first, ...rest]) => [first!, ...rest]);
}

const isConnect = (step: Step): step is Extract<Step, readonly ['connect', ...unknown[]]> =>
  step[0] === 'connect';
const isAnswer = ([verb]: Step): boolean => verb === 'answer';

/** Read between two cases: nothing else ever is. */
const turn = (at: number): string => `test://mcp-conform/turn/${at}`;

/** What the client is asked to do in a sitting: a case after another, and between them a resource to read. */
function scriptOfSitting([first, ...others]: ClientLane): Script {
  if (others.length === 0) return first.scenario.does;
  const own = ({ scenario }: ClientCase) =>
    scenario.does.filter(step => !isConnect(step) && step[0] !== 'close');
  return [
    ['connect', first.scenario.does.find(isConnect)?.[1] ?? {}],
    ...own(first),
    ...others.flatMap((planned, at): Script => [['read', turn(at + 1)], ...own(planned)]),
    ['close'],
  ];
}

/**
 * What it is asked to do in a start. After several sittings comes one without a step, so that how it exits says nothing of
 * the last one.
 * @param ends where each sitting is
 */
export function scriptOf(lanes: ClientLanes, ends: readonly End[]): Script {
  if (lanes.length === 1) return scriptOfSitting(lanes[0]);
  const restarts = lanes.map(([{ scenario }], at) => restartAt(ends[at]!, scenario.official));
  const [first, ...others] = lanes.map(scriptOfSitting);
  const later = others.flatMap((steps, at): Script => [restarts[at + 1]!, ...steps]);
  return [...first!, ...later, restarts[0]!];
}

/** An end of ours, as far as a script tells of it. */
interface End {
  readonly address: Address;
  official(nearest: Official): Official;
}

/** The step that sends the client to another end of ours. */
export function restartAt(end: End, nearest: Official): Step {
  const { address } = end;
  if ('connect' in address) throw new Error('An end of ours in this process cannot be written down.');
  const { name, context } = end.official(nearest);
  return ['restart', { ...address, ...(context && { context: { name, ...context } }) }];
}

/** How many requests a conversation and a flow take, beside those of the script. */
const beside = { conversation: 5, flow: 6 };

/** About what a sitting takes: requests, and milliseconds of waiting, which are the same on every machine. */
interface Cost {
  readonly requests: number;
  readonly waits: number;
}

/** @returns about what a sitting takes */
function effortOf(lane: ClientLane): Cost {
  const steps = lane.flatMap(({ scenario }) => scenario.does);
  // those that share a sitting connect once
  const conversations = lane.length > 1 ? 1 : steps.filter(isConnect).length;
  const protection = lane[0].scenario.protection ? beside.flow : 0;
  return {
    requests:
      steps.filter(step => !isConnect(step) && step[0] !== 'close').length +
      (lane.length - 1) +
      conversations * beside.conversation +
      protection,
    waits: lane.reduce((sum, { scenario: { lasts = 0 } }) => sum + lasts, 0),
  };
}

/** What is dealt to a start. */
class Bin {
  private readonly waiting: ClientLane[] = [];
  private readonly busy: ClientLane[] = [];
  readonly cost = { requests: 0, waits: 0 };

  get isFull(): boolean {
    return this.waiting.length + this.busy.length >= mostSittings;
  }

  add(lane: ClientLane, { requests, waits }: Cost): void {
    // dealt last is what asks least: it goes first, while the machine is busy with starting clients
    if (waits > 0) this.waiting.push(lane);
    else this.busy.unshift(lane);
    this.cost.requests += requests;
    this.cost.waits += waits;
  }

  /** @param at the part of what does not wait that comes before what does, from 0 to 1 */
  lanes(at: number): ClientLane[] {
    const before = Math.floor(this.busy.length * at);
    return [...this.busy.slice(0, before), ...this.waiting, ...this.busy.slice(before)];
  }
}

/**
 * Deals the sittings out to starts, always in the same way: each start is to wait as long, and to ask as much, as the others.
 * They wait one after another, so that meanwhile others have the processors, and none at its end, when those have nothing to do.
 * @param count of starts that run side by side
 */
export function clientLaunches(lanes: readonly ClientLane[], count: number): ClientLanes[] {
  const length = Math.max(count, Math.ceil(lanes.length / mostSittings));
  const hands = Array.from({ length }, () => new Bin());
  const efforts = lanes.map(lane => ({ sitting: lane, effort: effortOf(lane) }));
  for (const by of ['waits', 'requests'] as const) {
    const dealt = efforts.filter(({ effort }) => effort.waits > 0 === (by === 'waits'));
    for (const { sitting, effort } of dealt.sort((a, b) => b.effort[by] - a.effort[by])) {
      const open = hands.filter(({ isFull }) => !isFull);
      open.reduce((least, one) => (one.cost[by] < least.cost[by] ? one : least)).add(sitting, effort);
    }
  }
  return hands.flatMap((hand, n) => {
    const [first, ...rest] = hand.lanes(n / length);
    return first ? [[first, ...rest] as const] : [];
  });
}

/** Sees the client come to the end of a case, and lets it wait there until the next one is prepared. */
export class CaseHandover {
  private readonly come = new Map<number, () => void>();
  private readonly readers = new Map<number, () => void>();

  constructor(private readonly onCome: () => void) {}

  /** The client has come to the end of the case before this one; not before it does. */
  whenReached(at: number): Promise<void> {
    return new Promise(resolve => this.come.set(at, resolve));
  }

  /** Lets it go on. */
  open(at: number): void {
    this.readers.get(at)?.();
  }

  /** Answers that also know the resources between cases. @param tables later ones go before earlier ones */
  serve(tables: readonly Serve[]): Serve {
    const method = 'resources/read';
    const ordinary = tables.findLast(table => Object.hasOwn(table, method))?.[method];
    const read: ServeHandler = async (params, call) => {
      const at = [...this.come.keys()].find(number => turn(number) === params.uri);
      if (at === undefined) return typeof ordinary === 'function' ? ordinary(params, call) : undefined;
      const opened = new Promise<void>(resolve => this.readers.set(at, resolve));
      this.come.get(at)!();
      this.come.delete(at);
      this.onCome();
      await opened;
      return { contents: [{ uri: String(params.uri), text: 'Go on.' }] };
    };
    // who holds it, or gives a plain result, shares no start
    return ordinary === held || typeof ordinary === 'object' ? {} : { [method]: read };
  }
}
