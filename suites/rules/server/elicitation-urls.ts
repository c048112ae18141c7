/** Elicitation by URL: pages that a user is asked to open. */

import { fail, pass } from '../../../harness/judge/finding.js';
import { rule } from '../../../harness/judge/rule.js';
import { type Conversation, derived } from '../../../harness/record/conversation.js';
import { errorOf, type Message } from '../../../harness/record/message.js';
import { questionsOf } from '../../../harness/record/questions.js';
import { isUri } from '../../../spec/formats.js';
import { isObject, type Json, type JsonObject } from '../../../spec/json-rpc.js';
import { vocabularyOf } from '../../../spec/vocabulary.js';
import { surelyAfter } from '../derived/order.js';
import { objects, shown } from '../derived/results.js';
import { spellingsOf, valuesTold } from '../derived/told-values.js';

interface Elicitation {
  readonly m: Message;
  readonly params: JsonObject;
}

/** Elicitations in URL mode. */
const elicitations = (conversation: Conversation): readonly Elicitation[] =>
  questionsOf(conversation, 'elicitation/create').flatMap(({ request: m }) =>
    m.params?.mode === 'url' ? [{ m, params: m.params }] : [],
  );

/** URLs that can be parsed, with the messages that contain them. */
const urls = (conversation: Conversation) =>
  elicitations(conversation).flatMap(({ m, params: { url } }) =>
    typeof url === 'string' && URL.canParse(url) ? [{ m, url }] : [],
  );

const isLocal = (host: string): boolean =>
  /^(localhost|.*\.localhost|127\..*|\[::1\]|10\..*|192\.168\..*|172\.(1[6-9]|2\d|3[01])\..*)$/.test(host);

/** The code of errors that name URLs that have to be opened first. */
const urlRequired = -32042;

/** Errors about elicitations, recognized by their data or by their code. */
const refusals = derived((conversation: Conversation) =>
  conversation.exchanges({ by: 'peer' }).flatMap(exchange => {
    const error = errorOf(exchange);
    const list = isObject(error?.data) ? error.data.elicitations : undefined;
    return error ? [{ evidence: [exchange.request, exchange.reply], code: error.code, list }] : [];
  }),
);

/** Errors that name URLs that have to be opened first. */
const required = (conversation: Conversation) => refusals(conversation).filter(r => r.code === urlRequired);

export const rules = [
  rule('elicitation.url-parameters', function* (conversation) {
    const hasIds = vocabularyOf(conversation.revision).definitions.has('ElicitationCompleteNotification');
    for (const { m, params } of elicitations(conversation)) {
      const fits = typeof params.url === 'string' && (!hasIds || typeof params.elicitationId === 'string');
      const expected = hasIds ? 'a url and an elicitationId' : 'a url';
      yield fits ? pass([m]) : fail(expected, [m], shown(params));
    }
  }),

  rule('elicitation.url-valid', function* (conversation) {
    for (const {
      m,
      params: { url },
    } of elicitations(conversation)) {
      if (typeof url !== 'string') continue;
      yield isUri(url) || URL.canParse(url) ? pass([m]) : fail('a URL', [m], shown(url));
    }
  }),

  rule('elicitation.url-no-user-secrets', function* (conversation) {
    for (const { m, url } of urls(conversation)) {
      const { password } = new URL(url);
      const told = [...valuesTold(conversation, 'secret'), ...valuesTold(conversation, 'person')].find(
        value => spellingsOf(value).some(text => url.includes(text)),
      );
      if (password) yield fail('no password in the URL', [m], url);
      else yield told ? fail('no secret and no personal data in the URL', [m], url) : pass([m]);
    }
  }),

  rule('elicitation.url-https', function* (conversation) {
    for (const { m, url } of urls(conversation)) {
      const { protocol, hostname } = new URL(url);
      if (protocol === 'http:' && !isLocal(hostname)) yield fail('https', [m], url);
      else yield pass([m]);
    }
  }),

  rule('elicitation.id-unique', function* (conversation) {
    const first = new Map<string, Elicitation>();
    for (const elicitation of elicitations(conversation)) {
      const { m, params } = elicitation;
      const id = params.elicitationId;
      if (typeof id !== 'string') continue;
      const earlier = first.get(id) ?? elicitation;
      const same = earlier.params.url === params.url && earlier.params.message === params.message;
      yield same ? pass([m]) : fail('a unique id', [earlier.m, m], id);
      first.set(id, earlier);
    }
  }),

  rule('elicitation.complete-has-id', function* (conversation) {
    const listed = required(conversation).flatMap(({ evidence, list }) =>
      objects(list).map(e => ({ id: e.elicitationId, by: evidence[1]! })),
    );
    const sent = [
      ...elicitations(conversation).map(({ m, params }) => ({ id: params.elicitationId, by: m })),
      ...listed,
    ];
    for (const m of conversation.notifications({
      by: 'subject',
      method: 'notifications/elicitation/complete',
    })) {
      const id = m.params?.elicitationId;
      const known =
        typeof id === 'string' &&
        sent.some(e => e.id === id && (e.by.seq < m.seq || !surelyAfter(conversation, e.by, m)));
      yield known ? pass([m]) : fail('the id of an earlier elicitation', [m], shown(id));
    }
  }),

  rule('elicitation.url-required-error-code', function* (conversation) {
    for (const { evidence, code, list } of refusals(conversation)) {
      if (!objects(list).some(e => e.mode === 'url')) continue;
      const fits = code === urlRequired;
      yield fits ? pass(evidence) : fail(`error ${urlRequired}`, evidence, `error ${shown(code)}`);
    }
  }),

  rule('elicitation.url-required-error-list', function* (conversation) {
    for (const { evidence, list } of required(conversation)) {
      const fits = Array.isArray(list) && list.length > 0;
      yield fits ? pass(evidence) : fail('a list of elicitations', evidence, shown(list));
    }
  }),

  rule('elicitation.url-required-error-only-then', function* (conversation) {
    for (const { evidence, list } of required(conversation)) {
      if (!Array.isArray(list) || list.length === 0) continue;
      const some = objects(list).some(e => e.mode === 'url');
      yield some ? pass(evidence) : fail('an elicitation in URL mode', evidence, shown(list));
    }
  }),

  rule('elicitation.url-required-error-elements', function* (conversation) {
    for (const { evidence, list } of required(conversation)) {
      if (!objects(list).some(e => e.mode === 'url')) continue;
      const wrong = (list as Json[]).find(
        e =>
          !isObject(e) ||
          e.mode !== 'url' ||
          [e.elicitationId, e.url, e.message].some(v => typeof v !== 'string'),
      );
      yield wrong === undefined
        ? pass(evidence)
        : fail('mode, elicitationId, url, message', evidence, shown(wrong));
    }
  }),
];
