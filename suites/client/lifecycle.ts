/** basic/lifecycle: the opening of a session by a client, and the limits on the client. */

import type { Peer } from '../../harness/peer/peer.js';
import { type Message, resultOf } from '../../harness/record/message.js';
import { scenario } from '../../harness/scenario/scenario.js';
import { deliberately, held, refuses } from '../../harness/scenario/serve.js';
import { introduction } from './parts.js';

const everyList = [
  ['list', 'tools'],
  ['list', 'prompts'],
  ['list', 'resources'],
  ['list', 'templates'],
] as const;

/** Requests and notifications of the client after one of its messages. */
const said = ({ conversation }: Peer, after: Message | undefined): Message[] =>
  conversation.sent('subject').filter(m => m.method !== undefined && m.seq > (after?.seq ?? 0));

export const scenarios = [
  scenario.client('client/lifecycle/handshake', {
    title: 'a client begins with initialize, and sends notifications/initialized before further requests',
    verifies: [
      'lifecycle.client-sends-initialize',
      'lifecycle.client-sends-initialized',
      'lifecycle.client-version-form',
      'lifecycle.initialize-first',
      'lifecycle.respect-capabilities',
      'lifecycle.respect-version',
      'base.components-supported',
    ],
    does: [['connect'], ['list', 'tools'], ['close']],
    async run({ peer, another, expect, scripted }) {
      const asks = async (one: Peer) => {
        await one.caseOver();
        return one.conversation.requests({ by: 'subject', method: 'tools/list' }).length > 0;
      };
      // a bridge first opens a connection only as a test
      const asked = (await asks(peer)) || (await another().then(asks, () => false));
      const evidence = [peer.conversation.handshake];
      if (scripted)
        expect.that('base.components-supported', {
          ok: asked,
          expected: 'tools/list',
          evidence,
          actual: 'none',
        });
      else if (asked) expect.noViolation('base.components-supported', evidence);
    },
  }),

  scenario.client('client/lifecycle/slow-server', {
    title: 'a client waits for the response to initialize',
    verifies: ['lifecycle.client-waits-for-initialize', 'lifecycle.client-sends-initialized'],
    serve: { initialize: held },
    does: [['connect'], ['list', 'tools'], ['close']],
    begins: 'connected',
    async run({ peer }) {
      const opening = await peer.nextDeferred('initialize');
      await peer.pause();
      opening.release();
    },
  }),

  scenario.client('client/lifecycle/version-of-its-own', {
    title: 'a client continues with the version that it requested',
    verifies: ['lifecycle.client-version-supported'],
    echoes: true,
    // before the response it is unknown whether the stream of initialize begins with an event without data
    http: { answers: 'json' },
    does: [['connect'], ['list', 'tools'], ['close']],
    begins: 'connected',
    async run({ peer, expect }) {
      await peer.caseOver();
      const { handshake } = peer.conversation;
      const version = handshake && resultOf(handshake)?.protocolVersion;
      // the harness offers another version when it does not support the requested one
      if (!handshake || version !== handshake.request.params?.protocolVersion)
        return expect.notObserved(
          'lifecycle.client-version-supported',
          'the harness does not support the requested version',
        );
      const [next] = said(peer, handshake.reply);
      expect.that('lifecycle.client-version-supported', {
        ok: !!next,
        expected: 'a message after initialize with the requested version',
        evidence: [handshake, next],
        actual: 'no message',
      });
    },
  }),

  scenario.client('client/lifecycle/version-nobody-has', {
    title: 'a client disconnects when the server offers a version that was never released',
    verifies: ['lifecycle.client-disconnects-on-version', 'lifecycle.init-errors-handled'],
    serve: {
      initialize: deliberately((_, { peer }) => ({
        ...introduction(peer),
        protocolVersion: peer.revision.id.replace(/^\d{4}/, '1900'),
      })),
    },
    does: [['connect'], ['list', 'tools'], ['close']],
    begins: 'connected',
    async run({ peer, expect }) {
      await peer.caseOver();
      const { handshake } = peer.conversation;
      if (handshake?.reply) expect.noViolation('lifecycle.init-errors-handled', [handshake]);
    },
  }),

  scenario.client('client/lifecycle/initialize-refused', {
    title: 'a client whose initialize is refused sends no further requests',
    verifies: ['lifecycle.init-errors-handled'],
    serve: { initialize: refuses(-32602, 'Unsupported protocol version') },
    does: [['connect'], ['list', 'tools'], ['close']],
    begins: 'connected',
    async run({ peer, expect }) {
      await peer.caseOver();
      const { handshake } = peer.conversation;
      const { reply } = handshake ?? {};
      const harmless = ['initialize', 'ping', 'notifications/cancelled'];
      const later = said(peer, reply).filter(m => !harmless.includes(m.method!));
      if (reply)
        expect.that('lifecycle.init-errors-handled', {
          ok: later.length === 0,
          expected: 'no message except another initialize',
          evidence: [handshake, later[0]],
          actual: later[0]?.method,
        });
    },
  }),

  scenario.client('client/lifecycle/bare-server', {
    title: 'a client sends no requests for features to a server that declares none',
    verifies: ['lifecycle.respect-capabilities', 'prompts.respect-capabilities'],
    declares: {},
    needsOwnInitiative: true,
    does: [['connect'], ...everyList, ['close']],
    async run({ peer, expect }) {
      await peer.caseOver();
      for (const row of ['lifecycle.respect-capabilities', 'prompts.respect-capabilities'] as const)
        expect.noViolation(row, [peer.conversation.opening]);
    },
  }),

  scenario.client('client/lifecycle/no-subscriptions', {
    title: 'a client sends no resources/subscribe to a server that declares resources without subscribe',
    verifies: ['lifecycle.respect-capabilities'],
    era: 'legacy',
    declares: { resources: {} },
    needsOwnInitiative: true,
    does: [['connect'], ['list', 'resources'], ['subscribe', 'test://watched-resource'], ['close']],
    async run({ peer, expect }) {
      await peer.caseOver();
      expect.noViolation('lifecycle.respect-capabilities', [peer.conversation.opening]);
    },
  }),

  scenario.client('client/lifecycle/open-capabilities', {
    title: 'a client continues with a server that declares unknown capabilities',
    verifies: ['lifecycle.capabilities-open-set'],
    era: 'legacy',
    serve: { initialize: held },
    does: [['connect'], ['list', 'tools'], ['close'], ['connect'], ['list', 'tools'], ['close']],
    begins: 'connected',
    async run({ peer, another, expect }) {
      (await peer.nextDeferred('initialize')).release();
      const next = await another();
      const opening = await next.nextDeferred('initialize');
      opening.answer({
        ...introduction(next),
        capabilities: { tools: {}, 'x-conformance': { a: 1 }, experimental: { 'com.example/x': {} } },
      });
      await next.caseOver();
      const [later] = said(next, opening.request);
      expect.that('lifecycle.capabilities-open-set', {
        ok: !!later,
        expected: 'a message after initialize',
        evidence: [opening.request, later],
        actual: 'no message',
      });
    },
  }),
];
