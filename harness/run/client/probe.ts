/** Probe of a client, before the run is planned: connection, proposed revision, capabilities, support of scripts. */

import { asText, type Json, type JsonObject } from '../../../spec/json-rpc.js';
import {
  definedRevisions,
  type EraId,
  findRevision,
  newestFirst,
  type Revision,
} from '../../../spec/revisions.js';
import type { Conversation } from '../../record/conversation.js';
import { declaredIn, envelopeKeys, metaOf, namedVersion } from '../../record/envelope.js';
import { errorOf } from '../../record/message.js';
import { unexercised } from '../../report/occasions.js';
import { declined } from '../../scenario/script.js';
import { starvedInWords } from '../../time/clock.js';
import type { HttpListenOptions } from '../../transports/http/server/behaviour.js';
import { CouldNotJudge } from '../could-not-judge.js';
import { asksForEra, onlyAsksForEra } from '../other-era.js';
import { callbackPorts } from './callback-port.js';
import { howItEnded } from './ending.js';
import {
  hasDeclined,
  type Meeting,
  type MeetingSetting,
  meet,
  meetApart,
  meetEach,
  meetNonsense,
  type OnClosed,
  openingOf,
  type Place,
  type Where,
} from './meeting.js';
import { goesOnAfterOpening, isOpening, stopsAtStreams } from './opening.js';
import type { TestServer } from './test-server.js';
import { didTheSame, type Visit } from './visits.js';

/** Results of the first launches of a client. */
export interface ClientProbe {
  /** Revisions under which the client is judged, newest first. */
  readonly revisions: readonly Revision[];
  /** Revisions that the client proposes, or accepts when the server responds with another revision. */
  readonly offers: readonly string[];
  /** True if the client reports scripts that it does not support. */
  readonly supportsScripts: boolean;
  /** True if the client asks for further steps at the end of its script. */
  readonly asksAgain: boolean;
  /** True if the client runs the scenarios of the official suite, and does nothing for an unknown scenario. */
  readonly official: boolean;
  /** True if the client does the same with a script that no client supports: it reads none. */
  readonly ignoresScripts: boolean;
  /** Ports on which the client waited for the end of an authorization, of each launch. */
  readonly callbackPorts: readonly ReadonlySet<string>[];
  /** Behaviour of the HTTP server of the harness without which the client does not go on; undefined: none. */
  readonly http?: HttpListenOptions | undefined;
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
  /** What the client did at the default server of a revision; undefined where the client agreed to another one. */
  visit(revision: Revision): Visit | undefined;
}

const proposed = (conversation: Conversation | undefined): Json | undefined =>
  conversation?.handshake?.request.params?.protocolVersion;

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

function factsOf(first: Meeting, refused: Meeting | undefined): ClientFacts {
  const opening = first.conversation && openingOf(first.conversation);
  const isStateless = first.conversation?.isStateless === true;
  const { testServer } = first;
  const { protectedServer } = refused?.testServer ?? {};
  const staysAlive = !['exited', 'asked'].includes(first.ending) && !first.start.starved;
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
    visit: revision => (first.start.starved ? undefined : visitOf(first, revision)),
  };
}

function visitOf({ testServer, conversation, official, ending, start }: Meeting, revision: Revision) {
  const { peers } = testServer;
  const isSame = conversation !== undefined && peers.every(peer => peer.revision === revision);
  const [how, isAbnormal] = howItEnded(ending, start);
  return isSame ? { case: 0, official, peers, reason: isAbnormal ? how : unexercised } : undefined;
}

/**
 * Launches the client a few times, without a scenario.
 * @param onClosed called with each conversation when the conversation is over
 * @throws CouldNotJudge when the client does not connect, or not under the requested revision
 */
export async function probeClient(
  setting: MeetingSetting,
  wanted: 'latest' | 'all' | Revision,
  onClosed: OnClosed,
): Promise<ClientProbe> {
  const asUsual = await attempt(setting, wanted);
  const { closed, probe } = stopsAtStreams(asUsual.closed)
    ? await attemptAsJson(setting, wanted, asUsual)
    : asUsual;
  if (probe instanceof CouldNotJudge) {
    for (const conversation of closed) onClosed(conversation);
    throw probe;
  }
  // a conversation of an era in which the client is not judged is no evidence
  const eras = new Set(probe.revisions.map(({ era }) => era));
  for (const c of closed) if (eras.has(c.isStateless ? 'modern' : 'legacy')) onClosed(c);
  return probe;
}

/** The first launches of a client: their conversations, and what they show. */
interface Attempt {
  readonly closed: readonly Conversation[];
  readonly probe: ClientProbe | CouldNotJudge;
}

async function attempt(setting: MeetingSetting, wanted: 'latest' | 'all' | Revision): Promise<Attempt> {
  const closed: Conversation[] = [];
  try {
    return { closed, probe: await probeEras(setting, wanted, c => closed.push(c)) };
  } catch (probe) {
    if (probe instanceof CouldNotJudge) return { closed, probe };
    throw probe;
  }
}

/**
 * Launches a client again that sends nothing after a response on an event stream: its first response is JSON.
 * @returns the first attempt where the client does not go on then, either
 */
async function attemptAsJson(
  setting: MeetingSetting,
  wanted: 'latest' | 'all' | Revision,
  asUsual: Attempt,
): Promise<Attempt> {
  const http: HttpListenOptions = { answers: 'json' };
  const { closed, probe } = await attempt({ ...setting, http }, wanted);
  if (probe instanceof CouldNotJudge || !closed.some(goesOnAfterOpening)) return asUsual;
  return { closed, probe: { ...probe, http } };
}

async function probeEras(
  setting: MeetingSetting,
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
  // a client that is judged without a handshake may speak the older era too
  const older =
    asked.era === 'modern' ? newestFirst().find(r => r.transports.includes(transport)) : undefined;
  const meetAt = async (at: Where, others: readonly Place[]) => {
    const isProtected = transport === 'streamable-http' && at.revision.authorization !== undefined;
    let settle: (connects: boolean) => void = () => {};
    const settled = new Promise<boolean>(resolve => {
      settle = resolve;
    });
    // a process that asks for further steps goes on with them there
    const meetProtected = async () => {
      const connects = await Promise.race([passedOver, settled]);
      return connects ? meetApart(setting, { ...at, protection: {} }, onClosed) : undefined;
    };
    const [[first, ...met], refused] = await Promise.all([
      meetEach(setting, [at, ...others], passedOver, onClosed, settle),
      isProtected ? meetProtected() : undefined,
    ]);
    return { first, others: met, refused };
  };
  const [nothing, met] = await Promise.all([
    meeting,
    meetAt(where, older ? [{ revision: older, fixed: false }] : []),
  ]);
  const {
    first,
    others: [metOlder],
  } = met;
  const { budget } = setting.timing;
  if (budget?.reason !== undefined) throw new CouldNotJudge(budget.reason);
  const { code } = nothing.start.exit ?? {};
  const supportsScripts = hasDeclined(nothing);
  const newer = typeof wanted === 'string' ? modernAsked(first, possible) : undefined;
  const metNewer = newer && (await meetAt({ revision: newer, fixed: true }, []));
  const speaksNewer = metNewer !== undefined && goesOn(metNewer.first.conversation, newer!);
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
  const spokenOlder = findRevision(proposed(metOlder?.conversation)) ?? older;
  const speaksOlder = spokenOlder && goesOn(metOlder?.conversation, spokenOlder);
  const offered: Revision[] = [
    ...(speaksNewer ? [newer!] : []),
    // a client may propose a revision that does not have this transport, and accept one that does
    ...(accepts && possible.includes(answered) ? [answered] : []),
    ...(speaksOlder ? [spokenOlder] : []),
  ];
  if (wanted === 'all' ? isOpen : offered.length === 0) {
    const others = possible.filter(r => r !== answered && r.era === 'legacy');
    const tried = await Promise.all(
      others.map(revision => meet(setting, [{ revision, fixed: true }], onClosed)),
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
  if (revisions.length === 0) throw notOffered(setting, wanted, offers, first);
  return {
    revisions,
    offers: offers.map(r => r.id),
    supportsScripts,
    asksAgain: supportsScripts && (metNewer ?? met).first.ending === 'asked',
    official: !supportsScripts && Boolean(code) && nothing.testServer.peers.length === 0,
    ignoresScripts:
      !supportsScripts && didTheSame(nothing.testServer.conversations, first.testServer.conversations),
    callbackPorts: [met, ...(metNewer ? [metNewer] : [])].map(({ refused }) =>
      callbackPorts([refused?.testServer.protectedServer]),
    ),
    facts(era) {
      const { first, refused } = era === 'modern' && metNewer ? metNewer : met;
      return factsOf(first, refused);
    },
  };
}

const noDriver = [
  'Exit code 127: the driver does not support `connect`, or the shell did not find the command.',
];
const whereToConnect = [
  'Over HTTP, the URL is added as the last word; on stdio, {server} is the command to start.',
];
const asksForAuthorization = [
  'The client asks for authorization before a server has required it with status 401.',
  'mcp-conform connects each client to a server without authorization first. Use a command that connects to such a server too.',
];

/** What a client requested over HTTP without a message, each request once: `GET /path (status 404)`. */
const requested = ({ peers }: TestServer): string[] => [
  ...new Set(
    peers
      .flatMap(({ conversation }) => conversation.allHttp())
      .flatMap(({ request, outcome }) =>
        request ? [`${request.method} ${new URL(request.url).pathname} (${outcome})`] : [],
      ),
  ),
];

/** The requests in the messages of a client, each once: `initialize for 2025-11-25 (error -32022)`. */
const requestsOf = ({ peers }: TestServer): string[] => [
  ...new Set(
    peers
      .flatMap(({ conversation }) => conversation.exchanges({ by: 'subject' }))
      .map(exchange => {
        const version = exchange.request.params?.protocolVersion ?? namedVersion(exchange.request);
        const code = errorOf(exchange)?.code;
        const answer = code === undefined ? '' : ` (error ${JSON.stringify(code)})`;
        return `${exchange.request.method}${version === undefined ? '' : ` for ${asText(version)}`}${answer}`;
      }),
  ),
];

const lastWordsOf = (start: Meeting['start']): string[] =>
  start.process!.stderrTail(20).map(line => `stderr: ${line}`);

function neverConnected(
  { testServer, start, ending, conversation }: Meeting,
  { id, era }: Revision,
): CouldNotJudge {
  const [how] = howItEnded(ending, start);
  const said = lastWordsOf(start);
  const hasSent = conversation !== undefined && conversation.sent('subject').length > 0;
  const ofOtherEra = hasSent ? [] : requestsOf(testServer);
  if (ofOtherEra.length > 0)
    return new CouldNotJudge(
      `The client sent no request in ${id}, only ${ofOtherEra.slice(0, 5).join(', ')}; ${how}.`,
      said,
    );
  const others = hasSent ? [] : requested(testServer);
  if (others.length > 0)
    return new CouldNotJudge(
      `The client sent no message, only ${others.slice(0, 5).join(', ')}; ${how}.`,
      others.every(one => one.includes('/.well-known/')) ? [...asksForAuthorization, ...said] : said,
    );
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
  { transport }: MeetingSetting,
  wanted: 'latest' | 'all' | Revision,
  offers: readonly Revision[],
  { conversation, start, ending }: Meeting,
): CouldNotJudge {
  const proposes = `The client proposes protocolVersion ${JSON.stringify(proposed(conversation)) ?? 'none'}`;
  const [how] = howItEnded(ending, start);
  const isSilent = conversation?.sent('subject').every(m => m === conversation.handshake?.request) === true;
  const greeted = conversation?.handshake && conversation.httpOf(conversation.handshake.request);
  const onStream = greeted?.isStream ? ', which was on an event stream' : '';
  const after = isSilent ? ` and sends nothing after the response${onStream}: ${how}.` : '.';
  if (typeof wanted === 'string')
    return new CouldNotJudge(
      `The client accepts no revision that mcp-conform supports over ${transport}. ${proposes}${after}`,
      lastWordsOf(start),
    );
  const list = offers.map(r => r.id).join(', ');
  return new CouldNotJudge(
    `The client does not accept revision ${wanted.id}. ${proposes}${after}`,
    list ? [`Run again with --revision ${offers[0]!.id} or --revision latest.`] : lastWordsOf(start),
  );
}
