/** Logging: no message below the requested level. */

import { fail, pass } from '../../../harness/judge/finding.js';
import { rule } from '../../../harness/judge/rule.js';
import { type Conversation, declares } from '../../../harness/record/conversation.js';
import { isReply, type Message, resultOf } from '../../../harness/record/message.js';
import { asText, isObject } from '../../../spec/json-rpc.js';
import type { RequirementId } from '../../../spec/requirement.js';
import { isCancelled } from '../derived/conversation.js';
import { surelyAfter } from '../derived/order.js';

const severities = ['debug', 'info', 'notice', 'warning', 'error', 'critical', 'alert', 'emergency'];
const severity = (level: unknown): number => severities.indexOf(asText(level));

const secretName = /^(password|passphrase|api_?key|access_?token|client_?secret)$/i;

/**
 * Values from the harness that a log must not contain: arguments with the name of a secret, addresses in a
 * filled-in form.
 */
function given(conversation: Conversation, what: 'secret' | 'person'): string[] {
  const asked = conversation.requests({ by: 'peer', method: 'tools/call' }).map(m => m.params?.arguments);
  const answered = conversation
    .exchanges({ by: 'subject', method: 'elicitation/create' })
    .map(exchange => resultOf(exchange)?.content);
  const fields = (what === 'secret' ? [...asked, ...answered] : answered).filter(isObject);
  return fields.flatMap(Object.entries).flatMap(([name, value]) => {
    const counts = what === 'secret' ? secretName.test(name) : /^\S+@\S+$/.test(asText(value));
    return counts && typeof value === 'string' && value.length >= 12 ? [value] : [];
  });
}

/** Judges that log messages do not contain these values, as plain text or with JSON escapes. */
const unlogged = (row: RequirementId, what: 'secret' | 'person') =>
  rule(row, function* (conversation) {
    const logs = conversation.notifications({ by: 'subject', method: 'notifications/message' });
    const values = logs.length > 0 ? given(conversation, what) : [];
    for (const m of values.length > 0 ? logs : []) {
      const text = JSON.stringify(m.params ?? null);
      const found = values.find(value => text.includes(JSON.stringify(value).slice(1, -1)));
      yield found ? fail(`no ${what} data in log messages`, [m], found) : pass([m]);
    }
  });

export const rules = [
  unlogged('logging.no-credentials', 'secret'),
  unlogged('logging.remove-sensitive', 'secret'),
  unlogged('logging.no-personal-data', 'person'),

  rule('logging.set-level-answered', function* (conversation) {
    if (!declares(conversation.capabilities('server'), 'logging')) return;
    for (const { request, reply } of conversation.exchanges({ by: 'peer', method: 'logging/setLevel' })) {
      if (!reply || severity(request.params?.level) < 0) continue;
      if (reply.kind === 'result') yield pass([request, reply]);
      else if (!isCancelled(conversation, request)) yield fail('a result', [request, reply], 'an error');
    }
  }),

  // Until the response to logging/setLevel, the old level and the new one are both possible.
  rule('logging.no-messages-below-level', function* (conversation) {
    const pending = new Set<Message>();
    let confirmed: { reply: Message; level: unknown } | undefined;
    for (const m of conversation.messages) {
      if (m.method === 'logging/setLevel' && m.by !== conversation.subject) pending.add(m);
      const asked = isReply(m) ? conversation.requestOf(m) : undefined;
      if (asked && pending.delete(asked) && m.kind === 'result')
        confirmed = { reply: m, level: asked.params?.level };
      if (m.method !== 'notifications/message' || m.by !== conversation.subject) continue;
      const [least, actual] = [severity(confirmed?.level), severity(m.params?.level)];
      if (!confirmed || pending.size > 0 || least < 0 || actual < 0) continue;
      if (!surelyAfter(conversation, m, confirmed.reply)) continue;
      if (actual >= least) yield pass([confirmed.reply, m]);
      else yield fail(`${confirmed.level} or above`, [confirmed.reply, m], asText(m.params?.level));
    }
  }),
];
