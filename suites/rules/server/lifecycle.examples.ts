import type { Json } from '../../../spec/json-rpc.js';
import { latestRevision, type Revision, type revisions } from '../../../spec/revisions.js';
import { vocabularyOf } from '../../../spec/vocabulary.js';
import type { ExampleTable } from '../example.test.util.js';
import { requestLine, resultLine, task, taskId } from '../ext-tasks.test.util.js';
import * as http from '../http-events.test.util.js';
import {
  asked,
  error,
  handshake,
  type Line,
  notification,
  opened,
  request,
  result,
} from '../record.test.util.js';
import { enveloped } from '../stateless.test.util.js';

const knows = (method: string) => (r: (typeof revisions)[number]) => {
  const { requests } = vocabularyOf(r);
  return requests.server.has(method);
};
const completed = { ref: { type: 'ref/prompt', name: 'p' }, argument: { name: 'a', value: 'b' } };
const lacks = (method: string) => (r: (typeof revisions)[number]) => !knows(method)(r);

const initializing = {
  protocolVersion: latestRevision.id,
  capabilities: {},
  clientInfo: { name: 'c', version: '1' },
};
const initialize = (answer: object): Line[] => [
  ['c', request(0, 'initialize', initializing)],
  [
    's',
    result(0, {
      protocolVersion: latestRevision.id,
      capabilities: {},
      serverInfo: { name: 's', version: '1' },
      ...answer,
    } as never),
  ],
];
const withIcons = (icons: unknown) => ({ serverInfo: { name: 's', version: '1', icons } });
/** Requests of one side, with different ids. */
const requestsOf = (by: 'c' | 's', count: number, method: string): Line[] =>
  Array.from({ length: count }, (_, i): Line => [by, request(i, method)]);
/** Methods of a server, with results. */
const ofServer: readonly [method: string, answer: Json][] = [
  ['tools/list', { tools: [{ name: 'a', inputSchema: { type: 'object' } }] }],
  ['tools/call', { content: [] }],
  ['tools/call', { content: [], isError: true }],
  ['completion/complete', { completion: { values: ['a'] } }],
];
const only = (r: (typeof revisions)[number]) => r === latestRevision;

export const examples: ExampleTable = {
  'base.jsonrpc-2-0': {
    good: [],
    // no sign of a feature
    bad: [r => [...handshake(r), ['s', { jsonrpc: '1.0', method: 'notifications/tools/list_changed' }]]],
  },
  'base.schema-valid': {
    good: [
      opened(...asked(1, 'tools/list', {}, { tools: [{ name: 'a', inputSchema: { type: 'object' } }] })),
    ],
    legal: [
      {
        lines: opened(...asked(1, 'tools/list', {}, { tools: [], later: 1, _meta: {} })),
        shows: 'unknown-members',
      },
      { lines: opened(['s', notification('x/extension', { any: 1 })]), shows: 'unknown-method' },
    ],
    bad: [
      { lines: opened(...asked(1, 'tools/list', {}, { tools: null })), shows: 'list-null' },
      { lines: opened(...asked(1, 'tools/list', {}, { tools: [], nextCursor: null })), shows: 'cursor-null' },
      { lines: opened(...asked(1, 'tools/call', { name: 'a' }, {})), shows: 'content-missing' },
      {
        lines: opened(['s', notification('notifications/message', { level: 'loud', data: 1 })]),
        shows: 'value-unknown',
      },
      ...[{ level: 'loud', data: 1 }, undefined].map(params => ({
        lines: opened(...asked(1, 'logging/setLevel', { level: 'info' }, {}), [
          's',
          notification('notifications/message', params),
        ]),
        shows: 'value-unknown',
      })),
      {
        lines: opened(...asked(1, 'completion/complete', completed, { completion: { total: 0 } })),
        shows: 'value-missing',
      },
      {
        lines: opened(...asked(1, 'completion/complete', completed, { completion: { values: 'a' } })),
        shows: 'list-as-text',
      },
      {
        lines: opened(['s', request(1, 'tasks/get', {})]),
        when: knows('tasks/get'),
        shows: 'params-incomplete',
      },
      {
        lines: [
          requestLine(1, 'tasks/get', { taskId }),
          resultLine(1, task('input_required', { inputRequests: { a: { method: 'other/method' } } })),
        ],
        era: 'modern',
        shows: 'value-unknown',
      },
      {
        lines: opened([
          's',
          request(1, 'elicitation/create', {
            message: 'm',
            requestedSchema: { type: 'object', properties: {}, required: 'a' },
          }),
        ]),
        when: knows('elicitation/create'),
        shows: 'form-malformed',
      },
      {
        lines: opened([
          's',
          request(1, 'elicitation/create', {
            message: 'm',
            requestedSchema: { type: 'object', properties: { kind: { enum: ['a'] } } },
          }),
        ]),
        when: knows('elicitation/create'),
        shows: 'form-malformed',
      },
      { lines: initialize({ instructions: 7 }), when: only, shows: 'value-unknown' },
      {
        subject: 'client',
        lines: [
          [
            'c',
            request(0, 'initialize', {
              protocolVersion: latestRevision.id,
              capabilities: { roots: null },
              clientInfo: { name: 'c', version: '1' },
            }),
          ],
        ],
        shows: 'capability-malformed',
      },
      { lines: opened(['s', notification('ping')]), shows: 'request-as-notification' },
      {
        lines: opened(
          ...asked(
            1,
            'tools/call',
            { name: 'a' },
            { content: [{ type: 'resource_link', uri: 'a:b', name: 'x' }] },
          ),
        ),
        when: r => !vocabularyOf(r).definitions.has('ResourceLink'),
        shows: 'content-of-later-revision',
      },
      {
        lines: opened(
          ...asked(
            1,
            'prompts/get',
            { name: 'a' },
            { messages: [{ role: 'user', content: { type: 'resource' } }] },
          ),
        ),
      },
      opened(...asked(1, 'tools/call', { name: 'a' }, { content: [{ type: 'resource', text: 'x' }] })),
      opened(...asked(1, 'resources/subscribe', { uri: 'a:b' }, {}), [
        's',
        notification('notifications/resources/updated'),
      ]),
      opened(['s', request(1, 'sampling/createMessage')]),
      opened([
        's',
        request(1, 'sampling/createMessage', {
          messages: [
            { role: 'assistant', content: [{ type: 'tool_use', name: 'a', input: {} }] },
            { role: 'user', content: [{ type: 'tool_result', content: [] }] },
          ],
          maxTokens: 1,
        }),
      ]),
      opened(...asked(1, 'tools/list', {}, { tools: [{ inputSchema: { type: 'object' } }] })),
    ],
  },
  'icons.src-uri': {
    good: [{ lines: initialize(withIcons([{ src: 'https://e.com/a.png' }])), when: only }],
    bad: [7, [{}]].map(icons => ({ lines: initialize(withIcons(icons)), when: only })),
  },
  'base.method-of-own-side': {
    good: [opened(['s', request(1, 'ping')])],
    legal: [{ lines: opened(['s', request(1, 'x/extension')]), shows: 'unknown-method' }],
    bad: [
      { lines: opened(['s', request(1, 'tools/list')]), shows: 'request-of-other-side' },
      {
        lines: opened(['s', notification('notifications/initialized')]),
        shows: 'notification-of-other-side',
      },
      {
        lines: opened(['c', notification('notifications/message', { level: 'info', data: 1 })]),
        subject: 'client',
      },
      {
        lines: r => [...handshake(r).slice(0, 2), ['s', request(1, 'initialize', initializing)]],
        shows: 'request-of-other-side',
      },
      // responses of the client show no feature of the server
      ...ofServer.map(([method, answer]) => (r: Revision): Line[] => [
        ...handshake(r),
        ['s', request(1, method)],
        ['c', result(1, answer)],
      ]),
    ],
  },
  'lifecycle.respect-version': {
    good: [opened(['s', request(1, 'roots/list')])],
    legal: [{ lines: opened(['s', request(1, 'x/extension')]), shows: 'no-revision' }],
    bad: [
      {
        lines: opened(['s', request(1, 'elicitation/create', { message: 'm' })]),
        when: lacks('elicitation/create'),
        shows: 'request-of-later-revision',
      },
      {
        lines: opened(['s', notification('notifications/tasks/status', {})]),
        when: r => r !== latestRevision,
        shows: 'notification-of-later-revision',
      },
      {
        lines: r => [...handshake(r), ['s', request(1, 'elicitation/create', { message: 'm' })]],
        when: lacks('elicitation/create'),
      },
    ],
  },
  'lifecycle.server-answers-initialize': {
    good: [
      { lines: initialize({}), when: only },
      { lines: initialize({ instructions: 'i', x: 1 }), when: only },
    ],
    legal: [
      {
        lines: initialize({ capabilities: { later: {}, tools: {} } }),
        when: only,
        shows: 'unknown-capabilities',
      },
      { lines: [initialize({})[0]!, ['s', error(0, -32602)]], when: only },
    ],
    bad: [
      { lines: initialize({ serverInfo: { name: 's' } }), when: only, shows: 'server-info-incomplete' },
      { lines: initialize({ capabilities: null }), when: only, shows: 'capabilities-null' },
      { lines: initialize({ capabilities: { tools: true } }), when: only, shows: 'capability-true' },
      { lines: initialize({ protocolVersion: 1 }), when: only, shows: 'version-no-text' },
    ],
  },
  'lifecycle.initialize-first': {
    good: [
      r => handshake(r),
      { lines: r => [['c', request(1, 'ping')], ['s', result(1)], ...handshake(r)], shows: 'ping' },
    ],
    legal: [
      {
        lines: r => [
          ['s', notification('notifications/message', { level: 'info', data: 1 })],
          ...handshake(r, { logging: {} }),
        ],
        shows: 'log',
      },
      // any request may show the era of the server
      {
        lines: r => [['c', enveloped(1, 'tools/list')], ['s', error(1)], ...handshake(r)],
        subject: 'client',
        shows: 'probe',
      },
    ],
    bad: [
      {
        lines: r => [['s', request(1, 'roots/list')], ...handshake(r, {}, { roots: {} })],
        shows: 'server-asks-first',
      },
      {
        lines: r => [['s', notification('notifications/tools/list_changed')], ...handshake(r)],
        shows: 'server-speaks-first',
      },
      {
        lines: r => [['c', request(1, 'tools/list')], ['s', error(1)], ...handshake(r)],
        subject: 'client',
        shows: 'client-asks-first',
      },
    ],
  },
  'lifecycle.server-waits-for-initialized': {
    good: [opened(['s', request(1, 'roots/list')])],
    legal: [
      {
        lines: r => [...handshake(r, { logging: {} }).slice(0, 2), ['s', request(1, 'ping')]],
        shows: 'ping',
      },
      {
        lines: r => [...handshake(r).slice(0, 2), ['c', request(1, 'tools/list')], ['s', error(1, -32600)]],
        shows: 'refuses-requests',
      },
    ],
    bad: [
      {
        lines: r => {
          const [ask, answer, initialized] = handshake(r, { logging: {} }, { roots: {} });
          const log = notification('notifications/message', { level: 'info', data: 1 });
          return [ask!, answer!, ['s', log], ['s', request(1, 'roots/list')], initialized!];
        },
        shows: 'early-request',
      },
    ],
  },
  'ping.answered-empty': {
    good: [
      opened(...asked(1, 'ping', undefined, {})),
      { lines: opened(...asked(1, 'ping', {}, { _meta: { a: 1 } })), shows: 'empty-params' },
    ],
    legal: [
      {
        lines: r => [['c', request(1, 'ping')], ['s', error(1)], ...handshake(r)],
        shows: 'before-initialize',
      },
      {
        lines: opened(
          ['c', request(1, 'ping')],
          ['c', notification('notifications/cancelled', { requestId: 1 })],
          ['s', error(1)],
        ),
        shows: 'cancelled',
      },
      { lines: opened(['c', request(1, 'ping', { unknown: 1 })], ['s', error(1)]), shows: 'unknown-members' },
      ...[200, 404].map(status => ({
        transport: 'streamable-http' as const,
        lines: opened(
          ...http.ask(1, 'POST', request(1, 'ping'), status, 'application/json'),
          http.body(1, error(1, -32601)),
          http.end(1),
          ...http.ask(2, 'POST', request(2, 'tools/list'), 200, 'application/json', {
            headers: { 'Mcp-Session-Id': 'a' },
            sent: { 'Mcp-Session-Id': 'a' },
          }),
        ),
        when: (r: Revision) => r.transports.includes('streamable-http'),
        shows: 'without-session',
      })),
      // HTTP refuses the request
      ...[
        { Accept: '\tapplication/json, text/event-stream' },
        { Accept: 'application/json, Text/Event-Stream' },
        { 'Content-Type': 'application/json; charset="utf-8"' },
      ].map(sent => ({
        transport: 'streamable-http' as const,
        lines: opened(...http.ask(1, 'POST', request(1, 'ping'), 500, undefined, { sent }), http.end(1)),
        when: (r: Revision) => r.transports.includes('streamable-http'),
        isUnobserved: true as const,
      })),
      {
        transport: 'streamable-http',
        lines: opened(...http.ask(1, 'POST', request(1, 'ping'), 503), http.end(1)),
        when: r => r.transports.includes('streamable-http'),
        isUnobserved: true,
      },
      // after the end of the session
      {
        transport: 'streamable-http',
        lines: opened(
          ...http.ask(1, 'DELETE', undefined, 204),
          http.end(1),
          ...http.ask(2, 'POST', request(1, 'ping'), 500),
          http.end(2),
        ),
        when: r => r.transports.includes('streamable-http'),
        isUnobserved: true,
      },
      {
        transport: 'streamable-http',
        lines: opened(
          ...http.ask(1, 'POST', request(1, 'ping'), 400, 'application/json'),
          http.body(1, error(1)),
          http.end(1),
        ),
        when: r => r.transports.includes('streamable-http'),
      },
    ],
    bad: [
      opened(['c', request(1, 'ping')], ['s', error(1)]),
      {
        transport: 'streamable-http',
        lines: opened(
          ...http.ask(1, 'POST', request(1, 'ping'), 404, 'application/json'),
          http.body(1, error(1, -32601)),
          http.end(1),
        ),
        when: r => r.transports.includes('streamable-http'),
        shows: 'unknown-over-http',
      },
      {
        transport: 'streamable-http',
        lines: opened(...http.ask(1, 'POST', request(1, 'ping'), 500), http.end(1)),
        when: r => r.transports.includes('streamable-http'),
        shows: 'status-500',
      },
      opened(['c', request(1, 'ping', { _meta: { a: 1 } })], ['s', error(1)]),
    ],
  },
  'ping.result-without-members': {
    good: [
      opened(...asked(1, 'ping', undefined, {})),
      { lines: opened(...asked(1, 'ping', undefined, { _meta: { a: 1 } })), shows: 'meta' },
    ],
    // the response of the client
    legal: [{ lines: opened(['s', request(1, 'ping')], ['c', result(1, { a: 1 })]), isUnobserved: true }],
    bad: [opened(...asked(1, 'ping', undefined, { pong: true }))],
  },
  'ping.not-excessive': {
    good: [opened(['s', request(1, 'ping')])],
    legal: [
      // few in each moment, and many that were recorded late
      { lines: opened(...requestsOf('s', 60, 'ping')), tick: 300 },
      opened(...requestsOf('s', 60, 'ping'), { kind: 'lag', ms: 20_000 }),
      // 50 in less than 10 s, and 51 in exactly 10 s
      opened(...requestsOf('s', 50, 'ping')),
      { lines: opened(...requestsOf('s', 51, 'ping')), tick: 200 },
      // pings of the client, and other requests
      ...[requestsOf('c', 60, 'ping'), requestsOf('s', 60, 'roots/list')].map(lines => ({
        lines: opened(...lines),
        isUnobserved: true as const,
      })),
    ],
    bad: [
      opened(...requestsOf('s', 60, 'ping')),
      // after some time
      opened({ kind: 'quiet', ms: 20_000 }, ...requestsOf('s', 51, 'ping')),
    ],
  },
  'lifecycle.respect-capabilities': {
    good: [
      opened(['s', request(1, 'roots/list')]),
      { lines: opened(['c', request(1, 'tools/list')]), subject: 'client' },
      opened(['s', notification('notifications/tools/list_changed')]),
    ],
    legal: [
      { lines: r => [...handshake(r), ['s', request(1, 'ping')]], shows: 'ping' },
      // a capability that the revision does not have
      {
        lines: r => [...handshake(r), ['c', request(1, 'completion/complete', completing())]],
        subject: 'client',
        when: r => r.undeclarable.includes('completions'),
      },
    ],
    bad: [
      {
        lines: r => [
          ...handshake(r),
          ['s', request(1, 'sampling/createMessage', { messages: [], maxTokens: 1 })],
        ],
        shows: 'asks-sampling',
      },
      {
        lines: r => [
          ...handshake(r),
          [
            's',
            request(1, 'elicitation/create', {
              mode: 'url',
              message: 'm',
              url: 'https://e.com/',
              elicitationId: 'e',
            }),
          ],
        ],
        when: r => vocabularyOf(r).definitions.has('ElicitationCompleteNotification'),
        shows: 'asks-elicitation',
      },
      {
        lines: r => [...handshake(r), ['s', request(1, 'roots/list')]],
        also: ['roots.capability-checked'],
        shows: 'asks-roots',
      },
      {
        lines: r => [...handshake(r, { tools: {} }), ['s', notification('notifications/tools/list_changed')]],
        shows: 'tools-change',
      },
      {
        lines: r => [
          ...handshake(r, { prompts: {} }),
          ['s', notification('notifications/prompts/list_changed')],
        ],
        also: ['prompts.respect-capabilities'],
        shows: 'prompts-change',
      },
      {
        lines: r => [...handshake(r), ['c', request(1, 'resources/read', { uri: 'a:b' })]],
        subject: 'client',
        shows: 'client-asks',
      },
      {
        lines: r => [
          ...handshake(r, { resources: {} }),
          ...asked(1, 'resources/subscribe', { uri: 'a:b' }, {}),
          ['s', notification('notifications/resources/updated', { uri: 'a:b' })],
        ],
      },
      {
        lines: r => [...handshake(r), ['c', notification('notifications/roots/list_changed')]],
        subject: 'client',
      },
    ],
  },
  'prompts.respect-capabilities': {
    good: [{ lines: opened(['s', notification('notifications/prompts/list_changed')]), shows: 'declared' }],
    bad: [
      {
        lines: r => [...handshake(r), ['c', request(1, 'prompts/list')]],
        subject: 'client',
        also: ['lifecycle.respect-capabilities'],
        shows: 'client-asks',
      },
    ],
  },
  'roots.capability-checked': {
    good: [opened(['s', request(1, 'roots/list')])],
    bad: [
      {
        lines: r => [...handshake(r), ['s', request(1, 'roots/list')]],
        also: ['lifecycle.respect-capabilities'],
        shows: 'asked',
      },
    ],
  },
  'tools.capability-declared': {
    good: [opened(...asked(1, 'tools/call', { name: 'a' }, { content: [] }))],
    legal: [
      { lines: r => [...handshake(r), ...asked(1, 'tools/list', {}, { tools: [] })], shows: 'empty-list' },
      {
        lines: r => [...handshake(r), ['c', request(1, 'tools/list')], ['s', error(1, -32601)]],
        shows: 'refused',
      },
      // what the client sends
      r => [...handshake(r), ['c', notification('notifications/tools/list_changed')]],
      // a handshake that was refused
      r => [
        handshake(r)[0]!,
        ['s', error('init')],
        ...asked(1, 'tools/call', { name: 'a' }, { content: [] }),
      ],
    ],
    bad: [
      {
        lines: r => [
          ...handshake(r),
          ...asked(1, 'tools/list', {}, { tools: [{ name: 'a', inputSchema: { type: 'object' } }] }),
        ],
        shows: 'list',
      },
      {
        lines: r => [...handshake(r), ...asked(1, 'tools/call', { name: 'a' }, { content: [] })],
        shows: 'call',
      },
      {
        lines: r => [...handshake(r), ['s', notification('notifications/tools/list_changed')]],
        shows: 'notification',
      },
    ],
  },
  'prompts.capability-declared': {
    good: [opened(...asked(1, 'prompts/get', { name: 'a' }, { messages: [] }))],
    legal: [
      {
        lines: r => [...handshake(r), ...asked(1, 'prompts/list', {}, { prompts: [] })],
        shows: 'empty-list',
      },
    ],
    bad: [
      {
        lines: r => [...handshake(r), ...asked(1, 'prompts/list', {}, { prompts: [{ name: 'a' }] })],
        shows: 'list',
      },
      {
        lines: r => [...handshake(r), ...asked(1, 'prompts/get', { name: 'a' }, { messages: [] })],
        shows: 'get',
      },
      {
        lines: r => [...handshake(r), ['s', notification('notifications/prompts/list_changed')]],
        shows: 'notification',
      },
    ],
  },
  'resources.capability-declared': {
    good: [opened(...asked(1, 'resources/read', { uri: 'a:b' }, { contents: [] }))],
    bad: [
      {
        lines: r => [...handshake(r), ...asked(1, 'resources/read', { uri: 'a:b' }, { contents: [] })],
        shows: 'read',
      },
      {
        lines: r => [...handshake(r), ['s', notification('notifications/resources/updated', { uri: 'a:b' })]],
        shows: 'notification',
      },
      {
        lines: r => [
          ...handshake(r),
          ...asked(
            1,
            'resources/templates/list',
            {},
            { resourceTemplates: [{ uriTemplate: 'a://{b}', name: 'a' }] },
          ),
        ],
        shows: 'templates',
      },
    ],
  },
  'logging.capability-declared': {
    good: [opened(['s', notification('notifications/message', { level: 'info', data: 1 })])],
    bad: [
      {
        lines: r => [
          ...handshake(r),
          ['s', notification('notifications/message', { level: 'info', data: 1 })],
        ],
        shows: 'undeclared',
      },
    ],
  },
  'completion.capability-declared': {
    good: [opened(...asked(1, 'completion/complete', completing(), { completion: { values: ['a'] } }))],
    // the default of many libraries
    legal: [
      {
        lines: r => [
          ...handshake(r),
          ...asked(1, 'completion/complete', completing(), { completion: { values: [] } }),
        ],
        shows: 'no-values',
      },
      r => [...handshake(r), ['c', request(1, 'completion/complete', completing())], ['s', error(1, -32601)]],
      // the member of another result
      r => [
        ...handshake(r, { tools: {} }),
        ...asked(1, 'tools/call', { name: 'a' }, { content: [], completion: { values: ['a'] } }),
      ],
    ],
    bad: [
      {
        lines: r => [
          ...handshake(r),
          ...asked(1, 'completion/complete', completing(), { completion: { values: ['a'] } }),
        ],
        shows: 'values',
      },
    ],
  },
  'base.server-feature-advertised': {
    good: [{ lines: opened(...asked(1, 'logging/setLevel', { level: 'info' }, {})), shows: 'declared' }],
    legal: [
      r => [
        ...handshake(r),
        ['c', request(1, 'logging/setLevel', { level: 'info' })],
        ['s', error(1, -32601)],
      ],
    ],
    bad: [
      {
        lines: r => [...handshake(r), ...asked(1, 'logging/setLevel', { level: 'info' }, {})],
        shows: 'served',
      },
    ],
  },
  'tools.unsupported-calls-protocol-error': {
    good: [r => [...handshake(r), ['c', request(1, 'tools/call', { name: 'a' })], ['s', error(1, -32601)]]],
    legal: [
      r => [...handshake(r), ['c', request(1, 'tools/call', { name: 'a' })]],
      // another method
      {
        lines: r => [...handshake(r), ['c', request(1, 'x/y')], ['s', error(1, -32601)]],
        isUnobserved: true,
      },
    ],
    bad: [
      {
        lines: r => [
          ...handshake(r),
          ...asked(1, 'tools/call', { name: 'a' }, { content: [], isError: true }),
        ],
        shows: 'result',
      },
    ],
  },
};

function completing() {
  return { ref: { type: 'ref/prompt', name: 'p' }, argument: { name: 'a', value: '' } };
}
