/** stdio: one message per line, no other text on stdout, an exit when the input ends. */

import { fail, inconclusive, pass } from '../../../harness/judge/finding.js';
import { rule } from '../../../harness/judge/rule.js';
import type { Conversation } from '../../../harness/record/conversation.js';
import type { Frame } from '../../../harness/record/event.js';
import { overflowInWords } from '../../../harness/record/message.js';
import { damagedEcho } from '../derived/echoes.js';
import { isBadlyEncoded, isNoMessage, lineKinds, textOf } from '../derived/lines.js';
import { mayStillStart, slowStart } from '../derived/replies.js';

const shown = (text: string): string => JSON.stringify(text.slice(0, 200));

const show = (frame: Frame): string => shown(frame.text);

const lines = (conversation: Conversation): readonly Frame[] => conversation.frames('subject');

const said = (conversation: Conversation) => [
  ...lineKinds(conversation),
  ...conversation.eventsOf('overflow'),
];

export const rules = [
  rule.each('stdio.no-embedded-newlines', lineKinds, ({ kind, frames }) => {
    if (kind === 'message') return pass(frames);
    if (kind === 'split') return fail('a message on one line', frames, `${frames.length} lines`);
    return kind === 'several' ? fail('one message per line', frames, show(frames[0]!)) : undefined;
  }),

  rule.each('stdio.server-stdout-pure', said, (said, conversation) => {
    const expected = 'only MCP messages on stdout';
    if (said.kind === 'overflow')
      return inconclusive(`mcp-conform stopped reading: ${overflowInWords(said)}`, [said]);
    if (said.kind === 'message') return pass(said.frames);
    if (!isNoMessage(conversation, said)) return undefined;
    return fail(expected, said.frames, shown(textOf(said.frames)));
  }),

  rule.each('stdio.lines-end-in-lf', lines, frame =>
    frame.text.endsWith('\r') ? fail('a line feed alone', [frame], 'CR LF') : pass([frame]),
  ),

  rule('transport.utf8', function* (conversation) {
    for (const frame of lines(conversation))
      yield isBadlyEncoded(frame) ? fail('UTF-8', [frame], show(frame)) : pass([frame]);
    for (const { request, reply } of conversation.exchanges({ by: 'peer' })) {
      const damage = reply && damagedEcho(request, reply);
      if (damage) yield fail(`the text ${damage.sent}`, [request, reply], damage.came);
    }
  }),

  rule('stdio.server-exits-on-eof', function* (conversation) {
    const [closed] = conversation.eventsOf('input-closed');
    const { exit } = conversation;
    const late = conversation.eventsOf('deadline').find(d => d.label === 'exit-after-eof');
    const [left] = conversation.eventsOf('left-behind');
    if (!closed || (exit && exit.seq < closed.seq)) return;
    // a process that was not waited for in full, because another one was late
    const isAsked = conversation
      .eventsOf('signal')
      .some(e => e.seq > closed.seq && !(exit && exit.seq < e.seq));
    if (!late && isAsked) return;
    if (late && mayStillStart(conversation)) yield inconclusive(slowStart, [closed, late]);
    else if (late) yield fail('an exit', [closed, late], `still running after ${late.ms} ms`);
    else if (left) yield fail('no process left', [closed, left], `${left.pids.length} left`);
    else if (exit) yield pass([closed, exit]);
  }),
];
