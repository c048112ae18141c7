/** Probe of a server, before the run is planned: whether it responds, its revisions, and its features. */

import { asText, isObject, type Json, type JsonObject } from '../../../spec/json-rpc.js';
import {
  definedRevisions,
  findDefinedRevision,
  type Revision,
  type TransportId,
} from '../../../spec/revisions.js';
import { schemaExcess } from '../../../spec/schema-cost.js';
import { minimalArguments } from '../../generate/minimal-arguments.js';
import { describeFailure } from '../../peer/failure.js';
import type { Peer } from '../../peer/peer.js';
import { isReadOnly } from '../../record/capabilities.js';
import { declares } from '../../record/conversation.js';
import { envelopeKeys, errorCodes } from '../../record/envelope.js';
import { type Exchange, errorOf, resultOf } from '../../record/message.js';
import { suggest, UsageError } from '../../report/pattern.js';
import type { Known } from '../../scenario/scenario.js';
import type { FixtureRole, OwnTools, RoleTool, WellKnown } from '../../scenario/tool-roles.js';
import { assignRoles } from '../../scenario/tools-by-role.js';
import { CouldNotJudge } from '../could-not-judge.js';
import type { ConnectionPool, Opened } from './connections.js';
import {
  ask,
  type ByHandshake,
  isRevision,
  newestByHandshake,
  newestDefined,
  probeEras,
  statelessBeside,
  versionOf,
} from './eras.js';
import { RoleDiscovery } from './role-discovery.js';

/** Tools that may be called with generated arguments. */
export type CallTools = 'fixtures' | 'read-only' | 'all' | 'none';

export interface Probe {
  readonly revision: Revision;
  readonly peer: Peer;
  readonly capabilities: JsonObject;
  readonly info: Json;
  readonly known: Known;
  readonly roleDiscovery: RoleDiscovery;
}

interface Offers {
  readonly revisions: Revision[];
  readonly offers: string[];
  /** See `Known`. */
  readonly allOffers?: Known['allOffers'];
  /** Newer revisions that a run for one older revision found beside it; only the report names them. */
  readonly unjudged?: readonly string[];
  readonly first: Opened;
}

/**
 * The revisions to judge.
 * @throws CouldNotJudge when the subject does not respond, or does not offer the requested revision
 */
export async function offered(
  connections: ConnectionPool,
  wanted: 'latest' | 'all' | Revision,
): Promise<Offers> {
  const possible = newestDefined().filter(r => r.transports.includes(connections.transport));
  if (typeof wanted !== 'string') {
    if (!possible.includes(wanted))
      throw new CouldNotJudge(
        `Revision ${wanted.id} has no ${connections.transport}, only ${wanted.transports.join(', ')}.`,
      );
    const own = await ofOneEra(
      connections,
      wanted,
      possible.filter(r => r.era === wanted.era),
    );
    // what a server without a handshake refuses, a server of both eras may serve
    if (wanted.era === 'modern') return withHandshake(own, newestByHandshake(connections, possible));
    const newer = await Promise.all([
      statelessBeside(connections, possible),
      wanted === possible.find(r => r.era === 'legacy')
        ? undefined
        : newestByHandshake(connections, possible),
    ]);
    return { ...own, unjudged: newer.flat().flatMap(r => (isRevision(r) && r !== wanted ? [r.id] : [])) };
  }
  const stateless = possible.filter(r => r.era === 'modern');
  const stateful = possible.filter(r => r.era === 'legacy');
  if (stateless.length === 0) return ofOneEra(connections, wanted, stateful);
  const { modern, legacy, unusable, first } = await probeEras(connections, stateless, stateful[0]!);
  const found = stateless.filter(r => modern.includes(r));
  if (!first)
    return ofOneEra(connections, wanted, stateful).catch(error => {
      if (!(error instanceof CouldNotJudge) || unusable === undefined) throw error;
      throw new CouldNotJudge(error.message, [unusable, ...error.details]);
    });
  const own = { revisions: found.slice(0, 1), offers: found.map(r => r.id), first };
  if (wanted === 'latest') return withHandshake(own, legacy);
  const others = isRevision(await legacy)
    ? await askEach(connections, stateful, undefined, undefined, false)
    : [];
  const revisions = [...found, ...others];
  return { revisions, offers: revisions.map(r => r.id), first };
}

/** Adds the revision that a handshake agrees on, once it is known. */
const withHandshake = (own: Offers, legacy: Promise<ByHandshake>): Offers => ({
  ...own,
  allOffers: legacy.then(agreed => {
    if (agreed === 'unanswered') return undefined;
    return agreed ? [...own.offers, agreed.id] : own.offers;
  }),
});

/** The revisions to judge among those of one era. */
async function ofOneEra(
  connections: ConnectionPool,
  wanted: 'latest' | 'all' | Revision,
  possible: readonly Revision[],
): Promise<Offers> {
  const asked = typeof wanted === 'string' ? possible[0]! : wanted;
  let first = await ask(connections, asked);
  if (!first.exchange.reply) throw new CouldNotJudge(...describeFailure(first.peer));
  const answer = findDefinedRevision(versionOf(first.exchange));
  if (wanted !== 'all' && answer === asked) return { revisions: [asked], offers: [asked.id], first };
  const offers = await askEach(connections, possible, asked, first, wanted === 'latest');
  const [newest, ...older] = choose(wanted, offers);
  if (!newest) throw notOffered(connections, wanted, offers, first.exchange);
  if (newest !== asked || answer !== asked) {
    // a conversation with another revision than the requested one is not used for cases
    connections.close(first.peer);
    first = await ask(connections, newest);
  }
  return { revisions: [newest, ...older], offers: offers.map(r => r.id), first };
}

/**
 * The revisions that the subject accepts when requested one by one, newest first.
 * @param downToCounterOffer whether to request only those that are newer than the counter-offer: a server may offer an
 * older revision than the newest that it accepts
 */
async function askEach(
  connections: ConnectionPool,
  possible: readonly Revision[],
  asked: Revision | undefined,
  first: Opened | undefined,
  downToCounterOffer: boolean,
): Promise<Revision[]> {
  const counter = first && findDefinedRevision(versionOf(first.exchange));
  const last = counter && downToCounterOffer ? possible.indexOf(counter) : -1;
  const found = await Promise.all(
    (last < 0 ? possible : possible.slice(0, last + 1)).map(async revision => {
      if (revision === asked || (last >= 0 && revision === counter))
        return revision === counter ? revision : undefined;
      const { peer, exchange } = await ask(connections, revision);
      connections.close(peer);
      return versionOf(exchange) === revision.id ? revision : undefined;
    }),
  );
  return found.filter(r => r !== undefined);
}

function choose(wanted: 'latest' | 'all' | Revision, offers: Revision[]): Revision[] {
  if (wanted === 'all') return offers;
  if (wanted === 'latest') return offers.slice(0, 1);
  return offers.filter(r => r === wanted);
}

/** In words, that the revision of an answer has no such transport; empty for other versions. */
function lacksTransport(version: unknown, transport: TransportId): string {
  const offered = findDefinedRevision(version);
  const first = definedRevisions.find(r => r.transports.includes(transport));
  return offered && first && !offered.transports.includes(transport)
    ? ` This revision has no ${transport}: offer ${first.id} or a later one there.`
    : '';
}

function notOffered(
  { transport }: ConnectionPool,
  wanted: 'latest' | 'all' | Revision,
  offers: Revision[],
  exchange: Exchange,
): CouldNotJudge {
  const error = errorOf(exchange);
  const { method } = exchange.request;
  const answered = error
    ? `The server answered ${method} with error ${JSON.stringify(error.code)}: ${JSON.stringify(error.message)}.${supportedIn(error)}`
    : `The server answered ${method} with protocolVersion ${JSON.stringify(versionOf(exchange))}.`;
  if (typeof wanted === 'string') {
    // an error with another code, as of a server that lacks its service, says nothing about revisions
    const refuses = error && !isAboutRevisions(error) ? `refuses ${method} in each` : 'offers no';
    return new CouldNotJudge(
      `The server ${refuses} revision that mcp-conform supports over ${transport}. ${answered}${lacksTransport(versionOf(exchange), transport)}`,
    );
  }
  const list = offers.map(r => r.id).join(', ');
  return new CouldNotJudge(
    `The server does not offer ${wanted.id}. ${list ? `It offers ${list}.` : answered}`,
    [
      list
        ? `Run again with --revision ${offers[0]!.id} or --revision latest.`
        : 'Without --revision, the newest revision that the server offers is judged.',
    ],
  );
}

const isAboutRevisions = (error: JsonObject): boolean =>
  supportedIn(error) !== '' || error.code === -32602 || error.code === errorCodes.unsupportedVersion;

/** The revisions that an error names as supported: `data.supported` of error -32022 (2026-07-28, basic/index#error-codes). */
function supportedIn({ data }: { readonly data?: unknown }): string {
  const supported = isObject(data) && Array.isArray(data.supported) ? data.supported : [];
  const names = supported.filter(name => typeof name === 'string').slice(0, 10);
  return names.length === 0
    ? ''
    : ` The server supports ${names.join(', ')}; mcp-conform judges ${definedRevisions.map(r => r.id).join(', ')}.`;
}

/** @throws UsageError for a named tool that the server does not list: probably a typing error */
export function requireOwnTools(tools: readonly JsonObject[], own: OwnTools): void {
  const names = tools.map(t => t.name).filter(name => typeof name === 'string');
  for (const [role, { tool }] of Object.entries(own)) {
    if (names.includes(tool)) continue;
    const guess = suggest(tool, names);
    const shown = names.slice(0, 12).join(', ') + (names.length > 12 ? ', …' : '');
    throw new UsageError(
      `--fixture ${role}=${tool}: the server has no tool "${tool}". ${guess ? `Did you mean "${guess}"?` : `Its tools: ${shown || 'none'}.`}`,
    );
  }
}

/** An empty probe, for a server to which the harness has no access. */
export function emptyProbe(peer: Peer): Probe {
  const toolsByRole = new Map<FixtureRole, RoleTool>();
  const known: Known = {
    tools: [],
    prompts: [],
    resources: [],
    templates: [],
    toolsByRole,
    slowTools: new Set(),
    isPaged: false,
    callable: [],
    tasks: [],
    offers: [],
  };
  const roleDiscovery = new RoleDiscovery(known, toolsByRole);
  return { revision: peer.revision, peer, capabilities: {}, info: null, known, roleDiscovery };
}

/** The lists of all features that a server declares. */
export type Lists = Pick<Known, 'tools' | 'prompts' | 'resources' | 'templates' | 'isPaged'>;

/** Requests all declared lists. */
export async function lists(peer: Peer): Promise<Lists> {
  let isPaged = false;
  const list = async (capability: string, method: string, key: string) => {
    if (!declares(peer.declared, capability)) return [];
    const { items, exchanges } = await peer.list(method, key);
    if (exchanges.length > 1) isPaged = true;
    return items;
  };
  const [tools, prompts, resources, templates] = await Promise.all([
    list('tools', 'tools/list', 'tools'),
    list('prompts', 'prompts/list', 'prompts'),
    list('resources', 'resources/list', 'resources'),
    list('resources', 'resources/templates/list', 'resourceTemplates'),
  ]);
  return { tools, prompts, resources, templates, isPaged };
}

/**
 * Discovers the features of a server in an open conversation, as a client does.
 * @param earlier.listed the lists of the server, if they were requested before
 * @param earlier.allOffers see `Known`
 */
export async function discover(
  opened: Opened,
  callTools: CallTools,
  offers: readonly string[],
  { wellKnown, own = {} }: { wellKnown?: WellKnown | undefined; own?: OwnTools | undefined } = {},
  { listed, allOffers }: { listed?: Lists | undefined; allOffers?: Known['allOffers'] | undefined } = {},
): Promise<Probe> {
  const { peer, exchange } = opened;
  const result = resultOf(exchange) ?? {};
  const capabilities = isObject(result.capabilities) ? result.capabilities : {};
  const { tools, prompts, resources, templates, isPaged } = listed ?? (await lists(peer));
  // the task support of a tool counts only where the server declares tasks for calls
  const asTasks = declares(capabilities, 'tasks.requests.tools.call');
  const support = (tool: JsonObject): unknown =>
    asTasks && isObject(tool.execution) ? tool.execution.taskSupport : undefined;
  const toolsByRole = assignRoles(tools, wellKnown, own);
  const known: Known = {
    tools,
    prompts,
    resources,
    templates,
    toolsByRole,
    slowTools: new Set(),
    isPaged,
    callable: tools.filter(t => support(t) !== 'required').flatMap(tool => callable(tool, callTools)),
    tasks: tools
      .filter(t => ['optional', 'required'].includes(asText(support(t))))
      .flatMap(tool => callable(tool, callTools)),
    offers,
    ...(allOffers && { allOffers }),
  };
  const roleDiscovery = new RoleDiscovery(known, toolsByRole);
  return {
    revision: peer.revision,
    peer,
    capabilities,
    info: infoIn(result) ?? null,
    known,
    roleDiscovery,
  };
}

/** The server in the result of initialize, or in the metadata of the result of server/discover. */
const infoIn = ({ serverInfo, _meta: meta }: JsonObject): Json | undefined =>
  serverInfo ?? (isObject(meta) ? meta[envelopeKeys.serverInfo] : undefined);

function callable(tool: JsonObject, policy: CallTools): Known['callable'] {
  const allowed = policy === 'all' || (policy === 'read-only' && isReadOnly(tool));
  if (!allowed || typeof tool.name !== 'string' || !isObject(tool.inputSchema)) return [];
  if (schemaExcess(tool.inputSchema)) return [];
  return [{ name: tool.name, arguments: minimalArguments(tool.inputSchema) }];
}
