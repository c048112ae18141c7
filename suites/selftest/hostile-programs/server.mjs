// A server with one hostile behaviour: node server.mjs <behaviour> <transport> <era> <port> <canary>. Without its
// behaviour it conforms. The behaviours are hooks of the tables in server-*.mjs.
import { randomUUID } from 'node:crypto';
import { createServer } from 'node:http';
import { createInterface } from 'node:readline';
import { rawJson } from './payloads.mjs';
import { protect } from './protected.mjs';
import { serverBehaviours } from './server-behaviours.mjs';

const [name, transport, era, port, canary] = process.argv.slice(2);
const behaviour = serverBehaviours[name];
const isModern = era === '2026-07-28';
const info = { name: 'hostile', version: '1' };

const tools = () => [
  {
    name: 'echo',
    description: 'Repeats a text.',
    inputSchema: {
      type: 'object',
      properties: { text: { type: 'string' } },
      required: ['text'],
      additionalProperties: false,
    },
    annotations: { readOnlyHint: true },
  },
  {
    name: 'add',
    description: 'Adds two numbers.',
    inputSchema: {
      type: 'object',
      properties: { a: { type: 'number' }, b: { type: 'number' } },
      required: ['a', 'b'],
    },
    outputSchema: { type: 'object', properties: { sum: { type: 'number' } }, required: ['sum'] },
    annotations: { readOnlyHint: true },
  },
];

const capabilities = {
  tools: { listChanged: true },
  prompts: {},
  resources: { subscribe: true },
  completions: {},
  logging: {},
};
const text = words => ({ content: [{ type: 'text', text: words }] });
const cached = isModern ? { ttlMs: 0, cacheScope: 'private' } : {};
const fail = (code, message, data) => ({ error: { code, message, ...(data && { data }) } });
const known = new Set(['test://one', 'test://two']);

const handlers = {
  initialize: ({ protocolVersion }) => ({
    protocolVersion: protocolVersion === '2024-11-05' ? protocolVersion : era,
    capabilities,
    serverInfo: info,
  }),
  'server/discover': () => ({ supportedVersions: [era], capabilities, ...cached }),
  ping: () => ({}),
  'tools/list': () => ({ tools: tools(), ...cached }),
  'tools/call'({ name, arguments: given = {} }) {
    if (name === 'echo')
      return typeof given.text === 'string'
        ? text(given.text)
        : { ...text('text is missing'), isError: true };
    if (name === 'add') {
      if (typeof given.a !== 'number' || typeof given.b !== 'number')
        return { ...text('numbers are missing'), isError: true };
      const structuredContent = { sum: given.a + given.b };
      return { ...text(JSON.stringify(structuredContent)), structuredContent };
    }
    return name === behaviour.tool?.name ? text('done') : fail(-32602, `Unknown tool: ${name}`);
  },
  'prompts/list': () => ({
    prompts: [{ name: 'greet', arguments: [{ name: 'who', required: true }] }],
    ...cached,
  }),
  'prompts/get': ({ name, arguments: given }) =>
    name === 'greet' && typeof given?.who === 'string'
      ? { messages: [{ role: 'user', content: { type: 'text', text: `Greet ${given.who}` } }] }
      : fail(-32602, 'Invalid prompt'),
  'resources/list': () => ({ resources: [...known].map(uri => ({ uri, name: uri })), ...cached }),
  'resources/templates/list': () => ({
    resourceTemplates: [{ uriTemplate: 'test://item/{id}', name: 'item' }],
    ...cached,
  }),
  'resources/read': ({ uri }) =>
    known.has(uri) || String(uri).startsWith('test://item/')
      ? { contents: [{ uri, text: 'content' }], ...cached }
      : fail(isModern ? -32602 : -32002, 'Resource not found', { uri }),
  'resources/subscribe': () => ({}),
  'resources/unsubscribe': () => ({}),
  'logging/setLevel': () => ({}),
  'completion/complete': () => ({ completion: { values: ['ada', 'alan'] } }),
};
const gone = isModern
  ? ['initialize', 'ping', 'resources/subscribe', 'resources/unsubscribe', 'logging/setLevel']
  : ['server/discover'];
for (const method of gone) delete handlers[method];

/** The response to a request: `{ id, result }` or `{ id, error }`. */
export function respond({ id, method, params = {} }) {
  if (!Object.hasOwn(handlers, method)) return { id, ...fail(-32601, 'Method not found') };
  let answer = handlers[method](params ?? {});
  if (!answer.error && isModern)
    answer = { resultType: 'complete', ...answer, _meta: { 'io.modelcontextprotocol/serverInfo': info } };
  if (method === 'tools/list' && behaviour.tool)
    answer = { ...answer, tools: [...answer.tools, toolOf(behaviour.tool)] };
  if (!answer.error && behaviour.result) answer = behaviour.result(answer, method, params) ?? answer;
  return answer.error ? { id, ...answer } : { id, result: answer };
}

const toolOf = tool => ({
  description: 'Is hostile.',
  inputSchema: { type: 'object' },
  annotations: { readOnlyHint: true },
  ...JSON.parse(JSON.stringify(tool).replaceAll('{canary}', canary)),
});

const encode = message =>
  typeof message === 'string' || Buffer.isBuffer(message) ? message : rawJson({ jsonrpc: '2.0', ...message });

/** Hands a message to the behaviour, or responds to it. `session.send` takes a message or its text. */
function receive(message, session) {
  const reply = () => {
    if (message.method !== undefined && message.id !== undefined) session.send(respond(message));
  };
  if (behaviour.on) behaviour.on(message, session, reply);
  else reply();
}

function serveStdio() {
  const session = {
    send: message => write(encode(message), '\n'),
    write: bytes => process.stdout.write(bytes),
    canary,
  };
  const write = (body, end) =>
    process.stdout.write(behaviour.line ? behaviour.line(body) : Buffer.isBuffer(body) ? body : body + end);
  process.stdout.on('error', () => {});
  behaviour.start?.(session);
  if (behaviour.readsNothing) return;
  createInterface({ input: process.stdin })
    .on('line', line => {
      try {
        receive(JSON.parse(line), session);
      } catch (error) {
        if (!(error instanceof SyntaxError)) throw error;
        session.send({ id: null, ...fail(-32700, 'Parse error') });
      }
    })
    .on('close', () => behaviour.end?.());
}

const sessions = new Map();
const jsonHeaders = { 'Content-Type': 'application/json' };
const streamHeaders = { 'Content-Type': 'text/event-stream', 'Cache-Control': 'no-store' };

function openStream(response, more = {}) {
  response.writeHead(200, { ...streamHeaders, ...more });
  response.flushHeaders();
  response.on('error', () => {});
  const event = body => `${String(body).replace(/^/gm, 'data: ')}\n\n`;
  return {
    send: message =>
      response.write(behaviour.line ? behaviour.line(encode(message)) : event(encode(message))),
    write: bytes => response.write(bytes),
    end: () => response.end(),
    response,
    canary,
  };
}

const readBody = request =>
  new Promise(resolve => {
    const parts = [];
    request.on('data', part => parts.push(part)).on('end', () => resolve(Buffer.concat(parts).toString()));
  });

function parse(body) {
  try {
    return JSON.parse(body);
  } catch {
    return undefined;
  }
}

async function streamableHttp(request, response, path) {
  if (path !== '/mcp') return response.writeHead(404).end();
  const id = request.headers['mcp-session-id'];
  if (request.method === 'GET' && !isModern) {
    if (!sessions.has(id)) return response.writeHead(400).end();
    const stream = openStream(response);
    return behaviour.listens ? behaviour.listens(stream) : stream.write(':\n\n');
  }
  if (request.method === 'DELETE' && !isModern)
    return response.writeHead(sessions.delete(id) ? 204 : 404).end();
  if (request.method !== 'POST') return response.writeHead(405, { Allow: 'POST' }).end();
  const message = parse(await readBody(request));
  if (message?.jsonrpc !== '2.0')
    return response
      .writeHead(400, jsonHeaders)
      .end(rawJson({ jsonrpc: '2.0', id: null, ...fail(-32700, 'Parse error') }));
  let headers = {};
  if (!isModern) {
    if (message.method === 'initialize') {
      const session = randomUUID();
      sessions.set(session, true);
      headers = { 'Mcp-Session-Id': session };
    } else if (!sessions.has(id)) return response.writeHead(id === undefined ? 400 : 404).end();
  }
  if (message.method === undefined || message.id === undefined) {
    response.writeHead(202).end();
    return behaviour.on?.(message, { send() {}, write() {}, end() {}, canary }, () => {});
  }
  const stream = openStream(response, { ...headers, ...behaviour.headers });
  receive(message, {
    ...stream,
    send(sent) {
      stream.send(sent);
      if (sent.id === message.id && !behaviour.keepsStreams) response.end();
    },
  });
}

async function httpSse(request, response, path) {
  if (path === '/sse' && request.method === 'GET') {
    const stream = openStream(response);
    const session = randomUUID();
    sessions.set(session, stream);
    if (behaviour.listens) return behaviour.listens(stream, session);
    return stream.write(`event: endpoint\ndata: /messages?session=${session}\n\n`);
  }
  const stream = sessions.get(new URL(request.url, 'http://a').searchParams.get('session'));
  if (path !== '/messages' || !stream) return response.writeHead(404).end();
  const message = parse(await readBody(request));
  response.writeHead(message ? 202 : 400).end();
  if (message) receive(message, stream);
}

function serveHttp() {
  const handle = transport === 'http-sse' ? httpSse : streamableHttp;
  const server = createServer(async (request, response) => {
    const { pathname } = new URL(request.url, 'http://a');
    const next = () => handle(request, response, pathname);
    const guarded = behaviour.auth
      ? () => protect(behaviour.auth, request, response, { port, canary, next })
      : next;
    if (behaviour.http) await behaviour.http(request, response, guarded, { readBody, canary, port });
    else await guarded();
  });
  if (behaviour.socket) {
    server.removeAllListeners('request');
    server.removeAllListeners('connection');
    server.on('connection', behaviour.socket);
  }
  server.listen(Number(port), '127.0.0.1', () =>
    behaviour.start?.({ send() {}, write() {}, server, canary }),
  );
}

if (transport === 'stdio') serveStdio();
else serveHttp();
