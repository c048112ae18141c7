/** Requests of a client without a handshake, and the results that ask it for input, for several rules. */

import { type Conversation, derived } from '../../../harness/record/conversation.js';
import { namedVersion } from '../../../harness/record/envelope.js';
import { beginsHandshake } from '../../../harness/record/handshake.js';
import { isWellFormedRequest, type Message, resultOf } from '../../../harness/record/message.js';
import { isObject, type JsonObject } from '../../../spec/json-rpc.js';
import { isNotificationWithId } from './conversation.js';
import { sameJson } from './results.js';

/**
 * Requests of the client that belong to a revision without a handshake. An initialize request belongs to an
 * earlier one, and so does what follows its result.
 */
export const ownRequests = derived((conversation: Conversation): readonly Message[] =>
  conversation.isStateless && conversation.subject === 'client'
    ? conversation
        .requests({ by: 'subject' })
        .filter(
          m =>
            isWellFormedRequest(m) &&
            !isNotificationWithId(m) &&
            (namedVersion(m) !== undefined || !beginsHandshake(m)) &&
            conversation.revisionOf(m).era === 'modern',
        )
    : [],
);

/** A result that asks for input, and the request that the client sent again after it. */
export interface Round {
  readonly request: Message;
  /** The result of the harness. */
  readonly reply: Message;
  readonly result: JsonObject;
  readonly retry: Message;
}

const members = ['inputResponses', 'requestState'] as const;

/** Whether a request has a member that only a retry has; the answers to a task of the tasks extension are none. */
export const isRetry = ({ method, params }: Message): boolean =>
  method !== 'tasks/update' && members.some(name => params?.[name] !== undefined);

/** What a retry repeats: the parameters apart from the metadata and the answers. */
export const repeated = ({ params = {} }: Message): JsonObject => {
  const { _meta: _, inputResponses: __, requestState: ___, ...rest } = params;
  return rest;
};

const questionsIn = (result: JsonObject): string[] =>
  Object.keys(isObject(result.inputRequests) ? result.inputRequests : {});

const answersIn = ({ params }: Message): string[] =>
  Object.keys(isObject(params?.inputResponses) ? params.inputResponses : {});

/**
 * The rounds that the client went on with. The state names the round; where it is missing or changed, the
 * answers do, and else the same parameters.
 */
export const rounds = derived((conversation: Conversation): readonly Round[] => {
  const asked = ownRequests(conversation).flatMap(request => {
    const [reply] = conversation.repliesTo(request);
    const result = reply && resultOf({ request, reply, deadline: undefined });
    return reply && result?.resultType === 'input_required' ? [{ request, reply, result }] : [];
  });
  const own = ownRequests(conversation);
  const taken = new Set<Message>();
  const found: Round[] = [];
  const open = new Set(asked);
  const take = (round: Omit<Round, 'retry'>, retry: Message): void => {
    open.delete(round);
    taken.add(retry);
    found.push({ ...round, retry });
  };
  const isLater = ({ request, reply }: Omit<Round, 'retry'>, m: Message): boolean =>
    m.seq > reply.seq && m.method === request.method && !taken.has(m);
  const names: ((round: Omit<Round, 'retry'>, m: Message) => boolean)[] = [
    ({ result }, m) => result.requestState !== undefined && m.params?.requestState === result.requestState,
    ({ result }, m) => answersIn(m).some(key => questionsIn(result).includes(key)),
  ];
  for (const fits of names)
    for (const round of [...open]) {
      const retry = own.find(m => isLater(round, m) && fits(round, m));
      if (retry) take(round, retry);
    }
  // the client may have given up earlier rounds: what is sent again belongs to the last one
  for (const m of own) {
    if (!isRetry(m)) continue;
    const last = [...open].findLast(
      round => isLater(round, m) && sameJson(repeated(round.request), repeated(m)),
    );
    if (last) take(last, m);
  }
  return found.sort((a, b) => a.reply.seq - b.reply.seq);
});
