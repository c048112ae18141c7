/** basic/patterns/mrtr: the requests that a client sends again after a result that asks for input. */

import { fail, pass } from '../../../harness/judge/finding.js';
import { rule } from '../../../harness/judge/rule.js';
import type { Conversation } from '../../../harness/record/conversation.js';
import type { Message } from '../../../harness/record/message.js';
import { isObject, type Json, ownMember } from '../../../spec/json-rpc.js';
import type { RequirementId } from '../../../spec/requirement.js';
import { vocabularyOf } from '../../../spec/vocabulary.js';
import { sameJson } from '../derived/results.js';
import { isRetry, ownRequests, type Round, repeated, rounds } from '../derived/stateless-client.js';

/** The definition of the answer to each kind of question. */
const answerTo: Readonly<Record<string, string>> = {
  'elicitation/create': 'ElicitResult',
  'sampling/createMessage': 'CreateMessageResult',
  'roots/list': 'ListRootsResult',
};

const shown = (value: Json | undefined): string => (JSON.stringify(value) ?? 'none').slice(0, 200);

/** Whether two requests have the same method and parameters, without what belongs to one sending. */
const isSameRequest = (one: Message, other: Message): boolean =>
  one.method === other.method && sameJson({ ...one.params, _meta: null }, { ...other.params, _meta: null });

const evidenceOf = ({ request, reply, retry }: Round) => [request, reply, retry];

/** A request, and those that it repeats. @param repeated the request of each round, by its retry */
function withRepeated(request: Message, repeated: ReadonlyMap<Message, Message>): Message[] {
  const found: Message[] = [];
  for (let m: Message | undefined = request; m; m = repeated.get(m)) found.push(m);
  return found;
}

const newId = (row: RequirementId, method?: string) =>
  rule(row, function* (conversation) {
    const all = rounds(conversation);
    const repeated = new Map(all.map(({ request, retry }) => [retry, request]));
    for (const round of all) {
      const { request, retry } = round;
      if (method && request.method !== method) continue;
      const same = withRepeated(request, repeated).find(m => m.idKey === retry.idKey);
      if (!same) yield pass(evidenceOf(round));
      else
        yield fail(
          'an id other than those of the requests that are sent again',
          [...(same === request ? [] : [same]), ...evidenceOf(round)],
          shown(retry.id),
        );
    }
  });

const unchangedState = (row: RequirementId) =>
  rule.each(row, rounds, round => {
    const { requestState } = round.result;
    const given = round.retry.params!.requestState;
    if (requestState === undefined) return undefined;
    return given === requestState
      ? pass(evidenceOf(round))
      : fail('the requestState of the result', evidenceOf(round), shown(given));
  });

/** The first answer that does not have the form of a result of its question. */
function wrongAnswer({ result, retry }: Round, conversation: Conversation): string | undefined {
  const asked = isObject(result.inputRequests) ? result.inputRequests : {};
  const given = isObject(retry.params!.inputResponses) ? retry.params!.inputResponses : {};
  const vocabulary = vocabularyOf(conversation.revision);
  for (const [key, question] of Object.entries(asked)) {
    const answer = ownMember(given, key);
    const definition = isObject(question) && ownMember(answerTo, question.method);
    if (answer === undefined || !definition) continue;
    const problem = vocabulary.misfit(definition, answer);
    if (problem) return `${key}${problem.path}: ${problem.message}`;
  }
  return undefined;
}

export const rules = [
  newId('mrtr.retry-new-id'),
  newId('tools.retry-uses-new-id', 'tools/call'),
  unchangedState('mrtr.client-echoes-state'),
  unchangedState('mrtr.client-state-opaque'),

  rule.each('mrtr.retry-same-request', rounds, round =>
    sameJson(repeated(round.request), repeated(round.retry))
      ? pass(evidenceOf(round))
      : fail('the parameters of the first request', evidenceOf(round), shown(repeated(round.retry))),
  ),

  rule.each('mrtr.client-no-invented-state', rounds, round => {
    const given = round.retry.params!.requestState;
    if (round.result.requestState !== undefined) return undefined;
    return given === undefined
      ? pass(evidenceOf(round))
      : fail('no requestState, as in the result', evidenceOf(round), shown(given));
  }),

  rule.each('mrtr.client-answers-requests', rounds, (round, conversation) => {
    const { inputRequests } = round.result;
    if (!isObject(inputRequests) || Object.keys(inputRequests).length === 0) return undefined;
    if (!isObject(round.retry.params!.inputResponses))
      return fail('inputResponses', evidenceOf(round), shown(round.retry.params!.inputResponses));
    const wrong = wrongAnswer(round, conversation);
    return wrong ? fail('a result of each question', evidenceOf(round), wrong) : pass(evidenceOf(round));
  }),

  rule.each('mrtr.response-keys', rounds, round => {
    const { inputRequests } = round.result;
    const given = round.retry.params!.inputResponses;
    if (!isObject(inputRequests) || !isObject(given)) return undefined;
    const missing = Object.keys(inputRequests).find(key => !Object.hasOwn(given, key));
    return missing === undefined
      ? pass(evidenceOf(round))
      : fail(`an answer under ${shown(missing)}`, evidenceOf(round), Object.keys(given).join(', ') || 'none');
  }),

  rule('mrtr.client-scope', function* (conversation) {
    const all = rounds(conversation);
    const first = all[0]?.reply.seq;
    if (first === undefined) return;
    const retries = all.map(({ retry }) => retry);
    // a retry that is sent again, such as after an error, still belongs to its request
    const isAgain = (m: Message) => retries.some(retry => retry.seq < m.seq && isSameRequest(retry, m));
    for (const m of ownRequests(conversation)) {
      if (m.seq < first) continue;
      if (retries.includes(m) || !isRetry(m) || isAgain(m)) yield pass([m]);
      else
        yield fail('the members of a retry in the retry only', [m], Object.keys(m.params ?? {}).join(', '));
    }
  }),
];
