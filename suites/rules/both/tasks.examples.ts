import type { Json, JsonObject } from '../../../spec/json-rpc.js';
import type { Revision } from '../../../spec/revisions.js';
import { vocabularyOf } from '../../../spec/vocabulary.js';
import type { Example, ExampleTable } from '../example.test.util.js';
import { ask, body, end, event } from '../http-events.test.util.js';
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
/** A client that makes tasks of elicitations. */
const elicitsTasks = { elicitation: {}, tasks: { requests: { elicitation: { create: {} } } } };
const between =
  (ours: Json, theirs: Json) =>
  (...lines: Line[]) =>
  (revision: Revision): Line[] => [...handshake(revision, ours, theirs), ...lines];

const asksForName = { message: 'm', requestedSchema: { type: 'object', properties: {} } };

const hasTasks = (r: Revision): boolean => vocabularyOf(r).requests.server.has('tasks/get');

/** Both sides declare tasks. */
const opened = between(server, client);

const first = '786512e2-9e0d-44bd-8f29-789f320fe840';
const second = '0c7e1f5a-31b2-4d3c-9a51-60b7e2d4c8f3';
const related = (taskId: Json = first) => ({ _meta: { 'io.modelcontextprotocol/related-task': { taskId } } });

const task = (more: object = {}): JsonObject => ({
  taskId: first,
  status: 'working',
  createdAt: '2000-01-01T10:30:00Z',
  lastUpdatedAt: '2000-01-01T11:31:00.123+01:00',
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
const report = (progressToken: Json, value: number, meta: object = related()): JsonObject =>
  notification('notifications/progress', { progressToken, progress: value, ...meta }) as JsonObject;
const progress = (...content: Parameters<typeof report>): Line => ['s', report(...content)];
const callWithToken = (id: Json, progressToken: Json = 't'): Line =>
  call(id, 'a', { task: {}, _meta: { progressToken } });
const withToken = (id: Json, progressToken: Json = 't'): Line[] => [
  callWithToken(id, progressToken),
  made(id),
];

const sample = (id: Json, more: object = {}): Line => [
  's',
  request(id, 'sampling/createMessage', { messages: [], maxTokens: 1, ...more }),
];
const elicit = (id: Json, more: object = {}): Line => [
  's',
  request(id, 'elicitation/create', { ...asksForName, ...more }),
];
const sampled = { role: 'assistant', content: { type: 'text', text: 'a' }, model: 'm' };
const toldOf = (id: Json, more: object = {}): Line => ['c', result(id, { task: task(more) })];
const poll = (id: Json, params: object = {}): Line => [
  's',
  request(id, 'tasks/get', { taskId: first, ...params }),
];

const form = { type: 'object', properties: { name: { type: 'string' } } };
/** A form that becomes a task of the client, and its result. */
const answeredForm = (answer: JsonObject, meta: object = {}): Example => ({
  subject: 'client',
  lines: between(server, elicitsTasks)(
    elicit(1, { requestedSchema: form, task: {} }),
    toldOf(1),
    ['s', request(2, 'tasks/result', { taskId: first, ...meta })],
    ['c', result(2, { ...answer, ...related() })],
  ),
  when: hasTasks,
});

/** Records in which a row is not observed. */
const unobserved = (...records: readonly Line[][]): Example[] =>
  records.map(lines => ({ lines: opened(...lines), isUnobserved: true }));

/** The same with exchanged roles: the client runs the task. */
const ofClient = (...lines: Line[]): Example => ({ subject: 'client', lines: opened(...lines) });
/** The answer of a client to an elicitation of a task. */
const answersTask = (more: JsonObject): Example =>
  ofClient(
    [
      's',
      request(1, 'elicitation/create', {
        message: 'm',
        requestedSchema: { type: 'object', properties: {} },
        ...related(),
      }),
    ],
    ['c', result(1, { action: 'decline', ...more })],
  );

export const examples: ExampleTable = {
  'tasks.capability-declared': {
    good: [opened(...make(1)), ofClient(sample(1, { task: {} }), toldOf(1))],
    legal: [
      { lines: between({ tools: {} }, {})(call(1), ['s', result(1, done())]), shows: 'processed' },
      // the handshake is not in the record
      make(1),
    ],
    bad: [
      { lines: between({ tools: {}, tasks: { list: {} } }, {})(...make(1)), shows: 'task-made' },
      {
        subject: 'client',
        lines: between({}, { sampling: {} })(sample(1, { task: {} }), toldOf(1)),
        shows: 'task-made-by-client',
      },
    ],
  },
  'tasks.tool-forbidden-rejected': {
    good: [
      opened(...tools, call(1, 'plain'), refused(1, -32601)),
      opened(...tools, call(1, 'never'), refused(1, -32601)),
    ],
    legal: [
      { lines: opened(call(1, 'plain'), ['s', result(1, done())]), shows: 'not-listed' },
      {
        lines: between({ tools: {} }, {})(...tools, call(1, 'never'), ['s', result(1, done())]),
        shows: 'not-declared',
      },
    ],
    bad: [
      { lines: opened(...tools, call(1, 'plain'), ['s', result(1, done())]), shows: 'result' },
      { lines: opened(...tools, call(1, 'never'), made(1)), shows: 'task-made' },
      { lines: opened(...tools, call(1, 'never'), refused(1, -32602)), shows: 'other-code' },
    ],
  },
  'tasks.tool-required-rejected': {
    good: [
      opened(...tools, call(1, 'must', {}), refused(1, -32601)),
      { lines: opened(...tools, call(1, 'must', {}), refused(1, -32600)), shows: 'invalid-request' },
    ],
    legal: [
      {
        lines: between({ tools: {} }, {})(...tools, call(1, 'must', {}), ['s', result(1, done())]),
        shows: 'not-declared',
      },
      opened(...tools, call(1, 'must'), made(1), call(2, 'a', {}), ['s', result(2, done())]),
    ],
    bad: [
      { lines: opened(...tools, call(1, 'must', {}), ['s', result(1, done())]), shows: 'result' },
      {
        lines: opened(...tools, call(1, 'must', {}), ['s', result(1, done({ isError: true }))]),
        shows: 'tool-error',
      },
    ],
  },
  'tasks.create-result-returned': {
    good: [opened(...tools, ...make(1))],
    legal: [
      { lines: opened(...tools, call(1), refused(1)), shows: 'refused' },
      { lines: opened(...tools, call(1), ['s', result(1, done({ isError: true }))]), shows: 'tool-error' },
      { lines: opened(call(1), ['s', result(1, done())]), shows: 'not-listed' },
      // the user declines at once
      {
        subject: 'client',
        lines: between(server, elicitsTasks)(elicit(1, { task: {} }), [
          'c',
          result(1, { action: 'decline' }),
        ]),
      },
    ],
    bad: [
      { lines: opened(...tools, call(1), ['s', result(1, done())]), shows: 'result-itself' },
      { lines: opened(...tools, call(1), ['s', result(1, { task: first })]), shows: 'task-no-object' },
      {
        subject: 'client',
        lines: between(server, elicitsTasks)(elicit(1, { task: {} }), [
          'c',
          result(1, { action: 'accept', content: {} }),
        ]),
      },
      ofClient(sample(1, { task: {} }), ['c', result(1, sampled)]),
    ],
  },
  'tasks.id-string': {
    good: [opened(...make(1), ...get(2, task()))],
    bad: [
      { lines: opened(...make(1, { taskId: 7 })), shows: 'number' },
      { lines: opened(...make(1), ...list(2, task({ taskId: null }))), shows: 'is-null' },
      // the id of a request is no key to a task then
      opened(
        ...make(1, { taskId: 7 }),
        ['c', request(2, 'tasks/result', { taskId: 7 })],
        refused(2),
        ...get(3, task({ taskId: 7 }), { taskId: 7 }),
        ...make(4, { taskId: 8 }),
      ),
      opened(...make(1), ...get(2, task({ taskId: null }))),
      opened(...list(1, task({ taskId: null }), task({ taskId: null, createdAt: '2000-01-01T10:31:00Z' }))),
      opened(...make(1, { taskId: undefined })),
    ],
  },
  'tasks.id-by-receiver': {
    good: [opened(call(1, 'a', { task: { taskId: 'mine' } }), made(1))],
    legal: [{ lines: opened(call(1, 'a', { task: { taskId: 'mine' } }), refused(1)), shows: 'refused' }],
    bad: [
      {
        lines: opened(
          call(1, 'a', { task: { taskId: 'of-the-client' } }),
          made(1, { taskId: 'of-the-client' }),
        ),
        shows: 'adopted',
      },
    ],
  },
  'tasks.id-unique': {
    good: [opened(...make(1), ...make(2, { taskId: second }))],
    legal: [{ lines: opened(...make(1), ...list(2, task()), ...list(3, task())), shows: 'listed-again' }],
    bad: [
      { lines: opened(...make(1), ...make(2)), shows: 'twice' },
      { lines: opened(...make(1), ...get(2, being('completed')), ...make(3)), shows: 'again-after-end' },
      opened(
        ...make(1),
        ...get(2, being('completed')),
        ...make(3, { createdAt: '2000-01-01T10:31:00Z', lastUpdatedAt: '2000-01-01T10:31:00Z' }),
      ),
    ],
  },
  'tasks.id-unguessable': {
    good: [opened(...make(1), ...make(2, { taskId: second }))],
    legal: [
      {
        lines: opened(...make(1, { taskId: 'V1StGXR8Z5' }), ...make(2, { taskId: 'jdHi6Bmy8x' })),
        shows: 'ten-characters',
      },
      opened(
        ...['8f2ac91b', 'c0ffee1e', 'c0ffee2e7', '4f8a90c1', '5f2a31c7'].flatMap((taskId, n) =>
          make(n, { taskId }),
        ),
      ),
      opened(...['r4831920475', 'r1029384756', 'r8877665544'].flatMap((taskId, n) => make(n, { taskId }))),
    ],
    bad: [
      {
        lines: opened(...make(1, { taskId: 'task-of-mine-9' }), ...make(2, { taskId: 'task-of-mine-10' })),
        shows: 'counted',
      },
      {
        lines: opened(...make(1, { taskId: '1700000000000' }), ...make(2, { taskId: '1700000000123' })),
        shows: 'time',
      },
      { lines: opened(...make(1, { taskId: '17' })), shows: 'short' },
      opened(...make(1, { taskId: '17364528' })),
    ],
  },
  'tasks.starts-working': {
    good: [opened(...make(1))],
    legal: [
      { lines: opened(...make(1, { status: 'completed' })), shows: 'completed' },
      { lines: opened(...make(1, { status: 'input_required' })), shows: 'input-required' },
    ],
    bad: [
      { lines: opened(...make(1, { status: 'submitted' })), shows: 'unknown' },
      { lines: opened(...make(1, { status: undefined })), shows: 'missing' },
    ],
  },
  'tasks.valid-transitions': {
    good: [opened(...make(1), notice(being('input_required')), notice(task()), notice(being('failed')))],
    legal: [
      {
        lines: opened(...make(1), ...get(2, being('input_required')), ...get(3, being('cancelled'))),
        shows: 'needs-input',
      },
    ],
    bad: [
      { lines: opened(...make(1), ...get(2, being('running'))), shows: 'unknown' },
      { lines: opened(...make(1), notice(being('done'))), shows: 'unknown-in-notice' },
      { lines: opened(...make(1), ...list(2, task(), being('expired'))), shows: 'unknown-in-list' },
    ],
  },
  'tasks.terminal-final': {
    good: [opened(...make(1), notice(being('completed')), ...get(2, being('completed')))],
    legal: [
      // requested before the end was reported: the messages crossed
      {
        lines: opened(
          ...make(1),
          ['c', request(2, 'tasks/get', { taskId: first })],
          notice(being('completed')),
          ['s', result(2, task())],
        ),
        shows: 'crossed',
      },
      {
        lines: opened(
          ...make(1),
          ...get(2, being('failed')),
          ['c', request(3, 'tasks/get', { taskId: first })],
          refused(3),
        ),
        shows: 'forgotten',
      },
      {
        lines: opened(
          ...make(1),
          ...get(2, being('failed', { statusMessage: 'other words' })),
          ...get(3, being('failed')),
        ),
        shows: 'other-words',
      },
    ],
    bad: [
      { lines: opened(...make(1), ...get(2, being('completed')), ...get(3, task())), shows: 'revived' },
      {
        lines: opened(...make(1), notice(being('completed')), ...list(3, being('failed'))),
        shows: 'other-end',
      },
      opened(...make(1), retrieve(2), given(2), notice(being('completed')), ...get(3, task())),
    ],
  },
  'tasks.cancel-sticks': {
    good: [opened(...make(1), ...cancel(2, being('cancelled')), ...get(3, being('cancelled')))],
    legal: [
      {
        lines: opened(
          ...make(1),
          ...cancel(2, being('cancelled')),
          ['c', request(3, 'tasks/get', { taskId: first })],
          refused(3),
        ),
        shows: 'forgotten',
      },
    ],
    bad: [
      {
        lines: opened(...make(1), ...cancel(2, being('cancelled')), ...get(3, being('completed'))),
        also: ['tasks.terminal-final'],
        shows: 'undone',
      },
    ],
  },
  'tasks.created-at': {
    good: [
      {
        lines: opened(...make(1), ...get(2, task({ createdAt: '2000-01-01 10:30:00.123456' }))),
        shows: 'any-form',
      },
      {
        lines: opened(...make(1), ...get(2, task({ createdAt: '2000-01-01T11:30:00.499+01:00' }))),
        shows: 'same-moment',
      },
    ],
    bad: [
      {
        lines: opened(...make(1), ...get(2, task({ createdAt: '2000-01-01T10:30:01Z' }))),
        shows: 'moves',
      },
      { lines: opened(...make(1, { createdAt: 1_700_000_000 })), shows: 'number' },
      { lines: opened(...make(1), notice(task({ createdAt: '2000-01-01' }))), shows: 'no-time' },
      { lines: opened(...make(1), ...get(2, task({ createdAt: undefined }))), shows: 'missing' },
      // in small steps
      opened(
        ...make(1),
        ...get(2, task({ createdAt: '2000-01-01T10:30:00.600Z' })),
        ...get(3, task({ createdAt: '2000-01-01T10:30:01.200Z' })),
      ),
    ],
  },
  'tasks.last-updated-at': {
    good: [
      {
        lines: opened(...make(1), ...get(2, task({ lastUpdatedAt: '20000101T103000Z' }))),
        shows: 'basic-form',
      },
      {
        lines: opened(
          ...make(1, { createdAt: '2000-01-01T10:30:00.900Z', lastUpdatedAt: '2000-01-01T12:30:00+02:00' }),
        ),
        shows: 'rounded',
      },
    ],
    bad: [
      { lines: opened(...make(1), ...list(2, task({ lastUpdatedAt: 'just now' }))), shows: 'words' },
      {
        lines: opened(...make(1), ...get(2, task({ lastUpdatedAt: '2000-13-01T10:30:00Z' }))),
        shows: 'impossible-date',
      },
      {
        lines: opened(...make(1, { lastUpdatedAt: '2000-01-01T08:30:00Z' })),
        shows: 'before-creation',
      },
    ],
  },
  'tasks.ttl-reported': {
    good: [opened(...get(1, task())), { lines: opened(...get(1, task({ ttl: null }))), shows: 'unlimited' }],
    bad: [
      { lines: opened(...get(1, task({ ttl: undefined }))), shows: 'missing' },
      { lines: opened(...get(1, task({ ttl: '60s' }))), shows: 'no-number' },
      { lines: opened(...get(1, task({ ttl: -1 }))), shows: 'negative' },
    ],
  },
  'elicitation.accept-content-matches': {
    good: [answeredForm({ action: 'accept', content: { name: 'Ada' } })],
    legal: [
      answeredForm({ action: 'decline' }),
      // it is not clear which task is meant
      answeredForm({ action: 'accept', content: { name: 7 } }, related(second)),
    ],
    bad: [{ ...answeredForm({ action: 'accept', content: { name: 7 } }), shows: 'in-task' }],
  },
  'tasks.result-of-terminal': {
    good: [
      opened(...make(1), ...get(2, being('completed')), retrieve(3), given(3), retrieve(4), given(4)),
      {
        lines: opened(
          ...make(1),
          retrieve(2),
          given(2),
          ...get(3, being('completed')),
          retrieve(4),
          given(4),
        ),
        shows: 'waited',
      },
      opened(...make(1), ...get(2, being('completed')), retrieve(3), given(3)),
      opened(
        ...make(1),
        ...get(2, being('completed')),
        retrieve(3),
        given(3),
        retrieve(4),
        given(4, done(), { _meta: { ...related()._meta, again: true } }),
      ),
      // two tasks
      opened(
        ...make(1),
        ...make(2, { taskId: second }),
        ...get(3, being('completed')),
        ...get(4, being('completed', { taskId: second }), { taskId: second }),
        retrieve(5),
        given(5),
        retrieve(6, { taskId: second }),
        given(6, done({ content: [{ type: 'text', text: 'other' }] }), related(second)),
      ),
    ],
    legal: [
      // the result of a task that is cancelled has no definition
      {
        lines: opened(...make(1), retrieve(2), given(2, {}), ...get(3, being('cancelled'))),
        isInconclusive: true,
      },
      {
        lines: opened(...make(1), ...get(2, being('failed')), retrieve(3), refused(3, -32050)),
        shows: 'failed',
      },
      {
        lines: opened(
          ...make(1),
          ...get(2, being('completed')),
          retrieve(3),
          given(3),
          retrieve(4),
          refused(4),
        ),
        shows: 'forgotten',
      },
      {
        lines: opened(...make(1), ...cancel(2, being('cancelled')), retrieve(3), given(3, {})),
        shows: 'cancelled',
      },
      // the task may be cancelled, or be unknown
      ...unobserved(
        [...make(1), ['c', request(2, 'tasks/cancel', { taskId: first })], retrieve(3), given(3, {})],
        [retrieve(3), given(3, {})],
      ),
      // for a moment the result cannot be read
      opened(
        ...make(1),
        ...get(2, being('completed')),
        retrieve(3),
        given(3),
        retrieve(4),
        refused(4, -32603),
        retrieve(5),
        given(5),
      ),
    ],
    bad: [
      {
        lines: opened(...make(1), ...get(2, being('completed')), retrieve(3), given(3, {})),
        shows: 'other-type',
      },
      // no message has the status, also where the task is cancelled later
      { lines: opened(...make(1), retrieve(2), given(2, {})), shows: 'other-type' },
      opened(...make(1), retrieve(2), given(2, {}), ['c', request(3, 'tasks/cancel', { taskId: first })]),
      {
        lines: opened(
          ...make(1),
          ...get(2, being('completed')),
          retrieve(3),
          given(3),
          retrieve(4),
          refused(4),
          ...get(5, being('completed')),
        ),
        shows: 'once-only',
      },
      {
        lines: opened(
          ...make(1),
          ...get(2, being('completed')),
          retrieve(3),
          given(3),
          retrieve(4),
          given(4, done({ content: [{ type: 'text', text: 'other' }] })),
        ),
        shows: 'other-result',
      },
      opened(
        ...make(1),
        ...get(2, being('failed')),
        retrieve(3),
        refused(3, -32050),
        retrieve(4),
        refused(4, -32051),
        ...get(5, being('failed')),
      ),
    ],
  },
  'tasks.result-blocks': {
    good: [opened(...make(1), retrieve(2), given(2), ...get(3, being('completed')))],
    legal: [
      { lines: opened(...make(1), retrieve(2), ...get(3, task()), given(2)), shows: 'status-late' },
      {
        lines: opened(
          ...make(1),
          retrieve(2),
          ['c', notification('notifications/cancelled', { requestId: 2 })],
          refused(2, -32603),
          ...get(3, task()),
        ),
        shows: 'cancelled',
      },
      { lines: opened(retrieve(2), refused(2), ...get(3, task())), shows: 'unknown' },
      opened(...make(1), retrieve(2)),
      // requests about a task of the client that has the same id
      opened(
        ...make(1),
        ['s', request(2, 'tasks/result', { taskId: first })],
        ['c', error(2, -32602, ' ')],
        ['s', request(3, 'tasks/cancel', { taskId: first })],
        ['c', error(3, -32602, ' ')],
        ...get(4, task()),
        ...get(5, being('completed')),
        ['s', request(6, 'tasks/cancel', { taskId: first })],
        ['c', result(6, being('cancelled'))],
      ),
    ],
    bad: [
      { lines: opened(...make(1), retrieve(2), refused(2), ...get(3, task())), shows: 'error' },
      {
        lines: opened(...make(1), retrieve(2), given(2, {}), ...get(3, being('input_required'))),
        shows: 'empty-result',
      },
      // cancellations of other requests, and one that is too late
      opened(
        ...make(1),
        sample(2),
        retrieve(2),
        ['s', notification('notifications/cancelled', { requestId: 2 })],
        ['c', notification('notifications/cancelled', { requestId: 1 })],
        ['c', notification('notifications/cancelled')],
        refused(2),
        ['c', notification('notifications/cancelled', { requestId: 2 })],
        ...get(3, task()),
      ),
    ],
  },
  'tasks.result-same-result': {
    good: [opened(...make(1), ...get(2, being('completed')), retrieve(3), given(3))],
    legal: [
      {
        lines: opened(...make(1), ...get(2, being('completed')), retrieve(3), refused(3)),
        shows: 'forgotten',
      },
    ],
    bad: [
      {
        lines: opened(
          ...make(1),
          ...get(2, being('completed')),
          retrieve(3),
          refused(3, -32603),
          ...get(4, being('completed')),
        ),
        shows: 'error',
      },
      opened(
        ...make(1),
        ...make(2, { taskId: second }),
        ...get(3, being('completed', { taskId: second }), { taskId: second }),
        retrieve(4, { taskId: second }),
        given(4, done(), related(second)),
        ...get(5, being('completed')),
        retrieve(6),
        refused(6, -32603),
        ...get(7, being('completed')),
      ),
    ],
  },
  'tasks.result-related': {
    good: [opened(...make(1), retrieve(2), given(2))],
    legal: [{ lines: opened(...make(1), retrieve(2), refused(2)), shows: 'error' }],
    bad: [
      { lines: opened(...make(1), retrieve(2), given(2, done(), {})), shows: 'none' },
      { lines: opened(...make(1), retrieve(2), given(2, done(), related(second))), shows: 'other-task' },
    ],
  },
  'tasks.response-without-related': {
    good: [opened(...get(1, task()), ...list(2, task()), ...cancel(3, being('cancelled')))],
    legal: unobserved(
      // a response of the client, and an error
      [sample(1, { task: {} }), toldOf(1), poll(2), ['c', result(2, task(related()))]],
      [['c', request(1, 'tasks/get', { taskId: first })], refused(1)],
    ),
    bad: [
      { lines: opened(...get(1, task(related()))), shows: 'get' },
      { lines: opened(...asked(1, 'tasks/list', {}, { tasks: [], ...related() })), shows: 'list' },
      opened(...cancel(1, being('cancelled', related()))),
    ],
  },
  'tasks.status-notification-unrelated': {
    good: [opened(...make(1), notice(being('completed')))],
    // a notification of the client
    legal: unobserved([['c', notification('notifications/tasks/status', being('completed', related()))]]),
    bad: [{ lines: opened(...make(1), notice(being('completed', related()))), shows: 'related' }],
  },
  'tasks.input-request-related': {
    good: [],
    legal: [
      {
        lines: opened(['s', request(7, 'elicitation/create', { ...asksForName, ...related() })]),
        shows: 'related',
      },
      { lines: opened(['s', request(7, 'elicitation/create', asksForName)]), shows: 'no-task' },
      // a request of a client belongs to no task
      {
        ...ofClient([
          'c',
          request(1, 'tools/list', { _meta: { 'io.modelcontextprotocol/related-task': {} } }),
        ]),
      },
    ],
    bad: [
      {
        lines: opened([
          's',
          request(7, 'elicitation/create', {
            ...asksForName,
            _meta: { 'io.modelcontextprotocol/related-task': {} },
          }),
        ]),
        shows: 'no-id',
      },
    ],
  },
  'tasks.messages-related': {
    good: [opened(...withToken(1), progress('t', 1))],
    legal: [
      {
        lines: opened(call(1, 'a', { _meta: { progressToken: 't' } }), progress('t', 1, {})),
        shows: 'no-task',
      },
      { ...answersTask({}), shows: 'bare-response' },
      answersTask(related()),
      // a new task
      answersTask({ ...related(second), task: task({ taskId: second }) }),
      // the task does not exist yet
      opened(callWithToken(1), progress('t', 1, {}), made(1)),
      // another notification, and progress of the client
      ...unobserved(
        [...withToken(1), ['s', notification('notifications/x', { progressToken: 't' })]],
        [...withToken(1), ['c', report('t', 1, {})]],
      ),
    ],
    bad: [
      { lines: opened(...withToken(1), progress('t', 1, {})), shows: 'progress-unrelated' },
      { lines: opened(...withToken(1), progress('t', 1, related(second))), shows: 'other-task' },
      { ...answersTask(related(second)), shows: 'other-task' },
      answersTask({ _meta: { 'io.modelcontextprotocol/related-task': null } }),
    ],
  },
  'tasks.param-is-truth': {
    good: [opened(...get(1, task(), related(second)))],
    bad: [
      { lines: opened(...get(1, task({ taskId: second }))), shows: 'other-task' },
      {
        lines: opened(...get(1, task({ taskId: second }), related(second))),
        also: ['tasks.request-related-ignored'],
        shows: 'metadata-win',
      },
      opened(...make(1), ...cancel(2, being('cancelled', { taskId: second }))),
      // without a taskId
      opened(...make(1), ['c', request(2, 'tasks/cancel')], ['s', result(2, being('cancelled'))]),
      opened(...make(1), ['c', request(2, 'tasks/get', related())], ['s', result(2, task())]),
    ],
  },
  'tasks.request-related-ignored': {
    good: [
      opened(...get(1, task(), related(second))),
      opened(...make(1), retrieve(2, related(second)), given(2)),
    ],
    legal: [
      {
        lines: opened(['c', request(1, 'tasks/get', { taskId: 'unknown', ...related() })], refused(1)),
        isUnobserved: true,
        shows: 'refused-anyway',
      },
      // what else is refused or not asked again proves nothing
      ...[
        [
          retrieve(4, related(second)),
          refused(4),
          retrieve(5, { taskId: second }),
          given(5, done(), related(second)),
        ],
        [retrieve(4), given(4), retrieve(5, related(second)), refused(5)],
        [retrieve(4, related(second)), refused(4), retrieve(5, related(second)), given(5)],
        [retrieve(4, related(second)), refused(4), retrieve(5), refused(5)],
      ].map(lines =>
        opened(...make(1), ...make(2, { taskId: second }), ...get(3, being('completed')), ...lines),
      ),
    ],
    bad: [
      {
        lines: opened(
          ...make(1),
          [
            'c',
            request(2, 'tasks/get', { taskId: first, _meta: { 'io.modelcontextprotocol/related-task': 7 } }),
          ],
          refused(2),
          ...get(3, task()),
        ),
        shows: 'get-refused',
      },
      {
        lines: opened(
          ...make(1),
          ...get(2, being('failed')),
          retrieve(3, related(second)),
          refused(3),
          retrieve(4),
          given(4, done({ isError: true })),
        ),
        shows: 'result-refused',
      },
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
      {
        lines: between({ tasks: {} }, {})(
          ...get(2, being('completed')),
          ['c', request(3, 'tasks/cancel', { taskId: first })],
          refused(3, -32601),
        ),
        shows: 'not-declared',
      },
      opened(...make(1), ['c', request(2, 'tasks/cancel')], refused(2)),
    ],
    bad: [
      {
        lines: opened(...make(1), ...get(2, being('completed')), ...cancel(3, being('completed'))),
        shows: 'result',
      },
      {
        lines: opened(
          ...make(1),
          ...cancel(2, being('cancelled')),
          ['c', request(3, 'tasks/cancel', { taskId: first })],
          refused(3, -32603),
        ),
        shows: 'other-code',
      },
      opened(...make(1), ...get(2, being('completed')), ...cancel(3, being('cancelled'))),
    ],
  },
  'tasks.cancel-before-response': {
    good: [opened(...make(1), ...cancel(2, being('cancelled')))],
    legal: [
      opened(
        ...make(1),
        ['c', request(2, 'tasks/cancel', { taskId: first })],
        refused(2, -32603),
        ...get(3, task()),
      ),
      opened(
        ...make(1),
        ['c', request(2, 'tasks/cancel', { taskId: first })],
        refused(2),
        ...get(3, being('completed')),
      ),
    ],
    bad: [
      { lines: opened(...make(1), ...cancel(2, task())), shows: 'working' },
      {
        lines: opened(
          ...make(1),
          ['c', request(2, 'tasks/cancel', { taskId: first })],
          refused(2, -32602),
          ...get(3, task()),
        ),
        shows: 'refused',
      },
    ],
  },
  'tasks.error-informative': {
    good: [opened(['c', request(1, 'tasks/get', { taskId: 'x' })], refused(1))],
    bad: [
      {
        lines: opened(['c', request(1, 'tasks/get', { taskId: 'x' })], refused(1, -32602, ' ')),
        shows: 'empty',
      },
      ...['tasks/result', 'tasks/list', 'tasks/cancel'].map(method =>
        opened(['c', request(1, method, { taskId: 'x' })], refused(1, -32602, ' ')),
      ),
    ],
  },
  'tasks.failed-status-message': {
    good: [opened(...get(1, being('failed')))],
    legal: [
      { lines: opened(...get(1, being('completed', { statusMessage: undefined }))), shows: 'not-failed' },
      opened(...make(1), notice(being('failed', { statusMessage: undefined }))),
    ],
    bad: [
      { lines: opened(...get(1, being('failed', { statusMessage: undefined }))), shows: 'none' },
      opened(...get(1, being('failed', { statusMessage: ' ' }))),
    ],
  },
  'tasks.tool-error-is-failed': {
    good: [opened(...make(1), retrieve(2), given(2, done({ isError: true })), ...get(3, being('failed')))],
    legal: [
      { lines: opened(...make(1), retrieve(2), given(2, done({ isError: true }))), shows: 'unknown-end' },
      opened(...make(1), ...cancel(2, being('cancelled')), retrieve(3), given(3, done({ isError: true }))),
      // a task that was made elsewhere may be that of another request
      opened(retrieve(1), given(1, done({ isError: true })), ...get(2, being('completed'))),
    ],
    bad: [
      {
        lines: opened(
          ...make(1),
          retrieve(2),
          given(2, done({ isError: true })),
          ...get(3, being('completed')),
        ),
        shows: 'completed',
      },
      opened(...make(1, { status: 'completed' }), retrieve(2), given(2, done({ isError: true }))),
      {
        lines: opened(
          ...make(1),
          ...get(2, being('failed')),
          ...make(3),
          retrieve(4),
          given(4, done({ isError: true })),
          ...get(5, being('completed')),
        ),
        also: ['tasks.id-unique'],
      },
    ],
  },
  'progress.task-token-continues': {
    good: [opened(...withToken(1), progress('t', 1))],
    legal: [
      { lines: opened(...withToken(1)), shows: 'none' },
      ...unobserved(
        // the task does not exist yet
        [callWithToken(1), progress('t', 1, {}), made(1)],
        // another notification, and progress of the client
        [...make(1), ['s', notification('notifications/x', { progressToken: 'u', ...related() })]],
        [...make(1), ['c', report('u', 1)]],
      ),
    ],
    bad: [
      {
        lines: opened(...withToken(1), progress('other', 1)),
        also: ['progress.task-same-token', 'progress.token-of-active-request'],
        shows: 'other-token',
      },
      {
        lines: opened(...withToken(1), notice(being('completed')), progress('other', 1)),
        also: ['progress.task-same-token', 'progress.token-of-active-request'],
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
      // the end arrives on another stream
      {
        transport: 'streamable-http',
        lines: opened(
          ...ask(1, 'GET', undefined, 200, 'text/event-stream'),
          ...withToken(1),
          ...ask(3, 'POST', request(3, 'tasks/get', { taskId: first }), 200, 'application/json'),
          body(3, result(3, being('completed'))),
          end(3),
          ...event(1, report('t', 1), {}, 'get'),
        ),
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
    legal: [{ lines: opened(sample(1)), isUnobserved: true, shows: 'no-task' }],
    bad: [
      {
        lines: between(server, { sampling: {}, tasks: { list: {} } })(sample(1, { task: {} })),
        shows: 'type-undeclared',
      },
      {
        lines: between(server, { sampling: {} })(sample(1, { task: { ttl: 1 } })),
        also: ['tasks.none-without-capability'],
        shows: 'tasks-undeclared',
      },
    ],
  },
  'tasks.none-without-capability': {
    good: [between(server, { sampling: {} })(sample(1))],
    legal: [
      { lines: opened(sample(1, { task: {} }), toldOf(1), poll(2)), shows: 'declared' },
      // a request that cannot become a task
      between(server, { sampling: {} })(['s', request(1, 'ping', { task: {} })]),
      // a refused handshake declares nothing
      {
        subject: 'client',
        lines: r => [handshake(r)[0]!, ['s', error('init')], ['c', request(1, 'tasks/list')]],
        isUnobserved: true,
      },
    ],
    bad: [
      { lines: between(server, { sampling: {} })(poll(1)), shows: 'tasks-request' },
      {
        subject: 'client',
        lines: between({ tools: {} }, {})(call(1)),
        also: ['tasks.tool-augment-needs-capability'],
        shows: 'task-field',
      },
    ],
  },
  'tasks.tool-augment-needs-capability': {
    good: [between({ tools: {}, tasks: { list: {} } }, {})(...tools, call(1, 'must', {}))],
    legal: [
      { lines: opened(...tools, call(1)), shows: 'declared' },
      // another request
      {
        lines: between({ tools: {}, tasks: { list: {} } }, {})(['c', request(1, 'tasks/list')]),
        isUnobserved: true,
      },
    ],
    bad: [
      { lines: between({ tools: {}, tasks: { list: {} } }, {})(...tools, call(1, 'must')), shows: 'task' },
    ],
  },
  'tasks.tool-forbidden-not-augmented': {
    good: [opened(...tools, call(1, 'never', {})), opened(...tools, call(1, 'plain', {}))],
    legal: [
      { lines: opened(call(1, 'never')), shows: 'not-listed' },
      {
        lines: opened(...tools, ['s', notification('notifications/tools/list_changed')], call(1, 'never')),
        shows: 'list-changed',
      },
      opened(...tools, ['c', request(1, 'x/y', { name: 'never', task: {} })]),
      // tools in another result, an invalid list, and a call of the server
      ...unobserved(
        [...asked(1, 'x/y', {}, { tools: [tool('b', 'forbidden')] }), call(2, 'b')],
        [...asked(1, 'tools/list', {}, 7), call(2)],
        [...tools, ['s', request(1, 'tools/call', { name: 'never', task: {} })]],
      ),
    ],
    bad: [
      { lines: opened(...tools, call(1, 'never')), shows: 'forbidden' },
      { lines: opened(...tools, call(1, 'plain')), shows: 'absent' },
    ],
  },
  'tasks.tool-required-augmented': {
    good: [opened(...tools, call(1, 'must'))],
    legal: [{ lines: opened(...tools, call(1, 'a')), shows: 'optional' }, opened(...tools, call(2, 'a', {}))],
    bad: [{ lines: opened(...tools, call(1, 'must', {})), shows: 'no-task' }],
  },
  'tasks.request-without-related': {
    good: [opened(poll(1))],
    bad: [
      { lines: opened(poll(1, related())), shows: 'get' },
      // the response of the client is about another task
      opened(poll(1, related()), ['c', result(1, task({ taskId: second }))]),
      { ...ofClient(['c', request(1, 'tasks/list', { ...related() })]), shows: 'list' },
    ],
  },
  'tasks.poll-interval-respected': {
    good: [opened(sample(1, { task: {} }), toldOf(1, { pollInterval: 10 }), poll(2))],
    legal: [
      // no interval, and half of the interval
      ...unobserved([sample(1, { task: {} }), toldOf(1), poll(2)]),
      ...unobserved([sample(1, { task: {} }), toldOf(1, { pollInterval: 1 }), poll(2)]),
      opened(sample(1, { task: {} }), toldOf(1, { pollInterval: 20 }), poll(2)),
      {
        lines: opened(sample(1, { task: {} }), toldOf(1, { pollInterval: 500 }), [
          's',
          request(2, 'tasks/result', { taskId: first }),
        ]),
        shows: 'result-request',
      },
      {
        lines: opened(sample(1, { task: {} }), toldOf(1, { pollInterval: 500 }), poll(2, { taskId: second })),
        shows: 'other-task',
      },
    ],
    bad: [
      { lines: opened(sample(1, { task: {} }), toldOf(1, { pollInterval: 500 }), poll(2)), shows: 'hasty' },
      opened(
        sample(1, { task: {} }),
        toldOf(1),
        poll(2),
        ['c', result(2, task({ pollInterval: 500 }))],
        poll(3),
      ),
      opened(sample(1, { task: {} }), toldOf(1, { pollInterval: 100 }), poll(2)),
    ],
  },
  'tasks.cursor-opaque': {
    good: [
      opened(
        ['s', request(1, 'tasks/list', {})],
        ['c', result(1, { tasks: [], nextCursor: 'a b' })],
        ['s', request(2, 'tasks/list', { cursor: 'a b' })],
      ),
    ],
    // no params, and a request of the client
    legal: unobserved([['s', request(1, 'tasks/list')]], [['c', request(1, 'tasks/list', { cursor: '1' })]]),
    bad: [
      { lines: opened(['s', request(1, 'tasks/list', { cursor: '1' })]), shows: 'never-issued' },
      // before the response that has it, and after an error
      opened(
        ['s', request(1, 'tasks/list', {})],
        ['s', request(2, 'tasks/list', { cursor: 'a' })],
        ['c', result(1, { tasks: [], nextCursor: 'a' })],
      ),
      opened(
        ['s', request(1, 'tasks/list', {})],
        ['c', error(1)],
        ['s', request(2, 'tasks/list', { cursor: 'a' })],
      ),
    ],
  },
  'base.jsonrpc-2-0': {
    good: [],
    // notifications with another version of JSON-RPC
    bad: [
      { lines: opened(...make(1), ['s', { ...report('u', 1), jsonrpc: '1.0' }]), when: hasTasks },
      {
        lines: opened([
          's',
          { jsonrpc: '1.0', method: 'notifications/tasks/status', params: being('completed', related()) },
        ]),
        when: hasTasks,
      },
    ],
  },
  'base.schema-valid': {
    good: [],
    bad: [
      // requests without params
      { lines: opened(...make(1), ['s', request(1, 'tasks/get')]), when: hasTasks },
      { subject: 'client', lines: opened(...tools, ['c', request(1, 'tools/call')]), when: hasTasks },
    ],
  },
  'progress.fields': {
    good: [],
    bad: [{ lines: opened(...make(1), progress(true, 1)), when: hasTasks }],
  },
};
