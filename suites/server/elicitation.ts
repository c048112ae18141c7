/** client/elicitation: what a server asks of the user, and what it makes of the answers. */

import { type HandlerResult, RefusedRequest } from '../../harness/peer/peer.js';
import { type Exchange, resultOf } from '../../harness/record/message.js';
import { scenario } from '../../harness/scenario/scenario.js';
import { isObject } from '../../spec/json-rpc.js';
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

/** The first words of what a tool says. */
function openingOf(exchange: Exchange): string {
  const content = resultOf(exchange)?.content;
  const [first] = Array.isArray(content) ? content.filter(isObject) : [];
  return String(first?.text).slice(0, 10);
}

export const scenarios = [
  scenario('server/elicitation/accepted', {
    title: 'a tool asks the user by a flat form, and gets an answer',
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
    title: 'a user who declines or cancels, and a client that fails, leave no call open',
    verifies: ['elicitation.actions-handled'],
    fixtures: ['role elicitation'],
    async run({ peer, expect, tool }) {
      const call = tool('elicitation', words);
      // a server that no answer reaches is told by the row about answers
      if (!(await peer.request('tools/call', call)).reply)
        return expect.notObserved(
          'elicitation.actions-handled',
          'the call is not answered when the user accepts',
        );
      for (const [what, answer] of answers) {
        const restore = peer.handle(method, answer);
        const exchange = await peer.request('tools/call', call);
        restore();
        const ok = exchange.reply !== undefined && (await peer.barrier());
        expect.that('elicitation.actions-handled', ok, `an answer to the call after ${what}`, [exchange]);
      }
    },
  }),

  scenario('server/elicitation/content-that-does-not-fit', {
    title: 'content that breaks the form is not used',
    verifies: ['elicitation.content-validated-by-server'],
    fixtures: ['role elicitation'],
    async run({ peer, expect, tool }) {
      const call = tool('elicitation', words);
      const fitting = await peer.request('tools/call', call);
      const content = { username: { nested: 'mcp-conform-bogus' }, email: ['mcp-conform-bogus'] };
      const restore = peer.handle(method, () => ({ action: 'accept', content }), { deliberate: true });
      const exchange = await peer.request('tools/call', call);
      restore();
      const result = resultOf(exchange);
      // a text that tells what was wrong may well quote it, but does not begin like the one about good content
      const used =
        result?.isError !== true &&
        JSON.stringify(result ?? null).includes('mcp-conform-bogus') &&
        openingOf(fitting) === openingOf(exchange);
      const question = peer.conversation
        .requests({ by: 'subject', method })
        .find(m => m.seq > exchange.request.seq);
      const answer = question && peer.conversation.repliesTo(question)[0];
      expect.that(
        'elicitation.content-validated-by-server',
        !used,
        'an error, or another question',
        [exchange.request, question, answer, exchange.reply],
        'it is used',
      );
    },
  }),

  scenario('server/elicitation/defaults-and-choices', {
    title: 'forms with defaults and choices are well formed',
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
    title: 'a client that declares elicitation without modes is asked by forms only',
    verifies: ['elicitation.undeclared-mode-not-sent', 'elicitation.empty-capability-is-form'],
    fixtures: ['tool test_elicitation_url'],
    async run({ peer, expect }) {
      const exchange = await peer.request('tools/call', { name: 'test_elicitation_url', arguments: {} });
      expect.noViolation('elicitation.undeclared-mode-not-sent', [exchange]);
      expect.noViolation('elicitation.empty-capability-is-form', [exchange]);
    },
  }),

  scenario('server/elicitation/url', {
    title: 'users are sent to a page with a valid URL, each time under an id of its own',
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

  scenario.http('server/elicitation/complete-elsewhere', {
    title: 'that a page has been dealt with is told to the client that was sent there, and to no other',
    verifies: ['elicitation.complete-to-initiator-only'],
    declares: { elicitation: { form: {}, url: {} } },
    fixtures: ['tool test_elicitation_url'],
    async run({ peer, newConversation, expect }) {
      const other = await newConversation();
      await other.open({ capabilities: { elicitation: { form: {}, url: {} } } });
      // by then its stream is open, if it gets one
      await other.barrier();
      await peer.request('tools/call', { name: 'test_elicitation_url', arguments: {} });
      await other.quietWindow();
      const told = (who: typeof peer) =>
        who.conversation.notifications({ by: 'subject', method: 'notifications/elicitation/complete' });
      if (told(peer).length + told(other).length === 0)
        return expect.notObserved('elicitation.complete-to-initiator-only', 'nobody is told');
      const [stray] = told(other);
      expect.that('elicitation.complete-to-initiator-only', !stray, 'no word of it in another session', [
        stray ?? told(peer)[0],
      ]);
    },
  }),

  scenario('server/elicitation/url-required', {
    title: 'a call that waits for a page to be opened is refused with the pages',
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
