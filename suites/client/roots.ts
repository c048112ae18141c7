/** client/roots. */

import { declares } from '../../harness/record/conversation.js';
import { resultOf } from '../../harness/record/message.js';
import { scenario } from '../../harness/scenario/scenario.js';
import { asText, isObject, type Json } from '../../spec/json-rpc.js';
import { call, insist, serve } from './asking.js';

const uris = (roots: Json | undefined): string[] =>
  Array.isArray(roots) ? roots.filter(isObject).map(root => asText(root.uri)) : [];

export const scenarios = [
  scenario.client('client/roots/listed', {
    title: 'roots/list returns file URIs, each once',
    verifies: ['roots.uri-file-scheme', 'roots.uri-unique', 'roots.capability-declared'],
    serve,
    does: call(),
    isolation: 'shared',
    async run({ peer, expect }) {
      await peer.nextDeferred('tools/call');
      insist(peer, 'roots');
      const listed = resultOf(await peer.request('roots/list'))?.roots;
      if (Array.isArray(listed) && listed.length === 0)
        for (const id of ['roots.uri-file-scheme', 'roots.uri-unique'] as const)
          expect.notObserved(id, 'the client has no roots');
    },
  }),

  scenario.client('client/roots/not-declared', {
    title: 'a client that declares no roots refuses roots/list',
    verifies: ['roots.unsupported-error', 'roots.capability-declared', 'jsonrpc.request-answered-once'],
    serve,
    does: call([], { declare: [] }),
    isolation: 'shared',
    lasts: 100,
    async run({ peer, expect }) {
      await peer.nextDeferred('tools/call');
      insist(peer, 'roots', false);
      const refused = await peer.request('roots/list', undefined, { deliberate: true });
      if (!resultOf(refused)) expect.noViolation('roots.capability-declared', [refused]);
      if (!peer.vocabulary.requests.server.has('roots/list'))
        expect.notObserved('jsonrpc.request-answered-once', 'a client of this revision answers no request');
    },
  }),

  scenario.client('client/roots/changed', {
    title: 'a client sends notifications/roots/list_changed when its roots have changed',
    // a client whose roots do not change for its server announces nothing
    verifies: ['roots.list-changed-notification', 'lifecycle.respect-capabilities'],
    does: [
      ['connect'],
      ['answer', 'roots/list', 'accept', [{ uri: 'file:///', name: 'everything' }]],
      ['call', 'test_roots'],
      ['close'],
    ],
    async run({ peer, expect, scripted }) {
      await peer.caseOver();
      const { conversation } = peer;
      const which = { by: 'subject', method: 'notifications/roots/list_changed' } as const;
      const [note] = conversation.notifications(which);
      const [called] = conversation.requests({ by: 'subject', method: 'tools/call' });
      if (called) expect.noViolation('lifecycle.respect-capabilities', [called]);
      else expect.notObserved('lifecycle.respect-capabilities', 'the client called no tool');
      if (!declares(peer.declared, 'roots.listChanged')) return;
      if (note) expect.noViolation('roots.list-changed-notification', [note]);
      else if (!scripted || !called)
        expect.notObserved('roots.list-changed-notification', 'the roots of the client did not change');
      else {
        const [withId] = conversation.requests(which);
        expect.that('roots.list-changed-notification', {
          ok: false,
          expected: which.method,
          evidence: [conversation.handshake, called, withId],
          actual: withId ? 'a request with this method' : 'none',
        });
      }
    },
  }),

  scenario.client('client/roots/dubious', {
    title: 'a client checks its configured roots before it lists them',
    verifies: ['roots.uris-validated', 'roots.accessibility-validated'],
    serve,
    does: call([
      [
        'answer',
        'roots/list',
        'accept',
        [
          { uri: 'file:///' },
          { uri: 'file:///tmp/../etc' },
          { uri: 'file:///tmp/%2e%2E/usr' },
          { uri: 'file:///no-such-folder-of-mcp-conform' },
        ],
      ],
    ]),
    async run({ peer, expect, scripted }) {
      await peer.nextDeferred('tools/call');
      insist(peer, 'roots');
      const listed = await peer.request('roots/list');
      const told = uris(resultOf(listed)?.roots);
      const missing = told.find(uri => uri.includes('no-such-folder'));
      if (!scripted || !resultOf(listed)) return;
      expect.that('roots.accessibility-validated', {
        ok: !missing,
        expected: 'no root that does not exist',
        evidence: [listed],
        actual: missing,
      });
      if (told.length === 0) expect.noViolation('roots.uris-validated', [listed]);
    },
  }),

  scenario.client('client/roots/trouble', {
    title: 'a client that fails to list its roots sends error -32603',
    verifies: ['roots.internal-error-code'],
    serve,
    does: call([['answer', 'roots/list', 'refuse']]),
    async run({ peer, expect, scripted }) {
      await peer.nextDeferred('tools/call');
      insist(peer, 'roots');
      const listed = await peer.request('roots/list');
      if (scripted || !resultOf(listed)) expect('roots.internal-error-code', listed).error(-32603);
      else expect.notObserved('roots.internal-error-code', 'the client lists its roots without an error');
    },
  }),
];
