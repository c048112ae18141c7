/** basic/versioning, server/discover: the versions of a server, and requests of clients of another era. */

import type { Peer } from '../../harness/peer/peer.js';
import { envelopeKeys, errorCodes } from '../../harness/record/envelope.js';
import { describeMessage, type Exchange, errorOf, resultOf } from '../../harness/record/message.js';
import { scenario } from '../../harness/scenario/scenario.js';
import { isObject, type JsonObject } from '../../spec/json-rpc.js';
import { findDefinedRevision, findRevision, latestRevision } from '../../spec/revisions.js';
import { late, offersHandshake, whyNotModernOnly } from './eras.js';
import { servedAsks } from './every-method.js';
import { declaredLists } from './lists.js';
import { isRateLimited, whyUnrelated } from './unrelated-refusals.js';

/** A version that was never released. */
const never = '1900-01-01';

const inVersion = (version: string) => ({
  meta: { [envelopeKeys.protocolVersion]: version },
  deliberate: true,
});

const initializeRows = [
  'versioning.initialize-rejected',
  'versioning.modern-only-names-versions',
  'discover.versions-true',
] as const;
const selection = 'versioning.dual-era-selection';

/** The version of a result of initialize. */
function negotiatedIn(exchange: Exchange): string | undefined {
  const version = resultOf(exchange)?.protocolVersion;
  return typeof version === 'string' ? version : undefined;
}

const isModern = (version: string): boolean => findDefinedRevision(version)?.era === 'modern';

/** Sends initialize as the first message of a conversation. */
async function initializeIn(peer: Peer, protocolVersion: string) {
  const { http } = peer.link;
  const json: JsonObject = {
    jsonrpc: '2.0',
    id: 'initialize-1',
    method: 'initialize',
    params: {
      protocolVersion,
      capabilities: {},
      clientInfo: { name: 'mcp-conform', version: peer.version },
    },
  };
  const headers = { 'MCP-Protocol-Version': null, 'Mcp-Method': null };
  const via = (text: string) => void http!.send({ body: text, headers });
  const { done } = peer.startMessage(json, { deliberate: true, ...(http && { via }) });
  const exchange = await done;
  return { exchange, post: peer.conversation.httpOf(exchange.request) };
}

const silent = 'the server does not respond to the subscription';

/**
 * Sends a subscriptions/listen that is to be refused, and cancels it where it is not.
 * @returns the first message about it; undefined without one
 */
async function listenWrongly(peer: Peer, params: JsonObject, options = {}) {
  const pending = peer.start('subscriptions/listen', params, { deliberate: true, ...options, endless: true });
  const first = await peer.expected.ofSubscription(pending.request);
  if (first?.kind !== 'error') peer.cancel(pending);
  return first && { first, exchange: await pending.done };
}

export const scenarios = [
  scenario('server/versioning/discover', {
    title: 'server/discover gets a result, and each version in it is served',
    verifies: ['discover.implemented', 'discover.versions-true'],
    era: 'modern',
    async run({ peer, expect }) {
      const discovered = await peer.request('server/discover');
      expect('discover.implemented', discovered).result();
      const bare = { [envelopeKeys.clientCapabilities]: {} };
      expect(
        'discover.implemented',
        await peer.request('server/discover', undefined, { meta: bare }),
      ).result();
      const row = 'discover.versions-true';
      const listed = resultOf(discovered)?.supportedVersions;
      if (!Array.isArray(listed)) return expect.notObserved(row, 'the server lists no versions');
      expect.that(row, {
        ok: listed.length > 0,
        expected: 'at least one version',
        evidence: [discovered],
        actual: 'an empty list',
      });
      // a server may answer server/discover in each version
      const methods = new Set(['server/discover', ...declaredLists(peer).map(list => list.method)]);
      for (const version of listed) {
        // versions with a handshake are not served without one
        if (typeof version !== 'string' || findRevision(version)) continue;
        for (const method of [...methods].slice(0, 2)) {
          const asked = await peer.request(method, undefined, inVersion(version));
          const isRefused = errorOf(asked)?.code === -32022;
          expect.that(row, {
            ok: !isRefused,
            expected: `a result in ${version}`,
            evidence: [discovered, asked],
            actual: 'error -32022',
          });
          if (isRefused) break;
        }
      }
    },
  }),

  scenario('server/versioning/unsupported', {
    title: 'a request in a version that does not exist gets error -32022 with the supported versions',
    verifies: ['versioning.unsupported-version-error', 'http-headers.unsupported-version-400'],
    era: 'modern',
    ...late,
    async run({ peer, expect, known }) {
      // a server of both eras may treat a request in an early version as one of that version
      const versions = (await whyNotModernOnly(known)) ? [never] : [never, latestRevision.id];
      // a method that the server does not serve has another error
      for (const [at, { method, params }] of (await servedAsks(peer, known)).entries()) {
        const version = versions[at % versions.length]!;
        const exchange = await peer.request(method, params, inVersion(version));
        if (isRateLimited(peer, exchange)) continue;
        const post = peer.conversation.httpOf(exchange.request);
        const error = errorOf(exchange) ?? post?.refusal;
        const data = isObject(error?.data) ? error.data : {};
        const { supported, requested } = data;
        const isList =
          Array.isArray(supported) &&
          // this conversation shows that the server supports its version
          supported.includes(peer.revision.id) &&
          supported.every(item => typeof item === 'string' && item !== version);
        expect.that('versioning.unsupported-version-error', {
          ok: error?.code === -32022 && isList && requested === version,
          expected: `error -32022 with data.requested, and data.supported with ${peer.revision.id}`,
          evidence: [exchange, post],
          actual: JSON.stringify(error ?? resultOf(exchange)) ?? post?.outcome ?? 'no response',
        });
        // a rule judges the status of an error with the id of the request
        if (post && error?.code === -32022 && !exchange.reply)
          expect('http-headers.unsupported-version-400', post).status(400);
        if (error?.code !== -32022)
          expect.notObserved('http-headers.unsupported-version-400', 'there is no error -32022');
      }
    },
  }),

  scenario('server/versioning/refused-subscriptions', {
    title: 'subscriptions/listen in a version that does not exist, or without a filter, gets an error',
    verifies: ['versioning.unsupported-version-error', 'jsonrpc.invalid-params'],
    // the end of a subscription is not to end those of other cases
    isolation: 'destructive',
    era: 'modern',
    async run({ peer, expect }) {
      const [version, params] = ['versioning.unsupported-version-error', 'jsonrpc.invalid-params'] as const;
      const filter = { toolsListChanged: true };
      const listening = await peer.listen(filter);
      await listening.stop();
      const elsewhere =
        listening.isAccepted && (await listenWrongly(peer, { notifications: filter }, inVersion(never)));
      if (!elsewhere)
        expect.notObserved(version, listening.isAccepted ? silent : 'the server refuses the subscription');
      else if (!isRateLimited(peer, elsewhere.exchange)) {
        const { first, exchange } = elsewhere;
        const error = errorOf(exchange);
        expect.that(version, {
          ok: error?.code === errorCodes.unsupportedVersion,
          expected: 'error -32022',
          evidence: [exchange.request, first],
          actual: error ? JSON.stringify(error) : describeMessage(first),
        });
      }
      const bare = await listenWrongly(peer, {});
      if (!bare) return expect.notObserved(params, silent);
      const { first, exchange } = bare;
      const unrelated = whyUnrelated(peer, exchange);
      if (unrelated !== undefined) return expect.notObserved(params, unrelated);
      const code = errorOf(exchange)?.code;
      expect.that(params, {
        // a server without subscriptions does not know the method
        ok: code === -32602 || code === -32600 || code === -32601,
        expected: 'error -32602, because notifications is required',
        evidence: [exchange.request, first],
        actual: code === undefined ? describeMessage(first) : `error ${code}`,
      });
    },
  }),

  scenario('server/versioning/earlier-methods', {
    title: 'a method that only earlier revisions have gets error -32601 from a server without a handshake',
    verifies: ['jsonrpc.method-not-found'],
    era: 'modern',
    ...late,
    async run({ peer, expect, known }) {
      const row = 'jsonrpc.method-not-found';
      const why = await whyNotModernOnly(known);
      if (why) return expect.notObserved(row, why);
      const asks: [method: string, params?: JsonObject][] = [
        ['ping'],
        ['logging/setLevel', { level: 'info' }],
        ['resources/subscribe', { uri: 'test://watched-resource' }],
      ];
      for (const [method, params] of asks) {
        const exchange = await peer.request(method, params, { deliberate: true });
        if (resultOf(exchange)) expect.notObserved(row, `the server serves ${method}`);
        else if (!isRateLimited(peer, exchange)) expect(row, exchange).error(-32601);
      }
    },
  }),

  scenario('server/versioning/initialize', {
    title: 'initialize gets a version with a handshake, or an error with the versions that the server serves',
    verifies: [...initializeRows, selection],
    era: 'modern',
    ...late,
    async run({ peer, expect, known, newConversation }) {
      const rows = initializeRows;
      const served = 'the server serves clients with a handshake';
      if (await offersHandshake(known)) {
        expect.notObserved(rows, served);
        // over stdio it would need one more process, and both transports mostly share the code that answers
        if (!peer.link.http) return expect.notObserved(selection, 'it is judged over HTTP');
        const { exchange } = await initializeIn(await newConversation(), peer.revision.id);
        const version = negotiatedIn(exchange);
        if (!version)
          return expect.notObserved(selection, `initialize in ${peer.revision.id} gets no result`);
        return expect.that(selection, {
          ok: !isModern(version),
          expected: 'a protocolVersion with a handshake',
          evidence: [exchange],
          actual: version,
        });
      }
      const discovered = await peer.request('server/discover');
      const listed = resultOf(discovered)?.supportedVersions;
      const versions = Array.isArray(listed) ? listed.filter(item => typeof item === 'string') : [];
      const legacy = versions.find(version => findRevision(version)?.era === 'legacy');
      const other = await newConversation();
      const { exchange, post } = await initializeIn(other, legacy ?? latestRevision.id);
      if (exchange.deadline && !exchange.reply && !(await other.barrier())) {
        for (const row of [...rows, selection] as const)
          expect.inconclusive(row, 'the other connection gets no response at all');
        return;
      }
      const version = negotiatedIn(exchange);
      if (version !== undefined && isModern(version)) {
        expect.notObserved(rows.slice(1), 'initialize gets no error');
        for (const row of [rows[0], selection] as const)
          expect.that(row, {
            ok: false,
            expected: 'an error: a session in a version without a handshake does not exist',
            evidence: [exchange],
            actual: `a result with protocolVersion ${version}`,
          });
        return;
      }
      expect.notObserved(selection, 'the server does not serve clients with a handshake');
      if (resultOf(exchange)) return expect.notObserved(rows, served);
      const isRefused = errorOf(exchange) !== undefined || post?.hasErrorStatus === true;
      expect.that(rows[0], {
        ok: isRefused,
        expected: 'an error',
        evidence: [exchange, post],
        actual: 'no response',
      });
      if (legacy === undefined) expect.notObserved(rows[2], 'the server lists no version with a handshake');
      else
        expect.that(rows[2], {
          ok: !isRefused,
          expected: `a result of initialize in ${legacy}, or a list without this version`,
          evidence: [discovered, exchange, post],
          actual: 'an error',
        });
      const text =
        JSON.stringify(errorOf(exchange) ?? '') + (post?.refusal ? JSON.stringify(post.refusal) : '');
      if (versions.length === 0 || !isRefused)
        return expect.notObserved(rows[1], 'the server lists no versions');
      const isNamed = versions.some(version => text.includes(version));
      expect.that(rows[1], {
        ok: isNamed,
        expected: `${versions.join(', ')} in the error`,
        evidence: [exchange, post],
        actual: text.slice(0, 200),
      });
    },
  }),
];
