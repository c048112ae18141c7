/**
 * Distribution of cases over conversations and launches of a client under test, and the script that leads
 * from one to the next.
 */

import { asText } from '../../../spec/json-rpc.js';
import type { ClientScenario } from '../../scenario/client.js';
import type { Official } from '../../scenario/client-task.js';
import type { Further, Script, Step } from '../../scenario/script.js';
import { held, type Serve, type ServeHandler } from '../../scenario/serve.js';
import type { Address } from '../../transports/link.js';
import type { Case } from '../plan.js';

type ClientCase = Case<ClientScenario>;

/** The cases at one test server, in order. */
export type ClientLane = readonly [ClientCase, ...ClientCase[]];

/** The lanes of one launch, in order. */
export type ClientLanes = readonly [ClientLane, ...ClientLane[]];

/** Maximum number of cases in a lane, so that concurrent lanes are of similar length. */
const most = 8;

/**
 * Maximum number of lanes in a launch: the script, about 150 characters for each, has to fit into an environment variable, which holds
 * 32,767 characters on Windows.
 */
const mostSittings = 64;

/**
 * Distributes cases; deterministic. The first case comes first, then the longest lanes.
 * @param honours the client runs scripts; otherwise each case is a lane of its own
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

/** Cases in one lane have this key in common. */
const groundOf = ({ declares, http, stdio, does }: ClientScenario): string =>
  JSON.stringify([declares, http, stdio, does.find(isConnect)?.[1]]);

/**
 * Chunks of equal length. Cases that set responses of the client come last, because nothing resets those
 * responses.
 */
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

/** Resource read between two cases, and at no other time. */
const turn = (at: number): string => `test://mcp-conform/turn/${at}`;

/** Script of a lane: one case after another, with a resource read between them. */
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
 * Script of a launch. After several lanes it ends with a restart without further steps, so that the exit code
 * does not depend on the last lane; that restart names the address of the steps of the next launch.
 * @param ends address of the test server of each lane
 * @param further what follows, where the client may have further steps
 */
export function scriptOf(lanes: ClientLanes, ends: readonly End[], further: Further = {}): Script {
  if (lanes.length === 1 && further.steps === undefined) return scriptOfSitting(lanes[0]);
  const { browser } = further;
  const own = browser === undefined ? {} : { browser };
  const restarts = lanes.map(([{ scenario }], at) => restartAt(ends[at]!, scenario.official, own));
  const [first, ...others] = lanes.map(scriptOfSitting);
  const later = others.flatMap((steps, at): Script => [restarts[at + 1]!, ...steps]);
  const { official } = lanes[0][0].scenario;
  return [...first!, ...later, restartAt(ends[0]!, official, further)];
}

/** The part of a test server that a script refers to. */
interface End {
  readonly address: Address;
  official(nearest: Official): Official;
}

/** Script step that sends the client to another test server. @param further what follows this step */
export function restartAt(end: End, nearest: Official, further: Further = {}): Step {
  const { address } = end;
  if ('connect' in address)
    throw new Error('A script cannot contain the address of an in-process test server.');
  const { name, context } = end.official(nearest);
  return ['restart', { ...address, ...(context && { context: { name, ...context } }), ...further }];
}

/** Number of requests of a conversation and of an authorization flow, in addition to those of the script. */
const beside = { conversation: 5, flow: 6 };

/** Approximate cost of a lane: requests, and milliseconds of waiting, which are the same on every machine. */
interface Cost {
  readonly requests: number;
  readonly waits: number;
}

/** @returns the approximate cost of a lane */
function costOf(lane: ClientLane): Cost {
  const steps = lane.flatMap(({ scenario }) => scenario.does);
  // cases of one lane connect once
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

/** The lanes assigned to one launch. */
class Bin {
  private readonly waiting: ClientLane[] = [];
  private readonly busy: ClientLane[] = [];
  readonly cost = { requests: 0, waits: 0 };

  get isFull(): boolean {
    return this.waiting.length + this.busy.length >= mostSittings;
  }

  add(lane: ClientLane, { requests, waits }: Cost): void {
    // the cheapest lane is added last and runs first, while the machine is busy with launches
    if (waits > 0) this.waiting.push(lane);
    else this.busy.unshift(lane);
    this.cost.requests += requests;
    this.cost.waits += waits;
  }

  /** @param at share of the lanes without waits that run before those with waits, from 0 to 1 */
  lanes(at: number): ClientLane[] {
    const before = Math.floor(this.busy.length * at);
    return [...this.busy.slice(0, before), ...this.waiting, ...this.busy.slice(before)];
  }
}

/**
 * Distributes the lanes over launches; deterministic. Every launch gets about the same waiting time and the
 * same number of requests. The waits of the launches come one after another, so that other launches use the
 * CPU meanwhile, and no waits come at the end of the run, when the others have finished. Of three launches or more,
 * the last one has no authorization: it starts at once, while the first one shows whether launches with
 * authorization can run side by side. A lane that judges the output of its process comes first in a launch, so that
 * nothing else has printed anything before; the first launch begins with an ordinary authorization.
 * @param count number of concurrent launches
 */
export function clientLaunches(all: readonly ClientLane[], count: number): ClientLanes[] {
  const lanes = all.filter(lane => !judgesProcess(lane));
  const printing = all.filter(judgesProcess);
  const length = Math.max(count, Math.ceil(lanes.length / mostSittings));
  const hands = Array.from({ length }, () => new Bin());
  const costs = lanes.map(lane => ({ lane, cost: costOf(lane) }));
  for (const by of ['waits', 'requests'] as const) {
    const dealt = costs.filter(({ cost }) => cost.waits > 0 === (by === 'waits'));
    for (const { lane, cost } of dealt.sort((a, b) => b.cost[by] - a.cost[by])) {
      const free = hands.filter(({ isFull }) => !isFull);
      const allowed = hasProtection(lane) && length > 2 ? free.filter(hand => hand !== hands.at(-1)) : free;
      const open = allowed.length > 0 ? allowed : free;
      open.reduce((least, one) => (one.cost[by] < least.cost[by] ? one : least)).add(lane, cost);
    }
  }
  const shared = hands.flatMap((hand, n) => {
    const [first, ...rest] = hand.lanes(n / length);
    return first ? [[first, ...rest] as const] : [];
  });
  const [first, ...others] = shared;
  // the last launch starts before it is known whether launches with authorization run side by side
  const hosts = others.slice(0, count > 2 ? -1 : undefined);
  const led = others.map((lanes, n) => {
    const lane = n < hosts.length ? printing.shift() : undefined;
    return lane ? ([lane, ...lanes] as const) : lanes;
  });
  // the launches of one lane come early, so that none of them runs by itself at the end
  const alone = printing.map(lane => [lane] as const);
  const opening = first ? [authorizationFirst(first) as ClientLanes] : [];
  return [...opening, ...alone, ...led];
}

/** Maximum number of lanes in one share. */
const mostInShare = 6;

/** Number of lanes with the fewest requests that come early. */
const early = 10;

/**
 * Distributes the lanes over shares, for a client whose processes ask for the next share when they have finished one;
 * deterministic. A lane with waits is a share by itself, the longest waits first. The first share is an ordinary
 * authorization. The harness closes the test servers of the shortest lanes after a while, so that some of them come early
 * and none by itself at the end. A lane that judges the output of its process comes first in a share: the output of
 * earlier lanes has been read when a process asks. Where a process runs several shares at the same time, it is a share
 * by itself, before all others.
 * @param count number of shares at the same time
 * @param isShared they run in one process
 */
export function clientShares(
  all: readonly ClientLane[],
  count: number,
  { isShared = false }: { readonly isShared?: boolean } = {},
): ClientLanes[] {
  const waits = (lane: ClientLane) => costOf(lane).waits;
  const slow = all.filter(hasWaits).sort((a, b) => waits(b) - waits(a));
  const printing = all.filter(lane => !hasWaits(lane) && judgesProcess(lane));
  const before = (isShared ? printing.splice(0) : []).map(lane => [lane]);
  const busy = all
    .filter(lane => !hasWaits(lane) && !judgesProcess(lane))
    .sort((a, b) => costOf(b).requests - costOf(a).requests);
  const [first, ...rest] = authorizationFirst([...busy.splice(-early), ...busy]);
  const shares: ClientLane[][] = first ? [[first]] : [];
  // the shares become smaller, so that all processes end at about the same time
  while (rest.length > 0) {
    const size = Math.min(mostInShare, Math.ceil(rest.length / (2 * count)));
    shares.push([...printing.splice(0, 1), ...rest.splice(0, size)]);
  }
  const alone = [...printing, ...slow].map(lane => [lane]);
  return [...before, ...shares, ...alone].map(([first, ...others]) => [first!, ...others] as const);
}

/**
 * Puts a lane with authorization first: its callback port decides whether launches run side by side. Of several, the
 * one whose server differs least from the usual one: the client completes the flow, and shows its port.
 */
function authorizationFirst(lanes: readonly ClientLane[]): readonly ClientLane[] {
  const differences = ([{ scenario }]: ClientLane) => Object.keys(scenario.protection ?? {}).length;
  const [first] = lanes
    .filter(lane => lane.some(({ scenario }) => scenario.protection && !scenario.protection.plain))
    .sort((a, b) => differences(a) - differences(b));
  return first ? [first, ...lanes.filter(lane => lane !== first)] : lanes;
}

/** True if the client asks for authorization in one of the cases. */
export const hasProtection = (lane: ClientLane): boolean =>
  lane.some(({ scenario }) => scenario.protection !== undefined);

/** True if the lane waits for a time that is the same on every machine. */
export const hasWaits = (lane: ClientLane): boolean => lane.some(({ scenario: { lasts = 0 } }) => lasts > 0);

/** True if the output of the process is judged, and its exit code if it prints nothing. */
export const judgesProcess = (lane: ClientLane): boolean =>
  lane.some(({ scenario }) => scenario.judgesProcess === true);

/**
 * Detects that the client reached the end of a case, and holds the client there until the next case is
 * prepared.
 */
export class CaseHandover {
  private readonly come = new Map<number, () => void>();
  private readonly readers = new Map<number, () => void>();

  constructor(private readonly onCome: () => void) {}

  /** Resolves when the client reaches the end of the previous case. */
  whenReached(at: number): Promise<void> {
    return new Promise(resolve => this.come.set(at, resolve));
  }

  /** Lets the client continue. */
  open(at: number): void {
    this.readers.get(at)?.();
  }

  /**
   * Responses that also include the resources read between cases. @param tables later tables override earlier
   * ones
   */
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
      return { contents: [{ uri: asText(params.uri), text: 'Go on.' }] };
    };
    // a scenario that holds this request, or sets a fixed result, shares no launch
    return ordinary === held || typeof ordinary === 'object' ? {} : { [method]: read };
  }
}
