/** From 2026-07-28: no handshake and no session; each request contains its metadata. */

import { isObject, type JsonObject } from '../../../spec/json-rpc.js';
import { envelopeKeys, metaOf } from '../../record/envelope.js';
import { type Exchange, idKey, resultOf } from '../../record/message.js';
import { answerQuestions } from './answers.js';
import type { Era, EraPeer } from './era.js';

/** Rounds of input that a request may need; a server that needs more does not finish. */
const mostRounds = 120;

/** The first message of a subscription. */
const acknowledged = 'notifications/subscriptions/acknowledged';

/** The metadata that each request of the harness contains. */
const envelope = (peer: EraPeer): JsonObject => ({
  [envelopeKeys.protocolVersion]: peer.revision.id,
  [envelopeKeys.clientInfo]: { name: 'mcp-conform', version: peer.version },
  [envelopeKeys.clientCapabilities]: peer.declares ?? modern.capabilities(peer),
});

export const modern: Era = {
  open(peer, { protocolVersion, capabilities } = {}) {
    if (capabilities) peer.declares = capabilities;
    const meta = protocolVersion === undefined ? {} : { [envelopeKeys.protocolVersion]: protocolVersion };
    return peer.request('server/discover', undefined, { meta });
  },

  async accept() {
    throw new Error('The harness does not act as a server of a stateless revision yet.');
  },

  capabilities({ role }) {
    if (role === 'server') return {};
    return { roots: {}, sampling: {}, elicitation: {} };
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
    const key = idKey(pending.id);
    const first = await peer.waitFor(
      m =>
        idKey(m.id) === key ||
        (m.method === acknowledged && idKey(metaOf(m)[envelopeKeys.subscriptionId]) === key),
    );
    return {
      isAccepted: first?.method === acknowledged,
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
};

/** Whether the subject needs input before it can complete the request. */
const isInputRequired = (exchange: Exchange): boolean => resultOf(exchange)?.resultType === 'input_required';

/** The parameters of the retry; undefined when a handler gives no answer. */
async function nextParams(peer: EraPeer, exchange: Exchange): Promise<JsonObject | undefined> {
  const { inputRequests, requestState } = resultOf(exchange)!;
  const { inputResponses: _, requestState: __, ...params } = exchange.request.params ?? {};
  if (!isObject(inputRequests) && requestState === undefined) return undefined;
  const inputResponses: JsonObject = {};
  for (const [key, asked] of Object.entries(isObject(inputRequests) ? inputRequests : {})) {
    const answer = isObject(asked) && (await peer.answerTo(asked, exchange.reply!));
    if (!answer) return undefined;
    inputResponses[key] = answer;
  }
  return {
    ...params,
    ...(isObject(inputRequests) && { inputResponses }),
    ...(requestState !== undefined && { requestState }),
  };
}
