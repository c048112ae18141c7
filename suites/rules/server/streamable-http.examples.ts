import type { Json } from '../../../spec/json-rpc.js';
import type { Revision } from '../../../spec/revisions.js';
import { vocabularyOf } from '../../../spec/vocabulary.js';
import type { Example } from '../example.test.util.js';
import { ask, body, end, event, over, ping } from '../http-events.test.util.js';
import { error, handshake, type Line, notification, request, result } from '../record.test.util.js';
import { complete, enveloped, hints, posted } from '../stateless.test.util.js';

const note = notification('notifications/x');
const sse = 'text/event-stream';
const json = 'application/json';
const call = (exchange: number, token: string): Line[] =>
  ask(exchange, 'POST', request(exchange, 'ping', { _meta: { progressToken: token } }), 200, sse);
/** A task: its call with a progress token, its reply, and progress of it. */
const taskCall = (exchange: number): Line[] => {
  const params = { name: 'x', task: {}, _meta: { progressToken: 't' } };
  return ask(exchange, 'POST', request(exchange, 'tools/call', params), 200, sse);
};
const taskId = '786512e2-9e0d-44bd-8f29-789f320fe840';
const at = '2000-01-01T10:30:00Z';
const taskMade = (exchange: number): Line[] => [
  ...event(
    exchange,
    result(exchange, { task: { taskId, status: 'working', createdAt: at, lastUpdatedAt: at, ttl: null } }),
  ),
  end(exchange),
];
const taskProgress = notification('notifications/progress', {
  progressToken: 't',
  progress: 1,
  _meta: { 'io.modelcontextprotocol/related-task': { taskId } },
});
const hasTasks = (r: Revision): boolean => vocabularyOf(r).requests.server.has('tasks/get');
const withTasks = (r: Revision): Line[] =>
  handshake(r, { tools: {}, tasks: { requests: { tools: { call: {} } } } }, {});
const progress = (token: string) =>
  notification('notifications/progress', { progressToken: token, progress: 1 });
const get = (exchange: number, status = 200, type = sse, sent = {}) =>
  ask(exchange, 'GET', undefined, status, type, { sent });
const askedBack = request(7, 'ping');
const inSession = (id: string) => ({ 'Mcp-Session-Id': id });
const last = (id: string) => ({ 'Last-Event-ID': id });
const words = (text: string, exchange = 1): Line => ({ kind: 'http-body', exchange, text });
const late = (exchange: number): Line => ({ kind: 'deadline', label: 'http', ms: 9, exchange });
const broken = (exchange: number): Line => ({ kind: 'http-end', exchange, by: 'error' });
/** The session is deleted while a GET request has no response yet. */
const crossedDelete: Line[] = [
  get(1, 404)[0]!,
  ...ask(2, 'DELETE', undefined, 200, undefined, {}),
  get(1, 404)[1]!,
];
const ask1 = request(1, 'ping');
const note1 = notification('notifications/tools/list_changed');
const note2 = notification('notifications/prompts/list_changed');
const lost = (id: string, json: Json): Line => ({
  kind: 'sse',
  exchange: 1,
  id,
  data: JSON.stringify(json),
  lost: true,
});
/** A stream that breaks after an event, and the next event, which the client does not receive. */
const interrupted: Line[] = [...get(1), ...event(1, note1, { id: 'a' }, 'get'), broken(1)];
const lostNote = lost('b', note1);
const both = ['streamable-http.one-stream-per-message', 'streamable-http.no-broadcast'] as const;

const twice = (at: number) => ({
  good: [[...get(1), ...ping(2), ...event(1, note1, {}, 'get')]],
  legal: [
    [...get(1), ...get(2), ...event(1, note1, {}, 'get'), ...ping(3), ...event(2, note1, {}, 'get')],
    // sent on one stream before, and later on the other one
    [
      ...get(1),
      ...event(1, note1, {}, 'get'),
      ...ping(2),
      ...get(3),
      ...event(1, note1, {}, 'get'),
      { kind: 'quiet', ms: 5_000 } as Line,
      ...event(3, note1, {}, 'get'),
    ],
    [
      ...get(1),
      ...event(1, note1, {}, 'get'),
      ...get(2),
      ...ping(3),
      ...event(1, note1, {}, 'get'),
      ...ping(4),
      ...event(2, note1, {}, 'get'),
    ],
    {
      lines: [...get(1), ...event(1, note1, {}, 'get'), ...get(2), ...event(2, note1, {}, 'get'), ...ping(3)],
      shows: 'greeting',
    },
    // the first stream has ended: the second one takes its place
    [...get(1), ...get(2), ...event(1, note1, {}, 'get'), end(1), ...event(2, note1, {}, 'get'), ...ping(3)],
    // a notification of the client may be the cause of the second message
    [
      ...get(1),
      ...get(2),
      ...event(1, note1, {}, 'get'),
      ...ask(3, 'POST', note, 202),
      ...event(2, note1, {}, 'get'),
      ...ping(4),
    ],
    // three messages in a row, of which the last one comes on another stream
    [
      ...get(1),
      ...call(2, 't'),
      ...event(1, note1, {}, 'get'),
      ...event(1, note1, {}, 'get'),
      ...event(2, note1),
      ...ping(3),
    ],
    // two requests, each with a message
    [...call(1, 't'), ...call(2, 'u'), ...event(1, note1), ...event(2, note1)],
    [
      ...get(1),
      ...event(1, note1, { id: 'a' }, 'get'),
      ...get(2, 200, sse, last('0')),
      ...event(2, note1, { id: 'a' }, 'get'),
    ],
  ],
  bad: [
    [...get(1), ...get(2), ...event(1, note1, {}, 'get'), ...event(2, note1, {}, 'get'), ...ping(3)],
    // the text was sent before, on one of the streams or on both
    [
      ...get(1),
      ...event(1, note1, {}, 'get'),
      ...ping(2),
      ...get(3),
      ...event(1, note1, {}, 'get'),
      ...event(3, note1, {}, 'get'),
      ...ping(4),
    ],
    [
      ...get(1),
      ...event(1, note1, {}, 'get'),
      ...ping(2),
      ...get(3),
      ...event(3, note1, {}, 'get'),
      ...ping(4),
      ...event(3, note1, {}, 'get'),
      ...event(1, note1, {}, 'get'),
    ],
    // one request is under way
    [...get(1), ...ping(2), ...call(3, 't'), ...event(3, note1), ...event(1, note1, {}, 'get'), ...ping(4)],
  ]
    .map((lines): Example => ({ lines, also: [both[at]!] }))
    .concat({
      lines: [...get(1), ...get(2), ...event(1, askedBack, {}, 'get'), ...event(2, askedBack, {}, 'get')],
      also: [both[at]!, 'jsonrpc.request-id-unique-in-session'],
    }),
});

export const examples = over('streamable-http', {
  'streamable-http.accepted-202': {
    good: [
      [...ask(1, 'POST', note, 202), end(1)],
      { lines: [...ask(1, 'POST', result(9), 202, 'text/plain'), end(1)], shows: 'content-type' },
    ],
    legal: [
      // a client without a handshake must not send it
      {
        lines: [...ask(1, 'POST', result(9), 200, json), body(1, result(9)), end(1)],
        era: 'modern',
        isUnobserved: true,
      },
      { lines: [...ask(1, 'POST', note, 400), words('no'), end(1)], shows: 'refused' },
      { lines: ask(1, 'POST', note, 202), isUnobserved: true },
    ],
    bad: [
      { lines: [...ask(1, 'POST', note, 200), end(1)], shows: 'status-200' },
      { lines: [...ask(1, 'POST', note, 204), end(1)], shows: 'status-204' },
      { lines: [...ask(1, 'POST', note, 202, 'text/plain'), words('Accepted'), end(1)], shows: 'body' },
      ask(1, 'POST', note, 200),
      [...ask(1, 'POST', note, 202, sse), ...event(1, note1), end(1)],
    ],
  },
  'streamable-http.post-notification-rejected': {
    good: [
      [...ask(1, 'POST', note, 404), end(1)],
      [...ask(1, 'POST', note, 400), end(1)],
    ],
    legal: [{ lines: [...ask(1, 'POST', note, 202), end(1)], shows: 'accepted' }],
    bad: [
      {
        lines: [...ask(1, 'POST', note, 200, json), words(JSON.stringify(error(null, -32000))), end(1)],
        shows: 'status-200',
      },
      {
        lines: [...ask(1, 'POST', note, 200, json), body(1, error(9, -32000)), end(1)],
        also: ['jsonrpc.response-id-matches'],
      },
      // the id of the refused response
      [...ask(1, 'POST', result('never-asked'), 200, sse), ...event(1, error('never-asked', -32601)), end(1)],
    ],
  },
  'streamable-http.request-json-or-sse': {
    good: [
      ping(1),
      {
        lines: [...ask(1, 'POST', ask1, 200, 'Application/JSON; charset=utf-8'), body(1, result(1)), end(1)],
        shows: 'charset',
      },
      // a block that is no event before an event
      [
        ...ask(1, 'POST', ask1, 200, sse),
        { kind: 'sse', exchange: 1, raw: '{}\n\n' },
        ...event(1, result(1)),
        end(1),
      ],
      {
        lines: [
          ...ask(1, 'POST', [request(1, 'ping'), request(2, 'ping')], 200, json),
          body(1, [result(1), result(2)]),
          end(1),
        ],
        when: r => r.batches,
      },
    ],
    legal: [
      { lines: [...ask(1, 'POST', ask1, 403, 'text/html'), words('<h1>'), end(1)], shows: 'refused' },
      // a request that does not accept both types
      {
        lines: [
          ...ask(1, 'POST', ask1, 200, 'text/plain', { sent: { Accept: json } }),
          body(1, result(1)),
          end(1),
        ],
        isUnobserved: true,
      },
      {
        lines: [
          ...ask(1, 'POST', ask1, 200, 'text/plain', { sent: { Accept: sse } }),
          body(1, result(1)),
          end(1),
        ],
        isUnobserved: true,
      },
      // a notification with an id, taken for a notification
      {
        lines: [
          ...ask(1, 'POST', request('wrong', 'notifications/cancelled', { requestId: 9 }), 202),
          end(1),
          ...ask(2, 'POST', request('bad', 'notifications/cancelled', { requestId: 9 }), 200),
          end(2),
        ],
        isUnobserved: true,
        shows: 'notification-with-id',
      },
      // the harness ends the conversation
      {
        lines: [
          ...ask(1, 'POST', ask1, 202).slice(0, 2),
          { kind: 'closing' },
          ...ask(1, 'POST', ask1, 202).slice(2),
          end(1),
        ],
        isUnobserved: true,
      },
      [
        ...ask(1, 'POST', ask1, 202),
        ...ask(2, 'POST', notification('notifications/cancelled', { requestId: 1 }), 202),
        end(2),
        end(1),
      ],
    ],
    bad: [
      { lines: [...ask(1, 'POST', ask1, 202), end(1)], shows: 'status-202' },
      {
        lines: [...ask(1, 'POST', ask1, 200, 'text/plain'), body(1, result(1)), end(1)],
        shows: 'other-type',
      },
      { lines: [...ask(1, 'POST', ask1, 200, json), words('Hello'), end(1)], shows: 'no-json' },
      {
        lines: [
          ...ask(1, 'POST', ask1, 200, sse),
          { kind: 'sse', exchange: 1, raw: JSON.stringify(result(1)) },
          { kind: 'sse', exchange: 1, comments: ['end'] },
          end(1),
        ],
        shows: 'no-events',
      },
      // a cancelled request
      [
        ...ask(1, 'POST', ask1, 200, 'text/plain'),
        ...ask(2, 'POST', notification('notifications/cancelled', { requestId: 1 }), 202),
        end(2),
        words('Hello'),
        end(1),
      ],
    ],
  },
  'streamable-http.sse-response-arrives': {
    good: [
      ping(1),
      {
        lines: [
          ...ask(1, 'POST', ask1, 200, sse),
          { kind: 'sse', exchange: 1, id: 'a', data: '', retry: '1' },
          end(1),
          ...get(2, 200, sse, last('a')),
          ...event(2, result(1), {}, 'get'),
          end(2),
        ],
        shows: 'resumed',
      },
    ],
    legal: [
      { lines: [...ask(1, 'POST', ask1, 200, sse), end(1, 'client')], shows: 'closed-by-client' },
      {
        lines: [
          ...ask(1, 'POST', notification('notifications/cancelled', { requestId: 1 }), 202),
          ...ask(2, 'POST', ask1, 200, sse),
          end(2),
        ],
        shows: 'cancelled',
      },
      // the network lost the response, and it broke the stream
      [
        ...ask(1, 'POST', ask1, 200, sse),
        { kind: 'sse', exchange: 1, id: 'a', data: '' },
        { kind: 'sse', exchange: 1, data: JSON.stringify(note1), lost: true },
        { kind: 'sse', exchange: 1, data: JSON.stringify(result(1)), lost: true },
        broken(1),
        ...get(2, 200, sse, last('a')),
        end(2),
      ],
      [...ask(1, 'POST', ask1, 200, sse), broken(1)],
      // the resumed stream is still open
      [
        ...ask(1, 'POST', ask1, 200, sse),
        { kind: 'sse', exchange: 1, id: 'a', data: '', retry: '1' },
        end(1),
        ...get(2, 200, sse, last('a')),
      ],
      // the harness ends the conversation, or the session
      [...ask(1, 'POST', ask1, 200, sse), { kind: 'closing' }, end(1)],
      [...ask(1, 'POST', ask1, 200, sse), ...ask(2, 'DELETE', undefined, 200), end(1)],
      // an id that the client uses twice
      [...ping(1), ...ask(2, 'POST', ask1, 200, sse), end(2)],
      [
        ...ask(1, 'POST', ask1, 200, sse),
        { kind: 'sse', exchange: 1, id: 'a', data: '' },
        end(1, 'client'),
        ...get(2, 200, sse, last('a')),
        end(2),
      ],
    ],
    bad: [
      {
        lines: [...ask(1, 'POST', ask1, 200, sse), end(1)],
        also: ['streamable-http.sse-not-closed-early'],
        shows: 'ends',
      },
      {
        lines: [
          ...ask(1, 'POST', ask1, 200, sse),
          { kind: 'sse', exchange: 1, id: 'a', data: '' },
          { kind: 'sse', exchange: 1, data: JSON.stringify(note1), lost: true },
          broken(1),
          ...get(2, 200, sse, last('a')),
          end(2),
        ],
        also: ['streamable-http.sse-not-closed-early'],
      },
      // a block that is no JSON, and a request of the server with the same id
      {
        lines: [
          ...ask(1, 'POST', ask1, 200, sse),
          { kind: 'sse', exchange: 1, raw: 'Hello' },
          end(1),
          ...ask(3, 'POST', request(3, 'ping'), 200, sse),
          ...event(3, request(1, 'ping')),
          ...event(3, result(3)),
          end(3),
        ],
        also: ['streamable-http.sse-not-closed-early'],
      },
      // the response arrives on another stream
      {
        lines: [
          ...get(1),
          ...ask(2, 'POST', request(2, 'ping'), 200, sse),
          ...event(1, result(2), {}, 'get'),
          end(2),
        ],
        also: ['streamable-http.get-no-responses'],
      },
    ],
  },
  'streamable-http.sse-not-closed-early': {
    good: [ping(1)],
    bad: [
      {
        lines: [...ask(1, 'POST', ask1, 200, sse), end(1)],
        also: ['streamable-http.sse-response-arrives'],
        shows: 'ends',
      },
    ],
  },
  'streamable-http.sse-closed-after-response': {
    good: [ping(1), [...call(1, 't'), ...event(1, progress('t')), ...event(1, result(1)), end(1)]],
    legal: [
      {
        lines: [...ask(1, 'POST', ask1, 200, sse), ...event(1, result(1)), end(1, 'client')],
        shows: 'closed-by-client',
      },
      { lines: [...ask(1, 'POST', ask1, 200, json), body(1, result(1)), end(1)], isUnobserved: true },
      { lines: [...ask(1, 'POST', ask1, 200, sse), ...event(1, result(1)), late(9)], isUnobserved: true },
      // the wait was for the response
      [...ask(1, 'POST', ask1, 200, sse), late(1), ...event(1, result(1)), end(1)],
    ],
    bad: [
      { lines: [...ask(1, 'POST', ask1, 200, sse), ...event(1, result(1)), late(1)], shows: 'stays-open' },
      // the server ends the stream with the session
      [...ask(1, 'POST', ask1, 200, sse), ...event(1, result(1)), late(1), end(1)],
      // a proxy or the server itself ends the stream long after the response
      {
        lines: [
          ...ask(1, 'POST', ask1, 200, sse),
          ...event(1, result(1)),
          { kind: 'quiet', ms: 20_000 },
          end(1),
        ],
        shows: 'stays-open',
      },
    ],
  },
  'streamable-http.sse-prime-event': {
    good: [
      [
        ...ask(1, 'POST', ask1, 200, sse),
        { kind: 'sse', exchange: 1, id: 'a', data: '' },
        ...event(1, result(1), { id: 'b' }),
        end(1),
      ],
    ],
    legal: [
      { lines: ping(1), shows: 'no-ids' },
      [
        ...ask(1, 'POST', ask1, 200, sse),
        { kind: 'sse', exchange: 1, id: 'a', data: '{', unfinished: true },
        broken(1),
      ],
    ],
    bad: [
      {
        lines: [...ask(1, 'POST', ask1, 200, sse), ...event(1, result(1), { id: 'b' }), end(1)],
        shows: 'none',
      },
      [
        ...ask(1, 'POST', ask1, 200, sse),
        { kind: 'sse', exchange: 1, data: '' },
        ...event(1, result(1), { id: 'b' }),
        end(1),
      ],
    ],
  },
  'streamable-http.sse-retry-before-close': {
    good: [
      [
        ...ask(1, 'POST', ask1, 200, sse),
        { kind: 'sse', exchange: 1, id: 'a', data: '', retry: '1' },
        end(1),
        ...get(2, 200, sse, last('a')),
        ...event(2, result(1), {}, 'get'),
        end(2),
      ],
      [
        ...call(1, 't'),
        { kind: 'sse', exchange: 1, id: 'a', data: '', retry: '1' },
        ...event(1, progress('t'), { id: 'b' }),
        end(1),
        ...get(2, 200, sse, last('b')),
        ...event(2, result(1), {}, 'get'),
        end(2),
      ],
    ],

    legal: [
      {
        lines: [
          ...ask(1, 'POST', ask1, 200, sse),
          { kind: 'sse', exchange: 1, id: 'a', data: '' },
          ...event(1, result(1), { id: 'b' }),
          end(1),
          ...get(2, 200, sse, last('b')),
          ...event(2, note1, {}, 'get'),
        ],
        isUnobserved: true,
      },
    ],
    bad: [
      {
        lines: [
          ...ask(1, 'POST', ask1, 200, sse),
          { kind: 'sse', exchange: 1, id: 'a', data: '' },
          end(1),
          ...get(2, 200, sse, last('a')),
          ...event(2, result(1), {}, 'get'),
          end(2),
        ],
        shows: 'none',
      },
    ],
  },
  'streamable-http.sse-related-messages': {
    good: [[...call(1, 't'), ...event(1, progress('t')), ...event(1, result(1)), end(1)]],
    legal: [
      {
        lines: r => [
          ...withTasks(r),
          ...taskCall(1),
          ...taskMade(1),
          ...call(2, 'u'),
          ...event(2, taskProgress),
          ...event(2, result(2)),
          end(2),
        ],
        when: hasTasks,
        shows: 'of-task',
      },
    ],
    bad: [
      {
        lines: [
          ...call(1, 't'),
          ...call(2, 'u'),
          ...event(2, progress('t')),
          ...event(1, result(1)),
          ...event(2, result(2)),
          end(1),
          end(2),
        ],
        shows: 'progress-of-another',
      },
      // the request of this stream asked for no progress
      [
        ...call(1, 't'),
        ...ask(2, 'POST', request(2, 'ping'), 200, sse),
        ...event(2, progress('t')),
        ...event(1, result(1)),
        ...event(2, result(2)),
        end(1),
        end(2),
      ],
    ],
  },
  'streamable-http.single-endpoint': {
    good: [
      get(1),
      { lines: get(1, 405), shows: 'get-405' },
      {
        era: 'modern',
        lines: () => posted(1, enveloped(1, 'tools/list'), 200, [complete(1, { tools: [], ...hints })]),
      },
    ],
    legal: [
      { lines: [...ask(1, 'DELETE', undefined, 200), ...get(2, 404)], shows: 'ended-session' },
      { lines: crossedDelete, shows: 'crossed-delete' },
    ],
    bad: [{ lines: get(1, 404, 'text/html'), also: ['streamable-http.get-sse-or-405'], shows: 'get-404' }],
  },
  'streamable-http.get-sse-or-405': {
    good: [
      get(1),
      { lines: get(1, 405), shows: 'no-stream' },
      [
        ...ask(1, 'POST', ask1, 200, json, { headers: { 'Mcp-Session-Id': 's' } }),
        body(1, result(1)),
        end(1),
        ...get(2, 200, sse, inSession('s')),
      ],
    ],
    legal: [
      { lines: get(1, 403), shows: 'forbidden' },
      { lines: get(1, 409), shows: 'second-stream' },
      { lines: crossedDelete, shows: 'crossed-delete' },
      { lines: get(1, 400, json, last('x')), shows: 'unknown-event' },
      { lines: ask(1, 'GET', undefined, 400, json, { deliberate: true }), shows: 'deliberate' },
      // a GET without the id of the session, and one with the version of a POST that was refused
      [
        ...ask(1, 'POST', ask1, 200, json, { headers: { 'Mcp-Session-Id': 's' } }),
        body(1, result(1)),
        end(1),
        ...get(2, 400),
      ],
      [...ask(1, 'POST', ask1, 503), end(1), ...get(2, 400)],
    ],
    bad: [
      { lines: get(1, 200, 'text/html'), shows: 'other-type' },
      { lines: get(1, 501), shows: 'status-501' },
      { lines: get(1, 202), shows: 'status-202' },
      [...ask(1, 'POST', ask1, 503), end(1), ...ping(3), ...get(2, 400)],
      [...ask(1, 'POST', ask1, 200).slice(0, 2), ...get(2, 501)],
      [...get(1), ...get(2, 501)],
      { lines: [...get(1), ...get(2, 404)], also: ['streamable-http.single-endpoint'], shows: 'status-404' },
      [...get(1, 405), ...get(2, 400)],
    ],
  },
  'streamable-http.second-get-stream': {
    good: [{ lines: [...get(1), ...get(2)], shows: 'two-streams' }],
    legal: [
      { lines: get(1, 409), shows: 'first-refused' },
      { lines: [...get(1), ...get(2, 405)], shows: 'no-further', isUnobserved: true },
      { lines: [...get(1), ...get(2, 429)], shows: 'too-many' },
      // of another session, and in another version
      [
        ...get(1),
        ...get(2, 409, json, inSession('s')),
        ...get(3, 409, json, { 'MCP-Protocol-Version': '1' }),
      ],
      [...get(1), ...ask(2, 'DELETE', undefined, 200), ...get(3, 409)],
      [...get(1), ...get(2, 400, json, last('x'))],
      [...get(1), ...ask(2, 'GET', undefined, 400, json, { deliberate: true })],
      [...get(1), ...ask(2, 'POST', ask1, 400)],
      [...get(1, 405), ...get(2, 409)],
    ],
    bad: [
      { lines: [...get(1), ...get(2, 409)], shows: 'refused' },
      { lines: [...get(1), end(1, 'client'), ...get(2, 400, json)], shows: 'refused-after-end' },
    ],
  },
  'streamable-http.get-no-responses': {
    good: [[...get(1), ...ping(2)]],
    legal: [
      {
        lines: [
          ...ask(1, 'POST', ask1, 200, sse),
          { kind: 'sse', exchange: 1, id: 'a', data: '' },
          end(1, 'client'),
          ...get(2, 200, sse, last('a')),
          ...event(2, result(1), {}, 'get'),
        ],
        shows: 'resumed',
      },
      {
        lines: [
          ...get(1, 200, sse, last('never seen')),
          ...ask(2, 'POST', request(2, 'ping'), 200, sse),
          ...event(1, result(2), {}, 'get'),
        ],
        shows: 'unknown-id',
      },
      { lines: get(1), isUnobserved: true },
      { lines: [...get(1), end(1, 'client'), ...ping(2)], isUnobserved: true },
    ],
    bad: [
      {
        lines: [
          ...get(1),
          ...ask(2, 'POST', request(2, 'ping'), 200, sse),
          ...event(1, result(2), {}, 'get'),
        ],
        shows: 'response',
      },
    ],
  },
  'streamable-http.get-unrelated-messages': {
    good: [[...get(1), ...event(1, note1, {}, 'get')]],
    legal: [
      {
        lines: [
          ...get(1),
          ...ask(2, 'POST', request(2, 'ping', { _meta: { progressToken: 't' } }), 200, json),
          ...event(1, progress('t'), {}, 'get'),
        ],
        shows: 'json-response',
      },
      // the response arrives later than what was sent after it on another connection
      {
        lines: r => [
          ...withTasks(r),
          ...get(1),
          ...taskCall(2),
          ...event(1, taskProgress, {}, 'get'),
          ...taskMade(2),
        ],
        when: hasTasks,
        shows: 'of-task',
      },
      // the POST is over, and its stream resumed
      [...get(1), ...call(2, 't'), end(2, 'client'), ...event(1, progress('t'), {}, 'get')],
      {
        lines: [
          ...call(1, 't'),
          { kind: 'sse', exchange: 1, id: 'a', data: '' },
          end(1, 'client'),
          ...get(2, 200, sse, last('a')),
          ...event(2, progress('t'), {}, 'get'),
        ],
        isUnobserved: true,
      },
    ],
    bad: [
      {
        lines: [
          ...get(1),
          ...call(2, 't'),
          ...event(1, progress('t'), {}, 'get'),
          ...event(2, result(2)),
          end(2),
        ],
        shows: 'progress',
      },
      // a server that makes no task of the call
      [
        ...get(1),
        ...taskCall(2),
        ...event(1, progress('t'), {}, 'get'),
        ...event(2, result(2, { content: [] })),
        end(2),
      ],
    ],
  },
  [both[0]]: twice(1),
  [both[1]]: twice(0),
  'streamable-http.event-id-unique': {
    good: [
      [...get(1), ...event(1, note1, { id: 'a' }, 'get'), ...ping(2), ...event(1, note1, { id: 'b' }, 'get')],
    ],
    legal: [
      {
        lines: [
          ...get(1),
          ...event(1, note1, { id: 'a' }, 'get'),
          ...get(2, 200, sse, last('0')),
          ...event(2, note1, { id: 'a' }, 'get'),
        ],
        shows: 'replayed',
      },
      // the repeated event has other data: other rows judge its data
      {
        lines: [
          ...get(1),
          ...event(1, note1, { id: 'a' }, 'get'),
          ...event(1, note1, { id: 'b' }, 'get'),
          ...get(2, 200, sse, last('a')),
          ...event(2, notification('notifications/prompts/list_changed'), { id: 'b' }, 'get'),
        ],
        shows: 'replayed-otherwise',
      },
      // from another stream, with other data
      [
        ...get(1),
        ...event(1, note1, { id: 'a' }, 'get'),
        ...get(3),
        ...ping(4),
        ...event(3, note1, { id: 'b' }, 'get'),
        ...get(2, 200, sse, last('a')),
        ...event(2, note2, { id: 'b' }, 'get'),
      ],
      // the first event of another stream, without a message, is kept as an empty object
      [
        ...get(3),
        { kind: 'sse', exchange: 3, id: 'b', data: '' },
        ...get(1),
        ...event(1, note1, { id: 'a' }, 'get'),
        ...get(2, 200, sse, last('a')),
        { kind: 'sse', exchange: 2, id: 'b', data: '{}' },
      ],
    ],
    bad: [
      {
        lines: [
          ...get(1),
          ...event(1, note1, { id: '1' }, 'get'),
          ...ping(3),
          ...get(2),
          ...event(2, note1, { id: '1' }, 'get'),
        ],
        shows: 'per-stream',
      },
      // the event with this id came before the one that the client names
      [
        ...get(3),
        ...event(3, note2, { id: 'b' }, 'get'),
        ...get(1),
        ...event(1, note1, { id: 'a' }, 'get'),
        ...get(2, 200, sse, last('a')),
        ...event(2, note, { id: 'b' }, 'get'),
      ],
      [
        ...interrupted,
        ...get(2, 200, sse, last('a')),
        ...event(2, note2, { id: 'b' }, 'get'),
        ...ping(3),
        ...event(2, note2, { id: 'b' }, 'get'),
      ],
    ],
  },
  'streamable-http.replay-complete': {
    good: [
      [...interrupted, lostNote, ...get(2, 200, sse, last('a')), ...event(2, note1, { id: 'b' }, 'get')],
      // the same message under another id, and another one under the same id
      [...interrupted, lostNote, ...get(2, 200, sse, last('a')), ...event(2, note1, { id: 'c' }, 'get')],
      [...interrupted, lostNote, ...get(2, 200, sse, last('a')), ...event(2, note2, { id: 'b' }, 'get')],
      // the connection breaks again
      [
        ...interrupted,
        lostNote,
        lost('c', note2),
        ...get(2, 200, sse, last('a')),
        ...event(2, note1, { id: 'b' }, 'get'),
        broken(2),
      ],
    ],
    legal: [
      {
        lines: [...interrupted, lostNote, ...get(2, 200, sse, last('a'))],
        shows: 'new-stream',
        isUnobserved: true,
      },
      {
        lines: [...interrupted, lostNote, ...get(2, 200, sse, last('a')), broken(2)],
        shows: 'interrupted',
      },
      // an event without a message, and one that the network delivers once more
      [
        ...interrupted,
        lost('b', note2),
        ...get(2, 200, sse, last('a')),
        { kind: 'sse', exchange: 2, id: 'a', data: '' },
        { kind: 'sse', exchange: 2, id: 'a', data: JSON.stringify(note1), redelivered: true },
      ],
    ],
    bad: [
      {
        lines: [
          ...interrupted,
          lostNote,
          ...get(2, 200, sse, last('a')),
          ...event(2, note2, { id: 'c' }, 'get'),
        ],
        shows: 'skips',
      },
      { lines: [...interrupted, lostNote, ...get(2, 200, sse, last('a')), end(2)], shows: 'ends' },
      [
        ...interrupted,
        lostNote,
        lost('c', note2),
        ...get(2, 200, sse, last('a')),
        ...event(2, note2, { id: 'c' }, 'get'),
      ],
      [
        ...interrupted,
        lostNote,
        lost('c', note2),
        ...get(2, 200, sse, last('a')),
        ...event(2, note1, { id: 'b' }, 'get'),
        ...event(2, askedBack, { id: 'd' }, 'get'),
      ],
    ],
  },
  'streamable-http.replay-once': {
    good: [[...interrupted, ...get(2, 200, sse, last('a')), ...event(2, note2, { id: 'b' }, 'get')]],
    legal: [
      {
        lines: [
          ...interrupted,
          lostNote,
          ...get(2, 200, sse, last('a')),
          ...event(2, note1, { id: 'b' }, 'get'),
        ],
        shows: 'later',
      },
      { lines: [...interrupted, ...get(2, 200, sse, last('a'))], isUnobserved: true },
    ],
    bad: [
      {
        lines: [...interrupted, ...get(2, 200, sse, last('a')), ...event(2, note1, { id: 'a' }, 'get')],
        shows: 'repeats',
      },
      // with other data
      [...interrupted, ...get(2, 200, sse, last('a')), ...event(2, note2, { id: 'a' }, 'get')],
    ],
  },
  'streamable-http.no-cross-stream-replay': {
    good: [
      [
        ...call(1, 't'),
        { kind: 'sse', exchange: 1, id: 'p', data: '' },
        ...event(1, progress('t'), { id: 'a' }),
        end(1, 'client'),
        ...get(2, 200, sse, last('a')),
        ...event(2, result(1), {}, 'get'),
      ],
    ],

    legal: [{ lines: [...interrupted, ...get(2, 200, sse, last('a'))], isUnobserved: true }],
    bad: [
      {
        lines: [
          ...call(1, 't'),
          { kind: 'sse', exchange: 1, id: 'p', data: '' },
          ...event(1, progress('t'), { id: 'a' }),
          end(1, 'client'),
          ...ask(3, 'POST', request(3, 'ping'), 200, sse),
          ...get(2, 200, sse, last('a')),
          ...event(2, result(3), {}, 'get'),
        ],
        shows: 'other-stream',
      },
      // with the event that opens the other stream, which the server keeps as an empty message
      {
        lines: [
          ...call(1, 't'),
          { kind: 'sse', exchange: 1, id: 'p', data: '' },
          ...event(1, progress('t'), { id: 'a' }),
          end(1, 'client'),
          ...ask(3, 'POST', request(3, 'ping'), 200, sse),
          ...get(2, 200, sse, last('a')),
          ...event(2, {}, {}, 'get'),
          ...event(2, result(3), {}, 'get'),
        ],
        shows: 'progress-of-another',
      },
      // a stream of another session, in which the same event id and another one were used
      {
        lines: [
          ...call(1, 't'),
          { kind: 'sse', exchange: 1, id: 'p', data: '' },
          ...event(1, progress('t'), { id: 'a' }),
          end(1, 'client'),
          ...get(2, 200, sse, last('a')),
          ...event(2, progress('nobody'), {}, 'get'),
          ...event(2, result(1, { _meta: { tools: 'x' } }), {}, 'get'),
          ...event(2, result(9), {}, 'get'),
          ...event(2, result(1), {}, 'get'),
        ],
        shows: 'standing-stream',
      },
    ],
  },
  'streamable-http.bind-localhost': {
    good: [{ lines: [{ kind: 'reach', address: '192.0.2.7', accepted: false }], shows: 'refused' }],
    bad: [{ lines: [{ kind: 'reach', address: '192.0.2.7', accepted: true }], shows: 'reached' }],
  },
  'streamable-http.session-id-ascii': {
    good: [{ lines: () => opened('0a-~!'), shows: 'visible' }],
    legal: [{ lines: () => opened(undefined), isUnobserved: true }],
    bad: ['a b', 'é', ''].map(id => ({ lines: () => opened(id) })),
  },
  'streamable-http.session-id-secure': {
    good: [
      sessions('zq-b81d04f7-a', 'yk-15a0c93e-b'),
      sessions('1234567', '1234568'),
      sessions('kX3vW9_a', 'b-Q7mT2e', '0rGhY5sZ1'),
    ],
    // one session, and a second one without an id
    legal: [
      { ...sessions('0a'), isUnobserved: true },
      { ...sessions('0a', undefined), isUnobserved: true },
    ],
    bad: [
      sessions('kX3vW9_a', 'b-Q7mT2e', 'kX3vW9_a'),
      sessions('a', 'a'),
      // the same characters at the start and at the end, and seven between them
      sessions('1-kX3vW9_-session', '1-b-Q7mT2-session', '1-0rGhY5s-session'),
      sessions('kX3vW9_', 'b-Q7mT2e', '0rGhY5sZ'),
      { ...sessions('aaaaaaaaaa', 'aaaaaaaaab', 'aaaaaaaaac'), shows: 'counted' },
    ],
  },
});

/** A run with a session for each id. */
function sessions(id: string | undefined, ...others: (string | undefined)[]) {
  return { lines: () => opened(id), others: others.map(other => () => opened(other)) };
}

function opened(id: string | undefined, version = 'x'): Line[] {
  const params = { protocolVersion: version, capabilities: {}, clientInfo: { name: 'c', version: '1' } };
  return [
    ...ask(1, 'POST', request(1, 'initialize', params), 200, json, {
      headers: id === undefined ? {} : { 'Mcp-Session-Id': id },
    }),
    body(1, result(1, { protocolVersion: 'x', capabilities: {}, serverInfo: { name: 's', version: '1' } })),
    end(1),
  ];
}
