/** basic/transports#streamable-http: equivalent forms of the same HTTP requests. */

import fc from 'fast-check';
import type { Ask } from '../../../harness/generate/requests.js';
import { sequence } from '../../../harness/generate/sequence.js';
import type { Peer } from '../../../harness/peer/peer.js';
import { type Exchange, resultOf } from '../../../harness/record/message.js';
import { describe, type Expectation } from '../../../harness/scenario/expect.js';
import { type HttpContext, scenario } from '../../../harness/scenario/scenario.js';
import type { HttpAsk } from '../../../harness/transports/link.js';
import { cuts, isServed, piecesOf, plainAsks, requestOf, texts } from './values.js';

/** The letter case of a name. */
const letters = {
  'as usual': (name: string) => name,
  lower: (name: string) => name.toLowerCase(),
  upper: (name: string) => name.toUpperCase(),
  mixed: (name: string) =>
    name.replace(/./g, (letter, at: number) => (at % 2 ? letter.toUpperCase() : letter.toLowerCase())),
};
const anyLetters = fc.constantFrom(...(Object.keys(letters) as (keyof typeof letters)[]));

const weights = fc.constantFrom('', ';q=1', ';q=0.9', '; q=0.5', ' ; q=0.001');

/** Both media types, in either order, with weights, and with white space where lists allow it. */
const accept = fc
  .tuple(
    fc.constantFrom(['application/json', 'text/event-stream'], ['text/event-stream', 'application/json']),
    fc.tuple(weights, weights),
    fc.constantFrom(', ', ',', ' , ', ',\t'),
  )
  .map(([types, marks, comma]) => types.map((type, at) => type + marks[at]).join(comma));

const parameters = fc.constantFrom(
  ...['', ';charset=utf-8', '; charset=UTF-8', '; Charset="utf-8"', ' ; charset=utf-8'],
);

interface Written {
  /** The headers of the harness, in this order. */
  readonly names: readonly string[];
  readonly letters: keyof typeof letters;
  /** White space before and after each value. */
  readonly space: '' | ' ' | '\t' | '  ';
  readonly accept: string;
}

const own = ['Accept', 'Content-Type', 'Mcp-Session-Id', 'MCP-Protocol-Version'];

const written: fc.Arbitrary<Written> = fc.record(
  {
    names: fc.oneof(
      { withCrossShrink: true },
      fc.constant(own),
      fc.shuffledSubarray(own, { minLength: own.length }),
    ),
    letters: anyLetters,
    space: fc.constantFrom('', ' ', '\t', '  '),
    accept,
  },
  { noNullPrototype: true },
);

/** The headers of a conformant client of this session, in an equivalent form. */
function headersOf({ peer, http }: Pick<HttpContext, 'peer' | 'http'>, how: Written): HttpAsk['headers'] {
  const asked = peer.conversation.http().findLast(e => e.request?.method === 'POST' && !e.request.deliberate);
  const values: Record<string, string | undefined> = {
    Accept: how.accept,
    'Content-Type': 'application/json',
    'Mcp-Session-Id': http.sessionId,
    'MCP-Protocol-Version': asked?.requestHeader('mcp-protocol-version')?.trim(),
  };
  return Object.fromEntries(
    how.names.flatMap(name => {
      const value = values[name];
      return value === undefined ? [] : [[letters[how.letters](name), how.space + value + how.space]];
    }),
  );
}

/**
 * Sends an HTTP request by hand, as a conformant client may; undefined when the plain form is not served
 * either.
 */
async function asked(
  { peer, http }: Pick<HttpContext, 'peer' | 'http'>,
  ask: Ask,
  how: (text: string) => HttpAsk,
  id?: string,
): Promise<Exchange | undefined> {
  if (!(await isServed(peer, ask))) return undefined;
  const via = (text: string) => void http.send({ body: text, polite: true, ...how(text) });
  return peer.startMessage(requestOf(peer, ask, id), { via }).done;
}

/** Expects a result; otherwise shows the status and the error in the HTTP response, whatever the id of the error. */
const aResult = (peer: Peer, exchange: Exchange): Expectation => {
  const post = peer.conversation.httpOf(exchange.request);
  const error = post?.received.find(({ kind }) => kind === 'error');
  const outcome = post?.outcome ?? 'nothing';
  return {
    ok: resultOf(exchange) !== undefined,
    expected: 'a result',
    evidence: [exchange, post, error],
    actual: error ? `${outcome}, ${describe({ ...exchange, reply: error })}` : outcome,
  };
};

const row = 'streamable-http.read-as-http';

export const scenarios = [
  scenario.http('server/generated/http/headers', {
    title: 'a request with headers in other letter case and order, with weights and spaces, gets a result',
    verifies: [row],
    isolation: 'shared',
    generated: true,
    async run({ property }) {
      await property(written, async (how, { peer, http, expect }) => {
        const exchange = await asked({ peer, http }, peer.era.harmless(peer), () => ({
          headers: headersOf({ peer, http }, how) ?? {},
        }));
        if (!exchange) return expect.notObserved(row, 'the server does not serve the plain form either');
        expect.that(row, aResult(peer, exchange));
      });
    },
  }),

  scenario.http('server/generated/http/media-types', {
    title: 'a request with media types in other letter case, and with parameters, gets a result',
    verifies: ['streamable-http.media-types-read-as-http'],
    isolation: 'shared',
    generated: true,
    async run({ property }) {
      await property(
        fc.record({ letters: anyLetters, parameters, accept: anyLetters }, { noNullPrototype: true }),
        async ({ letters: ofType, parameters, accept }, { peer, http, expect }) => {
          const exchange = await asked({ peer, http }, peer.era.harmless(peer), () => ({
            headers: {
              'Content-Type': letters[ofType]('application/json') + parameters,
              Accept: letters[accept]('application/json, text/event-stream'),
            },
          }));
          const row = 'streamable-http.media-types-read-as-http';
          if (!exchange) return expect.notObserved(row, 'the server does not serve the plain form either');
          expect.that(row, aResult(peer, exchange));
        },
      );
    },
  }),

  scenario.http('server/generated/http/pieces', {
    title: 'a request with a body in pieces gets a result',
    verifies: [row, 'jsonrpc.response-id-matches'],
    isolation: 'shared',
    generated: true,
    async run({ peer, known, property }) {
      const ask = fc.constantFrom(...plainAsks(peer, known));
      const asks = sequence(fc.record({ ask, id: texts }, { noNullPrototype: true }), 4);
      await property(
        fc.record({ asks, cuts }, { noNullPrototype: true }),
        async ({ asks, cuts }, { peer, http, expect }) => {
          for (const { ask, id } of asks) {
            const pieces = (text: string) => ({ pieces: piecesOf(text, cuts) });
            const exchange = await asked({ peer, http }, ask, pieces, id);
            if (exchange) expect.that(row, aResult(peer, exchange));
            else expect.notObserved(row, 'the server does not serve the body in one piece either');
          }
        },
      );
    },
  }),
];
