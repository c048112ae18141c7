/** basic/index: requests, notifications, errors. */

import { declares } from '../../harness/record/conversation.js';
import { resultOf } from '../../harness/record/message.js';
import { scenario } from '../../harness/scenario/scenario.js';
import { asText, isObject, type JsonObject } from '../../spec/json-rpc.js';
import { legalIds, wrongEnvelopes } from '../shared/odd-messages.js';
import { probeOf } from '../shared/probe.js';
import { expectRefusal, unknownMethodRows } from '../shared/unknown-method.js';
import { toolCall } from './every-method.js';

/**
 * A request that only a server with the feature serves, and the row that requires the capability to be
 * declared.
 */
const features: readonly {
  readonly capability: string;
  readonly row:
    | 'tools.capability-declared'
    | 'prompts.capability-declared'
    | 'resources.capability-declared'
    | 'base.server-feature-advertised';
  readonly method: string;
  readonly params?: JsonObject;
}[] = [
  { capability: 'tools', row: 'tools.capability-declared', method: 'tools/list' },
  { capability: 'prompts', row: 'prompts.capability-declared', method: 'prompts/list' },
  { capability: 'resources', row: 'resources.capability-declared', method: 'resources/list' },
  {
    capability: 'logging',
    row: 'base.server-feature-advertised',
    method: 'logging/setLevel',
    params: { level: 'info' },
  },
];

export const scenarios = [
  scenario('server/base/unknown-method', {
    title: 'a request with an unknown method gets error -32601',
    verifies: unknownMethodRows,
    async run({ peer, expect }) {
      // constructor: what a JavaScript object with the methods as members inherits
      const unknown = [peer.unused('method'), 'pingx', 'tools/listx', 'constructor'];
      for (const method of unknown)
        expectRefusal(expect, await peer.request(method, undefined, { deliberate: true }));
    },
  }),

  scenario('server/base/unknown-notification', {
    title: 'an unknown notification, or an unexpected notifications/progress, gets no response',
    verifies: ['jsonrpc.notification-not-answered'],
    async run({ peer }) {
      peer.notify(`notifications/${peer.unused('method')}`, { a: 1 }, { deliberate: true });
      peer.notify(peer.unused('method'), undefined, { deliberate: true });
      peer.notify(
        'notifications/progress',
        { progressToken: 'nobody-gave-this', progress: 1 },
        { deliberate: true },
      );
      peer.notify('notifications/progress', {}, { deliberate: true });
      await peer.barrier();
    },
  }),

  scenario('server/base/open-members', {
    title: 'a request with unknown members in params or in _meta gets a result',
    verifies: ['meta.reserved-values-not-assumed', 'base.unknown-params-ignored'],
    async run({ peer, expect, known }) {
      for (const { method, params } of [peer.era.harmless(peer), ...toolCall(known)]) {
        const ask = (more?: JsonObject, meta?: JsonObject) =>
          peer.request(method, more ? { ...params, ...more } : params, meta && { meta });
        const plain = await ask();
        if (!resultOf(plain)) {
          expect.notObserved(
            ['meta.reserved-values-not-assumed', 'base.unknown-params-ignored'],
            `the server does not respond to ${method}`,
          );
          continue;
        }
        // one request for each kind of member: a refusal does not say what it is about
        const reserved = await ask(undefined, {
          'io.modelcontextprotocol/conformance': [1],
          'dev.mcp/x': null,
        });
        const vendor = await ask(undefined, { 'com.example/y': { z: 'é' } });
        const member = await ask({ unknown: { deep: [null] } });
        expect('meta.reserved-values-not-assumed', reserved).result();
        expect('base.unknown-params-ignored', vendor).result();
        expect('base.unknown-params-ignored', member).result();
      }
    },
  }),

  scenario('server/base/extreme-ids', {
    title: 'each response has the id of its request unchanged, in results and in errors',
    verifies: ['jsonrpc.response-id-matches', 'jsonrpc.request-answered-once'],
    async run({ peer }) {
      const pings = legalIds.map(id => peer.harmless(undefined, { id }));
      const long = peer.harmless(undefined, { id: 'long'.repeat(1_000) });
      const unknown = peer.request(peer.unused('method'), undefined, { id: '12', deliberate: true });
      await Promise.all([...pings, long, unknown]);
    },
  }),

  scenario('server/base/same-meaning-other-text', {
    title: 'a request with reordered members, white space and escapes gets a response',
    verifies: ['jsonrpc.request-answered-once'],
    async run({ peer }) {
      const id = () => `text-${peer.nextId()}`;
      const { method, params } = peer.harmlessMessage(0);
      const rest = params === undefined ? '' : `,"params":${JSON.stringify(params)}`;
      const name = asText(method);
      const escaped = `\\u${name.charCodeAt(0).toString(16).padStart(4, '0')}${name.slice(1)}`;
      await Promise.all(
        [
          `{"method":"${name}"${rest},"id":"${id()}","jsonrpc":"2.0"}`,
          ` {\t"jsonrpc" : "2.0" , "id": "${id()}" ,"method":"${name}" ${rest}} `,
          `{"jsonrpc":"\\u0032.0","id":"${id()}","m\\u0065thod":"${escaped}"${rest}}`,
        ].map(text => peer.sendByHand(() => peer.link.send({ text }))),
      );
    },
  }),

  scenario('server/base/several-in-flight', {
    title: 'requests sent together all get a response, in any order',
    verifies: ['jsonrpc.request-answered-once', 'jsonrpc.response-id-matches'],
    async run({ peer }) {
      const together = Array.from({ length: 20 }, (_, n) =>
        peer.harmless(undefined, { id: `together-${n}` }),
      );
      await Promise.all(together);
    },
  }),

  scenario('server/base/wrong-envelope', {
    title: 'JSON with an invalid envelope gets no result, and later requests get a response',
    verifies: ['jsonrpc.invalid-request'],
    isolation: 'destructive',
    async run({ peer, expect }) {
      // a server that does not respond to ping shows nothing here
      if (!(await peer.barrier()))
        return expect.inconclusive(
          'jsonrpc.invalid-request',
          `the server does not respond to ${probeOf(peer)}`,
        );
      const said = [];
      for (const [what, text] of wrongEnvelopes(peer)) {
        const {
          sent,
          alive,
          silenceReason: silence,
          unmatchedReplies: replies,
        } = await peer.sendThenBarrier(text, { trusting: true });
        said.push(sent);
        // -32600 is the expected code; silence on stdio and other codes are common and harmless
        const served = replies.find(r => r.kind === 'result');
        expect.that('jsonrpc.invalid-request', {
          ok: alive && !served,
          expected: `an error or silence for a message with ${what}, then a response to ${probeOf(peer)}`,
          evidence: [sent, served, ...silence.shownBy],
          actual: served ? 'a result' : silence.why,
        });
        if (!alive) return;
      }
      // a server that refuses these messages may have ended the session
      const goesOn = await peer.barrier();
      const { why, shownBy } = peer.liveness.silence();
      const evidence = [...said, peer.conversation.messages.at(-1), ...shownBy];
      expect.that('jsonrpc.invalid-request', {
        ok: goesOn,
        expected: `a response to ${probeOf(peer)} after all of them`,
        evidence,
        actual: why ?? `no response to ${probeOf(peer)}`,
      });
      if (!goesOn) return;
      // other rows judge a server that ends at a request with an unknown method
      const params = { requestId: 'nobody' };
      const { jsonrpc } = peer.harmlessMessage(0);
      const withId = { jsonrpc: jsonrpc!, id: 'wrong-6', method: 'notifications/cancelled', params };
      const { sent } = await peer.sendThenBarrier(JSON.stringify(withId), { trusting: true });
      // the specification does not define the responses to these messages
      const harmless = peer.harmlessMessage('in-an-array');
      for (const message of [
        { ...harmless, id: null },
        { ...harmless, id: 'wrong-4', params: [] },
        [harmless],
      ])
        await peer.sendThenBarrier(JSON.stringify(message), { trusting: true });
      // the response to the notification with an id may come after that to the barrier
      const served = peer.conversation
        .replies({ by: 'subject' })
        .find(r => r.kind === 'result' && r.id === withId.id && r.seq > sent.seq);
      expect.that('jsonrpc.invalid-request', {
        ok: !served,
        expected: 'an error or silence for a notification with an id',
        evidence: [sent, served],
        actual: 'a result',
      });
    },
  }),

  scenario('server/base/undeclared-features', {
    title: 'a request of a feature that is not declared gets no result',
    verifies: [
      'tools.capability-declared',
      'prompts.capability-declared',
      'resources.capability-declared',
      'base.server-feature-advertised',
      'tools.unsupported-calls-protocol-error',
    ],
    async run({ peer, expect }) {
      for (const { capability, row, method, params } of features) {
        if (!peer.vocabulary.requests.client.has(method))
          expect.notObserved(row, `${peer.revision.id} has no ${method}`);
        else if (declares(peer.declared, capability))
          expect.notObserved(row, `the server declares ${capability}`);
        else expect.noViolation(row, [await peer.request(method, params, { deliberate: true })]);
      }
      if (declares(peer.declared, 'tools'))
        return expect.notObserved('tools.unsupported-calls-protocol-error', 'the server declares tools');
      await peer.request('tools/call', { name: peer.unused('tool') }, { deliberate: true });
    },
  }),

  scenario('server/base/undeclared-completion', {
    title: 'completion/complete gets error -32601 when completions are not declared',
    verifies: ['completion.capability-declared', 'completion.unsupported-error'],
    async run({ peer, expect, known }) {
      if (declares(peer.declared, 'completions')) {
        expect.notObserved('completion.capability-declared', 'the server declares completions');
        return expect.notObserved('completion.unsupported-error', 'the server declares completions');
      }
      const ask = (name: string, argument: string) =>
        peer.request(
          'completion/complete',
          { ref: { type: 'ref/prompt', name }, argument: { name: argument, value: '' } },
          { deliberate: true },
        );
      const exchange = await ask('test_simple_prompt', 'a');
      expect.noViolation('completion.capability-declared', [exchange]);
      // a rule judges values of the prompts that the server has
      if (exchange.reply?.kind === 'result')
        for (const { name, arguments: own } of known.prompts.slice(0, 5)) {
          const [first] = Array.isArray(own) ? own.filter(isObject) : [];
          if (first) await ask(asText(name), asText(first.name));
        }
      if (exchange.reply?.kind === 'result')
        return expect.notObserved(
          'completion.unsupported-error',
          'completion/complete gets a result although completions are not declared',
        );
      expect('completion.unsupported-error', exchange).error(-32601);
    },
  }),
];
