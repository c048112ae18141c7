/**
 * Every message has the shape that the definition of its method requires, unless a row of its own judges the
 * member.
 */

import { fail, pass } from '../../../harness/judge/finding.js';
import { bindsIn } from '../../../harness/judge/judge.js';
import { rule } from '../../../harness/judge/rule.js';
import { gradeOf } from '../../../harness/judge/verdict.js';
import { type Conversation, derived } from '../../../harness/record/conversation.js';
import { handshakeMethods } from '../../../harness/record/handshake.js';
import type { Message } from '../../../harness/record/message.js';
import { questionsInResults } from '../../../harness/record/questions.js';
import { isObject, type Json, type JsonObject } from '../../../spec/json-rpc.js';
import { type RequirementId, requirement } from '../../../spec/requirement.js';
import type { RevisionId } from '../../../spec/revisions.js';
import type { Problem, Vocabulary } from '../../../spec/vocabulary.js';
import { bodyOf, isSound } from '../derived/conversation.js';
import { problemIn } from '../derived/problem-text.js';
import { isDisplaced } from '../derived/replays.js';

/**
 * The row that judges a problem: its id, the method, the pointer to the invalid or missing member, and the problem
 * where the row does not judge each one. `npm run mutants` shows a row that does not judge what it owns.
 */
type Owner = readonly [row: RequirementId, method: string, member: RegExp, problem?: RegExp];

const inputRequired = ['tools/call', 'prompts/get', 'resources/read'];

const owners: readonly Owner[] = [
  ['result.type-present', '*', /^\/resultType$/],
  ['ext-skills.list-hints', 'skills/list', /^\/(ttlMs|cacheScope)$/],
  ['ext-skills.get-hints', 'skills/get', /^\/(ttlMs|cacheScope)$/],
  ['ext-skills.resources-present', 'skills/list', /^\/skills\/\d+\/resources$/],
  ['ext-skills.resources-present', 'skills/get', /^\/skill\/resources$/],
  ['ext-skills.size', 'skills/list', /^\/skills\/\d+\/resources\/\d+\/size$/],
  ['ext-skills.size', 'skills/get', /^\/skill\/resources\/\d+\/size$/],
  ['caching.hints-on-cacheable-results', '*', /^\/(ttlMs|cacheScope)$/],
  ['discover.result-shape', 'server/discover', /^\/(supportedVersions(\/\d+)?|capabilities)$/],
  [
    'subscriptions.notifications-tagged',
    'subscriptions/listen',
    /^\/_meta(\/io\.modelcontextprotocol(\/|~1)subscriptionId)?$/,
  ],
  ['subscriptions.ack-first', 'notifications/subscriptions/acknowledged', /^\/params\/notifications$/],
  ...inputRequired.map((method): Owner => ['mrtr.request-kinds', method, /^\/inputRequests\/[^/]+\/method$/]),
  ['completion.max-100-values', 'completion/complete', /^\/completion\/values$/, /more than/],
  [
    'lifecycle.server-answers-initialize',
    handshakeMethods.request,
    /^\/(protocolVersion|capabilities|serverInfo)/,
  ],
  [
    'lifecycle.client-sends-initialize',
    handshakeMethods.request,
    /^\/params(\/(protocolVersion|capabilities|clientInfo|clientInfo\/name|clientInfo\/version))?$/,
  ],
  ['cancellation.request-id-given', 'notifications/cancelled', /./],
  ['progress.fields', 'notifications/progress', /./],
  ['progress.token-type', '*', /^\/params\/_meta\/progressToken/],
  ['icons.src-uri', '*', /\/icons(\/|$)/],
  ['tools.input-schema-valid', 'tools/list', /^\/tools\/\d+\/(input|output)Schema(?!\/\$schema$)/],
  ['tools.media-content-encoding', 'tools/call', /^\/content\/\d+\/data/],
  ['resources.uri-valid', '*', /\/uri$/],
  ['resources.uri-template-rfc6570', '*', /\/uriTemplate$/],
  ['resources.binary-encoded', '*', /\/blob$/],
  ['prompts.image-content-encoding', 'prompts/get', /^\/messages\/\d+\/content\/(data|mimeType)/],
  ['prompts.embedded-resource-payload', 'prompts/get', /^\/messages\/\d+\/content\/resource\/(text|blob)/],
  ['prompts.embedded-resource-uri', 'prompts/get', /^\/messages\/\d+\/content\/resource\/uri/],
  ['prompts.embedded-resource-mime-type', 'prompts/get', /^\/messages\/\d+\/content\/resource\/mimeType/],
  ['sampling.media-content-encoding', 'sampling/createMessage', /\/content(\/\d+)?\/data/],
  ['json-schema.schemas-valid', 'sampling/createMessage', /^\/params\/tools\/\d+\/(input|output)Schema/],
  ['elicitation.schema-flat-primitive', 'elicitation/create', /^\/params\/requestedSchema\/properties\/./],
  ['elicitation.common-parameters', 'elicitation/create', /^\/params\/(mode|message)/],
  ['elicitation.form-parameters', 'elicitation/create', /^\/params\/requestedSchema(\/(type|properties))?$/],
  ['elicitation.url-parameters', 'elicitation/create', /^\/params\/(url|elicitationId)/],
  ['elicitation.complete-has-id', 'notifications/elicitation/complete', /./],
  ['tasks.id-string', '*', /^(\/task|\/tasks\/\d+)?\/taskId$/],
  ['tasks.id-string', 'notifications/tasks/status', /^\/params\/taskId$/],
  ['tasks.created-at', '*', /\/createdAt$/],
  ['tasks.last-updated-at', '*', /\/lastUpdatedAt$/],
  ['tasks.starts-working', '*', /^\/task\/status$/],
  ['tasks.valid-transitions', '*', /^(\/params|\/tasks\/\d+)?\/status$/],
  ['tasks.ttl-reported', 'tasks/get', /^\/ttl$/],
];

/** Also `/tools/0/inputSchema` when that member is missing. */
function memberOf({ path, message }: Problem): string {
  const missing = /required property '([^']+)'/.exec(message)?.[1];
  return missing === undefined ? path : `${path}/${missing}`;
}

/**
 * Whether a row of its own judges a problem. Formats are annotations for JSON Schema: only the row about the member
 * judges them. Anything else that does not fit is a violation, also where the row about the member yields less.
 */
function isOwned(
  problem: Problem,
  owned: readonly Owner[],
  method: string | undefined,
  revision: RevisionId,
) {
  const member = memberOf(problem);
  const owner = owned.find(
    ([, of, members, kind]) =>
      (of === '*' || of === method) && members.test(member) && (kind?.test(problem.message) ?? true),
  );
  if (!owner) return false;
  return problem.isFormat === true || gradeOf(requirement(owner[0]), revision, 'fail') === 'violation';
}

const ownersIn = derived((conversation: Conversation): readonly Owner[] =>
  owners.filter(([id]) => bindsIn(requirement(id), conversation)),
);

/** A complete result in place of a task: tasks.create-result-returned judges it. */
const isRefusedTask = (problem: Problem, m: Message): boolean => {
  const { result } = bodyOf(m);
  return memberOf(problem) === '/task' && isObject(result) && ('task' in result || 'content' in result);
};

/** Of several definitions of a result, those of its kind: an input-required one, one of an extension, a complete one. */
function kindOf(definitions: string, { result }: JsonObject, { resultTypes }: Vocabulary): string {
  const type = isObject(result) ? result.resultType : undefined;
  const kinds = new Map<unknown, string>([['input_required', 'InputRequiredResult']]);
  for (const [name, { definition }] of Object.entries(resultTypes)) kinds.set(name, definition);
  const all = definitions.split(' | ');
  const own = all.find(name => name === kinds.get(type));
  const others = new Set(kinds.values());
  return own ?? (all.filter(name => !others.has(name)).join(' | ') || definitions);
}

/** Questions inside of results, which are judged one by one. */
const questions: ReadonlyMap<unknown, string> = new Map([
  ['elicitation/create', 'ElicitRequest'],
  ['sampling/createMessage', 'CreateMessageRequest'],
  ['roots/list', 'ListRootsRequest'],
]);

const questionIn = ({ definitions }: Vocabulary, method: string): string | undefined =>
  definitions.has('InputRequiredResult') ? questions.get(method) : undefined;

/** A result without the questions whose kind is known. */
function withoutQuestions(result: Json): Json {
  if (!isObject(result) || !isObject(result.inputRequests)) return result;
  const others = Object.entries(result.inputRequests).filter(
    ([, asked]) => !(isObject(asked) && questions.has(asked.method)),
  );
  return { ...result, inputRequests: Object.fromEntries(others) };
}

/** The name of the definition of a message, or of the definitions of a result; undefined when there is none. */
function definitionOf(vocabulary: Vocabulary, m: Message, request?: Message): string | undefined {
  if (m.kind !== 'result')
    return m.method === undefined
      ? undefined
      : (vocabulary.messageDefinition(m.by, m.method) ?? questionIn(vocabulary, m.method));
  const definitions =
    request?.method && vocabulary.resultDefinition(request.by, request.method, request.params);
  return definitions ? kindOf(definitions, bodyOf(m), vocabulary) : undefined;
}

/** Problems of a message against its definition; undefined when the revision has no definition for it. */
export function problemsIn(vocabulary: Vocabulary, m: Message, request?: Message): Problem[] | undefined {
  const definition = definitionOf(vocabulary, m, request);
  if (definition === undefined) return undefined;
  if (m.kind === 'result') return vocabulary.validate(definition, withoutQuestions(bodyOf(m).result!));
  if (m.kind === 'notification' && vocabulary.requests[m.by].has(m.method!))
    return [{ path: '', message: "must have required property 'id'" }];
  return vocabulary.validate(definition, m.json);
}

const sentWithQuestions = derived((conversation: Conversation): readonly Message[] => [
  ...conversation.sent('subject'),
  ...questionsInResults(conversation).map(({ request }) => request),
]);

export const rules = [
  rule.each('base.schema-valid', sentWithQuestions, (m, conversation) => {
    const isQuestion = !conversation.messagesOf(m).includes(m);
    if (!(isQuestion || isSound(m)) || isDisplaced(conversation, m)) return undefined;
    const request = conversation.requestOf(m);
    const vocabulary = conversation.vocabularyFor(m);
    const problems = problemsIn(vocabulary, m, request);
    if (!problems) return undefined;
    if (problems.length === 0) return pass([m]);
    const method = m.method ?? request!.method;
    const owned = ownersIn(conversation);
    const { id } = conversation.revision;
    const first = problems.find(
      problem => !isOwned(problem, owned, method, id) && !isRefusedTask(problem, m),
    );
    if (!first) return undefined;
    const { expected, actual } = problemIn(m, first, definitionOf(vocabulary, m, request));
    return fail(expected, [request, m], actual);
  }),
];
