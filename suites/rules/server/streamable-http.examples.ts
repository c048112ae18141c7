import { ask, body, end, event, over, ping } from '../http-events.test.util.js';
import { error, type Line, notification, request, result } from '../record.test.util.js';

const note = notification('notifications/x');
const sse = 'text/event-stream';
const json = 'application/json';
const call = (exchange: number, token: string): Line[] =>
  ask(exchange, 'POST', request(exchange, 'ping', { _meta: { progressToken: token } }), 200, sse);
const progress = (token: string) =>
  notification('notifications/progress', { progressToken: token, progress: 1 });
const get = (exchange: number, status = 200, type = sse, sent = {}) =>
  ask(exchange, 'GET', undefined, status, type, { sent });
const last = (id: string) => ({ 'Last-Event-ID': id });
const words = (text: string, exchange = 1): Line => ({ kind: 'http-body', exchange, text });
const late = (exchange: number): Line => ({ kind: 'deadline', label: 'http', ms: 9, exchange });
/** The session is deleted while a GET request has no response yet. */
const crossedDelete: Line[] = [
  get(1, 404)[0]!,
  ...ask(2, 'DELETE', undefined, 200, undefined, {}),
  get(1, 404)[1]!,
];
const ask1 = request(1, 'ping');
const note1 = notification('notifications/tools/list_changed');
const note2 = notification('notifications/prompts/list_changed');
/** A stream that breaks after an event, and the next event, which the client does not receive. */
const interrupted: Line[] = [
  ...get(1),
  ...event(1, note1, { id: 'a' }, 'get'),
  { kind: 'http-end', exchange: 1, by: 'error' },
];
const lostNote: Line = { kind: 'sse', exchange: 1, id: 'b', data: JSON.stringify(note1), lost: true };
const both = ['streamable-http.one-stream-per-message', 'streamable-http.no-broadcast'] as const;

const twice = (at: number) => ({
  good: [[...get(1), ...ping(2), ...event(1, note1, {}, 'get')]],
  legal: [
    [...get(1), ...get(2), ...event(1, note1, {}, 'get'), ...ping(3), ...event(2, note1, {}, 'get')],
    [
      ...get(1),
      ...event(1, note1, { id: 'a' }, 'get'),
      ...get(2, 200, sse, last('0')),
      ...event(2, note1, { id: 'a' }, 'get'),
    ],
  ],
  bad: [
    {
      lines: [...get(1), ...get(2), ...event(1, note1, {}, 'get'), ...event(2, note1, {}, 'get')],
      also: [both[at]!],
    },
  ],
});

export const examples = over('streamable-http', {
  'streamable-http.accepted-202': {
    good: [
      [...ask(1, 'POST', note, 202), end(1)],
      { lines: [...ask(1, 'POST', result(9), 202, 'text/plain'), end(1)], shows: 'content-type' },
    ],
    legal: [{ lines: [...ask(1, 'POST', note, 400), words('no'), end(1)], shows: 'refused' }],
    bad: [
      { lines: [...ask(1, 'POST', note, 200), end(1)], shows: 'status-200' },
      { lines: [...ask(1, 'POST', note, 204), end(1)], shows: 'status-204' },
      { lines: [...ask(1, 'POST', note, 202, 'text/plain'), words('Accepted'), end(1)], shows: 'body' },
    ],
  },
  'streamable-http.post-notification-rejected': {
    good: [[...ask(1, 'POST', note, 404), end(1)]],
    legal: [{ lines: [...ask(1, 'POST', note, 202), end(1)], shows: 'accepted' }],
    bad: [
      {
        lines: [...ask(1, 'POST', note, 200, json), words(JSON.stringify(error(null, -32000))), end(1)],
        shows: 'status-200',
      },
    ],
  },
  'streamable-http.request-json-or-sse': {
    good: [
      ping(1),
      {
        lines: [...ask(1, 'POST', ask1, 200, 'Application/JSON; charset=utf-8'), body(1, result(1)), end(1)],
        shows: 'charset',
      },
    ],
    legal: [{ lines: [...ask(1, 'POST', ask1, 403, 'text/html'), words('<h1>'), end(1)], shows: 'refused' }],
    bad: [
      { lines: [...ask(1, 'POST', ask1, 202), end(1)], shows: 'status-202' },
      {
        lines: [...ask(1, 'POST', ask1, 200, 'text/plain'), body(1, result(1)), end(1)],
        shows: 'other-type',
      },
      { lines: [...ask(1, 'POST', ask1, 200, json), words('Hello'), end(1)], shows: 'no-json' },
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
    ],
    bad: [
      {
        lines: [...ask(1, 'POST', ask1, 200, sse), end(1)],
        also: ['streamable-http.sse-not-closed-early'],
        shows: 'ends',
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
    good: [ping(1)],
    legal: [
      {
        lines: [...ask(1, 'POST', ask1, 200, sse), ...event(1, result(1)), end(1, 'client')],
        shows: 'closed-by-client',
      },
    ],
    bad: [
      { lines: [...ask(1, 'POST', ask1, 200, sse), ...event(1, result(1)), late(1)], shows: 'stays-open' },
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
    legal: [{ lines: ping(1), shows: 'no-ids' }],
    bad: [
      {
        lines: [...ask(1, 'POST', ask1, 200, sse), ...event(1, result(1), { id: 'b' }), end(1)],
        shows: 'none',
      },
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
    ],
  },
  'streamable-http.single-endpoint': {
    good: [get(1), { lines: get(1, 405), shows: 'get-405' }],
    legal: [
      { lines: [...ask(1, 'DELETE', undefined, 200), ...get(2, 404)], shows: 'ended-session' },
      { lines: crossedDelete, shows: 'crossed-delete' },
    ],
    bad: [{ lines: get(1, 404, 'text/html'), also: ['streamable-http.get-sse-or-405'], shows: 'get-404' }],
  },
  'streamable-http.get-sse-or-405': {
    good: [get(1), { lines: get(1, 405), shows: 'no-stream' }],
    legal: [
      { lines: get(1, 403), shows: 'forbidden' },
      { lines: get(1, 409), shows: 'second-stream' },
      { lines: crossedDelete, shows: 'crossed-delete' },
      { lines: get(1, 400, json, last('x')), shows: 'unknown-event' },
      { lines: ask(1, 'GET', undefined, 400, json, { deliberate: true }), shows: 'deliberate' },
    ],
    bad: [
      { lines: get(1, 200, 'text/html'), shows: 'other-type' },
      { lines: get(1, 501), shows: 'status-501' },
      { lines: get(1, 202), shows: 'status-202' },
    ],
  },
  'streamable-http.second-get-stream': {
    good: [{ lines: [...get(1), ...get(2)], shows: 'two-streams' }],
    legal: [
      { lines: get(1, 409), shows: 'first-refused' },
      { lines: [...get(1), ...get(2, 405)], shows: 'no-further' },
      { lines: [...get(1), ...get(2, 429)], shows: 'too-many' },
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
    ],
  },
  'streamable-http.replay-complete': {
    good: [
      [...interrupted, lostNote, ...get(2, 200, sse, last('a')), ...event(2, note1, { id: 'b' }, 'get')],
    ],
    legal: [
      { lines: [...interrupted, lostNote, ...get(2, 200, sse, last('a'))], shows: 'new-stream' },
      {
        lines: [
          ...interrupted,
          lostNote,
          ...get(2, 200, sse, last('a')),
          { kind: 'http-end', exchange: 2, by: 'error' },
        ],
        shows: 'interrupted',
      },
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
    ],
    bad: [
      {
        lines: [...interrupted, ...get(2, 200, sse, last('a')), ...event(2, note1, { id: 'a' }, 'get')],
        shows: 'repeats',
      },
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
    bad: ['a b', 'é', ''].map(id => ({ lines: () => opened(id) })),
  },
});

function opened(id: string, version = 'x'): Line[] {
  const params = { protocolVersion: version, capabilities: {}, clientInfo: { name: 'c', version: '1' } };
  return [
    ...ask(1, 'POST', request(1, 'initialize', params), 200, json, { headers: { 'Mcp-Session-Id': id } }),
    body(1, result(1, { protocolVersion: 'x', capabilities: {}, serverInfo: { name: 's', version: '1' } })),
    end(1),
  ];
}
