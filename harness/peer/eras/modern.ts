/** From 2026-07-28: no handshake and no session; each request contains its metadata. */

import { asText, isObject, type JsonObject } from '../../../spec/json-rpc.js';
import { latestRevision, type Revision } from '../../../spec/revisions.js';
import { envelopeKeys, errorCodes, namedVersion } from '../../record/envelope.js';
import { type Exchange, type Message, resultOf } from '../../record/message.js';
import { mostQuestions } from '../../record/questions.js';
import { acknowledged } from '../expected-messages.js';
import { RefusedRequest } from '../requests.js';
import { answerQuestions } from './answers.js';
import type { Era, EraPeer } from './era.js';

/** Rounds of input that a request may need; a server that needs more does not finish. */
const mostRounds = 120;

/** The metadata that each request of the harness contains. */
const envelope = (peer: EraPeer): JsonObject => ({
  [envelopeKeys.protocolVersion]: peer.revision.id,
  [envelopeKeys.clientInfo]: { name: 'mcp-conform', version: peer.version },
  [envelopeKeys.clientCapabilities]: peer.declares ?? modern.capabilities(peer),
});

export const modern: Era = {
  opensWith: 'server/discover',

  openingParams(peer, { protocolVersion, capabilities } = {}) {
    const meta = {
      ...envelope(peer),
      ...(protocolVersion !== undefined && { [envelopeKeys.protocolVersion]: protocolVersion }),
      ...(capabilities && { [envelopeKeys.clientCapabilities]: capabilities }),
    };
    return { _meta: meta };
  },

  open(peer, options = {}) {
    if (options.capabilities) peer.declares = options.capabilities;
    return peer.request(modern.opensWith, modern.openingParams(peer, options));
  },

  async accept(peer, { capabilities, older } = {}) {
    peer.older = older;
    const offers = capabilities ?? modern.capabilities(peer);
    peer.offers = offers;
    peer.handle('server/discover', () => ({ supportedVersions: [peer.revision.id], capabilities: offers }));
    if (older) peer.handle('initialize', () => introduction(peer, offers, older.revision?.()));
    const opens = (m: Message) =>
      m.kind === 'request' && (namedVersion(m) !== undefined || (older && m.method === 'initialize'));
    return (await peer.next(m => opens(m) === true)) !== undefined;
  },

  capabilities({ role }) {
    if (role === 'client') return { roots: {}, sampling: {}, elicitation: {} };
    return {
      tools: { listChanged: true },
      resources: { subscribe: true, listChanged: true },
      prompts: { listChanged: true },
      logging: {},
      completions: {},
    };
  },

  harmless: () => ({ method: 'server/discover' }),

  dress(peer, params) {
    const meta = isObject(params?._meta) ? params._meta : {};
    return { ...params, _meta: { ...envelope(peer), ...meta } };
  },

  /** basic/patterns/mrtr: the same request again, with the answers and the unchanged state. */
  async converse(peer, exchange, options) {
    let last = exchange;
    for (let round = 0; round < mostRounds && isInputRequired(last); round++) {
      const again = await nextParams(peer, last);
      if (!again) return last;
      const { id: _, ...rest } = options;
      last = await peer.start(last.request.method!, again, rest).done;
    }
    return last === exchange ? last : { ...last, first: exchange.request };
  },

  async listen(peer, { resourceSubscriptions: uris, ...lists }, id) {
    const notifications: JsonObject = { ...lists, ...(uris && { resourceSubscriptions: [...uris] }) };
    const pending = peer.start(
      'subscriptions/listen',
      { notifications },
      { endless: true, ...(id !== undefined && { id }) },
    );
    const isRefused = () => peer.conversation.httpOf(pending.request)?.hasErrorStatus ?? false;
    const refused = new Promise<void>(resolve => void pending.done.then(() => isRefused() && resolve()));
    const first = await peer.expected.ofSubscription(pending.request, refused);
    return {
      isAccepted: first?.method === acknowledged,
      isIgnored: first === undefined && !isRefused(),
      id: pending.id,
      shownBy: first ?? pending.request,
      async stop() {
        peer.cancel(pending);
        await peer.barrier();
      },
    };
  },

  logAt: async (_, level) => ({ meta: { [envelopeKeys.logLevel]: level } }),

  cancel(peer, { request }) {
    const carrier = peer.link.http && peer.conversation.httpOf(request);
    if (carrier) peer.link.http!.drop(carrier, { resume: false });
    else if (!peer.link.http)
      peer.notify('notifications/cancelled', { requestId: request.id!, reason: 'no longer needed' });
  },

  answer(peer) {
    if (peer.role === 'client') answerQuestions(peer);
  },

  /** basic/versioning#protocol-version-negotiation: also `initialize` gets the list of supported versions. */
  refusal(peer, request) {
    const version = namedVersion(request);
    if (peer.older && version === undefined) return undefined;
    const reaction = peer.older?.refuse(request);
    if (reaction) return reaction;
    const isHandshake = version === undefined && request.method === 'initialize';
    if (!isHandshake && (version === undefined || version === peer.revision.id)) return undefined;
    const requested = isHandshake ? request.params?.protocolVersion : version;
    return new RefusedRequest(errorCodes.unsupportedVersion, 'Unsupported protocol version', {
      supported: [peer.revision.id],
      requested: asText(requested ?? ''),
    });
  },

  complete(peer, request, result) {
    const { method } = request;
    if (peer.role === 'client' || (peer.older && namedVersion(request) === undefined)) return result;
    const isFinal = (result.resultType ?? 'complete') === 'complete';
    return {
      resultType: 'complete',
      ...(isFinal && cacheable.has(method ?? '') && { ttlMs: 0, cacheScope: 'private' }),
      ...result,
      _meta: {
        [envelopeKeys.serverInfo]: { name: 'mcp-conform', version: peer.version },
        ...(isObject(result._meta) && result._meta),
      },
    };
  },
};

/** The result of initialize from a server of the older era. */
const introduction = (
  peer: EraPeer,
  capabilities: JsonObject,
  { id }: Revision = latestRevision,
): JsonObject => ({
  protocolVersion: id,
  capabilities,
  serverInfo: { name: 'mcp-conform', version: peer.version },
});

/** Methods whose results say how long they are fresh (server/utilities/caching#cacheable-results). */
const cacheable: ReadonlySet<string> = new Set([
  'server/discover',
  'tools/list',
  'prompts/list',
  'resources/list',
  'resources/templates/list',
  'resources/read',
]);

/** Whether the subject needs input before it can complete the request. */
const isInputRequired = (exchange: Exchange): boolean => resultOf(exchange)?.resultType === 'input_required';

/** The parameters of the retry; undefined when a handler gives no answer, or there are too many questions. */
async function nextParams(peer: EraPeer, exchange: Exchange): Promise<JsonObject | undefined> {
  const { inputRequests, requestState } = resultOf(exchange)!;
  const { inputResponses: _, requestState: __, ...params } = exchange.request.params ?? {};
  if (!isObject(inputRequests) && requestState === undefined) return undefined;
  const questions = Object.entries(isObject(inputRequests) ? inputRequests : {});
  if (questions.length > mostQuestions) return undefined;
  const answers: [string, JsonObject][] = [];
  for (const [key, asked] of questions) {
    const answer = isObject(asked) && (await peer.answerTo(asked, exchange.reply!));
    if (!answer) return undefined;
    answers.push([key, answer]);
  }
  return {
    ...params,
    // any key is legal, also `__proto__`
    ...(isObject(inputRequests) && { inputResponses: Object.fromEntries(answers) }),
    ...(requestState !== undefined && { requestState }),
  };
}
