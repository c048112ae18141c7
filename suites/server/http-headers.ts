/** basic/transports/streamable-http#request-metadata: headers that repeat the body, and headers of earlier revisions. */

import { rateLimited } from '../../harness/judge/rate-limit.js';
import { NotObserved } from '../../harness/peer/deferred.js';
import { envelopeKeys } from '../../harness/record/envelope.js';
import type { HttpExchange } from '../../harness/record/http-exchange.js';
import { encodeHeader } from '../../harness/record/mirrored-headers.js';
import { type Known, scenario } from '../../harness/scenario/scenario.js';
import type { JsonObject } from '../../spec/json-rpc.js';
import { whyNotModernOnly } from './eras.js';
import { codeOf, encoded, isServed, send, shown } from './header-requests.js';
import { declaredLists } from './lists.js';
import { hasStatus429 } from './unrelated-refusals.js';

/** Requests whose name a header repeats, each served by this server. */
function namedRequests({ tools, prompts, resources, callable }: Known) {
  const named: { method: string; params: JsonObject; name: string }[] = [];
  const [tool] = callable;
  const [resource] = resources;
  const prompt = prompts.find(p => !Array.isArray(p.arguments) || p.arguments.length === 0);
  if (tool) named.push({ method: 'tools/call', params: { ...tool }, name: tool.name });
  if (typeof resource?.uri === 'string')
    named.push({ method: 'resources/read', params: { uri: resource.uri }, name: resource.uri });
  if (typeof prompt?.name === 'string')
    named.push({ method: 'prompts/get', params: { name: prompt.name }, name: prompt.name });
  const other = tools.find(t => t.name !== tool?.name)?.name;
  return { named, other: typeof other === 'string' ? other : 'mcp-conform' };
}

export const scenarios = [
  scenario.http('server/http-headers/standard', {
    title:
      'a request whose Mcp-Method or Mcp-Name is missing or differs from the body is refused with -32020',
    verifies: [
      'http-headers.mismatch-rejected',
      'http-headers.mismatch-code',
      'http-headers.mismatch-http-400',
      'http-headers.missing-standard-rejected',
      'http-headers.values-case-sensitive',
    ],
    era: 'modern',
    isolation: 'shared',
    async run({ peer, http, expect, known }) {
      const { named, other } = namedRequests(known);
      const list = declaredLists(peer)[0]?.method ?? 'server/discover';
      const refused = (
        row:
          | 'http-headers.mismatch-rejected'
          | 'http-headers.missing-standard-rejected'
          | 'http-headers.values-case-sensitive',
        e: HttpExchange,
        what: string,
      ) => {
        expect.that(row, {
          ok: !isServed(e),
          expected: `a request with ${what} to be refused`,
          evidence: [e],
          actual: shown(e),
        });
        if (isServed(e)) return;
        expect.that('http-headers.mismatch-code', {
          ok: codeOf(e) === -32020,
          expected: 'error -32020',
          evidence: [e],
          actual: shown(e),
        });
        // a rule judges the status of an error with the id of the request
        if (codeOf(e) !== -32020 || e.received[0]?.id === undefined)
          expect.that('http-headers.mismatch-http-400', {
            ok: e.status === 400,
            expected: 'status 400',
            evidence: [e],
            actual: shown(e),
          });
      };
      const at = { peer, http };
      refused(
        'http-headers.mismatch-rejected',
        await send(at, list, {}, { 'Mcp-Method': 'prompts/get' }),
        'another Mcp-Method',
      );
      refused(
        'http-headers.missing-standard-rejected',
        await send(at, list, {}, { 'Mcp-Method': null }),
        'a missing Mcp-Method',
      );
      refused(
        'http-headers.values-case-sensitive',
        await send(at, list, {}, { 'Mcp-Method': list.toUpperCase() }),
        'Mcp-Method in capital letters',
      );
      for (const { method, params, name } of named) {
        const wrong = method === 'tools/call' ? other : `${name}x`;
        refused(
          'http-headers.mismatch-rejected',
          await send(at, method, params, { 'Mcp-Name': encodeHeader(wrong) }),
          `another Mcp-Name for ${method}`,
        );
        refused(
          'http-headers.missing-standard-rejected',
          await send(at, method, params, { 'Mcp-Name': null }),
          `a missing Mcp-Name for ${method}`,
        );
        const capital = name.toUpperCase();
        // two URIs may differ in letter case and name one resource
        if (method === 'resources/read' || capital === name) continue;
        refused(
          'http-headers.values-case-sensitive',
          await send(at, method, params, { 'Mcp-Name': encodeHeader(capital) }),
          `Mcp-Name in capital letters for ${method}`,
        );
      }
    },
  }),

  scenario.http('server/http-headers/version', {
    title:
      'a request whose MCP-Protocol-Version is missing or differs from the body is refused with status 400',
    verifies: ['http-headers.version-mismatch-rejected', 'http-headers.missing-version-rejected'],
    era: 'modern',
    isolation: 'shared',
    async run({ peer, http, expect, known }) {
      const list = declaredLists(peer)[0]?.method ?? 'server/discover';
      const at = { peer, http };
      // a version with a handshake may make the request one of an earlier revision
      const differs = await send(at, list, {}, { 'MCP-Protocol-Version': '1900-01-01' });
      const row = 'http-headers.version-mismatch-rejected';
      const fits = differs.status === 400 && [-32020, -32022].includes(codeOf(differs) as number);
      expect.that(row, {
        ok: fits,
        expected: 'status 400 with error -32020',
        evidence: [differs],
        actual: shown(differs),
      });
      // a server that looks at the header alone serves this one
      const inBody = { _meta: { [envelopeKeys.protocolVersion]: '1900-01-01' } };
      const unread = await send(at, list, inBody, { 'MCP-Protocol-Version': peer.revision.id });
      expect.that(row, {
        ok: unread.status === 400 && [-32020, -32022].includes(codeOf(unread) as number),
        expected: 'status 400 with error -32020 for another version in the body than in MCP-Protocol-Version',
        evidence: [...unread.sent, unread],
        actual: shown(unread),
      });
      const missing = await send(at, list, {}, { 'MCP-Protocol-Version': null });
      // a server that serves clients of early revisions may treat the request as one of them
      const why = await whyNotModernOnly(known);
      if (why) return expect.notObserved('http-headers.missing-version-rejected', why);
      expect.that('http-headers.missing-version-rejected', {
        ok: missing.status === 400 && codeOf(missing) === -32020,
        expected: 'status 400 with error -32020',
        evidence: [missing],
        actual: shown(missing),
      });
    },
  }),

  scenario.http('server/http-headers/spelling', {
    title: 'a request with Mcp-Name in Base64 is served like one with the plain name',
    verifies: ['http-headers.sentinel-decoded'],
    era: 'modern',
    isolation: 'shared',
    async run({ peer, http, expect, known }) {
      const row = 'http-headers.sentinel-decoded';
      const { named } = namedRequests(known);
      const at = { peer, http };
      let isSeen = false;
      for (const { method, params, name } of named) {
        if (!isServed(await send(at, method, params, {}))) continue;
        const same = await send(at, method, params, { 'Mcp-Name': encoded(name) });
        if (hasStatus429(same)) throw new NotObserved(rateLimited);
        expect.that(row, {
          ok: isServed(same),
          expected: `a result of ${method}`,
          evidence: [same],
          actual: shown(same),
        });
        const wrong = await send(at, method, params, { 'Mcp-Name': encoded(`${name}x`) });
        if (hasStatus429(wrong)) throw new NotObserved(rateLimited);
        expect.that(row, {
          ok: !isServed(wrong),
          expected: 'a request with another Mcp-Name to be refused',
          evidence: [wrong],
          actual: shown(wrong),
        });
        isSeen = true;
      }
      if (!isSeen) throw new NotObserved('no request with a name is served');
    },
  }),

  scenario.http('server/http-headers/names', {
    title: 'a request with header names in capital or small letters is served',
    verifies: ['http-headers.names-case-insensitive'],
    era: 'modern',
    isolation: 'shared',
    async run({ peer, http, expect, known }) {
      const row = 'http-headers.names-case-insensitive';
      const [{ method, params, name } = { method: 'server/discover', params: {}, name: undefined }] =
        namedRequests(known).named;
      const at = { peer, http };
      if (!isServed(await send(at, method, params, {}))) throw new NotObserved(`${method} is refused`);
      const headers = {
        'MCP-Protocol-Version': peer.revision.id,
        'Mcp-Method': method,
        ...(name !== undefined && { 'Mcp-Name': encodeHeader(name) }),
      };
      for (const spell of [
        (text: string) => text.toUpperCase(),
        (text: string) => text.toLowerCase(),
        (text: string) => text.replace(/.-./g, part => part.toLowerCase()),
      ]) {
        const spelled = Object.fromEntries(
          Object.entries(headers).map(([header, value]) => [spell(header), value]),
        );
        const e = await send(at, method, params, spelled);
        if (hasStatus429(e)) throw new NotObserved(rateLimited);
        expect.that(row, {
          ok: isServed(e),
          expected: `a result for ${Object.keys(spelled).join(', ')}`,
          evidence: [e],
          actual: shown(e),
        });
      }
    },
  }),

  scenario.http('server/http-headers/earlier-revisions', {
    title: 'GET and DELETE get 405, and a session id or Last-Event-ID changes nothing',
    verifies: [
      'streamable-http.old-traffic-405',
      'streamable-http.old-session-header-ignored',
      'streamable-http.old-last-event-id-ignored',
      'streamable-http.no-resumption',
    ],
    era: 'modern',
    isolation: 'shared',
    async run({ peer, http, expect, known }) {
      const list = declaredLists(peer)[0]?.method ?? 'server/discover';
      const at = { peer, http };
      const plain = await send(at, list, {}, {});
      const why = await whyNotModernOnly(known);
      for (const [row, headers] of [
        ['streamable-http.old-session-header-ignored', { 'Mcp-Session-Id': 'mcp-conform' }],
        ['streamable-http.old-last-event-id-ignored', { 'Last-Event-ID': 'mcp-conform-1' }],
        ['streamable-http.no-resumption', { 'Last-Event-ID': 'mcp-conform-2' }],
      ] as const) {
        if (!isServed(plain)) expect.notObserved(row, `${list} is refused`);
        else if (row === 'streamable-http.old-last-event-id-ignored' && why) expect.notObserved(row, why);
        else {
          const e = await send(at, list, {}, headers);
          const ok = isServed(e) && e.status === plain.status;
          expect.that(row, {
            ok,
            expected: `a result with status ${plain.status}`,
            evidence: [e],
            actual: `status ${e.status}, ${shown(e)}`,
          });
        }
      }
      if (why) return expect.notObserved('streamable-http.old-traffic-405', why);
      for (const method of ['GET', 'DELETE']) {
        const e = await http.fetch({ method });
        if (!e.end) http.drop(e, { resume: false });
        expect('streamable-http.old-traffic-405', e).status(405);
        if (method !== 'GET' || e.status !== 405) continue;
        const resumed = await http.fetch({ method, headers: { 'Last-Event-ID': 'mcp-conform-3' } });
        if (!resumed.end) http.drop(resumed, { resume: false });
        expect.that('streamable-http.no-resumption', {
          ok: (resumed.status ?? 405) >= 300,
          expected: 'status 405 for GET, with Last-Event-ID as without it',
          evidence: [e, resumed],
          actual: resumed.outcome,
        });
      }
    },
  }),
];
