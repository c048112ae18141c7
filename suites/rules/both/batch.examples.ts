import type { ExampleTable } from '../example.test.util.js';
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
      [
        ['c!', [request(1, 'ping')]],
        ['s', [result(1)]],
      ],
      [
        ['c!', '[]'],
        ['s', error(null, -32600)],
      ],
    ],
    bad: [[ping, ['s', [result(1)]]], [['s', '[]']]],
  },
  'batch.initialize-not-batched': {
    good: [handshake],
    bad: [
      ({ id }) => [
        ['c', [request(1, 'initialize', { protocolVersion: id, capabilities: {}, clientInfo: me })]],
        ['s', result(1)],
      ],
    ],
  },
  'batch.empty-array': {
    good: [[['c!', '[]'], ['s', error(null, -32600)], ping, pong]],
    legal: [[['c!', '[]'], ping, pong]],
    bad: [
      [
        ['c!', '[]'],
        ['s', '[]'],
      ],
      [
        ['c!', '[]'],
        ['s', [error(null)]],
      ],
    ],
  },
  'batch.only-notifications': {
    good: [[['c', [note, note]], ping, pong]],
    bad: [
      [
        ['c', [note, note]],
        ['s', '[]'],
      ],
    ],
  },
  'batch.receive': {
    good: [
      r => [...handshake(r), two, ['s', [result(3), result(2)]]],
      r => [...handshake(r), two, ['s', result(2)], ['s', result(3)]],
    ],
    bad: [
      r => [
        ...handshake(r),
        ping,
        pong,
        ['c', [request(2, 'ping'), request(3, 'ping')]],
        ['s', error(null, -32600)],
      ],
      r => [
        ...handshake(r),
        two,
        ['s', [result(2)]],
        { kind: 'deadline', label: 'answer', ms: 1, request: 3 },
      ],
    ],
  },
  'batch.response-per-request': {
    good: [r => [...handshake(r), two, ['s', [result(3), error(2)]]]],
    bad: [r => [...handshake(r), two, ['s', [result(2), result(3), result(2)]]]],
  },
};
