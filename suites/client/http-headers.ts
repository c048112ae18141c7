/** basic/transports/streamable-http#request-metadata: headers of a client that repeat members of the body. */

import { RefusedRequest } from '../../harness/peer/requests.js';
import { errorCodes } from '../../harness/record/envelope.js';
import { resultOf } from '../../harness/record/message.js';
import { scenario } from '../../harness/scenario/scenario.js';
import type { Step } from '../../harness/scenario/script.js';
import { deliberately, pages } from '../../harness/scenario/serve.js';
import { asText, isObject, type JsonObject } from '../../spec/json-rpc.js';
import { pauseOfRetry } from './parts.js';
import { prompt, resource, says, tool } from './world.js';

const annotated = (type: string, header: string): JsonObject => ({ type, 'x-mcp-header': header });

/** A tool with every kind of parameter that a header repeats. */
const mirrors: JsonObject = tool('mirrors', {
  region: annotated('string', 'Region'),
  note: annotated('string', 'Note'),
  count: annotated('integer', 'Count'),
  dry: annotated('boolean', 'Dry-Run'),
  where: {
    type: 'object',
    properties: {
      zone: annotated('string', 'Zone'),
      at: { type: 'object', properties: { floor: annotated('integer', 'Floor') } },
    },
  },
  query: { type: 'string' },
});

/** Values that a header holds as they are, or needs to encode, or that a test of truth takes for absent. */
const values: readonly JsonObject[] = [
  { region: 'r', note: 'us-west1', count: 0 },
  { region: '', note: 'Hello, 世界', count: 1_234_567 },
  { region: 'r', note: ' padded ', count: Number.MAX_SAFE_INTEGER },
  { region: 'bell\u0007 and \u007f', note: 'line1\nline2', count: Number.MIN_SAFE_INTEGER },
  { region: 'r', note: '=?base64?literal?=' },
];

/** A tool with one annotation, on another page. */
const lateMirror: JsonObject = tool('mirrors-late', { region: annotated('string', 'Region') });

const calls: readonly Step[] = [
  [
    'call',
    'mirrors',
    { region: 'us-west1', count: 42, dry: true, where: { zone: 'a', at: { floor: 3 } }, query: 'x' },
  ],
  ['call', 'mirrors', { region: 'eu', count: -7, dry: false, note: null }],
  ...values.map((args): Step => ['call', 'mirrors', args]),
  ['call', 'mirrors-late', { region: 'eu' }],
];

const encoded = 'prompt-ünïcödé';
const likeSentinel = '=?base64?eA==?=';
const padded = ' blanks around ';
const names = ['plain name', encoded, likeSentinel, padded];
/** A URI is repeated as it is: capital letters and escapes stay. */
const uris = ['test://static-text', 'test://Host/A%20text?Of=1'];

/** Tools whose annotation is invalid, each in another way. */
const invalid: readonly JsonObject[] = [
  tool('empty-header', { a: annotated('string', '') }),
  tool('blank-in-header', { a: annotated('string', 'two words') }),
  tool('header-twice', { a: annotated('string', 'Same'), b: annotated('string', 'same') }),
  tool('header-of-number', { a: annotated('number', 'Number') }),
  tool('header-in-items', { a: { type: 'array', items: annotated('string', 'Item') } }),
  tool('header-in-choice', { a: { anyOf: [annotated('string', 'Choice')] } }),
  tool('header-in-one-of', { a: { oneOf: [annotated('string', 'One')] } }),
  tool('header-of-object', { a: annotated('object', 'Object') }),
  tool('header-of-list', { a: annotated('array', 'List') }),
  tool('header-of-no-text', { a: { type: 'string', 'x-mcp-header': 7 } }),
  tool('header-twice-nested', {
    a: annotated('string', 'Same'),
    b: { type: 'object', properties: { c: annotated('string', 'same') } },
  }),
  {
    ...tool('header-in-condition'),
    inputSchema: {
      type: 'object',
      properties: { a: { type: 'string' } },
      if: { required: ['a'] },
      // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema
      then: { properties: { a: annotated('string', 'Then') } },
    },
  },
  {
    ...tool('header-behind-reference'),
    inputSchema: {
      type: 'object',
      properties: { a: { $ref: '#/$defs/text' } },
      $defs: { text: annotated('string', 'Text') },
    },
  },
];

const nameOf = ({ name }: JsonObject): string => asText(name);

const noList = 'the client gets no list of tools';

const rowsOfTools = [
  'http-headers.client-rejects-invalid-tool',
  'http-headers.client-excludes-invalid-tool',
  'tools.x-mcp-header-client-rejects',
  'tools.x-mcp-header-client-excludes',
] as const;

export const scenarios = [
  scenario.client.http('client/http-headers/every-request', {
    title: 'a client repeats the version, the method and the name of each request in headers',
    verifies: [
      'http-headers.client-sends-metadata',
      'http-headers.version-present',
      'http-headers.version-matches-body',
      'http-headers.method-header',
      'http-headers.name-header',
      'http-headers.name-encoded',
      'http-headers.sentinel-escaped',
    ],
    era: 'modern',
    serve: {
      'prompts/list': pages([names.map(name => prompt(name))]),
      'prompts/get': ({ name }) => {
        if (!names.includes(asText(name))) throw new RefusedRequest(-32602, 'Unknown prompt');
        return { messages: [{ role: 'user', content: { type: 'text', text: 'Hello.' } }] };
      },
      'resources/list': pages([uris.map(resource)]),
      'resources/read': ({ uri }) => ({ contents: [{ uri: asText(uri), text: 'A text.' }] }),
    },
    does: [
      ['connect'],
      ['list', 'tools'],
      ['call', 'test_simple_text'],
      ['list', 'prompts'],
      ...names.map((name): Step => ['get', name]),
      ['list', 'resources'],
      ...uris.map((uri): Step => ['read', uri]),
      ['close'],
    ],
    async run({ peer, expect }) {
      await peer.caseOver();
      const sent = peer.conversation.requests({ by: 'subject' }).map(m => m.params?.name ?? m.params?.uri);
      const needs = (values: readonly string[]) => values.some(value => sent.includes(value));
      if (!needs([encoded, padded]))
        expect.notObserved('http-headers.name-encoded', 'the client sends no name that needs an encoding');
      if (!needs([likeSentinel]))
        expect.notObserved('http-headers.sentinel-escaped', 'the client sends no name with the sentinel');
      if (!sent.some(value => value !== undefined))
        expect.notObserved('http-headers.name-header', 'the client sends no request with a name');
    },
  }),

  scenario.client.http('client/http-headers/parameters', {
    title: 'a client repeats annotated arguments of a call in headers, encoded where they need it',
    verifies: [
      'http-headers.custom-mirrored',
      'http-headers.custom-supported',
      'http-headers.value-encoding',
      'http-headers.value-base64',
      'http-headers.param-omitted-when-absent',
      'http-headers.sentinel-exact',
      'http-headers.custom-safe-integers',
      'tools.x-mcp-header-safe-integers',
    ],
    era: 'modern',
    // a client that reads no event stream does not know the annotations
    http: { answers: 'json' },
    serve: {
      // the annotations of each page count, also after a further page
      'tools/list': pages([[mirrors], [lateMirror], [tool('without-headers')]]),
      // the request that a client sends again has the headers too
      'tools/call': ({ arguments: args, requestState }) =>
        isObject(args) && args.query === 'x' && requestState === undefined
          ? { resultType: 'input_required', requestState: 'once more' }
          : says('Mirrored.'),
    },
    does: [['connect'], ['list', 'tools'], ...calls, ['close']],
    lasts: pauseOfRetry,
    async run({ peer, expect }) {
      await peer.caseOver();
      const sent = peer.requestsOfCase('tools/call').map(({ request }) => request.params?.arguments);
      if (!sent.some(args => JSON.stringify(args)?.includes('世界')))
        expect.notObserved(
          [
            'http-headers.custom-mirrored',
            'http-headers.custom-supported',
            'http-headers.value-encoding',
            'http-headers.value-base64',
            'http-headers.param-omitted-when-absent',
            'http-headers.sentinel-exact',
            'http-headers.custom-safe-integers',
            'tools.x-mcp-header-safe-integers',
          ],
          'the client does not call the tool with the arguments of the script',
        );
    },
  }),

  scenario.client.http('client/http-headers/invalid-annotations', {
    title: 'a client leaves out tools with an invalid x-mcp-header, and keeps the valid tools of the list',
    verifies: rowsOfTools,
    era: 'modern',
    // a client that reads no event stream has no list
    http: { answers: 'json' },
    serve: {
      'tools/list': deliberately(pages([[...invalid, mirrors]])),
      'tools/call': says('Called.'),
    },
    does: [
      ['connect'],
      ['list', 'tools'],
      ...invalid.map((one): Step => ['call', nameOf(one), { a: 'x' }]),
      ['call', 'mirrors', { region: 'eu' }],
      ['close'],
    ],
    async run({ peer, expect, scripted }) {
      await peer.caseOver();
      const called = peer.requestsOfCase('tools/call');
      const wrong = called.find(({ request }) => invalid.some(one => nameOf(one) === request.params?.name));
      const listed = peer.requestsOfCase('tools/list').find(exchange => resultOf(exchange));
      const valid = called.find(({ request }) => request.params?.name === 'mirrors');
      if (!listed || (!wrong && !valid && !scripted))
        return expect.notObserved(rowsOfTools, listed ? 'the client calls no listed tool' : noList);
      for (const row of rowsOfTools) {
        const isAboutList = row.endsWith('excludes') || row.endsWith('excludes-invalid-tool');
        if (isAboutList)
          expect.that(row, {
            ok: valid !== undefined,
            expected: 'a call of the valid tool',
            evidence: [listed, valid],
            actual: 'none',
          });
        else
          expect.that(row, {
            ok: wrong === undefined,
            expected: 'no call of a tool with an invalid annotation',
            evidence: [listed, wrong],
            actual: asText(wrong?.request.params?.name),
          });
      }
    },
  }),

  scenario.client.http('client/http-headers/mismatch', {
    title: 'a client lists the tools again and repeats a call that is refused for its headers',
    verifies: ['http-headers.client-refreshes-on-mismatch'],
    era: 'modern',
    http: { answers: 'json' },
    serve: {
      'tools/list': (_, { peer }) => {
        const again = peer.conversation.requests({ by: 'subject', method: 'tools/list' }).length > 1;
        const header = again ? 'Area' : 'Region';
        return { tools: [tool('moves', { region: annotated('string', header) })] };
      },
      'tools/call': deliberately((_, { request, peer }) => {
        const headers = peer.conversation.httpOf(request);
        if (headers?.requestHeader('mcp-param-area') !== undefined) return says('Moved.');
        throw new RefusedRequest(errorCodes.headerMismatch, 'Header mismatch: Mcp-Param-Area is missing');
      }),
    },
    does: [['connect'], ['list', 'tools'], ['call', 'moves', { region: 'eu' }], ['close']],
    async run({ peer, expect }) {
      const row = 'http-headers.client-refreshes-on-mismatch';
      await peer.caseOver();
      const refused = peer.requestsOfCase('tools/call').find(({ reply }) => reply?.kind === 'error');
      if (!refused?.reply) return expect.notObserved(row, 'the client called no tool');
      const later = ({ request }: typeof refused) => request.seq > refused.reply!.seq;
      const listed = peer.requestsOfCase('tools/list').find(later);
      const called = peer.requestsOfCase('tools/call').find(later);
      const actual = listed ? 'no further call' : 'no tools/list after the refusal';
      expect.that(row, {
        ok: listed !== undefined && called !== undefined,
        expected: 'tools/list, and the call with the new header',
        evidence: [refused, listed, called],
        actual,
      });
    },
  }),
];
