/**
 * What a server asks of its client: requests of its own, or, without a handshake, requests inside of
 * input-required results. Rules and scenarios read both in the same form.
 */

import { isObject, type Json, type JsonObject, ownMember } from '../../spec/json-rpc.js';
import { type Conversation, derived, derivedBy } from './conversation.js';
import { type Exchange, type Message, resultOf } from './message.js';

/** Questions of one result that are answered and judged; further ones are ignored. */
export const mostQuestions = 1_000;

/** A question of the server, with the answer of the client. */
export interface Question {
  /** The request; inside of a result, its method and params with the number of the result. */
  readonly request: Message;
  /** The result of the client; inside of the retry, with the number of the retry. */
  readonly reply: Message | undefined;
}

/** The client, as the party under test or as the harness. */
const client = ({ subject }: Conversation): 'subject' | 'peer' => (subject === 'client' ? 'subject' : 'peer');

/** The questions of the server inside of results, whichever side is under test. */
export const allQuestionsInResults = derived((conversation: Conversation): readonly Question[] =>
  conversation.isStateless
    ? conversation
        .exchanges({ by: client(conversation) })
        .flatMap(exchange => insideOf(exchange, conversation))
    : [],
);

/** The questions inside of results of the server under test. */
export const questionsInResults = (conversation: Conversation): readonly Question[] =>
  conversation.subject === 'server' ? allQuestionsInResults(conversation) : [];

/** The questions of the server under test, of one kind or of all kinds. */
export const questionsOf = derivedBy(
  (conversation: Conversation, method: string | undefined): readonly Question[] => {
    const query = { by: 'subject', ...(method !== undefined && { method }) } as const;
    const inside = questionsInResults(conversation).filter(
      ({ request }) => method === undefined || request.method === method,
    );
    return [...conversation.exchanges(query), ...inside];
  },
);

/** The questions of one kind to the client under test. */
export const questionsTo = derivedBy((conversation: Conversation, method: string): readonly Question[] => {
  const inside = allQuestionsInResults(conversation).filter(({ request }) => request.method === method);
  return [...conversation.exchanges({ by: 'peer', method }), ...inside];
});

/** The capabilities of the client that hold for a question of the server. */
export function capabilitiesFor(conversation: Conversation, question: Message): JsonObject | undefined {
  const request = conversation.requestOf(question);
  return (request && conversation.capabilitiesAt(request)) ?? conversation.capabilities('client');
}

/** The questions in one input-required result. */
function insideOf(exchange: Exchange, conversation: Conversation): Question[] {
  const result = resultOf(exchange);
  const reply = exchange.reply!;
  if (result?.resultType !== 'input_required' || !isObject(result.inputRequests)) return [];
  const retry = retryOf(exchange, conversation);
  const answers = retry?.params?.inputResponses;
  return Object.entries(result.inputRequests)
    .slice(0, mostQuestions)
    .flatMap(([key, asked]) => {
      const request = questionIn(reply, key, asked);
      const answer = isObject(answers) ? ownMember(answers, key) : undefined;
      const given = retry && answer !== undefined ? answerIn(retry, key, answer) : undefined;
      return request ? [{ request, reply: given }] : [];
    });
}

const named = (key: string) => ({ id: key, idKey: `string:${key}`, batched: false });

/** A question under a key in a message of the server, in the form of a request; undefined if it is malformed. */
export function questionIn(message: Message, key: string, asked: Json): Message | undefined {
  if (!isObject(asked) || typeof asked.method !== 'string') return undefined;
  const { method, params } = asked;
  const json = { jsonrpc: '2.0', id: key, method, ...(params !== undefined && { params }) };
  const common = { ...message, ...named(key), json, method };
  return { ...common, kind: 'request', params: isObject(params) ? params : undefined };
}

/** An answer under a key in a request of the client, in the form of a result. */
export const answerIn = (message: Message, key: string, answer: Json): Message => ({
  ...message,
  ...named(key),
  kind: 'result',
  json: { jsonrpc: '2.0', id: key, result: answer },
  method: undefined,
  params: undefined,
});

/** The next request with the state of the result, or, without state, with answers to its questions. */
function retryOf({ request, reply, ...rest }: Exchange, conversation: Conversation): Message | undefined {
  const { requestState, inputRequests } = resultOf({ request, reply, ...rest })!;
  const keys = Object.keys(isObject(inputRequests) ? inputRequests : {});
  return conversation.requests({ by: client(conversation), method: request.method! }).find(m => {
    if (m.seq < reply!.seq) return false;
    const { params } = m;
    if (requestState !== undefined) return params?.requestState === requestState;
    const answers = params?.inputResponses;
    return isObject(answers) && keys.some(key => Object.hasOwn(answers, key));
  });
}
