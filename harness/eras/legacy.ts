/** 2024-11-05 to 2025-11-25: a handshake, a session, requests in both directions. */

import { isObject } from '../../spec/json-rpc.js';
import { plainObject } from '../sample.js';
import type { Era } from './era.js';

export const legacy: Era = {
  async open(peer, { protocolVersion = peer.revision.id, capabilities = peer.era.capabilities(peer) } = {}) {
    const exchange = await peer.request('initialize', {
      protocolVersion,
      capabilities,
      clientInfo: { name: 'mcp-conform', version: peer.version },
    });
    if (exchange.reply?.kind === 'result') peer.notify('notifications/initialized');
    return exchange;
  },

  capabilities(peer) {
    const may = (method: string) => peer.vocabulary.requests.server.has(method);
    return {
      ...(may('roots/list') && { roots: { listChanged: true } }),
      ...(may('sampling/createMessage') && { sampling: {} }),
      ...(may('elicitation/create') && { elicitation: {} }),
    };
  },

  barrier: peer => peer.request('ping'),

  cancel(peer, { request }) {
    peer.notify('notifications/cancelled', { requestId: request.id!, reason: 'no longer needed' });
  },

  answer(peer) {
    peer.handle('ping', () => ({}));
    peer.handle('roots/list', () => ({ roots: [{ uri: 'file:///mcp-conform', name: 'mcp-conform' }] }));
    peer.handle('sampling/createMessage', () => ({
      role: 'assistant',
      content: { type: 'text', text: 'A reply from mcp-conform.' },
      model: 'mcp-conform',
      stopReason: 'endTurn',
    }));
    peer.handle('elicitation/create', params =>
      isObject(params?.requestedSchema)
        ? { action: 'accept', content: plainObject(params.requestedSchema) }
        : { action: 'accept' },
    );
  },
};
