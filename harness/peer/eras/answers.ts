/** The answers of the harness, as a client, to what a server asks: the same in both eras. */

import { isObject } from '../../../spec/json-rpc.js';
import { minimalObject } from '../../generate/minimal.js';
import type { EraPeer } from './era.js';

export function answerQuestions(peer: EraPeer): void {
  peer.handle('roots/list', () => ({ roots: [{ uri: 'file:///mcp-conform', name: 'mcp-conform' }] }));
  peer.handle('sampling/createMessage', () => ({
    role: 'assistant',
    content: { type: 'text', text: 'A reply from mcp-conform.' },
    model: 'mcp-conform',
    stopReason: 'endTurn',
  }));
  peer.handle('elicitation/create', params =>
    isObject(params?.requestedSchema)
      ? { action: 'accept', content: minimalObject(params.requestedSchema) }
      : { action: 'accept' },
  );
}
