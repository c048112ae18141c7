import type { Json } from '../../../spec/json-rpc.js';
import type { Revision } from '../../../spec/revisions.js';
import { vocabularyOf } from '../../../spec/vocabulary.js';
import { ask, body, end, event, over } from '../http-events.test.util.js';
import { error, type Line, notification, request, result } from '../record.test.util.js';

const sse = 'text/event-stream';
const json = 'application/json';
const id = { 'Mcp-Session-Id': 's1' };
const note = notification('notifications/initialized');

/** The headers that a client of the revision sends in a session. */
const own = (r: Revision, more: Record<string, string> = {}) => ({
  ...id,
  ...(r.protocolVersionHeader && { 'MCP-Protocol-Version': r.id }),
  ...more,
});

/** The handshake over HTTP, with a session. */
const opened = (r: Revision, sent: Record<string, string> = {}): Line[] => {
  const about = { protocolVersion: r.id, capabilities: {} };
  const init = request(1, 'initialize', { ...about, clientInfo: { name: 'c', version: '1' } });
  return [
    ...ask(1, 'POST', init, 200, json, { headers: id, sent }),
    body(1, result(1, { ...about, serverInfo: { name: 's', version: '1' } })),
    end(1),
    ...ask(2, 'POST', note, 202, undefined, { sent: own(r) }),
    end(2),
  ];
};

/** Another initialize, which is refused. */
const opensAgain = (r: Revision, exchange: number): Line[] => [
  ...ask(
    exchange,
    'POST',
    request(9, 'initialize', {
      protocolVersion: r.id,
      capabilities: {},
      clientInfo: { name: 'c', version: '1' },
    }),
    400,
    json,
  ),
  body(exchange, error(9)),
  end(exchange),
];

/** Another request of the session with changes, and its response. */
const ping =
  (sent: Record<string, string>, verb = 'POST') =>
  (r: Revision): Line[] => [
    ...opened(r),
    ...ask(3, verb, verb === 'POST' ? request(2, 'ping') : undefined, 200, json, { sent: own(r, sent) }),
    ...(verb === 'POST' ? [body(3, result(2))] : []),
    end(3),
  ];

/** The same headers without some of them. */
const without =
  (name: string, verb = 'POST') =>
  (r: Revision): Line[] =>
    ping(
      {},
      verb,
    )(r).map(line => {
      if (!('kind' in line) || line.kind !== 'http-request' || line.exchange < 3) return line;
      return { ...line, headers: line.headers.filter(([n]) => n.toLowerCase() !== name) };
    });

/** A response with a Location, and a message to /other with an Accept header that is invalid at the MCP endpoint. */
const sentElsewhere = (status: number, location = '/other', from = 'http://localhost/mcp'): Line[] => [
  ...post,
  ...ask(2, 'POST', note, status, undefined, { headers: { Location: location } }).map(l =>
    elsewhere(l, from),
  ),
  ...ask(3, 'POST', note, 202, undefined, { sent: { Accept: '*/*' } }).map(l =>
    elsewhere(l, 'http://localhost/other'),
  ),
];

const inSession = (r: Revision, message: Json): Line[] => [
  ...ask(3, 'POST', message, 200, json, { sent: own(r) }),
  body(3, result(3)),
];

/** A GET for a stream without a session id. */
const strayGet = (exchange: number, r?: Revision): Line[] => {
  const version = r?.protocolVersionHeader && { 'MCP-Protocol-Version': r.id };
  return [...ask(exchange, 'GET', undefined, 200, sse, { sent: { ...version } }), end(exchange)];
};

/** The server responds with a version that does not exist, and the client continues. */
const goesOnWith = (version: string, r: Revision): Line[] =>
  ping({ 'MCP-Protocol-Version': version })({ ...r, id: version } as Revision);

/** The session ends, and a GET without a token gets status 401. */
const looksAgain = (r: Revision, version?: string): Line[] => [
  ...opened(r),
  ...ask(3, 'DELETE', undefined, 200, undefined, { sent: own(r) }),
  end(3),
  ...ask(4, 'GET', undefined, 401, json, {
    sent: { Accept: '*/*', ...(version && { 'MCP-Protocol-Version': version }) },
  }),
  end(4),
];

/** The GET was in flight when the session id was assigned. */
const crossing: Line[] = [
  ...ask(1, 'POST', request(1, 'initialize', {}), 200, json, { headers: id }),
  body(1, result(1, {})),
  end(1),
  ...strayGet(2),
];

const isEndOf = (line: Line, exchange: number): boolean =>
  'kind' in line && line.kind === 'http-end' && line.exchange === exchange;

const elsewhere = (line: Line, url: string): Line => ('url' in line ? { ...line, url } : line);

/** The same lines, in which neither side sends a session id. */
const withoutSession = (lines: readonly Line[]): Line[] =>
  lines.map(line =>
    'headers' in line
      ? { ...line, headers: line.headers.filter(([name]) => name !== 'Mcp-Session-Id') }
      : line,
  );

const initialized = (r: Revision): Line[] => opened(r).filter(l => !('exchange' in l) || l.exchange === 1);

/** A request of the session that gets status 404, and the lines after it. */
const expires =
  (...after: Line[]) =>
  (r: Revision): Line[] => [
    ...opened(r),
    ...signed(r, ask(3, 'POST', request(2, 'ping'), 404)),
    end(3),
    ...signed(r, after),
  ];

/** An initialize request with messages of the server before and after the result. */
const onStreamOfInitialize = (r: Revision, before: readonly Json[], after: readonly Json[]): Line[] => {
  const about = { protocolVersion: r.id, capabilities: {} };
  const init = request(1, 'initialize', { ...about, clientInfo: { name: 'c', version: '1' } });
  const initResult = result(1, { ...about, serverInfo: { name: 's', version: '1' } });
  return [
    ...ask(1, 'POST', init, 200, sse, { headers: id }),
    ...[...before, initResult, ...after].flatMap(message => event(1, message)),
  ];
};

const refused = (exchange: number, verb = 'POST', sent: Record<string, string> = {}): Line[] => [
  ...ask(exchange, verb, verb === 'POST' ? request(exchange, 'ping') : undefined, 404, undefined, { sent }),
  end(exchange),
];

const text = (words: string): Line[] => [
  { kind: 'frame', by: 'client', text: words, exchange: 1, stream: 'post' },
  ...ask(1, 'POST', undefined, 400, json),
  end(1),
];

const post = ask(1, 'POST', request(1, 'ping'), 200, json);
const form: Line = { kind: 'http-body', exchange: 1, of: 'request', text: '{"jsonrpc":"2.0","method":"x"}' };

/** A call whose stream ends or breaks after an event with an id, and the lines after it. */
const broken =
  (by: 'server' | 'error', retry: string | undefined, ...after: Line[]) =>
  (r: Revision): Line[] => [
    ...opened(r),
    ...ask(3, 'POST', request(2, 'ping'), 200, sse, { sent: own(r) }),
    { kind: 'sse', exchange: 3, id: 'a', data: '', ...(retry && { retry }) },
    { kind: 'http-end', exchange: 3, by },
    ...signed(r, after),
  ];

/** Two streams, of which the first has ended, and a GET. */
const twoStreams =
  (last: string, ...after: Line[]) =>
  (r: Revision): Line[] => [
    ...opened(r),
    ...ask(3, 'POST', request(2, 'ping'), 200, sse, { sent: own(r) }),
    { kind: 'sse', exchange: 3, id: 'a', data: '' },
    ...ask(4, 'POST', request(3, 'ping'), 200, sse, { sent: own(r) }),
    { kind: 'sse', exchange: 4, id: 'b', data: '' },
    end(3),
    ...ask(5, 'GET', undefined, 200, sse, { sent: own(r, { 'Last-Event-ID': last }) }),
    ...after,
  ];

/** A stream opened with GET that ends with a `retry` field. */
const standing =
  (exchange: number, retry: string) =>
  (r: Revision): Line[] => [
    ...opened(r),
    ...ask(exchange, 'GET', undefined, 200, sse, { sent: own(r) }),
    { kind: 'sse', exchange, id: 'g', data: '', retry },
    end(exchange),
  ];

const back = (last: string): Line[] => [
  ...ask(4, 'GET', undefined, 200, sse, { sent: { 'Last-Event-ID': last } }),
  ...event(4, result(2), {}, 'get'),
  end(4),
];
/** The stream of a call with a request of the server, which a resumed stream delivers again. */
const redelivered = (again: string, ...responses: readonly number[]) =>
  resumedWith(
    event(3, request(7, 'ping'), { id: 'a' }),
    event(4, request(7, 'ping'), { id: again }, 'get').map(replayed),
    ...responses,
  );
const replayed = (line: Line): Line =>
  'kind' in line && line.kind === 'frame' ? { ...line, replay: true } : line;

/** The stream of a call that ends after an event, the events of the resumed stream, and POSTs with a response to request 7. */
const resumedWith =
  (before: readonly Line[], after: readonly Line[], ...responses: readonly number[]) =>
  (r: Revision): Line[] => [
    ...opened(r),
    ...ask(3, 'POST', request(2, 'ping'), 200, sse, { sent: own(r) }),
    { kind: 'sse', exchange: 3, id: 'a', data: '' },
    ...before,
    end(3),
    ...ask(4, 'GET', undefined, 200, sse, { sent: own(r, { 'Last-Event-ID': 'a' }) }),
    ...signed(r, after),
    ...responses.flatMap(exchange => [
      ...ask(exchange, 'POST', result(7), 202, undefined, { sent: own(r) }),
      end(exchange),
    ]),
  ];
const waited: Line = { kind: 'deadline', label: 'http', ms: 9 };

/** A stream opened with GET that ends, whose event has a `retry` field and no id, and the lines after it. */
const plain =
  (retry: string, by: 'server' | 'client', ...after: Line[]) =>
  (r: Revision): Line[] => [
    ...opened(r),
    ...ask(3, 'GET', undefined, 200, sse, { sent: own(r) }),
    { kind: 'sse', exchange: 3, data: '', retry },
    end(3, by),
    ...signed(r, after),
  ];
/** The headers of the session, in lines of the client. */
const signed = (r: Revision, lines: readonly Line[]): Line[] =>
  lines.map(line =>
    'kind' in line && line.kind === 'http-request'
      ? { ...line, headers: [...line.headers, ...Object.entries(own(r))] }
      : line,
  );
const reopened = (exchange: number): Line[] => ask(exchange, 'GET', undefined, 200, sse);

/** A stream opened with GET that breaks after a request of the server, and a return to the event before. */
const missesRequest = (...answer: Line[]): Line[] => [
  ...ask(1, 'GET', undefined, 200, sse),
  { kind: 'sse', exchange: 1, id: 'a', data: 'x' },
  ...event(1, request(7, 'ping'), { id: 'b' }, 'get'),
  { kind: 'http-end', exchange: 1, by: 'error' },
  ...answer,
  ...ask(3, 'GET', undefined, 200, sse, { sent: { 'Last-Event-ID': 'a' } }),
];

/** A call whose stream the client closes, and the lines after it. */
const hangsUp =
  (before: readonly Line[], ...after: Line[]) =>
  (r: Revision): Line[] => [
    ...opened(r),
    ...ask(3, 'POST', request(2, 'ping'), 200, sse, { sent: own(r) }),
    ...signed(r, before),
    end(3, 'client'),
    ...signed(r, [...after, ...ask(9, 'POST', request(9, 'ping'), 200, json), body(9, result(9))]),
  ];

const twoIds: Line[] = [
  { kind: 'sse', exchange: 1, id: 'a', data: 'x' },
  { kind: 'sse', exchange: 1, id: 'b', data: 'x' },
];

const page = 'http://localhost/page';
const visit = (exchange: number, url = page, method: 'GET' | 'HEAD' = 'GET'): Line[] => [
  { kind: 'http-request', exchange, method, url, headers: [] },
  { kind: 'http-response', exchange, status: 200, headers: [] },
  end(exchange),
];

/** A call that asks the user to open a page, with the events before and after the response to that elicitation. */
const answeredWith = (answer: Json, before: Line[], after: Line[], more = {}): Line[] => [
  ...ask(1, 'POST', request(7, 'tools/call', { name: 't' }), 200, sse),
  ...event(
    1,
    request(8, 'elicitation/create', { mode: 'url', message: 'm', url: page, elicitationId: 'e', ...more }),
  ),
  ...before,
  ...ask(2, 'POST', answer, 202),
  end(2),
  ...after,
];

const asksForVisit = (action: string, before: Line[], after: Line[]): Line[] =>
  answeredWith(result(8, { action }), before, after);

const taskAt = '2026-08-01T10:00:00Z';
const task = {
  taskId: 'a1b2c3d4-e5f6',
  status: 'working',
  createdAt: taskAt,
  lastUpdatedAt: taskAt,
  ttl: null,
};

export const examples = over('streamable-http', {
  'elicitation.url-not-prefetched': {
    good: [
      { lines: asksForVisit('accept', [], visit(3)), shows: 'accepted' },
      asksForVisit('decline', [], []),
    ],
    legal: [
      // no page of the harness
      ...[{}, { mode: 'url', url: 'https://e.com/' }, { mode: 'url', url: 'no url' }].map(change => ({
        lines: [
          ...ask(1, 'POST', request(7, 'tools/call', { name: 't' }), 200, sse),
          ...event(
            1,
            request(8, 'elicitation/create', { message: 'm', url: page, elicitationId: 'e', ...change }),
          ),
          ...ask(2, 'POST', result(8, { action: 'decline' }), 202),
          end(2),
        ],
        isUnobserved: true as const,
      })),
      { lines: asksForVisit('accept', [], []).slice(0, 5), isUnobserved: true },
      { lines: asksForVisit('accept', visit(3), []), isUnobserved: true, shows: 'opened-first' },
    ],
    bad: [
      { lines: asksForVisit('decline', visit(3), []), shows: 'early' },
      asksForVisit('cancel', visit(3, `${page}?preview=1`, 'HEAD'), []),
    ],
  },
  'elicitation.url-not-opened-without-consent': {
    good: [asksForVisit('decline', [], [])],
    legal: [
      { lines: asksForVisit('accept', [], visit(3)), shows: 'accepted' },
      // the decision comes later
      {
        lines: answeredWith(result(8, { task }), [], visit(3), { task: {} }),
        when: revision => vocabularyOf(revision).requests.server.has('tasks/get'),
        isUnobserved: true,
      },
    ],
    bad: [
      { lines: answeredWith(error(8, -32602), [], visit(3)) },
      { lines: asksForVisit('decline', [], visit(3)), shows: 'after-decline' },
      { lines: asksForVisit('cancel', [], visit(3)), shows: 'after-cancel' },
    ],
  },
  'streamable-http.message-per-post': {
    good: [post],
    legal: [
      // a record that ends before the request
      { lines: post.slice(0, 1), isUnobserved: true },
      {
        lines: [
          ...ask(1, 'POST', request(1, 'ping'), 307, undefined, { headers: { Location: '/other' } }),
          ...ask(2, 'POST', request(1, 'ping'), 200, json).map(l => elsewhere(l, 'http://localhost/other')),
        ],
        shows: 'redirected',
      },
      {
        lines: [
          ...post,
          ...ask(2, 'POST', undefined, 200, json).map(l => elsewhere(l, 'http://localhost/token')),
          { kind: 'http-body', exchange: 2, of: 'request', text: 'grant_type=x' },
        ],
        shows: 'other-endpoint',
      },
      {
        lines: [...post, ...ask(2, 'POST', note, 202, undefined, { url: 'http://localhost/mcp?x=1' })],
        shows: 'query',
      },
      [
        ...post,
        ...ask(2, 'POST', undefined, 200, json).map(l => elsewhere(l, 'http://localhost/token')),
        { kind: 'http-body', exchange: 2, of: 'request', text: '{"grant_type":"x"}' },
      ],
    ],
    bad: [
      { lines: [...ask(1, 'PUT', undefined, 405), form], shows: 'other-method' },
      {
        lines: [
          ...post,
          ...ask(2, 'POST', undefined, 404).map(l => elsewhere(l, 'http://localhost/else')),
          { ...form, exchange: 2 },
        ],
        shows: 'other-path',
      },
      // a message that the server accepted there, after responses that do not move the endpoint
      ...[
        sentElsewhere(201),
        sentElsewhere(400),
        sentElsewhere(307, 'http://['),
        sentElsewhere(307, '/other', 'http://localhost/page'),
      ].map(lines => ({ lines, shows: 'other-path' })),
      { lines: ask(1, 'PUT', note, 202), shows: 'other-method' },
      // an array with one message
      [
        ...ask(1, 'PUT', undefined, 405),
        { kind: 'http-body', exchange: 1, of: 'request', text: '[{"jsonrpc":"2.0","method":"x"},{}]' },
      ],
      {
        lines: [...ask(1, 'GET', undefined, 400, undefined, { sent: { Upgrade: 'websocket' } })],
        shows: 'websocket',
      },
    ],
  },
  'streamable-http.post-accept': {
    good: [post],
    legal: [
      {
        lines: ask(1, 'POST', note, 202, undefined, {
          sent: { Accept: 'TEXT/event-stream;q=0.5,application/json' },
        }),
        shows: 'weights',
      },
      { lines: [], isUnobserved: true },
    ],
    bad: [
      { lines: ask(1, 'POST', note, 202, undefined, { sent: { Accept: '*/*' } }), shows: 'wildcard' },
      ask(1, 'POST', note, 202, undefined, {
        sent: { Accept: 'application/json, text/event-stream; q=0.0' },
      }),
      {
        lines: ask(1, 'POST', note, 202, undefined, { sent: { Accept: 'application/json' } }),
        shows: 'one-type',
      },
      { lines: sentElsewhere(300) },
      // with a query
      {
        lines: [
          ...post,
          ...ask(2, 'POST', note, 202, undefined, {
            sent: { Accept: '*/*' },
            url: 'http://localhost/mcp?x=1',
          }),
        ],
      },
      // no header
      {
        lines: ask(1, 'POST', note, 202).map(l =>
          'headers' in l ? { ...l, headers: l.headers.filter(([name]) => name !== 'Accept') } : l,
        ),
      },
      // another name of the same host
      {
        lines: [
          ...post,
          ...ask(2, 'POST', note, 202, undefined, { sent: { Accept: '*/*' }, url: 'http://127.0.0.1/mcp' }),
        ],
      },
    ],
  },
  'streamable-http.get-accept': {
    good: [ask(1, 'GET', undefined, 200, sse)],
    legal: [
      {
        lines: ask(1, 'GET', undefined, 405, undefined, { sent: { Accept: 'text/event-stream' } }),
        shows: 'refused',
      },
      { lines: r => looksAgain(r), shows: 'looks-again' },
      { lines: r => looksAgain(r, '2000-01-01') },
    ],
    bad: [
      { lines: ask(1, 'GET', undefined, 200, sse, { sent: { Accept: 'application/json' } }), shows: 'json' },
      {
        lines: ask(1, 'GET', undefined, 401, json, {
          sent: { Accept: '*/*', Authorization: 'Bearer ~00000001' },
        }),
        shows: 'anything',
      },
    ],
  },
  'streamable-http.post-body': {
    good: [post],
    legal: [
      // the body broke off
      [
        ...ask(1, 'POST', undefined, 400, json),
        { kind: 'http-body', exchange: 1, of: 'request', text: '{"jsonrpc"' },
        end(1),
      ],
      {
        lines: r => [
          ...opened(r),
          ['s', request(7, 'ping')],
          ...inSession(r, [request(3, 'ping')]),
          end(3),
          ...ask(4, 'POST', [result(7)], 202, undefined, { sent: own(r) }),
          end(4),
        ],
        when: r => r.batches,
      },
    ],
    bad: [
      { lines: text('{"jsonrpc":"2.0","method":"x"}\n{"jsonrpc":"2.0","method":"y"}'), shows: 'lines' },
      { lines: [...ask(1, 'POST', undefined, 400, json), end(1)], shows: 'empty' },
      { lines: [...ask(1, 'POST', undefined, 400, json), body(1, error(null)), end(1)] },
      {
        lines: [...text(JSON.stringify([request(1, 'ping')]))],
        also: ['batch.not-allowed'],
        when: r => !r.batches,
        shows: 'array',
      },
      {
        lines: r => [
          ...opened(r),
          ['s', request(7, 'ping')],
          ...inSession(r, [result(7), request(3, 'ping')]),
        ],
        when: r => r.batches,
        shows: 'mixed-array',
      },
      { lines: text('[]'), when: r => r.batches },
    ],
  },
  'streamable-http.client-version-header': {
    good: [{ lines: ping({}) }],
    legal: [
      // a second session that is recorded in the same conversation
      { lines: r => [...ping({})(r), ...opensAgain(r, 4)] },
      { lines: opened, shows: 'initialize' },
      { lines: r => [...opened(r), ...strayGet(3)], shows: 'other-endpoint' },
      // messages of the server on the stream of initialize
      {
        lines: r =>
          onStreamOfInitialize(r, [notification('notifications/message', { level: 'info', data: '' })], []),
        isUnobserved: true,
      },
      {
        lines: r => onStreamOfInitialize(r, [], [request(7, 'ping')]),
        isUnobserved: true,
      },
    ],
    bad: [
      { lines: without('mcp-protocol-version'), shows: 'missing' },
      { lines: without('mcp-protocol-version', 'GET') },
      { lines: without('mcp-protocol-version', 'DELETE') },
      // the client never sends notifications/initialized
      {
        lines: r => without('mcp-protocol-version')(r).filter(l => !('exchange' in l) || l.exchange !== 2),
      },
    ],
  },
  'streamable-http.client-version-header-negotiated': {
    good: [{ lines: ping({}) }],
    legal: [
      { lines: r => looksAgain(r, '2000-01-01'), shows: 'looks-again' },
      { lines: r => goesOnWith('1900-01-01', r), shows: 'nothing-negotiated' },
      // initialize was refused
      {
        lines: r =>
          ping({ 'MCP-Protocol-Version': '9999-01-01' })(r).map(l =>
            'kind' in l && l.kind === 'frame' && l.exchange === 1 && l.by === 'server'
              ? { ...l, text: JSON.stringify(error(1)) }
              : l,
          ),
      },
    ],
    bad: [{ lines: ping({ 'MCP-Protocol-Version': '9999-01-01' }), shows: 'other-version' }],
  },
  'streamable-http.client-sends-session': {
    good: [{ lines: ping({}) }, { lines: ping({}, 'DELETE') }],
    legal: [
      { lines: post, shows: 'no-session' },
      { lines: r => withoutSession(opened(r)), isUnobserved: true },
      { lines: crossing, shows: 'crossed' },
      {
        lines: r => [...initialized(r), ...strayGet(2, r)],
        when: r => r.protocolVersionHeader,
        isUnobserved: true,
      },
      { lines: r => [...opened(r), ...strayGet(3)], shows: 'other-endpoint' },
      { lines: r => looksAgain(r, '2000-01-01'), shows: 'looks-again' },
    ],
    bad: [
      { lines: without('mcp-session-id'), shows: 'missing' },
      {
        lines: r => [...opened(r), ...strayGet(3, r)],
        when: r => r.protocolVersionHeader,
        shows: 'missing-on-get',
      },
      { lines: ping({ 'Mcp-Session-Id': 'S1' }), shows: 'altered' },
      { lines: ping({ 'Mcp-Session-Id': 'S1' }, 'DELETE') },
      // the first message after the response to initialize
      {
        lines: r => [
          ...initialized(r),
          ...withoutSession(ask(2, 'POST', note, 202, undefined, { sent: own(r) })),
        ],
      },
      // a return to a stream of the session
      {
        lines: r => [...broken('error', undefined)(r), ...back('a')],
        also: ['streamable-http.client-version-header'],
      },
      // after the session has expired
      {
        lines: r => [...expires()(r), ...withoutSession(signed(r, [...refused(4), ...refused(5)]))],
        others: [],
      },
      // a GET with the session id shows that the client has received it
      {
        lines: r => [
          ...initialized(r),
          ...ask(2, 'GET', undefined, 405, undefined, { sent: own(r) }),
          ...strayGet(3, r),
        ],
        when: r => r.protocolVersionHeader,
      },
      { lines: r => opened(r, id), shows: 'on-initialize' },
      // the server refused to end the session
      {
        lines: r => [
          ...opened(r),
          ...ask(3, 'DELETE', undefined, 405, undefined, { sent: own(r) }),
          end(3),
          ...strayGet(4, r),
        ],
        when: r => r.protocolVersionHeader,
      },
    ],
  },
  'streamable-http.client-new-session-on-404': {
    good: [
      { lines: expires(), others: [r => opened(r)] },
      { lines: r => [...opened(r), ...signed(r, refused(3, 'GET'))], others: [r => opened(r)] },
    ],
    legal: [
      // the run ends
      { lines: expires(), others: [], isUnobserved: true },
      // one request was in flight
      { lines: expires(...refused(4)), others: [], isUnobserved: true },
      // only a request with POST needs the session
      { lines: expires(...refused(4, 'GET'), ...refused(5, 'DELETE')), others: [] },
      {
        lines: r => withoutSession(expires()(r)),
        others: [r => opened(r)],
        isUnobserved: true,
      },
      // the server does not know the path without a session
      { lines: r => [...opened(r), ...refused(3, 'GET')], others: [r => opened(r)], isUnobserved: true },
      // no session has expired
      { lines: opened, others: [r => opened(r)], isUnobserved: true },
      {
        lines: r => [...opened(r), ...signed(r, refused(3, 'DELETE'))],
        others: [r => opened(r)],
        isUnobserved: true,
      },
      // a session of another case, and one that began earlier
      { lines: expires(), others: [{ lines: r => opened(r), case: 1 }], isUnobserved: true },
      { lines: expires(), others: [{ lines: r => opened(r), after: 3 }], isUnobserved: true },
      // initialize in the same conversation: the harness opens no further one at the end of a case
      {
        lines: r => [
          ...expires()(r),
          ...ask(4, 'POST', request(4, 'initialize', {}), 404, undefined, {
            sent: { 'MCP-Protocol-Version': r.id },
          }),
        ],
        others: [],
        isUnobserved: true,
      },
      // requests without initialize
      { lines: expires(), others: [r => strayGet(1, r)], isUnobserved: true },
    ],
    bad: [
      { lines: expires(...refused(4), ...refused(5)), others: [], shows: 'old-id' },
      { lines: expires(), others: [r => opened(r, id)], shows: 'initialize-with-id' },
    ],
  },
  'streamable-http.client-resumes-by-get': {
    good: [{ lines: broken('server', undefined, ...back('a')) }, { lines: twoStreams('a') }],
    legal: [
      { lines: broken('error', undefined), shows: 'no-resumption' },
      // the server has not noticed that the stream broke
      {
        lines: [
          ...ask(1, 'GET', undefined, 200, sse),
          twoIds[0]!,
          ...ask(2, 'GET', undefined, 200, sse, { sent: { 'Last-Event-ID': 'a' } }),
        ],
      },
      // both streams have ended, or the other one ends later
      {
        lines: r => twoStreams('b')(r).flatMap(l => (isEndOf(l, 3) ? [l, end(4)] : [l])),
      },
      { lines: r => [...twoStreams('b')(r).filter(l => !isEndOf(l, 3)), end(3)] },
      // the client has closed the other stream
      { lines: twoStreams('b', { kind: 'http-end', exchange: 4, by: 'client' }) },
      // events in flight when the connection broke may be lost
      {
        lines: [
          ...ask(1, 'GET', undefined, 200, sse),
          ...twoIds,
          { kind: 'http-end', exchange: 1, by: 'error' },
          ...ask(2, 'GET', undefined, 200, sse, { sent: { 'Last-Event-ID': 'a' } }),
        ],
        shows: 'not-received',
      },
      { lines: missesRequest() },
      // the later event has no id
      {
        lines: [
          ...ask(1, 'GET', undefined, 200, sse),
          twoIds[0]!,
          { kind: 'sse', exchange: 1, data: 'x' },
          end(1),
          ...ask(2, 'GET', undefined, 200, sse, { sent: { 'Last-Event-ID': 'a' } }),
        ],
      },
      // a header without effect: the response was on the stream, and nothing is left to be resumed
      {
        lines: r => [
          ...opened(r),
          ...ask(3, 'POST', request(2, 'ping'), 200, sse, { sent: own(r) }),
          ...event(3, result(2), { id: 'a' }),
          end(3),
          ...ask(4, 'POST', request(3, 'ping'), 200, json, { sent: own(r, { 'Last-Event-ID': 'a' }) }),
        ],
        shows: 'nothing-to-resume',
        isUnobserved: true,
      },
      // the id was seen last on another stream
      {
        lines: [
          ...ask(1, 'GET', undefined, 200, sse),
          ...twoIds,
          end(1),
          ...ask(2, 'GET', undefined, 200, sse),
          { kind: 'sse', exchange: 2, id: 'a', data: 'x' },
          end(2),
          ...ask(3, 'GET', undefined, 200, sse, { sent: { 'Last-Event-ID': 'a' } }),
        ],
      },
    ],
    bad: [
      {
        lines: [
          ...ask(1, 'GET', undefined, 200, sse),
          ...twoIds,
          end(1),
          ...ask(2, 'GET', undefined, 200, sse, { sent: { 'Last-Event-ID': 'a' } }),
        ],
        shows: 'earlier-id',
      },
      {
        lines: [
          ...ask(1, 'GET', undefined, 200, sse),
          twoIds[0]!,
          end(1),
          ...ask(2, 'POST', request(1, 'ping'), 200, json, { sent: { 'Last-Event-ID': 'a' } }),
        ],
        shows: 'post',
      },
      // a stream of a session that has expired
      {
        lines: expires(...[4, 5].flatMap(exchange => refused(exchange, 'POST', { 'Last-Event-ID': 'a' }))),
        others: [],
      },
      {
        lines: [...ask(1, 'GET', undefined, 200, sse, { sent: { 'Last-Event-ID': 'nobody said so' } })],
        shows: 'unknown-id',
      },
      { lines: missesRequest(...ask(2, 'POST', result(7), 202), end(2)) },
      { lines: twoStreams('b'), shows: 'other-stream' },
      { lines: twoStreams('b', end(4)) },
      // one response of two has arrived on the stream that ended
      {
        lines: r => [
          ...opened(r),
          ...ask(3, 'POST', [request(2, 'ping'), request(3, 'ping')], 200, sse, { sent: own(r) }),
          ...event(3, result(2), { id: 'a' }),
          ...ask(4, 'POST', request(4, 'ping'), 200, sse, { sent: own(r) }),
          { kind: 'sse', exchange: 4, id: 'b', data: '' },
          end(3),
          ...ask(5, 'GET', undefined, 200, sse, { sent: own(r, { 'Last-Event-ID': 'b' }) }),
        ],
        when: r => r.batches,
      },
      // before the id was given
      { lines: [...ask(1, 'GET', undefined, 200, sse, { sent: { 'Last-Event-ID': 'a' } }), ...twoIds] },
    ],
  },
  'streamable-http.redelivered-answered-once': {
    good: [{ lines: redelivered('a', 5) }],
    legal: [
      { lines: redelivered('b', 5, 6), shows: 'other-event' },
      { lines: redelivered('a'), isUnobserved: true },
      // a new request on the resumed stream
      { lines: resumedWith([], event(4, request(7, 'ping'), { id: 'b' }, 'get'), 5), isUnobserved: true },
      // without an event id, the request is not known to be the same
      {
        lines: resumedWith(
          event(3, request(7, 'ping')),
          event(4, request(7, 'ping'), {}, 'get').map(replayed),
          5,
        ),
        isUnobserved: true,
      },
      // other messages under the same event id
      ...[
        [request(8, 'ping'), request(7, 'ping')],
        [result(7), request(7, 'ping')],
        [request(7, 'ping'), notification('notifications/message', { level: 'info', data: '' })],
      ].map(([before, after]) => ({
        lines: resumedWith(event(3, before!, { id: 'a' }), event(4, after!, { id: 'a' }, 'get'), 5),
        isUnobserved: true as const,
      })),
      {
        lines: resumedWith(event(3, request(2, 'ping'), { id: 'a' }), [
          ...event(4, result(2), { id: 'a' }, 'get'),
          ...ask(5, 'POST', result(2), 202),
        ]),
        isUnobserved: true,
      },
    ],
    bad: [{ lines: redelivered('a', 5, 6), shows: 'twice' }],
  },
  'streamable-http.client-polls': {
    good: [{ lines: broken('server', undefined, ...back('a')) }],
    legal: [
      { lines: broken('error', undefined, waited), shows: 'network-failure' },
      { lines: broken('server', undefined), shows: 'no-deadline' },
      // the response has arrived
      {
        lines: r => [
          ...opened(r),
          ...ask(3, 'POST', request(2, 'ping'), 200, sse, { sent: own(r) }),
          ...event(3, result(2), { id: 'a' }),
          end(3),
          waited,
        ],
      },
      // without an id there is nothing to resume
      {
        lines: r => [
          ...opened(r),
          ...ask(3, 'POST', request(2, 'ping'), 200, sse, { sent: own(r) }),
          { kind: 'sse', exchange: 3, data: '' },
          end(3),
          waited,
        ],
      },
      // other waits
      {
        lines: r => [waited, ...broken('server', undefined, { kind: 'deadline', label: 'answer', ms: 9 })(r)],
      },
    ],
    bad: [
      // a request of the server with the same id is no response
      {
        lines: r => [
          ...opened(r),
          ...ask(3, 'POST', request(2, 'ping'), 200, sse, { sent: own(r) }),
          ...event(3, request(2, 'ping'), { id: 'a' }),
          end(3),
          waited,
        ],
      },
      { lines: broken('server', undefined, waited), shows: 'no-reconnect' },
      // the resumed stream ends too
      {
        lines: broken(
          'server',
          undefined,
          ...ask(4, 'GET', undefined, 200, sse, { sent: { 'Last-Event-ID': 'a' } }),
          { kind: 'sse', exchange: 4, id: 'b', data: '' },
          end(4),
          waited,
        ),
      },
      {
        lines: broken(
          'server',
          undefined,
          ...ask(4, 'POST', request(3, 'ping'), 200, json),
          body(4, result(3)),
          waited,
        ),
      },
    ],
  },
  'streamable-http.client-respects-retry': {
    good: [
      { lines: broken('server', '300', ...back('a')), tick: 300 },
      // a timer that fires early
      { lines: broken('server', '300', ...back('a')), tick: 270 },
    ],
    legal: [
      { lines: broken('server', 'soon', ...back('a')), tick: 1, shows: 'no-number', isUnobserved: true },
      ...[undefined, '300 ms', '+300'].map(retry => ({
        lines: broken('server', retry, ...back('a')),
        tick: 1,
        isUnobserved: true as const,
      })),
      // a new stream, after the stream of a call was resumed
      {
        lines: r => [
          ...broken(
            'server',
            undefined,
            ...ask(4, 'GET', undefined, 200, sse, { sent: { 'Last-Event-ID': 'a' } }),
          )(r),
          { kind: 'sse', exchange: 4, data: '', retry: '300' },
          ...event(4, result(2), {}, 'get'),
          end(4),
          ...signed(r, reopened(5)),
        ],
        tick: 1,
      },
      // the stream ends later
      {
        lines: r =>
          plain(
            '300',
            'server',
            ...reopened(4),
          )(r)
            .filter(l => !isEndOf(l, 3))
            .concat(end(3)),
        tick: 1,
      },
      // an earlier event has an id
      {
        lines: r => [
          ...opened(r),
          ...signed(r, reopened(3)),
          { kind: 'sse', exchange: 3, id: 'g', data: '' },
          { kind: 'sse', exchange: 3, data: '', retry: '300' },
          end(3),
          ...signed(r, reopened(4)),
        ],
        tick: 1,
      },
      // another stream, which was requested before the first one ended
      {
        lines: r => [...standing(3, '300')(r), ...ask(4, 'GET', undefined, 200, sse, { sent: own(r) })],
        tick: 1,
        shows: 'other-stream',
      },
      { lines: plain('300', 'client', ...reopened(4)), tick: 1 },
      { lines: plain('100', 'server', ...reopened(4)), tick: 1 },
      // with an id that the client leaves out, the stream is a new one
      { lines: r => [...standing(3, '300')(r), end(3), ...signed(r, reopened(4))], tick: 1 },
      // another stream still runs
      {
        lines: r => [
          ...opened(r),
          ...signed(r, reopened(3)),
          ...signed(r, reopened(4)),
          { kind: 'sse', exchange: 4, data: '', retry: '300' },
          end(4),
          ...signed(r, reopened(5)),
        ],
        tick: 1,
      },
    ],
    bad: [
      { lines: broken('server', '300', ...back('a')), tick: 100, shows: 'at-once' },
      { lines: plain('300', 'server', ...reopened(4)), tick: 1 },
      { lines: plain('200', 'server', ...reopened(4)), tick: 1 },
      // a response that is no stream
      {
        lines: plain('300', 'server', ...ask(4, 'GET', undefined, 503), end(4), ...reopened(5)),
        tick: 1,
      },
      // the latest field counts, not the latest event
      {
        lines: r => [
          ...opened(r),
          ...signed(r, reopened(3)),
          { kind: 'sse', exchange: 3, data: '', retry: '300' },
          { kind: 'sse', exchange: 3, data: '' },
          end(3),
          ...signed(r, reopened(4)),
        ],
        tick: 1,
      },
    ],
  },
  'streamable-http.cancel-explicit': {
    good: [
      {
        lines: r => [
          ...broken('error', undefined)(r),
          ...ask(4, 'POST', notification('notifications/cancelled', { requestId: 2 }), 202, undefined, {
            sent: own(r),
          }),
        ],
        shows: 'resumed',
      },
    ],
    legal: [
      // a client that disconnects closes its connections
      {
        lines: r => [
          ...opened(r),
          ...ask(3, 'POST', request(2, 'ping'), 200, sse, { sent: own(r) }),
          end(3, 'client'),
          ...ask(4, 'DELETE', undefined, 200, undefined, { sent: own(r) }),
        ],
        shows: 'leaves',
      },
      { lines: opened, isUnobserved: true },
      // the server cancels its own request
      {
        lines: r => [
          ...opened(r),
          ...ask(3, 'POST', request(2, 'ping'), 200, sse, { sent: own(r) }),
          ...event(3, request(7, 'ping')),
          ...event(3, notification('notifications/cancelled', { requestId: 7 })),
          ...event(3, result(2)),
          end(3),
        ],
        isUnobserved: true,
      },
      // after the response
      { lines: hangsUp(event(3, result(2))) },
      // the client could not read a message
      { lines: hangsUp(event(3, request(7, 'ping'))), shows: 'unread' },
      // the client returns to the stream
      {
        lines: hangsUp(
          [{ kind: 'sse', exchange: 3, id: 'a', data: '' }],
          ...ask(4, 'GET', undefined, 200, sse, { sent: { 'Last-Event-ID': 'a' } }),
        ),
      },
      {
        lines: hangsUp([
          ...ask(4, 'POST', notification('notifications/cancelled', { requestId: 2 }), 202),
          end(4),
        ]),
      },
    ],
    bad: [
      // a request of the server with the same id is no response
      { lines: hangsUp(event(3, request(2, 'roots/list'))) },
      // an empty event id cannot be returned to
      { lines: hangsUp([{ kind: 'sse', exchange: 3, id: '', data: '' }]) },
      {
        lines: r => [
          ...opened(r),
          ...ask(3, 'POST', request(2, 'ping'), 200, sse, { sent: own(r) }),
          end(3, 'client'),
          ...ask(4, 'POST', request(3, 'ping'), 200, json, { sent: own(r) }),
          body(4, error(3)),
        ],
        shows: 'hangs-up',
      },
      {
        lines: hangsUp([...ask(4, 'POST', notification('notifications/cancelled'), 202), end(4)]),
        also: ['cancellation.request-id-given'],
      },
      // the server cancels a request of its own that has the same id
      {
        lines: hangsUp([
          ...reopened(4),
          ...event(4, request(2, 'ping'), {}, 'get'),
          ...event(4, notification('notifications/cancelled', { requestId: 2 }), {}, 'get'),
        ]),
      },
      // one response of two has arrived
      {
        lines: r => [
          ...opened(r),
          ...ask(3, 'POST', [request(2, 'ping'), request(3, 'ping')], 200, sse, { sent: own(r) }),
          ...event(3, result(2)),
          end(3, 'client'),
          ...ask(4, 'POST', request(4, 'ping'), 200, json, { sent: own(r) }),
          body(4, result(4)),
        ],
        when: r => r.batches,
      },
    ],
  },
});

const stream = (...lines: Line[]): Line[] => [
  ...ask(1, 'GET', undefined, 200, sse, { transport: 'sse', sent: { Accept: sse } }),
  ...lines,
];
const endpoint: Line = { kind: 'sse', exchange: 1, event: 'endpoint', data: '/m?x=%2F' };
const to = (url: string, verb = 'POST') => ask(2, verb, request(1, 'ping'), 202).map(l => elsewhere(l, url));

export const olderExamples = over('http-sse', {
  'http-sse.client-posts-to-endpoint': {
    good: [
      stream(endpoint, ...to('http://localhost/m?x=%2F')),
      stream(
        { kind: 'sse', exchange: 1, event: 'hello', data: '/x' },
        endpoint,
        ...to('http://localhost/m?x=%2F'),
      ),
      // an attempt to use Streamable HTTP, and then a stream
      [
        ...ask(3, 'POST', request(9, 'initialize'), 405),
        end(3),
        ...ask(4, 'GET', undefined, 200, sse, { transport: 'sse', sent: { Accept: sse } }),
        { ...endpoint, exchange: 4 } as Line,
        ...ask(5, 'POST', request(1, 'ping'), 202).map(l => elsewhere(l, 'http://localhost/m?x=%2F')),
      ],
    ],
    legal: [
      { lines: ask(1, 'POST', request(1, 'initialize'), 405), shows: 'attempt' },
      { lines: stream(endpoint), shows: 'no-post' },
      stream(...to('http://localhost/m')),
      // a record without its beginning
      [
        { kind: 'frame', by: 'server', text: JSON.stringify(note), exchange: 1, stream: 'sse' },
        endpoint,
        ...to('http://localhost/m?x=%2F'),
      ],
      stream({ kind: 'sse', exchange: 1, event: 'endpoint', data: 'http://[' }, ...to('http://localhost/m')),
      // a request without a message
      stream(
        endpoint,
        ...ask(2, 'GET', undefined, 404).map(l => elsewhere(l, 'http://localhost/favicon.ico')),
      ),
    ],
    bad: [
      { lines: stream(endpoint, ...to('http://localhost/m')), shows: 'query-lost' },
      { lines: stream(endpoint, ...to('http://localhost/m?x=/')), shows: 'query-written-anew' },
      { lines: stream(endpoint, ...to('http://localhost/mcp')), shows: 'other-path' },
      { lines: stream(endpoint, ...to('http://localhost/m?x=%2F', 'PUT')), shows: 'other-method' },
      { lines: stream(...to('http://localhost/m?x=%2F'), endpoint), shows: 'too-early' },
      stream(endpoint, ...ask(2, 'POST', undefined, 400).map(l => elsewhere(l, 'http://localhost/m'))),
      stream(endpoint, ...ask(2, 'PUT', undefined, 405), {
        kind: 'http-body',
        exchange: 2,
        of: 'request',
        text: '{}',
      }),
    ],
  },
});
