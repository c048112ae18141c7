/** client/sampling: requests of a server to the model of the client, and the use of the responses. */

import { NotObserved } from '../../harness/peer/deferred.js';
import { type HandlerResult, RefusedRequest } from '../../harness/peer/requests.js';
import { resultOf } from '../../harness/record/message.js';
import { questionsOf } from '../../harness/record/questions.js';
import { describe } from '../../harness/scenario/expect.js';
import { scenario } from '../../harness/scenario/scenario.js';
import type { JsonObject } from '../../spec/json-rpc.js';
import { probeOf } from '../shared/probe.js';
import { everyKind } from './declared.js';
import { asksSince, neverAsked } from './questions.js';

const method = 'sampling/createMessage';
const adding = { name: 'test_sampling_with_tools', arguments: { prompt: 'Add.' } };
const text = (words: string): JsonObject => ({ type: 'text', text: words });
const reply = (content: JsonObject | JsonObject[]): JsonObject => ({
  role: 'assistant',
  content,
  model: 'mcp-conform',
});

const use = (n: number): JsonObject => ({
  type: 'tool_use',
  id: `use-${n}`,
  name: 'add',
  input: { a: 1, b: 2 },
  _meta: { 'com.example/kept': n },
});

/** Rows that are visible only when a server continues after a tool use. */
const loop = [
  'sampling.tool-loop-answers-all',
  'sampling.tool-use-result-balance',
  'sampling.tool-block-meta-preserved',
] as const;

/** Responses that are not sampling results. */
const misshapen: readonly JsonObject[] = [
  {},
  { role: 'assistant', model: 'x' },
  { role: 7, content: text('x'), model: null },
];

export const scenarios = [
  scenario('server/sampling/ask', {
    title: 'a tools/call sends sampling/createMessage, also in several calls in parallel',
    verifies: ['base.schema-valid', 'base.method-of-own-side'],
    fixtures: ['role sampling'],
    async run({ peer, expect, tool }) {
      const [first] = await Promise.all(
        [1, 2, 3].map(n => peer.request('tools/call', tool('sampling', { prompt: `Question ${n}` }))),
      );
      if (!asksSince(peer, first!, method)) expect.notObserved('base.method-of-own-side', neverAsked);
      else expect.noViolation('base.method-of-own-side', [first]);
    },
  }),

  scenario('server/sampling/answers-out-of-order', {
    title: 'sampling responses in another order reach the calls that they belong to',
    verifies: ['jsonrpc.request-answered-once'],
    fixtures: ['role sampling'],
    async run({ peer, tool }) {
      let release: (answer: HandlerResult) => void = () => {};
      const held = new Promise<HandlerResult>(resolve => {
        release = resolve;
      });
      const answers = [held, reply(text('second'))];
      const restore = peer.handle(method, () => answers.shift());
      const calls = ['one', 'two'].map(prompt => peer.request('tools/call', tool('sampling', { prompt })));
      await Promise.race(calls);
      release(reply(text('first')));
      await Promise.all(calls);
      restore();
    },
  }),

  scenario('server/sampling/answered-badly', {
    title: 'a sampling error or an invalid sampling result ends its tools/call, and nothing else',
    verifies: ['sampling.message-content-validated'],
    fixtures: ['role sampling'],
    async run({ peer, expect, tool }) {
      const answers: (() => HandlerResult)[] = [
        () => {
          throw new RefusedRequest(-1, 'The user has refused.');
        },
        ...misshapen.map(answer => () => answer),
      ];
      // another row judges a server that gets no responses at all
      if (!(await peer.request('tools/call', tool('sampling', { prompt: 'Hi' }))).reply)
        throw new NotObserved('the call gets no response');
      for (const answer of answers) {
        const restore = peer.handle(method, answer, { deliberate: true });
        const exchange = await peer.request('tools/call', tool('sampling', { prompt: 'Hi' }));
        restore();
        const ok = exchange.reply !== undefined && (await peer.barrier());
        expect.that('sampling.message-content-validated', {
          ok,
          expected: 'a response to the call, of any kind',
          evidence: [exchange],
          actual: exchange.reply ? `no response to ${probeOf(peer)}` : describe(exchange),
        });
        if (!exchange.reply) return; // the next one would take as long
      }
    },
  }),

  scenario('server/sampling/content-in-an-array', {
    title: 'a sampling result is accepted with one content block and with an array of blocks',
    verifies: ['sampling.content-single-or-array'],
    fixtures: ['role sampling'],
    async run({ peer, expect, tool }) {
      const restore = peer.handle(method, () => reply([text('one'), text('two')]));
      const exchange = await peer.request('tools/call', tool('sampling', { prompt: 'Hi' }));
      restore();
      if (!asksSince(peer, exchange, method)) throw new NotObserved(neverAsked);
      const ok = exchange.reply?.kind === 'result' && resultOf(exchange)?.isError !== true;
      expect.that('sampling.content-single-or-array', {
        ok,
        expected: 'a call that succeeds',
        evidence: [exchange],
        actual: describe(exchange),
      });
    },
  }),

  scenario('server/sampling/context-declared', {
    title: 'a client that declares sampling.context receives no deprecated includeContext value',
    verifies: ['sampling.include-context-avoided'],
    declares: everyKind,
    fixtures: ['role sampling'],
    async run({ peer, expect, tool }) {
      const exchange = await peer.request('tools/call', tool('sampling', { prompt: 'Hi' }));
      expect.noViolation('sampling.include-context-avoided', [exchange]);
    },
  }),

  scenario('server/sampling/tools-undeclared', {
    title: 'a client that declares sampling without tools receives no tools',
    verifies: ['sampling.no-tools-without-capability'],
    fixtures: ['tool test_sampling_with_tools'],
    async run({ peer, expect }) {
      const exchange = await peer.request('tools/call', adding);
      expect.noViolation('sampling.no-tools-without-capability', [exchange]);
    },
  }),

  scenario('server/sampling/tool-loop', {
    title: 'each tool use gets a tool result, its metadata is kept, and the tool loop ends',
    verifies: [...loop, 'sampling.iteration-limits'],
    declares: everyKind,
    fixtures: ['tool test_sampling_with_tools'],
    async run({ peer, expect }) {
      const all = () => questionsOf(peer.conversation, method).map(q => q.request);
      const asked = () => all().filter(m => m.params?.tools !== undefined);
      let uses = 0;
      const two = () => ({ ...reply([use(++uses), use(++uses)]), stopReason: 'toolUse' });
      /** The model returns tool uses in `most` responses, and then an end. */
      const rounds = (most: number) => {
        const end = asked().length + most;
        peer.handle(method, () => (asked().length > end ? reply(text('Done.')) : two()));
        return peer.request('tools/call', adding);
      };
      const once = await rounds(1);
      // a question may be asked twice before the server continues
      const [first] = asked();
      const sent = (m: typeof first) => JSON.stringify(m?.params?.messages);
      const again = asked().find(m => sent(m) !== sent(first));
      if (again) {
        const kept = sent(again).includes('kept');
        expect.that('sampling.tool-block-meta-preserved', {
          ok: kept,
          expected: '_meta of the tool uses',
          evidence: [once, again],
          actual: 'tool uses without it',
        });
      } else expect.notObserved(loop, 'the server sends no further request after a tool use');
      const before = asked().length;
      const endless = await rounds(100);
      const limited = asked().length - before <= 100;
      expect.that('sampling.iteration-limits', {
        ok: limited,
        expected: 'an end after at most 100 rounds',
        evidence: [endless],
        actual: 'another request after 100 rounds',
      });
    },
  }),
];
