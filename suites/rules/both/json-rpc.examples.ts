import type { Example, ExampleTable } from '../example.test.util.js';
import { ask, body, end, event } from '../http-events.test.util.js';
import {
  error,
  everything,
  everythingOfClient,
  handshake,
  initializedTwice,
  type Line,
  notification,
  opened,
  request,
  result,
} from '../record.test.util.js';

const ping: Line = ['c', request(1, 'ping')];
const pong: Line = ['s', result(1)];
const deadline = (id: number | string): Line => ({ kind: 'deadline', label: 'answer', ms: 1, request: id });
const exit: Line = { kind: 'exit', code: 3, signal: null };

/** An event of a stream whose data is not JSON. */
const notJson = (stream: 'sse' | 'get'): Line[] => [
  { kind: 'sse', exchange: 1, framed: true },
  { kind: 'frame', by: 'server', text: '{"jsonrpc":"2.0","method":"x/y"', exchange: 1, stream },
];

/** Broken frames that the record explains: they prove nothing about the subject. */
const unproven = (more: object): Line[] => [
  { kind: 'sse', exchange: 1, framed: true },
  { kind: 'frame', by: 'server', text: '{"jsonrpc":', exchange: 1, stream: 'get', ...more },
];

/** A client with a stream of the server, on which a request has arrived again after a return. */
const returned = (...lines: Line[]): Example => ({
  subject: 'client',
  transport: 'streamable-http',
  when: r => r.transports.includes('streamable-http'),
  lines: opened(
    ...ask(1, 'GET', undefined, 200, 'text/event-stream'),
    ...event(1, request(7, 'roots/list'), {}, 'get'),
    ...lines,
  ),
});
const replayed = (id: number): Line[] => [
  ...ask(2, 'GET', undefined, 200, 'text/event-stream'),
  { kind: 'sse', exchange: 2, framed: true },
  {
    kind: 'frame',
    by: 'server',
    text: JSON.stringify(request(id, 'roots/list')),
    exchange: 2,
    stream: 'get',
    replay: true,
  },
];
const roots = (exchange: number): Line[] => [
  ...ask(exchange, 'POST', result(7, { roots: [] }), 202),
  end(exchange),
];

export const examples: ExampleTable = {
  'base.jsonrpc-2-0': {
    good: [[ping, pong]],
    legal: [
      { lines: [ping, ['s', '  { "result" : {"_meta":{}}, "id" :1, "jsonrpc":"2.0"} ']], shows: 'any-order' },
      { transport: 'streamable-http', lines: unproven({ cutFrom: 70_000_000 }) },
      { transport: 'streamable-http', lines: unproven({ replay: true }) },
      // the server takes the message for a notification, and accepts it
      {
        transport: 'streamable-http',
        lines: [...ask(1, 'POST', request('n', 'notifications/cancelled'), 202), body(1, {}), end(1)],
      },
      // the harness breaks the rule on purpose
      {
        transport: 'http-sse',
        lines: [{ kind: 'frame', by: 'client', text: '{', exchange: 1, stream: 'post', deliberate: true }],
      },
    ],
    bad: [
      { lines: [ping, ['s', { id: 1, result: {} }]], shows: 'version-missing' },
      { lines: [ping, ['s', { jsonrpc: '1.0', id: 1, result: {} }]], shows: 'version-other' },
      { lines: [['s', { jsonrpc: '2.0' }]], shows: 'no-shape' },
      { lines: [['s', '"hello"']], shows: 'no-object' },
      {
        transport: 'streamable-http',
        lines: [...ask(1, 'POST', request(1, 'ping'), 200, 'application/json'), body(1, {}), end(1)],
      },
      { lines: [['s', { jsonrpc: '2.0', method: 7 }]], shows: 'method-no-text' },
      { transport: 'http-sse', lines: [ping, ...notJson('sse')], shows: 'event-not-json' },
      { transport: 'streamable-http', lines: [ping, ...notJson('get')], shows: 'event-not-json-on-get' },
      ...['result', 'error'].map(member =>
        opened(['s', { jsonrpc: '2.0', method: 'notifications/x', [member]: {} }]),
      ),
      // rules about methods judge only messages with a valid envelope
      opened(['s', { jsonrpc: '1.0', id: 1, method: 'tools/list' }]),
      {
        subject: 'client',
        transport: 'http-sse',
        lines: [{ kind: 'frame', by: 'client', text: '{', exchange: 1, stream: 'post' }],
      },
    ],
  },
  'base.params-object': {
    good: [{ lines: [['s', request(1, 'ping', {})]], shows: 'empty' }],
    legal: [
      { lines: [['s', request(1, 'ping')]], shows: 'none' },
      // an unknown member of a response
      [ping, ['s', { jsonrpc: '2.0', id: 1, result: {}, params: 7 }]],
    ],
    bad: [
      { lines: [['s', { jsonrpc: '2.0', id: 1, method: 'ping', params: [] }]], shows: 'array' },
      { lines: [['s', notification('x/y', null)]], shows: 'is-null' },
      { lines: [['s', notification('x/y', 'z')]], shows: 'scalar' },
    ],
  },
  'jsonrpc.request-id-string-or-integer': {
    good: [
      { lines: [['s', request('', 'ping')]], shows: 'empty-text' },
      { lines: [['s', '{"jsonrpc":"2.0","id":1.0,"method":"ping"}']], shows: 'written-as-fraction' },
    ],
    bad: [
      { lines: [['s', request(1.5, 'ping')]], shows: 'fraction' },
      { lines: [['s', request([1], 'ping')]], shows: 'structure' },
      { lines: [['s', request(true, 'ping')]], shows: 'boolean' },
    ],
  },
  'jsonrpc.request-id-not-null': {
    good: [[['s', request(0, 'ping')]]],
    bad: [[['s', request(null, 'ping')]]],
  },
  'jsonrpc.request-id-unique-in-session': {
    good: [
      {
        lines: [
          ['s', request(1, 'ping')],
          ['s', request('1', 'ping')],
        ],
        shows: 'other-type',
      },
      { lines: [ping, ['s', request(1, 'ping')], pong], shows: 'other-direction' },
    ],
    bad: [
      {
        lines: [
          ['s', request(1, 'ping')],
          ['c', result(1)],
          ['s', request(1, 'ping')],
        ],
        shows: 'repeated',
      },
      {
        subject: 'client',
        lines: initializedTwice,
        also: ['lifecycle.client-waits-for-initialize'],
        shows: 'initialize-repeated',
      },
      {
        subject: 'client',
        transport: 'streamable-http',
        when: r => r.transports.includes('streamable-http'),
        lines: opened(
          ...ask(1, 'POST', request(1, 'tools/list'), 400),
          end(1),
          ...ask(2, 'POST', request(1, 'prompts/list'), 200, 'application/json'),
          body(2, result(1, { prompts: [] })),
          end(2),
        ),
      },
    ],
  },
  'jsonrpc.notification-without-id': {
    good: [opened(['s', notification('notifications/x')])],
    bad: [
      { lines: [['s', request(7, 'notifications/x')]], shows: 'id' },
      { lines: [['s', request(null, 'notifications/x')]], shows: 'id-null' },
    ],
  },
  'jsonrpc.notification-not-answered': {
    good: [[['c', notification('notifications/x')], ping, pong]],
    legal: [
      { lines: [['c!', '{"jsonrpc":'], ['s', error(null, -32700)], ping, pong], shows: 'unreadable-line' },
      // the body of a refusal
      {
        transport: 'streamable-http',
        when: r => r.transports.includes('streamable-http'),
        lines: opened(
          ...ask(1, 'POST', notification('notifications/x'), 400, 'application/json'),
          body(1, error(null, -32600)),
          end(1),
        ),
      },
    ],
    bad: [
      {
        lines: [
          ['c', notification('notifications/x')],
          ['s', error(null)],
        ],
        shows: 'unknown-answered',
      },
      {
        lines: [['c', notification('notifications/x')], ['s', { jsonrpc: '2.0', result: {} }], ping, pong],
        shows: 'result-without-id',
      },
      [['c', notification('notifications/x')], ping, ['s', error(null)], pong],
      {
        lines: [['c', notification('notifications/x')], ping, ['s', error('no-id')], pong],
        shows: 'made-up-id',
      },
      // the second error comes after the response to a later request
      [
        ['c', notification('notifications/x')],
        ['c', notification('notifications/y')],
        ping,
        ['s', error('no-id')],
        pong,
        ['c', request(2, 'ping')],
        ['s', error('no-id')],
        ['s', result(2)],
      ],
    ],
  },
  'jsonrpc.response-id-matches': {
    good: [
      [ping, pong],
      {
        lines: [
          ['c', request('', 'ping')],
          ['c', request(0, 'ping')],
          ['s', result(0)],
          ['s', result('')],
        ],
        shows: 'any-order',
      },
      // two ids with one text
      [ping, ['c', request('1', 'ping')], pong, ['s', result('1')]],
    ],
    legal: [
      {
        lines: [
          ['c!', 'x'],
          ['s', error(null, -32700)],
        ],
        shows: 'unreadable',
      },
      // the first message of a line that is not JSON as a whole
      {
        lines: [
          ['c!', '{"jsonrpc":"2.0","id":7,"method":"ping"}{"jsonrpc":"2.0","id":7,"method":"ping"}'],
          ['s', result(7)],
        ],
        isUnobserved: true,
      },
      {
        lines: [
          ['c!', { jsonrpc: '2.0', id: null, method: 'ping' }],
          ['s', { jsonrpc: '2.0', error: { code: 1, message: '' } }],
        ],
        shows: 'unreadable-id',
      },
      {
        transport: 'streamable-http',
        when: r => r.transports.includes('streamable-http'),
        lines: r => [
          ...handshake(r, everything, everythingOfClient),
          ...ask(1, 'POST', result('never-asked'), 400, 'application/json', { deliberate: true }),
          body(1, error('never-asked', -32600)),
          end(1),
        ],
        shows: 'refused-response',
      },
      // the error about a notification arrives after the response to a later ping
      {
        transport: 'streamable-http',
        when: r => r.transports.includes('streamable-http'),
        lines: r => [
          ...handshake(r, everything, everythingOfClient),
          ...ask(1, 'POST', notification('notifications/x'), 400, 'application/json'),
          ...ask(2, 'POST', request(2, 'ping'), 200, 'application/json'),
          body(2, result(2)),
          end(2),
          body(1, error(null, -32600)),
          end(1),
        ],
      },
      // the other request may still get its response
      [ping, ['c', request('1', 'ping')], ['s', result('1')], ['s', result('1')]],
    ],
    bad: [
      { lines: [ping, ['s', result('1')]], shows: 'retyped' },
      { lines: [ping, ['s', result(99)]], shows: 'unknown' },
      {
        lines: [ping, ['c', request(2, 'ping')], ['s', result(99)], ['s', result(1)], deadline(2)],
        shows: 'swapped-and-unknown',
      },
      { lines: [ping, ['s', error(null)], deadline(1)], shows: 'null-for-readable' },
      { lines: [ping, pong, ['s', result(null)]], shows: 'second-with-null' },
      // an error about the unreadable line, which should have no id or null
      [['c!', 'x'], ping, ['s', error(0, -32700)], pong],
      {
        lines: [ping, ['c', request('1', 'ping')], ['s', result('1')], ['s', result('1')], deadline(1)],
        shows: 'twin-answered-twice',
      },
      [['c', notification('notifications/x')], ping, ['s', error(null)], deadline(1)],
      // each body belongs to the request of its POST: none is a second response to the ping with the same id
      {
        transport: 'streamable-http',
        when: r => r.transports.includes('streamable-http'),
        lines: r => [
          ...handshake(r, everything, everythingOfClient),
          ...ask(1, 'POST', request('', 'ping'), 200, 'text/event-stream'),
          ...[2, 3].flatMap(exchange => [
            ...ask(exchange, 'POST', request(exchange, 'ping', { x: 1 }), 400, 'application/json', {
              deliberate: true,
            }),
            body(exchange, error('', -32600)),
            end(exchange),
          ]),
          ...event(1, result('')),
          end(1),
        ],
      },
      // the response of a batch under another id
      {
        when: r => r.batches,
        lines: r => [
          ...handshake(r),
          ['c', [request(2, 'ping'), request(3, 'ping')]],
          ['s', result(2)],
          ['s', result(99)],
          deadline(3),
        ],
      },
    ],
  },
  'jsonrpc.request-answered-once': {
    good: [[ping, pong]],
    legal: [
      {
        lines: [ping, ['c', notification('notifications/cancelled', { requestId: 1 })], deadline(1)],
        shows: 'cancelled',
      },
      {
        lines: [ping, ['c!', notification('notifications/cancelled', { requestId: '1' })], deadline(1)],
        shows: 'cancelled-under-other-type',
      },
      { lines: [ping, { kind: 'input-closed' }, exit], shows: 'input-closed' },
      { lines: [ping, exit], shows: 'exit-once' },
      { lines: [ping, deadline(1), pong], shows: 'late' },
      { lines: [ping, deadline(1)], shows: 'slow-start' },
      {
        lines: opened(
          ['c', request(1, 'tools/call', { name: 'summary' })],
          ['s', request(7, 'sampling/createMessage', { messages: [], maxTokens: 1 })],
          ['c!', result(7, { role: 'assistant' })],
          deadline(1),
        ),
        shows: 'invalid-sample',
      },
      {
        lines: [
          ['c', request('', 'ping')],
          ['s', result('')],
          ['c!', { jsonrpc: '2.0', id: null, method: 'ping' }],
          ['s', result('')],
        ],
        shows: 'null-request',
      },
      { lines: [['c!', { id: 1, method: 'ping' }], deadline(1)], shows: 'no-request' },
      [['c', request(1, 'initialize')], deadline(1)],
      // the subject got too little CPU time
      {
        lines: [
          ping,
          { kind: 'deadline', label: 'answer', ms: 1, request: 1, starved: { waited: 6, kept: 5 } },
        ],
        shows: 'starved',
      },
      // what the peer does with requests of the subject
      [['s', request(7, 'ping')], ['c', result(7)], ['c', result(7)], ['s', request(8, 'ping')], deadline(8)],
      returned(
        ...event(1, notification('notifications/tools/list_changed'), {}, 'get'),
        ...roots(3),
        ...replayed(7),
        ...event(2, notification('notifications/tools/list_changed'), {}, 'get'),
        ...roots(4),
      ),
      { ...returned({ kind: 'http-end', exchange: 1, by: 'client' }, deadline(7)), shows: 'stream-closed' },
    ],
    bad: [
      { lines: [['c', request(2, 'ping')], ['s', result(2)], ping, deadline(1)], shows: 'no-response' },
      returned(deadline(7)),
      returned({ kind: 'http-end', exchange: 1, by: 'server' }, deadline(7)),
      [ping, ['s', request(7, 'ping')], ['c', result(7)], deadline(1)],
      { lines: [ping, pong, ['s', error(1)]], shows: 'two-responses' },
      // the other request has an id with the same text, and got its own response
      [ping, ['c', request('1', 'ping')], pong, pong, ['s', result('1')]],
      { lines: [ping, exit], attempt: 2, shows: 'crash' },
      returned(...roots(3), ...roots(4)),
      // another request arrived again
      returned(...event(1, request(8, 'roots/list'), {}, 'get'), ...roots(3), ...replayed(8), ...roots(4)),
    ],
  },
  'jsonrpc.result-and-error-exclusive': {
    good: [[ping, pong]],
    bad: [{ lines: [ping, ['s', { jsonrpc: '2.0', id: 1, result: {}, error: null }]], shows: 'one-null' }],
  },
  'jsonrpc.result-or-error-present': {
    good: [{ lines: [ping, pong], shows: 'empty-result' }],
    bad: [{ lines: [ping, ['s', { jsonrpc: '2.0', id: 1 }], deadline(1)], shows: 'neither' }],
  },
  'jsonrpc.result-object': {
    good: [[ping, ['s', result(1, { _meta: {} })]]],
    legal: [
      {
        lines: [
          ['c', request('a', 'notifications/cancelled', { requestId: 'nobody' })],
          ['s', result('a', null)],
        ],
        shows: 'for-no-request',
        isUnobserved: true,
      },
    ],
    bad: [
      { lines: [ping, ['s', result(1, null)]], shows: 'is-null' },
      { lines: [ping, ['s', result(1, [])]], shows: 'array' },
      { lines: [ping, ['s', result(1, true)]], shows: 'scalar' },
    ],
  },
  'jsonrpc.error-code-and-message': {
    good: [
      {
        lines: [
          ['c', request(1, 'x')],
          ['s', error(1, -32601, '')],
        ],
        shows: 'empty-message',
      },
    ],
    bad: [
      {
        lines: [
          ['c', request(1, 'x')],
          ['s', error(1, -32601, 7)],
        ],
        shows: 'message-no-text',
      },
      {
        lines: [
          ['c', request(1, 'x')],
          ['s', { jsonrpc: '2.0', id: 1, error: 'no' }],
        ],
        shows: 'error-no-object',
      },
      {
        lines: [
          ['c', request(1, 'x')],
          ['s', { jsonrpc: '2.0', id: 1, error: { message: 'no' } }],
        ],
        shows: 'no-code',
      },
      [
        ['c', request(1, 'x')],
        ['s', error(1, -32601, { text: 'no' })],
      ],
      [
        ['c', request(1, 'x')],
        ['s', { jsonrpc: '2.0', id: 1, error: null }],
      ],
    ],
  },
  'jsonrpc.error-code-integer': {
    good: [
      {
        lines: [
          ['c', request(1, 'x')],
          ['s', error(1, 4711)],
        ],
        shows: 'any-range',
      },
    ],
    bad: [
      {
        lines: [
          ['c', request(1, 'x')],
          ['s', error(1, '-32601')],
        ],
        shows: 'text',
      },
      {
        lines: [
          ['c', request(1, 'x')],
          ['s', error(1, 1.5)],
        ],
        shows: 'fraction',
      },
    ],
  },
  'jsonrpc.error-message-concise': {
    good: [
      [
        ['c', request(1, 'x')],
        ['s', error(1, -32601, 'Method not found: x')],
      ],
      {
        lines: [
          ['c', request(1, 'x', { name: 'a\nb' })],
          ['s', error(1, -32602, 'No item a\nb')],
        ],
        shows: 'echo',
      },
      [
        ['c', request(1, ' a\nb ')],
        ['s', error(1, -32601, 'Method not found: a\nb')],
      ],
    ],
    bad: [
      {
        lines: [
          ['c', request(1, 'x')],
          ['s', error(1, -32602, 'Error\n    at f (a.js:1)')],
        ],
        shows: 'several-lines',
      },
      {
        lines: [
          ['c', request(1, 'x')],
          ['s', error(1, -32602, 'Invalid: [{"code":"invalid_type"}]')],
        ],
        shows: 'json',
      },
      [
        ['c', request(1, 'x', { a: '' })],
        ['s', error(1, -32602, 'Invalid: { "code" : 1 }')],
      ],
      [
        ['c!', '{'],
        ['s', error(null, -32700, 'Error\n    at f (a.js:1)')],
      ],
    ],
  },
};
