/** The answers of the harness, as a client, to what a server asks: the same in both eras. */

import { isObject } from '../../../spec/json-rpc.js';
import { schemaExcess } from '../../../spec/schema-cost.js';
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
  peer.handle('elicitation/create', params => {
    const schema = params?.requestedSchema;
    if (!isObject(schema)) return { action: 'accept' };
    // nobody fills in such a form
    return schemaExcess(schema)
      ? { action: 'decline' }
      : { action: 'accept', content: minimalObject(schema) };
  });
}
