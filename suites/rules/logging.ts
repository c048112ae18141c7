/** Logging: nothing below the level that was asked for. */

import { fail, pass } from '../../harness/finding.js';
import { declares, type Message } from '../../harness/history.js';
import { rule } from '../../harness/rule.js';

const severities = ['debug', 'info', 'notice', 'warning', 'error', 'critical', 'alert', 'emergency'];
const severity = (level: unknown): number => severities.indexOf(String(level));

export const rules = [
  rule('logging.set-level-answered', function* (conversation) {
    if (!declares(conversation.capabilities('server'), 'logging')) return;
    for (const { request, reply } of conversation.exchanges({ by: 'peer', method: 'logging/setLevel' })) {
      if (!reply || severity(request.params?.level) < 0) continue;
      yield reply.kind === 'result' ? pass([request, reply]) : fail('a result', [request, reply], 'an error');
    }
  }),

  // While an answer is awaited either level may be the one in force.
  rule('logging.no-messages-below-level', function* (conversation) {
    const pending = new Set<Message>();
    let confirmed: { reply: Message; level: unknown } | undefined;
    for (const m of conversation.messages) {
      if (m.method === 'logging/setLevel' && m.by !== conversation.subject) pending.add(m);
      const asked = m.kind === 'result' || m.kind === 'error' ? conversation.requestOf(m) : undefined;
      if (asked && pending.delete(asked) && m.kind === 'result')
        confirmed = { reply: m, level: asked.params?.level };
      if (m.method !== 'notifications/message' || m.by !== conversation.subject) continue;
      const [least, actual] = [severity(confirmed?.level), severity(m.params?.level)];
      if (!confirmed || pending.size > 0 || least < 0 || actual < 0) continue;
      if (actual >= least) yield pass([confirmed.reply, m]);
      else yield fail(`${confirmed.level} or above`, [confirmed.reply, m], String(m.params?.level));
    }
  }),
];
