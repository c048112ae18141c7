// What a server does with HTTP: sockets, heads, bodies, streams.
import { gzipSync } from 'node:zlib';
import { MB } from './payloads.mjs';

const both = ['http', 'http new'];
const all = ['http', 'http new', 'sse'];
/** Answers requests of this method with a function. @param from number of requests that are answered rightly before */
const post = (what, respond, { over = both, from = 0, method = 'POST' } = {}) => {
  let count = 0;
  return {
    what,
    over,
    http: (request, response, next, more) =>
      request.method === method && ++count > from ? respond(request, response, more) : next(),
  };
};
const socket = (what, handle, over = both) => ({
  what,
  over,
  socket(connection) {
    connection.on('error', () => {});
    handle(connection);
  },
});
const flood = (target, part) => {
  const write = () => {
    if (target.destroyed) return;
    while (target.write(part));
  };
  target.on('drain', write);
  target.on('error', () => {});
  write();
};
const answersJson = { 'Content-Type': 'application/json' };
const rightly = { from: 4 };

export const http = {
  'accepts-and-waits': socket('accepts connections, and is silent', () => {}, all),
  'closes-connections': socket('closes each connection', connection => connection.destroy(), all),
  'resets-connections': socket('resets each connection', connection => connection.resetAndDestroy(), all),
  'speaks-another-protocol': socket('speaks the protocol of mail servers', connection =>
    connection.write('220 mail ESMTP\r\n'),
  ),
  'sends-random-bytes': socket('sends bytes without end that are not HTTP', connection =>
    flood(connection, Buffer.alloc(65_536, 0x80)),
  ),
  'endless-status-line': socket('sends a status line without end', connection => {
    connection.write('HTTP/1.1 200 ');
    flood(connection, 'x'.repeat(10_000));
  }),
  'endless-head': socket('sends headers without end', connection => {
    connection.write('HTTP/1.1 200 OK\r\n');
    flood(connection, `X-A: ${'x'.repeat(1000)}\r\n`);
  }),
  'endless-informational': socket('sends 103 responses without end', connection =>
    flood(connection, 'HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n'.repeat(50)),
  ),
  'endless-continue': socket('sends 100 responses without end', connection =>
    flood(connection, 'HTTP/1.1 100 Continue\r\n\r\n'.repeat(50)),
  ),
  'head-byte-by-byte': socket('sends one byte of a head each second', connection => {
    const bytes = [...`HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n${'X-A: b\r\n'.repeat(100)}`];
    const timer = setInterval(
      () => (connection.destroyed ? clearInterval(timer) : connection.write(bytes.shift() ?? 'x')),
      1000,
    );
  }),
  'status-of-000': socket(
    'answers with status 000',
    connection => connection.once('data', () => connection.end('HTTP/1.1 000 \r\nContent-Length: 0\r\n\r\n')),
    all,
  ),
  'status-of-999': socket('answers with status 999', connection =>
    connection.once('data', () => connection.end('HTTP/1.1 999 No\r\nContent-Length: 0\r\n\r\n')),
  ),
  'http-0-9': socket('answers without a head', connection =>
    connection.once('data', () => connection.end('{"jsonrpc":"2.0","id":1,"result":{}}')),
  ),
  'http-1-0': socket('answers as HTTP/1.0 without a length', connection =>
    connection.once('data', () =>
      connection.end(
        'HTTP/1.0 200 OK\r\nContent-Type: application/json\r\n\r\n{"jsonrpc":"2.0","id":1,"result":{}}',
      ),
    ),
  ),
  'two-lengths': socket('sends two lengths that differ', connection =>
    connection.once('data', () =>
      connection.end('HTTP/1.1 200 OK\r\nContent-Length: 5\r\nContent-Length: 50\r\n\r\nhello'),
    ),
  ),
  'length-and-chunks': socket('sends a length and chunks', connection =>
    connection.once('data', () =>
      connection.end(
        'HTTP/1.1 200 OK\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\n\r\n',
      ),
    ),
  ),
  'negative-length': socket('sends the length -1', connection =>
    connection.once('data', () => connection.end('HTTP/1.1 200 OK\r\nContent-Length: -1\r\n\r\n')),
  ),
  'huge-chunk-size': socket('sends a chunk of 2^64 bytes', connection =>
    connection.once('data', () =>
      connection.write(
        'HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\nffffffffffffffff\r\nabc',
      ),
    ),
  ),
  'broken-chunks': socket('sends chunks that are broken', connection =>
    connection.once('data', () =>
      connection.end(
        'HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\nabc\r\n',
      ),
    ),
  ),
  'chunk-extension-without-end': socket('sends an extension of a chunk without end', connection =>
    connection.once('data', () => {
      connection.write(
        'HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n5;',
      );
      flood(connection, 'x'.repeat(10_000));
    }),
  ),
  'endless-trailers': socket('sends trailers without end', connection =>
    connection.once('data', () => {
      connection.write(
        'HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n2\r\n{}\r\n0\r\n',
      );
      flood(connection, `X-A: ${'x'.repeat(1000)}\r\n`);
    }),
  ),
  'more-than-asked': socket('sends many responses to one request', connection =>
    connection.once('data', () =>
      connection.write('HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n'.repeat(1000)),
    ),
  ),
  'head-of-60-kb': post('sends a head of 15 KB', (_, response) =>
    response.writeHead(200, { 'X-A': 'x'.repeat(15_000), ...answersJson }).end('{}'),
  ),
  'ten-thousand-cookies': post('sets 1,500 cookies', (_, response) =>
    response.writeHead(200, { 'Set-Cookie': Array.from({ length: 1_500 }, (__, at) => `c${at}=1`) }).end(),
  ),
  'never-ends-the-head': post('sends no head', () => {}, { ...rightly, over: all }),
  'never-sends-a-body': post(
    'sends a head, and no body',
    (_, response) => response.writeHead(200, answersJson).flushHeaders(),
    rightly,
  ),
  'body-byte-by-byte': post(
    'sends one byte of a body each second',
    (_, response) => {
      response.writeHead(200, answersJson);
      const timer = setInterval(
        () => (response.destroyed ? clearInterval(timer) : response.write(' ')),
        1000,
      );
    },
    rightly,
  ),
  'endless-body': post(
    'sends a body without end',
    (_, response) => flood(response.writeHead(200, answersJson), ' '.repeat(60_000)),
    rightly,
  ),
  'endless-error-body': post(
    'sends a body without end with status 500',
    (_, response) => flood(response.writeHead(500), 'x'.repeat(60_000)),
    { over: all },
  ),
  'body-of-60-mb': post(
    'sends a body of 60 MB',
    (_, response) =>
      response
        .writeHead(200, answersJson)
        .end(`{"jsonrpc":"2.0","id":1,"result":{"text":"${'x'.repeat(60 * MB)}"}}`),
    rightly,
  ),
  'gzip-bomb': post(
    'sends 200 MB in 200 KB',
    (_, response) =>
      response
        .writeHead(200, { ...answersJson, 'Content-Encoding': 'gzip' })
        .end(gzipSync(Buffer.alloc(200 * MB, 0x20))),
    rightly,
  ),
  'shorter-than-said': post('ends a body before its length', (_, response) => {
    response.writeHead(200, { ...answersJson, 'Content-Length': 1000 });
    response.write('{');
    setTimeout(() => response.destroy(), 20);
  }),
  'html-page': post('answers with a page', (_, response) =>
    response.writeHead(200, { 'Content-Type': 'text/html' }).end('<html><script>alert(1)</script>'),
  ),
  'html-page-with-404': post(
    'answers with a page and status 404',
    (_, response) => response.writeHead(404, { 'Content-Type': 'text/html' }).end('<html>'),
    { over: all },
  ),
  'no-content': post('answers requests with 204', (_, response) => response.writeHead(204).end()),
  'accepts-everything': post('answers requests with 202', (_, response) => response.writeHead(202).end()),
  'always-500': post('answers with status 500', (_, response) => response.writeHead(500).end('{"error":'), {
    over: all,
  }),
  'always-401': post('answers with status 401', (_, response) => response.writeHead(401).end(), {
    over: all,
  }),
  'always-429': post(
    'answers with status 429 and a long delay',
    (_, response) => response.writeHead(429, { 'Retry-After': '999999' }).end(),
    { over: all },
  ),
  'always-503-later': post(
    'answers with status 503 after some requests',
    (_, response) => response.writeHead(503).end(),
    rightly,
  ),
  'upgrade-required': post('answers with status 426', (_, response) =>
    response.writeHead(426, { Upgrade: 'h2c', Connection: 'Upgrade' }).end(),
  ),
  'redirects-to-itself': post('redirects to itself', (request, response) =>
    response.writeHead(307, { Location: request.url }).end(),
  ),
  'redirects-to-the-canary': post(
    'redirects to another port of this host',
    (_, response, { canary }) =>
      response.writeHead(308, { Location: `http://127.0.0.1:${canary}/mcp` }).end(),
    { over: all },
  ),
  'redirects-to-a-file': post('redirects to a file', (_, response) =>
    response.writeHead(302, { Location: 'file:///etc/passwd' }).end(),
  ),
  'strange-media-type': post('has a media type of 10 KB', (_, response) =>
    response.writeHead(200, { 'Content-Type': `application/json; ${'a=b; '.repeat(2000)}` }).end('{}'),
  ),
  'media-type-with-bytes': socket('has a media type that is not text', connection =>
    connection.once('data', () =>
      connection.end('HTTP/1.1 200 OK\r\nContent-Type: \xff\xfe;charset="\r\nContent-Length: 2\r\n\r\n{}'),
    ),
  ),
  'charset-of-utf-16': post('sends JSON as UTF-16', (_, response) =>
    response
      .writeHead(200, { 'Content-Type': 'application/json; charset=utf-16' })
      .end(Buffer.from('{"jsonrpc":"2.0","id":1,"result":{}}', 'utf16le')),
  ),
  'forgets-sessions': {
    what: 'answers each request of a session with 404',
    over: ['http'],
    http: (request, response, next) =>
      request.headers['mcp-session-id'] ? response.writeHead(404).end() : next(),
  },
  'session-id-of-15-kb': {
    what: 'has session ids of 15 KB',
    over: ['http'],
    headers: { 'Mcp-Session-Id': 's'.repeat(15_000) },
  },
  'session-id-with-quotes': {
    what: 'has session ids with spaces, quotes and bytes',
    over: ['http'],
    headers: { 'Mcp-Session-Id': ' "a\xe4, b;c' },
  },
  'new-session-each-time': {
    what: 'sends another session id with each response',
    over: ['http'],
    http(_request, response, next) {
      response.setHeader('Mcp-Session-Id', String(Math.random()));
      return next();
    },
  },
  'streams-that-end-at-once': {
    what: 'ends listening streams at once, and asks to reconnect at once',
    over: ['http', 'sse'],
    listens: stream => {
      stream.write('retry: 0\nid: 1\ndata:\n\n');
      stream.end();
    },
  },
  'streams-that-break': {
    what: 'breaks the stream of each response',
    over: both,
    keepsStreams: true,
    on(message, session, reply) {
      if (message.method === 'initialize' || message.method === 'server/discover') {
        reply();
        return session.end();
      }
      session.write('retry: 0\nid: 7\ndata:\n\n');
      return setTimeout(() => session.response?.destroy(), 5);
    },
  },
  'streams-that-stay-open': { what: 'never ends the stream of a response', over: both, keepsStreams: true },
  'listening-flood': {
    what: 'sends notifications without end on listening streams',
    over: ['http'],
    listens: stream =>
      flood(
        stream.response,
        'data: {"jsonrpc":"2.0","method":"notifications/message","params":{"level":"info","data":1}}\n\n',
      ),
  },
  'listening-flood-of-requests': {
    what: 'sends requests without end on listening streams',
    over: ['http'],
    listens(stream) {
      let id = 0;
      setInterval(() => {
        for (let n = 0; n < 20; n++) stream.send({ id: `l${id++}`, method: 'ping' });
      }, 2);
    },
  },
  'delete-hangs': post('does not answer the end of a session', () => {}, {
    method: 'DELETE',
    over: ['http'],
  }),
  'get-hangs': post('does not answer GET', () => {}, { method: 'GET', over: ['http', 'sse'] }),
  'get-is-a-page': post(
    'answers GET with a page without end',
    (_, response) => flood(response.writeHead(200, { 'Content-Type': 'text/html' }), 'x'.repeat(60_000)),
    { method: 'GET', over: ['http', 'sse'] },
  ),
  'no-endpoint': { what: 'names no endpoint', over: ['sse'], listens: stream => stream.write(':\n\n') },
  'endpoint-elsewhere': {
    what: 'names an endpoint at another port',
    over: ['sse'],
    listens: stream => stream.write(`event: endpoint\ndata: http://127.0.0.1:${stream.canary}/x\n\n`),
  },
  'endpoint-of-a-script': {
    what: 'names a script as its endpoint',
    over: ['sse'],
    listens: stream => stream.write('event: endpoint\ndata: javascript:alert(1)\n\n'),
  },
  'endpoint-of-a-file': {
    what: 'names a file as its endpoint',
    over: ['sse'],
    listens: stream => stream.write('event: endpoint\ndata: file:///etc/passwd\n\n'),
  },
  'endpoint-of-1-mb': {
    what: 'names an endpoint of 1 MB',
    over: ['sse'],
    listens: stream => stream.write(`event: endpoint\ndata: /${'x'.repeat(MB)}\n\n`),
  },
  'endpoints-without-end': {
    what: 'names endpoints without end',
    over: ['sse'],
    listens: (stream, session) =>
      flood(stream.response, `event: endpoint\ndata: /messages?session=${session}\n\n`),
  },
  'posts-hang': post('does not answer POST', () => {}, { over: ['sse'] }),
};
