import { latestRevision, type revisions } from '../../../spec/revisions.js';
import { vocabularyOf } from '../../../spec/vocabulary.js';
import type { ExampleTable } from '../example.test.util.js';
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
      opened(...asked(1, 'tools/list', {}, { tools: [], later: 1, _meta: {} })),
      opened(['s', notification('x/extension', { any: 1 })]),
    ],
    bad: [
      opened(...asked(1, 'tools/list', {}, { tools: null })),
      opened(...asked(1, 'tools/list', {}, { tools: [], nextCursor: null })),
      opened(...asked(1, 'tools/call', { name: 'a' }, {})),
      opened(['s', notification('notifications/message', { level: 'loud', data: 1 })]),
      opened(...asked(1, 'completion/complete', completed, { completion: { total: 0 } })),
      opened(...asked(1, 'completion/complete', completed, { completion: { values: 'a' } })),
      { lines: opened(['s', request(1, 'tasks/get', {})]), when: knows('tasks/get') },
      {
        lines: opened([
          's',
          request(1, 'elicitation/create', {
            message: 'm',
            requestedSchema: { type: 'object', properties: {}, required: 'a' },
          }),
        ]),
        when: knows('elicitation/create'),
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
      },
      opened(['s', notification('ping')]),
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
      },
    ],
  },
  'base.method-of-own-side': {
    good: [opened(['s', request(1, 'ping')])],
    legal: [opened(['s', request(1, 'x/extension')])],
    bad: [
      opened(['s', request(1, 'tools/list')]),
      opened(['s', notification('notifications/initialized')]),
      {
        lines: opened(['c', notification('notifications/message', { level: 'info', data: 1 })]),
        subject: 'client',
      },
    ],
  },
  'lifecycle.respect-version': {
    good: [opened(['s', request(1, 'roots/list')])],
    legal: [opened(['s', request(1, 'x/extension')])],
    bad: [
      {
        lines: opened(['s', request(1, 'elicitation/create', { message: 'm' })]),
        when: lacks('elicitation/create'),
      },
      {
        lines: opened(['s', notification('notifications/tasks/status', {})]),
        when: r => r !== latestRevision,
      },
    ],
  },
  'lifecycle.server-answers-initialize': {
    good: [
      { lines: initialize({}), when: only },
      { lines: initialize({ instructions: 'i', x: 1 }), when: only },
    ],
    legal: [{ lines: initialize({ capabilities: { later: {}, tools: {} } }), when: only }],
    bad: [
      { lines: initialize({ serverInfo: { name: 's' } }), when: only },
      { lines: initialize({ capabilities: null }), when: only },
      { lines: initialize({ capabilities: { tools: true } }), when: only },
      { lines: initialize({ protocolVersion: 1 }), when: only },
    ],
  },
  'lifecycle.initialize-first': {
    good: [r => handshake(r), r => [['c', request(1, 'ping')], ['s', result(1)], ...handshake(r)]],
    legal: [
      r => [
        ['s', notification('notifications/message', { level: 'info', data: 1 })],
        ...handshake(r, { logging: {} }),
      ],
    ],
    bad: [
      r => [['s', request(1, 'roots/list')], ...handshake(r, {}, { roots: {} })],
      r => [['s', notification('notifications/tools/list_changed')], ...handshake(r)],
      { lines: r => [['c', request(1, 'tools/list')], ['s', error(1)], ...handshake(r)], subject: 'client' },
    ],
  },
  'lifecycle.server-waits-for-initialized': {
    good: [opened(['s', request(1, 'roots/list')])],
    legal: [r => [...handshake(r, { logging: {} }).slice(0, 2), ['s', request(1, 'ping')]]],
    bad: [r => [...handshake(r, {}, { roots: {} }).slice(0, 2), ['s', request(1, 'roots/list')]]],
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
    legal: [r => [...handshake(r), ['s', request(1, 'ping')]]],
    bad: [
      r => [...handshake(r), ['s', request(1, 'sampling/createMessage', { messages: [], maxTokens: 1 })]],
      { lines: r => [...handshake(r), ['s', request(1, 'roots/list')]], also: ['roots.capability-checked'] },
      r => [...handshake(r, { tools: {} }), ['s', notification('notifications/tools/list_changed')]],
      {
        lines: r => [
          ...handshake(r, { prompts: {} }),
          ['s', notification('notifications/prompts/list_changed')],
        ],
        also: ['prompts.respect-capabilities'],
      },
      {
        lines: r => [...handshake(r), ['c', request(1, 'resources/read', { uri: 'a:b' })]],
        subject: 'client',
      },
    ],
  },
  'prompts.respect-capabilities': {
    good: [opened(['s', notification('notifications/prompts/list_changed')])],
    bad: [
      {
        lines: r => [...handshake(r), ['c', request(1, 'prompts/list')]],
        subject: 'client',
        also: ['lifecycle.respect-capabilities'],
      },
    ],
  },
  'roots.capability-checked': {
    good: [opened(['s', request(1, 'roots/list')])],
    bad: [
      {
        lines: r => [...handshake(r), ['s', request(1, 'roots/list')]],
        also: ['lifecycle.respect-capabilities'],
      },
    ],
  },
  'tools.capability-declared': {
    good: [opened(...asked(1, 'tools/call', { name: 'a' }, { content: [] }))],
    legal: [
      r => [...handshake(r), ...asked(1, 'tools/list', {}, { tools: [] })],
      r => [...handshake(r), ['c', request(1, 'tools/list')], ['s', error(1, -32601)]],
    ],
    bad: [
      r => [
        ...handshake(r),
        ...asked(1, 'tools/list', {}, { tools: [{ name: 'a', inputSchema: { type: 'object' } }] }),
      ],
      r => [...handshake(r), ...asked(1, 'tools/call', { name: 'a' }, { content: [] })],
      r => [...handshake(r), ['s', notification('notifications/tools/list_changed')]],
    ],
  },
  'prompts.capability-declared': {
    good: [opened(...asked(1, 'prompts/get', { name: 'a' }, { messages: [] }))],
    legal: [r => [...handshake(r), ...asked(1, 'prompts/list', {}, { prompts: [] })]],
    bad: [r => [...handshake(r), ...asked(1, 'prompts/list', {}, { prompts: [{ name: 'a' }] })]],
  },
  'resources.capability-declared': {
    good: [opened(...asked(1, 'resources/read', { uri: 'a:b' }, { contents: [] }))],
    bad: [
      r => [...handshake(r), ...asked(1, 'resources/read', { uri: 'a:b' }, { contents: [] })],
      r => [...handshake(r), ['s', notification('notifications/resources/updated', { uri: 'a:b' })]],
    ],
  },
  'logging.capability-declared': {
    good: [opened(['s', notification('notifications/message', { level: 'info', data: 1 })])],
    bad: [r => [...handshake(r), ['s', notification('notifications/message', { level: 'info', data: 1 })]]],
  },
  'completion.capability-declared': {
    good: [opened(...asked(1, 'completion/complete', completing(), { completion: { values: ['a'] } }))],
    // the default of many libraries
    legal: [
      r => [
        ...handshake(r),
        ...asked(1, 'completion/complete', completing(), { completion: { values: [] } }),
      ],
    ],
    bad: [
      r => [
        ...handshake(r),
        ...asked(1, 'completion/complete', completing(), { completion: { values: ['a'] } }),
      ],
    ],
  },
  'base.server-feature-advertised': {
    good: [opened(...asked(1, 'logging/setLevel', { level: 'info' }, {}))],
    legal: [
      r => [
        ...handshake(r),
        ['c', request(1, 'logging/setLevel', { level: 'info' })],
        ['s', error(1, -32601)],
      ],
    ],
    bad: [r => [...handshake(r), ...asked(1, 'logging/setLevel', { level: 'info' }, {})]],
  },
  'tools.unsupported-calls-protocol-error': {
    good: [r => [...handshake(r), ['c', request(1, 'tools/call', { name: 'a' })], ['s', error(1, -32601)]]],
    bad: [r => [...handshake(r), ...asked(1, 'tools/call', { name: 'a' }, { content: [], isError: true })]],
  },
};

function completing() {
  return { ref: { type: 'ref/prompt', name: 'p' }, argument: { name: 'a', value: '' } };
}
