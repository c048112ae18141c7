/** basic/transports#stdio: lines, bytes, and the lifetime of a process. */

import { declares } from '../../harness/record/conversation.js';
import { scenario } from '../../harness/scenario/scenario.js';
import type { JsonObject } from '../../spec/json-rpc.js';
import { probeOf } from '../shared/probe.js';
import { callAll } from './calls.js';

const note = '{"jsonrpc":"2.0","method":"notifications/nobody-knows"}';

/**
 * Lines that are not messages, the least harmful first, because a process that has exited shows nothing more.
 * Two JSON values on one line are notifications: a lenient reader that accepts both owes no response then.
 */
const garbage: readonly [what: string, bytes: string | Buffer][] = [
  ['an empty line', ''],
  ['a line of white space', ' \t '],
  ['a line that ends with CRLF', `${note}\r`],
  ['plain text', 'Hello, is anybody there?'],
  ['a byte order mark', `\uFEFF${note}`],
  ['a comma after a message', `${note},`],
  ['two messages on a line', note + note],
  ['a closing bracket', '}'],
  ['bytes that are not UTF-8', Buffer.from([0x7b, 0x22, 0xff, 0xfe, 0xc3, 0x28, 0x22, 0x7d])],
  ['a truncated message', note.slice(0, 30)],
  ['an opening bracket', '['],
];

const newline = Buffer.from('\n');

export const scenarios = [
  scenario.stdio('server/stdio/garbage-lines', {
    title: 'a line that is not a message is ignored or refused, and later requests get a response',
    verifies: ['jsonrpc.parse-error-survived', 'jsonrpc.parse-error'],
    async run({ peer, expect, stdio }) {
      // a server that does not respond to ping shows nothing here
      if (!(await peer.barrier()))
        return expect.inconclusive(
          'jsonrpc.parse-error-survived',
          `the server does not respond to ${probeOf(peer)}`,
        );
      for (const [what, bytes] of garbage) {
        const line = Buffer.concat([Buffer.from(bytes), newline]);
        const {
          sent,
          alive,
          silenceReason: silence,
          unmatchedReplies: replies,
        } = await peer.sendThenBarrier(() => stdio.write(line));
        const evidence = [sent, ...silence.shownBy];
        expect.that('jsonrpc.parse-error-survived', {
          ok: alive,
          expected: `a response to ${probeOf(peer)} after ${what}`,
          evidence,
          actual: silence.why,
        });
        if (!alive) return;
        // silence is valid too, and a lenient reader may have found a notification
        if (line.includes(note)) continue;
        const codes = replies.map(r => JSON.stringify((r.json as JsonObject).error));
        const proper = codes.length <= 1 && codes.every(error => /-32[67]00/.test(error ?? ''));
        expect.that('jsonrpc.parse-error', {
          ok: proper,
          expected: `error -32700 or no response to ${what}`,
          evidence: [sent, ...replies],
          actual: codes.join(),
        });
      }
    },
  }),

  scenario.stdio('server/stdio/split-characters', {
    title: 'a message in pieces, cut inside its characters, gets a response',
    verifies: ['transport.utf8', 'jsonrpc.response-id-matches'],
    isolation: 'shared',
    async run({ peer, stdio }) {
      const message = peer.harmlessMessage(`pieces é 漢 🎉 ${peer.nextId()}`);
      const bytes = Buffer.from(JSON.stringify(message));
      const cuts = [1, bytes.indexOf(0xc3) + 1, bytes.indexOf(0xe6) + 1, bytes.indexOf(0xf0) + 2];
      for (const [n, cut] of cuts.entries()) {
        stdio.write(bytes.subarray(cuts[n - 1] ?? 0, cut), { deliberate: false });
        await peer.pause();
      }
      const rest = Buffer.concat([bytes.subarray(cuts.at(-1)), newline]);
      await peer.sendByHand(() => stdio.write(rest, { deliberate: false }));
    },
  }),

  scenario.stdio('server/stdio/echoed-characters', {
    title: 'prompts/get returns characters of every UTF-8 length unchanged',
    verifies: ['transport.utf8', 'stdio.no-embedded-newlines'],
    isolation: 'shared',
    fixtures: ['prompt test_prompt_with_arguments'],
    async run({ peer, expect }) {
      const text = 'é 漢 🎉 \u0085 \u2028 \r\n \\u0041 \u0000';
      const got = await peer.request('prompts/get', {
        name: 'test_prompt_with_arguments',
        arguments: { arg1: text, arg2: '\u{10FFFD}' },
      });
      const written = JSON.stringify(text).slice(1, -1);
      expect('transport.utf8', got).result(r =>
        JSON.stringify(r).includes(written) ? undefined : `the text ${written}`,
      );
    },
  }),

  scenario.stdio('server/stdio/byte-by-byte', {
    title: 'one message in many writes, and several messages in one write, get their responses',
    verifies: ['jsonrpc.request-answered-once'],
    isolation: 'shared',
    async run({ peer, stdio }) {
      const line = (n: number) => `${JSON.stringify(peer.harmlessMessage(`writes-${n}-${peer.nextId()}`))}\n`;
      await peer.sendByHand(() => {
        for (const byte of Buffer.from(line(1))) stdio.write(Buffer.of(byte), { deliberate: false });
      });
      await peer.sendByHand(() => stdio.write(line(2) + line(3) + line(4), { deliberate: false }));
    },
  }),

  scenario.stdio('server/stdio/long-line', {
    title: 'a request in a line of 1 MiB gets a response',
    verifies: ['jsonrpc.request-answered-once'],
    isolation: 'shared',
    async run({ peer }) {
      // an unknown method, so that a server with a size limit can refuse the request without a violation
      await peer.request(peer.unused('method'), { text: 'é'.repeat(2 ** 19) }, { deliberate: true });
    },
  }),

  scenario.stdio('server/stdio/input-ends-idle', {
    title: 'the process exits when its input ends, after it has served requests',
    verifies: ['stdio.server-exits-on-eof'],
    isolation: 'final',
    async run({ peer, stdio, known }) {
      await callAll(peer, known.callable.slice(0, 3), known);
      const [resource] = known.resources;
      if (typeof resource?.uri === 'string' && declares(peer.declared, 'resources.subscribe'))
        await peer.listen({ resourceSubscriptions: [resource.uri] });
      if (declares(peer.declared, 'logging')) await peer.logAt('debug');
      await peer.barrier();
      stdio.closeInput();
      await stdio.exited('exit-after-eof');
    },
  }),

  scenario.stdio('server/stdio/input-ends-during-a-call', {
    title: 'the process exits when its input ends, also during a tools/call',
    verifies: ['stdio.server-exits-on-eof'],
    isolation: 'final',
    fixtures: ['role slow'],
    async run({ peer, stdio, tool }) {
      peer.start('tools/call', tool('slow'));
      stdio.closeInput();
      await stdio.exited('exit-after-eof');
    },
  }),
];
