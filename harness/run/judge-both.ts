/** Judges a record of a real client and a real server, for both ends. */

import type { Role } from '../../spec/json-rpc.js';
import type { RevisionId } from '../../spec/revisions.js';
import { grouped } from '../grouped.js';
import { judgeConversation, judgeRun, requirementsIn } from '../judge/judge.js';
import type { Rule, RunRule } from '../judge/rule.js';
import type { Conversation } from '../record/conversation.js';
import { discoveryMethod, errorCodes } from '../record/envelope.js';
import { History } from '../record/history.js';
import { infoOf } from '../record/introduction.js';
import { type Exchange, errorOf, type Message } from '../record/message.js';
import type { RevisionStart, RunEvent } from '../report/run-event.js';

/** The sides, in the order of the report. */
const sides: readonly Role[] = ['server', 'client'];

/** Findings of both sides, for every revision in use. */
export function* judgeBoth(history: History, rules: readonly (Rule | RunRule)[]): Generator<RunEvent> {
  for (const side of sides) {
    const conversations = [...History.from(history.events, side).conversations.values()].filter(
      c => c.opened?.transport === c.transport && c.messages.length > 0 && !isOnlyProbe(c),
    );
    for (const revision of [...new Set(conversations.map(c => c.revision.id))])
      yield* judgeSide(
        side,
        revision,
        conversations.filter(c => c.revision.id === revision),
        rules,
      );
  }
}

/** Whether the client only asked whether the server is of the newer era, and the server did not say so. */
export function isOnlyProbe(conversation: Conversation): boolean {
  if (!conversation.isStateless) return false;
  const isProbe = ({ method }: Message) => method === discoveryMethod || method === 'notifications/cancelled';
  const isRefusal = (exchange: Exchange) =>
    exchange.reply?.kind !== 'result' && !ofTheEra.has(errorOf(exchange)?.code as number);
  return (
    conversation.messages.every(message => message.by === 'server' || isProbe(message)) &&
    conversation.exchanges().every(isRefusal)
  );
}

/** Codes that only a server of the newer era knows. */
const ofTheEra: ReadonlySet<number> = new Set(Object.values(errorCodes));

export function* judgeSide(
  side: Role,
  revision: RevisionId,
  conversations: readonly Conversation[],
  rules: readonly (Rule | RunRule)[],
): Generator<RunEvent> {
  const [first] = conversations as [Conversation];
  yield {
    ...unplanned,
    kind: 'revision-start',
    revision,
    transport: first.transport,
    side,
    info: infoOf(first, side) ?? null,
    capabilities: first.capabilities(side) ?? {},
    offers: [revision],
    requirements: requirementsIn(first, rules),
  };
  for (const conversation of conversations)
    for (const finding of judgeConversation(conversation, rules)) yield { kind: 'finding', finding };
  for (const some of grouped(conversations, c => c.opened?.part ?? 0).values())
    for (const finding of judgeRun(some, rules)) yield { kind: 'finding', finding };
  yield { kind: 'revision-end', revision, transport: first.transport, durationMs: 0 };
}

const unplanned: Pick<RevisionStart, 'planned' | 'notApplicable'> = { planned: 0, notApplicable: [] };
