/** Elicitation: the responses of clients. */

import { fail, type Judgement, pass } from '../../../harness/judge/finding.js';
import { rule } from '../../../harness/judge/rule.js';
import { type Conversation, declares } from '../../../harness/record/conversation.js';
import { type Exchange, errorOf, resultOf } from '../../../harness/record/message.js';
import { capabilitiesFor } from '../../../harness/record/questions.js';
import { asText, isObject } from '../../../spec/json-rpc.js';
import { type Answered, answered, askedOf } from '../derived/results.js';
import { judgeValue } from '../derived/schemas.js';
import { payloadsOf } from '../derived/task-record.js';

const method = 'elicitation/create';

/** Results with the decision of the user, also those of tasks. */
const decisions = (conversation: Conversation): readonly Answered[] => [
  ...answered(conversation, method),
  ...payloadsOf(conversation, method),
];

const asked = (conversation: Conversation): readonly Exchange[] => askedOf(conversation, method);

const modeOf = ({ request }: Exchange): string =>
  typeof request.params?.mode === 'string' ? request.params.mode : 'form';

const isEmpty = (value: unknown): boolean =>
  value === undefined || (isObject(value) && Object.keys(value).length === 0);

/** The modes that a client declares; an empty declaration means form mode. */
function modes(conversation: Conversation): string[] | undefined {
  const declared = conversation.capabilities('client')?.elicitation;
  if (!isObject(declared)) return undefined;
  const named = ['form', 'url'].filter(mode => isObject(declared[mode]));
  return named.length > 0 ? named : ['form'];
}

/**
 * Only requests that are not deliberately invalid: an error in another part than the mode is judged
 * elsewhere.
 */
const politely = (conversation: Conversation): Exchange[] =>
  asked(conversation).filter(({ request, reply }) => reply && !request.frame.deliberate);

/** The requests in the declared modes, where each mode was asked and none got a result. */
function refused(conversation: Conversation): readonly Exchange[] | undefined {
  const declared = modes(conversation);
  const tried = politely(conversation).filter(exchange => declared?.includes(modeOf(exchange)));
  const isAsked = (mode: string) => tried.some(exchange => modeOf(exchange) === mode);
  return declared?.every(isAsked) && !tried.some(exchange => resultOf(exchange)) ? tried : undefined;
}

/**
 * A form that the client declares gets a result. Where each mode gets error -32601, the client knows no elicitation,
 * and `elicitation.one-mode-at-least` reports it.
 */
function* judgeForms(conversation: Conversation, forms: readonly Exchange[]): Generator<Judgement> {
  const isUnknown = refused(conversation)?.every(exchange => errorOf(exchange)?.code === -32601);
  if (isUnknown) return;
  for (const exchange of forms) {
    const evidence = [exchange.request, exchange.reply];
    const error = errorOf(exchange);
    yield error ? fail('the form request is accepted', evidence, `error ${error.code}`) : pass(evidence);
  }
}

export const rules = [
  rule('elicitation.capability-declared', function* (conversation) {
    for (const exchange of asked(conversation)) {
      if (!exchange.reply) continue;
      const has = declares(capabilitiesFor(conversation, exchange.request), 'elicitation');
      const accepts = resultOf(exchange)?.action === 'accept';
      const evidence = [exchange.request, exchange.reply];
      yield accepts && !has
        ? fail('elicitation declared', evidence, 'accepted without the declaration')
        : pass(evidence);
    }
  }),

  rule('elicitation.accept-content-matches', function* (conversation) {
    for (const { request, reply, result } of decisions(conversation)) {
      const schema = request.params?.requestedSchema;
      if (result.action !== 'accept' || !isObject(schema)) continue;
      yield judgeValue(schema, result.content ?? {}, {
        revision: conversation.revision,
        expected: 'content that is valid for the schema',
        evidence: [request, reply],
      });
    }
  }),

  rule('elicitation.refusal-without-content', function* (conversation) {
    for (const { request, reply, result } of decisions(conversation)) {
      if (result.action !== 'decline' && result.action !== 'cancel') continue;
      yield isEmpty(result.content)
        ? pass([request, reply])
        : fail('no content', [request, reply], JSON.stringify(result.content));
    }
  }),

  rule('elicitation.url-accept-without-content', function* (conversation) {
    for (const { request, reply, result } of decisions(conversation)) {
      if (request.params?.mode !== 'url' || result.action !== 'accept') continue;
      yield isEmpty(result.content)
        ? pass([request, reply])
        : fail('no content', [request, reply], JSON.stringify(result.content));
    }
  }),

  rule('elicitation.undeclared-mode-error', function* (conversation) {
    const declared = modes(conversation);
    if (!declared) return;
    for (const exchange of asked(conversation)) {
      if (!exchange.reply || declared.includes(modeOf(exchange))) continue;
      const code = errorOf(exchange)?.code;
      const evidence = [exchange.request, exchange.reply];
      yield code === -32602
        ? pass(evidence)
        : fail('error -32602', evidence, code === undefined ? 'a result' : `error ${code}`);
    }
  }),

  rule('elicitation.omitted-mode-is-form', function* (conversation) {
    if (!modes(conversation)?.includes('form')) return;
    const isForm = ({ request }: Exchange) => request.params?.mode === undefined;
    yield* judgeForms(conversation, politely(conversation).filter(isForm));
  }),

  rule('elicitation.empty-capability-is-form', function* (conversation) {
    if (!isEmpty(conversation.capabilities('client')?.elicitation) || !modes(conversation)) return;
    if (conversation.subject !== 'client') return;
    const isForm = ({ request }: Exchange) => request.params?.mode === 'form';
    yield* judgeForms(conversation, politely(conversation).filter(isForm));
  }),

  rule('elicitation.one-mode-at-least', function* (conversation) {
    const declared = modes(conversation);
    const answer = politely(conversation).find(e => declared?.includes(modeOf(e)) && resultOf(e));
    const all = refused(conversation);
    if (answer) yield pass([answer.request, answer.reply]);
    else if (all)
      yield fail(
        'a result in at least one mode',
        all.flatMap(e => [e.request, e.reply]),
        'an error in each mode',
      );
  }),

  rule('elicitation.declared-url-supported', function* (conversation) {
    if (!modes(conversation)?.includes('url')) return;
    const tried = politely(conversation).filter(
      ({ request }) => request.params?.mode === 'url' && /^https:/i.test(asText(request.params.url ?? '')),
    );
    const answer = tried.find(exchange => resultOf(exchange));
    if (answer) yield pass([answer.request, answer.reply]);
    else if (tried.length > 0)
      yield fail(
        'a result with an action',
        tried.flatMap(e => [e.request, e.reply]),
        `error ${asText(errorOf(tried[0]!)?.code ?? '')} each time`,
      );
  }),

  // The pages of the harness are on the address of the server, so the record contains the requests for them.
  rule('elicitation.url-not-prefetched', function* (conversation) {
    for (const { visits, exchange } of pagesShown(conversation)) {
      const { request, reply } = exchange;
      const early = visits.find(visit => !reply || visit.seq < reply.seq);
      // a user who consents may see the page before the acceptance is sent
      if (early && resultOf(exchange)?.action === 'accept') continue;
      if (early)
        yield fail('no request before the response', [request, early], early.request?.method ?? 'a request');
      else if (reply) yield pass([request, reply]);
    }
  }),

  rule('elicitation.url-not-opened-without-consent', function* (conversation) {
    for (const { visits, exchange } of pagesShown(conversation)) {
      const { request, reply } = exchange;
      const result = resultOf(exchange);
      // the decision about a task comes later
      if (!reply || result?.action === 'accept' || isObject(result?.task)) continue;
      const late = visits.find(visit => visit.seq > reply.seq);
      if (late)
        yield fail('no request for the page', [request, reply, late], late.request?.method ?? 'a request');
      else yield pass([request, reply]);
    }
  }),
];

/** Requests to open a page of the harness, with the HTTP requests for that page. */
function* pagesShown(conversation: Conversation) {
  for (const exchange of asked(conversation)) {
    const { mode, url } = exchange.request.params ?? {};
    if (mode !== 'url' || typeof url !== 'string') continue;
    const home = conversation.http()[0]?.request?.url;
    if (home === undefined || !URL.canParse(url) || new URL(url).origin !== originOf(home)) continue;
    yield { exchange, visits: conversation.http().filter(e => e.request && isSame(e.request.url, url)) };
  }
}

const originOf = (url: string): string | undefined => (URL.canParse(url) ? new URL(url).origin : undefined);
/** Whether two URLs name the same page, whatever their query. */
const isSame = (a: string, b: string): boolean =>
  URL.canParse(a) && new URL(a).pathname === new URL(b).pathname;
