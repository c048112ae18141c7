/** basic/patterns/mrtr: results that ask a client for input, and its retries. */

import type { Deferred } from '../../harness/peer/deferred.js';
import type { Peer } from '../../harness/peer/peer.js';
import { declares } from '../../harness/record/conversation.js';
import type { Message } from '../../harness/record/message.js';
import type { Expect } from '../../harness/scenario/expect.js';
import { scenario } from '../../harness/scenario/scenario.js';
import type { Script } from '../../harness/scenario/script.js';
import { held } from '../../harness/scenario/serve.js';
import type { JsonObject } from '../../spec/json-rpc.js';
import { sameJson } from '../rules/derived/results.js';
import { isRetry, repeated } from '../rules/derived/stateless-client.js';
import { call, serve } from './asking.js';
import { heldOrNone, pauseOfRetry } from './parts.js';
import { says, user } from './world.js';

/** States that a client might parse, trim or encode. */
const strangeStates: readonly string[] = [
  '{"round": 1, "admin": false}',
  ' blanks  around, a\ttab and a line\r\nbreak ',
  'quotes " and \\ backslashes',
  'Zürich → 東京 🚉 cafe\u0301',
  'a%20b+c/d==',
  'long'.repeat(4_000),
  // a state too: only its absence means that there is none
  '',
];

/** Keys that are no identifiers of a programming language. */
const strangeKeys = ['plain', 'Plain', 'with.dots', 'with blanks', 'ünïcödé', '0', '__proto__x'];

const username: JsonObject = {
  message: 'Your name?',
  requestedSchema: { type: 'object', properties: { name: { type: 'string' } }, required: ['name'] },
};

/** A question of each kind that the client declares. */
function questions({ declared }: Peer): JsonObject[] {
  const kinds: readonly (readonly [string, JsonObject])[] = [
    ['elicitation', { method: 'elicitation/create', params: username }],
    ['sampling', { method: 'sampling/createMessage', params: { messages: [user('Hello?')], maxTokens: 10 } }],
    ['roots', { method: 'roots/list' }],
  ];
  return kinds.filter(([kind]) => declares(declared, kind)).map(([, question]) => question);
}

/** Answers a request with questions; returns the retry, if the client sends one. */
async function round(
  peer: Peer,
  open: Deferred,
  asks: JsonObject,
  method = 'tools/call',
): Promise<Deferred | undefined> {
  open.answer({ resultType: 'input_required', ...asks });
  return heldOrNone(peer, method);
}

const state = (requestState: string): JsonObject => ({ requestState });

const gaveUp = 'the client did not send the request again';

/**
 * Judges a request that is sent again as it was, after a result that has a state and no question. A script has each request
 * once, so that the client itself retries; without a script, a user may ask again.
 * @returns whether the request has no state
 */
function isBare(
  {
    peer,
    expect,
    scripted,
  }: {
    readonly peer: Peer;
    readonly expect: Pick<Expect<'mrtr.client-echoes-state'>, 'that'>;
    readonly scripted: boolean;
  },
  open: Deferred,
  retry: Deferred,
): boolean {
  const isSame = sameJson(repeated(open.request), repeated(retry.request));
  if (!scripted || !isSame || isRetry(retry.request)) return false;
  const asked = peer.conversation
    .exchanges({ by: 'subject' })
    .find(({ request }) => request === open.request);
  expect.that('mrtr.client-echoes-state', {
    ok: false,
    expected: 'the requestState of the result',
    evidence: [open.request, asked?.reply, retry.request],
    actual: 'the first request again, without requestState',
  });
  return true;
}

/** Both kinds of requests besides calls that may ask. */
const others: readonly (readonly [method: string, script: Script])[] = [
  [
    'prompts/get',
    [
      ['connect'],
      ['list', 'prompts'],
      ['get', 'test_prompt_with_arguments', { arg1: 'a', arg2: 'b' }],
      ['close'],
    ],
  ],
  ['resources/read', [['connect'], ['list', 'resources'], ['read', 'test://static-text'], ['close']]],
];

const rowsOfStates = [
  'mrtr.client-echoes-state',
  'mrtr.client-state-opaque',
  'mrtr.retry-new-id',
  'mrtr.retry-same-request',
  'tools.retry-uses-new-id',
] as const;

const rowsOfOthers = ['mrtr.retry-same-request', 'mrtr.retry-new-id'] as const;

const [, ...otherRowsOfStates] = rowsOfStates;

const noState = 'the client sends the first request again, without the state of the result';

export const scenarios = [
  scenario.client('client/mrtr/states', {
    title: 'a client sends the state of an input-required result back unchanged, whatever its form',
    verifies: rowsOfStates,
    era: 'modern',
    serve,
    does: [['connect'], ['list', 'tools'], ['call', 'add_numbers', { a: 5, b: 3 }], ['close']],
    isolation: 'shared',
    lasts: 2 * pauseOfRetry,
    async run({ peer, expect, scripted }) {
      let open: Deferred | undefined = await peer.nextDeferred('tools/call');
      const [question] = questions(peer);
      for (const [at, requestState] of strangeStates.entries()) {
        // a retry without questions may take a pause; two of them suffice
        const asks = at > 0 && requestState !== '' && question ? { inputRequests: { q: question } } : {};
        const retry = await round(peer, open, { ...asks, requestState });
        if (retry && isBare({ peer, expect, scripted }, open, retry)) {
          retry.answer(says('The sum of 5 and 3 is 8'));
          return expect.notObserved(otherRowsOfStates, noState);
        }
        open = retry;
        if (!open) break;
      }
      if (open) return open.answer(says('The sum of 5 and 3 is 8'));
      // a client may give up at any time, so that nothing is shown
      if (peer.requestsOfCase('tools/call').length < 2) expect.notObserved(rowsOfStates, gaveUp);
    },
  }),

  scenario.client('client/mrtr/all-kinds', {
    title: 'a client answers several questions of one result under their keys',
    verifies: ['mrtr.client-answers-requests', 'mrtr.response-keys'],
    era: 'modern',
    serve,
    does: call(),
    isolation: 'shared',
    async run({ peer, expect }) {
      const rows = ['mrtr.client-answers-requests', 'mrtr.response-keys'] as const;
      const open = await peer.nextDeferred('tools/call');
      const asked = questions(peer);
      const [question] = asked;
      if (!question) return expect.notObserved(rows, 'the client declares no capability to be asked');
      const retry = await round(peer, open, {
        inputRequests: Object.fromEntries(asked.map((one, n) => [`q${n}`, one])),
        requestState: 'all kinds',
      });
      if (!retry) return expect.notObserved(rows, gaveUp);
      const again = await round(peer, retry, {
        inputRequests: Object.fromEntries(strangeKeys.map(key => [key, question])),
        requestState: 'strange keys',
      });
      again?.answer(says('Done.'));
    },
  }),

  scenario.client('client/mrtr/no-state', {
    title: 'a client sends no state where the result has none, and keeps no state of an earlier round',
    verifies: ['mrtr.client-no-invented-state'],
    era: 'modern',
    serve,
    does: call(),
    isolation: 'shared',
    async run({ peer, expect }) {
      const row = 'mrtr.client-no-invented-state';
      const open = await peer.nextDeferred('tools/call');
      const [question] = questions(peer);
      if (!question) return expect.notObserved(row, 'the client declares no capability to be asked');
      const first = await round(peer, open, { inputRequests: { a: question }, requestState: 'round 1' });
      const second = first && (await round(peer, first, { inputRequests: { b: question } }));
      if (!second) return expect.notObserved(row, gaveUp);
      second.answer(says('Done.'));
    },
  }),

  scenario.client('client/mrtr/at-once', {
    title: 'a client keeps the rounds of two calls apart, and other requests free of them',
    verifies: ['mrtr.client-scope'],
    era: 'modern',
    serve: { 'tools/call': held },
    does: [
      ['connect'],
      ['list', 'tools'],
      ['call', 'test_simple_text', {}, { wait: false }],
      ['call', 'add_numbers', { a: 1, b: 2 }, { wait: false }],
      ['list', 'prompts'],
      ['read', 'test://static-text'],
      ['close'],
    ],
    isolation: 'shared',
    lasts: pauseOfRetry,
    async run({ peer, expect }) {
      const row = 'mrtr.client-scope';
      const one = await peer.nextDeferred('tools/call');
      const two = await heldOrNone(peer, 'tools/call');
      const openOnes = [one, ...(two ? [two] : [])];
      for (const [n, open] of openOnes.entries())
        open.answer({ resultType: 'input_required', requestState: `call ${n}` });
      const retries: Message[] = [];
      for (const _ of openOnes) {
        const retry = await heldOrNone(peer, 'tools/call');
        retry?.answer(says('Done.'));
        if (retry) retries.push(retry.request);
      }
      if (retries.length === 0) expect.notObserved(row, gaveUp);
      else expect.noViolation(row, retries);
    },
  }),

  ...others.map(([method, script]) =>
    scenario.client(`client/mrtr/${method.replace('/', '-')}`, {
      title: `a client sends ${method} again after an input-required result`,
      verifies: ['mrtr.client-echoes-state', ...rowsOfOthers],
      era: 'modern',
      serve: { [method]: held },
      does: script,
      lasts: pauseOfRetry,
      async run({ peer, expect, scripted }) {
        const open = await peer.nextDeferred(method);
        const retry = await round(peer, open, state('once more'), method);
        if (!retry) return expect.notObserved(['mrtr.client-echoes-state', ...rowsOfOthers], gaveUp);
        if (isBare({ peer, expect, scripted }, open, retry)) {
          expect.notObserved(rowsOfOthers, noState);
          return retry.release();
        }
        const [question] = questions(peer);
        if (!question) return retry.release();
        const inputRequests = { 'first.key': question, 'second key': question };
        (await round(peer, retry, { inputRequests, ...state('asked') }, method))?.release();
      },
    }),
  ),
];
