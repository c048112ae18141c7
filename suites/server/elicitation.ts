/** client/elicitation: requests of a server to the user, and the use of the responses. */

import { minimalObject } from '../../harness/generate/minimal.js';
import { NotObserved } from '../../harness/peer/deferred.js';
import { type HandlerResult, RefusedRequest } from '../../harness/peer/requests.js';
import { type Exchange, type Message, resultOf } from '../../harness/record/message.js';
import { questionsOf } from '../../harness/record/questions.js';
import { describe } from '../../harness/scenario/expect.js';
import { scenario } from '../../harness/scenario/scenario.js';
import { asText, isObject, type JsonObject, without } from '../../spec/json-rpc.js';
import { probeOf } from '../shared/probe.js';
import { everyKind } from './declared.js';
import { asksSince, neverAsked } from './questions.js';

const method = 'elicitation/create';
const words = { message: 'Who are you?' };

const answers: readonly (readonly [what: string, answer: () => HandlerResult])[] = [
  ['decline', () => ({ action: 'decline' })],
  ['cancel', () => ({ action: 'cancel' })],
  [
    'an error',
    () => {
      throw new RefusedRequest(-32603, 'The form could not be shown.');
    },
  ],
];

/** The first 10 characters of the text of a tool result. */
function openingOf(exchange: Exchange): string {
  const content = resultOf(exchange)?.content;
  const [first] = Array.isArray(content) ? content.filter(isObject) : [];
  return asText(first?.text).slice(0, 10);
}

/** A text that no server returns by chance. */
const bogus = 'mcp-conform-bogus';

/**
 * Whether the result of a tool has this text. An error text may quote invalid content, but does not begin like the text
 * about valid content. @param fitting the same call with valid content
 */
const usesBogus = (exchange: Exchange, fitting: Exchange): boolean => {
  const result = resultOf(exchange);
  return (
    result?.isError !== true &&
    JSON.stringify(result ?? null).includes(bogus) &&
    openingOf(fitting) === openingOf(exchange)
  );
};

/** Content for a form, with this text and without the last required member; undefined where the form has no two such members. */
function incompleteFor(schema: JsonObject): JsonObject | undefined {
  const properties = isObject(schema.properties) ? schema.properties : {};
  const required = Array.isArray(schema.required) ? schema.required.map(asText) : [];
  const isPlainText = (name: string) => {
    const property = properties[name];
    return isObject(property) && property.type === 'string' && Object.keys(property).every(isFree);
  };
  const [last, name] = [required.at(-1), required.slice(0, -1).find(isPlainText)];
  if (last === undefined || name === undefined || properties[last] === undefined) return undefined;
  return { ...without(minimalObject(schema), last), [name]: bogus };
}

/** Keywords beside which a string may be any text. */
const isFree = (keyword: string): boolean => ['type', 'title', 'description', 'minLength'].includes(keyword);

export const scenarios = [
  scenario('server/elicitation/accepted', {
    title: 'a tool sends elicitation/create with a flat form, and gets a response',
    verifies: ['elicitation.schema-flat-primitive'],
    fixtures: ['role elicitation'],
    async run({ peer, expect, tool }) {
      const call = tool('elicitation', words);
      const asks = [peer.request('tools/call', call), peer.request('tools/call', call)];
      const [first] = await Promise.all(asks);
      if (!asksSince(peer, first!, method))
        expect.notObserved('elicitation.schema-flat-primitive', neverAsked);
    },
  }),

  scenario('server/elicitation/other-actions', {
    title: 'a tools/call ends when the user declines or cancels, or the client returns an error',
    verifies: ['elicitation.actions-handled'],
    fixtures: ['role elicitation'],
    async run({ peer, expect, tool }) {
      const call = tool('elicitation', words);
      // another row judges a server that gets no responses at all
      if (!(await peer.request('tools/call', call)).reply)
        throw new NotObserved('the call gets no response when the user accepts');
      for (const [what, answer] of answers) {
        const restore = peer.handle(method, answer);
        const exchange = await peer.request('tools/call', call);
        restore();
        const ok = exchange.reply !== undefined && (await peer.barrier());
        expect.that('elicitation.actions-handled', {
          ok,
          expected: `a response to the call after ${what}`,
          evidence: [exchange],
          actual: exchange.reply ? `no response to ${probeOf(peer)}` : describe(exchange),
        });
      }
    },
  }),

  scenario('server/elicitation/content-that-does-not-fit', {
    title: 'content that violates the schema of the form is not used',
    verifies: ['elicitation.content-validated-by-server'],
    fixtures: ['role elicitation'],
    async run({ peer, expect, tool }) {
      const call = tool('elicitation', words);
      const fitting = await peer.request('tools/call', call);
      const content = { username: { nested: bogus }, email: [bogus] };
      const restore = peer.handle(method, () => ({ action: 'accept', content }), { deliberate: true });
      const exchange = await peer.request('tools/call', call);
      restore();
      const { first = exchange.request } = exchange;
      const asked = questionsOf(peer.conversation, method).find(q => q.request.seq > first.seq);
      expect.that('elicitation.content-validated-by-server', {
        ok: !usesBogus(exchange, fitting),
        expected: 'an error, or another elicitation/create',
        evidence: [first, asked?.request, asked?.reply, exchange.reply],
        actual: 'the tool uses the content',
      });
    },
  }),

  scenario('server/elicitation/incomplete-content', {
    title: 'content that lacks a required member of the form is not used',
    verifies: ['elicitation.content-validated-by-server'],
    fixtures: ['role elicitation'],
    async run({ peer, expect, tool }) {
      const row = 'elicitation.content-validated-by-server';
      const call = tool('elicitation', words);
      const fitting = await peer.request('tools/call', call);
      let sent: JsonObject | undefined;
      const restore = peer.handle(
        method,
        params => {
          const schema = isObject(params?.requestedSchema) ? params.requestedSchema : {};
          sent = incompleteFor(schema);
          return { action: 'accept', content: sent ?? minimalObject(schema) };
        },
        { deliberate: true },
      );
      const exchange = await peer.request('tools/call', call);
      restore();
      if (!sent)
        throw new NotObserved('the tool asks with no form that requires two members, one of them a text');
      expect.that(row, {
        ok: !usesBogus(exchange, fitting),
        expected: 'an error, or another elicitation/create',
        evidence: [exchange.first ?? exchange.request, exchange.reply],
        actual: `the tool uses ${JSON.stringify(sent)}`,
      });
    },
  }),

  scenario('server/elicitation/defaults-and-choices', {
    title: 'elicitation/create with defaults and choices is well formed',
    verifies: ['elicitation.form-parameters', 'elicitation.common-parameters'],
    fixtures: ['tool test_elicitation_sep1034_defaults', 'tool test_elicitation_sep1330_enums'],
    async run({ peer, expect }) {
      const call = { name: 'test_elicitation_sep1034_defaults', arguments: {} };
      const first = await peer.request('tools/call', call);
      await peer.request('tools/call', { name: 'test_elicitation_sep1330_enums', arguments: {} });
      if (asksSince(peer, first, method)) return;
      expect.notObserved(['elicitation.form-parameters', 'elicitation.common-parameters'], neverAsked);
    },
  }),

  scenario('server/elicitation/url-undeclared', {
    title: 'a client that declares elicitation without modes receives only forms',
    verifies: ['elicitation.undeclared-mode-not-sent', 'elicitation.empty-capability-is-form'],
    fixtures: ['tool test_elicitation_url'],
    async run({ peer, expect }) {
      const exchange = await peer.request('tools/call', { name: 'test_elicitation_url', arguments: {} });
      expect.noViolation('elicitation.undeclared-mode-not-sent', [exchange]);
      expect.noViolation('elicitation.empty-capability-is-form', [exchange]);
    },
  }),

  scenario('server/elicitation/url', {
    title: 'elicitation/create in URL mode has a valid URL and an elicitationId that is new each time',
    verifies: [
      'elicitation.url-parameters',
      'elicitation.url-valid',
      'elicitation.id-unique',
      'elicitation.complete-has-id',
    ],
    declares: everyKind,
    fixtures: ['tool test_elicitation_url'],
    async run({ peer }) {
      const tool = { name: 'test_elicitation_url', arguments: {} };
      await Promise.all([peer.request('tools/call', tool), peer.request('tools/call', tool)]);
      const restore = peer.handle(method, () => ({ action: 'decline' }));
      await peer.request('tools/call', tool);
      restore();
    },
  }),

  scenario.http('server/elicitation/url-in-two-sessions', {
    title: 'elicitation/create in URL mode has an elicitationId that no other session has',
    verifies: ['elicitation.id-unique'],
    declares: everyKind,
    fixtures: ['tool test_elicitation_url'],
    async run({ peer, newConversation, expect }) {
      const call = { name: 'test_elicitation_url', arguments: {} };
      const { request } = await peer.request('tools/call', call);
      if (peer.conversation.httpOf(request)?.requestHeader('authorization'))
        throw new NotObserved('both sessions belong to the same user');
      const other = await newConversation();
      await other.open({ capabilities: everyKind });
      await other.request('tools/call', call);
      const pages = (who: typeof peer) =>
        questionsOf(who.conversation, method)
          .map(q => q.request)
          .filter(m => typeof m.params?.elicitationId === 'string');
      const [own, foreign] = [pages(peer), pages(other)];
      if (own.length === 0 || foreign.length === 0) throw new NotObserved(neverAsked);
      const twinOf = (m: Message) => own.find(o => o.params!.elicitationId === m.params!.elicitationId);
      const twice = foreign.find(twinOf);
      expect.that('elicitation.id-unique', {
        ok: !twice,
        expected: 'an id that no other session has',
        evidence: [twice && twinOf(twice), twice ?? foreign[0]],
        actual: JSON.stringify(twice?.params?.elicitationId),
      });
    },
  }),

  scenario.http('server/elicitation/complete-elsewhere', {
    title: 'notifications/elicitation/complete is sent only to the client that received the URL',
    verifies: ['elicitation.complete-to-initiator-only'],
    declares: { elicitation: { form: {}, url: {} } },
    fixtures: ['tool test_elicitation_url'],
    async run({ peer, newConversation, expect }) {
      const other = await newConversation();
      await other.open({ capabilities: { elicitation: { form: {}, url: {} } } });
      // by now the stream of the other client is open, if it opens one
      await other.barrier();
      await peer.request('tools/call', { name: 'test_elicitation_url', arguments: {} });
      await other.quietWindow();
      const told = (who: typeof peer) =>
        who.conversation.notifications({ by: 'subject', method: 'notifications/elicitation/complete' });
      if (told(peer).length + told(other).length === 0)
        throw new NotObserved('the server sends no notifications/elicitation/complete');
      const [stray] = told(other);
      expect.that('elicitation.complete-to-initiator-only', {
        ok: !stray,
        expected: 'no notifications/elicitation/complete in another session',
        evidence: [stray ?? told(peer)[0]],
        actual: 'the notification of the other session',
      });
    },
  }),

  scenario.http('server/elicitation/url-mode-alone', {
    title: 'a client that declares url mode alone gets no form',
    verifies: ['elicitation.undeclared-mode-not-sent'],
    era: 'legacy',
    declares: { elicitation: { url: {} } },
    fixtures: ['role elicitation'],
    async run({ peer, expect, tool }) {
      const exchange = await peer.request('tools/call', tool('elicitation', { message: 'Who are you?' }));
      expect.noViolation('elicitation.undeclared-mode-not-sent', [exchange]);
    },
  }),

  scenario('server/elicitation/url-required', {
    title: 'a tools/call that requires a page to be opened gets an error with the URLs',
    verifies: [
      'elicitation.url-required-error-code',
      'elicitation.url-required-error-list',
      'elicitation.url-required-error-only-then',
      'elicitation.url-required-error-elements',
    ],
    declares: everyKind,
    fixtures: ['tool test_elicitation_url_required'],
    async run({ peer }) {
      await peer.request('tools/call', { name: 'test_elicitation_url_required', arguments: {} });
    },
  }),
];
