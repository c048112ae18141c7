import type { Json, JsonObject } from '../../../spec/json-rpc.js';
import type { Revision } from '../../../spec/revisions.js';
import type { Example, ExampleTable } from '../example.test.util.js';
import { asked, error, handshake, type Line, notification, request, result } from '../record.test.util.js';

const server = {
  tools: {},
  tasks: { list: {}, cancel: {}, requests: { tools: { call: {} } } },
};
const client = {
  sampling: {},
  elicitation: {},
  tasks: { list: {}, cancel: {}, requests: { sampling: { createMessage: {} } } },
};
const between =
  (ours: Json, theirs: Json) =>
  (...lines: Line[]) =>
  (revision: Revision): Line[] => [...handshake(revision, ours, theirs), ...lines];

const asksForName = { message: 'm', requestedSchema: { type: 'object', properties: {} } };

/** Both sides declare tasks. */
const opened = between(server, client);

const first = '786512e2-9e0d-44bd-8f29-789f320fe840';
const second = '0c7e1f5a-31b2-4d3c-9a51-60b7e2d4c8f3';
const related = (taskId: Json = first) => ({ _meta: { 'io.modelcontextprotocol/related-task': { taskId } } });

const task = (more: object = {}): JsonObject => ({
  taskId: first,
  status: 'working',
  createdAt: '2000-01-01T10:30:00Z',
  lastUpdatedAt: '2000-01-01T10:30:00.123+01:00',
  ttl: 60_000,
  ...more,
});
const being = (status: string, more: object = {}): JsonObject =>
  task({ status, statusMessage: 'so', ...more });

const tool = (name: string, taskSupport?: string): JsonObject => ({
  name,
  inputSchema: { type: 'object' },
  ...(taskSupport !== undefined && { execution: { taskSupport } }),
});
const tools: Line[] = asked(
  'tools',
  'tools/list',
  {},
  {
    tools: [tool('a', 'optional'), tool('must', 'required'), tool('never', 'forbidden'), tool('plain')],
  },
);
const call = (id: Json, name = 'a', more: object = { task: {} }): Line => [
  'c',
  request(id, 'tools/call', { name, ...more }),
];
const made = (id: Json, more: object = {}): Line => ['s', result(id, { task: task(more) })];
const make = (id: Json, more: object = {}): Line[] => [call(id), made(id, more)];
const done = (more: object = {}): JsonObject => ({ content: [], ...more });

const get = (id: Json, state: JsonObject, more: object = {}): Line[] =>
  asked(id, 'tasks/get', { taskId: first, ...more }, state);
const cancel = (id: Json, state: JsonObject): Line[] => asked(id, 'tasks/cancel', { taskId: first }, state);
const list = (id: Json, ...tasks: JsonObject[]): Line[] => asked(id, 'tasks/list', {}, { tasks });
const retrieve = (id: Json, more: object = {}): Line => [
  'c',
  request(id, 'tasks/result', { taskId: first, ...more }),
];
const given = (id: Json, body: JsonObject = done(), meta: object = related()): Line => [
  's',
  result(id, { ...body, ...meta }),
];
const refused = (id: Json, code = -32602, message = 'no'): Line => ['s', error(id, code, message)];
const notice = (state: JsonObject): Line => ['s', notification('notifications/tasks/status', state)];
const progress = (progressToken: Json, value: number, meta: object = related()): Line => [
  's',
  notification('notifications/progress', { progressToken, progress: value, ...meta }),
];
const withToken = (id: Json, progressToken: Json = 't'): Line[] => [
  call(id, 'a', { task: {}, _meta: { progressToken } }),
  made(id),
];

const sample = (id: Json, more: object = {}): Line => [
  's',
  request(id, 'sampling/createMessage', { messages: [], maxTokens: 1, ...more }),
];
const toldOf = (id: Json, more: object = {}): Line => ['c', result(id, { task: task(more) })];
const poll = (id: Json, params: object = {}): Line => [
  's',
  request(id, 'tasks/get', { taskId: first, ...params }),
];

/** The same with exchanged roles: the client runs the task. */
const ofClient = (...lines: Line[]): Example => ({ subject: 'client', lines: opened(...lines) });

export const examples: ExampleTable = {
  'tasks.capability-declared': {
    good: [opened(...make(1)), ofClient(sample(1, { task: {} }), toldOf(1))],
    legal: [between({ tools: {} }, {})(call(1), ['s', result(1, done())])],
    bad: [
      between({ tools: {}, tasks: { list: {} } }, {})(...make(1)),
      { subject: 'client', lines: between({}, { sampling: {} })(sample(1, { task: {} }), toldOf(1)) },
    ],
  },
  'tasks.tool-forbidden-rejected': {
    good: [
      opened(...tools, call(1, 'plain'), refused(1, -32601)),
      opened(...tools, call(1, 'never'), refused(1, -32601)),
    ],
    legal: [
      opened(call(1, 'plain'), ['s', result(1, done())]),
      between({ tools: {} }, {})(...tools, call(1, 'never'), ['s', result(1, done())]),
    ],
    bad: [
      opened(...tools, call(1, 'plain'), ['s', result(1, done())]),
      opened(...tools, call(1, 'never'), made(1)),
      opened(...tools, call(1, 'never'), refused(1, -32602)),
    ],
  },
  'tasks.tool-required-rejected': {
    good: [
      opened(...tools, call(1, 'must', {}), refused(1, -32601)),
      opened(...tools, call(1, 'must', {}), refused(1, -32600)),
    ],
    legal: [between({ tools: {} }, {})(...tools, call(1, 'must', {}), ['s', result(1, done())])],
    bad: [
      opened(...tools, call(1, 'must', {}), ['s', result(1, done())]),
      opened(...tools, call(1, 'must', {}), ['s', result(1, done({ isError: true }))]),
    ],
  },
  'tasks.create-result-returned': {
    good: [opened(...tools, ...make(1))],
    legal: [
      opened(...tools, call(1), refused(1)),
      opened(...tools, call(1), ['s', result(1, done({ isError: true }))]),
      opened(call(1), ['s', result(1, done())]),
    ],
    bad: [
      opened(...tools, call(1), ['s', result(1, done())]),
      opened(...tools, call(1), ['s', result(1, { task: first })]),
    ],
  },
  'tasks.id-string': {
    good: [opened(...make(1), ...get(2, task()))],
    bad: [opened(...make(1, { taskId: 7 })), opened(...make(1), ...list(2, task({ taskId: null })))],
  },
  'tasks.id-by-receiver': {
    good: [opened(call(1, 'a', { task: { taskId: 'mine' } }), made(1))],
    legal: [opened(call(1, 'a', { task: { taskId: 'mine' } }), refused(1))],
    bad: [opened(call(1, 'a', { task: { taskId: 'of-the-client' } }), made(1, { taskId: 'of-the-client' }))],
  },
  'tasks.id-unique': {
    good: [opened(...make(1), ...make(2, { taskId: second }))],
    legal: [opened(...make(1), ...list(2, task()), ...list(3, task()))],
    bad: [opened(...make(1), ...make(2)), opened(...make(1), ...get(2, being('completed')), ...make(3))],
  },
  'tasks.id-unguessable': {
    good: [opened(...make(1), ...make(2, { taskId: second }))],
    legal: [opened(...make(1, { taskId: 'V1StGXR8Z5' }), ...make(2, { taskId: 'jdHi6Bmy8x' }))],
    bad: [
      opened(...make(1, { taskId: 'task-of-mine-9' }), ...make(2, { taskId: 'task-of-mine-10' })),
      opened(...make(1, { taskId: '1700000000000' }), ...make(2, { taskId: '1700000000123' })),
      opened(...make(1, { taskId: '17' })),
    ],
  },
  'tasks.starts-working': {
    good: [opened(...make(1))],
    legal: [opened(...make(1, { status: 'completed' })), opened(...make(1, { status: 'input_required' }))],
    bad: [opened(...make(1, { status: 'submitted' })), opened(...make(1, { status: undefined }))],
  },
  'tasks.valid-transitions': {
    good: [opened(...make(1), notice(being('input_required')), notice(task()), notice(being('failed')))],
    legal: [opened(...make(1), ...get(2, being('input_required')), ...get(3, being('cancelled')))],
    bad: [
      opened(...make(1), ...get(2, being('running'))),
      opened(...make(1), notice(being('done'))),
      opened(...make(1), ...list(2, task(), being('expired'))),
    ],
  },
  'tasks.terminal-final': {
    good: [opened(...make(1), notice(being('completed')), ...get(2, being('completed')))],
    legal: [
      // requested before the end was reported: the messages crossed
      opened(...make(1), ['c', request(2, 'tasks/get', { taskId: first })], notice(being('completed')), [
        's',
        result(2, task()),
      ]),
      opened(
        ...make(1),
        ...get(2, being('failed')),
        ['c', request(3, 'tasks/get', { taskId: first })],
        refused(3),
      ),
      opened(
        ...make(1),
        ...get(2, being('failed', { statusMessage: 'other words' })),
        ...get(3, being('failed')),
      ),
    ],
    bad: [
      opened(...make(1), ...get(2, being('completed')), ...get(3, task())),
      opened(...make(1), notice(being('completed')), ...list(3, being('failed'))),
    ],
  },
  'tasks.cancel-sticks': {
    good: [opened(...make(1), ...cancel(2, being('cancelled')), ...get(3, being('cancelled')))],
    legal: [
      opened(
        ...make(1),
        ...cancel(2, being('cancelled')),
        ['c', request(3, 'tasks/get', { taskId: first })],
        refused(3),
      ),
    ],
    bad: [
      {
        lines: opened(...make(1), ...cancel(2, being('cancelled')), ...get(3, being('completed'))),
        also: ['tasks.terminal-final'],
      },
    ],
  },
  'tasks.created-at': {
    good: [opened(...make(1), ...get(2, task({ createdAt: '2000-01-01 10:30:00.123456' })))],
    bad: [
      opened(...make(1, { createdAt: 1_700_000_000 })),
      opened(...make(1), notice(task({ createdAt: '2000-01-01' }))),
      opened(...make(1), ...get(2, task({ createdAt: undefined }))),
    ],
  },
  'tasks.last-updated-at': {
    good: [opened(...make(1), ...get(2, task({ lastUpdatedAt: '20000101T103000Z' })))],
    bad: [
      opened(...make(1), ...list(2, task({ lastUpdatedAt: 'just now' }))),
      opened(...make(1), ...get(2, task({ lastUpdatedAt: '2000-13-01T10:30:00Z' }))),
    ],
  },
  'tasks.ttl-reported': {
    good: [opened(...get(1, task())), opened(...get(1, task({ ttl: null })))],
    bad: [opened(...get(1, task({ ttl: undefined }))), opened(...get(1, task({ ttl: '60s' })))],
  },
  'tasks.result-of-terminal': {
    good: [
      opened(...make(1), ...get(2, being('completed')), retrieve(3), given(3), retrieve(4), given(4)),
      opened(...make(1), retrieve(2), given(2), ...get(3, being('completed')), retrieve(4), given(4)),
    ],
    legal: [
      opened(...make(1), ...get(2, being('failed')), retrieve(3), refused(3, -32050)),
      opened(...make(1), ...get(2, being('completed')), retrieve(3), given(3), retrieve(4), refused(4)),
      opened(...make(1), ...cancel(2, being('cancelled')), retrieve(3), given(3, {})),
    ],
    bad: [
      opened(...make(1), ...get(2, being('completed')), retrieve(3), given(3, {})),
      opened(
        ...make(1),
        ...get(2, being('completed')),
        retrieve(3),
        given(3),
        retrieve(4),
        refused(4),
        ...get(5, being('completed')),
      ),
      opened(
        ...make(1),
        ...get(2, being('completed')),
        retrieve(3),
        given(3),
        retrieve(4),
        given(4, done({ content: [{ type: 'text', text: 'other' }] })),
      ),
    ],
  },
  'tasks.result-blocks': {
    good: [opened(...make(1), retrieve(2), given(2), ...get(3, being('completed')))],
    legal: [
      opened(...make(1), retrieve(2), ...get(3, task()), given(2)),
      opened(
        ...make(1),
        retrieve(2),
        ['c', notification('notifications/cancelled', { requestId: 2 })],
        refused(2, -32603),
        ...get(3, task()),
      ),
      opened(retrieve(2), refused(2), ...get(3, task())),
    ],
    bad: [
      opened(...make(1), retrieve(2), refused(2), ...get(3, task())),
      opened(...make(1), retrieve(2), given(2, {}), ...get(3, being('input_required'))),
    ],
  },
  'tasks.result-same-result': {
    good: [opened(...make(1), ...get(2, being('completed')), retrieve(3), given(3))],
    legal: [opened(...make(1), ...get(2, being('completed')), retrieve(3), refused(3))],
    bad: [
      opened(
        ...make(1),
        ...get(2, being('completed')),
        retrieve(3),
        refused(3, -32603),
        ...get(4, being('completed')),
      ),
    ],
  },
  'tasks.result-related': {
    good: [opened(...make(1), retrieve(2), given(2))],
    legal: [opened(...make(1), retrieve(2), refused(2))],
    bad: [
      opened(...make(1), retrieve(2), given(2, done(), {})),
      opened(...make(1), retrieve(2), given(2, done(), related(second))),
    ],
  },
  'tasks.response-without-related': {
    good: [opened(...get(1, task()), ...list(2, task()), ...cancel(3, being('cancelled')))],
    bad: [
      opened(...get(1, task(related()))),
      opened(...asked(1, 'tasks/list', {}, { tasks: [], ...related() })),
    ],
  },
  'tasks.status-notification-unrelated': {
    good: [opened(...make(1), notice(being('completed')))],
    bad: [opened(...make(1), notice(being('completed', related())))],
  },
  'tasks.input-request-related': {
    good: [],
    legal: [
      opened(['s', request(7, 'elicitation/create', { ...asksForName, ...related() })]),
      opened(['s', request(7, 'elicitation/create', asksForName)]),
    ],
    bad: [
      opened([
        's',
        request(7, 'elicitation/create', {
          ...asksForName,
          _meta: { 'io.modelcontextprotocol/related-task': {} },
        }),
      ]),
    ],
  },
  'tasks.messages-related': {
    good: [opened(...withToken(1), progress('t', 1))],
    legal: [opened(call(1, 'a', { _meta: { progressToken: 't' } }), progress('t', 1, {}))],
    bad: [
      opened(...withToken(1), progress('t', 1, {})),
      opened(...withToken(1), progress('t', 1, related(second))),
    ],
  },
  'tasks.param-is-truth': {
    good: [opened(...get(1, task(), related(second)))],
    bad: [
      opened(...get(1, task({ taskId: second }))),
      {
        lines: opened(...get(1, task({ taskId: second }), related(second))),
        also: ['tasks.request-related-ignored'],
      },
    ],
  },
  'tasks.request-related-ignored': {
    good: [
      opened(...get(1, task(), related(second))),
      opened(...make(1), retrieve(2, related(second)), given(2)),
    ],
    legal: [opened(['c', request(1, 'tasks/get', { taskId: 'unknown', ...related() })], refused(1))],
    bad: [
      opened(
        ...make(1),
        [
          'c',
          request(2, 'tasks/get', { taskId: first, _meta: { 'io.modelcontextprotocol/related-task': 7 } }),
        ],
        refused(2),
        ...get(3, task()),
      ),
      opened(
        ...make(1),
        ...get(2, being('failed')),
        retrieve(3, related(second)),
        refused(3),
        retrieve(4),
        given(4, done({ isError: true })),
      ),
    ],
  },
  'tasks.cancel-terminal-rejected': {
    good: [
      opened(
        ...make(1),
        ...get(2, being('completed')),
        ['c', request(3, 'tasks/cancel', { taskId: first })],
        refused(3),
      ),
    ],
    legal: [
      between({ tasks: {} }, {})(
        ...get(2, being('completed')),
        ['c', request(3, 'tasks/cancel', { taskId: first })],
        refused(3, -32601),
      ),
    ],
    bad: [
      opened(...make(1), ...get(2, being('completed')), ...cancel(3, being('completed'))),
      opened(
        ...make(1),
        ...cancel(2, being('cancelled')),
        ['c', request(3, 'tasks/cancel', { taskId: first })],
        refused(3, -32603),
      ),
    ],
  },
  'tasks.cancel-before-response': {
    good: [opened(...make(1), ...cancel(2, being('cancelled')))],
    bad: [opened(...make(1), ...cancel(2, task()))],
  },
  'tasks.error-informative': {
    good: [opened(['c', request(1, 'tasks/get', { taskId: 'x' })], refused(1))],
    bad: [opened(['c', request(1, 'tasks/get', { taskId: 'x' })], refused(1, -32602, ' '))],
  },
  'tasks.failed-status-message': {
    good: [opened(...get(1, being('failed')))],
    legal: [opened(...get(1, being('completed', { statusMessage: undefined })))],
    bad: [opened(...get(1, being('failed', { statusMessage: undefined })))],
  },
  'tasks.tool-error-is-failed': {
    good: [opened(...make(1), retrieve(2), given(2, done({ isError: true })), ...get(3, being('failed')))],
    legal: [opened(...make(1), retrieve(2), given(2, done({ isError: true })))],
    bad: [opened(...make(1), retrieve(2), given(2, done({ isError: true })), ...get(3, being('completed')))],
  },
  'progress.task-token-continues': {
    good: [opened(...withToken(1), progress('t', 1))],
    legal: [{ lines: opened(...withToken(1)), shows: 'none' }],
    bad: [
      {
        lines: opened(...withToken(1), progress('other', 1)),
        also: ['progress.task-same-token', 'progress.token-of-active-request'],
        shows: 'other-token',
      },
    ],
  },
  'progress.task-same-token': {
    good: [{ lines: opened(...withToken(1, 0), progress(0, 1)), shows: 'zero' }],
    legal: [
      {
        lines: opened(call(1, 'a', { _meta: { progressToken: 't' } }), progress('t', 1, {})),
        shows: 'no-task',
      },
    ],
    bad: [
      {
        lines: opened(...withToken(1), progress(first, 1, {})),
        also: ['progress.task-token-continues', 'progress.token-of-active-request'],
        shows: 'task-id',
      },
    ],
  },
  'progress.task-stops-at-terminal': {
    good: [opened(...withToken(1), progress('t', 1), notice(being('completed')))],
    legal: [
      {
        lines: opened(
          ...withToken(1),
          notice(being('completed')),
          call(2, 'a', { _meta: { progressToken: 't' } }),
          progress('t', 1),
        ),
        shows: 'token-reused',
      },
    ],
    bad: [
      {
        lines: opened(...withToken(1), progress('t', 1), notice(being('completed')), progress('t', 2)),
        shows: 'after-end',
      },
      {
        lines: opened(...withToken(1), ...cancel(2, being('cancelled')), progress('t', 1)),
        shows: 'after-cancellation',
      },
    ],
  },
  'tasks.augment-only-declared': {
    good: [opened(sample(1, { task: {} })), between(server, { sampling: {} })(sample(1))],
    legal: [opened(sample(1))],
    bad: [
      between(server, { sampling: {}, tasks: { list: {} } })(sample(1, { task: {} })),
      {
        lines: between(server, { sampling: {} })(sample(1, { task: { ttl: 1 } })),
        also: ['tasks.none-without-capability'],
      },
    ],
  },
  'tasks.none-without-capability': {
    good: [between(server, { sampling: {} })(sample(1))],
    legal: [opened(sample(1, { task: {} }), toldOf(1), poll(2))],
    bad: [
      between(server, { sampling: {} })(poll(1)),
      {
        subject: 'client',
        lines: between({ tools: {} }, {})(call(1)),
        also: ['tasks.tool-augment-needs-capability'],
      },
    ],
  },
  'tasks.tool-augment-needs-capability': {
    good: [between({ tools: {}, tasks: { list: {} } }, {})(...tools, call(1, 'must', {}))],
    legal: [opened(...tools, call(1))],
    bad: [between({ tools: {}, tasks: { list: {} } }, {})(...tools, call(1, 'must'))],
  },
  'tasks.tool-forbidden-not-augmented': {
    good: [opened(...tools, call(1, 'never', {})), opened(...tools, call(1, 'plain', {}))],
    legal: [
      opened(call(1, 'never')),
      opened(...tools, ['s', notification('notifications/tools/list_changed')], call(1, 'never')),
    ],
    bad: [opened(...tools, call(1, 'never')), opened(...tools, call(1, 'plain'))],
  },
  'tasks.tool-required-augmented': {
    good: [opened(...tools, call(1, 'must'))],
    legal: [opened(...tools, call(1, 'a')), opened(...tools, call(2, 'a', {}))],
    bad: [opened(...tools, call(1, 'must', {}))],
  },
  'tasks.request-without-related': {
    good: [opened(poll(1))],
    bad: [opened(poll(1, related())), ofClient(['c', request(1, 'tasks/list', { ...related() })])],
  },
  'tasks.poll-interval-respected': {
    good: [opened(sample(1, { task: {} }), toldOf(1, { pollInterval: 10 }), poll(2))],
    legal: [
      opened(sample(1, { task: {} }), toldOf(1, { pollInterval: 500 }), [
        's',
        request(2, 'tasks/result', { taskId: first }),
      ]),
      opened(sample(1, { task: {} }), toldOf(1, { pollInterval: 500 }), poll(2, { taskId: second })),
    ],
    bad: [opened(sample(1, { task: {} }), toldOf(1, { pollInterval: 500 }), poll(2))],
  },
  'tasks.cursor-opaque': {
    good: [
      opened(
        ['s', request(1, 'tasks/list', {})],
        ['c', result(1, { tasks: [], nextCursor: 'a b' })],
        ['s', request(2, 'tasks/list', { cursor: 'a b' })],
      ),
    ],
    bad: [opened(['s', request(1, 'tasks/list', { cursor: '1' })])],
  },
};
