import type { ExampleTable } from '../example.test.util.js';
import { type Line, request, result } from '../record.test.util.js';

const ping: Line = ['c', request(1, 'ping')];
const pong: Line = ['s', result(1)];
const raw = (text: string, extra: object = {}): Line => ({ kind: 'frame', by: 'client', text, ...extra });
const tooLong: Line = { kind: 'overflow', what: 'line', amount: 9 };
const closed: Line = { kind: 'input-closed' };
const closing: Line = { kind: 'closing' };
const term: Line = { kind: 'signal', signal: 'SIGTERM' };
const exit: Line = { kind: 'exit', code: 0, signal: null };
const late: Line = { kind: 'signal', signal: 'SIGTERM', within: 300 };
const atOnce: Line = { kind: 'signal', signal: 'SIGTERM', within: 1 };
const starved = { waited: 6, kept: 5, share: 0.1 };
const givenUp: Line = { kind: 'deadline', label: 'idle', ms: 1, starved };
const killed: Line = { kind: 'exit', code: null, signal: 'SIGKILL' };

export const examples: ExampleTable = {
  'stdio.client-stdin-pure': {
    good: [[ping, pong]],
    legal: [
      [raw(' '), ping, pong],
      [raw('{"jsonrpc":', { unterminated: true }), closed],
      // a limit of the harness: the rest of the line may have been a message
      [raw('{"jsonrpc":', { unterminated: true, cutFrom: 9 }), tooLong, exit],
    ],
    bad: [
      [raw('exit'), ping, pong],
      [raw('Content-Length: 40'), ping, pong],
      [ping, raw('xxxx', { unterminated: true, cutFrom: 9 }), tooLong, exit],
    ],
  },
  'stdio.client-shutdown-sequence': {
    good: [
      [ping, pong, closed, exit],
      { lines: [closed, term, exit], tick: 30 },
      { lines: [closed, term, killed], tick: 30 },
      // both events were recorded late
      [closed, late, exit],
    ],
    legal: [[ping, closing, exit], [closing, closed, term, exit], [exit], [closed, givenUp, closing, exit]],
    bad: [
      [term, closed, exit],
      [term, exit],
      [closed, term, exit],
      { lines: [closed, atOnce, exit], tick: 30 },
      [killed],
      { lines: [closed, killed], tick: 30 },
      [closed, closing, exit],
    ],
  },
};
