import { expect, test } from 'vitest';
import type { JsonObject } from '../../spec/json-rpc.js';
import type { Exchange } from './message.js';
import { discoveredIn } from './opening.js';

const [apps, tasks] = ['io.modelcontextprotocol/ui', 'io.modelcontextprotocol/tasks'];

/** An exchange whose result declares these capabilities. */
const declaring = (capabilities: JsonObject) =>
  ({ reply: { kind: 'result', json: { result: { capabilities } } } }) as unknown as Exchange;

test('the capabilities are those of the last result of server/discover, with the extensions of all', () => {
  const first = {
    prompts: {},
    extensions: { [apps]: { mimeTypes: ['text/html'] }, 'com.example/other': {} },
  };
  expect(discoveredIn([])).toBeUndefined();
  expect(discoveredIn([declaring(first)])).toEqual(first);
  expect(discoveredIn([declaring(first), declaring({ tools: {} })])).toEqual({
    tools: {},
    extensions: { [apps]: { mimeTypes: ['text/html'] } },
  });
  const last = { extensions: { [tasks]: {}, [apps]: {} } };
  expect(discoveredIn([declaring(first), declaring(last)])).toEqual(last);
});
