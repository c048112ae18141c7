import type { Revision } from '../../../spec/revisions.js';
import type { ExampleTable } from '../example.test.util.js';
import { ask, body, end } from '../http-events.test.util.js';
import { error, handshake, type Line, notification, request, result } from '../record.test.util.js';

const note = notification('notifications/x');
const ping: Line = ['c', request(1, 'ping')];
const pong: Line = ['s', result(1)];
const me = { name: 'c', version: '1' };
const both = [request(2, 'ping'), note, request(3, 'ping')];
const two: Line = ['c', both];
const noAnswerTo = (id: number): Line => ({ kind: 'deadline', label: 'answer', ms: 1, request: id });
const hasBatches = (r: Revision): boolean => r.batches;

export const examples: ExampleTable = {
  'batch.not-allowed': {
    good: [[ping, pong]],
    legal: [
      {
        lines: [
          ['c!', [request(1, 'ping')]],
          ['s', [result(1)]],
        ],
        shows: 'answer-to-array',
      },
      {
        lines: [
          ['c!', '[]'],
          ['s', error(null, -32600)],
        ],
        shows: 'refusal',
      },
      // a blank line
      { lines: [['s', '']], isUnobserved: true },
    ],
    bad: [
      { lines: [ping, ['s', [result(1)]]], shows: 'array' },
      // an array inside of the request
      [
        ['c', request(1, 'ping', { _meta: { a: [] } })],
        ['s', [result(1)]],
      ],
      { lines: [['s', '[]']], shows: 'empty-array' },
    ],
  },
  'batch.initialize-not-batched': {
    good: [handshake],
    bad: [
      {
        lines: ({ id }) => [
          ['c', [request(1, 'initialize', { protocolVersion: id, capabilities: {}, clientInfo: me })]],
          ['s', result(1)],
        ],
        shows: 'in-array',
      },
    ],
  },
  'batch.empty-array': {
    good: [[['c!', '[]'], ['s', error(null, -32600)], ping, pong]],
    legal: [
      { lines: [['c!', '[]'], ping, pong], shows: 'silence' },
      // an error about another line
      { lines: [['c!', '{'], ['s', error(null, -32700)], ['c!', '[]'], ping, pong], isUnobserved: true },
      // the response to a later request, inside of an array
      { lines: [['c!', '[]'], ping, ['s', [result(1)]]], isUnobserved: true },
      // arrays of the server
      {
        lines: [
          ['s', '[]'],
          ['s', '[]'],
        ],
        isUnobserved: true,
      },
      // text that is no empty array
      ...['x []', '[] x', '[[]'].map(broken => ({
        lines: [
          ['c!', broken],
          ['s', error(null, -32700)],
        ] as Line[],
        isUnobserved: true as const,
      })),
    ],
    bad: [
      {
        lines: [
          ['c!', '[]'],
          ['s', '[]'],
        ],
        shows: 'array',
      },
      {
        lines: [
          ['c!', '[]'],
          ['s', [error(null)]],
        ],
        shows: 'error-in-array',
      },
      [
        ['c!', '[]'],
        ['s', result(null)],
      ],
      [
        ['c!', ' [ ] '],
        ['s', ' [ ] '],
      ],
    ],
  },
  'batch.only-notifications': {
    good: [[['c', [note, note]], ping, pong]],
    legal: [
      // before the array
      [['s', '[]'], ['c', [note, note]], ping, pong],
      // a request among them
      [
        ['c', [note, request(2, 'ping')]],
        ['s', '[]'],
        ['s', result(2)],
      ],
      // an array of the client
      [['c', [note, note]], ['c!', '[]'], ping, pong],
      // no later response
      { lines: [['c', [note, note]]], isUnobserved: true },
    ],
    bad: [
      // after the response to a later request
      [['c', [note, note]], ping, pong, ['s', '[]']],
      {
        lines: [
          ['c', [note, note]],
          ['s', '[]'],
        ],
        shows: 'empty-array',
      },
      [ping, pong, ['c', [note, note]], ['s', '[]']],
      [['c', [note, note]], ['s', '[]'], ping, pong],
      // the response of the client to a ping shows nothing
      [
        ['c', [note, note]],
        ['s', request(1, 'ping')],
        ['c', result(1)],
        ['s', '[]'],
      ],
    ],
  },
  'batch.receive': {
    good: [
      { lines: r => [...handshake(r), two, ['s', [result(3), result(2)]]], shows: 'one-array' },
      { lines: r => [...handshake(r), two, ['s', result(2)], ['s', result(3)]], shows: 'one-by-one' },
      // errors about another line, and about an array before the handshake
      r => [...handshake(r), ['c!', '{'], ['s', error(null, -32700)], two, ['s', [result(2), result(3)]]],
      r => [
        ['c', [request(4, 'ping')]],
        ['s', error(null, -32600)],
        ...handshake(r),
        two,
        ['s', [result(2), result(3)]],
      ],
    ],
    legal: [
      // before the handshake, a method that does not exist, and a late response
      [two, ['s', error(null, -32600)]],
      {
        lines: r => [...handshake(r), ['c', [request(2, 'x/y')]], noAnswerTo(2)],
        isUnobserved: true,
      },
      r => [...handshake(r), two, noAnswerTo(3), ['s', [result(2), result(3)]]],
      // the other response may still arrive
      { lines: r => [...handshake(r), two, ['s', [result(2)]]], isUnobserved: true },
      // the notification may be the cause
      {
        transport: 'streamable-http',
        lines: r => [...handshake(r), ...ask(1, 'POST', [request(2, 'ping'), note], 400), end(1)],
      },
    ],
    bad: [
      {
        lines: r => [
          ...handshake(r),
          ping,
          pong,
          ['c', [request(2, 'ping'), request(3, 'ping')]],
          ['s', error(null, -32600)],
        ],
        shows: 'refused',
      },
      // several arrays in flight, and a request between them that gets its response
      r => [
        ...handshake(r),
        ping,
        pong,
        ['c', [request(2, 'ping')]],
        ['c', request(3, 'ping')],
        ['c', [request(4, 'ping')]],
        ['s', error(null, -32600)],
        ['s', error(null, -32600)],
        ['s', result(3)],
      ],
      { lines: r => [...handshake(r), two, ['s', [result(2)]], noAnswerTo(3)], shows: 'one-missing' },
      r => [...handshake(r), two, ['s', error(null, -32600)], noAnswerTo(2)],
      // a response with an unknown id before the array, and after the timeout
      {
        lines: r => [...handshake(r), ['s', result(9)], two, ['s', [result(2)]], noAnswerTo(3)],
        also: ['jsonrpc.response-id-matches'],
      },
      {
        lines: r => [...handshake(r), ping, two, ['s', [result(2)]], noAnswerTo(3), ['s', result(9)]],
        also: ['jsonrpc.response-id-matches'],
      },
      {
        transport: 'streamable-http',
        lines: r => [
          ...handshake(r),
          ...ask(1, 'POST', [request(2, 'ping'), request(3, 'ping')], 400),
          end(1),
        ],
      },
      // the whole body has arrived
      {
        transport: 'streamable-http',
        lines: r => [
          ...handshake(r),
          ...ask(1, 'POST', both, 200, 'application/json'),
          body(1, [result(2)]),
          end(1),
        ],
        shows: 'one-missing',
      },
    ],
  },
  'batch.response-per-request': {
    good: [
      { lines: r => [...handshake(r), two, ['s', [result(3), error(2)]]], shows: 'error-beside-result' },
    ],
    legal: [
      { lines: r => [...handshake(r), ['c', [note, note]]], isUnobserved: true },
      { lines: r => [...handshake(r), two, ['s', [result(2)]]], isUnobserved: true },
    ],
    bad: [{ lines: r => [...handshake(r), two, ['s', [result(2), result(3), result(2)]]], shows: 'twice' }],
  },
  'jsonrpc.response-id-matches': {
    good: [],
    bad: [
      // the response that is missing has another id
      { lines: r => [...handshake(r), two, ['s', [result(9), result(2)]], noAnswerTo(3)], when: hasBatches },
      {
        lines: r => [...handshake(r), two, ['s', result(9)], noAnswerTo(2), ['s', error(null)]],
        when: hasBatches,
      },
      // an error without an id, beside the responses
      {
        lines: r => [...handshake(r), ping, pong, two, ['s', [error(null), result(2), result(3)]]],
        when: hasBatches,
      },
    ],
  },
  'stdio.no-embedded-newlines': {
    good: [],
    // one of the lines is an empty array
    bad: [
      {
        lines: [
          ping,
          ...['{"jsonrpc":"2.0","id":1,"result":{"a":', '[]', '}}'].map((text): Line => ['s', text]),
        ],
      },
      // the request of the cancellation is not unknown, but unreadable
      [
        ping,
        ...['{"jsonrpc":"2.0","id":1,', '"method":"roots/list"}'].map((text): Line => ['s', text]),
        pong,
        ['s', notification('notifications/cancelled', { requestId: 1 })],
      ],
    ],
  },
};
