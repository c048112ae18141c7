import type { Json, JsonObject } from '../../../spec/json-rpc.js';
import type { ExampleTable } from '../example.test.util.js';
import { error, notification, request } from '../record.test.util.js';
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
} from '../stateless.test.util.js';

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
): ExampleTable => ({
  ...stateless({
    [second]: {
      good: [good],
      bad: [{ lines: bad, also: others.filter(o => o.startsWith('tools')) as never }],
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

/** The first message of a subscription did not arrive in time. */
const unheard = (request: number) => ({ kind: 'deadline', label: 'message', ms: 9, request }) as const;

/** A subscription that the client has cancelled. */
const cancelledListen = [
  listens(1, { toolsListChanged: true }),
  acknowledged(1, {}),
  ['c', notification('notifications/cancelled', { requestId: 1 })],
] as const;
const asks = (id: number) => answeredWith(id, 'tools/list', {}, tools());

const elicit: JsonObject = {
  q: {
    method: 'elicitation/create',
    params: { message: 'm', requestedSchema: { type: 'object', properties: {} } },
  },
};
const roots: JsonObject = { q: { method: 'roots/list' } };
const note = 'notifications/tools/list_changed';
const level = { 'io.modelcontextprotocol/logLevel': 'info' };
const log = notification('notifications/message', { level: 'info', data: 'x' });
const call = (meta: JsonObject = {}) => enveloped(1, 'tools/call', { name: 't' }, meta);
const called = complete(1, { content: [] });

const [listening, agreed] = [listens(1, {}), acknowledged(1, {})].map(
  line => (line as [string, Json])[1],
) as [Json, Json];
const ended = complete(1, {}, { 'io.modelcontextprotocol/subscriptionId': 1 });

const trace = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01';
const sample = (role: string): JsonObject => ({
  method: 'sampling/createMessage',
  params: { messages: [{ role, content: { type: 'text', text: 'x' } }], maxTokens: 1 },
});

export const examples: ExampleTable = {
  ...stateless({
    'result.type-present': {
      good: [listed()],
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
      ],
    },
    'result.type-known': {
      good: [listed()],
      bad: [{ lines: listed({ ...tools(), resultType: 'task' }), shows: 'unknown' }],
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
      ],
      legal: [
        {
          lines: [
            ['c', enveloped(1, 'tools/list')],
            ['s', complete(1, tools(), { tracestate: 'a=1,b=2' })],
          ],
          shows: 'tracestate',
        },
      ],
      bad: [
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
      ],
    },
    'sampling.message-shape': {
      good: [asksFor(1, { inputRequests: { q: sample('user') } })],
      bad: [
        {
          lines: asksFor(1, { inputRequests: { q: sample('system') } }),
          also: ['base.schema-valid'],
          shows: 'other-role',
        },
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
    'error-codes.reserved-range-undefined': {
      good: [refusedWith(1, 'resources/read', -32603)],
      legal: [{ lines: refusedWith(1, 'resources/read', 7), shows: 'outside' }],
      bad: [{ lines: refusedWith(1, 'resources/read', -32050), shows: 'undefined-code' }],
    },
    'error-codes.retired-not-emitted': {
      good: [refusedWith(1, 'resources/read', -32602)],
      bad: [{ lines: refusedWith(1, 'resources/read', -32002), shows: 'not-found' }],
    },
    'error-codes.legacy-range-unused': {
      good: [refusedWith(1, 'resources/read', -32602)],
      bad: [{ lines: refusedWith(1, 'resources/read', -32001), shows: 'used' }],
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
      ],
      bad: [
        { lines: refusedWith(1, 'resources/read', -32020), shows: 'header-code-on-stdio' },
        {
          lines: refusedWith(1, 'tools/call', -32021, { requiredCapabilities: { roots: {} } }),
          shows: 'capability-code-for-declared',
        },
        { lines: refusedWith(1, 'tools/call', -32022), shows: 'version-code-for-other-error' },
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
        {
          lines: answeredWith(1, 'server/discover', {}, { supportedVersions: [], ...hints }),
          shows: 'no-capabilities',
        },
      ],
    },
    'versioning.extension-identifiers': {
      good: [discovered({ extensions: { 'com.example/x': {} } })],
      bad: [
        { lines: discovered({ extensions: { x: {} } }), shows: 'no-prefix' },
        { lines: discovered({ extensions: { 'com.example/x': true } }), shows: 'settings-no-object' },
      ],
    },
    'caching.hints-on-cacheable-results': {
      good: [listed()],
      legal: [
        { lines: answeredWith(1, 'tools/call', { name: 't' }, { content: [] }), shows: 'other-methods' },
      ],
      bad: [
        { lines: listed({ tools: [] }), shows: 'none' },
        { lines: listed({ ...tools(), cacheScope: 'shared' }), shows: 'scope-unknown' },
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
      bad: [{ lines: asksFor(1, { requestState: 's', ttlMs: 1 }), shows: 'both' }],
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
      ],
    },
    'mrtr.keys-unique': {
      good: [asksFor(1, { inputRequests: { a: elicit.q!, b: elicit.q! } })],
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
      bad: [{ lines: [['s', request(1, 'x/y')]], also: ['transport.message-directions'], shows: 'other' }],
    },
    'transport.message-directions': {
      good: [asksFor(1, { inputRequests: elicit })],
      bad: [
        { lines: [['s', request(1, 'x/y')]], also: ['patterns.server-no-requests'], shows: 'server-request' },
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
        [listens(1, {}), unheard(1)],
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
      ],
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
      ],
      legal: [
        { lines: [listens(1, {}), acknowledged(1, { toolsListChanged: false })], shows: 'states-false' },
      ],
      bad: [
        { lines: [listens(1, {}), acknowledged(1, { toolsListChanged: true })], shows: 'not-requested' },
        {
          lines: [
            listens(1, { resourceSubscriptions: ['a:b'] }),
            acknowledged(1, { resourceSubscriptions: ['a:c'] }),
          ],
          shows: 'other-resource',
        },
      ],
    },
    'subscriptions.notifications-tagged': {
      good: [{ lines: [listens('', {}), acknowledged('', {})], shows: 'empty-id' }],
      bad: [
        { lines: [listens(1, {}), acknowledged(1, {}), ['s', complete(1)]], shows: 'end-untagged' },
        {
          lines: [
            listens(1, {}),
            ['s', notification('notifications/subscriptions/acknowledged', { notifications: {} })],
          ],
          shows: 'acknowledgement-untagged',
        },
      ],
    },
    'subscriptions.only-requested-types': {
      good: [[listens(1, { toolsListChanged: true }), acknowledged(1, {}), tagged(1, note)]],
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
      bad: [[...cancelledListen, ...asks(2), ...asks(3), tagged(1, note)]],
    },
    'tools.list-changed-opt-in': {
      good: [[listens(1, { toolsListChanged: true }), acknowledged(1, {}), tagged(1, note)]],
      bad: [{ lines: [['s', notification(note)]], shows: 'no-subscription' }],
    },
    'prompts.list-changed-opt-in': {
      good: [
        [
          listens(1, { promptsListChanged: true }),
          acknowledged(1, {}),
          tagged(1, 'notifications/prompts/list_changed'),
        ],
      ],
      bad: [{ lines: [['s', notification('notifications/prompts/list_changed')]], shows: 'no-subscription' }],
    },
    'resources.list-changed-opt-in': {
      good: [
        [
          listens(1, { resourcesListChanged: true }),
          acknowledged(1, {}),
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
      ],
    },
    'logging.no-log-level-no-messages': {
      good: [
        [
          ['c', call(level)],
          ['s', log],
          ['s', called],
        ],
      ],
      bad: [
        {
          lines: [
            ['c', call()],
            ['s', log],
            ['s', called],
          ],
          shows: 'call',
        },
      ],
    },
    'logging.before-final-response': {
      good: [
        [
          ['c', call(level)],
          ['s', log],
          ['s', called],
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
      ],
    },
    'logging.own-response-stream-only': {
      good: [
        [
          ['c', call(level)],
          ['s', log],
          ['s', called],
        ],
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
      ],
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
      ],
    },
  }),

  ...twice(
    ['http-headers.custom-name-not-empty', 'tools.x-mcp-header-not-empty'],
    annotated('Region'),
    annotated(''),
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
    annotated('Region', { type: 'integer' }),
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
          { lines: posted(1, enveloped(1, 'tools/list'), 200, [error(1, -32601)]), shows: 'not-declared' },
        ],
        bad: [{ lines: posted(1, enveloped(1, 'x/y'), 200, [error(1, -32601)]), shows: 'status-200' }],
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
        ],
      },
      'streamable-http.sse-no-buffering-header': {
        good: [posted(1, call(level), 200, [log, called])],
        bad: [
          {
            lines: posted(1, call(level), 200, [log, called], { 'X-Accel-Buffering': 'yes' }),
            shows: 'yes-value',
          },
        ],
      },
      'streamable-http.old-session-header-ignored': {
        good: [posted(1, call(), 200, [called])],
        bad: [{ lines: posted(1, call(), 200, [called], { 'Mcp-Session-Id': 'x' }), shows: 'minted' }],
      },
    },
    'streamable-http',
  ),
};

/** The same lines, sent against a rule on purpose. */
function deliberately(lines: ReturnType<typeof posted>): ReturnType<typeof posted> {
  return lines.map(line =>
    !Array.isArray(line) &&
    'kind' in line &&
    (line.kind === 'http-request' || (line.kind === 'frame' && line.by === 'client'))
      ? { ...line, deliberate: true }
      : line,
  );
}
