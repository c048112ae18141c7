// A client over HTTP that misbehaves; the first argument names the misbehaviour, the last one is the URL. The
// client supports no scripts.
const mode = process.argv[2];
const url = process.argv.at(-1);

const forever = () => setInterval(() => {}, 60_000);

/** @returns the status, and the session when the server assigns one; the body is read to its end */
async function post(message, session) {
  const headers = {
    'Content-Type': 'application/json',
    Accept: 'application/json, text/event-stream',
    ...(session && { 'Mcp-Session-Id': session }),
    ...(message.method !== 'initialize' && { 'MCP-Protocol-Version': '2025-06-18' }),
  };
  const body = typeof message === 'string' ? message : JSON.stringify({ jsonrpc: '2.0', ...message });
  const response = await fetch(url, { method: 'POST', headers, body });
  await response.text();
  return response.headers.get('mcp-session-id');
}

const headersOf = session => ({
  'Content-Type': 'application/json',
  Accept: 'application/json, text/event-stream',
  'Mcp-Session-Id': session,
  'MCP-Protocol-Version': '2025-06-18',
});

/** Sends a request, and responds to each ping on its stream. */
async function converse(message, session) {
  const body = JSON.stringify({ jsonrpc: '2.0', ...message });
  const response = await fetch(url, { method: 'POST', headers: headersOf(session), body });
  let text = '';
  for await (const piece of response.body.pipeThrough(new TextDecoderStream())) {
    text += piece;
    const lines = text.split('\n');
    text = lines.pop();
    for (const line of lines.filter(line => /^data: *\{.*"method":"ping"/.test(line)))
      await post({ id: JSON.parse(line.slice('data:'.length)).id, result: {} }, session);
  }
}

const initialize = protocolVersion => {
  const params = { protocolVersion, capabilities: {}, clientInfo: { name: mode, version: '1' } };
  return post({ id: 1, method: 'initialize', params });
};

async function connect(protocolVersion = '2025-06-18') {
  const session = await initialize(protocolVersion);
  const send = message => post(message, session);
  await send({ method: 'notifications/initialized' });
  return { session, send };
}

const deeds = {
  polite: () => connect(),
  // a revision without Streamable HTTP
  outdated: () => connect('2024-11-05'),
  proposes: () => initialize('2025-06-18'),
  async leaves() {
    await initialize('2024-11-05');
    console.error('the response is not JSON');
    process.exitCode = 4;
  },
  async twice() {
    await Promise.all([connect(), connect()]);
  },
  async hangs() {
    await connect();
    forever();
  },
  async deaf() {
    process.on('SIGTERM', () => {});
    await connect();
    forever();
  },
  async crashes() {
    await connect();
    process.kill(process.pid, 'SIGKILL');
  },
  // streams that are neither read nor closed
  async hoards() {
    const { session } = await connect();
    const headers = {
      Accept: 'text/event-stream',
      'Mcp-Session-Id': session,
      'MCP-Protocol-Version': '2025-06-18',
    };
    for (let n = 0; n < 20; n++) await fetch(url, { headers });
    forever();
  },
  async garbles() {
    const { send } = await connect();
    for (let n = 0; n < 20; n++) await send('{"jsonrpc":"2.0","me');
  },
  async floods() {
    const { send } = await connect();
    for (let id = 2; ; id++) await send({ id, method: 'ping' });
  },
  async forgets() {
    const { send } = await connect();
    await send({ id: 2, method: 'tools/list' });
    await post({ id: 3, method: 'tools/list' });
  },
  // a session for each request
  async apart() {
    for (const message of [
      { id: 2, method: 'tools/list' },
      { id: 2, method: 'tools/call', params: { name: 'test_simple_text' } },
    ]) {
      const { session } = await connect();
      await converse(message, session);
      await fetch(url, { method: 'DELETE', headers: headersOf(session) });
    }
  },
  silent: forever,
  // asks for authorization although no response required it
  async authorizes() {
    for (const name of ['oauth-protected-resource', 'oauth-authorization-server'])
      await fetch(new URL(`/.well-known/${name}`, url));
    process.exit(1);
  },
};

await deeds[mode]();
