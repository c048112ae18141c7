/** A subject uses only features that were declared. */

import { fail, pass } from '../../../harness/judge/finding.js';
import { rule } from '../../../harness/judge/rule.js';
import { type Conversation, declares, derived } from '../../../harness/record/conversation.js';
import { type Message, resultOf } from '../../../harness/record/message.js';
import { capabilitiesFor, questionsInResults } from '../../../harness/record/questions.js';
import { isObject, type Json, type Role } from '../../../spec/json-rpc.js';
import type { RequirementId } from '../../../spec/requirement.js';
import { vocabularyOf } from '../../../spec/vocabulary.js';
import { isSound } from '../derived/conversation.js';
import { shown } from '../derived/results.js';

/** The capability that a method of one side needs, and the side that declares the capability. */
type Need = readonly [declaredBy: Role, path: string];
const needs: Readonly<Record<Role, ReadonlyMap<string | undefined, Need>>> = {
  server: new Map<string, Need>([
    ['sampling/createMessage', ['client', 'sampling']],
    ['roots/list', ['client', 'roots']],
    ['elicitation/create', ['client', 'elicitation']],
    ['notifications/tools/list_changed', ['server', 'tools.listChanged']],
    ['notifications/prompts/list_changed', ['server', 'prompts.listChanged']],
    ['notifications/resources/list_changed', ['server', 'resources.listChanged']],
    ['notifications/resources/updated', ['server', 'resources.subscribe']],
  ]),
  client: new Map<string, Need>([
    ['tools/list', ['server', 'tools']],
    ['tools/call', ['server', 'tools']],
    ['prompts/list', ['server', 'prompts']],
    ['prompts/get', ['server', 'prompts']],
    ['resources/list', ['server', 'resources']],
    ['resources/templates/list', ['server', 'resources']],
    ['resources/read', ['server', 'resources']],
    ['resources/subscribe', ['server', 'resources.subscribe']],
    ['resources/unsubscribe', ['server', 'resources.subscribe']],
    ['logging/setLevel', ['server', 'logging']],
    ['completion/complete', ['server', 'completions']],
    ['notifications/roots/list_changed', ['client', 'roots.listChanged']],
  ]),
};

/**
 * Messages of the subject whose method needs a capability, after the handshake has declared the capabilities.
 */
const dependent = (conversation: Conversation, only = '') =>
  allDependent(conversation).filter(d => d.method.includes(only));

const allDependent = derived((conversation: Conversation) => [...findDependent(conversation)]);

function* findDependent(conversation: Conversation) {
  const { subject, revision } = conversation;
  const vocabulary = vocabularyOf(revision);
  const { opening, isStateless } = conversation;
  const after = isStateless ? 0 : (opening?.reply?.seq ?? Number.POSITIVE_INFINITY);
  const inside = new Set(questionsInResults(conversation).map(q => q.request));
  for (const m of [...conversation.sent('subject'), ...inside]) {
    const need = needs[subject].get(m.method);
    if (!need || m.seq < after || !isSound(m)) continue;
    const method = m.method!;
    // lifecycle.respect-version; without a handshake, no request of a server outside of results is left
    if (!vocabulary.messageDefinition(subject, method) && !inside.has(m)) continue;
    const [declaredBy, path] = need;
    const feature = path.split('.')[0]!;
    if (revision.undeclarable.includes(feature)) continue;
    const capabilities =
      declaredBy === 'client' ? capabilitiesFor(conversation, m) : conversation.capabilities(declaredBy);
    if (isStateless && capabilities === undefined) continue;
    const [has, hasFeature] = [declares(capabilities, path), declares(capabilities, feature)];
    // the message that would contain the declaration
    const declaration =
      declaredBy === 'client' ? (conversation.requestOf(m) ?? opening?.request) : opening?.reply;
    yield { m, method, path, has, hasFeature, declaration };
  }
}

/** The addition for clients: the client under test is a library together with the program that drives it. */
const heldBack = ({ subject }: Conversation): string =>
  subject === 'client' ? '; neither the library nor the program that drives it withheld the message' : '';

const subscribed = (conversation: Conversation): number =>
  conversation.requests({ method: 'resources/subscribe' })[0]?.seq ?? Number.POSITIVE_INFINITY;

/** Messages that show that the server has a feature, for which the capability is needed. */
function offered(row: RequirementId, capability: string, signs: (conversation: Conversation) => Message[]) {
  return rule(row, function* (conversation) {
    const { opening, isStateless } = conversation;
    const capabilities = conversation.capabilities('server');
    const reply = opening?.reply;
    if (!capabilities || !reply) return;
    const declared = declares(capabilities, capability);
    for (const m of signs(conversation)) {
      if (m.seq <= reply.seq && !isStateless) continue;
      yield declared
        ? pass([reply, m])
        : fail(
            `the capability ${capability} in the response to ${opening.request.method}`,
            [reply, conversation.requestOf(m), m],
            `none${loggerOf(m)}`,
          );
    }
  });
}

/** The logger that a log message names: an SDK may log before the code of its user does. */
const loggerOf = ({ method, params }: Message): string =>
  method === 'notifications/message' && typeof params?.logger === 'string'
    ? `; the logger ${shown(params.logger)} sends messages`
    : '';

const isFilled = (list: Json | undefined): boolean => Array.isArray(list) && list.length > 0;

const answers =
  (method: string, key?: string) =>
  (conversation: Conversation): Message[] =>
    conversation.exchanges({ by: 'peer', method }).flatMap(exchange => {
      const result = resultOf(exchange);
      return result && (key === undefined || isFilled(result[key])) ? [exchange.reply!] : [];
    });

/** Results with values: many libraries answer for a server without completions, with an empty list. */
const completions = (conversation: Conversation): Message[] =>
  conversation.exchanges({ by: 'peer', method: 'completion/complete' }).flatMap(exchange => {
    const completion = resultOf(exchange)?.completion;
    const values = isObject(completion) ? completion.values : undefined;
    return isFilled(values) ? [exchange.reply!] : [];
  });

const notes =
  (method: string) =>
  (conversation: Conversation): Message[] =>
    conversation.notifications({ by: 'subject', method }).filter(isSound);

/** An error inside a result is judged by tools.unsupported-calls-protocol-error. */
const calls = (conversation: Conversation): Message[] =>
  conversation
    .exchanges({ by: 'peer', method: 'tools/call' })
    .flatMap(e => (resultOf(e) && resultOf(e)!.isError !== true ? [e.reply!] : []));

const all =
  (...signs: ((conversation: Conversation) => Message[])[]) =>
  (conversation: Conversation): Message[] =>
    signs.flatMap(sign => sign(conversation));

export const rules = [
  // Features whose own page requires the declaration are judged there; the other features are judged here.
  rule('lifecycle.respect-capabilities', function* (conversation) {
    for (const { m, path, has, hasFeature, declaration } of dependent(conversation)) {
      const own = m.kind === 'notification' && conversation.subject === 'server';
      const unasked =
        m.method === 'notifications/resources/updated' &&
        m.seq < subscribed(conversation) &&
        !conversation.isStateless;
      if ((own && !hasFeature) || (unasked && !has)) continue;
      yield has
        ? pass([conversation.opening?.reply, m])
        : fail(
            `the capability ${path} before ${m.method}`,
            [declaration, m],
            `not declared${heldBack(conversation)}`,
          );
    }
  }),

  rule('prompts.respect-capabilities', function* (conversation) {
    for (const { m, path, has, hasFeature, declaration } of dependent(conversation, 'prompts/')) {
      if (!hasFeature && conversation.subject === 'server') continue; // prompts.capability-declared
      yield has
        ? pass([m])
        : fail(`the capability ${path} before ${m.method}`, [declaration, m], 'not declared');
    }
  }),

  rule('roots.capability-checked', function* (conversation) {
    for (const { m, has, declaration } of dependent(conversation, 'roots/list'))
      yield has
        ? pass([m])
        : fail('the capability roots before roots/list', [declaration, m], 'not declared');
  }),

  offered(
    'tools.capability-declared',
    'tools',
    all(answers('tools/list', 'tools'), calls, notes('notifications/tools/list_changed')),
  ),
  offered(
    'prompts.capability-declared',
    'prompts',
    all(
      answers('prompts/list', 'prompts'),
      answers('prompts/get'),
      notes('notifications/prompts/list_changed'),
    ),
  ),
  offered(
    'resources.capability-declared',
    'resources',
    all(
      answers('resources/list', 'resources'),
      answers('resources/templates/list', 'resourceTemplates'),
      answers('resources/read'),
      answers('resources/subscribe'),
      notes('notifications/resources/updated'),
      notes('notifications/resources/list_changed'),
    ),
  ),
  offered('logging.capability-declared', 'logging', notes('notifications/message')),
  offered('completion.capability-declared', 'completions', completions),
  // The features above have rows of their own for this.
  offered('base.server-feature-advertised', 'logging', answers('logging/setLevel')),

  rule('tools.unsupported-calls-protocol-error', function* (conversation) {
    const capabilities = conversation.capabilities('server');
    if (!capabilities || declares(capabilities, 'tools')) return;
    for (const exchange of conversation.exchanges({ by: 'peer', method: 'tools/call' })) {
      const { request, reply } = exchange;
      if (reply?.kind === 'error') yield pass([request, reply]);
      else if (resultOf(exchange)?.isError === true) yield fail('an error', [request, reply], 'a result');
    }
  }),
];
