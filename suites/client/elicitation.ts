/** client/elicitation: forms, and pages to open. */

import type { Peer } from '../../harness/peer/peer.js';
import { declares } from '../../harness/record/conversation.js';
import { type Exchange, resultOf } from '../../harness/record/message.js';
import type { ClientContext } from '../../harness/scenario/client.js';
import { scenario } from '../../harness/scenario/scenario.js';
import { asText, type Json, type JsonObject } from '../../spec/json-rpc.js';
import { call, insist, isGivenUp, serve } from './asking.js';
import { says } from './world.js';

const method = 'elicitation/create';

const form = (properties: JsonObject, required: readonly string[] = []): JsonObject => ({
  message: 'Please fill in the form.',
  requestedSchema: { type: 'object', properties, ...(required.length > 0 && { required: [...required] }) },
});

const username = form({ username: { type: 'string' } }, ['username']);

const contact = form(
  {
    name: { type: 'string', title: 'Name', minLength: 2, maxLength: 40 },
    email: { type: 'string', format: 'email' },
    age: { type: 'integer', minimum: 18, maximum: 120 },
    share: { type: 'number', minimum: 0, maximum: 1 },
    colour: { type: 'string', enum: ['red', 'green', 'blue'] },
    size: { type: 'string', enum: ['s', 'l'], enumNames: ['Small', 'Large'] },
    newsletter: { type: 'boolean' },
  },
  ['name', 'age', 'share', 'colour', 'size', 'newsletter'],
);

/** Titled choices, and choices of several values. */
const choices = form(
  {
    plan: {
      type: 'string',
      oneOf: [
        { const: 'plan-a', title: 'Small' },
        { const: 'plan-b', title: 'Large' },
      ],
    },
    days: { type: 'array', minItems: 1, maxItems: 2, items: { type: 'string', enum: ['mon', 'tue', 'wed'] } },
    rooms: {
      type: 'array',
      minItems: 1,
      items: {
        anyOf: [
          { const: 'r1', title: 'First floor' },
          { const: 'r2', title: 'Second floor' },
        ],
      },
    },
  },
  ['plan', 'days', 'rooms'],
);

const actionOf = (exchange: Exchange): Json | undefined => resultOf(exchange)?.action;

const completed = 'notifications/elicitation/complete';

/** @param elicitationId only where the revision has such ids */
const page = ({ vocabulary }: Peer, url: string, elicitationId = 'elicitation-1'): JsonObject => ({
  mode: 'url',
  message: 'Please open the page.',
  url,
  ...(vocabulary.notifications.server.has(completed) && { elicitationId }),
});

const refusals = ['elicitation.action-three-way', 'elicitation.ui-decline-and-cancel'] as const;

/** What a client does instead of a response that declines, in a revision with questions in results. */
const givenUp = 'the client does not send the request again';

/** Sends a form to a client whose user refuses in one of the two ways. @returns the action in the response, or `givenUp` */
async function refused(
  { peer, expect, scripted }: ClientContext<(typeof refusals)[number]>,
  way: 'decline' | 'cancel',
): Promise<Json | undefined> {
  await peer.nextDeferred('tools/call');
  insist(peer, 'elicitation');
  const answer = await peer.request(method, username);
  const action = actionOf(answer);
  // a user of a revision with questions in results may give up instead
  if (isGivenUp(peer, method, answer)) {
    expect.notObserved(refusals, givenUp);
    return givenUp;
  }
  for (const id of refusals)
    if (action === way) expect.noViolation(id, [answer]);
    else if (!scripted) expect.notObserved(id, `the user did not choose to ${way}`);
    else
      expect.that(id, {
        ok: false,
        expected: `action ${way}`,
        evidence: [answer],
        actual: JSON.stringify(action),
      });
  return action;
}

export const scenarios = [
  scenario.client('client/elicitation/form', {
    title: 'a client responds to a form with content that fits the form',
    verifies: [
      'elicitation.capability-declared',
      'elicitation.accept-content-matches',
      'elicitation.omitted-mode-is-form',
      'elicitation.one-mode-at-least',
    ],
    serve,
    does: call(),
    isolation: 'shared',
    async run({ peer, expect }) {
      await peer.nextDeferred('tools/call');
      insist(peer, 'elicitation');
      const forms = [await peer.request(method, username), await peer.request(method, contact)];
      if (peer.declared?.elicitation && peer.vocabulary.definitions.has('ElicitRequestURLParams'))
        forms.push(await peer.request(method, { mode: 'form', ...choices }));
      if (!forms.some(exchange => actionOf(exchange) === 'accept'))
        expect.notObserved('elicitation.accept-content-matches', 'the client accepts no form');
    },
  }),

  scenario.client('client/elicitation/not-declared', {
    title: 'a client that declares no elicitation accepts no form',
    verifies: ['elicitation.capability-declared'],
    serve,
    does: call([], { declare: [] }),
    isolation: 'shared',
    lasts: 100,
    async run({ peer, expect }) {
      await peer.nextDeferred('tools/call');
      insist(peer, 'elicitation', false);
      const refused = await peer.request(method, username, { deliberate: true });
      if (!refused.reply) expect.noViolation('elicitation.capability-declared', [refused]);
    },
  }),

  scenario.client('client/elicitation/declined', {
    title: 'a client whose user declines a form sends action decline without content',
    verifies: [...refusals, 'elicitation.refusal-without-content'],
    serve,
    does: call([['answer', method, 'decline']]),
    isolation: 'shared',
    async run(context) {
      const row = 'elicitation.refusal-without-content';
      const action = await refused(context, 'decline');
      if (action === givenUp) context.expect.notObserved(row, givenUp);
      else if (action !== 'decline' && action !== 'cancel')
        context.expect.notObserved(row, 'the client accepts the form');
    },
  }),

  scenario.client('client/elicitation/dismissed', {
    title: 'a client whose user dismisses a form sends action cancel without content',
    verifies: refusals,
    serve,
    does: call([['answer', method, 'cancel']]),
    isolation: 'shared',
    async run(context) {
      await refused(context, 'cancel');
    },
  }),

  scenario.client('client/elicitation/wrong-entry', {
    title: 'a client does not send invalid content that its user entered',
    verifies: ['elicitation.content-validated-by-client'],
    serve,
    does: call([['answer', method, 'accept', { name: 7, age: 'seven', colour: 'mauve' }]]),
    isolation: 'shared',
    async run({ peer, expect, scripted }) {
      await peer.nextDeferred('tools/call');
      insist(peer, 'elicitation');
      if (!scripted)
        return expect.notObserved(
          'elicitation.content-validated-by-client',
          'the client follows no script, so the user entered no invalid content',
        );
      const words = form(
        {
          name: { type: 'string' },
          age: { type: 'integer' },
          colour: { type: 'string', enum: ['red', 'blue'] },
        },
        ['name', 'age', 'colour'],
      );
      // an error is as valid as another form for the user: the outcome of the form is not judged here
      const answer = await peer.request(method, words, { deliberate: true });
      const { action, content } = resultOf(answer) ?? {};
      const sent = action === 'accept' && JSON.stringify(content)?.includes('mauve');
      expect.that('elicitation.content-validated-by-client', {
        ok: !sent,
        expected: 'no invalid content',
        evidence: [answer],
        actual: JSON.stringify(content),
      });
    },
  }),

  scenario.client('client/elicitation/defaults', {
    title: 'a client that fills in one default fills in all defaults',
    verifies: ['elicitation.defaults-prefilled'],
    serve: {
      'tools/list': () => ({ tools: [defaultsTool] }),
      'tools/call': serve['tools/call']!,
    },
    does: [['connect'], ['list', 'tools'], ['call', 'test_client_elicitation_defaults'], ['close']],
    isolation: 'shared',
    official: 'elicitation-sep1034-client-defaults',
    async run({ peer, expect }) {
      const asking = await peer.nextDeferred('tools/call');
      insist(peer, 'elicitation');
      const answer = await peer.request(method, form(withDefaults));
      // the ordinary response is an error, because only this scenario has the tool
      asking.answer(says('Done.'));
      const { content } = resultOf(answer) ?? {};
      const given = content as JsonObject | undefined;
      const taken = Object.entries(withDefaults).map(
        ([name, property]) =>
          // a value of another type is judged by elicitation.accept-content-matches
          asText(given?.[name]) === asText((property as JsonObject).default),
      );
      // support for defaults is not declared: a client without it conforms too
      if (!taken.includes(true))
        return expect.notObserved('elicitation.defaults-prefilled', 'the client fills in no default');
      expect.that('elicitation.defaults-prefilled', {
        ok: !taken.includes(false),
        expected: JSON.stringify(
          Object.fromEntries(Object.entries(withDefaults).map(([n, p]) => [n, (p as JsonObject).default!])),
        ),
        evidence: [answer],
        actual: JSON.stringify(given),
      });
    },
  }),

  scenario.client('client/elicitation/undeclared-mode', {
    title: 'a client refuses an elicitation mode that it has not declared',
    verifies: ['elicitation.undeclared-mode-error'],
    serve,
    does: call([], { without: ['elicitation.url'] }),
    async run({ peer }) {
      await peer.nextDeferred('tools/call');
      insist(peer, 'elicitation');
      insist(peer, 'elicitation.url', false);
      await peer.request(method, page(peer, 'https://example.com/connect'), { deliberate: true });
    },
  }),

  scenario.client('client/elicitation/page-only', {
    title: 'a client that has declared only the elicitation mode url refuses a form',
    verifies: ['elicitation.undeclared-mode-error'],
    serve,
    does: call([], { without: ['elicitation.form'] }),
    async run({ peer, expect }) {
      await peer.nextDeferred('tools/call');
      // a client that declares both modes, or forms only, is judged in other cases
      if (!declares(peer.declared, 'elicitation.url') || declares(peer.declared, 'elicitation.form'))
        return expect.notObserved(
          'elicitation.undeclared-mode-error',
          'the client does not declare the mode url alone',
        );
      await peer.request(method, { mode: 'form', ...username }, { deliberate: true });
    },
  }),

  scenario.client('client/elicitation/form-only', {
    title: 'a client that declares elicitation without modes responds to forms',
    verifies: ['elicitation.empty-capability-is-form'],
    serve,
    does: call([], { without: ['elicitation.url', 'elicitation.form'] }),
    async run({ peer }) {
      await peer.nextDeferred('tools/call');
      insist(peer, 'elicitation');
      insist(peer, 'elicitation.form', false);
      insist(peer, 'elicitation.url', false);
      await peer.request(method, { mode: 'form', ...username });
    },
  }),

  scenario.client('client/elicitation/page', {
    title:
      'a client accepts a page without content, whatever its elicitationId, and ignores completions of unknown pages',
    verifies: [
      'elicitation.declared-url-supported',
      'elicitation.url-accept-without-content',
      'elicitation.id-opaque',
      'elicitation.complete-unknown-ignored',
    ],
    serve,
    does: call(),
    isolation: 'shared',
    async run({ peer, expect }) {
      await peer.nextDeferred('tools/call');
      insist(peer, 'elicitation.url');
      const ids = ['elicitation-1', ' ', 'ünïcödé 日本 🎫', 'https://example.com/?a=b#c', 'x'.repeat(2_000)];
      const answers: Exchange[] = [];
      for (const id of ids)
        answers.push(await peer.request(method, page(peer, 'https://example.com/connect', id)));
      const [plain, ...odd] = answers;
      for (const exchange of odd)
        if (actionOf(plain!) === undefined)
          expect.notObserved('elicitation.id-opaque', 'the client responds to no page with an action');
        else
          expect.that('elicitation.id-opaque', {
            ok: actionOf(exchange) === actionOf(plain!),
            expected: `action ${asText(actionOf(plain!))}`,
            evidence: [exchange],
            actual: JSON.stringify(actionOf(exchange) ?? exchange.reply?.json),
          });
      if (!answers.some(exchange => actionOf(exchange) === 'accept'))
        expect.notObserved('elicitation.url-accept-without-content', 'the client accepts no page');
      if (!peer.vocabulary.notifications.server.has(completed)) return;
      const tell = (elicitationId: string, deliberate = false) =>
        peer.notify(completed, { elicitationId }, { deliberate })[0];
      tell('elicitation-1');
      tell('elicitation-1');
      const unknown = tell('never-heard-of', true);
      await peer.barrier();
      expect.that('elicitation.complete-unknown-ignored', {
        ok: !peer.ended,
        expected: 'the connection continues',
        evidence: [unknown],
        actual: 'the connection has ended',
      });
    },
  }),

  scenario.client.http('client/elicitation/page-left-alone', {
    title: 'a client whose user declines does not open the page',
    verifies: ['elicitation.url-not-prefetched', 'elicitation.url-not-opened-without-consent'],
    serve,
    does: call([['answer', method, 'decline']]),
    isolation: 'shared',
    async run({ peer, http, expect }) {
      await peer.nextDeferred('tools/call');
      insist(peer, 'elicitation.url');
      const answer = await peer.request(method, page(peer, `${http.origin}/consent/left-alone`));
      await peer.quietWindow();
      if (isGivenUp(peer, method, answer))
        expect.notObserved(
          ['elicitation.url-not-prefetched', 'elicitation.url-not-opened-without-consent'],
          givenUp,
        );
      if (actionOf(answer) === 'accept')
        expect.notObserved('elicitation.url-not-opened-without-consent', 'the client accepts the page');
    },
  }),
];

const withDefaults: JsonObject = {
  name: { type: 'string', default: 'John Doe' },
  age: { type: 'integer', default: 30 },
  score: { type: 'number', default: 95.5 },
  status: { type: 'string', enum: ['active', 'inactive', 'pending'], default: 'active' },
  verified: { type: 'boolean', default: true },
  days: {
    type: 'array',
    items: { type: 'string', enum: ['mon', 'tue', 'wed'] },
    default: ['mon', 'tue'],
  },
};

const defaultsTool: JsonObject = {
  name: 'test_client_elicitation_defaults',
  description: 'Asks for a form with defaults.',
  inputSchema: { type: 'object', properties: {} },
};
