/** 2024-11-05 to 2025-11-25: a handshake, a session, requests in both directions. */

import type { JsonObject } from '../../../spec/json-rpc.js';
import { findRevision, latestRevision, type Revision } from '../../../spec/revisions.js';
import type { Exchange, Message } from '../../record/message.js';
import { answerQuestions } from './answers.js';
import type { Era } from './era.js';

const isReady = (m: Message): boolean => m.method === 'notifications/initialized';
const isWork = (m: Message): boolean =>
  m.kind === 'request' && m.method !== 'initialize' && m.method !== 'ping';

export const legacy: Era = {
  opensWith: 'initialize',

  openingParams: (
    peer,
    { protocolVersion = peer.revision.id, capabilities = peer.era.capabilities(peer) } = {},
  ) => ({ protocolVersion, capabilities, clientInfo: { name: 'mcp-conform', version: peer.version } }),

  async open(peer, options) {
    const exchange = await peer.request(legacy.opensWith, legacy.openingParams(peer, options));
    if (exchange.reply?.kind === 'result') peer.notify('notifications/initialized');
    return exchange;
  },

  async accept(peer, { revision, capabilities } = {}) {
    peer.handle('initialize', params => {
      peer.agreeOn(revision ?? findRevision(params?.protocolVersion) ?? latestRevision);
      peer.offers = capabilities ?? peer.era.capabilities(peer);
      return {
        protocolVersion: peer.revision.id,
        capabilities: peer.offers,
        serverInfo: { name: 'mcp-conform', version: peer.version },
      };
    });
    // a first request without the notification opens the conversation too; over HTTP the two may arrive in
    // reverse order
    const first = await peer.next(m => isReady(m) || isWork(m));
    if (first && !isReady(first)) await peer.waitUntil(() => peer.conversation.messages.some(isReady));
    return first !== undefined;
  },

  capabilities({ role, revision, vocabulary }) {
    if (role === 'server') return serverCapabilities(revision);
    const may = (method: string) => vocabulary.requests.server.has(method);
    return {
      ...(may('roots/list') && { roots: { listChanged: true } }),
      ...(may('sampling/createMessage') && { sampling: {} }),
      ...(may('elicitation/create') && { elicitation: {} }),
    };
  },

  harmless: () => ({ method: 'ping' }),
  dress: (_, params) => params,
  converse: async (_, exchange) => exchange,

  async listen(peer, { resourceSubscriptions = [] }) {
    const exchanges: Exchange[] = [];
    for (const uri of resourceSubscriptions)
      exchanges.push(await peer.request('resources/subscribe', { uri }));
    return {
      isAccepted: exchanges.every(e => e.reply?.kind === 'result'),
      shownBy: exchanges[0]?.request,
      async stop() {
        for (const uri of resourceSubscriptions) await peer.request('resources/unsubscribe', { uri });
      },
    };
  },

  async logAt(peer, level) {
    await peer.request('logging/setLevel', { level });
    return {};
  },

  cancel(peer, { request }) {
    peer.notify('notifications/cancelled', { requestId: request.id!, reason: 'no longer needed' });
  },

  answer(peer) {
    peer.handle('ping', () => ({}));
    if (peer.role === 'client') answerQuestions(peer);
  },

  refusal: () => undefined,
  complete: (_peer, _request, result) => result,
};

function serverCapabilities(revision: Revision): JsonObject {
  const all = {
    tools: { listChanged: true },
    resources: { subscribe: true, listChanged: true },
    prompts: { listChanged: true },
    logging: {},
    completions: {},
  };
  return Object.fromEntries(Object.entries(all).filter(([name]) => !revision.undeclarable.includes(name)));
}
