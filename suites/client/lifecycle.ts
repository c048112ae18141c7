/** basic/lifecycle: how a client opens a conversation, and what it keeps to. */

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
    title: 'a client begins with initialize and says that it is ready before it asks for more',
    verifies: [
      'lifecycle.client-sends-initialize',
      'lifecycle.client-sends-initialized',
      'lifecycle.client-version-form',
      'lifecycle.initialize-first',
      'lifecycle.respect-capabilities',
      'lifecycle.respect-version',
      'base.components-supported',
    ],
    does: [['connect'], ...everyList, ['close']],
    async run({ peer, another, expect, scripted }) {
      const asks = async (one: Peer) => {
        await one.caseOver();
        return one.conversation.requests({ by: 'subject', method: 'tools/list' }).length > 0;
      };
      // a bridge first tries whether it can connect at all
      const asked = (await asks(peer)) || (await another().then(asks, () => false));
      const evidence = [peer.conversation.handshake];
      if (scripted) expect.that('base.components-supported', asked, 'tools/list', evidence);
      else if (asked) expect.noViolation('base.components-supported', evidence);
    },
  }),

  scenario.client('client/lifecycle/slow-server', {
    title: 'a client waits for the answer to initialize',
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
    title: 'a client goes on with the version it asked for',
    verifies: ['lifecycle.client-version-supported'],
    echoes: true,
    // whether the stream of initialize begins with an event without data cannot be known before it is answered
    http: { answers: 'json' },
    does: [['connect'], ['list', 'tools'], ['close']],
    begins: 'connected',
    async run({ peer, expect }) {
      await peer.caseOver();
      const { handshake } = peer.conversation;
      const version = handshake && resultOf(handshake)?.protocolVersion;
      // a version that our end does not have was countered
      if (!handshake || version !== handshake.request.params?.protocolVersion)
        return expect.notObserved(
          'lifecycle.client-version-supported',
          'the version it asked for was not given',
        );
      const [next] = said(peer, handshake.reply);
      expect.that(
        'lifecycle.client-version-supported',
        !!next,
        'it goes on with the version it asked for',
        [handshake, next],
        'it left',
      );
    },
  }),

  scenario.client('client/lifecycle/version-nobody-has', {
    title: 'a client leaves when it is offered a version that was never released',
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
    title: 'a client whose initialize is refused asks for nothing more',
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
        expect.that(
          'lifecycle.init-errors-handled',
          later.length === 0,
          'nothing but another initialize',
          [handshake, later[0]],
          later[0]?.method,
        );
    },
  }),

  scenario.client('client/lifecycle/bare-server', {
    title: 'a client asks a server that declares nothing for nothing',
    verifies: ['lifecycle.respect-capabilities'],
    declares: {},
    needsOwnInitiative: true,
    does: [['connect'], ...everyList, ['subscribe', 'test://watched-resource'], ['close']],
    async run({ peer, expect }) {
      await peer.caseOver();
      expect.noViolation('lifecycle.respect-capabilities', [peer.conversation.handshake]);
    },
  }),

  scenario.client('client/lifecycle/open-capabilities', {
    title: 'a client goes on with a server that declares more than is known, as it does with any other',
    verifies: ['lifecycle.capabilities-open-set'],
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
      expect.that(
        'lifecycle.capabilities-open-set',
        !!later,
        'it goes on',
        [opening.request, later],
        'it left',
      );
    },
  }),
];
