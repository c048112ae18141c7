/**
 * Probe of a client, before the run is planned: its connection, its proposed revision, its capabilities, its
 * support of scripts.
 */

import type { Json, JsonObject } from '../../../spec/json-rpc.js';
import { findRevision, newestFirst, type Revision } from '../../../spec/revisions.js';
import type { Protection } from '../../protected-server/script.js';
import type { Conversation } from '../../record/conversation.js';
import type { Official } from '../../scenario/client-task.js';
import { declined, nonsense, type Script } from '../../scenario/script.js';
import { Clock, starvedInWords } from '../../time/clock.js';
import { CouldNotJudge } from '../could-not-judge.js';
import { type ClientSetting, howItEnded, ownPatience } from './case.js';
import { ClientLaunch, type Ending } from './launch.js';
import { restartAt } from './schedule.js';
import { TestServer } from './test-server.js';

/** Results of the first launches of a client. */
export interface ClientProbe {
  /** Revisions under which the client is judged, newest first. */
  readonly revisions: readonly Revision[];
  /** Revisions that the client proposes, or accepts when the server responds with another revision. */
  readonly offers: readonly string[];
  readonly capabilities: JsonObject;
  readonly info: Json;
  /** True if the client reports scripts that it does not support. */
  readonly supportsScripts: boolean;
  /**
   * True if the client runs the scenarios of the official suite, and does nothing for an unknown scenario.
   */
  readonly official: boolean;
  /** True if the client does not exit by itself after its work. */
  readonly staysAlive: boolean;
  /**
   * True if the client probes on separate connections whether the server is of a newer era, before it opens a
   * conversation.
   */
  readonly probesEra: boolean;
  /** Reaction of the client to a 401 response: none, a started authorization flow, or a completed one. */
  readonly authorizes: 'not' | 'begins' | 'completes';
}

type Setting = Omit<ClientSetting, 'revision' | 'supportsScripts' | 'patience' | 'probesEra'>;

/** One test server in a launch without a scenario. */
interface Meeting {
  readonly testServer: TestServer;
  readonly start: ClientLaunch;
  readonly ending: Ending;
  /** The first conversation. */
  readonly conversation: Conversation | undefined;
}

/** A scenario name that the official suite does not have. */
const noScenario = 'mcp-conform/no-such-scenario';

/** The list request shows that the client accepts the revision, even if the client sends no notification. */
const plain: Script = [['connect'], ['list', 'tools'], ['close']];

interface Where {
  readonly revision: Revision;
  /** The server responds with this revision, whatever the client proposes. */
  readonly fixed: boolean;
}

/** Servers and script of a launch without a scenario. */
interface Meet extends Where {
  /** Default: `plain`. */
  readonly script?: Json;
  /**
   * Protection of each test server; the client is sent from one server to the next. Default: one server
   * without protection.
   */
  readonly around?: readonly [Protection | undefined, ...Protection[]];
  /** Called when the client has opened a conversation. */
  readonly onConnect?: () => void;
}

type OnClosed = (conversation: Conversation) => void;

/** @returns the observations at each test server */
async function meet(
  setting: Setting,
  { revision, fixed, script, around = [undefined], onConnect }: Meet,
  onClosed: OnClosed,
): Promise<[Meeting, ...Meeting[]]> {
  const { world, ...usual } = setting;
  const rest = { ...usual, clock: new Clock() };
  const accept = fixed ? { revision } : {};
  const opening = around.map(protection =>
    TestServer.open({ ...rest, revision, case: 0, serve: [world], accept, protection }),
  );
  const testServers = (await Promise.all(opening)) as [TestServer, ...TestServer[]];
  const launch = new ClientLaunch(testServers, { ...rest, revision });
  const [first, ...others] = testServers;
  if (onConnect) first.next().then(onConnect, () => {});
  const later = others.flatMap(testServer => [restartAt(testServer, officialOf(testServer)), ...plain]);
  await launch.begin({
    scenario: 'probe',
    script: script ?? ([...plain, ...later] as never),
    official: script === nonsense ? { name: noScenario } : officialOf(first),
  });
  const ending = await launch.ending(() => ownPatience(setting.timing));
  if (ending === 'exited') await launch.testServer.settle();
  for (const testServer of testServers) await testServer.close();
  await launch.stop();
  for (const testServer of testServers)
    for (const conversation of testServer.conversations) onClosed(conversation);
  const meetingAt = (testServer: TestServer): Meeting => {
    const { conversations } = testServer;
    return {
      testServer,
      start: launch,
      ending,
      conversation: conversations.find(c => c.handshake) ?? conversations[0],
    };
  };
  return [meetingAt(first), ...others.map(meetingAt)];
}

const hasDeclined = ({ start }: Meeting): boolean => start.exit?.code === declined;

/**
 * Sends an unsupported script. @returns also a promise that resolves when the client connects or exits with a
 * code other than 127, which shows that the client does not run scripts
 */
function meetNonsense(
  setting: Setting,
  where: Where,
  onClosed: OnClosed,
): { readonly meeting: Promise<Meeting>; readonly passedOver: Promise<true> } {
  let passOver: () => void = () => {};
  const passedOver = new Promise<true>(resolve => {
    passOver = () => resolve(true);
  });
  const met = meet(setting, { ...where, script: nonsense, onConnect: passOver }, onClosed);
  const meeting = met.then(([one]) => {
    if (one.ending === 'exited' && !hasDeclined(one)) passOver();
    return one;
  });
  return { meeting, passedOver };
}

/**
 * Sends the client to an unprotected test server and to a protected one: in one launch, if the client runs
 * scripts.
 * @param passedOver resolves when it is known that the client does not run scripts
 * @returns the second result only where a protected server is useful for this client
 */
async function meetBoth(
  setting: Setting,
  where: Where,
  passedOver: Promise<true>,
  onClosed: OnClosed,
): Promise<readonly [Meeting, Meeting?]> {
  const alone = async (protection?: Protection) =>
    (await meet(setting, { ...where, around: [protection] }, onClosed))[0];
  const both = meet(setting, { ...where, around: [undefined, {}] }, onClosed);
  const early = (await Promise.race([passedOver, both])) === true ? alone({}) : undefined;
  const [first, refused] = await both;
  if (early) return [first, await early];
  if (refused?.start.visited.has(refused.testServer)) return [first, refused];
  // the client does not support `restart`
  if (hasDeclined(first)) return Promise.all([alone(), alone({})]);
  return first.testServer.peers.length === 0 ? [first] : [first, await alone({})];
}

/** Clients of the official suite run authorization only in `auth/` scenarios. */
const officialOf = ({ protectedServer }: TestServer): Official => ({
  name: protectedServer ? 'auth/metadata-default' : 'initialize',
});

const proposed = (conversation: Conversation | undefined): Json | undefined =>
  conversation?.handshake?.request.params?.protocolVersion;

/** True if the client went on with the revision of the response. */
function goesOn(conversation: Conversation | undefined, revision: Revision): boolean {
  if (!conversation?.handshake) return false;
  if (proposed(conversation) === revision.id) return true;
  return conversation
    .sent('subject')
    .some(m => m !== conversation.handshake?.request && m.kind !== undefined);
}

/**
 * Launches the client a few times, without a scenario.
 * @param onClosed called with each conversation when the conversation is over
 * @throws CouldNotJudge when the client does not connect, or not under the requested revision
 */
export async function probeClient(
  setting: Setting,
  wanted: 'latest' | 'all' | Revision,
  onClosed: OnClosed,
): Promise<ClientProbe> {
  const { transport } = setting;
  const possible = newestFirst().filter(r => r.transports.includes(transport));
  if (typeof wanted !== 'string' && !possible.includes(wanted))
    throw new CouldNotJudge(
      `Revision ${wanted.id} has no ${transport}, only ${wanted.transports.join(', ')}.`,
    );
  const asked = typeof wanted === 'string' ? possible[0]! : wanted;
  // over the older transport the server responds with the newest revision that has it, whatever the client
  // proposes
  const fixed = typeof wanted !== 'string' || asked !== newestFirst()[0];
  const guarded = transport === 'streamable-http' && asked.authorization !== undefined;
  const where = { revision: asked, fixed };
  const { meeting, passedOver } = meetNonsense(setting, where, onClosed);
  const [nothing, [first, refused]] = await Promise.all([
    meeting,
    guarded ? meetBoth(setting, where, passedOver, onClosed) : meet(setting, where, onClosed),
  ]);
  const { budget } = setting.timing;
  if (budget?.reason !== undefined) throw new CouldNotJudge(`not judged: ${budget.reason}`);
  const { code } = nothing.start.exit ?? {};
  const supportsScripts = hasDeclined(nothing);
  const { handshake } = first.conversation ?? {};
  if (!first.conversation || !handshake) throw neverConnected(first);
  const { starved } = nothing.start;
  if (starved)
    throw new CouldNotJudge(
      `The behaviour of the client could not be determined: ${starvedInWords(starved)}.`,
    );
  const proposal = findRevision(proposed(first.conversation));
  const answered = fixed ? asked : (proposal ?? asked);
  const tryOthers = wanted === 'all' || !goesOn(first.conversation, answered);
  const offered: Revision[] = goesOn(first.conversation, answered) ? [answered] : [];
  if (tryOthers) {
    const others = possible.filter(r => r !== answered);
    const met = await Promise.all(others.map(revision => meet(setting, { revision, fixed: true }, onClosed)));
    offered.push(...others.filter((revision, n) => goesOn(met[n]![0].conversation, revision)));
  }
  const offers = possible.filter(r => offered.includes(r) || r === proposal);
  const revisions =
    wanted === 'all'
      ? offers
      : typeof wanted === 'string'
        ? offers.slice(0, 1)
        : offers.filter(r => r === wanted);
  if (revisions.length === 0) throw notOffered(setting, wanted, offers, proposed(first.conversation));
  const { params } = handshake.request;
  return {
    revisions,
    offers: offers.map(r => r.id),
    capabilities: first.conversation.capabilities('client') ?? {},
    info: params?.clientInfo ?? null,
    supportsScripts,
    official: !supportsScripts && Boolean(code) && nothing.testServer.peers.length === 0,
    staysAlive: first.ending !== 'exited' && !first.start.starved,
    probesEra: first.testServer.peers.length > first.testServer.conversations.length,
    authorizes: !refused?.testServer.protectedServer?.reacted
      ? 'not'
      : refused.testServer.protectedServer.admitted.length > 0
        ? 'completes'
        : 'begins',
  };
}

function neverConnected({ testServer, start, ending, conversation }: Meeting): CouldNotJudge {
  const [how] = howItEnded(ending, start);
  const said = start.process!.stderrTail(20).map(line => `stderr: ${line}`);
  if (conversation || testServer.peers.length > 0)
    return new CouldNotJudge(`The client connected, but sent no initialize request; ${how}.`, said);
  const advice =
    start.exit?.code === declined
      ? ['Exit code 127: the driver does not support `connect`, or the shell did not find the command.']
      : [];
  return new CouldNotJudge(`The client did not connect: ${how}.`, [...advice, ...said]);
}

function notOffered(
  { transport }: Setting,
  wanted: 'latest' | 'all' | Revision,
  offers: readonly Revision[],
  proposal: Json | undefined,
): CouldNotJudge {
  const proposes = `The client proposes protocolVersion ${JSON.stringify(proposal) ?? 'none'}.`;
  if (typeof wanted === 'string')
    return new CouldNotJudge(
      `The client accepts no revision that mcp-conform supports over ${transport}. ${proposes}`,
    );
  const list = offers.map(r => r.id).join(', ');
  return new CouldNotJudge(
    `The client does not accept revision ${wanted.id}. ${proposes}`,
    list ? [`Run again with --revision ${offers[0]!.id} or --revision latest.`] : [],
  );
}
