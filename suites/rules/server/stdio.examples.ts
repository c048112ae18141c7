import type { ExampleTable } from '../example.test.util.js';
import { type Line, request, result } from '../record.test.util.js';

const ping: Line = ['c', request(1, 'ping')];
const pong: Line = ['s', result(1)];
const deadline: Line = { kind: 'deadline', label: 'answer', ms: 1, request: 1 };
const closed: Line = { kind: 'input-closed' };
const exit: Line = { kind: 'exit', code: 0, signal: null };
const killed: Line = { kind: 'exit', code: null, signal: 'SIGKILL' };
const tooLong = { kind: 'overflow', what: 'line', amount: 9 } as const;
const raw = (text: string, extra: object = {}): Line => ({ kind: 'frame', by: 'server', text, ...extra });

export const examples: ExampleTable = {
  'stdio.no-embedded-newlines': {
    good: [[ping, pong]],
    legal: [
      [ping, raw(''), pong],
      [ping, raw('{"jsonrpc":"2.0",', { unterminated: true }), exit],
    ],
    bad: [
      [
        ping,
        ...['{', '  "jsonrpc": "2.0",', '  "id": 1,', '  "result": {', '  }', '}'].map(t => raw(t)),
        deadline,
      ],
      [ping, raw('{"jsonrpc":"2.0","id":1,"result":{}} {"jsonrpc":"2.0","method":"x/y"}'), deadline],
    ],
  },
  'stdio.server-stdout-pure': {
    good: [[ping, pong]],
    legal: [
      [{ kind: 'stderr', text: 'listening\n' }, raw('  '), ping, pong],
      // limits of the harness: the rest of the line may have been a message
      [ping, raw('{"jsonrpc":"2.0","id":1,"re', { unterminated: true, cutFrom: 9 }), tooLong, killed],
      [ping, raw('[{"jsonrpc":"2.0","id":1,"re', { cutFrom: 99 }), { ...tooLong, what: 'batch' }, killed],
    ],
    bad: [
      [raw('Server listening'), ping, pong],
      [raw('[INFO] {starting'), ping, pong],
      [ping, raw('\uFEFF{"jsonrpc":"2.0","id":1,"result":{}}'), deadline],
      [ping, raw('xxxx', { unterminated: true, cutFrom: 9 }), tooLong, killed],
      // a line with a newline is complete, also when nothing follows it
      [ping, pong, raw('{"jsonrpc":"2.0","method":"x/y"'), closed, exit],
    ],
  },
  'stdio.lines-end-in-lf': {
    good: [[ping, pong]],
    bad: [[ping, raw('{"jsonrpc":"2.0","id":1,"result":{}}\r')]],
  },
  'transport.utf8': {
    good: [[ping, pong]],
    bad: [[ping, raw('{"jsonrpc":"2.0","id":1,"result":{"_meta":{"x":"\uFFFD"}}}', { invalidUtf8: true })]],
  },
  'stdio.server-exits-on-eof': {
    good: [[ping, pong, closed, exit]],
    legal: [
      [exit, closed],
      [closed],
      [closed, { kind: 'deadline', label: 'exit-after-eof', ms: 1, starved: { waited: 6, kept: 5 } }, exit],
      [closed, { kind: 'signal', signal: 'SIGTERM' }, exit],
    ],
    bad: [
      [
        closed,
        { kind: 'deadline', label: 'exit-after-eof', ms: 1 },
        { kind: 'signal', signal: 'SIGTERM' },
        exit,
      ],
      [closed, exit, { kind: 'left-behind', pids: [7] }],
    ],
  },
};
