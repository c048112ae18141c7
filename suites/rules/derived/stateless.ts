/** Responses of a revision without a handshake, in the parts that several rules inspect. */

import { fail, pass } from '../../../harness/judge/finding.js';
import { type Rule, rule } from '../../../harness/judge/rule.js';
import { type Conversation, derived } from '../../../harness/record/conversation.js';
import { namedVersion } from '../../../harness/record/envelope.js';
import { handshakeMethods } from '../../../harness/record/handshake.js';
import { errorOf, type Message, resultOf } from '../../../harness/record/message.js';
import type { JsonObject } from '../../../spec/json-rpc.js';
import type { RequirementId } from '../../../spec/requirement.js';
import { isSound } from './conversation.js';
import { shown } from './results.js';

interface Result {
  readonly request: Message;
  readonly reply: Message;
  readonly result: JsonObject;
}

interface Refused {
  readonly request: Message;
  readonly reply: Message;
  readonly code: unknown;
  readonly error: JsonObject;
}

const isStateless = (conversation: Conversation, m: Message): boolean =>
  conversation.revisionOf(m).era === 'modern';

/**
 * A request in another version has a response of its own, which other rows judge; so has one without a version in its
 * metadata, or over HTTP in its headers, which a server may take for a request of an earlier revision.
 */
const isInRevision = (conversation: Conversation, m: Message): boolean => {
  const { id } = conversation.revision;
  const post = conversation.httpOf(m);
  const named = namedVersion(m);
  return post ? (named ?? id) === id && post.requestHeader('mcp-protocol-version') === id : named === id;
};

/** Results of requests without a handshake; versioning.dual-era-selection judges a handshake in a revision that has none. */
export const results = derived((conversation: Conversation): readonly Result[] =>
  conversation.exchanges({ by: 'peer' }).flatMap(exchange => {
    const { request, reply } = exchange;
    const result = resultOf(exchange);
    if (!reply || !result || !isSound(reply) || !isStateless(conversation, request)) return [];
    if (!isInRevision(conversation, request) || request.method === handshakeMethods.request) return [];
    return [{ request, reply, result }];
  }),
);

/** Results of a method of an extension have the resultType of revisions without a handshake. */
export const resultType = (row: RequirementId, method: string): Rule =>
  rule.each(
    row,
    conversation => results(conversation).filter(({ request }) => request.method === method),
    ({ request, reply, result }) =>
      result.resultType === 'complete'
        ? pass([request, reply])
        : fail('resultType "complete"', [request, reply], shown(result.resultType)),
  );

/** Errors of requests without a handshake. */
export const refusals = derived((conversation: Conversation): readonly Refused[] =>
  conversation.exchanges({ by: 'peer' }).flatMap(exchange => {
    const { request, reply } = exchange;
    const error = errorOf(exchange);
    if (!reply || !error || !isSound(reply) || !isStateless(conversation, request)) return [];
    return [{ request, reply, code: error.code, error }];
  }),
);

/** Results that state what input the server needs. */
export const inputRequired = derived((conversation: Conversation): readonly Result[] =>
  results(conversation).filter(({ result }) => result.resultType === 'input_required'),
);

/** Complete results of one of these methods. */
export const complete = (conversation: Conversation, methods: readonly string[]): readonly Result[] =>
  results(conversation).filter(
    ({ request, result }) =>
      methods.includes(request.method ?? '') &&
      (result.resultType === 'complete' || result.resultType === undefined),
  );

const label = '[A-Za-z](?:[A-Za-z0-9-]*[A-Za-z0-9])?';
const identifier = new RegExp(`^${label}(?:\\.${label})*/(?:[A-Za-z0-9](?:[A-Za-z0-9._-]*[A-Za-z0-9])?)?$`);

/** Whether a name is that of an extension: a prefix, and a name (basic/versioning#extension-negotiation). */
export const isExtensionId = (name: string): boolean => identifier.test(name);
