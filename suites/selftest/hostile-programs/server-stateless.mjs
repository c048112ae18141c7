// What a server of 2026-07-28 does with discovery, input rounds, subscriptions, and its own bytes.
import { deepObjectText, MB, members, numbers, raw } from './payloads.mjs';

const both = ['stdio new', 'http new'];
const web = ['http new'];
const pipe = ['stdio new'];
const meta = 'io.modelcontextprotocol';
const cached = { resultType: 'complete', ttlMs: 0, cacheScope: 'private' };

/** Sends something in place of the response to a method. */
const instead = (what, method, make, over = both) => ({
  what,
  over,
  on(message, session, reply) {
    if (message.id === undefined || message.method !== method) return reply();
    const sent = make(message, session);
    if (sent !== undefined) session.send(sent);
  },
});
const discovers = (what, make, over = both) =>
  instead(what, 'server/discover', ({ id }) => ({ id, result: { ...cached, ...make() } }), over);
/** Asks for input in place of each result of a tool. @param make the result; `params` are those of the call */
const asks = (what, make, over = both) =>
  instead(
    what,
    'tools/call',
    ({ id, params }) => ({ id, result: { resultType: 'input_required', ...make(params ?? {}) } }),
    over,
  );
const form = {
  method: 'elicitation/create',
  params: { mode: 'form', message: 'x', requestedSchema: { type: 'object', properties: {} } },
};
/** Changes the response to each request. */
const each = (what, change, over = both) => ({ what, over, result: change });
const notify = (method, id, params = {}) => ({
  method: `notifications/${method}`,
  params: { ...params, _meta: { [`${meta}/subscriptionId`]: id } },
});
/** Offers subscriptions, and does something with each. The stream stays open. */
const listens = (what, act, over = both) => ({
  what,
  over,
  keepsStreams: true,
  on(message, session, reply) {
    if (message.method === 'subscriptions/listen' && message.id !== undefined) return act(message, session);
    reply();
    return session.end?.();
  },
});
const acknowledge = ({ id, params }) =>
  notify('subscriptions/acknowledged', id, { notifications: params?.notifications ?? {} });
/** Sends without end, in parts, until the connection is closed. */
const without = (send, atOnce = 50) => {
  let at = 0;
  const next = () => {
    for (let n = 0; n < atOnce; n++) if (send(at++) === false) return setTimeout(next, 5);
    return setTimeout(next, 1);
  };
  next();
};
/** Answers each request with bytes. @param handle gets the connection, and the id of the request as JSON */
const socket = (what, handle) => ({
  what,
  over: web,
  socket(connection) {
    let read = '';
    connection.on('error', () => {});
    connection.on('data', part => {
      read += part;
      const [before, after] = read.split('\r\n\r\n');
      const length = Number(/^content-length: (\d+)/im.exec(before)?.[1] ?? 0);
      if (after === undefined || Buffer.byteLength(after) < length) return;
      read = '';
      const id = /"id":("(?:[^"\\]|\\.)*"|-?[\d.e+]+)/.exec(after)?.[1];
      if (id !== undefined) handle(connection, id);
      else connection.write('HTTP/1.1 202 Accepted\r\nContent-Length: 0\r\n\r\n');
    });
  },
});
const body = id =>
  `{"jsonrpc":"2.0","id":${id},"result":{"resultType":"complete","ttlMs":0,"cacheScope":"private","supportedVersions":["2026-07-28"],"capabilities":{}}}`;
const head = (more = '') => `HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n${more}`;
const chunk = (text, extension = '') => `${Buffer.byteLength(text).toString(16)}${extension}\r\n${text}\r\n`;

export const stateless = {
  'discover-hangs': instead('does not answer server/discover', 'server/discover', () => undefined),
  'discover-is-garbage': discovers('answers server/discover with values of the wrong type', () => ({
    supportedVersions: { 0: '2026-07-28', length: 1e9 },
    capabilities: [null],
    instructions: { toString: 1 },
    _meta: 5,
  })),
  'discover-of-7-mb': discovers('has instructions of 7 MB', () => ({
    supportedVersions: ['2026-07-28'],
    capabilities: {},
    instructions: 'x'.repeat(7 * MB),
  })),
  'discover-changes': {
    what: 'offers another version each time',
    over: both,
    ...(() => {
      let count = 0;
      return {
        result: (answer, method) =>
          method === 'server/discover'
            ? { ...answer, supportedVersions: count++ % 2 ? ['2026-07-28'] : ['2099-01-01'] }
            : undefined,
      };
    })(),
  },
  'discover-asks-for-input': discovers('asks for input in place of its versions', () => ({
    resultType: 'input_required',
    inputRequests: { a: form },
    requestState: 'x',
  })),
  'versions-refused-in-a-circle': {
    what: 'refuses the version that it offers',
    over: both,
    result: (_, method) =>
      method === 'server/discover'
        ? undefined
        : {
            error: {
              code: -32022,
              message: 'Unsupported protocol version',
              data: { supported: ['2026-07-28'], requested: '2026-07-28' },
            },
          },
  },
  'refused-version-of-any-type': {
    what: 'refuses each request with data of the wrong type',
    over: both,
    result: () => ({
      error: { code: -32022, message: {}, data: { supported: { toString: 1 }, requested: [] } },
    }),
  },
  'ten-thousand-extensions': discovers('declares 10,000 extensions', () => ({
    supportedVersions: ['2026-07-28'],
    capabilities: { extensions: members(10_000, { a: 1 }), tools: {} },
  })),

  'state-of-7-mb': asks('asks for input with a state of 7 MB', () => ({
    inputRequests: { a: form },
    requestState: 'x'.repeat(7 * MB),
  })),
  'state-that-grows': asks('asks for input with a state that is twice as long each time', params => ({
    requestState: String(params.requestState ?? 'x'.repeat(1000)).repeat(2),
  })),
  'state-of-any-type': asks('asks for input with a state that is an object', () => ({
    inputRequests: { a: form },
    requestState: { toString: 1 },
  })),
  'input-of-unknown-methods': asks('asks for what no client knows', () => ({
    inputRequests: {
      a: { method: 'tools/call', params: { name: 'echo' } },
      b: { method: { toString: 1 } },
      c: null,
      d: [],
      e: { method: '__proto__', params: 5 },
    },
    requestState: 's',
  })),
  'input-of-prototype-names': asks('asks under names like those of members of every object', () => ({
    inputRequests: raw(
      `{"__proto__":${JSON.stringify(form)},"constructor":${JSON.stringify(form)},"":${JSON.stringify(form)},"${'k'.repeat(MB)}":${JSON.stringify(form)}}`,
    ),
  })),
  'input-without-requests': asks('asks for input and names none', () => ({})),
  'input-for-everything': each('asks for input in place of each result', () => ({
    resultType: 'input_required',
    inputRequests: { a: form },
    requestState: 'again',
  })),
  'input-of-hostile-addresses': {
    what: 'sends the user to scripts, files and other ports of this host',
    over: both,
    on(message, session, reply) {
      if (message.method !== 'tools/call' || message.id === undefined) return reply();
      const urls = ['javascript:alert(1)', 'file:///etc/passwd', `http://127.0.0.1:${session.canary}/x`];
      return session.send({
        id: message.id,
        result: {
          resultType: 'input_required',
          inputRequests: Object.fromEntries(
            urls.map((url, at) => [
              `u${at}`,
              {
                method: 'elicitation/create',
                params: { mode: 'url', elicitationId: '1', message: 'x', url },
              },
            ]),
          ),
        },
      });
    },
  },

  'listening-hangs': listens('acknowledges no subscription', () => {}),
  'listening-ends-at-once': listens('ends each subscription at once', ({ id }, session) => {
    session.send({ id, result: cached });
    session.end?.();
  }),
  'listening-floods': listens('sends notifications without end to a subscription', (message, session) => {
    session.send(acknowledge(message));
    without(() => session.send(notify('tools/list_changed', message.id)));
  }),
  'listening-acknowledges-without-end': listens(
    'acknowledges a subscription without end',
    (message, session) => without(() => session.send(acknowledge(message))),
  ),
  'listening-for-others': listens('sends notifications of other subscriptions', (message, session) => {
    session.send(acknowledge(message));
    for (const id of ['other', { toString: 1 }, null, raw('1e400'), 'x'.repeat(MB)])
      session.send(notify('resources/list_changed', id));
  }),
  'listening-asks': listens('sends requests to a subscription without end', (message, session) => {
    session.send(acknowledge(message));
    without(at => session.send({ id: `l${at}`, method: 'roots/list' }), 5);
  }),
  'listening-comments': listens(
    'sends comments without end to a subscription',
    (message, session) => {
      session.send(acknowledge(message));
      without(() => session.write(':\n\n'));
    },
    web,
  ),

  'half-closed-sockets': socket('closes its side of each connection after the head', (connection, id) => {
    connection.end(head(`Content-Length: ${body(id).length}\r\n\r\n`));
    connection.resume();
  }),
  'old-http-to-the-end': socket('answers rightly as HTTP/1.0, and closes each connection', (connection, id) =>
    connection.end(`HTTP/1.0 200 OK\r\nContent-Type: application/json\r\n\r\n${body(id)}`),
  ),
  'chunk-extensions': socket('has an extension of 8 KB at each chunk', (connection, id) =>
    connection.write(
      `${head('Transfer-Encoding: chunked\r\n\r\n')}${[...body(id)]
        .map(letter => chunk(letter, `;a=${'x'.repeat(8_000)}`))
        .join('')}0\r\n\r\n`,
    ),
  ),
  'trailers-that-say-more': socket('sends trailers that change the head', (connection, id) =>
    connection.write(
      `${head('Transfer-Encoding: chunked\r\nTrailer: Content-Type\r\n\r\n')}${chunk(body(id))}0\r\nContent-Type: text/html\r\nContent-Length: 5\r\nMcp-Session-Id: x\r\n\r\n`,
    ),
  ),
  'hundred-informational': socket('sends 100 other heads before each response', (connection, id) =>
    connection.write(
      `${'HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n'.repeat(100)}${head(`Content-Length: ${body(id).length}\r\n\r\n`)}${body(id)}`,
    ),
  ),
  'head-of-1,500-headers': {
    what: 'has 1,500 headers in each response',
    over: web,
    headers: Object.fromEntries(numbers(1_500).map(at => [`X-${at}`, 'x'])),
  },
  'stream-of-other-responses': {
    what: 'sends responses to other requests on each stream',
    over: web,
    on(message, session, reply) {
      for (let at = 0; at < 20; at++) session.send({ id: `${message.id} ${at}`, result: cached });
      reply();
    },
  },
  'resets-in-a-stream': {
    what: 'resets the connection in the middle of each event',
    over: web,
    on(message, session, reply) {
      if (message.method === 'server/discover' || message.method === 'tools/list') return reply();
      session.write('data: {"jsonrpc":"2.0","id"');
      return setTimeout(() => session.response.socket?.resetAndDestroy(), 5);
    },
  },

  'ids-of-7-mb': {
    what: 'sends responses with an id of 7 MB',
    over: both,
    on(message, session, reply) {
      if (message.method === 'tools/call') session.send({ id: 'i'.repeat(7 * MB), result: cached });
      reply();
    },
  },
  'ids-of-10-mb': {
    what: 'sends responses with an id of 10 MB',
    over: both,
    on(message, session, reply) {
      if (message.method === 'tools/call') session.send({ id: 'i'.repeat(10 * MB), result: cached });
      reply();
    },
  },
  'prototype-everywhere': {
    what: 'has a member __proto__ in each object',
    over: pipe,
    line: text =>
      `${String(text).replaceAll(/\{(?=")/g, '{"__proto__":{"polluted":1},"constructor":null,')}\n`,
  },
  'doubled-results': {
    what: 'has each member of a response twice',
    over: pipe,
    line: text => `${String(text).slice(0, -1)},${String(text).slice(1)}\n`,
  },
  'numbers-without-end': each('has numbers that no program can represent', (answer, method) =>
    method === 'tools/list'
      ? { ...answer, ttlMs: raw('1e400'), _meta: { a: raw('-1e400'), b: raw('1e-400'), c: raw('-0') } }
      : undefined,
  ),
  'zero-bytes-in-texts': each('has zero bytes in names, texts and URIs', (answer, method) =>
    method === 'resources/list'
      ? { ...answer, resources: [{ uri: 'test://a\u0000b', name: '\u0000', mimeType: '\u0000' }] }
      : undefined,
  ),
  'byte-order-marks': {
    what: 'begins each message with a byte order mark',
    over: pipe,
    line: t => `\ufeff${t}\n`,
  },
  'utf-16-lines': {
    what: 'writes lines of UTF-16',
    over: pipe,
    line: text => Buffer.from(`${text}\n`, 'utf16le'),
  },
  'deep-capabilities': instead(
    'declares capabilities nested 3,000 deep',
    'server/discover',
    ({ id }) =>
      `{"jsonrpc":"2.0","id":${JSON.stringify(id)},"result":{"resultType":"complete","ttlMs":0,"cacheScope":"private","supportedVersions":["2026-07-28"],"capabilities":{"experimental":${deepObjectText(3_000)}}}}`,
  ),
  'icons-elsewhere': {
    what: 'has icons and links at another port of this host',
    over: both,
    tool: {
      name: 'hostile',
      icons: [{ src: 'http://127.0.0.1:{canary}/icon.png' }],
      inputSchema: { type: 'object', $ref: 'http://127.0.0.1:{canary}/schema.json' },
    },
  },
};
