import { latestRevision, type revisions } from '../../../spec/revisions.js';
import { vocabularyOf } from '../../../spec/vocabulary.js';
import type { ExampleTable } from '../example.test.util.js';
import { requestLine, resultLine, task, taskId } from '../ext-tasks.test.util.js';
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

const knows = (method: string) => (r: (typeof revisions)[number]) => {
  const { requests } = vocabularyOf(r);
  return requests.server.has(method);
};
const completed = { ref: { type: 'ref/prompt', name: 'p' }, argument: { name: 'a', value: 'b' } };
const lacks = (method: string) => (r: (typeof revisions)[number]) => !knows(method)(r);

const initialize = (answer: object): Line[] => [
  [
    'c',
    request(0, 'initialize', {
      protocolVersion: latestRevision.id,
      capabilities: {},
      clientInfo: { name: 'c', version: '1' },
    }),
  ],
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
const only = (r: (typeof revisions)[number]) => r === latestRevision;

export const examples: ExampleTable = {
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
        when: r => r.era === 'modern',
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
    ],
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
    ],
    bad: [
      {
        lines: r => [...handshake(r, {}, { roots: {} }).slice(0, 2), ['s', request(1, 'roots/list')]],
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
    ],
    bad: [opened(['c', request(1, 'ping')], ['s', error(1)])],
  },
  'ping.result-without-members': {
    good: [
      opened(...asked(1, 'ping', undefined, {})),
      { lines: opened(...asked(1, 'ping', undefined, { _meta: { a: 1 } })), shows: 'meta' },
    ],
    bad: [opened(...asked(1, 'ping', undefined, { pong: true }))],
  },
  'ping.not-excessive': {
    good: [opened(['s', request(1, 'ping')])],
    bad: [opened(...Array.from({ length: 60 }, (_, i): Line => ['s', request(i, 'ping')]))],
  },
  'lifecycle.respect-capabilities': {
    good: [
      opened(['s', request(1, 'roots/list')]),
      { lines: opened(['c', request(1, 'tools/list')]), subject: 'client' },
      opened(['s', notification('notifications/tools/list_changed')]),
    ],
    legal: [{ lines: r => [...handshake(r), ['s', request(1, 'ping')]], shows: 'ping' }],
    bad: [
      {
        lines: r => [
          ...handshake(r),
          ['s', request(1, 'sampling/createMessage', { messages: [], maxTokens: 1 })],
        ],
        shows: 'asks-sampling',
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
