/** 2024-11-05 to 2025-11-25: a handshake, a session, requests in both directions. */

import { isObject, type JsonObject } from '../../spec/json-rpc.js';
import type { Era } from './era.js';

/** A value for an elicitation schema: its default, its first choice, or the plainest of its type. */
function fill(schema: JsonObject): JsonObject {
  const properties = isObject(schema.properties) ? schema.properties : {};
  return Object.fromEntries(
    Object.entries(properties).map(([name, property]) => [
      name,
      plainValue(isObject(property) ? property : {}),
    ]),
  );
}

function plainValue(property: JsonObject): JsonObject[string] {
  if (property.default !== undefined) return property.default;
  const choices = property.enum ?? firstConst(property.oneOf) ?? firstConst(property.anyOf);
  if (Array.isArray(choices) && choices.length > 0) return choices[0]!;
  switch (property.type) {
    case 'boolean':
      return true;
    case 'integer':
    case 'number':
      return typeof property.minimum === 'number' ? property.minimum : 1;
    case 'array':
      return isObject(property.items) ? [plainValue(property.items)] : [];
    default:
      return plainText(property);
  }
}

function plainText(property: JsonObject): string {
  const byFormat: Record<string, string> = {
    email: 'ada@example.com',
    uri: 'https://example.com/',
    date: '2000-01-31',
    'date-time': '2000-01-31T12:00:00Z',
  };
  const text = byFormat[String(property.format)] ?? 'text';
  return typeof property.minLength === 'number' ? text.padEnd(property.minLength, 'x') : text;
}

const firstConst = (choices: JsonObject[string] | undefined) =>
  Array.isArray(choices)
    ? choices.flatMap(c => (isObject(c) && c.const !== undefined ? [c.const] : []))
    : undefined;

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
        ? { action: 'accept', content: fill(params.requestedSchema) }
        : { action: 'accept' },
    );
  },
};
