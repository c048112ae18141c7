import type { ExampleTable } from '../example.test.util.js';
import { type Line, request, result } from '../record.test.util.js';

const ping: Line = ['c', request(1, 'ping')];
/** A request with a text, for a response that repeats it. */
const asks = (text: string): Line => ['c', request(1, 'ping', { _meta: { text } })];
const pong: Line = ['s', result(1)];
const deadline: Line = { kind: 'deadline', label: 'answer', ms: 1, request: 1 };
const closed: Line = { kind: 'input-closed' };
const exit: Line = { kind: 'exit', code: 0, signal: null };
const terminate: Line = { kind: 'signal', signal: 'SIGTERM' };
const killed: Line = { kind: 'exit', code: null, signal: 'SIGKILL' };
const tooLong = { kind: 'overflow', what: 'line', amount: 9 } as const;
const raw = (text: string, extra: object = {}): Line => ({ kind: 'frame', by: 'server', text, ...extra });

export const examples: ExampleTable = {
  'stdio.no-embedded-newlines': {
    good: [[ping, pong]],
    legal: [
      { lines: [ping, raw(''), pong], shows: 'blank' },
      { lines: [ping, raw('{"jsonrpc":"2.0",', { unterminated: true }), exit], shows: 'no-last-newline' },
    ],
    bad: [
      {
        lines: [
          ping,
          ...['{', '  "jsonrpc": "2.0",', '  "id": 1,', '  "result": {', '  }', '}'].map(t => raw(t)),
          deadline,
        ],
        shows: 'several-lines',
      },
      {
        lines: [ping, raw('{"jsonrpc":"2.0","id":1,"result":{}} {"jsonrpc":"2.0","method":"x/y"}'), deadline],
        shows: 'several-messages',
      },
    ],
  },
  'stdio.server-stdout-pure': {
    good: [[ping, pong]],
    legal: [
      { lines: [{ kind: 'stderr', text: 'listening\n' }, raw('  '), ping, pong], shows: 'stderr' },
      // limits of the harness: the rest of the line may have been a message
      {
        lines: [
          ping,
          raw('{"jsonrpc":"2.0","id":1,"re', { unterminated: true, cutFrom: 9 }),
          tooLong,
          killed,
        ],
        shows: 'cut-by-harness',
      },
      {
        lines: [
          ping,
          raw('[{"jsonrpc":"2.0","id":1,"re', { cutFrom: 99 }),
          { ...tooLong, what: 'batch' },
          killed,
        ],
        shows: 'cut-batch',
      },
    ],
    bad: [
      { lines: [raw('Server listening'), ping, pong], shows: 'start' },
      { lines: [raw('[INFO] {starting'), ping, pong], shows: 'during-work' },
      // a log record, not a message with newlines inside; text with a NUL is UTF-8
      { lines: [...['{', '  "data": {}', '}'].map(t => raw(t)), ping, pong], shows: 'log-record' },
      [raw('workflow \0: not found in the registry'), ping, pong],
      {
        lines: [ping, raw('\uFEFF{"jsonrpc":"2.0","id":1,"result":{}}'), deadline],
        shows: 'byte-order-mark',
      },
      // the rest of the line, which is not in the record, may have been the response
      [ping, raw('{"result":{"tools":[{"na', { cutFrom: 9_000 }), deadline, closed, exit],
      { lines: [ping, raw('xxxx', { unterminated: true, cutFrom: 9 }), tooLong, killed], shows: 'too-long' },
      // a line with a newline is complete, also when nothing follows it
      { lines: [ping, pong, raw('{"jsonrpc":"2.0","method":"x/y"'), closed, exit], shows: 'at-exit' },
    ],
  },
  'stdio.lines-end-in-lf': {
    good: [[ping, pong]],

    legal: [
      {
        lines: [{ kind: 'frame', by: 'client', text: '{"jsonrpc":"2.0","id":1,"method":"ping"}\r' }],
        isUnobserved: true,
      },
    ],
    bad: [{ lines: [ping, raw('{"jsonrpc":"2.0","id":1,"result":{}}\r')], shows: 'crlf' }],
  },
  'transport.utf8': {
    good: [[ping, pong]],
    legal: [
      [asks('a\u{20000}b'), ['s', result(1, { _meta: { text: 'a\uFFFDb' } })]],
      [asks('a\u{20000}b\u{20000}'), ['s', result(1, { _meta: { text: 'a\uFFFD\uFFFDc\uFFFD\uFFFD' } })]],
    ],
    bad: [
      {
        lines: [asks('a\u{20000}b'), ['s', result(1, { _meta: { text: 'a\uFFFD\uFFFDb' } })]],
        shows: 'characters-lost',
      },
      {
        lines: [
          asks('\u{20000}\u{20001}b\u{20002}c'),
          ['s', result(1, { _meta: { text: 'x\uFFFD\uFFFD\uFFFD\uFFFD\u{20001}b\uFFFD\uFFFDc' } })],
        ],
        shows: 'characters-lost',
      },
      {
        lines: [
          ping,
          raw('{"jsonrpc":"2.0","id":1,"result":{"_meta":{"x":"\uFFFD"}}}', { invalidUtf8: true }),
        ],
        shows: 'other-encoding',
      },
    ],
  },
  'stdio.server-exits-on-eof': {
    good: [
      [ping, pong, closed, exit],
      [{ kind: 'deadline', label: 'message', ms: 1 }, closed, exit],
      [terminate, closed, exit],
      [closed, exit, terminate],
    ],
    legal: [
      { lines: [exit, closed], shows: 'exits-before', isUnobserved: true },
      { lines: [closed], shows: 'not-waited', isUnobserved: true },
      {
        lines: [
          closed,
          { kind: 'deadline', label: 'exit-after-eof', ms: 1, starved: { waited: 6, kept: 5 } },
          exit,
        ],
        shows: 'starved',
      },
      {
        lines: [ping, deadline, closed, { kind: 'deadline', label: 'exit-after-eof', ms: 1 }, exit],
        shows: 'slow-start',
      },
      { lines: [closed, terminate, exit], shows: 'signalled', isUnobserved: true },
      { lines: [ping, pong, terminate, exit], isUnobserved: true },
    ],
    bad: [
      {
        lines: [closed, { kind: 'deadline', label: 'exit-after-eof', ms: 1 }, terminate, exit],
        shows: 'stays',
      },
      { lines: [closed, exit, { kind: 'left-behind', pids: [7] }], shows: 'leaves-process' },
    ],
  },
};
