/** stdio: one message per line, nothing else on stdout, an end when the input ends. */

import type { Frame } from '../../harness/event.js';
import { fail, pass } from '../../harness/finding.js';
import { rule } from '../../harness/rule.js';
import { isBadlyEncoded, stretches } from './lines.js';

const show = (frame: Frame): string => JSON.stringify(frame.text.slice(0, 200));

export const rules = [
  rule('stdio.no-embedded-newlines', function* (conversation) {
    for (const { kind, frames } of stretches(conversation)) {
      if (kind === 'message') yield pass(frames);
      else if (kind === 'split') yield fail('a message on one line', frames, `${frames.length} lines`);
      else if (kind === 'several') yield fail('one message on a line', frames, show(frames[0]!));
    }
  }),

  rule('stdio.server-stdout-pure', function* (conversation) {
    for (const { kind, frames } of stretches(conversation)) {
      const [frame] = frames;
      if (kind === 'message') yield pass(frames);
      // the last line of a process that ended while it wrote is a piece of a message
      else if (kind !== 'garbage' || isBadlyEncoded(frame!)) continue;
      else if (!frame!.unterminated || !/^\s*[[{]/.test(frame!.text))
        yield fail('only MCP messages on stdout', frames, show(frame!));
    }
    for (const event of conversation.eventsOf('overflow'))
      yield fail('only MCP messages on stdout', [event], `${event.amount} ${event.what} and no end`);
  }),

  rule('stdio.lines-end-in-lf', function* (conversation) {
    for (const frame of conversation.frames('subject'))
      yield frame.text.endsWith('\r') ? fail('a line feed alone', [frame], 'CR LF') : pass([frame]);
  }),

  rule('transport.utf8', function* (conversation) {
    for (const frame of conversation.frames('subject'))
      yield isBadlyEncoded(frame) ? fail('UTF-8', [frame], show(frame)) : pass([frame]);
  }),

  rule('stdio.server-exits-on-eof', function* (conversation) {
    const [closed] = conversation.eventsOf('input-closed');
    const { exit } = conversation;
    const late = conversation.eventsOf('deadline').find(d => d.label === 'exit-after-eof');
    const [left] = conversation.eventsOf('left-behind');
    if (!closed || (exit && exit.seq < closed.seq)) return;
    if (late) yield fail('an exit', [closed, late], `still running after ${late.ms} ms`);
    else if (left) yield fail('no process left', [closed, left], `${left.pids.length} left`);
    else if (exit) yield pass([closed, exit]);
  }),
];
