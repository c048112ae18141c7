/** stdio, clients: the lines that they write to a server, and the shutdown. */

import { fail, inconclusive, pass } from '../../../harness/judge/finding.js';
import { rule } from '../../../harness/judge/rule.js';
import { overflowInWords } from '../../../harness/record/message.js';
import { isNoMessage, lineKinds } from '../derived/lines.js';

/** A shorter time (ms) does not count as a wait. */
const atOnce = 20;

/** The order of a signal and of the end of the input within this time (ms) may be that of the harness. */
const sameTime = 100;

export const rules = [
  rule('stdio.client-stdin-pure', function* (conversation) {
    for (const line of lineKinds(conversation)) {
      const { kind, frames } = line;
      if (kind === 'message') yield pass(frames);
      else if (isNoMessage(conversation, line))
        yield fail('only MCP messages', frames, JSON.stringify(frames[0]!.text.slice(0, 200)));
    }
    for (const event of conversation.eventsOf('overflow'))
      yield inconclusive(`mcp-conform stopped reading: ${overflowInWords(event)}`, [event]);
  }),

  rule('stdio.client-shutdown-sequence', function* (conversation) {
    const [closing] = conversation.eventsOf('closing');
    const ours = closing?.seq ?? Number.POSITIVE_INFINITY;
    const { exit } = conversation;
    const [closed] = conversation.eventsOf('input-closed').filter(e => e.seq < ours);
    const signals = conversation.eventsOf('signal').filter(e => e.seq < ours);
    const [first] = signals;
    const killed = exit && exit.seq < ours && exit.signal === 'SIGKILL' ? exit : undefined;
    if (first && (!closed || first.seq < closed.seq))
      yield fail(
        'the input closed, and a wait, before a signal',
        [first, closed],
        closed && closed.at - first.at < sameTime
          ? `${first.signal} and the end of the input at once`
          : `${first.signal} first`,
      );
    else if (first && (first.within ?? first.at - closed!.at) < atOnce)
      yield fail('a wait for the exit of the server', [closed, first], `${first.signal} at once`);
    else if (killed && !closed) yield fail('the input closed before a signal', [killed], 'SIGKILL first');
    else if (killed && !first) yield fail('SIGTERM before SIGKILL', [closed, killed], 'SIGKILL');
    else if (closed && closing && !exit?.signal && (!exit || exit.seq > ours))
      yield fail('the server terminated', [closed, closing], 'the server was left running');
    else if (closed) yield pass([closed, exit]);
  }),
];
