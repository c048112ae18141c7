// A client with one hostile behaviour: node client.mjs <behaviour> <transport> <era> <canary> <mark> [url]. Without its
// behaviour it connects, lists and calls. It supports no scripts. The behaviours are hooks of the tables in client-*.mjs.
import { spawn } from 'node:child_process';
import { authorize } from './client-authorization.mjs';
import { clientBehaviours } from './client-behaviours.mjs';
import { rawJson } from './payloads.mjs';

const [name, transport, era, canary] = process.argv.slice(2);
const behaviour = clientBehaviours[name];
const isModern = era === '2026-07-28';
const isStdio = transport === 'stdio';
const url = isStdio ? undefined : new URL(process.argv.at(-1));

const clientInfo = { name: 'hostile', version: '1' };
const capabilities = { roots: { listChanged: true }, sampling: {}, elicitation: {} };
const meta = {
  'io.modelcontextprotocol/protocolVersion': era,
  'io.modelcontextprotocol/clientInfo': clientInfo,
  'io.modelcontextprotocol/clientCapabilities': capabilities,
};

const encode = message =>
  typeof message === 'string' || Buffer.isBuffer(message) ? message : rawJson({ jsonrpc: '2.0', ...message });

const answers = {
  ping: () => ({}),
  'roots/list': () => ({ roots: [{ uri: 'file:///tmp', name: 'tmp' }] }),
  'sampling/createMessage': () => ({ role: 'assistant', content: { type: 'text', text: 'yes' }, model: 'm' }),
  'elicitation/create': () => ({ action: 'decline' }),
};

/** The response to a request of the server. */
function respond({ id, method, params }) {
  if (!Object.hasOwn(answers, method)) return { id, error: { code: -32601, message: 'Method not found' } };
  const result = answers[method](params);
  return { id, result: behaviour.result?.(result, method, params) ?? result };
}

const waiting = new Map();
function receive(message) {
  if (behaviour.on?.(message, client)) return;
  if (message.method === undefined) waiting.get(message.id)?.(message);
  else if (message.id !== undefined) client.send(respond(message));
}

let token;
let session;
const headers = (message, more = {}) => ({
  'Content-Type': 'application/json',
  Accept: 'application/json, text/event-stream',
  ...(token && { Authorization: `Bearer ${token}` }),
  ...(session && { 'Mcp-Session-Id': session }),
  ...((isModern || (session && transport !== 'http-sse')) && { 'MCP-Protocol-Version': era }),
  ...(isModern && message.method && { 'Mcp-Method': message.method }),
  ...(isModern && message.params?.name && { 'Mcp-Name': message.params.name }),
  ...behaviour.headers,
  ...more,
});

/** Reads the events of a stream. */
async function readEvents(response, handle) {
  let text = '';
  const decoder = new TextDecoder();
  for await (const part of response.body) {
    text += decoder.decode(part, { stream: true });
    for (let at = text.indexOf('\n\n'); at !== -1; at = text.indexOf('\n\n')) {
      const fields = Object.fromEntries(
        text
          .slice(0, at)
          .split('\n')
          .map(line => /^(\w*): ?(.*)$/.exec(line)?.slice(1) ?? ['', '']),
      );
      text = text.slice(at + 2);
      handle(fields);
    }
  }
}

const parse = text => {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
};

async function post(message, target = url) {
  const response = await fetch(target, { method: 'POST', headers: headers(message), body: encode(message) });
  session ??= response.headers.get('mcp-session-id') ?? undefined;
  if (behaviour.readsNothing) return response;
  if (response.headers.get('content-type')?.includes('event-stream'))
    await readEvents(response, ({ data }) => {
      const message = data && parse(data);
      if (message) receive(message);
    });
  else {
    const message = parse(await response.text());
    if (message?.jsonrpc) receive(message);
  }
  return response;
}

let lastId = 0;
export const client = {
  name,
  url,
  canary,
  meta,
  session: () => session,
  headers,
  encode,
  /** The processes started for the harness, over stdio. */
  server: undefined,
  send: () => {},
  async request(method, params = {}) {
    const id = ++lastId;
    const answer = new Promise(resolve => waiting.set(id, resolve));
    const sent = this.send({ id, method, params: isModern ? { ...params, _meta: meta } : params });
    const message = await Promise.race([answer, sent?.then(() => undefined) ?? answer]);
    return message ?? (await Promise.race([answer, new Promise(resolve => setTimeout(resolve, 3_000))]));
  },
  async open() {
    if (isModern) return this.request('server/discover');
    const result = await this.request('initialize', { protocolVersion: era, capabilities, clientInfo });
    await this.send({ method: 'notifications/initialized' });
    return result;
  },
  async connect() {
    if (isStdio) this.start();
    else if (transport === 'http-sse') await this.subscribe();
    else this.send = post;
    return this.open();
  },
  start() {
    const [command, ...args] = JSON.parse(process.env.MCP_CONFORM_COMMAND);
    const server = spawn(command, args, { stdio: ['pipe', 'pipe', 'inherit'] });
    server.stdin.on('error', () => {});
    server.on('error', () => {});
    this.server = server;
    this.write = bytes => server.stdin.write(bytes);
    this.send = message =>
      void this.write(behaviour.line ? behaviour.line(encode(message)) : `${encode(message)}\n`);
    let rest = '';
    if (!behaviour.readsNothing)
      server.stdout.on('data', part => {
        const lines = (rest + part).split('\n');
        rest = lines.pop();
        for (const line of lines) {
          const message = parse(line);
          if (message) receive(message);
        }
      });
  },
  async subscribe() {
    const response = await fetch(url, { headers: { ...headers({}), Accept: 'text/event-stream' } });
    const endpoint = new Promise(resolve => {
      void readEvents(response, ({ event, data }) => {
        if (event === 'endpoint') return resolve(new URL(data, url));
        const message = data && parse(data);
        return message && receive(message);
      }).catch(() => {});
    });
    const target = await endpoint;
    this.send = message => post(message, target);
  },
  async use() {
    const listed = await this.request('tools/list');
    const [tool] = listed?.result?.tools ?? [];
    if (tool) await this.request('tools/call', { name: tool.name, arguments: {} });
  },
  async leave() {
    if (this.server) {
      this.server.stdin.end();
      await new Promise(resolve => this.server.once('exit', resolve));
    } else if (session && transport === 'streamable-http')
      await fetch(url, { method: 'DELETE', headers: headers({}) });
    process.exit(0);
  },
  setToken(value) {
    token = value;
  },
};

async function authorized() {
  const probe = await fetch(url, {
    method: 'POST',
    headers: headers({}),
    body: encode({
      id: 0,
      method: isModern ? 'server/discover' : 'initialize',
      params: isModern ? { _meta: meta } : { protocolVersion: era, capabilities, clientInfo },
    }),
  });
  if (probe.status === 401) token = await authorize(behaviour.auth, probe, url, canary);
  await probe.body?.cancel();
}

process.on('unhandledRejection', () => process.exit(1));
process.on('uncaughtException', () => process.exit(1));
if (behaviour.start) await behaviour.start(client);
else {
  if (behaviour.auth) await authorized();
  await client.connect();
  if (behaviour.act) await behaviour.act(client);
  else {
    await client.use();
    await client.leave();
  }
}
