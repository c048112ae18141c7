/** basic/index#meta: requests without the metadata that they need, and without capabilities. */

import { NotObserved } from '../../harness/peer/deferred.js';
import type { Peer } from '../../harness/peer/peer.js';
import { declares } from '../../harness/record/conversation.js';
import { envelopeKeys } from '../../harness/record/envelope.js';
import { describeMessage, type Exchange, errorOf, resultOf } from '../../harness/record/message.js';
import { nameIn } from '../../harness/record/mirrored-headers.js';
import { describe, type Expect } from '../../harness/scenario/expect.js';
import { type Known, scenario } from '../../harness/scenario/scenario.js';
import { isObject, type JsonObject, without } from '../../spec/json-rpc.js';
import { late, whyNotModernOnly } from './eras.js';
import { promptAsks, resourceAsks, servedAsks } from './every-method.js';
import { declaredLists } from './lists.js';
import { asksClient, isCompleted, isInputRequired } from './rounds.js';
import { isRateLimited } from './unrelated-refusals.js';

/** Prompts, and resources, that are asked for without capabilities. */
const most = 8;

const inNoCase = { [envelopeKeys.clientCapabilities]: {} };
const capabilities = (...kinds: string[]): JsonObject => ({
  [envelopeKeys.clientCapabilities]: Object.fromEntries(kinds.map(kind => [kind, {}])),
});

/** A request without a required member of its metadata is refused, over HTTP with status 400. */
function refusesIncomplete(
  peer: Peer,
  expect: Expect<'meta.missing-field-rejected' | 'meta.missing-field-http-400'>,
  exchange: Exchange,
  codes: readonly number[],
): void {
  if (isRateLimited(peer, exchange)) return;
  expect('meta.missing-field-rejected', exchange).error(...codes);
  const post = peer.conversation.httpOf(exchange.request);
  if (post) expect('meta.missing-field-http-400', post).status(400);
}

/** A tool of the official suite that needs sampling, and asks nothing. */
const needsSampling = { tool: { name: 'test_missing_capability', arguments: {} }, kind: 'sampling' };

/** The tools that ask the client, or need it, each with the capability that it needs. */
function asking({
  tools,
  toolsByRole,
}: Known): readonly { readonly tool: JsonObject; readonly kind: string }[] {
  const withRole = (['elicitation', 'sampling'] as const).flatMap(kind => {
    const tool = toolsByRole.get(kind);
    return tool ? [{ tool: { name: tool.name, arguments: tool.arguments ?? defaults[kind] }, kind }] : [];
  });
  return tools.some(({ name }) => name === needsSampling.tool.name) ? [...withRole, needsSampling] : withRole;
}

const defaults = { elicitation: { message: 'Who are you?' }, sampling: { prompt: 'Hi' } };

/** The word that names a capability in a text. */
const words: Readonly<Record<string, RegExp>> = { elicitation: /elicit/i, sampling: /sampling/i };

/**
 * Whether a tool cannot do without a capability: it has no other argument, asks a client that has the capability, and its
 * result with isError names the capability.
 */
async function needs(peer: Peer, { tools }: Known, exchange: Exchange, tool: JsonObject, kind: string) {
  const result = resultOf(exchange);
  const schema = tools.find(({ name }) => name === tool.name)?.inputSchema;
  const properties = isObject(schema) && isObject(schema.properties) ? Object.keys(schema.properties) : [];
  const given = isObject(tool.arguments) ? tool.arguments : {};
  if (result?.isError !== true || !properties.every(name => Object.hasOwn(given, name))) return false;
  if (!words[kind]?.test(JSON.stringify(result.content ?? ''))) return false;
  return asksClient(await peer.request('tools/call', tool, { meta: capabilities(kind), once: true }));
}

/** Whether a call fails with the capability as it does without: the server cannot ask at all, or the tool needs something else. */
async function failsAnyway(peer: Peer, exchange: Exchange, tool: JsonObject, kind: string) {
  const code = errorOf(exchange)?.code;
  if (code === undefined || code === -32021) return false;
  const again = await peer.request('tools/call', tool, { meta: capabilities(kind), once: true });
  return errorOf(again)?.code === code;
}

export const scenarios = [
  scenario('server/meta/missing-field', {
    title: 'a request without a required member of its metadata gets error -32602',
    verifies: ['meta.missing-field-rejected', 'meta.missing-field-http-400'],
    era: 'modern',
    ...late,
    async run({ peer, expect, known }) {
      const asks = await servedAsks(peer, known);
      if (asks.length === 0) throw new NotObserved('the server refuses each request');
      const isModernOnly = (await whyNotModernOnly(known)) === undefined;
      const meta = peer.era.dress(peer, {})!._meta as JsonObject;
      const attempts = asks.flatMap(({ method, params }, at) => {
        const send = (rest: JsonObject, ...codes: number[]) => ({
          method,
          params: { ...params, ...rest } as JsonObject | undefined,
          codes,
        });
        const uncapable = send({ _meta: without(meta, envelopeKeys.clientCapabilities) }, -32602);
        // without a version the request is one of an earlier revision; over HTTP the header has nothing to repeat
        if (!isModernOnly) return [uncapable];
        const unversioned = { _meta: without(meta, envelopeKeys.protocolVersion) };
        const others = [send(at % 2 === 0 ? {} : unversioned, -32602, -32020)];
        if (Object.keys(params ?? {}).length === 0 && at % 2 === 0)
          others.push({ method, params: undefined, codes: [-32602, -32020] });
        return [uncapable, ...others];
      });
      const options = { bare: true, deliberate: true };
      await Promise.all(
        attempts.map(async ({ method, params, codes }) =>
          refusesIncomplete(peer, expect, await peer.request(method, params, options), codes),
        ),
      );
    },
  }),

  scenario('server/meta/listen-without-field', {
    title: 'subscriptions/listen without capabilities of the client gets error -32602',
    verifies: ['meta.missing-field-rejected', 'meta.missing-field-http-400'],
    era: 'modern',
    async run({ peer, expect }) {
      const rows = ['meta.missing-field-rejected', 'meta.missing-field-http-400'] as const;
      const filter = { toolsListChanged: true };
      const listening = await peer.listen(filter);
      await listening.stop();
      if (!listening.isAccepted) return expect.notObserved(rows, 'the server refuses the subscription');
      const { _meta: meta } = peer.era.dress(peer, {})!;
      const pending = peer.start(
        'subscriptions/listen',
        { notifications: filter, _meta: without(meta as JsonObject, envelopeKeys.clientCapabilities) },
        { bare: true, deliberate: true, endless: true },
      );
      const first = await peer.expected.ofSubscription(pending.request);
      if (first?.kind === 'error') return refusesIncomplete(peer, expect, await pending.done, [-32602]);
      peer.cancel(pending);
      if (!first) return expect.notObserved(rows, 'the server does not respond to the subscription');
      const expected = 'error -32602';
      const actual = describeMessage(first);
      for (const row of rows)
        expect.that(row, { ok: false, expected, evidence: [pending.request, first], actual });
    },
  }),

  scenario('server/meta/missing-capability', {
    title: 'a tools/call that needs a capability gets error -32021 from a client without it',
    verifies: [
      'meta.missing-capability-error',
      'meta.missing-capability-http-400',
      'mrtr.only-declared-kinds',
      'error-codes.defined-meaning',
    ],
    era: 'modern',
    fixtures: ['role elicitation'],
    async run({ peer, expect, known }) {
      const rows = [
        'meta.missing-capability-error',
        'meta.missing-capability-http-400',
        'error-codes.defined-meaning',
      ] as const;
      let refused = false;
      for (const { tool, kind } of asking(known)) {
        const exchange = await peer.request('tools/call', tool, { meta: inNoCase, once: true });
        expect.noViolation('mrtr.only-declared-kinds', [exchange]);
        // jsonrpc.request-answered-once judges a request without a response
        const isBare = !exchange.reply && peer.conversation.httpOf(exchange.request)?.hasErrorStatus;
        if (!exchange.reply && !isBare) continue;
        // a result with requestState alone asks nothing yet, and needs no capability
        if (isInputRequired(exchange) && !asksClient(exchange)) continue;
        // a tool may do without the capability
        const isDone = resultOf(exchange) && !isInputRequired(exchange);
        if (isDone && !(await needs(peer, known, exchange, tool, kind))) continue;
        if (await failsAnyway(peer, exchange, tool, kind)) continue;
        const error = errorOf(exchange);
        const data = isObject(error?.data) ? error.data.requiredCapabilities : undefined;
        refused ||= error?.code === -32021;
        expect.that('meta.missing-capability-error', {
          ok: error?.code === -32021 && declares(isObject(data) ? data : undefined, kind),
          expected: `error -32021 with requiredCapabilities.${kind}`,
          evidence: [exchange],
          actual: error
            ? JSON.stringify(error)
            : isInputRequired(exchange)
              ? 'a result that asks the client'
              : isBare
                ? 'an HTTP error without a JSON-RPC error'
                : 'a result with isError: true',
        });
      }
      if (refused)
        return expect.noViolation('error-codes.defined-meaning', [peer.conversation.messages.at(-1)]);
      expect.notObserved(rows, 'the tools need no capability');
    },
  }),

  scenario('server/meta/undeclared-questions', {
    title: 'prompts/get and resources/read of a client without capabilities ask for nothing',
    verifies: ['mrtr.only-declared-kinds', 'meta.missing-capability-error'],
    era: 'modern',
    async run({ peer, expect, known }) {
      const [row, refusal] = ['mrtr.only-declared-kinds', 'meta.missing-capability-error'] as const;
      // what a client with all capabilities gets without a question needs none
      const mayAsk = ({ method, params }: { method: string; params: JsonObject }): boolean => {
        const name = nameIn(method, params);
        const before = peer.conversation
          .exchanges({ by: 'peer', method })
          .filter(({ request }) => nameIn(method, request.params) === name);
        return !before.some(isCompleted) || before.some(asksClient);
      };
      const prompts = promptAsks(known).filter(mayAsk);
      const resources = resourceAsks(known).filter(mayAsk);
      const asks = [...prompts.slice(0, most), ...resources.slice(0, most)];
      const needy: Exchange[] = [];
      await Promise.all(
        asks.map(async ({ method, params }) => {
          const exchange = await peer.request(method, params, { meta: inNoCase, once: true });
          const error = errorOf(exchange);
          if (asksClient(exchange)) needy.push(exchange);
          if (!error || isRateLimited(peer, exchange)) return;
          if (!asksClient(await peer.request(method, params, { once: true }))) return;
          needy.push(exchange);
          expect.that(refusal, {
            ok: error.code === -32021 && isObject(error.data) && isObject(error.data.requiredCapabilities),
            expected: 'error -32021 with requiredCapabilities',
            evidence: [exchange],
            actual: JSON.stringify(error),
          });
        }),
      );
      if (needy.length === 0) throw new NotObserved('no prompt and no resource asks the client');
      expect.noViolation(row, needy);
      expect.noViolation(refusal, needy);
    },
  }),

  scenario('server/meta/capability-of-another-request', {
    title:
      'a tools/call without a capability asks for nothing, although an earlier request declared the capability, and one with url mode alone gets no form',
    verifies: ['meta.capability-not-assumed', 'elicitation.undeclared-mode-not-sent'],
    era: 'modern',
    fixtures: ['role elicitation'],
    async run({ peer, expect, tool }) {
      const call = tool('elicitation', defaults.elicitation);
      const ask = (meta: JsonObject) => peer.request('tools/call', call, { meta, once: true });
      const declared = await ask(capabilities('elicitation'));
      const row = 'meta.capability-not-assumed';
      if (!asksClient(declared)) throw new NotObserved('the tool does not ask the client');
      const bare = await ask(inNoCase);
      expect.that(row, {
        ok: !asksClient(bare),
        expected: 'no question',
        evidence: [declared, bare],
        actual: 'elicitation/create',
      });
      const again = await ask(capabilities('elicitation'));
      expect.that(row, {
        ok: asksClient(again),
        expected: 'a question',
        evidence: [bare, again],
        actual: 'none',
      });
      const withUrlAlone = await ask({ [envelopeKeys.clientCapabilities]: { elicitation: { url: {} } } });
      expect.noViolation('elicitation.undeclared-mode-not-sent', [withUrlAlone]);
    },
  }),

  scenario('server/meta/other-client', {
    title: 'server/discover and lists are the same for each name of a client, and without a name',
    verifies: ['meta.self-reported-not-behavioural'],
    era: 'modern',
    async run({ peer, expect }) {
      const row = 'meta.self-reported-not-behavioural';
      const plain = peer.era.dress(peer, {})!._meta as JsonObject;
      // an order that changes from time to time is another defect, and the time to live may count down
      const text = (exchange: Exchange) =>
        JSON.stringify(resultOf(exchange), (key, value) =>
          Array.isArray(value)
            ? value.map(item => JSON.stringify(item)).sort()
            : key === 'ttlMs'
              ? undefined
              : value,
        );
      await Promise.all(
        ['server/discover', ...declaredLists(peer).map(list => list.method)].map(async method => {
          const ask = (info: JsonObject | undefined) => {
            const meta = info
              ? { ...plain, [envelopeKeys.clientInfo]: info }
              : without(plain, envelopeKeys.clientInfo);
            return peer.request(method, { _meta: meta }, { bare: true, deliberate: true });
          };
          const own = await ask({ name: 'mcp-conform', version: '1' });
          const others = [await ask({ name: 'claude-ai', version: '0.1.0' }), await ask(undefined)];
          // a result that changes by itself shows nothing
          if (text(await ask({ name: 'mcp-conform', version: '1' })) !== text(own))
            return expect.notObserved(row, `the result of ${method} changes by itself`);
          for (const other of others)
            if (other.reply)
              expect.that(row, {
                ok: text(other) === text(own),
                expected: 'the same result',
                evidence: [own, other],
                actual: other.reply.kind === 'error' ? describe(other) : 'another one',
              });
            else expect(row, other).result();
        }),
      );
    },
  }),
];
