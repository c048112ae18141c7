/**
 * Every message has the shape that the definition of its method requires, unless a row of its own judges the
 * member.
 */

import { fail, pass } from '../../../harness/judge/finding.js';
import { rule } from '../../../harness/judge/rule.js';
import { gradeOf } from '../../../harness/judge/verdict.js';
import { type Conversation, derived } from '../../../harness/record/conversation.js';
import { handshakeMethods } from '../../../harness/record/handshake.js';
import type { Message } from '../../../harness/record/message.js';
import { questionsInResults } from '../../../harness/record/questions.js';
import { isObject, type Json, type JsonObject, type Role } from '../../../spec/json-rpc.js';
import { clauseIn, type Requirement, type RequirementId, requirement } from '../../../spec/requirement.js';
import type { RevisionId } from '../../../spec/revisions.js';
import type { Problem, Vocabulary } from '../../../spec/vocabulary.js';
import { bodyOf, isSound } from '../derived/conversation.js';
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

const inForce = new Map<string, readonly Owner[]>();

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

function ownersFor(subject: Role, revision: RevisionId): readonly Owner[] {
  const key = `${subject} ${revision}`;
  const binds = (row: Requirement) => row.binds === 'both' || row.binds === subject;
  if (!inForce.has(key))
    inForce.set(
      key,
      owners.filter(([id]) => clauseIn(requirement(id), revision) && binds(requirement(id))),
    );
  return inForce.get(key)!;
}

/** A complete result in place of a task: tasks.create-result-returned judges it. */
const isRefusedTask = (problem: Problem, m: Message): boolean => {
  const { result } = bodyOf(m);
  return memberOf(problem) === '/task' && isObject(result) && ('task' in result || 'content' in result);
};

/** Of several definitions of a result, those of its kind: an input-required one, one of an extension, a complete one. */
function kindOf(definitions: string, { result }: JsonObject, { resultTypes }: Vocabulary): string {
  const type = isObject(result) && typeof result.resultType === 'string' ? result.resultType : '';
  const kinds: Record<string, string> = { input_required: 'InputRequiredResult' };
  for (const [name, { definition }] of Object.entries(resultTypes)) kinds[name] = definition;
  const all = definitions.split(' | ');
  const own = Object.hasOwn(kinds, type) ? kinds[type] : undefined;
  if (own !== undefined && all.includes(own)) return own;
  return all.filter(name => !Object.values(kinds).includes(name)).join(' | ') || definitions;
}

/** Questions inside of results, which are judged one by one. */
const questions: Readonly<Record<string, string>> = {
  'elicitation/create': 'ElicitRequest',
  'sampling/createMessage': 'CreateMessageRequest',
  'roots/list': 'ListRootsRequest',
};

const questionIn = ({ definitions }: Vocabulary, method: string): string | undefined => {
  const name = Object.hasOwn(questions, method) ? questions[method] : undefined;
  return name !== undefined && definitions.has('InputRequiredResult') ? name : undefined;
};

/** A result without the questions whose kind is known. */
function withoutQuestions(result: Json): Json {
  if (!isObject(result) || !isObject(result.inputRequests)) return result;
  const others = Object.entries(result.inputRequests).filter(
    ([, asked]) =>
      !isObject(asked) || typeof asked.method !== 'string' || !Object.hasOwn(questions, asked.method),
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
    if (m.kind === 'error' || !(isQuestion || isSound(m)) || isDisplaced(conversation, m)) return undefined;
    const request = m.kind === 'result' ? conversation.requestOf(m) : undefined;
    const vocabulary = conversation.vocabularyFor(m);
    const problems = problemsIn(vocabulary, m, request);
    if (!problems) return undefined;
    if (problems.length === 0) return pass([m]);
    const method = m.method ?? request?.method;
    const owned = ownersFor(conversation.subject, conversation.revision.id);
    const { id } = conversation.revision;
    const first = problems.find(
      problem => !isOwned(problem, owned, method, id) && !isRefusedTask(problem, m),
    );
    if (!first) return undefined;
    const definition = definitionOf(vocabulary, m, request);
    return fail(
      expectedOf(first, m.kind === 'result' ? 'result' : '', definition),
      [request, m],
      showAt(m, first),
    );
  }),
];

/**
 * `result.content[0].text to be a string (CallToolResult)`.
 * @param root what the path of the problem begins at; the message itself when empty
 */
export function expectedOf({ path, message }: Problem, root: string, definition = ''): string {
  const place = path
    .split('/')
    .slice(1)
    .map(key => key.replace(/~1/g, '/').replace(/~0/g, '~'))
    .reduce((sum, key) => {
      if (/^\d+$/.test(key)) return `${sum}[${key}]`;
      return /^[\w$-]+$/.test(key) ? `${sum}${sum && '.'}${key}` : `${sum}[${JSON.stringify(key)}]`;
    }, root);
  const wanted = message
    .replace(/^must have required property '(.+)'$/, 'to have the member "$1"')
    .replace(
      /^must be (\w+(?:,\w+)*)$/,
      (_, types: string) => `to be ${types.split(',').map(withArticle).join(' or ')}`,
    )
    .replace(/^must NOT /, 'not to ')
    .replace(/^must /, 'to ');
  const of = definition === '' || definition.includes(' | ') ? '' : ` (${definition})`;
  return `${place || 'the message'} ${wanted}${of}`;
}

const withArticle = (type: string): string =>
  type === 'null' ? type : `${/^[aeiou]/.test(type) ? 'an' : 'a'} ${type}`;

function showAt(m: Message, { path }: Problem): string {
  let at: unknown = m.kind === 'result' ? bodyOf(m).result : m.json;
  for (const key of path.split('/').slice(1))
    at = (at as Record<string, unknown> | undefined)?.[key.replace(/~1/g, '/').replace(/~0/g, '~')];
  return (JSON.stringify(at) ?? 'nothing').slice(0, 200);
}
