/**
 * A server of the newest revision with a handshake and with a large feature: `large-server <tools|resources|pages|bytes> <n>`: n tools or resources in one page,
 * n pages with one resource each, or a resource of n bytes.
 */

import { createInterface } from 'node:readline';
import { isObject, type JsonObject, parseJson } from '../../spec/json-rpc.js';
import { latestRevision } from '../../spec/revisions.js';
import { handshakeMethods } from '../record/handshake.js';

const [what, count] = process.argv.slice(2) as [string, string];
const n = Number(count);
const schema = { type: 'object', properties: { text: { type: 'string' } } };
const tool = (at: number) => ({ name: `tool-${at}`, description: 'A tool.', inputSchema: schema });
const resource = (at: number) => ({ uri: `large://${at}`, name: `resource-${at}` });
const many = <T>(make: (at: number) => T, length: number) => Array.from({ length }, (_, at) => make(at));

function resources(cursor: unknown): JsonObject {
  if (what !== 'pages') return { resources: many(resource, what === 'resources' ? Math.max(1, n) : 1) };
  const at = Number(cursor ?? 0);
  return { resources: [resource(at)], ...(at + 1 < n && { nextCursor: String(at + 1) }) };
}

function answer(method: string, params: JsonObject): JsonObject | undefined {
  switch (method) {
    case handshakeMethods.request:
      return {
        protocolVersion: latestRevision.id,
        capabilities: { tools: {}, resources: {} },
        serverInfo: { name: 'large', version: '1.0.0' },
      };
    case 'ping':
      return {};
    case 'tools/list':
      return { tools: many(tool, what === 'tools' ? Math.max(1, n) : 1) };
    case 'tools/call':
      return { content: [{ type: 'text', text: 'done' }] };
    case 'resources/list':
      return resources(params.cursor);
    case 'resources/templates/list':
      return { resourceTemplates: [] };
    case 'resources/read':
      return {
        contents: [{ uri: String(params.uri), text: 'x'.repeat(what === 'bytes' ? Math.max(1, n) : 1) }],
      };
    default:
      return undefined;
  }
}

createInterface({ input: process.stdin }).on('line', line => {
  const message = parseJson(line);
  if (!isObject(message) || message.id === undefined || typeof message.method !== 'string') return;
  const result = answer(message.method, isObject(message.params) ? message.params : {});
  const error = { code: -32601, message: 'Method not found' };
  const reply = { jsonrpc: '2.0', id: message.id, ...(result ? { result } : { error }) };
  process.stdout.write(`${JSON.stringify(reply)}\n`);
});
