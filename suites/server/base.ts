/** basic/index: requests, notifications, errors. */

import { declares } from '../../harness/record/conversation.js';
import { resultOf } from '../../harness/record/message.js';
import { scenario } from '../../harness/scenario/scenario.js';
import type { JsonObject, RequestId } from '../../spec/json-rpc.js';

/** JSON that has no right to a result, because its envelope is wrong. The ids are used nowhere else. */
export const wrongEnvelopes: readonly [what: string, text: string][] = [
  ['no "jsonrpc"', '{"id":"wrong-1","method":"ping"}'],
  ['"jsonrpc" of another version', '{"jsonrpc":"1.0","id":"wrong-2","method":"ping"}'],
  ['a numeric method', '{"jsonrpc":"2.0","id":"wrong-3","method":7}'],
  ['an object as id', '{"jsonrpc":"2.0","id":{"wrong":4},"method":"ping"}'],
  ['a list as id', '{"jsonrpc":"2.0","id":["wrong-5"],"method":"ping"}'],
  ['neither method nor result', '{"jsonrpc":"2.0"}'],
  ['a bare string', '"ping"'],
];

/** What shows that a server has a feature, and the row that obliges it to say so. */
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

/** Every one of them legal. */
export const legalIds: readonly RequestId[] = [
  0,
  '',
  '0',
  -1,
  '-1',
  Number.MAX_SAFE_INTEGER,
  '9007199254740991',
  '1e3',
  'null',
  '\u2028 é漢🎉',
];

export const scenarios = [
  scenario('server/base/unknown-method', {
    title: 'a request with an unknown method is answered with method not found',
    verifies: ['jsonrpc.method-not-found'],
    async run({ peer, expect }) {
      const unknown = [peer.unused('method'), 'pingx', 'tools/listx'];
      for (const method of unknown) {
        const exchange = await peer.request(method, undefined, { deliberate: true });
        expect('jsonrpc.method-not-found', exchange).error(-32601);
      }
    },
  }),

  scenario('server/base/unknown-notification', {
    title: 'an unknown notification, or one for another feature, draws no answer',
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
    title: 'members and metadata that nobody knows change nothing',
    verifies: ['ping.answered-empty', 'meta.reserved-values-not-assumed'],
    async run({ peer, expect }) {
      const meta = {
        'io.modelcontextprotocol/conformance': [1],
        'dev.mcp/x': null,
        'com.example/y': { z: 'é' },
      };
      const plain = await peer.request('ping');
      const ping = await peer.request('ping', { unknown: { deep: [null] } }, { meta });
      if (!resultOf(plain))
        return expect.notObserved('meta.reserved-values-not-assumed', 'no ping is answered');
      expect('meta.reserved-values-not-assumed', ping).result();
    },
  }),

  scenario('server/base/extreme-ids', {
    title: 'every legal id comes back as it was sent, on results and on errors',
    verifies: ['jsonrpc.response-id-matches', 'jsonrpc.request-answered-once'],
    async run({ peer }) {
      const pings = legalIds.map(id => peer.request('ping', undefined, { id }));
      const long = peer.request('ping', undefined, { id: 'long'.repeat(1_000) });
      const unknown = peer.request(peer.unused('method'), undefined, { id: '12', deliberate: true });
      await Promise.all([...pings, long, unknown]);
    },
  }),

  scenario('server/base/same-meaning-other-text', {
    title: 'order of members, white space and escapes make no difference',
    verifies: ['jsonrpc.request-answered-once'],
    async run({ peer }) {
      const id = () => `text-${peer.nextId()}`;
      await Promise.all([
        peer.sendByHand(() => peer.link.send({ text: `{"method":"ping","id":"${id()}","jsonrpc":"2.0"}` })),
        peer.sendByHand(() =>
          peer.link.send({ text: ` {\t"jsonrpc" : "2.0" , "id": "${id()}" ,"method":"ping" } ` }),
        ),
        peer.sendByHand(() =>
          peer.link.send({ text: `{"jsonrpc":"\\u0032.0","id":"${id()}","m\\u0065thod":"\\u0070ing"}` }),
        ),
      ]);
    },
  }),

  scenario('server/base/several-in-flight', {
    title: 'requests sent together are all answered, in any order',
    verifies: ['jsonrpc.request-answered-once', 'jsonrpc.response-id-matches'],
    async run({ peer }) {
      const together = Array.from({ length: 20 }, (_, n) =>
        peer.request('ping', undefined, { id: `together-${n}` }),
      );
      await Promise.all(together);
    },
  }),

  scenario('server/base/wrong-envelope', {
    title: 'JSON that is no message gets no result, and the conversation goes on',
    verifies: ['jsonrpc.invalid-request'],
    isolation: 'destructive',
    async run({ peer, expect }) {
      // one more that is not answered shows nothing
      if (!(await peer.barrier()))
        return expect.inconclusive('jsonrpc.invalid-request', 'no ping is answered');
      const said = [];
      for (const [what, text] of wrongEnvelopes) {
        const {
          sent,
          alive,
          silenceReason: silence,
          unmatchedReplies: replies,
        } = await peer.sendThenBarrier(text, { trusting: true });
        said.push(sent);
        // -32600 is right; silence on stdio and other codes are common and hurt nobody
        const served = replies.find(r => r.kind === 'result');
        expect.that(
          'jsonrpc.invalid-request',
          alive && !served,
          `no result for ${what}, and then a pong`,
          [sent, served, ...silence.shownBy],
          served ? 'a result' : silence.why,
        );
        if (!alive) return;
      }
      // who refuses them may have ended the session all the same
      const goesOn = await peer.barrier();
      const { why, shownBy } = peer.silence();
      const evidence = [...said, peer.conversation.messages.at(-1), ...shownBy];
      expect.that('jsonrpc.invalid-request', goesOn, 'a pong after all of them', evidence, why ?? 'no pong');
      if (!goesOn) return;
      // what is answered to these is not specified at all
      await peer.sendThenBarrier('{"jsonrpc":"2.0","id":null,"method":"ping"}', { trusting: true });
      await peer.sendThenBarrier('{"jsonrpc":"2.0","id":"wrong-4","method":"ping","params":[]}', {
        trusting: true,
      });
      await peer.sendThenBarrier('[{"jsonrpc":"2.0","id":"in-an-array","method":"ping"}]', {
        trusting: true,
      });
    },
  }),

  scenario('server/base/undeclared-features', {
    title: 'a feature that was not declared is not served',
    verifies: [
      'tools.capability-declared',
      'prompts.capability-declared',
      'resources.capability-declared',
      'base.server-feature-advertised',
      'tools.unsupported-calls-protocol-error',
    ],
    async run({ peer, expect }) {
      for (const { capability, row, method, params } of features) {
        if (declares(peer.declared, capability)) expect.notObserved(row, `${capability} is declared`);
        else expect.noViolation(row, [await peer.request(method, params, { deliberate: true })]);
      }
      if (declares(peer.declared, 'tools'))
        return expect.notObserved('tools.unsupported-calls-protocol-error', 'tools are declared');
      await peer.request('tools/call', { name: peer.unused('tool') }, { deliberate: true });
    },
  }),

  scenario('server/base/undeclared-completion', {
    title: 'completion that was not declared is an unknown method',
    verifies: ['completion.capability-declared', 'completion.unsupported-error'],
    async run({ peer, expect }) {
      if (declares(peer.declared, 'completions')) {
        expect.notObserved('completion.capability-declared', 'completion is declared');
        return expect.notObserved('completion.unsupported-error', 'completion is declared');
      }
      const params = {
        ref: { type: 'ref/prompt', name: 'test_simple_prompt' },
        argument: { name: 'a', value: '' },
      };
      const exchange = await peer.request('completion/complete', params, { deliberate: true });
      expect.noViolation('completion.capability-declared', [exchange]);
      if (exchange.reply?.kind === 'result')
        return expect.notObserved('completion.unsupported-error', 'completion is supported, declared or not');
      expect('completion.unsupported-error', exchange).error(-32601);
    },
  }),
];
