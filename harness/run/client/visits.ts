/**
 * Visits of a client that ignores scripts. Where the harness would do nothing in a case that it did not do in an earlier
 * visit, the client would do the same again: the earlier visit judges the case, without another launch.
 */

import { ownMember } from '../../../spec/json-rpc.js';
import { NotObserved } from '../../peer/deferred.js';
import type { Peer } from '../../peer/peer.js';
import type { Conversation } from '../../record/conversation.js';
import type { Message } from '../../record/message.js';
import type { ClientScenario } from '../../scenario/client.js';
import type { Official } from '../../scenario/client-task.js';
import { held } from '../../scenario/serve.js';
import type { Case } from '../plan.js';

/** One launch of a client that met a server with the default behaviour. */
export interface Visit {
  /** The case to which its events belong; 0 is the probe. */
  readonly case: number;
  /** The scenario of the official suite that was given to the client. */
  readonly official: Official;
  /** Conversations in the order in which the client opened them; all are over. */
  readonly peers: readonly Peer[];
  /** Possible reason why a requirement was not exercised. */
  readonly reason: string;
}

/** What a scenario gets of a visit, in place of a launch. */
export interface PastConversations {
  /** The first conversation; undefined where the scenario begins with the launch. */
  readonly peer: Peer | undefined;
  another(): Promise<Peer>;
  /** The scenario does what was not done in the visit: the case needs a launch. */
  needsLaunch(): never;
}

/** True if the server of a scenario differs from the default one at most in responses to single methods. */
const hasDefaultServer = (scenario: ClientScenario): boolean =>
  !scenario.declares &&
  !scenario.echoes &&
  !scenario.older &&
  !scenario.countsProbes &&
  !scenario.http &&
  !scenario.stdio &&
  !scenario.protection &&
  !scenario.judgesProcess;

/** True if a visit to the server of this scenario can judge other cases. */
export const showsDefault = (scenario: ClientScenario): boolean =>
  hasDefaultServer(scenario) && Object.keys(scenario.serve).length === 0 && !scenario.run;

const keyOf = (official: Official): string => JSON.stringify(official);

const sentIn = (peers: readonly Peer[]): Message[] =>
  peers.flatMap(peer => peer.conversation.sent('subject'));

/** The visits of a client under one revision. */
export class Visits {
  private readonly byScenario = new Map<string, Visit>();

  note(visit: Visit): void {
    const isOpen = visit.peers.length > 0 && visit.peers.every(({ ended }) => ended);
    if (isOpen && !this.byScenario.has(keyOf(visit.official)))
      this.byScenario.set(keyOf(visit.official), visit);
  }

  /**
   * The order of the cases: first those whose visits can judge others, then those that hold the response of a request
   * that the client has sent, which may take long, then other servers than the default one.
   */
  order(cases: readonly Case<ClientScenario>[]): Case<ClientScenario>[] {
    const sent = sentIn([...this.byScenario.values()].flatMap(({ peers }) => peers));
    const holds = ({ serve }: ClientScenario) => sent.some(m => ownMember(serve, m.method ?? '') === held);
    const rank = ({ scenario }: Case<ClientScenario>) =>
      [showsDefault(scenario), holds(scenario), !hasDefaultServer(scenario), true].indexOf(true);
    return [...cases].sort((a, b) => rank(a) - rank(b));
  }

  /** The visit in which a case would change nothing by its responses; undefined where the client has to be launched. */
  for(scenario: ClientScenario): Visit | undefined {
    const visit = hasDefaultServer(scenario) ? this.byScenario.get(keyOf(scenario.official)) : undefined;
    return visit && !sentIn(visit.peers).some(m => Object.hasOwn(scenario.serve, m.method ?? ''))
      ? visit
      : undefined;
  }
}

/** Thrown in a scenario that does more than to observe. */
export class NeedsLaunch extends Error {}

/** Members of a Peer that send nothing, and wait for nothing. */
const passive: ReadonlySet<string> = new Set<keyof Peer>([
  'conversation',
  'declared',
  'declares',
  'era',
  'hasOwnStream',
  'isSessionless',
  'offers',
  'requestsOfCase',
  'revision',
  'role',
  'timing',
  'unused',
  'version',
  'vocabulary',
]);

/**
 * Runs a scenario over a visit.
 * @param run gets the conversations of the visit
 * @returns false if the scenario would have sent something, or had to wait for a message that the client did send: the
 *   order of events then matters, and what the scenario reported does not count
 */
export async function observeVisit(
  { peers }: Visit,
  begins: ClientScenario['begins'],
  run: (past: PastConversations) => Promise<void>,
): Promise<boolean> {
  let isLaunchNeeded = false;
  const needsLaunch = (): never => {
    isLaunchNeeded = true;
    throw new NeedsLaunch('The scenario does more than to observe.');
  };
  const seen = peers.map(peer => pastPeer(peer, needsLaunch));
  const [first] = begins === 'started' ? [] : seen.splice(0, 1);
  const another = async (): Promise<Peer> => {
    const next = seen.shift();
    if (!next) throw new NotObserved('the client did not connect again');
    return next;
  };
  try {
    await run({ peer: first, another, needsLaunch });
  } catch (error) {
    if (!(error instanceof NeedsLaunch)) throw error;
  }
  return !isLaunchNeeded;
}

/** A conversation that is over, for a scenario that only observes. */
function pastPeer(peer: Peer, needsLaunch: () => never): Peer {
  const sent = peer.conversation.sent('subject');
  const awaited = async (fits: (message: Message) => boolean) =>
    sent.some(fits) ? needsLaunch() : undefined;
  const holdsLater = async (holds: () => boolean) => (holds() ? needsLaunch() : false);
  const waits: Readonly<Record<string, unknown>> = {
    caseOver: async () => {},
    closed: async () => {},
    pause: async () => {},
    next: awaited,
    waitFor: awaited,
    waitUntil: holdsLater,
    waitUntilDeadline: holdsLater,
    nextDeferred: async (method: string) => {
      if (sent.some(m => m.method === method)) needsLaunch();
      throw new NotObserved(`the client did not send ${method}`);
    },
    releaseDeferred: () => {},
  };
  return new Proxy(peer, {
    get(target, name) {
      // `await` looks for a member `then`
      if (typeof name === 'symbol' || name === 'then') return undefined;
      if (Object.hasOwn(waits, name)) return waits[name];
      if (!passive.has(name)) return needsLaunch();
      const member: unknown = Reflect.get(target, name, target);
      return typeof member === 'function' ? member.bind(target) : member;
    },
    set: needsLaunch,
  });
}

/** What shows whether a client does the same in two launches: its messages, without their values. */
const outline = (conversations: readonly Conversation[]): string =>
  JSON.stringify(
    conversations.map(c =>
      c.sent('subject').map(({ kind, method, params }) => [kind, method, params?.name, params?.uri]),
    ),
  );

/** True if a client did the same, and anything at all, in two launches with different tasks. */
export const didTheSame = (one: readonly Conversation[], other: readonly Conversation[]): boolean =>
  one.some(c => c.sent('subject').length > 0) && outline(one) === outline(other);
