/** basic/patterns/mrtr: input of the client by results, instead of requests of the server. */

import { fail, pass } from '../../../harness/judge/finding.js';
import { rule } from '../../../harness/judge/rule.js';
import type { Conversation } from '../../../harness/record/conversation.js';
import { declares } from '../../../harness/record/conversation.js';
import { describeMessage, type Message } from '../../../harness/record/message.js';
import { questionsOf } from '../../../harness/record/questions.js';
import { isObject, ownMember } from '../../../spec/json-rpc.js';
import type { RequirementId } from '../../../spec/requirement.js';
import { duplicateBelow } from '../derived/duplicate-members.js';
import { shown } from '../derived/results.js';
import { inputRequired, refusals } from '../derived/stateless.js';

/** The capability that each kind of input needs. */
const kinds: Readonly<Record<string, string>> = {
  'elicitation/create': 'elicitation',
  'sampling/createMessage': 'sampling',
  'roots/list': 'roots',
};

const interactive = ['tools/call', 'prompts/get', 'resources/read'];
const urlRequired = -32042;

/** Requests that the server sent as messages of their own, without a handshake. */
const sentRequests = (conversation: Conversation): readonly Message[] =>
  conversation.requests({ by: 'subject' }).filter(m => conversation.revisionOf(m).era === 'modern');

/** Requests of the server, and what else shows that the server sends its messages in the right direction. */
const directions = (row: RequirementId) =>
  rule(row, function* (conversation) {
    if (conversation.subject === 'client') return;
    for (const m of sentRequests(conversation))
      yield fail('no request of the server', [m], describeMessage(m));
    for (const { request, reply } of inputRequired(conversation)) yield pass([request, reply]);
    for (const m of conversation.notifications({ by: 'subject' })) yield pass([m]);
  });

/** One kind of input arrives inside of results only. */
const inside = (row: RequirementId, method: string) =>
  rule.each(
    row,
    conversation => questionsOf(conversation, method),
    ({ request }) =>
      request.frame.text.includes('"input_required"')
        ? pass([request])
        : fail('an input-required result', [request], 'a request of the server'),
  );

export const rules = [
  directions('patterns.server-no-requests'),
  directions('transport.message-directions'),
  inside('roots.delivered-as-input-request', 'roots/list'),
  inside('sampling.delivered-as-input-request', 'sampling/createMessage'),

  rule('mrtr.only-way', function* (conversation) {
    for (const m of sentRequests(conversation))
      if (ownMember(kinds, m.method) !== undefined)
        yield fail('an input-required result', [m], `a request ${m.method}`);
    for (const { request, reply, code } of refusals(conversation))
      if (code === urlRequired) yield fail('an input-required result', [request, reply], `error ${code}`);
    for (const { request, reply } of inputRequired(conversation)) yield pass([request, reply]);
  }),

  rule.each('mrtr.no-other-requests', inputRequired, ({ request, reply }) =>
    interactive.includes(request.method ?? '')
      ? pass([request, reply])
      : fail(`a complete result of ${request.method}`, [request, reply], 'input_required'),
  ),

  rule.each('mrtr.one-of-two', inputRequired, ({ request, reply, result }) => {
    const { inputRequests, requestState } = result;
    if (inputRequests === undefined && requestState === undefined)
      return fail('inputRequests or requestState', [request, reply], 'neither');
    return pass([request, reply]);
  }),

  rule('mrtr.request-kinds', function* (conversation) {
    for (const { request, reply, result } of inputRequired(conversation)) {
      if (!isObject(result.inputRequests)) continue;
      const wrong = Object.values(result.inputRequests).find(
        asked => !isObject(asked) || ownMember(kinds, asked.method) === undefined,
      );
      yield wrong === undefined
        ? pass([request, reply])
        : fail(Object.keys(kinds), [request, reply], shown(isObject(wrong) ? wrong.method : wrong));
    }
  }),

  rule('mrtr.only-declared-kinds', function* (conversation) {
    for (const { request, reply, result } of inputRequired(conversation)) {
      if (!isObject(result.inputRequests)) continue;
      const declared = conversation.capabilitiesAt(request);
      const asked = Object.values(result.inputRequests).flatMap(value =>
        isObject(value) ? (ownMember(kinds, value.method) ?? []) : [],
      );
      const missing = asked.find(kind => !declares(declared, kind));
      yield missing === undefined
        ? pass([request, reply])
        : fail('declared kinds of input', [request, reply], `${missing} is not declared`);
    }
  }),

  rule('mrtr.keys-unique', function* (conversation) {
    for (const { request, reply, result } of inputRequired(conversation)) {
      if (!isObject(result.inputRequests)) continue;
      const twice = duplicateBelow('inputRequests', reply.frame.text);
      yield twice === undefined
        ? pass([request, reply])
        : fail('each key once', [request, reply], shown(twice));
    }
  }),
];
