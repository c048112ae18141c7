// All behaviours of clients, by name: `what`, `over` and `shows` for the runner, the rest are hooks of client.mjs.
import { spawn } from 'node:child_process';
import { connect } from 'node:net';
import { scripts } from './client-scripts.mjs';
import { stateless } from './client-stateless.mjs';
import { deepObjectText, deepText, MB, members, numbers } from './payloads.mjs';

const forever = () => setInterval(() => {}, 60_000);
const all = ['stdio', 'stdio new', 'http', 'http new', 'sse'];
const era = ['stdio', 'http', 'sse'];
const web = ['http', 'http new'];
const idle = (options, code = 'setInterval(() => {}, 1000)') =>
  spawn(process.execPath, ['-e', code, process.env.HOSTILE_RUN], { stdio: 'ignore', ...options }).on(
    'error',
    () => {},
  );
/** Does something once after the connection, and uses the server then. */
const first = (what, over, act) => ({
  what,
  over,
  async act(client) {
    await act(client);
    await client.use();
    await client.leave();
  },
});
const sends = (what, over, make) =>
  first(what, over, async client => {
    const message = make(client);
    for (const one of Array.isArray(message) ? message : [message])
      await Promise.race([client.send(one), pause(500)]);
  });
const pause = ms => new Promise(resolve => setTimeout(resolve, ms));
const results = (what, make, over = era) => ({ what, over, result: make });
const only = (wanted, value) => (_, method) => (method === wanted ? value : undefined);
/** Sends without end; over HTTP one request after the other. */
const floods = (what, over, make) => ({
  what,
  over,
  async act(client) {
    for (let at = 0; ; at++) {
      const sent = client.send(make(at, client));
      if (client.server?.stdin.writableNeedDrain) await pause(1);
      else if (sent) await Promise.race([sent, pause(50)]);
      else if (at % 50 === 0) await pause(1);
    }
  },
});
const floodBytes = (what, part) => ({
  what,
  over: ['stdio'],
  act(client) {
    const write = () => {
      while (client.write(part));
    };
    client.server.stdin.on('drain', write);
    write();
    forever();
  },
});

/** Writes to a connection of its own, without a client of HTTP. */
const onSocket = (what, write, over = web) => ({
  what,
  over,
  async act({ url, headers, session }) {
    const socket = connect(Number(url.port), url.hostname);
    socket.on('error', () => process.exit(1));
    socket.on('close', () => setTimeout(() => process.exit(0), 50));
    socket.resume();
    const more = Object.entries(headers({}))
      .map(([name, value]) => `${name}: ${value}\r\n`)
      .join('');
    write(socket, `Host: ${url.host}\r\n${more}`, url, session());
    setTimeout(() => socket.destroy(), 8_000);
  },
});
const flood = (socket, part) => {
  const write = () => {
    while (!socket.destroyed && socket.write(part));
  };
  socket.on('drain', write);
  write();
};
const auth = (what, hooks, over = ['http']) => ({ what, over, auth: hooks });

export const clientBehaviours = {
  polite: { what: 'has no hostile behaviour', over: all },
  silent: { what: 'does not connect, and does not exit', over: ['stdio', 'http', 'sse'], start: forever },
  'exits-at-once': { what: 'exits with code 3', over: ['stdio', 'http'], start: () => process.exit(3) },
  'exits-with-127': {
    what: 'always exits with code 127',
    over: ['stdio', 'http'],
    start: () => process.exit(127),
  },
  hangs: { what: 'connects, and does not exit', over: all, act: forever },
  'ignores-signals': {
    what: 'ignores SIGTERM, and does not exit',
    over: ['stdio', 'http'],
    act() {
      process.on('SIGTERM', () => {});
      forever();
    },
  },
  'kills-itself': {
    what: 'is killed after it has connected',
    over: all,
    act: () => process.kill(process.pid, 'SIGKILL'),
  },
  'stops-itself': {
    what: 'stops itself (SIGSTOP) after it has connected',
    over: ['stdio', 'http'],
    act: () => process.kill(process.pid, 'SIGSTOP'),
  },
  spins: {
    what: 'uses a CPU without end after it has connected',
    over: ['stdio', 'http'],
    act() {
      for (;;);
    },
  },
  'leaves-a-child': first('leaves a process of another session', ['stdio', 'http'], () =>
    idle({ detached: true }).unref(),
  ),
  'leaves-a-daemon': first(
    'leaves a process without its environment, with another parent',
    ['stdio', 'http'],
    () => {
      const code = `require('node:child_process').spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)', process.argv[1]],
      { detached: true, env: {}, stdio: ['ignore', 'inherit', 'ignore'] }).unref()`;
      idle({ detached: true, env: {}, stdio: ['ignore', 'inherit', 'ignore'] }, code).unref();
    },
  ),
  'leaves-a-listener': first('leaves a process that listens on a port', ['http'], () =>
    idle({ detached: true }, "require('node:net').createServer().listen(0)").unref(),
  ),
  'leaves-its-server': {
    what: 'exits without ending its server',
    over: ['stdio'],
    act(client) {
      client.server.unref();
      process.exit(0);
    },
  },
  'stops-its-server': {
    what: 'stops the server process (SIGSTOP)',
    over: ['stdio'],
    act(client) {
      client.server.kill('SIGSTOP');
      forever();
    },
  },
  'kills-its-server': {
    what: 'kills the server process',
    over: ['stdio'],
    act(client) {
      client.server.kill('SIGKILL');
      setTimeout(() => process.exit(0), 50);
    },
  },
  'many-servers': {
    what: 'starts its server ten times',
    over: ['stdio'],
    async act(client) {
      for (let at = 0; at < 10; at++) client.start();
      await pause(500);
      process.exit(0);
    },
  },
  'starts-itself': {
    what: 'starts a process at each start that does not end',
    over: ['http'],
    start: () => {
      idle({ detached: true }).unref();
      forever();
    },
  },
  'floods-its-output': {
    what: 'writes to standard output and standard error without end',
    over: ['http', 'stdio'],
    act() {
      for (const stream of [process.stdout, process.stderr]) flood(stream, 'x'.repeat(60_000));
      forever();
    },
  },
  'prints-addresses': {
    what: 'prints addresses without end',
    hears: true,
    over: ['http'],
    act({ canary }) {
      flood(
        process.stdout,
        `MCP_AUTHORIZE http://127.0.0.1:${canary}/x\nhttp://127.0.0.1:${canary}/authorize?client_id=x \n`,
      );
      forever();
    },
  },
  'answers-nothing': {
    what: 'answers no request of the server',
    over: era,
    on: message => message.method !== undefined && message.id !== undefined,
  },
  'reads-nothing': {
    what: 'reads no response',
    over: ['stdio', 'http', 'http new'],
    readsNothing: true,
    act: forever,
  },

  'floods-lines': floodBytes('writes lines without end that are no messages', 'no message at all\n'),
  'endless-line': floodBytes('writes a line without end', 'x'.repeat(65_536)),
  'endless-json-line': floodBytes('writes an array without end', '1,[['.repeat(10_000)),
  'invalid-utf-8': {
    what: 'writes bytes that are not UTF-8',
    over: ['stdio', 'stdio new'],
    line: body =>
      Buffer.concat([Buffer.from(body.slice(0, -1)), Buffer.from(',"x":"\xff\xfe"}\n', 'latin1')]),
  },
  'zero-bytes': {
    what: 'writes zero bytes between messages',
    over: ['stdio'],
    line: body => `\0\0${body}\n`,
  },
  'half-a-message': {
    what: 'writes half a message, and hangs',
    over: ['stdio'],
    act(client) {
      client.write('{"jsonrpc":"2.0","id":5,"meth');
      forever();
    },
  },
  'content-length-framing': {
    what: 'frames messages as the Language Server Protocol does',
    over: ['stdio'],
    line: body => `Content-Length: ${body.length}\r\n\r\n${body}`,
  },

  'object-as-id': sends('sends requests whose id is an object', all, () => ({
    id: { toString: 1 },
    method: 'ping',
  })),
  'object-as-id-of-a-response': sends('sends responses whose id is an object', all, () => ({
    id: { toString: 1 },
    result: {},
  })),
  'huge-id': sends('sends requests with an id of 1 MB', era, () => ({ id: 'x'.repeat(MB), method: 'ping' })),
  'method-is-an-object': sends('sends requests whose method is an object', all, () => ({
    id: 5,
    method: { toString: 1 },
  })),
  'params-of-any-type': sends('sends params of the wrong type', all, () =>
    [null, 5, [], 'x', { name: {}, arguments: 5 }, { cursor: {} }].map((params, at) => ({
      id: 100 + at,
      method: 'tools/list',
      params,
    })),
  ),
  'deep-params': sends(
    'sends params nested 100,000 deep',
    era,
    () => `{"jsonrpc":"2.0","id":7,"method":"tools/list","params":${deepObjectText(100_000)}}`,
  ),
  'deep-arrays': sends('sends arrays nested a million deep', era, () => deepText(1_000_000)),
  'batch-of-100,000': sends('sends a batch of 100,000 messages', era, () =>
    JSON.stringify(numbers(100_000).map(id => ({ jsonrpc: '2.0', id, method: 'ping' }))),
  ),
  'message-of-60-mb': sends('sends a message of 60 MB', ['stdio', 'http', 'sse'], () => ({
    id: 7,
    method: 'tools/list',
    params: { text: 'x'.repeat(60 * MB) },
  })),
  'messages-of-7-mb': sends('sends ten messages of 7 MB', ['stdio', 'http', 'sse'], () =>
    numbers(10).map(at => ({ id: 100 + at, method: 'tools/list', params: { text: 'x'.repeat(7 * MB) } })),
  ),
  'million-values': sends('sends a million values in a message', ['stdio', 'http'], () => ({
    id: 7,
    method: 'tools/list',
    params: { list: numbers(1_000_000) },
  })),
  'prototype-members': sends(
    'sends members named __proto__',
    era,
    () =>
      '{"jsonrpc":"2.0","id":9,"__proto__":{"method":"x"},"method":"tools/call","params":{"__proto__":{"name":"x"},"name":"__proto__","arguments":{"__proto__":{"polluted":1}}}}',
  ),
  'members-of-the-root': sends('sends a message with 50,000 members', era, () => ({
    id: 9,
    method: 'ping',
    ...members(50_000, 1),
  })),
  'initializes-again': sends('sends initialize 500 times', ['stdio', 'http'], () =>
    numbers(500).map(at => ({
      id: 1000 + at,
      method: 'initialize',
      params: { protocolVersion: 'x', capabilities: {}, clientInfo: { name: 'x', version: '1' } },
    })),
  ),
  'cancels-everything': sends('cancels 5,000 requests', era, () =>
    (process.env.MCP_CONFORM_TRANSPORT === 'stdio' ? numbers(5_000) : numbers(50)).map(requestId => ({
      method: 'notifications/cancelled',
      params: { requestId },
    })),
  ),
  'floods-pings': floods('sends pings without end', all, at => ({ id: `p${at}`, method: 'ping' })),
  'floods-calls': floods('sends calls without end', all, (at, { meta }) => ({
    id: `c${at}`,
    method: 'tools/call',
    params: { name: 'x', arguments: {}, _meta: meta },
  })),
  'floods-with-one-id': floods('sends requests with one id without end', ['stdio', 'http'], () => ({
    id: 1,
    method: 'tools/list',
  })),
  'floods-notifications': floods('sends notifications without end', ['stdio', 'http'], () => ({
    method: 'notifications/roots/list_changed',
  })),
  'floods-responses': floods('sends responses without end', ['stdio', 'http', 'sse'], at => ({
    id: at,
    result: {},
  })),
  'floods-big-messages': floods('sends messages of 1 MB without end', ['stdio', 'http'], at => ({
    id: at,
    method: 'ping',
    params: { text: 'x'.repeat(MB) },
  })),
  'floods-subscriptions': floods('subscribes without end', ['stdio new', 'http new'], (at, { meta }) => ({
    id: `s${at}`,
    method: 'subscriptions/listen',
    params: { notifications: { toolsListChanged: true }, _meta: meta },
  })),

  'roots-of-any-type': results(
    'answers with roots of the wrong type',
    only('roots/list', { roots: [null, 5, { uri: {} }, { uri: 'http://[', name: [] }] }),
  ),
  'hundred-thousand-roots': results(
    'answers with 50,000 roots',
    only('roots/list', { roots: numbers(50_000).map(at => ({ uri: `file:///${at}` })) }),
  ),
  'samplings-of-any-type': results(
    'answers for the model with values of the wrong type',
    only('sampling/createMessage', { role: {}, content: [null, { type: 5 }], model: [], stopReason: {} }),
  ),
  'sampling-of-60-mb': results('answers for the model with 60 MB', (_, method) =>
    method === 'sampling/createMessage'
      ? { role: 'assistant', model: 'm', content: { type: 'text', text: 'x'.repeat(60 * MB) } }
      : undefined,
  ),
  'elicitations-of-any-type': results(
    'answers for the user with values of the wrong type',
    only('elicitation/create', { action: {}, content: [null] }),
  ),
  'deep-elicitation': results(
    'answers for the user with a value nested 400 deep',
    only('elicitation/create', { action: 'accept', content: numbers(400).reduce(a => ({ a }), {}) }),
  ),
  'result-is-null': results('answers with null', () => null),
  'pong-of-1-mb': results('answers pings with 1 MB', only('ping', { text: 'x'.repeat(MB) })),

  'endless-body': onSocket('sends a body without end', (socket, head) => {
    socket.write(`POST /mcp HTTP/1.1\r\n${head}Transfer-Encoding: chunked\r\n\r\n`);
    flood(socket, `ffff\r\n${'x'.repeat(0xffff)}\r\n`);
  }),
  'endless-head': onSocket('sends a head without end', (socket, head) => {
    socket.write(`POST /mcp HTTP/1.1\r\n${head}`);
    flood(socket, `X-A: ${'x'.repeat(1000)}\r\n`);
  }),
  'body-byte-by-byte': onSocket('sends one byte of a body each second', (socket, head) => {
    socket.write(`POST /mcp HTTP/1.1\r\n${head}Content-Length: 1000\r\n\r\n`);
    setInterval(() => socket.write(' '), 1000);
  }),
  'random-bytes': onSocket('sends bytes that are not HTTP', socket =>
    flood(socket, Buffer.alloc(65_536, 0x80)),
  ),
  'length-and-chunks': onSocket('sends a length and chunks', (socket, head) =>
    socket.write(
      `POST /mcp HTTP/1.1\r\n${head}Content-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n2\r\n{}\r\n0\r\n\r\nGET /admin HTTP/1.1\r\n\r\n`,
    ),
  ),
  'two-lengths': onSocket('sends two lengths', (socket, head) =>
    socket.write(`POST /mcp HTTP/1.1\r\n${head}Content-Length: 5\r\nContent-Length: 50\r\n\r\n{}`),
  ),
  'other-methods': onSocket('sends TRACE, CONNECT and unknown methods', (socket, head) => {
    for (const method of ['TRACE', 'OPTIONS', 'PUT', 'PATCH', 'HEAD', 'CONNECT'])
      socket.write(`${method} /mcp HTTP/1.1\r\n${head}Content-Length: 0\r\n\r\n`);
  }),
  'absolute-form': onSocket('sends requests with addresses of other hosts', (socket, head, { port }) =>
    socket.write(
      `GET http://169.254.169.254/latest HTTP/1.1\r\n${head}\r\nGET //[/x HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\n\r\nGET http://[ HTTP/1.1\r\nHost: [\r\n\r\n`,
    ),
  ),
  'strange-paths': onSocket('requests 200 paths that do not exist', (socket, head) => {
    for (const at of numbers(200))
      socket.write(`GET /%${at}/..%2f..\\${'x'.repeat(at * 10)}?=&&%zz HTTP/1.1\r\n${head}\r\n`);
  }),
  upgrades: onSocket('asks for other protocols', (socket, head) =>
    socket.write(
      `GET /mcp HTTP/1.1\r\n${head}Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Key: x\r\n\r\n`,
    ),
  ),
  'http-2': onSocket('begins as HTTP/2', socket =>
    socket.write('PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\0\0\0\x04\0\0\0\0\0'),
  ),
  'expects-continue': onSocket('waits for 100 Continue', (socket, head) =>
    socket.write(`POST /mcp HTTP/1.1\r\n${head}Expect: 100-continue\r\nContent-Length: 100\r\n\r\n`),
  ),
  pipelines: onSocket('sends 2,000 requests without waiting', (socket, head) => {
    for (const id of numbers(2_000)) {
      const body = JSON.stringify({ jsonrpc: '2.0', id: 1000 + id, method: 'ping' });
      socket.write(`POST /mcp HTTP/1.1\r\n${head}Content-Length: ${body.length}\r\n\r\n${body}`);
    }
  }),
  'head-of-15-kb': { what: 'sends heads of 15 KB', over: web, headers: { 'X-A': 'x'.repeat(15_000) } },
  'strange-headers': {
    what: 'sends session ids and versions that are none',
    over: web,
    headers: {
      'Mcp-Session-Id': '"\\ x,;=',
      'MCP-Protocol-Version': 'x'.repeat(5_000),
      'Mcp-Method': 'é',
      Accept: '*;q=9',
      'Last-Event-ID': 'x'.repeat(5_000),
    },
  },
  'opens-many-streams': {
    what: 'opens 300 streams, and reads none',
    over: ['http'],
    async act({ url, headers }) {
      for (let at = 0; at < 300; at++)
        void fetch(url, { headers: { ...headers({}), Accept: 'text/event-stream' } }).catch(() => {});
      forever();
    },
  },
  'opens-many-sessions': {
    what: 'opens sessions without end',
    over: ['http', 'http new'],
    async act(client) {
      for (;;)
        await fetch(client.url, {
          method: 'POST',
          headers: { 'Content-Type': 'application/json', Accept: 'application/json, text/event-stream' },
          body: client.encode({
            id: 1,
            method: 'initialize',
            params: {
              protocolVersion: '2025-11-25',
              capabilities: {},
              clientInfo: { name: 'x', version: '1' },
            },
          }),
        }).then(response => response.text());
    },
  },
  'opens-many-connections': {
    what: 'opens 1,500 connections',
    over: ['http'],
    act({ url }) {
      for (let at = 0; at < 1_500; at++) connect(Number(url.port), url.hostname).on('error', () => {});
      forever();
    },
  },
  'breaks-each-stream': {
    what: 'breaks each response after the first byte',
    over: web,
    async act({ url, headers, encode, meta }) {
      for (let at = 0; at < 300; at++) {
        const abort = new AbortController();
        const sent = fetch(url, {
          method: 'POST',
          headers: headers({ method: 'tools/list' }),
          body: encode({ id: 100 + at, method: 'tools/list', params: { _meta: meta } }),
          signal: abort.signal,
        });
        setTimeout(() => abort.abort(), 3);
        await sent.catch(() => {});
      }
      process.exit(0);
    },
  },
  'foreign-host': onSocket('names another host', socket =>
    socket.write(
      'POST /mcp HTTP/1.1\r\nHost: evil.example\r\nOrigin: https://evil.example\r\nContent-Length: 2\r\n\r\n{}',
    ),
  ),
  'compressed-body': {
    what: 'sends bodies that say they are compressed',
    over: web,
    headers: { 'Content-Encoding': 'gzip' },
  },

  ...stateless,
  ...scripts,

  'auth-polite': auth('gets a token', {}, web),
  'auth-redirect-to-a-script': auth('has a script as its redirect URI', {
    redirectUri: () => 'javascript:alert(1)',
  }),
  'auth-redirect-to-a-file': auth('has a file as its redirect URI', {
    redirectUri: () => 'file:///etc/passwd',
  }),
  'auth-redirect-elsewhere': {
    ...auth('has its redirect URI at another port', {
      redirectUri: canary => `http://127.0.0.1:${canary}/callback`,
    }),
    hears: true,
  },
  'auth-redirect-link-local': auth('has its redirect URI at a link-local address', {
    redirectUri: () => 'http://169.254.169.254/callback',
  }),
  'auth-redirect-of-1-mb': auth('has a redirect URI of 10 KB', {
    redirectUri: () => `http://127.0.0.1:9/${'x'.repeat(10_000)}`,
  }),
  'auth-registration-of-any-type': auth('registers with values of the wrong type', {
    registration: {
      client_name: {},
      redirect_uris: 5,
      grant_types: [null],
      jwks_uri: 'http://169.254.169.254/',
    },
  }),
  'auth-registration-deep': auth('registers with JSON nested 100,000 deep', {
    registrationBody: deepObjectText(100_000),
  }),
  'auth-registration-of-60-mb': auth('registers with 60 MB', {
    registrationBody: `{"client_name":"${'x'.repeat(60 * MB)}"}`,
  }),
  'auth-registers-without-end': auth('registers without end', {
    async discovered({ server }) {
      for (;;)
        await (
          await fetch(server.registration_endpoint, {
            method: 'POST',
            headers: { 'Content-Type': 'application/json' },
            body: '{"redirect_uris":["http://127.0.0.1:9/"]}',
          })
        ).text();
    },
  }),
  'auth-asks-for-metadata-without-end': auth('asks for metadata without end', {
    async discovered({ resource }) {
      for (let at = 0; ; at++)
        await (
          await fetch(new URL(`/.well-known/oauth-authorization-server/${at}`, resource.resource))
        ).text();
    },
  }),
  'auth-prints-a-script': auth('prints a script as the authorization address', {
    address: () => 'javascript:alert(1)',
  }),
  'auth-prints-another-address': auth('prints an address at another port', {
    address: (_, canary) => `http://127.0.0.1:${canary}/authorize?response_type=code`,
  }),
  'auth-prints-again-and-again': auth('prints 2,000 authorization addresses', {
    address: address =>
      numbers(2_000)
        .map(at => `${address}&x=${at}`)
        .join('\n'),
  }),
  'auth-params-of-any-size': auth('asks with params of 10 KB', {
    params: { scope: 's '.repeat(5_000), state: 'x'.repeat(5_000), resource: 'http://[' },
  }),
  'auth-client-id-is-an-address': {
    ...auth('has the address of another port as its client ID', {
      params: { client_id: 'http://127.0.0.1:{canary}/client.json' },
    }),
    hears: true,
  },
  'auth-client-id-link-local': auth('has a link-local address as its client ID', {
    params: { client_id: 'https://169.254.169.254/client.json' },
  }),
  'auth-callback-hangs': auth('does not answer its callback', { callback: () => {} }),
  'auth-callback-endless': auth('answers its callback without end', {
    callback: response => flood(response.writeHead(200), 'x'.repeat(60_000)),
  }),
  'auth-callback-redirects': {
    ...auth('redirects from its callback to another port', {
      callback: (response, canary) =>
        response.writeHead(302, { Location: `http://127.0.0.1:${canary}/x` }).end(),
    }),
    hears: true,
  },
  'auth-callback-redirects-without-end': auth('redirects from its callback without end', {
    callback: response => response.writeHead(302, { Location: `/callback?${Math.random()}` }).end(),
  }),
  'auth-form-of-any-size': auth('sends a form of 2 MB for a token', {
    form: { code_verifier: 'x'.repeat(2 * MB) },
  }),
  'auth-form-of-any-type': auth('sends values of the wrong type for a token', {
    form: { code: '\u0000', grant_type: '__proto__', resource: 'http://[', redirect_uri: ' ' },
  }),
  'auth-changes-the-token': auth('sends a token that nobody issued', { token: () => 'x'.repeat(10_000) }),
};
