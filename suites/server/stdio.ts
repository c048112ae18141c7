/** basic/transports#stdio: lines, bytes, and the life of a process. */

import { declares } from '../../harness/record/conversation.js';
import { scenario } from '../../harness/scenario/scenario.js';
import type { JsonObject } from '../../spec/json-rpc.js';

const note = '{"jsonrpc":"2.0","method":"notifications/nobody-knows"}';

/**
 * Lines that are no message, the mildest first, because a process that has ended shows nothing more. Where two JSON
 * values stand on a line they are notifications: a lenient reader that takes both owes no answer then.
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
const ping = (id: string): JsonObject => ({ jsonrpc: '2.0', id, method: 'ping' });

export const scenarios = [
  scenario.stdio('server/stdio/garbage-lines', {
    title: 'a line that is no message is dropped or refused, and the conversation goes on',
    verifies: ['jsonrpc.parse-error-survived', 'jsonrpc.parse-error'],
    async run({ peer, expect, stdio }) {
      // one more that is not answered shows nothing
      if (!(await peer.barrier()))
        return expect.inconclusive('jsonrpc.parse-error-survived', 'no ping is answered');
      for (const [what, bytes] of garbage) {
        const line = Buffer.concat([Buffer.from(bytes), newline]);
        const {
          sent,
          alive,
          silenceReason: silence,
          unmatchedReplies: replies,
        } = await peer.sendThenBarrier(() => stdio.write(line));
        const evidence = [sent, ...silence.shownBy];
        expect.that('jsonrpc.parse-error-survived', alive, `a pong after ${what}`, evidence, silence.why);
        if (!alive) return;
        // silence is right too, and a lenient reader may have found a notification
        if (line.includes(note)) continue;
        const codes = replies.map(r => JSON.stringify((r.json as JsonObject).error));
        const proper = codes.length <= 1 && codes.every(error => /-32[67]00/.test(error ?? ''));
        expect.that(
          'jsonrpc.parse-error',
          proper,
          `error -32700 or no answer to ${what}`,
          [sent, ...replies],
          codes.join(),
        );
      }
    },
  }),

  scenario.stdio('server/stdio/split-characters', {
    title: 'a message that arrives in pieces, cut inside its characters, is read as one',
    verifies: ['transport.utf8', 'jsonrpc.response-id-matches'],
    isolation: 'shared',
    async run({ peer, stdio }) {
      const message = ping(`pieces é 漢 🎉 ${peer.nextId()}`);
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
    title: 'characters of every length come back as they were sent',
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
    title: 'many tiny writes make one message, one write makes several',
    verifies: ['jsonrpc.request-answered-once'],
    isolation: 'shared',
    async run({ peer, stdio }) {
      const line = (n: number) => `${JSON.stringify(ping(`writes-${n}-${peer.nextId()}`))}\n`;
      await peer.sendByHand(() => {
        for (const byte of Buffer.from(line(1))) stdio.write(Buffer.of(byte), { deliberate: false });
      });
      await peer.sendByHand(() => stdio.write(line(2) + line(3) + line(4), { deliberate: false }));
    },
  }),

  scenario.stdio('server/stdio/long-line', {
    title: 'a line of a megabyte is read to its end and answered',
    verifies: ['jsonrpc.request-answered-once'],
    isolation: 'shared',
    async run({ peer }) {
      // an unknown method, so that a server with a limit of its own can refuse it without breaking anything
      await peer.request(peer.unused('method'), { text: 'é'.repeat(2 ** 19) }, { deliberate: true });
    },
  }),

  scenario.stdio('server/stdio/input-ends-idle', {
    title: 'the process ends when its input ends, after it has been used',
    verifies: ['stdio.server-exits-on-eof'],
    async run({ peer, stdio, known }) {
      for (const tool of known.callable.slice(0, 3)) await peer.requestOrCancel('tools/call', { ...tool });
      const [resource] = known.resources;
      if (resource?.uri !== undefined && declares(peer.declared, 'resources.subscribe'))
        await peer.request('resources/subscribe', { uri: resource.uri });
      if (declares(peer.declared, 'logging')) await peer.request('logging/setLevel', { level: 'debug' });
      await peer.barrier();
      stdio.closeInput();
      await stdio.exited('exit-after-eof');
    },
  }),

  scenario.stdio('server/stdio/input-ends-during-a-call', {
    title: 'the process ends when its input ends, also with a call in flight',
    verifies: ['stdio.server-exits-on-eof'],
    fixtures: ['role slow'],
    async run({ peer, stdio, tool }) {
      peer.start('tools/call', tool('slow'));
      stdio.closeInput();
      await stdio.exited('exit-after-eof');
    },
  }),
];
