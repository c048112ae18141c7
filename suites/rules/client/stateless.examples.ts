import { mirroredHeaders } from '../../../harness/record/mirrored-headers.js';
import type { Json, JsonObject } from '../../../spec/json-rpc.js';
import { latestRevision } from '../../../spec/revisions.js';
import { type ExampleTable, tableWith } from '../example.test.util.js';
import { ask, body, end, event } from '../http-events.test.util.js';
import {
  error,
  everything,
  everythingOfClient,
  handshake,
  type Line,
  notification,
  request,
  result,
} from '../record.test.util.js';
import { asksFor, complete, enveloped, hints } from '../stateless.test.util.js';

const overStdio = tableWith({ subject: 'client', era: 'modern' });
const overHttp = tableWith({ subject: 'client', era: 'modern', transport: 'streamable-http' });

const listing = (meta: JsonObject = {}, id: Json = 1): Line[] => [
  ['c', enveloped(id, 'tools/list', {}, meta)],
  ['s', complete(id, { tools: [], ...hints })],
];
const bare = (method: string): Line[] => [['c', request(1, method, { name: 'p' })]];
const key = (name: string): string => `io.modelcontextprotocol/${name}`;

/** A request with the required metadata alone. */
const unnamed = (id: Json): Json => {
  const { _meta } = (enveloped(id, 'tools/list') as { params: { _meta: JsonObject } }).params;
  const { [key('clientInfo')]: _, ...rest } = _meta;
  return request(id, 'tools/list', { _meta: rest });
};

const params: JsonObject = { name: 't', arguments: { a: 1 } };
const asked = (results: JsonObject): Line[] => asksFor(1, results, 'tools/call', params);
const again = (more: JsonObject, id: Json = 2): Line[] => [
  ['c', enveloped(id, 'tools/call', { ...params, ...more })],
  ['s', complete(id, { content: [] })],
];
/** A second round: the retry with one state gets a result with another one. */
const askedAgain = (state: string, next: string): Line[] =>
  asksFor(2, stateOf(next), 'tools/call', { ...params, ...stateOf(state) });
const roots: JsonObject = { r: { method: 'roots/list' } };
const answer: JsonObject = { roots: [{ uri: 'file:///a' }] };
const stateOf = (requestState: Json): JsonObject => ({ requestState });
const retryRows = ['mrtr.retry-new-id', 'tools.retry-uses-new-id'] as const;
const stateRows = ['mrtr.client-echoes-state', 'mrtr.client-state-opaque'] as const;

/** Examples of two rows that state the same. */
const twins = (
  [first, second]: readonly [string, string],
  good: Line[],
  ...bad: readonly { readonly lines: Line[]; readonly also?: readonly string[]; readonly shows?: string }[]
): ExampleTable =>
  overStdio(
    Object.fromEntries(
      [
        [first, second],
        [second, first],
      ].map(([one, other]) => [
        one,
        {
          good: [good],
          bad: bad.map(example => ({ ...example, also: [other, ...(example.also ?? [])] as never })),
        },
      ]),
    ),
  );

const tool: JsonObject = {
  name: 't',
  inputSchema: {
    type: 'object',
    properties: {
      region: { type: 'string', 'x-mcp-header': 'Region' },
      count: { type: 'integer', 'x-mcp-header': 'Count' },
    },
  },
};
const schema = tool.inputSchema as JsonObject;

const plain: JsonObject = { name: 't', inputSchema: { type: 'object' } };
const partly: JsonObject = {
  name: 't',
  inputSchema: {
    type: 'object',
    properties: {
      ...(schema.properties as JsonObject),
      note: { type: 'string', 'x-mcp-header': 'no token' },
    },
  },
};
const callOf = (id: Json): Json => enveloped(id, 'tools/call', { name: 't', arguments: { region: 'eu' } });

type Headers = Record<string, string>;

/** The headers of a conforming client, changed. */
const headersOf = (message: Json, change: Headers, without: readonly string[] = []): Headers => ({
  ...Object.fromEntries(mirroredHeaders(message, () => schema).filter(([name]) => !without.includes(name))),
  ...change,
});

const posts = (
  exchange: number,
  message: Json,
  response: Json,
  change: Headers = {},
  without: readonly string[] = [],
): Line[] => [
  ...ask(exchange, 'POST', message, 200, 'application/json', { sent: headersOf(message, change, without) }),
  body(exchange, response),
  end(exchange),
];

const listed = posts(1, enveloped(1, 'tools/list'), complete(1, { tools: [tool], ...hints }));
const called = (args: JsonObject, change: Headers = {}, without: readonly string[] = []): Line[] => [
  ...listed,
  ...posts(
    2,
    enveloped(2, 'tools/call', { name: 't', arguments: args }),
    complete(2, { content: [] }),
    change,
    without,
  ),
];
const got = (name: string, change: Headers = {}, without: readonly string[] = []): Line[] =>
  posts(1, enveloped(1, 'prompts/get', { name }), complete(1, { messages: [] }), change, without);

/** A request of the server on the stream of a request, which the client ignores. */
const provoked: Line[] = [
  ...ask(1, 'POST', enveloped(1, 'tools/list'), 200, 'text/event-stream', {
    sent: headersOf(enveloped(1, 'tools/list'), {}),
  }),
  ...event(1, request(7, 'ping')),
  ...event(1, complete(1, { tools: [], ...hints })),
  end(1),
];

const wanted = (id: Json) => enveloped(id, 'prompts/get', { name: 'p' });
/** A request whose stream breaks before the response. */
const cutOff: Line[] = [
  ...ask(1, 'POST', wanted(1), 200, 'text/event-stream', { sent: headersOf(wanted(1), {}) }),
  { kind: 'http-end', exchange: 1, by: 'error' },
];
const readAgain = (id: Json): Line[] => posts(2, wanted(id), complete(id, { messages: [] }));

/** A client that finds no newer revision begins a session of an earlier one. */
const session = handshake(latestRevision, everything, everythingOfClient);
const asksForSession: Line[] = [['c', enveloped(1, 'server/discover')], ['s', error(1, -32601)], ...session];
const [initialize, initialized, ready] = session.map(line => (line as readonly Json[])[1]!);
const sessionOverHttp: Line[] = [
  ...posts(1, enveloped(1, 'server/discover'), error(1, -32601)),
  ...ask(2, 'POST', initialize, 200, 'application/json'),
  body(2, initialized!),
  end(2),
  ...ask(3, 'POST', ready, 202),
  end(3),
];

const forbidden: Line = ['s', request(7, 'ping')];
const replied = ['transport.message-directions', 'base.method-of-own-side'] as const;

export const examples: ExampleTable = {
  ...overStdio({
    'meta.request-required-fields': {
      good: [listing()],
      bad: [
        {
          lines: bare('tools/call'),
          also: ['base.schema-valid', 'meta.client-info-included'],
          shows: 'no-metadata',
        },
        {
          lines: [['c', enveloped(1, 'tools/list', {}, { [key('clientCapabilities')]: ['roots'] })]],
          also: ['base.schema-valid'],
          shows: 'capabilities-no-object',
        },
        {
          lines: [
            [
              'c',
              request(1, 'tools/list', {
                _meta: { [key('clientInfo')]: { name: 'c', version: '1' }, [key('clientCapabilities')]: {} },
              }),
            ],
          ],
          also: ['base.schema-valid'],
        },
        {
          lines: [['c', request(1, 'tools/list')]],
          also: ['base.schema-valid', 'meta.client-info-included'],
        },
      ],
    },
    'prompts.request-meta-note': {
      good: [[['c', enveloped(1, 'prompts/list')]]],
      bad: [
        {
          lines: bare('prompts/get'),
          also: ['base.schema-valid', 'meta.client-info-included', 'meta.request-required-fields'],
          shows: 'no-metadata',
        },
      ],
    },
    'meta.client-info-included': {
      good: [listing()],
      bad: [
        { lines: [['c', unnamed(1)]], shows: 'none' },
        { lines: [...listing(), ['c', unnamed(2)]], shows: 'some' },
      ],
    },
    'mrtr.retry-same-request': {
      good: [[...asked(stateOf('s')), ...again(stateOf('s'))]],
      legal: [{ lines: asked(stateOf('s')), shows: 'no-retry' }],
      bad: [
        {
          lines: [
            ...asked(stateOf('s')),
            ['c', enveloped(2, 'tools/call', { name: 't', arguments: { a: 2 }, requestState: 's' })],
            ['s', complete(2, { content: [] })],
          ],
          shows: 'other-params',
        },
      ],
    },
    'mrtr.client-no-invented-state': {
      good: [[...asked({ inputRequests: roots }), ...again({ inputResponses: { r: answer } })]],
      bad: [
        {
          lines: [
            ...asked({ inputRequests: roots }),
            ...again({ inputResponses: { r: answer }, requestState: 'invented' }),
          ],
          shows: 'kept',
        },
      ],
    },
    'mrtr.client-answers-requests': {
      good: [
        [
          ...asked({ inputRequests: roots, requestState: 's' }),
          ...again({ inputResponses: { r: answer }, requestState: 's' }),
        ],
      ],
      legal: [[...asked({ inputRequests: {}, requestState: 's' }), ...again(stateOf('s'))]],
      bad: [
        {
          lines: [...asked({ inputRequests: roots, requestState: 's' }), ...again(stateOf('s'))],
          shows: 'none',
        },
        {
          lines: [...asked({ inputRequests: roots }), ...again({ inputResponses: { r: { roots: 'none' } } })],
          also: ['base.schema-valid'],
        },
      ],
    },
    'mrtr.response-keys': {
      good: [[...asked({ inputRequests: roots }), ...again({ inputResponses: { r: answer } })]],
      bad: [
        {
          lines: [
            ...asked({ inputRequests: { ...roots, other: roots.r! }, requestState: 's' }),
            ...again({ inputResponses: { r: answer }, requestState: 's' }),
          ],
          shows: 'missing',
        },
        [
          ...asked({ inputRequests: roots, requestState: 's' }),
          ...again({ inputResponses: {}, requestState: 's' }),
        ],
      ],
    },
    'mrtr.client-scope': {
      good: [[...asked(stateOf('s')), ...again(stateOf('s')), ...listing({}, 3)]],
      legal: [
        { lines: listing(), isUnobserved: true },
        // the retry is sent again after an error
        {
          lines: [
            ...asked(stateOf('s')),
            again(stateOf('s'))[0]!,
            ['s', error(2, -32602)],
            ...again(stateOf('s'), 3),
          ],
          shows: 'sent-again',
        },
        // before any result that asks for input
        [
          ['c', enveloped(3, 'tools/list', { requestState: 's' })],
          ['s', complete(3, { tools: [], ...hints })],
          ...asked(stateOf('s')),
          ...again(stateOf('s')),
        ],
      ],
      bad: [
        {
          lines: [
            ...asked(stateOf('s')),
            ...again(stateOf('s')),
            ['c', enveloped(3, 'tools/list', { requestState: 's' })],
            ['s', complete(3, { tools: [], ...hints })],
          ],
          shows: 'other-request',
        },
      ],
    },
    'stdio.client-no-responses': {
      good: [{ lines: [...listing(), forbidden], shows: 'ignored' }],
      legal: [
        { lines: [['c', enveloped(1, 'tools/list')]], isUnobserved: true },
        // in a session of an earlier revision, clients respond
        { lines: [...asksForSession, forbidden, ['c', result(7)]], isUnobserved: true },
      ],
      bad: [{ lines: [...listing(), forbidden, ['c', result(7)]], also: [replied[0]], shows: 'result' }],
    },
    'transport.message-directions': {
      good: [listing()],
      bad: [{ lines: [...listing(), forbidden, ['c', result(7)]], also: ['stdio.client-no-responses'] }],
    },
    'jsonrpc.request-id-unique-in-flight': {
      good: [{ lines: [...listing(), ...listing()], shows: 'after-response' }],
      legal: [
        [
          ['c', enveloped(1, 'tools/list')],
          ['c', notification('notifications/cancelled', { requestId: 1 })],
          ['c', enveloped(1, 'prompts/list')],
        ],
      ],
      bad: [
        {
          lines: [
            ['c', enveloped(1, 'tools/list')],
            ['c', enveloped(1, 'prompts/list')],
          ],
          shows: 'second-in-flight',
        },
        // the response comes later
        [
          ['c', enveloped(1, 'tools/list')],
          ['c', enveloped(1, 'tools/list')],
          ['s', complete(1, { tools: [], ...hints })],
        ],
        // the server cancels nothing of the client
        [
          ['c', enveloped(1, 'tools/list')],
          ['s', notification('notifications/cancelled', { requestId: 1 })],
          ['c', enveloped(1, 'prompts/list')],
        ],
        {
          lines: [
            ['c', enveloped(1, 'tools/list')],
            ['c', notification('notifications/cancelled')],
            ['c', enveloped(1, 'prompts/list')],
          ],
          also: ['cancellation.request-id-given'],
        },
        // the stream of the first request ends later
        { lines: [...cutOff.slice(0, -1), ...readAgain(1), end(1)], transport: 'streamable-http' },
        // cancellations of another request, and one that is too late
        [
          ['c', enveloped(2, 'tools/list')],
          ['c', enveloped(1, 'tools/list')],
          ['c', notification('notifications/cancelled', { requestId: 2 })],
          ['c', enveloped(1, 'prompts/list')],
          ['c', notification('notifications/cancelled', { requestId: 1 })],
        ],
        [
          ['c', enveloped(1, 'tools/list')],
          ['c', enveloped(1, 'prompts/list')],
          ['s', complete(1, { tools: [], ...hints })],
        ],
      ],
    },
    'versioning.extension-identifiers': {
      good: [listing({ [key('clientCapabilities')]: { extensions: { 'com.example/x': {} } } })],
      bad: [listing({ [key('clientCapabilities')]: { extensions: { x: {} } } })],
    },
  }),
  ...twins(
    retryRows,
    [...asked(stateOf('s')), ...askedAgain('s', 't'), ...again(stateOf('t'), 3)],
    { lines: [...asked(stateOf('s')), ...again(stateOf('s'), 1)] },
    {
      lines: [...asked(stateOf('s')), ...askedAgain('s', 't'), ...again(stateOf('t'), 1)],
      shows: 'earlier-round',
    },
  ),
  ...twins(stateRows, [...asked(stateOf(' s ')), ...again(stateOf(' s '))], {
    lines: [...asked(stateOf(' s ')), ...again(stateOf('s'))],
  }),

  ...overHttp({
    'streamable-http.reissue-new-id': {
      good: [[...cutOff, ...readAgain(2)]],
      legal: [
        // another request, after the response, and after an end of the server
        [...cutOff, ...posts(2, enveloped(1, 'prompts/get', { name: 'q' }), complete(1, { messages: [] }))],
        [...cutOff, ...posts(2, enveloped(1, 'tools/call', { name: 'p' }), complete(1, { content: [] }))],
        [
          ...cutOff.slice(0, -1),
          ...event(1, complete(1, { messages: [] })),
          { kind: 'http-end', exchange: 1, by: 'error' },
          ...readAgain(1),
        ],
        [...cutOff.slice(0, -1), end(1), ...readAgain(1)],
      ],
      bad: [
        { lines: [...cutOff, ...readAgain(1)], shows: 'same-id' },
        // after a notification on the stream
        [
          ...cutOff.slice(0, -1),
          ...event(1, notification('notifications/message', { level: 'info', data: '' })),
          ...cutOff.slice(-1),
          ...readAgain(1),
        ],
        // with other metadata
        [
          ...cutOff,
          ...posts(
            2,
            enveloped(1, 'prompts/get', { name: 'p' }, { progressToken: 2 }),
            complete(1, { messages: [] }),
          ),
        ],
      ],
    },
    'http-headers.client-sends-metadata': {
      good: [got('p')],
      legal: [
        // the harness lists no name for this method
        posts(1, enveloped(1, 'tools/list'), complete(1, { tools: [], ...hints }), { 'Mcp-Name': 'x' }),
      ],
      bad: [
        { lines: got('p', {}, ['Mcp-Name']), also: ['http-headers.name-header'], shows: 'no-name' },
        {
          lines: got('p', {}, ['MCP-Protocol-Version']),
          also: ['http-headers.version-present'],
          shows: 'no-version',
        },
        got('ü', {}, ['Mcp-Name']),
        got('=?base64?eA==?=', {}, ['Mcp-Name']),
      ],
    },
    'http-headers.version-present': {
      good: [got('p')],
      bad: [
        {
          lines: got('p', {}, ['MCP-Protocol-Version']),
          also: ['http-headers.client-sends-metadata'],
          shows: 'missing',
        },
      ],
    },
    'http-headers.version-matches-body': {
      good: [got('p')],
      bad: [{ lines: got('p', { 'MCP-Protocol-Version': '2000-01-01' }), shows: 'other-version' }],
    },
    'http-headers.method-header': {
      good: [got('p')],
      bad: [
        { lines: got('p', { 'Mcp-Method': 'Prompts/Get' }), shows: 'other-case' },
        // twice
        got('p', { 'mcp-method': 'prompts/get' }),
      ],
    },
    'http-headers.name-header': {
      good: [got('p')],
      legal: [{ lines: got('p', { 'Mcp-Name': '=?base64?cA==?=' }), shows: 'encoded' }],
      bad: [{ lines: got('p', { 'Mcp-Name': 'q' }), shows: 'other-value' }, got('p', { 'mcp-name': 'p' })],
    },
    'http-headers.name-encoded': {
      good: [got('ü')],
      bad: [{ lines: got('ü', { 'Mcp-Name': '%C3%BC' }), shows: 'percent-encoded' }],
    },
    'http-headers.sentinel-escaped': {
      good: [got('=?base64?eA==?=')],
      bad: [{ lines: got('=?base64?eA==?=', { 'Mcp-Name': '=?base64?eA==?=' }), shows: 'as-it-is' }],
    },
    'http-headers.sentinel-exact': {
      good: [got('ü'), got('ü', { 'X-Mcp-Name': '=?BASE64?w7w=?=' })],
      legal: [got('a =?base64?b')],
      bad: [
        {
          lines: got('ü', { 'Mcp-Name': '=?BASE64?w7w=?=' }),
          also: ['http-headers.name-encoded'],
          shows: 'capitals',
        },
      ],
    },
    'http-headers.value-encoding': {
      good: [called({ region: 'eu', count: -7 })],
      legal: [
        { lines: called({ region: 'eu' }, { 'Mcp-Param-Region': '=?base64?ZXU=?=' }), shows: 'encoded' },
      ],
      bad: [
        { lines: called({ region: 'eu' }, { 'Mcp-Param-Region': '"eu"' }), shows: 'quotes' },
        called({ region: 'x=?base64?eA==?=' }, { 'Mcp-Param-Region': 'x' }),
        called({ region: '=?base64?eA==?=x' }, { 'Mcp-Param-Region': 'x' }),
      ],
    },
    'http-headers.value-base64': {
      good: [called({ region: ' padded ' })],
      bad: [{ lines: called({ region: ' padded ' }, { 'Mcp-Param-Region': 'padded' }), shows: 'trimmed' }],
    },
    'http-headers.param-omitted-when-absent': {
      good: [called({ region: 'eu' })],
      bad: [{ lines: called({ region: 'eu', count: null }, { 'Mcp-Param-Count': 'null' }), shows: 'sent' }],
    },
    'http-headers.custom-mirrored': {
      good: [
        called({ region: 'eu' }),
        // the latest list counts
        [
          ...posts(1, enveloped(1, 'tools/list'), complete(1, { tools: [plain], ...hints })),
          ...posts(
            2,
            enveloped(2, 'tools/list'),
            complete(2, { tools: [{ ...plain, name: 'u' }, tool], ...hints }),
          ),
          ...posts(3, callOf(3), complete(3, { content: [] })),
        ],
      ],
      legal: [
        // the client does not know the tool yet
        [
          ...posts(1, enveloped(1, 'tools/list'), error(1)),
          ...posts(2, callOf(2), complete(2, { content: [] }), {}, ['Mcp-Param-Region']),
          ...posts(3, enveloped(3, 'tools/list'), complete(3, { tools: [tool], ...hints })),
        ],
        // not a call
        [
          ...listed,
          ...posts(
            2,
            enveloped(2, 'prompts/get', { name: 't', arguments: { region: 'eu' } }),
            complete(2, { messages: [] }),
          ),
        ],
        // another annotation of the tool is invalid
        [
          ...posts(1, enveloped(1, 'tools/list'), complete(1, { tools: [partly], ...hints })),
          ...posts(2, callOf(2), complete(2, { content: [] }), {}, ['Mcp-Param-Region']),
        ],
      ],
      bad: [
        {
          lines: called({ region: 'eu' }, {}, ['Mcp-Param-Region']),
          also: ['http-headers.custom-supported'],
          shows: 'no-header',
        },
      ],
    },
    'http-headers.custom-supported': {
      good: [called({ region: 'eu' })],
      bad: [
        {
          lines: called({ region: 'eu' }, {}, ['Mcp-Param-Region']),
          also: ['http-headers.custom-mirrored'],
          shows: 'no-header',
        },
      ],
    },
    'http-headers.custom-safe-integers': {
      good: [called({ count: 42 })],
      bad: [
        { lines: called({ count: 2 ** 60 }), also: ['tools.x-mcp-header-safe-integers'], shows: 'too-large' },
      ],
    },
    'tools.x-mcp-header-safe-integers': {
      good: [called({ count: 42 })],
      bad: [
        {
          lines: called({ count: 2 ** 60 }),
          also: ['http-headers.custom-safe-integers'],
          shows: 'too-large',
        },
      ],
    },
    'streamable-http.no-resumption': {
      good: [got('p')],
      legal: [
        // a session of an earlier revision
        [
          ...sessionOverHttp,
          ...ask(5, 'GET', undefined, 405, undefined, { sent: { 'Last-Event-ID': '7' } }),
          end(5),
        ],
        // no request of this client is known
        [...ask(5, 'GET', undefined, 405, undefined, { sent: { 'Last-Event-ID': '7' } }), end(5)],
        [
          ...got('p'),
          ...ask(5, 'POST', notification('notifications/cancelled', { requestId: 1 }), 202, undefined, {
            sent: { 'Last-Event-ID': '7' },
          }),
          end(5),
        ],
      ],
      bad: [
        { lines: got('p', { 'Last-Event-ID': '7' }), shows: 'client-sends' },
        [
          ...provoked,
          ...ask(5, 'GET', undefined, 405, undefined, { sent: { 'Last-Event-ID': '7' } }),
          end(5),
        ],
        [
          ...got('p'),
          ...ask(5, 'GET', undefined, 405, undefined, { sent: { 'Last-Event-ID': '7' } }),
          end(5),
        ],
      ],
    },
    'streamable-http.client-no-responses': {
      good: [provoked],
      bad: [
        {
          lines: [
            ...listed,
            ...ask(2, 'POST', result(7), 202, undefined, { sent: { 'MCP-Protocol-Version': 'x' } }),
            end(2),
          ],
          also: ['transport.message-directions', 'jsonrpc.response-id-matches'],
          shows: 'result',
        },
      ],
    },
  }),
};
