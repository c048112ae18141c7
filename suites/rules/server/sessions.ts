/** Session ids of Streamable HTTP: their characters, and how hard they are to guess. */

import { fail, pass } from '../../../harness/judge/finding.js';
import { rule } from '../../../harness/judge/rule.js';
import type { Conversation } from '../../../harness/record/conversation.js';
import type { HttpExchange } from '../../../harness/record/http-exchange.js';

interface Assigned {
  readonly id: string;
  readonly exchange: HttpExchange;
}

/** The session id in the response to initialize. */
function assigned(conversation: Conversation): Assigned | undefined {
  const { handshake } = conversation;
  const exchange = handshake?.reply && conversation.httpOf(handshake.request);
  const id = exchange?.header('mcp-session-id');
  return exchange && id !== undefined ? { id, exchange } : undefined;
}

/** The number of characters that all ids have in common, from the start or from the end. */
function common(ids: readonly string[], at: (id: string, n: number) => string | undefined): number {
  const shortest = Math.min(...ids.map(id => id.length));
  let n = 0;
  while (n < shortest && ids.every(id => at(id, n) === at(ids[0]!, n))) n++;
  return n;
}

/** The number of characters that differ between ids: fewer than eight are easy to guess. */
function varying(ids: readonly string[]): number {
  const shortest = Math.min(...ids.map(id => id.length));
  return shortest - common(ids, (id, n) => id[n]) - common(ids, (id, n) => id.at(-1 - n));
}

export const rules = [
  rule('streamable-http.session-id-ascii', function* (conversation) {
    const session = assigned(conversation);
    if (!session) return;
    const right = /^[\x21-\x7E]+$/.test(session.id);
    const actual = JSON.stringify(session.id);
    yield right
      ? pass([session.exchange])
      : fail('visible ASCII characters only', [session.exchange], actual);
  }),

  rule.acrossRun('streamable-http.session-id-secure', function* (conversations) {
    const all = conversations.map(assigned).filter(session => session !== undefined);
    const ids = all.map(s => s.id);
    const again = all.find((s, n) => ids.indexOf(s.id) < n);
    const [first, second] = all;
    if (!first || !second) return;
    if (again) yield fail('a unique id', [again.exchange], `${again.id} for two sessions`);
    else if (ids.length > 2 && varying(ids) < 8)
      yield fail('ids that are hard to guess', [first.exchange, second.exchange], ids.slice(0, 3).join(', '));
    else yield pass(all.map(s => s.exchange));
  }),
];
