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
      { lines: [raw(' '), ping, pong], shows: 'blank' },
      { lines: [raw('{"jsonrpc":', { unterminated: true }), closed], shows: 'cut-off' },
      // a limit of the harness: the rest of the line may have been a message
      {
        lines: [raw('{"jsonrpc":', { unterminated: true, cutFrom: 9 }), tooLong, exit],
        shows: 'cut-by-harness',
        isInconclusive: true,
      },
    ],
    bad: [
      { lines: [raw('exit'), ping, pong], shows: 'other-line' },
      { lines: [raw('Content-Length: 40'), ping, pong], shows: 'header' },
      { lines: [ping, raw('xxxx', { unterminated: true, cutFrom: 9 }), tooLong, exit], shows: 'too-long' },
    ],
  },
  'stdio.client-shutdown-sequence': {
    good: [
      [ping, pong, closed, exit],
      { lines: [closed, term, exit], tick: 30, shows: 'waits' },
      { lines: [closed, term, exit], tick: 20 },
      { lines: [closed, term, killed], tick: 30, shows: 'kills-last' },
      // both events were recorded late
      [closed, late, exit],
      [closed, exit, closing],
    ],
    legal: [
      { lines: [ping, closing, exit], shows: 'case-over' },
      [closing, closed, term, exit],
      { lines: [exit], shows: 'exits-by-itself' },
      { lines: [closed, givenUp, closing, exit], shows: 'given-up' },
      // the harness ended the conversation
      [closing, killed],
    ],
    bad: [
      { lines: [term, closed, exit], shows: 'signal-first' },
      { lines: [term, exit], shows: 'signal-alone' },
      { lines: [closed, term, exit], shows: 'signal-at-once' },
      { lines: [closed, atOnce, exit], tick: 30, shows: 'signal-within-no-time' },
      { lines: [killed], shows: 'kill-first' },
      { lines: [closed, killed], tick: 30, shows: 'kill-at-once' },
      { lines: [closed, closing, exit], shows: 'left-running' },
      [closed, closing],
    ],
  },
};
