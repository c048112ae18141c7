/** Launches of a client without a scenario: the test servers that the client meets, one after another. */

import type { Json } from '../../../spec/json-rpc.js';
import type { Revision } from '../../../spec/revisions.js';
import type { Protection } from '../../protected-server/script.js';
import type { Conversation } from '../../record/conversation.js';
import { namedVersion } from '../../record/envelope.js';
import type { Message } from '../../record/message.js';
import type { Official } from '../../scenario/client-task.js';
import { declined, type Further, nonsense, type Script } from '../../scenario/script.js';
import { Clock } from '../../time/clock.js';
import { onlyAsksForEra } from '../other-era.js';
import type { ClientSetting } from './case.js';
import type { Ending } from './ending.js';
import { ClientLaunch, ownPatience } from './launch.js';
import type { ClientScript } from './process.js';
import { restartAt } from './schedule.js';
import { TestServer } from './test-server.js';

/** What the launches without a scenario share. */
export type MeetingSetting = Omit<
  ClientSetting,
  'revision' | 'supportsScripts' | 'patience' | 'patienceAtWork' | 'probesEra'
>;

/** One test server in a launch without a scenario. */
export interface Meeting {
  readonly testServer: TestServer;
  readonly start: ClientLaunch;
  readonly ending: Ending;
  /** The scenario of the official suite that was given to the client. */
  readonly official: Official;
  /** The first conversation. */
  readonly conversation: Conversation | undefined;
}

/** A scenario name that the official suite does not have. */
const noScenario = 'mcp-conform/no-such-scenario';

/** The list request shows that the client accepts the revision, even if the client sends no notification. */
const plain: Script = [['connect'], ['list', 'tools'], ['close']];

export interface Where {
  readonly revision: Revision;
  /** The server responds with this revision, whatever the client proposes. */
  readonly fixed: boolean;
}

/** A test server of a launch without a scenario. */
export interface Place extends Where {
  readonly protection?: Protection;
}

type Places = readonly [Place, ...Place[]];

/** What a launch without a scenario has besides its places. */
interface Meet {
  /** Default: `plain` at each place. */
  readonly script?: Json;
  /** Called when the client has opened a conversation. */
  readonly onConnect?: () => void;
  /** True if a driver may ask for further steps at the end; one without `restart` reports the script as unsupported. */
  readonly asksAgain?: boolean;
  /** A script of a process of the client that waits for its steps; default: a new process. */
  readonly waiting?: ClientScript | undefined;
  /** Called once, when a client that has connected does nothing for a while. */
  readonly onInactive?: () => void;
}

export type OnClosed = (conversation: Conversation) => void;

/** Sends the client from one place to the next. @returns the observations at each place */
export async function meet(
  setting: MeetingSetting,
  places: Places,
  onClosed: OnClosed,
  { script, onConnect, asksAgain = false, waiting, onInactive }: Meet = {},
): Promise<[Meeting, ...Meeting[]]> {
  const { world, ...usual } = setting;
  const rest = { ...usual, clock: new Clock() };
  const [{ revision }] = places;
  const opening = places.map(({ revision, fixed, protection }) =>
    TestServer.open({
      ...rest,
      revision,
      case: 0,
      serve: [world],
      accept: fixed ? { revision } : {},
      protection,
    }),
  );
  const testServers = (await Promise.all(opening)) as [TestServer, ...TestServer[]];
  const launch = new ClientLaunch(testServers, { ...rest, revision });
  const [first, ...others] = testServers;
  if (onConnect) first.next().then(onConnect, () => {});
  const lastRestart = (further: Further) =>
    further.steps === undefined ? [] : [restartAt(first, officialOf(first), further)];
  const later = others.flatMap(testServer => [restartAt(testServer, officialOf(testServer)), ...plain]);
  await launch.begin(
    {
      scenario: 'probe',
      script: further => (script ?? [...plain, ...later, ...lastRestart(further)]) as Script,
      official: script === nonsense ? { name: noScenario } : officialOf(first),
    },
    { waiting, asksAgain: asksAgain && setting.subject.command !== undefined },
  );
  setting.processes.add(launch.process!);
  const ending = await launch.ending(() => ownPatience(setting.timing), onInactive);
  if (ending === 'asked' || ending === 'exited') await launch.testServer.settle();
  for (const testServer of testServers) await testServer.close();
  if (ending !== 'asked') await launch.stop();
  for (const testServer of testServers)
    for (const conversation of testServer.conversations) onClosed(conversation);
  const meetingAt = (testServer: TestServer): Meeting => {
    const { conversations } = testServer;
    return {
      testServer,
      start: launch,
      ending,
      official: officialOf(testServer),
      conversation: conversations.find(c => openingOf(c) && !onlyAsksForEra(c)) ?? conversations[0],
    };
  };
  return [meetingAt(first), ...others.map(meetingAt)];
}

export const hasDeclined = ({ start }: Meeting): boolean => start.exit?.code === declined;

/**
 * Sends an unsupported script. @returns also a promise that resolves when the client connects or exits with a
 * code other than 127, which shows that the client does not run scripts
 */
export function meetNonsense(
  setting: MeetingSetting,
  where: Where,
  onClosed: OnClosed,
): { readonly meeting: Promise<Meeting>; readonly passedOver: Promise<true> } {
  let passOver: () => void = () => {};
  const passedOver = new Promise<true>(resolve => {
    passOver = () => resolve(true);
  });
  const met = meet(setting, [where], onClosed, { script: nonsense, onConnect: passOver });
  const meeting = met.then(([one]) => {
    if (one.ending === 'exited' && !hasDeclined(one)) passOver();
    return one;
  });
  return { meeting, passedOver };
}

/**
 * Sends the client to each place: in one launch, if the client runs scripts and the places have addresses.
 * @param passedOver resolves when it is known that the client does not run scripts
 * @param onSettled called when the launch for all places is over, or the client does nothing in it for a while; with false if
 *   the client did not connect, so that further launches show nothing
 * @returns nothing for places after the first one where the client connects to none
 */
export async function meetEach(
  setting: MeetingSetting,
  places: Places,
  passedOver: Promise<true>,
  onClosed: OnClosed,
  onSettled: (connects: boolean) => void,
): Promise<readonly [Meeting, ...(Meeting | undefined)[]]> {
  const [first, ...others] = places;
  const alone = async (place: Place) => (await meet(setting, [place], onClosed))[0];
  const eachAlone = async () =>
    Promise.all([alone(first), ...others.map(alone)]) as Promise<[Meeting, ...Meeting[]]>;
  if (setting.transport === 'stdio' && setting.subject.listen) return eachAlone();
  const onInactive = () => onSettled(true);
  const together = meet(setting, places, onClosed, { asksAgain: true, onInactive });
  const isPassedOver = (await Promise.race([passedOver, together])) === true;
  const early = isPassedOver ? Promise.all(others.map(alone)) : undefined;
  const [met, ...later] = await together;
  onSettled(hasDeclined(met) || met.testServer.peers.length > 0);
  if (early) return [met, ...(await early)];
  if (hasDeclined(met)) return eachAlone();
  const further = later.map((one, at) => {
    if (one.start.visited.has(one.testServer)) return one;
    // the client ignores `restart`
    return met.testServer.peers.length === 0 ? undefined : alone(others[at]!);
  });
  return [met, ...(await Promise.all(further))];
}

/** Sends the client to a place in a launch of its own, where none of its processes waits for steps. */
export async function meetApart(setting: MeetingSetting, place: Place, onClosed: OnClosed): Promise<Meeting> {
  const waiting = setting.processes.take(place.revision);
  const [further] = waiting ? await meet(setting, [place], onClosed, { asksAgain: true, waiting }) : [];
  if (further?.ending === 'asked' && further.testServer.peers.length > 0) return further;
  const [met] = await meet(setting, [place], onClosed, { asksAgain: true });
  return hasDeclined(met) ? (await meet(setting, [place], onClosed))[0] : met;
}

/** Clients of the official suite run authorization only in `auth/` scenarios. */
const officialOf = ({ protectedServer }: TestServer): Official => ({
  name: protectedServer ? 'auth/metadata-default' : 'initialize',
});

/** The request that opens a conversation: initialize, or, without a handshake, the first one with an envelope. */
export function openingOf(conversation: Conversation): Message | undefined {
  if (!conversation.isStateless) return conversation.handshake?.request;
  return conversation.requests({ by: 'subject' }).find(m => namedVersion(m) !== undefined);
}
