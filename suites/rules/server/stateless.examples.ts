import type { Json, JsonObject } from '../../../spec/json-rpc.js';
import { latestRevision } from '../../../spec/revisions.js';
import type { Example, ExampleTable } from '../example.test.util.js';
import { ask, body, end, event } from '../http-events.test.util.js';
import {
  error,
  everythingOfClient,
  handshake,
  type Line,
  notification,
  request,
  result,
} from '../record.test.util.js';
import {
  acknowledged,
  answeredWith,
  asksFor,
  complete,
  discovered,
  enveloped,
  hints,
  listens,
  posted,
  refusedWith,
  stateless,
  tagged,
  version,
} from '../stateless.test.util.js';

/** A refusal with a text, of a call in an envelope or of another request. */
const demanding = (
  message: string,
  asked: Json = enveloped(1, 'tools/call', { name: 't' }),
  code = -32600,
): Line[] => [
  ['c', asked],
  ['s', { jsonrpc: '2.0', id: 1, error: { code, message } }],
];

/** A handshake of an earlier revision, which a server may also implement. */
const [[, initialize], [, accepted]] = handshake(latestRevision) as unknown as [
  [string, Json],
  [string, Json],
];

const tools = (...list: JsonObject[]): JsonObject => ({ tools: list, ...hints });
const listed = (result: JsonObject = tools()) => answeredWith(1, 'tools/list', {}, result);
const tool = (property: JsonObject, more: JsonObject = {}): JsonObject => ({
  name: 't',
  inputSchema: { type: 'object', properties: { region: property, ...more } },
});
const annotated = (name: Json, schema: JsonObject = { type: 'string' }, more: JsonObject = {}) =>
  listed(tools(tool({ ...schema, 'x-mcp-header': name }, more)));

/** The rows that state the same about `x-mcp-header`: on the page of the transport, and on that of tools. */
const twice = (
  [first, second]: readonly [string, string],
  good: ReturnType<typeof listed>,
  bad: ReturnType<typeof listed>,
  others: readonly string[] = [],
  more: readonly ReturnType<typeof listed>[] = [],
): ExampleTable => ({
  ...stateless({
    [second]: {
      good: [good],
      legal: [{ lines: listed(tools(tool({}))), isUnobserved: true }],
      bad: [{ lines: bad, also: others.filter(o => o.startsWith('tools')) as never }, ...more],
    },
  }),
  ...stateless(
    {
      [first]: {
        good: [overHttp(good)],
        bad: [{ lines: overHttp(bad), also: [second, ...others] as never }],
      },
    },
    'streamable-http',
  ),
});

/** The same request and response over HTTP. */
const overHttp = (lines: ReturnType<typeof listed>) => {
  const [asked, answer] = lines as [readonly [string, Json], readonly [string, Json]];
  return posted(1, asked[1], 200, [answer[1]]);
};

const workingTask: JsonObject = {
  taskId: 'a1b2c3d4-e5f6',
  status: 'working',
  createdAt: '2026-08-01T10:00:00Z',
  lastUpdatedAt: '2026-08-01T10:00:00Z',
  ttlMs: null,
};

/** The first message of a subscription did not arrive in time. */
const unheard = (request: number) => ({ kind: 'deadline', label: 'message', ms: 9, request }) as const;

/** A subscription that the client has cancelled. */
const cancelledListen = [
  listens(1, { toolsListChanged: true }),
  acknowledged(1, { toolsListChanged: true }),
  ['c', notification('notifications/cancelled', { requestId: 1 })],
] as const;
/** A subscription to which the server has agreed. */
const begun = [listens(1, { toolsListChanged: true }), acknowledged(1, { toolsListChanged: true })] as const;
const untaggedAck = [
  's',
  notification('notifications/subscriptions/acknowledged', { notifications: {} }),
] as const;
const asks = (id: number) => answeredWith(id, 'tools/list', {}, tools());

const elicit: JsonObject = {
  q: {
    method: 'elicitation/create',
    params: { message: 'm', requestedSchema: { type: 'object', properties: {} } },
  },
};
/** A page that the user is asked to open. */
const page = (params: JsonObject): JsonObject => ({
  q: { method: 'elicitation/create', params: { mode: 'url', message: 'm', ...params } },
});
const roots: JsonObject = { q: { method: 'roots/list' } };
const note = 'notifications/tools/list_changed';
const leastOf = (least: string): JsonObject => ({ 'io.modelcontextprotocol/logLevel': least });
const level = leastOf('info');
const log = notification('notifications/message', { level: 'info', data: 'x' });
const call = (meta: JsonObject = {}) => enveloped(1, 'tools/call', { name: 't' }, meta);
const called = complete(1, { content: [] });
/** A call without a log level. */
const nextCall: Line[] = [['c', enveloped(2, 'tools/call', { name: 't' })]];
/** A result of an extension that the request alone declares. */
const answeredTask = [
  [
    'c',
    call({
      'io.modelcontextprotocol/clientCapabilities': { extensions: { 'io.modelcontextprotocol/tasks': {} } },
    }),
  ],
  ['s', complete(1, { resultType: 'task' })],
] as const;
/** A call with a log message. */
const logging = (meta: JsonObject, of = 'info'): Line[] => [
  ['c', call(meta)],
  ['s', notification('notifications/message', { level: of, data: 'x' })],
  ['s', called],
];
const http = 'streamable-http';
const mismatch = posted(1, call(), 400, [error(1, -32020)]);
const discoveredOverHttp = posted(1, enveloped(1, 'server/discover'), 200, [
  complete(1, { supportedVersions: [version], capabilities: { tools: {} }, ...hints }),
]);
/** A request that is refused for its version, with a version in its header. */
const ofOtherVersion = (inHeader: string): readonly Line[] => [
  ...ask(2, 'POST', enveloped(2, 'tools/list'), 400, 'application/json', {
    deliberate: true,
    sent: { 'MCP-Protocol-Version': inHeader },
  }),
  body(2, error(2, -32022)),
  end(2),
];

const [listening, agreed] = [listens(1, {}), acknowledged(1, {})].map(
  line => (line as [string, Json])[1],
) as [Json, Json];
const [, agreedToTools] = acknowledged(1, { toolsListChanged: true }) as unknown as [string, Json];
const ended = complete(1, {}, { 'io.modelcontextprotocol/subscriptionId': 1 });

const trace = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01';
const sample = (role: string, content: Json = { type: 'text', text: 'x' }): JsonObject => ({
  method: 'sampling/createMessage',
  params: { messages: [{ role, content }], maxTokens: 1 },
});

/** A POST without the header of the version, and a result of an earlier revision. */
const withoutHeader: readonly Line[] = [
  ...discoveredOverHttp,
  ...ask(2, 'POST', enveloped(2, 'tools/list'), 200, 'application/json', { deliberate: true }),
  body(2, { jsonrpc: '2.0', id: 2, result: { tools: [] } }),
  end(2),
];

export const examples: ExampleTable = {
  ...stateless({
    'result.type-present': {
      good: [listed()],
      legal: [
        { transport: 'streamable-http', lines: withoutHeader, shows: 'no-header' },
        {
          lines: [
            ['c', request(1, 'server/discover', [])],
            ['s', result(1, { supportedVersions: [], capabilities: {} })],
          ],
          shows: 'no-version',
        },
      ],
      bad: [
        {
          lines: [
            ['c', enveloped(1, 'tools/list')],
            [
              's',
              {
                jsonrpc: '2.0',
                id: 1,
                result: {
                  ...tools(),
                  _meta: (complete(1) as never as { result: { _meta: Json } }).result._meta,
                },
              },
            ],
          ],
          shows: 'missing',
        },
        [
          ['c', call()],
          [
            's',
            {
              jsonrpc: '2.0',
              id: 1,
              result: {
                content: [],
                _meta: (complete(1) as never as { result: { _meta: Json } }).result._meta,
              },
            },
          ],
        ],
      ],
    },
    'result.type-known': {
      good: [listed()],
      bad: [
        { lines: listed({ ...tools(), resultType: 'task' }), shows: 'unknown' },
        {
          lines: answeredTask,
          also: ['base.schema-valid', 'ext-tasks.type-reserved', 'versioning.extension-fallback'],
        },
      ],
    },
    'versioning.extension-fallback': {
      good: [answeredWith(1, 'tools/call', { name: 't' }, { content: [] })],
      bad: [
        {
          lines: answeredWith(1, 'tools/call', { name: 't' }, { content: [], resultType: 'task' }),
          also: ['result.type-known'],
          shows: 'extension-result',
        },
      ],
    },
    'meta.trace-context-format': {
      good: [
        [
          ['c', enveloped(1, 'tools/list')],
          ['s', complete(1, tools(), { traceparent: trace })],
        ],
        [
          ['c', enveloped(1, 'tools/list')],
          ['s', complete(1, tools(), { traceparent: trace.replace('00-', 'cc-').concat('-what') })],
        ],
      ],
      legal: [
        {
          lines: [
            ['c', enveloped(1, 'tools/list')],
            ['s', complete(1, tools(), { tracestate: 'a=1,b=2' })],
          ],
          shows: 'tracestate',
        },
        ...[
          { tracestate: 'tenant@system=a b!,0a/b*c-d=x:y;z' },
          { baggage: 'user=J%C3%B6rg;private;ttl = 5 , empty=' },
        ].map((meta): Line[] => [
          ['c', enveloped(1, 'tools/list')],
          ['s', complete(1, tools(), meta)],
        ]),
        [
          ['c', enveloped(1, 'tools/list')],
          ['s', complete(1, tools(), { tracestate: 'a=1, ,b=2,' })],
        ],
      ],
      bad: [
        ...[
          { tracestate: 'Vendor=1' },
          { tracestate: 'a=1,a=2' },
          { tracestate: 'vendor key=1' },
          { tracestate: 'a=1=2' },
          { baggage: 'user=Jörg' },
          { baggage: 'user id=1' },
          { baggage: '=1' },
        ].map((meta): Line[] => [
          ['c', enveloped(1, 'tools/list')],
          ['s', complete(1, tools(), meta)],
        ]),
        {
          lines: [
            ['c', enveloped(1, 'tools/list')],
            ['s', complete(1, tools(), { traceparent: trace.toUpperCase() })],
          ],
          shows: 'upper-case',
        },
        {
          lines: [
            ['c', enveloped(1, 'tools/list')],
            ['s', complete(1, tools(), { traceparent: trace.replace(/[1-9a-f]/g, '0') })],
          ],
          shows: 'zeros',
        },
        {
          lines: [
            ['c', enveloped(1, 'tools/list')],
            ['s', complete(1, tools(), { baggage: 7 })],
          ],
          shows: 'no-text',
        },
        [
          ['c', enveloped(1, 'tools/list')],
          ['s', complete(1, tools(), { tracestate: 'a=1,b' })],
        ],
        [
          ['c', enveloped(1, 'tools/list')],
          ['s', complete(1, tools(), { traceparent: `x${trace}` })],
        ],
        [
          ['c', enveloped(1, 'tools/list')],
          ['s', complete(1, tools(), { traceparent: `${trace}x` })],
        ],
        [
          ['c', enveloped(1, 'tools/list')],
          ['s', complete(1, tools(), { traceparent: trace.replace('00-', 'ff-') })],
        ],
        [
          ['c', enveloped(1, 'tools/list')],
          [
            's',
            complete(1, tools(), {
              traceparent: trace.replace('0af7651916cd43dd8448eb211c80319c', '0'.repeat(32)),
            }),
          ],
        ],
        [
          ['c', enveloped(1, 'tools/list')],
          ['s', complete(1, tools(), { traceparent: trace.replace('b7ad6b7169203331', '0'.repeat(16)) })],
        ],
      ],
    },
    'sampling.message-shape': {
      good: [
        asksFor(1, { inputRequests: { q: sample('user') } }),
        asksFor(1, { inputRequests: { q: sample('assistant') } }),
      ],
      bad: [
        {
          lines: asksFor(1, { inputRequests: { q: sample('system') } }),
          also: ['base.schema-valid'],
          shows: 'other-role',
        },
        { lines: asksFor(1, { inputRequests: { q: sample('user', 'x') } }), also: ['base.schema-valid'] },
      ],
    },
    'meta.server-info-included': {
      good: [listed()],
      bad: [
        {
          lines: [
            ['c', enveloped(1, 'tools/list')],
            ['s', { jsonrpc: '2.0', id: 1, result: { resultType: 'complete', ...tools() } }],
          ],
          shows: 'none',
        },
      ],
    },
    'jsonrpc.error-code-integer': {
      good: [refusedWith(1, 'resources/read', -32603)],
      // a code that is no integer is in no range
      bad: [refusedWith(1, 'resources/read', -32050.5), refusedWith(1, 'resources/read', '-32050')],
    },
    'stateless.no-connection-context': {
      good: [],
      legal: [
        { lines: demanding('The database is not initialized'), isUnobserved: true },
        // what a tool says
        { lines: demanding('Initialize the project first', undefined, -32603), isUnobserved: true },
        {
          lines: demanding('initialize is required', { jsonrpc: '2.0', id: 1, method: 'tools/call' }),
          isUnobserved: true,
        },
      ],
      bad: [
        { lines: demanding('initialize is required'), shows: 'handshake-for-some-methods' },
        demanding('Received request before initialization was complete'),
        demanding('Bad Request: Server not initialized'),
        {
          lines: demanding('Server not initialized', enveloped(1, 'tools/list'), -32603),
          also: ['tools.list-answered'],
        },
      ],
    },
    'error-codes.reserved-range-undefined': {
      good: [refusedWith(1, 'resources/read', -32603)],
      legal: [{ lines: refusedWith(1, 'resources/read', 7), shows: 'outside' }],
      bad: [
        { lines: refusedWith(1, 'resources/read', -32050), shows: 'undefined-code' },
        { lines: refusedWith(1, 'resources/read', -32099), shows: 'undefined-code' },
      ],
    },
    'error-codes.retired-not-emitted': {
      good: [refusedWith(1, 'resources/read', -32602)],
      bad: [{ lines: refusedWith(1, 'resources/read', -32002), shows: 'not-found' }],
    },
    'error-codes.legacy-range-unused': {
      good: [refusedWith(1, 'resources/read', -32602)],
      bad: [
        { lines: refusedWith(1, 'resources/read', -32001), shows: 'used' },
        { lines: refusedWith(1, 'resources/read', -32000), shows: 'used' },
      ],
    },
    'error-codes.application-codes-outside': {
      good: [
        { lines: refusedWith(1, 'resources/read', -1), shows: 'outside' },
        { lines: refusedWith(1, 'resources/read', -32700), shows: 'json-rpc' },
      ],
      bad: [{ lines: refusedWith(1, 'resources/read', -32500), shows: 'inside' }],
    },
    'error-codes.defined-meaning': {
      good: [
        {
          lines: refusedWith(1, 'tools/call', -32021, { requiredCapabilities: { extensions: {} } }),
          shows: 'extension-missing',
        },
        refusedWith(1, 'tools/call', -32021, { requiredCapabilities: {} }),
        { lines: deliberately(mismatch, 'http-request'), transport: 'streamable-http' },
        { lines: deliberately(mismatch, 'frame'), transport: 'streamable-http' },
        {
          lines: [...discoveredOverHttp, ...ofOtherVersion('1900-01-01')],
          transport: 'streamable-http',
          shows: 'version-of-header',
        },
      ],
      bad: [
        { lines: refusedWith(1, 'resources/read', -32020), shows: 'header-code-on-stdio' },
        { lines: mismatch, transport: 'streamable-http', shows: 'header-code-for-matching' },
        { lines: [...discoveredOverHttp, ...ofOtherVersion(version)], transport: 'streamable-http' },
        {
          lines: refusedWith(1, 'tools/call', -32021, { requiredCapabilities: { roots: {} } }),
          shows: 'capability-code-for-declared',
        },
        { lines: refusedWith(1, 'tools/call', -32022), shows: 'version-code-for-other-error' },
        {
          lines: [...refusedWith(1, 'server/discover', -32603), ...refusedWith(2, 'tools/call', -32022)],
          shows: 'version-code-for-supported',
        },
      ],
    },
    'discover.result-shape': {
      good: [discovered()],
      bad: [
        {
          lines: answeredWith(
            1,
            'server/discover',
            {},
            { supportedVersions: 'x', capabilities: {}, ...hints },
          ),
          shows: 'versions-no-list',
        },
        answeredWith(1, 'server/discover', {}, { supportedVersions: ['x', 7], capabilities: {}, ...hints }),
        {
          lines: answeredWith(1, 'server/discover', {}, { supportedVersions: [], ...hints }),
          shows: 'no-capabilities',
        },
      ],
    },
    'versioning.extension-identifiers': {
      legal: [{ lines: discovered({ extensions: {} }), isUnobserved: true }],
      good: [discovered({ extensions: { 'com.example/x': {} } })],
      bad: [
        { lines: discovered({ extensions: { x: {} } }), shows: 'no-prefix' },
        {
          lines: discovered({ extensions: { 'com.example/x': true } }),
          also: ['base.schema-valid'],
          shows: 'settings-no-object',
        },
        { lines: discovered({ extensions: { 'com.example/x': {}, x: {} } }), shows: 'no-prefix' },
      ],
    },
    'caching.hints-on-cacheable-results': {
      good: [listed()],
      legal: [
        { lines: answeredWith(1, 'tools/call', { name: 't' }, { content: [] }), shows: 'other-methods' },
        { transport: 'streamable-http', lines: withoutHeader, shows: 'no-header' },
      ],
      bad: [
        { lines: listed({ tools: [] }), shows: 'none' },
        { lines: listed({ ...tools(), cacheScope: 'shared' }), shows: 'scope-unknown' },
        { lines: listed({ ...tools(), ttlMs: '-1' }), shows: 'ttl-retyped' },
        {
          lines: [
            ...listed({ ...tools(), nextCursor: 'a' }),
            ...answeredWith(2, 'tools/list', { cursor: 'a' }, { tools: [] }),
          ],
          shows: 'first-page-only',
        },
      ],
    },
    'caching.ttl-not-negative': {
      good: [{ lines: listed({ ...tools(), ttlMs: 2 ** 40 }), shows: 'large' }],
      // a task, which has no hints for caches
      legal: [{ lines: listed({ ...tools(), ttlMs: -1, taskId: 't' }), shows: 'other-object' }],
      bad: [{ lines: listed({ ...tools(), ttlMs: -1 }), shows: 'negative' }],
    },
    'caching.no-hints-on-input-required': {
      good: [asksFor(1, { requestState: 's' })],
      bad: [
        { lines: asksFor(1, { requestState: 's', ttlMs: 1 }), shows: 'both' },
        { lines: asksFor(1, { requestState: 's', cacheScope: 'public' }), shows: 'scope' },
      ],
    },
    'caching.same-scope-on-all-pages': {
      good: [
        [
          ...listed({ ...tools(), nextCursor: 'a' }),
          ...answeredWith(2, 'tools/list', { cursor: 'a' }, tools()),
        ],
      ],
      bad: [
        {
          lines: [
            ...listed({ ...tools(), nextCursor: 'a' }),
            ...answeredWith(2, 'tools/list', { cursor: 'a' }, { ...tools(), cacheScope: 'public' }),
          ],
          shows: 'differs',
        },
      ],
    },
    'elicitation.url-parameters': {
      good: [asksFor(1, { inputRequests: page({ url: 'https://e.com/' }) })],
      bad: [{ lines: asksFor(1, { inputRequests: page({}) }), shows: 'no-url' }],
    },
    'mrtr.no-other-requests': {
      good: [asksFor(1, { requestState: 's' })],
      bad: [
        {
          lines: asksFor(1, { requestState: 's' }, 'tools/list', {}),
          also: ['base.schema-valid'],
          shows: 'other-method',
        },
      ],
    },
    'mrtr.one-of-two': {
      good: [
        { lines: asksFor(1, { requestState: 's' }), shows: 'state-alone' },
        { lines: asksFor(1, { inputRequests: elicit }), shows: 'questions-alone' },
      ],
      legal: [
        { lines: asksFor(1, { inputRequests: {} }), shows: 'no-questions' },
        {
          lines: [
            ...listed(tools({ ...tool({}), outputSchema: { type: 'object', required: ['n'] } })),
            ...asksFor(2, { inputRequests: elicit }),
          ],
          shows: 'output-schema',
        },
      ],
      bad: [{ lines: asksFor(1, {}), shows: 'neither' }],
    },
    'mrtr.request-kinds': {
      good: [asksFor(1, { inputRequests: elicit })],
      bad: [
        { lines: asksFor(1, { inputRequests: { q: { method: 'tools/list' } } }), shows: 'other-method' },
        // members of each object
        { lines: asksFor(1, { inputRequests: { q: { method: 'toString' } } }), shows: 'inherited-name' },
        asksFor(1, { inputRequests: { q: { method: '__proto__' } } }),
        { lines: asksFor(1, { inputRequests: { q: 7 } }), also: ['base.schema-valid'] },
      ],
    },
    'mrtr.only-declared-kinds': {
      good: [asksFor(1, { inputRequests: elicit })],
      bad: [
        {
          lines: [
            [
              'c',
              enveloped(1, 'tools/call', { name: 't' }, { 'io.modelcontextprotocol/clientCapabilities': {} }),
            ],
            ['s', complete(1, { resultType: 'input_required', inputRequests: elicit })],
          ],
          also: ['lifecycle.respect-capabilities'],
          shows: 'elicitation',
        },
        // another request declared it
        {
          lines: [
            ...answeredWith(1, 'tools/list', {}, tools()),
            [
              'c',
              enveloped(2, 'tools/call', { name: 't' }, { 'io.modelcontextprotocol/clientCapabilities': {} }),
            ],
            ['s', complete(2, { resultType: 'input_required', inputRequests: elicit })],
          ],
          also: ['lifecycle.respect-capabilities'],
        },
      ],
    },
    'roots.capability-checked': {
      good: [asksFor(1, { inputRequests: roots })],
      bad: [
        // a later request declares it
        {
          lines: [
            [
              'c',
              enveloped(1, 'tools/call', { name: 't' }, { 'io.modelcontextprotocol/clientCapabilities': {} }),
            ],
            ['s', complete(1, { resultType: 'input_required', inputRequests: roots })],
            ...answeredWith(2, 'tools/list', {}, tools()),
          ],
          also: ['mrtr.only-declared-kinds'],
        },
      ],
    },
    'mrtr.keys-unique': {
      good: [asksFor(1, { inputRequests: { a: elicit.q!, b: elicit.q! } })],

      legal: [{ lines: asksFor(1, { requestState: 's' }), isUnobserved: true }],
      bad: [
        {
          lines: [
            ['c', call()],
            [
              's',
              JSON.stringify(
                complete(1, { resultType: 'input_required', inputRequests: { a: elicit.q!, b: elicit.q! } }),
              ).replace('"b":', '"a":'),
            ],
          ],
          shows: 'twice',
        },
      ],
    },
    'mrtr.only-way': {
      good: [asksFor(1, { inputRequests: elicit })],
      bad: [
        {
          lines: refusedWith(1, 'tools/call', -32042),
          also: ['error-codes.retired-not-emitted'],
          shows: 'error',
        },
      ],
    },
    'patterns.server-no-requests': {
      good: [asksFor(1, { inputRequests: elicit })],

      legal: [
        // a client that falls back to an earlier revision
        {
          lines: [...handshake(latestRevision, {}, everythingOfClient), ['s', request(1, 'ping')]],
          isUnobserved: true,
        },
      ],
      bad: [{ lines: [['s', request(1, 'x/y')]], also: ['transport.message-directions'], shows: 'other' }],
    },
    'transport.message-directions': {
      good: [asksFor(1, { inputRequests: elicit })],
      bad: [
        { lines: [['s', request(1, 'x/y')]], also: ['patterns.server-no-requests'], shows: 'server-request' },
        {
          lines: [
            ['c', enveloped(1, 'tools/list', {}, { 'io.modelcontextprotocol/clientCapabilities': {} })],
            ['s', request(1, 'roots/list')],
          ],
          also: ['patterns.server-no-requests', 'mrtr.only-way', 'roots.delivered-as-input-request'],
        },
      ],
    },
    'roots.delivered-as-input-request': {
      good: [asksFor(1, { inputRequests: roots })],
      bad: [
        {
          lines: [['s', request(1, 'roots/list')]],
          also: ['patterns.server-no-requests', 'transport.message-directions', 'mrtr.only-way'],
          shows: 'request',
        },
      ],
    },
    'sampling.delivered-as-input-request': {
      good: [
        asksFor(1, {
          inputRequests: { q: { method: 'sampling/createMessage', params: { messages: [], maxTokens: 1 } } },
        }),
      ],
      bad: [
        {
          lines: [['s', request(1, 'sampling/createMessage', { messages: [], maxTokens: 1 })]],
          also: ['patterns.server-no-requests', 'transport.message-directions', 'mrtr.only-way'],
          shows: 'request',
        },
      ],
    },
    'subscriptions.ack-first': {
      good: [
        [listens(1, {}), acknowledged(1, {})],
        [listens(1, {}), unheard(1), acknowledged(1, {})],
      ],
      legal: [
        [listens(1, {}), { ...unheard(1), hurried: true }, ...answeredWith(2, 'tools/list', {}, tools())],
        [listens(1, {}), unheard(1), ['c', enveloped(2, 'tools/list')]],
        [listens(1, {}), unheard(7), ...asks(2)],
        { lines: [listens(1, {}), ['s', error(1, -32603)] as const], shows: 'refused' },
        {
          transport: 'streamable-http',
          lines: [
            ...posted(1, enveloped(1, 'subscriptions/listen', { notifications: {} }), 501, []),
            unheard(1),
            ...posted(2, enveloped(2, 'tools/list'), 200, [complete(2, tools())]),
          ],
          shows: 'refused-by-http',
        },
      ],
      bad: [
        {
          lines: [listens(1, {}), tagged(1, 'notifications/subscriptions/acknowledged')],
          shows: 'no-filter',
        },
        { lines: [listens(1, {}), ['s', ended] as const], shows: 'result-first' },
        {
          lines: [listens(1, {}), unheard(1), ...answeredWith(2, 'tools/list', {}, tools())],
          shows: 'silent',
        },
        {
          lines: [listens(1, {}), ['s', notification('notifications/subscriptions/acknowledged')] as const],
          also: ['base.schema-valid', 'subscriptions.notifications-tagged'],
        },
        {
          lines: [untaggedAck, listens(1, {}), unheard(1), ...asks(2)],
          also: ['subscriptions.notifications-tagged'],
        },
        { lines: [listens(1, {}), unheard(1), untaggedAck], also: ['subscriptions.notifications-tagged'] },
      ],
    },
    'subscriptions.nothing-before-ack': {
      good: [[listens(1, {}), acknowledged(1, {})]],
      bad: [
        {
          lines: [listens(1, { toolsListChanged: true }), tagged(1, note), acknowledged(1, {})],
          also: ['subscriptions.ack-first'],
          shows: 'change',
        },
        {
          lines: [listens(1, { toolsListChanged: true }), tagged(1, note)],
          also: ['subscriptions.ack-first'],
        },
      ],
    },
    'subscriptions.stays-open': {
      good: [[...begun, ...asks(2)], begun],
      legal: [
        {
          lines: [listens(1, {}), acknowledged(1, {}), ['s', ended] as const, ...asks(2)],
          shows: 'nothing-agreed',
        },
        {
          lines: [
            ...begun,
            listens(2, { promptsListChanged: true }),
            ['s', ended] as const,
            acknowledged(2, { promptsListChanged: true }),
            ...asks(3),
          ],
          shows: 'replaced',
        },
        { lines: [...begun, ['s', ended] as const], shows: 'shutdown' },
        {
          lines: [
            ...begun,
            ['c', notification('notifications/cancelled', { requestId: 1 })],
            ['s', ended] as const,
            ...asks(2),
          ],
          also: ['cancellation.no-response'],
          shows: 'cancelled',
        },
        // before the acknowledgement
        {
          lines: [
            listens(1, { toolsListChanged: true }),
            ['c', notification('notifications/cancelled', { requestId: 1 })],
            acknowledged(1, { toolsListChanged: true }),
            ['s', ended] as const,
            ...asks(2),
          ],
          also: ['cancellation.no-response'],
        },
        [...begun, { kind: 'input-closed' }, ['s', ended] as const, ...asks(2)],
        [...begun, ['s', error(1, -32603)] as const, ...asks(2)],
      ],
      bad: [{ lines: [...begun, ['s', ended] as const, ...asks(2)], shows: 'at-once' }],
    },
    'subscriptions.ack-subset': {
      good: [
        [listens(1, { toolsListChanged: true }), acknowledged(1, { toolsListChanged: true })],
        {
          lines: [
            listens(1, { resourceSubscriptions: ['a:b'] }),
            acknowledged(1, { resourceSubscriptions: [] }),
          ],
          shows: 'fewer-resources',
        },
        [listens(1, { resourceSubscriptions: ['a:b'] }), acknowledged(1, { resourceSubscriptions: ['a:b'] })],
      ],
      legal: [
        { lines: [listens(1, {}), acknowledged(1, { toolsListChanged: false })], shows: 'states-false' },
        [
          ...discovered({ tools: { listChanged: true }, resources: {} }),
          listens(2, { toolsListChanged: true, resourceSubscriptions: ['a:b'] }),
          acknowledged(2, { toolsListChanged: true, resourceSubscriptions: [] }),
        ],
      ],
      bad: [
        { lines: [listens(1, {}), acknowledged(1, { toolsListChanged: true })], shows: 'not-requested' },
        {
          lines: [listens(1, { toolsListChanged: true }), acknowledged(1, {}), tagged(1, note)],
          shows: 'not-agreed',
        },
        {
          lines: [
            ...discovered({ tools: {} }),
            listens(2, { toolsListChanged: true }),
            acknowledged(2, { toolsListChanged: true }),
          ],
          shows: 'unsupported',
        },
        {
          lines: [
            listens(1, { resourceSubscriptions: ['a:b'] }),
            acknowledged(1, { resourceSubscriptions: ['a:c'] }),
          ],
          shows: 'other-resource',
        },
        {
          lines: [
            listens(1, { toolsListChanged: true }),
            tagged(1, note),
            acknowledged(1, { promptsListChanged: true }),
          ],
          also: ['subscriptions.ack-first', 'subscriptions.nothing-before-ack'],
        },
      ],
    },
    'subscriptions.notifications-tagged': {
      good: [{ lines: [listens('', {}), acknowledged('', {})], shows: 'empty-id' }],
      bad: [
        { lines: [listens(1, {}), acknowledged(1, {}), ['s', complete(1)]], shows: 'end-untagged' },
        {
          lines: [listens(1, {}), untaggedAck],
          shows: 'acknowledgement-untagged',
        },
        [listens(1, {}), untaggedAck, unheard(1), ...asks(2)],
        // a change on stdio, of a list and of a resource
        [...begun, ['s', notification(note)]],
        [
          listens(1, { resourceSubscriptions: ['a:b'] }),
          acknowledged(1, { resourceSubscriptions: ['a:b'] }),
          ['s', notification('notifications/resources/updated', { uri: 'a:b' })],
        ],
        // the state of a task for a subscription that does not exist
        [listens(1, {}), acknowledged(1, {}), tagged(2, 'notifications/tasks', workingTask)],
        {
          transport: 'streamable-http',
          lines: posted(
            1,
            enveloped(1, 'subscriptions/listen', { notifications: { toolsListChanged: true } }),
            200,
            [agreedToTools, notification(note), ended],
          ),
          shows: 'change-untagged',
        },
      ],
    },
    'subscriptions.only-requested-types': {
      good: [[...begun, tagged(1, note)]],

      legal: [{ lines: [listens(1, {}), acknowledged(1, {})], isUnobserved: true }],
      bad: [
        {
          lines: [listens(1, {}), acknowledged(1, {}), tagged(1, note)],
          also: ['tools.list-changed-opt-in'],
          shows: 'other-list',
        },
      ],
    },
    'cancellation.no-further-messages': {
      good: [[...cancelledListen, tagged(1, note), ...asks(2), ...asks(3)]],
      legal: [
        // one later request is not enough
        [...cancelledListen, ...asks(2), tagged(1, note)],
        // another request, and another subscription
        [
          ...begun,
          ['c', enveloped(5, 'tools/call', { name: 't' })],
          ['c', notification('notifications/cancelled', { requestId: 5 })],
          listens(4, { toolsListChanged: true }),
          acknowledged(4, {}),
          ['c', notification('notifications/cancelled', { requestId: 4 })],
          ...asks(2),
          ...asks(3),
          tagged(1, note),
        ],
      ],
      bad: [[...cancelledListen, ...asks(2), ...asks(3), tagged(1, note)]],
    },
    'tools.list-changed-opt-in': {
      good: [[...begun, tagged(1, note)]],
      bad: [{ lines: [['s', notification(note)]], shows: 'no-subscription' }],
    },
    'prompts.list-changed-opt-in': {
      good: [
        [
          listens(1, { promptsListChanged: true }),
          acknowledged(1, { promptsListChanged: true }),
          tagged(1, 'notifications/prompts/list_changed'),
        ],
      ],
      bad: [{ lines: [['s', notification('notifications/prompts/list_changed')]], shows: 'no-subscription' }],
    },
    'resources.list-changed-opt-in': {
      good: [
        [
          listens(1, { resourcesListChanged: true }),
          acknowledged(1, { resourcesListChanged: true }),
          tagged(1, 'notifications/resources/list_changed'),
        ],
      ],
      bad: [
        { lines: [['s', notification('notifications/resources/list_changed')]], shows: 'no-subscription' },
      ],
    },
    'cancellation.server-only-listen': {
      good: [
        {
          lines: [
            listens(1, {}),
            acknowledged(1, {}),
            ['s', notification('notifications/cancelled', { requestId: 1 })],
          ],
          shows: 'listen',
        },
      ],
      bad: [
        {
          lines: [
            ['c', call()],
            ['s', notification('notifications/cancelled', { requestId: 1 })],
          ],
          also: ['cancellation.server-references-listen'],
          shows: 'call',
        },
      ],
    },
    'cancellation.server-references-listen': {
      good: [
        {
          lines: [
            listens(1, {}),
            acknowledged(1, {}),
            ['s', notification('notifications/cancelled', { requestId: 1 })],
          ],
          shows: 'listen',
        },
      ],
      bad: [
        {
          lines: [listens(1, {}), ['s', notification('notifications/cancelled', { requestId: '1' })]],
          also: ['cancellation.server-only-listen'],
          shows: 'retyped',
        },
        {
          lines: [
            ['s', notification('notifications/cancelled', { requestId: 1 })],
            listens(1, {}),
            acknowledged(1, {}),
          ],
          also: ['cancellation.server-only-listen'],
        },
        {
          lines: [listens(1, {}), acknowledged(1, {}), ['s', notification('notifications/cancelled')]],
          also: ['cancellation.server-only-listen', 'cancellation.request-id-given'],
        },
      ],
    },
    'base.schema-valid': {
      good: [listed()],
      bad: [
        ...([{ level: 'loud', data: 'x' }, undefined].map(params => ({
          lines: [
            ['c', call(level)],
            ['s', notification('notifications/message', params)],
            ['s', called],
          ],
          shows: 'value-unknown',
        })) as Example[]),
      ],
    },
    'logging.no-log-level-no-messages': {
      good: [logging(level), { lines: posted(1, call(level), 200, [log, called]), transport: http }],
      legal: [
        // which request the log message belongs to is unclear
        [...logging(level), ...nextCall, ['s', log]],
        {
          lines: [
            ['c', initialize],
            ['s', log],
            ['s', accepted],
          ],
          isUnobserved: true,
          shows: 'session',
        },
        {
          lines: posted(1, initialize, 200, [log, accepted]),
          transport: http,
          isUnobserved: true,
          shows: 'session',
        },
      ],
      bad: [
        {
          lines: [
            ['c', initialize],
            ['s', log],
            ['s', error('init', -32601)],
          ],
          shows: 'other-method',
        },
        { lines: logging({}), shows: 'call' },
        { lines: posted(1, call(), 200, [log, called]), transport: http, shows: 'call' },
        // before a request with a level, with a level that was for an earlier one, and without any request
        { lines: [...logging({}), ['c', enveloped(2, 'tools/call', { name: 't' }, level)]], shows: 'call' },
        {
          lines: [
            ...logging(level),
            ['c', enveloped(2, 'tools/call', { name: 't' })],
            ['s', complete(2, { content: [] })],
            ['c', enveloped(3, 'tools/call', { name: 't' })],
            ['s', log],
          ],
          shows: 'level-kept',
        },
        [['s', log]],
        [
          ['c', enveloped(2, 'subscriptions/listen', { notifications: {} }, level)],
          acknowledged(2, {}),
          ['s', log],
        ],
      ],
    },
    'logging.before-final-response': {
      legal: [[...logging(level), ...nextCall, ['s', log]]],
      good: [
        logging(level),
        [
          ['c', call(level)],
          ['s', log],
        ],
      ],
      bad: [
        {
          lines: [
            ['c', call(level)],
            ['s', called],
            ['s', log],
          ],
          shows: 'late',
        },
        {
          lines: [listens(2, {}), acknowledged(2, {}), ['c', call(level)], ['s', called], ['s', log]],
          shows: 'late',
        },
        // beside a request that was cancelled
        {
          lines: [
            ...nextCall,
            ['c', notification('notifications/cancelled', { requestId: 2 })],
            ['c', call(level)],
            ['s', called],
            ['s', log],
          ],
          shows: 'late',
        },
        { lines: posted(1, call(level), 200, [called, log]), transport: http, shows: 'late' },
      ],
    },
    'logging.own-response-stream-only': {
      good: [
        logging(level),
        {
          lines: [
            ...posted(1, enveloped(9, 'tools/list'), 200, [complete(9, tools())]),
            ...posted(2, call(level), 200, [log, called]),
          ],
          transport: http,
        },
      ],
      bad: [
        {
          lines: [
            listens(2, {}),
            acknowledged(2, {}),
            tagged(2, 'notifications/message', { level: 'info', data: 'x' }),
          ],
          shows: 'subscription',
        },
        // on the stream of another request
        {
          lines: [
            ...posted(1, call(level), 200, []).slice(0, -1),
            ...posted(2, enveloped(9, 'tools/list'), 200, [log, complete(9, tools())]),
          ],
          transport: http,
        },
      ],
    },
    'logging.no-messages-below-level': {
      legal: [{ lines: logging(leastOf('loud')), isUnobserved: true }],
      good: [
        logging(leastOf('debug'), 'debug'),
        // the least severe level of all requests in flight holds
        ...[
          ['error', 'debug'],
          ['debug', 'error'],
        ].map(([first, second]): Line[] => [
          ['c', enveloped(7, 'tools/call', { name: 't' }, leastOf(first!))],
          ['c', enveloped(8, 'tools/call', { name: 't' }, leastOf(second!))],
          ['s', log],
        ]),
      ],
      bad: [{ lines: logging(leastOf('warning')), shows: 'below-level-of-request' }],
    },
    'tools.x-mcp-header-not-sensitive': {
      good: [
        annotated('Region'),
        {
          lines: listed(
            tools(tool({ type: 'string' }, { page_token: { type: 'string', 'x-mcp-header': 'P' } })),
          ),
          shows: 'page-token',
        },
      ],
      bad: [
        {
          lines: listed(
            tools(tool({ type: 'string' }, { password: { type: 'string', 'x-mcp-header': 'P' } })),
          ),
          shows: 'password',
        },
        ...[{ format: 'password' }, { writeOnly: true }].map(more =>
          annotated('Region', { type: 'string', ...more }),
        ),
      ],
    },
  }),

  ...twice(
    ['http-headers.custom-name-not-empty', 'tools.x-mcp-header-not-empty'],
    annotated('Region'),
    annotated(''),
    [],
    [annotated(7), annotated(['\n'])],
  ),
  ...twice(
    ['http-headers.custom-name-token', 'tools.x-mcp-header-token'],
    annotated('Region'),
    annotated('a b'),
  ),
  ...twice(
    ['http-headers.custom-name-no-controls', 'tools.x-mcp-header-no-control-characters'],
    annotated('Region'),
    annotated('a\n'),
    ['http-headers.custom-name-token', 'tools.x-mcp-header-token'],
  ),
  ...twice(
    ['http-headers.custom-name-unique', 'tools.x-mcp-header-unique'],
    annotated('Region'),
    annotated('A', { type: 'string' }, { other: { type: 'string', 'x-mcp-header': 'a' } }),
  ),
  ...twice(
    ['http-headers.custom-primitive', 'tools.x-mcp-header-primitive-types'],
    annotated('Region', { type: 'integer' }, { other: { 'x-mcp-header': 'Other' } }),
    annotated('Region', { type: 'number' }),
  ),
  ...twice(
    ['http-headers.custom-reachable', 'tools.x-mcp-header-statically-reachable'],
    annotated('Region'),
    listed(tools(tool({ type: 'array', items: { type: 'string', 'x-mcp-header': 'A' } }))),
    ['http-headers.custom-not-through'],
  ),

  ...stateless(
    {
      'http-headers.custom-not-through': {
        good: [overHttp(annotated('Region'))],
        bad: [
          {
            lines: overHttp(listed(tools(tool({ anyOf: [{ type: 'string', 'x-mcp-header': 'A' }] })))),
            also: ['http-headers.custom-reachable', 'tools.x-mcp-header-statically-reachable'],
            shows: 'composition',
          },
        ],
      },
      'streamable-http.method-not-found-404': {
        good: [posted(1, enveloped(1, 'x/y'), 404, [error(1, -32601)])],
        legal: [
          // the endpoint serves nothing any more
          {
            lines: [
              ...posted(1, enveloped(1, 'tools/list'), 200, [complete(1, { tools: [], ...hints })]),
              ...posted(2, enveloped(2, 'x/y'), 404, []),
            ],
            isUnobserved: true,
          },
          { lines: posted(1, enveloped(1, 'tools/list'), 200, [error(1, -32601)]), shows: 'not-declared' },
          {
            lines: deliberately(posted(1, request(1, 'initialize', {}), 400, [error(1, -32601)])),
            shows: 'without-version',
            isUnobserved: true,
          },
          {
            lines: posted(1, enveloped(1, 'x/y', {}, level), 200, [log, error(1, -32601)]),
            isUnobserved: true,
          },
        ],
        bad: [
          { lines: posted(1, enveloped(1, 'x/y'), 200, [error(1, -32601)]), shows: 'status-200' },
          {
            lines: [
              ...posted(1, enveloped(1, 'x/y'), 404, []),
              ...posted(2, enveloped(2, 'tools/list'), 200, [complete(2, { tools: [], ...hints })]),
            ],
            shows: 'no-error',
          },
          [
            ...ask(1, 'POST', enveloped(1, 'x/y'), 200, 'text/event-stream', {
              headers: { 'X-Accel-Buffering': 'no' },
            }),
            ...event(1, error(1, -32601)),
            end(1),
          ],
        ],
      },
      'http-headers.mismatch-http-400': {
        good: [deliberately(posted(1, enveloped(1, 'tools/list'), 400, [error(1, -32020)]))],
        bad: [
          {
            lines: deliberately(posted(1, enveloped(1, 'tools/list'), 422, [error(1, -32020)])),
            shows: 'other-error-status',
          },
        ],
      },
      'meta.missing-capability-http-400': {
        good: [posted(1, call(), 400, [error(1, -32021)])],
        bad: [{ lines: posted(1, call(), 200, [error(1, -32021)]), shows: 'status-200' }],
      },
      'http-headers.unsupported-version-400': {
        good: [posted(1, call(), 400, [error(1, -32022)])],
        bad: [{ lines: posted(1, call(), 200, [error(1, -32022)]), shows: 'status-200' }],
      },
      'subscriptions.no-request-scoped': {
        good: [posted(1, listening, 200, [agreed, ended])],

        legal: [{ lines: posted(1, listening, 400, [error(1, -32603)]), isUnobserved: true }],
        bad: [
          {
            lines: posted(1, listening, 200, [agreed, log, ended]),
            also: ['logging.own-response-stream-only'],
            shows: 'log',
          },
          {
            lines: posted(1, listening, 200, [agreed, complete(9), ended]),
            also: ['jsonrpc.response-id-matches', 'subscriptions.notifications-tagged'],
            shows: 'response',
          },
          {
            lines: posted(1, listening, 200, [agreed, error(9), ended]),
            also: ['jsonrpc.response-id-matches'],
          },
        ],
      },
      'streamable-http.sse-no-buffering-header': {
        good: [
          posted(1, call(level), 200, [log, called]),
          posted(1, call(level), 200, [log, called], { 'X-Accel-Buffering': ' No ' }),
        ],
        bad: [
          {
            lines: posted(1, call(level), 200, [log, called], { 'X-Accel-Buffering': 'yes' }),
            shows: 'yes-value',
          },
          {
            lines: [
              ...ask(1, 'POST', call(), 200, 'text/event-stream', {
                sent: { 'MCP-Protocol-Version': version },
              }),
              ...event(1, called),
              end(1),
            ],
            shows: 'missing',
          },
        ],
      },
      'streamable-http.old-session-header-ignored': {
        good: [posted(1, call(), 200, [called])],

        legal: [
          {
            lines: ask(1, 'GET', undefined, 405, undefined, {
              headers: { 'Mcp-Session-Id': 'x' },
              sent: { 'MCP-Protocol-Version': version },
            }),
            isUnobserved: true,
          },
          { lines: posted(1, call(), 200, []).slice(0, 2), isUnobserved: true },
          // requests of an earlier revision: by the body, and by the header
          {
            lines: posted(1, request(1, 'tools/list'), 400, [error(1, -32602)], { 'Mcp-Session-Id': 'x' }),
            isUnobserved: true,
          },
          {
            lines: [
              ...ask(1, 'POST', call(), 400, 'application/json', { headers: { 'Mcp-Session-Id': 'x' } }),
              body(1, error(1, -32602)),
              end(1),
            ],
            isUnobserved: true,
          },
        ],
        bad: [{ lines: posted(1, call(), 200, [called], { 'Mcp-Session-Id': 'x' }), shows: 'minted' }],
      },
    },
    'streamable-http',
  ),
};

/** The same lines, sent against a rule on purpose. */
function deliberately(
  lines: ReturnType<typeof posted>,
  ...kinds: ('http-request' | 'frame')[]
): ReturnType<typeof posted> {
  const marked: readonly string[] = kinds.length > 0 ? kinds : ['http-request', 'frame'];
  return lines.map(line =>
    !Array.isArray(line) &&
    'kind' in line &&
    marked.includes(line.kind) &&
    (line.kind === 'http-request' || (line.kind === 'frame' && line.by === 'client'))
      ? { ...line, deliberate: true }
      : line,
  );
}
