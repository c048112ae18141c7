import type { ExampleTable } from '../example.test.util.js';
import { ask, end } from '../http-events.test.util.js';
import { error, handshake, type Line, notification, request, result } from '../record.test.util.js';

const note = notification('notifications/x');
const ping: Line = ['c', request(1, 'ping')];
const pong: Line = ['s', result(1)];
const me = { name: 'c', version: '1' };
const two: Line = ['c', [request(2, 'ping'), note, request(3, 'ping')]];

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
    ],
    bad: [
      { lines: [ping, ['s', [result(1)]]], shows: 'array' },
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
      // text that is no array
      ...['x []', '[] x'].map(broken => ({
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
        ['c!', ' [ ] '],
        ['s', ' [ ] '],
      ],
    ],
  },
  'batch.only-notifications': {
    good: [[['c', [note, note]], ping, pong]],
    legal: [
      // before the array, and after the response to a later request
      [['s', '[]'], ['c', [note, note]], ping, pong, ['s', '[]']],
      // a request among them
      [
        ['c', [note, request(2, 'ping')]],
        ['s', '[]'],
        ['s', result(2)],
      ],
    ],
    bad: [
      {
        lines: [
          ['c', [note, note]],
          ['s', '[]'],
        ],
        shows: 'empty-array',
      },
      [ping, pong, ['c', [note, note]], ['s', '[]']],
    ],
  },
  'batch.receive': {
    good: [
      { lines: r => [...handshake(r), two, ['s', [result(3), result(2)]]], shows: 'one-array' },
      { lines: r => [...handshake(r), two, ['s', result(2)], ['s', result(3)]], shows: 'one-by-one' },
    ],
    legal: [
      // before the handshake, a method that does not exist, and a late response
      [two, ['s', error(null, -32600)]],
      r => [
        ...handshake(r),
        ['c', [request(2, 'x/y')]],
        { kind: 'deadline', label: 'answer', ms: 1, request: 2 },
      ],
      r => [
        ...handshake(r),
        two,
        { kind: 'deadline', label: 'answer', ms: 1, request: 3 },
        ['s', [result(2), result(3)]],
      ],
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
      {
        lines: r => [
          ...handshake(r),
          two,
          ['s', [result(2)]],
          { kind: 'deadline', label: 'answer', ms: 1, request: 3 },
        ],
        shows: 'one-missing',
      },
      {
        transport: 'streamable-http',
        lines: r => [
          ...handshake(r),
          ...ask(1, 'POST', [request(2, 'ping'), request(3, 'ping')], 400),
          end(1),
        ],
      },
    ],
  },
  'batch.response-per-request': {
    good: [
      { lines: r => [...handshake(r), two, ['s', [result(3), error(2)]]], shows: 'error-beside-result' },
    ],
    bad: [{ lines: r => [...handshake(r), two, ['s', [result(2), result(3), result(2)]]], shows: 'twice' }],
  },
};
