/** basic/index#resulttype: results without a type, and with an unknown one. */

import { scenario } from '../../harness/scenario/scenario.js';
import { deliberately, held } from '../../harness/scenario/serve.js';
import type { JsonObject } from '../../spec/json-rpc.js';
import { answerSecondPage } from './parts.js';
import { tool } from './world.js';

/** Only the type is missing: a client that refuses a list without ttlMs says nothing about the type. */
const untyped = { resultType: undefined } as unknown as JsonObject;

export const scenarios = [
  scenario.client('client/result/no-type', {
    title: 'a client treats a result without resultType as complete',
    verifies: ['result.type-absent-complete'],
    era: 'modern',
    serve: { 'tools/list': held },
    does: [['connect'], ['list', 'tools'], ['close']],
    async run({ peer, expect, scripted }) {
      const row = 'result.type-absent-complete';
      const [second, third] = await answerSecondPage(peer, untyped);
      if (!second) return expect.notObserved(row, 'the client requests no further page');
      if (third) expect.noViolation(row, [second.request, third.request]);
      else
        expect.that(row, {
          ok: false,
          expected: 'a request for the next page',
          evidence: [second.request, ...peer.conversation.repliesTo(second.request)],
          actual: scripted ? 'none' : 'none, as after a page with resultType',
        });
    },
  }),

  scenario.client('client/result/unknown-type', {
    title: 'a client does not use a result whose resultType it does not know',
    verifies: ['result.type-unknown-invalid'],
    era: 'modern',
    serve: {
      'tools/list': deliberately(({ cursor }) => {
        if (cursor === undefined) return { tools: [tool('one')], nextCursor: 'second' };
        return cursor === 'second'
          ? { tools: [tool('two')], nextCursor: 'third', resultType: 'x-conformance' }
          : { tools: [] };
      }),
    },
    does: [['connect'], ['list', 'tools'], ['list', 'tools'], ['close']],
    async run({ peer, expect }) {
      const row = 'result.type-unknown-invalid';
      await peer.caseOver();
      const asked = peer.requestsOfCase('tools/list');
      const odd = asked.find(({ request }) => request.params?.cursor === 'second');
      const third = asked.find(({ request }) => request.params?.cursor === 'third');
      if (!odd) return expect.notObserved(row, 'the client requests no further page');
      expect.that(row, {
        ok: third === undefined,
        expected: 'no request with the cursor of the invalid result',
        evidence: [odd, third],
        actual: 'the next page is requested',
      });
    },
  }),
];
