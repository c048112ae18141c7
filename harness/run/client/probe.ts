/** Probe of a client, before the run is planned: connection, proposed revision, capabilities, support of scripts. */

import type { Json, JsonObject } from '../../../spec/json-rpc.js';
import {
  definedRevisions,
  type EraId,
  findRevision,
  newestFirst,
  type Revision,
} from '../../../spec/revisions.js';
import type { Protection } from '../../protected-server/script.js';
import type { Conversation } from '../../record/conversation.js';
import { declaredIn, envelopeKeys, metaOf, namedVersion } from '../../record/envelope.js';
import { beginsHandshake, endsHandshake } from '../../record/handshake.js';
import type { Message } from '../../record/message.js';
import type { Official } from '../../scenario/client-task.js';
import { declined, nonsense, type Script } from '../../scenario/script.js';
import { Clock, starvedInWords } from '../../time/clock.js';
import { CouldNotJudge } from '../could-not-judge.js';
import { asksForEra, onlyAsksForEra } from '../other-era.js';
import { callbackPorts } from './callback-port.js';
import type { ClientSetting } from './case.js';
import { ClientLaunch, type Ending, howItEnded, ownPatience } from './launch.js';
import { restartAt } from './schedule.js';
import { TestServer } from './test-server.js';

/** Results of the first launches of a client. */
export interface ClientProbe {
  /** Revisions under which the client is judged, newest first. */
  readonly revisions: readonly Revision[];
  /** Revisions that the client proposes, or accepts when the server responds with another revision. */
  readonly offers: readonly string[];
  /** True if the client reports scripts that it does not support. */
  readonly supportsScripts: boolean;
  /** True if the client runs the scenarios of the official suite, and does nothing for an unknown scenario. */
  readonly official: boolean;
  /** Ports on which the client waited for the end of an authorization, of each launch. */
  readonly callbackPorts: readonly ReadonlySet<string>[];
  /** What the client showed in an era. */
  facts(era: EraId): ClientFacts;
}

/** What a client shows when it connects to a server of one era. */
interface ClientFacts {
  readonly capabilities: JsonObject;
  readonly info: Json;
  /** True if the client does not exit by itself after its work. */
  readonly staysAlive: boolean;
  /** True if the client stays without a message after the handshake. */
  readonly isPassive: boolean;
  /**
   * True if the client probes on separate connections whether the server is of a newer era, before it opens a
   * conversation.
   */
  readonly probesEra: boolean;
  /** Reaction of the client to a 401 response: none, a started authorization flow, or a completed one. */
  readonly authorizes: 'not' | 'begins' | 'completes';
}

type Setting = Omit<
  ClientSetting,
  'revision' | 'supportsScripts' | 'patience' | 'patienceAtWork' | 'probesEra'
>;

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
      conversation: conversations.find(c => openingOf(c) && !onlyAsksForEra(c)) ?? conversations[0],
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

/** The request that opens a conversation: initialize, or, without a handshake, the first one with an envelope. */
function openingOf(conversation: Conversation): Message | undefined {
  if (!conversation.isStateless) return conversation.handshake?.request;
  return conversation.requests({ by: 'subject' }).find(m => namedVersion(m) !== undefined);
}

const isOpening = (m: Message): boolean => beginsHandshake(m) || endsHandshake(m) || asksForEra(m);

/** True if the client went on with the revision of the response. */
function goesOn(conversation: Conversation | undefined, revision: Revision): boolean {
  if (!conversation) return false;
  if (revision.era === 'modern')
    return conversation
      .requests({ by: 'subject' })
      .some(m => namedVersion(m) === revision.id && !asksForEra(m));
  if (!conversation.handshake) return false;
  if (proposed(conversation) === revision.id) return true;
  return conversation
    .sent('subject')
    .some(m => m !== conversation.handshake?.request && m.kind !== undefined);
}

/** The revision without a handshake in which a client asked a server that needs one. */
function modernAsked({ testServer }: Meeting, possible: readonly Revision[]): Revision | undefined {
  const versions = testServer.peers.flatMap(({ conversation }) =>
    conversation.requests({ by: 'subject' }).flatMap(m => namedVersion(m) ?? []),
  );
  if (versions.length === 0) return undefined;
  const modern = possible.filter(({ era }) => era === 'modern');
  return modern.find(({ id }) => versions.includes(id)) ?? modern[0];
}

const conversationsOf = ({ peers }: TestServer): Conversation[] =>
  peers.map(({ conversation }) => conversation).filter(c => c.sent('subject').length > 0);

function factsOf([first, refused]: readonly [Meeting, Meeting?]): ClientFacts {
  const opening = first.conversation && openingOf(first.conversation);
  const isStateless = first.conversation?.isStateless === true;
  const { testServer } = first;
  const { protectedServer } = refused?.testServer ?? {};
  const staysAlive = first.ending !== 'exited' && !first.start.starved;
  const info =
    isStateless && opening ? metaOf(opening)[envelopeKeys.clientInfo] : opening?.params?.clientInfo;
  return {
    capabilities:
      (isStateless && opening ? declaredIn(opening) : first.conversation?.capabilities('client')) ?? {},
    info: info ?? null,
    staysAlive,
    isPassive: staysAlive && first.conversation?.sent('subject').every(isOpening) === true,
    probesEra: isStateless
      ? conversationsOf(testServer).some(onlyAsksForEra) && !conversationsOf(testServer).every(onlyAsksForEra)
      : testServer.peers.length > testServer.conversations.length,
    authorizes: !protectedServer?.reacted
      ? 'not'
      : protectedServer.admitted.length > 0
        ? 'completes'
        : 'begins',
  };
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
  const closed: Conversation[] = [];
  try {
    const probe = await probeEras(setting, wanted, conversation => closed.push(conversation));
    // a conversation of an era in which the client is not judged is no evidence
    const eras = new Set(probe.revisions.map(({ era }) => era));
    for (const c of closed) if (eras.has(c.isStateless ? 'modern' : 'legacy')) onClosed(c);
    return probe;
  } catch (error) {
    for (const conversation of closed) onClosed(conversation);
    throw error;
  }
}

async function probeEras(
  setting: Setting,
  wanted: 'latest' | 'all' | Revision,
  onClosed: OnClosed,
): Promise<ClientProbe> {
  const { transport } = setting;
  const possible = [...definedRevisions].reverse().filter(r => r.transports.includes(transport));
  if (typeof wanted !== 'string' && !possible.includes(wanted))
    throw new CouldNotJudge(
      `Revision ${wanted.id} has no ${transport}, only ${wanted.transports.join(', ')}.`,
    );
  const asked = typeof wanted === 'string' ? possible.find(({ era }) => era === 'legacy')! : wanted;
  // over the older transport the server responds with the newest revision that has it, whatever the client
  // proposes
  const fixed = typeof wanted !== 'string' || asked !== newestFirst()[0];
  const where = { revision: asked, fixed };
  const { meeting, passedOver } = meetNonsense(setting, where, onClosed);
  const meetAt = (at: Where): Promise<readonly [Meeting, Meeting?]> =>
    transport === 'streamable-http' && at.revision.authorization !== undefined
      ? meetBoth(setting, at, passedOver, onClosed)
      : meet(setting, at, onClosed).then(([one]) => [one]);
  // a client that is judged without a handshake may speak the older era too
  const older =
    asked.era === 'modern' ? newestFirst().find(r => r.transports.includes(transport)) : undefined;
  const meetOlder = older && meet(setting, { revision: older, fixed: false }, onClosed);
  const [nothing, met, metOlder] = await Promise.all([meeting, meetAt(where), meetOlder]);
  const [first] = met;
  const { budget } = setting.timing;
  if (budget?.reason !== undefined) throw new CouldNotJudge(`not judged: ${budget.reason}`);
  const { code } = nothing.start.exit ?? {};
  const supportsScripts = hasDeclined(nothing);
  const newer = typeof wanted === 'string' ? modernAsked(first, possible) : undefined;
  const metNewer = newer && (await meetAt({ revision: newer, fixed: true }));
  const speaksNewer = metNewer !== undefined && goesOn(metNewer[0].conversation, newer!);
  const isOpen = first.conversation !== undefined && openingOf(first.conversation) !== undefined;
  if (!isOpen && !speaksNewer && !first.conversation?.handshake) throw neverConnected(first, asked);
  const { starved } = nothing.start;
  if (starved)
    throw new CouldNotJudge(
      `The behaviour of the client could not be determined: ${starvedInWords(starved)}.`,
    );
  const proposal = findRevision(proposed(first.conversation));
  const answered = fixed ? asked : (proposal ?? asked);
  const accepts = isOpen && goesOn(first.conversation, answered);
  const spokenOlder = findRevision(proposed(metOlder?.[0].conversation)) ?? older;
  const speaksOlder = spokenOlder && goesOn(metOlder?.[0].conversation, spokenOlder);
  const offered: Revision[] = [
    ...(speaksNewer ? [newer!] : []),
    ...(accepts ? [answered] : []),
    ...(speaksOlder ? [spokenOlder] : []),
  ];
  if (wanted === 'all' ? isOpen : offered.length === 0) {
    const others = possible.filter(r => r !== answered && r.era === 'legacy');
    const tried = await Promise.all(
      others.map(revision => meet(setting, { revision, fixed: true }, onClosed)),
    );
    offered.push(...others.filter((revision, n) => goesOn(tried[n]![0].conversation, revision)));
  }
  const offers = possible.filter(r => offered.includes(r) || r === proposal);
  const revisions =
    wanted === 'all'
      ? offers
      : typeof wanted === 'string'
        ? offers.slice(0, 1)
        : offers.filter(r => r === wanted);
  if (revisions.length === 0) throw notOffered(setting, wanted, offers, proposed(first.conversation));
  return {
    revisions,
    offers: offers.map(r => r.id),
    supportsScripts,
    official: !supportsScripts && Boolean(code) && nothing.testServer.peers.length === 0,
    callbackPorts: [met, metNewer ?? []].map(meetings =>
      callbackPorts(meetings.map(meeting => meeting?.testServer.protectedServer)),
    ),
    facts: era => factsOf(era === 'modern' && metNewer ? metNewer : met),
  };
}

const noDriver = [
  'Exit code 127: the driver does not support `connect`, or the shell did not find the command.',
];
const whereToConnect = [
  'Over HTTP, the URL is added as the last word; on stdio, {server} is the command to start.',
];
function neverConnected(
  { testServer, start, ending, conversation }: Meeting,
  { id, era }: Revision,
): CouldNotJudge {
  const [how] = howItEnded(ending, start);
  const said = start.process!.stderrTail(20).map(line => `stderr: ${line}`);
  if (conversation || testServer.peers.length > 0)
    return new CouldNotJudge(
      era === 'modern'
        ? `The client connected, but sent no request in ${id}; ${how}.`
        : `The client connected, but sent no initialize request; ${how}.`,
      said,
    );
  const advice = start.exit?.code === declined ? noDriver : said.length === 0 ? whereToConnect : [];
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
