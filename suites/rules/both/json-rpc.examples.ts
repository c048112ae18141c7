import type { ExampleTable } from '../example.test.util.js';
import { ask, body, end, event } from '../http-events.test.util.js';
import {
  error,
  everything,
  everythingOfClient,
  handshake,
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

export const examples: ExampleTable = {
  'base.jsonrpc-2-0': {
    good: [[ping, pong]],
    legal: [[ping, ['s', '  { "result" : {"_meta":{}}, "id" :1, "jsonrpc":"2.0"} ']]],
    bad: [
      [ping, ['s', { id: 1, result: {} }]],
      [ping, ['s', { jsonrpc: '1.0', id: 1, result: {} }]],
      [['s', { jsonrpc: '2.0' }]],
      [['s', '"hello"']],
      [['s', { jsonrpc: '2.0', method: 7 }]],
      { transport: 'http-sse', lines: [ping, ...notJson('sse')] },
      { transport: 'streamable-http', lines: [ping, ...notJson('get')] },
    ],
  },
  'base.params-object': {
    good: [[['s', request(1, 'ping', {})]]],
    legal: [[['s', request(1, 'ping')]]],
    bad: [[['s', { jsonrpc: '2.0', id: 1, method: 'ping', params: [] }]], [['s', notification('x/y', null)]]],
  },
  'jsonrpc.request-id-string-or-integer': {
    good: [[['s', request('', 'ping')]], [['s', '{"jsonrpc":"2.0","id":1.0,"method":"ping"}']]],
    bad: [[['s', request(1.5, 'ping')]], [['s', request([1], 'ping')]], [['s', request(true, 'ping')]]],
  },
  'jsonrpc.request-id-not-null': {
    good: [[['s', request(0, 'ping')]]],
    bad: [[['s', request(null, 'ping')]]],
  },
  'jsonrpc.request-id-unique-in-session': {
    good: [
      [
        ['s', request(1, 'ping')],
        ['s', request('1', 'ping')],
      ],
      [ping, ['s', request(1, 'ping')], pong],
    ],
    bad: [
      [
        ['s', request(1, 'ping')],
        ['c', result(1)],
        ['s', request(1, 'ping')],
      ],
    ],
  },
  'jsonrpc.notification-without-id': {
    good: [opened(['s', notification('notifications/x')])],
    bad: [[['s', request(7, 'notifications/x')]], [['s', request(null, 'notifications/x')]]],
  },
  'jsonrpc.notification-not-answered': {
    good: [[['c', notification('notifications/x')], ping, pong]],
    legal: [[['c!', '{"jsonrpc":'], ['s', error(null, -32700)], ping, pong]],
    bad: [
      [
        ['c', notification('notifications/x')],
        ['s', error(null)],
      ],
      [['c', notification('notifications/x')], ['s', { jsonrpc: '2.0', result: {} }], ping, pong],
      [['c', notification('notifications/x')], ping, ['s', error(null)], pong],
    ],
  },
  'jsonrpc.response-id-matches': {
    good: [
      [ping, pong],
      [
        ['c', request('', 'ping')],
        ['c', request(0, 'ping')],
        ['s', result(0)],
        ['s', result('')],
      ],
    ],
    legal: [
      [
        ['c!', 'x'],
        ['s', error(null, -32700)],
      ],
      [
        ['c!', { jsonrpc: '2.0', id: null, method: 'ping' }],
        ['s', { jsonrpc: '2.0', error: { code: 1, message: '' } }],
      ],
    ],
    bad: [
      [ping, ['s', result('1')]],
      [ping, ['s', result(99)]],
      [ping, ['c', request(2, 'ping')], ['s', result(99)], ['s', result(1)], deadline(2)],
      [ping, ['s', error(null)], deadline(1)],
      [ping, pong, ['s', result(null)]],
      [ping, ['c', request('1', 'ping')], ['s', result('1')], ['s', result('1')], deadline(1)],
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
    ],
  },
  'jsonrpc.request-answered-once': {
    good: [[ping, pong]],
    legal: [
      [ping, ['c', notification('notifications/cancelled', { requestId: 1 })], deadline(1)],
      [ping, ['c!', notification('notifications/cancelled', { requestId: '1' })], deadline(1)],
      [ping, { kind: 'input-closed' }, exit],
      [ping, exit],
      [ping, deadline(1), pong],
      [['c!', { id: 1, method: 'ping' }], deadline(1)],
      [['c', request(1, 'initialize')], deadline(1)],
      // the subject got too little CPU time
      [ping, { kind: 'deadline', label: 'answer', ms: 1, request: 1, starved: { waited: 6, kept: 5 } }],
    ],
    bad: [
      [ping, deadline(1)],
      [ping, pong, ['s', error(1)]],
      // the other request has an id with the same text, and got its own response
      [ping, ['c', request('1', 'ping')], pong, pong, ['s', result('1')]],
      { lines: [ping, exit], attempt: 2 },
    ],
  },
  'jsonrpc.result-and-error-exclusive': {
    good: [[ping, pong]],
    bad: [[ping, ['s', { jsonrpc: '2.0', id: 1, result: {}, error: null }]]],
  },
  'jsonrpc.result-or-error-present': {
    good: [[ping, pong]],
    bad: [[ping, ['s', { jsonrpc: '2.0', id: 1 }], deadline(1)]],
  },
  'jsonrpc.result-object': {
    good: [[ping, ['s', result(1, { _meta: {} })]]],
    bad: [
      [ping, ['s', result(1, null)]],
      [ping, ['s', result(1, [])]],
    ],
  },
  'jsonrpc.error-code-and-message': {
    good: [
      [
        ['c', request(1, 'x')],
        ['s', error(1, -32601, '')],
      ],
    ],
    bad: [
      [
        ['c', request(1, 'x')],
        ['s', error(1, -32601, 7)],
      ],
      [
        ['c', request(1, 'x')],
        ['s', { jsonrpc: '2.0', id: 1, error: 'no' }],
      ],
      [
        ['c', request(1, 'x')],
        ['s', { jsonrpc: '2.0', id: 1, error: { message: 'no' } }],
      ],
    ],
  },
  'jsonrpc.error-code-integer': {
    good: [
      [
        ['c', request(1, 'x')],
        ['s', error(1, 4711)],
      ],
    ],
    bad: [
      [
        ['c', request(1, 'x')],
        ['s', error(1, '-32601')],
      ],
      [
        ['c', request(1, 'x')],
        ['s', error(1, 1.5)],
      ],
    ],
  },
  'jsonrpc.error-message-concise': {
    good: [
      [
        ['c', request(1, 'x')],
        ['s', error(1, -32601, 'Method not found: x')],
      ],
    ],
    bad: [
      [
        ['c', request(1, 'x')],
        ['s', error(1, -32602, 'Error\n    at f (a.js:1)')],
      ],
      [
        ['c', request(1, 'x')],
        ['s', error(1, -32602, 'Invalid: [{"code":"invalid_type"}]')],
      ],
    ],
  },
};
