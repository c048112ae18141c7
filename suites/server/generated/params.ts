/** basic/index: params with unknown members, and params with one defect. */

import fc from 'fast-check';
import { bounded } from '../../../harness/generate/bounded.js';
import { CannotGenerate, generated } from '../../../harness/generate/cannot-generate.js';
import { type Invalid, invalidMessage } from '../../../harness/generate/invalid.js';
import { metaKeys } from '../../../harness/generate/names.js';
import type { Ask } from '../../../harness/generate/requests.js';
import type { Peer } from '../../../harness/peer/peer.js';
import { declares } from '../../../harness/record/conversation.js';
import { type Known, scenario } from '../../../harness/scenario/scenario.js';
import { isObject, type Json, type JsonObject } from '../../../spec/json-rpc.js';
import { whyUnrelated } from '../unrelated-refusals.js';
import { argumentsOf, completable, inherited, isServed, membersOf, plainAsks, texts } from './values.js';

/** Names that have a meaning in the params of some request of some revision. */
const taken = new Set(
  `_meta argument arguments capabilities clientInfo context cursor inputResponses level name notifications
  protocolVersion ref requestState task taskId uri`.split(/\s+/),
);

const strangers = membersOf(
  fc
    .oneof({ withCrossShrink: true }, { weight: 2, arbitrary: texts }, fc.constantFrom(...inherited))
    .filter(name => !taken.has(name)),
);

/** Keys under prefixes that are reserved for MCP, with names to which MCP gives no meaning. */
const reservedKeys = fc
  .tuple(fc.constantFrom('io.modelcontextprotocol/', 'dev.mcp/'), fc.integer({ min: 0, max: 99 }))
  .map(([prefix, number]) => `${prefix}x-${number}`);

const freeKeys = metaKeys.filter(key => key !== 'progressToken');

/** Requests with every optional member, so that each member can be made invalid. */
function fullAsks(peer: Peer, known: Known): Ask[] {
  const [tool] = known.callable;
  const [prompt] = known.prompts;
  const asks: Ask[] = plainAsks(peer, known)
    .filter(({ method }) => method !== peer.era.harmless(peer).method)
    .map(({ method, params }) => ({
      method,
      params: { ...params, ...(method.endsWith('/list') && { cursor: 'x' }) },
    }));
  if (prompt && Object.keys(argumentsOf(prompt)).length === 0)
    asks.push({ method: 'prompts/get', params: { name: prompt.name!, arguments: { x: 'x' } } });
  if (declares(peer.declared, 'tools'))
    asks.push({
      method: 'tools/call',
      params: { name: tool?.name ?? peer.unused('tool'), arguments: tool?.arguments ?? {} },
    });
  if (declares(peer.declared, 'logging') && peer.vocabulary.requests.client.has('logging/setLevel'))
    asks.push({ method: 'logging/setLevel', params: { level: 'info' } });
  for (const { ref } of completable(known).slice(0, declares(peer.declared, 'completions') ? 1 : 0))
    asks.push({
      method: 'completion/complete',
      params: { ref, argument: { name: 'x', value: '' }, context: { arguments: { x: 'x' } } },
    });
  return asks;
}

/** False for changes that the row does not judge: see jsonrpc.invalid-params. */
function isPlain({ label: { path, mutation } }: Invalid): boolean {
  if (path === '/params') return mutation === 'required member dropped';
  if (/^\/params\/(_meta|task)(\/|$)/.test(path)) return false;
  if (mutation.startsWith('type changed'))
    return / to (array|object)$/.test(mutation) || / from (array|object) to /.test(mutation);
  // another row judges unknown levels
  return /^(required|constant)/.test(mutation);
}

interface Spoilt {
  readonly method: string;
  readonly params: JsonObject | undefined;
  readonly what: string;
}

function spoilt(peer: Peer, { method, params: plain }: Ask): fc.Arbitrary<Spoilt> {
  const params = peer.era.dress(peer, plain);
  // metadata that is missing is added again
  const hasMetadata = (value: Json) =>
    params?._meta === undefined ||
    (isObject(value) && isObject(value.params) && value.params._meta !== undefined);
  return bounded(
    invalidMessage(peer.revision, method, {
      below: '/params',
      of: fc.constant({ jsonrpc: '2.0', id: 0, method, ...(params && { params }) }),
    }),
    invalid => isPlain(invalid) && hasMetadata(invalid.value),
    () => new CannotGenerate(method, 'schema', 'no single change makes the params invalid'),
  ).map(({ value, label }) => {
    const spoiltParams = (value as JsonObject).params;
    return {
      method,
      params: isObject(spoiltParams) ? spoiltParams : undefined,
      what: `${label.definition}${label.path.slice('/params'.length)}: ${label.mutation}`,
    };
  });
}

/**
 * The response to a request with additional params; undefined when the request is not served without them
 * either.
 */
const askedWith = async (peer: Peer, ask: Ask, more: JsonObject) =>
  (await isServed(peer, ask)) ? peer.request(ask.method, { ...ask.params, ...more }) : undefined;

export const scenarios = [
  scenario('server/generated/params/unknown-members', {
    title: 'a request with unknown members in params gets a result',
    verifies: ['base.unknown-params-ignored'],
    generated: true,
    async run({ peer, known, property }) {
      const asks = fc.constantFrom(...plainAsks(peer, known));
      await property(
        fc.record({ ask: asks, members: strangers }, { noNullPrototype: true }),
        async ({ ask, members }, { peer, expect }) => {
          const odd = await askedWith(peer, ask, members);
          if (odd) expect('base.unknown-params-ignored', odd).result();
          else
            expect.notObserved(
              'base.unknown-params-ignored',
              'the server does not serve the same request without these members either',
            );
        },
      );
    },
  }),

  scenario('server/generated/params/unknown-metadata', {
    title: 'a request with unknown keys in _meta gets a result',
    verifies: ['base.unknown-params-ignored', 'meta.reserved-values-not-assumed'],
    generated: true,
    async run({ peer, known, property }) {
      const asks = fc.constantFrom(...plainAsks(peer, known));
      await property(
        fc.record(
          { ask: asks, reserved: membersOf(reservedKeys), free: membersOf(freeKeys) },
          { noNullPrototype: true },
        ),
        async ({ ask, reserved, free }, { peer, expect }) => {
          for (const [row, meta] of [
            ['meta.reserved-values-not-assumed', reserved],
            ['base.unknown-params-ignored', free],
          ] as const) {
            const odd = await askedWith(peer, ask, { _meta: meta });
            if (odd) expect(row, odd).result();
            else
              expect.notObserved(
                row,
                'the server does not serve the same request without these members either',
              );
          }
        },
      );
    },
  }),

  scenario('server/generated/params/one-step-invalid', {
    title: 'a request with one defect in its params is refused as invalid, and the server stays usable',
    verifies: ['jsonrpc.invalid-params'],
    generated: true,
    async run({ peer, known, expect, property }) {
      const asks = fullAsks(peer, known);
      const values = asks.flatMap(ask => generated(() => spoilt(peer, ask)));
      if (values.length === 0)
        return expect.notObserved(
          'jsonrpc.invalid-params',
          'no request of this server has params that can be made invalid',
        );
      await property(
        fc.oneof(...values),
        async ({ method, params }, { peer, expect }) => {
          const exchange = await peer.request(method, params, { deliberate: true });
          const unrelated = whyUnrelated(peer, exchange);
          if (unrelated !== undefined) return expect.notObserved('jsonrpc.invalid-params', unrelated);
          // without a name in the body, a header that repeats the name is missing
          const mismatch = peer.conversation.isStateless && peer.link.http ? [-32020] : [];
          expect('jsonrpc.invalid-params', exchange).error(-32602, -32600, ...mismatch);
        },
        { label: ({ what }) => what },
      );
    },
  }),
];
