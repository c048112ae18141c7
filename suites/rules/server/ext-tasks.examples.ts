import type { Json, JsonObject } from '../../../spec/json-rpc.js';
import type { RequirementId } from '../../../spec/requirement.js';
import { tasksExtension } from '../derived/ext-tasks.js';
import type { Example, ExampleTable } from '../example.test.util.js';
import { requestLine as ask, declaring, resultLine as says, task, taskId } from '../ext-tasks.test.util.js';
import type { Line } from '../record.test.util.js';
import {
  acknowledged,
  discovered,
  enveloped,
  posted,
  refusedWith,
  serverInfo,
  stateless,
  tagged,
} from '../stateless.test.util.js';

type Some = readonly (readonly Line[] | Example)[];
type Table = Record<string, { good: Some; legal?: Some; bad: Some }>;

const refuses = (id: number, code: number, message: Json = 'There is no such task.'): Line => [
  's',
  { jsonrpc: '2.0', id, error: { code, message } },
];

const calls = (id: number, result: JsonObject): Line[] => [
  ask(id, 'tools/call', { name: 't', arguments: {} }),
  says(id, result),
];
const made = (more: JsonObject = {}, id = 1): Line[] =>
  calls(id, { resultType: 'task', ...task('working'), ...more });
const got = (id: number, status: string, more: JsonObject = {}): Line[] => [
  ask(id, 'tasks/get', { taskId }),
  says(id, task(status, more)),
];
const plain = { content: [] };
const failure = { error: { code: -32603, message: 'no' }, statusMessage: 'no' };
const done = { result: plain };
/** A result without resultType. */
const plainly = (id: number, result: JsonObject): Line => [
  's',
  { jsonrpc: '2.0', id, result: { ...result, _meta: serverInfo } },
];
const roots = { method: 'roots/list' };
const asks = (id: number, inputRequests: JsonObject): Line[] => got(id, 'input_required', { inputRequests });
const answer = (id: number, inputResponses: JsonObject, of = taskId): Line =>
  ask(id, 'tasks/update', { taskId: of, inputResponses });
const updates = (id: number, key: string, of = taskId): Line[] => [
  answer(id, { [key]: { roots: [] } }, of),
  says(id, {}),
];
/** A task that goes on waiting after an error to answers. */
const refusedAnswer = (questions: JsonObject, answers: JsonObject): Line[] => [
  ...made(),
  ...asks(2, questions),
  answer(3, answers),
  refuses(3, -32602),
  ...asks(4, questions),
];
const lost = (id: number, of = taskId): Line[] => [ask(id, 'tasks/get', { taskId: of }), refuses(id, -32602)];
const refusedCancel: Line[] = [ask(3, 'tasks/cancel', { taskId }), refuses(3, -32602)];
const other = { method: 'roots/list', params: { _meta: { a: 1 } } };
const listens = (filter: JsonObject): Line => ask(9, 'subscriptions/listen', { notifications: filter });
const subscribed = [listens({ taskIds: [taskId] }), acknowledged(9, { taskIds: [taskId] })];
/** A subscription over HTTP: its stream begins with the acknowledgement, and has a notification of its task. */
const streamed = (id: number, of: string): Line[] => {
  const agreed = acknowledged(id, { taskIds: [of] }) as readonly [string, Json];
  const changed = tagged(id, 'notifications/tasks', task('working', { taskId: of })) as readonly [
    string,
    Json,
  ];
  const listen = declaring(id, 'subscriptions/listen', { notifications: { taskIds: [of] } });
  return posted(id, listen, 200, [agreed[1], changed[1]]).slice(0, -1);
};
const missing = { requiredCapabilities: { extensions: { [tasksExtension]: {} } } };
/** An example that shows a facet of its row, and may fail with other rows too. */
const shows = (facet: string, lines: readonly Line[], ...rows: RequirementId[]) => ({
  lines,
  shows: facet,
  also: rows,
});
/** An example that fails with other rows too. */
const also = (lines: Line[], ...rows: RequirementId[]) => ({ lines, also: rows });
const shape = 'base.schema-valid';

const finds = (twin: RequirementId) => ({
  good: [
    [...made(), ...got(2, 'working')],
    // of another task, and before the announcement
    [...made(), ...lost(2, 'another-task'), ...got(3, 'working')],
    [...lost(2), ...made(), ...got(3, 'working')],
  ],
  legal: [
    [...made(), ask(2, 'tasks/get', { taskId })],
    [...made(), ['c!', declaring(2, 'tasks/get', { taskId })], refuses(2, -32602)] as const,
  ],
  bad: [also([...made(), ...lost(2)], twin)],
});
const keys = (...twins: RequirementId[]) => ({
  good: [[...asks(2, { a: roots }), ...asks(3, { a: roots, b: other })]],
  bad: [also([...asks(2, { a: roots }), ...updates(3, 'a'), ...asks(4, { a: other })], ...twins)],
});
/** Another question under a key that was not answered before. */
const rekeyed = [
  [...asks(2, { a: roots }), ...asks(3, { a: other })],
  [...asks(2, { a: roots, b: roots }), ...updates(3, 'b'), ...asks(4, { a: other })],
  [...asks(2, { a: roots }), ...updates(3, 'a', 'another-task'), ...asks(4, { a: other })],
  [...asks(2, { a: roots }), ...asks(3, { a: other }), ...updates(4, 'a')],
].map(lines => also(lines, 'ext-tasks.key-one-request'));
const typed = (method: string, params: JsonObject, result: JsonObject) => ({
  good: [[ask(2, method, params), says(2, result)]],
  bad: [
    also([ask(2, method, params), says(2, { ...result, resultType: 'task' })], 'ext-tasks.type-reserved'),
    shows('none', [ask(2, method, params), plainly(2, result)], 'result.type-present'),
  ],
});

/** The server declares the extension. */
const serving = discovered({ tools: {}, extensions: { [tasksExtension]: {} } });

/** Examples with a server that declares the extension. */
const served = (table: Table): ExampleTable => {
  const place = (some: Some = []) =>
    some.map(e =>
      'lines' in e ? { ...e, lines: [...serving, ...(e.lines as readonly Line[])] } : [...serving, ...e],
    );
  return stateless(
    Object.fromEntries(
      Object.entries(table).map(([id, { good, legal, bad }]) => [
        id,
        { good: place(good), legal: place(legal), bad: place(bad) },
      ]),
    ),
  );
};

export const examples = served({
  'ext-tasks.only-if-declared': {
    good: [[['c', enveloped(1, 'tools/call', { name: 't' })], says(1, plain)]],
    bad: [
      also(
        [
          ['c', enveloped(1, 'tools/call', { name: 't' })],
          says(1, { resultType: 'task', ...task('working') }),
        ],
        'result.type-known',
        'versioning.extension-fallback',
      ),
      also(
        [['c', enveloped(1, 'tools/call', { name: 't' })], says(1, { resultType: 'task', ...plain })],
        shape,
        'result.type-known',
        'versioning.extension-fallback',
      ),
      shows(
        'members-alone',
        [['c', enveloped(1, 'tools/call', { name: 't' })], says(1, task('working'))],
        shape,
        'ext-tasks.create-result-type',
      ),
    ],
    legal: [
      shows('own-data', [
        ['c', enveloped(1, 'tools/call', { name: 't' })],
        says(1, { ...plain, ...task('working') }),
      ]),
    ],
  },
  'ext-tasks.create-result-type': {
    good: [made()],
    bad: [
      also(made({ resultType: 'complete' }), shape),
      shows('none', [made()[0]!, plainly(1, task('working'))], shape, 'result.type-present'),
    ],
  },
  'ext-tasks.type-reserved': {
    good: [made()],
    bad: [
      shows('call', calls(1, { resultType: 'task', ...plain }), shape),
      shows(
        'other-method',
        [ask(2, 'prompts/get', { name: 'p' }), says(2, { resultType: 'task', messages: [] })],
        'prompts.capability-declared',
      ),
    ],
  },
  'ext-tasks.durable-on-creation': finds('ext-tasks.consistent-on-creation'),
  'ext-tasks.consistent-on-creation': finds('ext-tasks.durable-on-creation'),
  'ext-tasks.get-returns-task': {
    good: [got(2, 'working')],
    bad: [got(2, 'working', { taskId: 'another-task' }), shows('status', got(2, 'finished'), shape)],
  },
  'ext-tasks.get-input-requests': {
    good: [asks(2, { a: roots })],
    bad: [asks(2, {}), shows('none', got(2, 'input_required'), shape)],
  },
  'ext-tasks.get-completed-result': {
    good: [got(2, 'completed', done)],
    legal: [
      { lines: got(2, 'completed', { result: { ...plain, _meta: { x: 1 }, isError: true } }) },
      { lines: made({ status: 'completed' }), shows: 'announcement', isUnobserved: true },
    ],
    bad: [
      also(got(2, 'completed'), shape),
      ...[{ content: 'text' }, { content: [{ type: 'x' }] }, { content: [], isError: 'no' }, {}].map(result =>
        got(2, 'completed', { result }),
      ),
      shows('notified', [
        ...subscribed,
        tagged(9, 'notifications/tasks', task('completed', { result: { content: [1] } })),
      ]),
    ],
  },
  'ext-tasks.get-failed-error': {
    good: [got(2, 'failed', failure)],
    bad: [
      also(got(2, 'failed', { statusMessage: 'no' }), shape),
      shows('code', got(2, 'failed', { error: { code: 'x' }, statusMessage: 'no' }), shape),
      shows('message', got(2, 'failed', { error: { code: -32603 }, statusMessage: 'no' }), shape),
    ],
  },
  'ext-tasks.failed-status-message': {
    good: [got(2, 'failed', failure)],
    bad: [
      got(2, 'failed', { error: failure.error }),
      shows('blank', got(2, 'failed', { error: failure.error, statusMessage: ' ' })),
    ],
  },
  'ext-tasks.get-cancelled': {
    good: [[...got(1, 'working'), ...got(2, 'cancelled'), ...got(3, 'cancelled')]],
    bad: [[...got(2, 'cancelled'), ...got(3, 'working')]],
  },
  'ext-tasks.get-result-type': typed('tasks/get', { taskId }, task('working')),
  'ext-tasks.update-result-type': typed('tasks/update', { taskId, inputResponses: {} }, {}),
  'ext-tasks.cancel-result-type': typed('tasks/cancel', { taskId }, {}),
  'ext-tasks.update-acknowledged': {
    good: [[...asks(2, { a: roots }), ...updates(3, 'a')]],
    legal: [
      shows('ended', [
        ...made(),
        ...asks(2, { a: roots }),
        ask(3, 'tasks/update', { taskId, inputResponses: { a: { roots: [] } } }),
        refuses(3, -32602),
        ...got(4, 'completed', done),
      ]),
      [
        ...made(),
        ...asks(2, { a: roots }),
        answer(3, { a: { roots: [] } }),
        refuses(3, -32602),
        ...got(4, 'working'),
      ],
      [...made(), ...asks(2, { a: roots }), answer(3, { a: { roots: [] } }), refuses(3, -32602)],
      shows('some', refusedAnswer({ a: roots, b: roots }, { a: { roots: [] } })),
      shows('invalid-answer', [
        ...made(),
        ...asks(2, { a: roots }),
        answer(3, { a: 7 }),
        refuses(3, -32602),
        ...asks(4, { a: roots }),
      ]),
    ],
    bad: [
      [ask(3, 'tasks/update', { taskId, inputResponses: {} }), says(3, task('working'))],
      shows('error', refusedAnswer({ a: roots }, { a: { roots: [] } })),
    ],
  },
  'ext-tasks.unknown-keys-ignored': {
    good: [[...made(), ...asks(2, { a: roots }), ...updates(3, 'b')]],
    legal: [
      shows('some', refusedAnswer({ a: roots, b: roots }, { a: { roots: [] }, c: { roots: [] } })),
      shows('ended', [
        ...refusedAnswer({ a: roots }, { b: { roots: [] } }).slice(0, -2),
        ...got(4, 'completed', done),
      ]),
      { lines: [...made(), ...asks(2, { a: roots }), ...updates(3, 'a')], isUnobserved: true },
    ],
    bad: [
      refusedAnswer({ a: roots }, { b: { roots: [] } }),
      shows('beside-answers', refusedAnswer({ a: roots }, { a: { roots: [] }, b: { roots: [] } })),
    ],
  },
  'ext-tasks.cancel-acknowledged': {
    good: [[...made(), ask(2, 'tasks/cancel', { taskId }), says(2, {})]],
    legal: [
      [...got(2, 'completed', done), ...refusedCancel],
      refusedCancel,
      [...made(), ...refusedCancel],
      [...made(), ...refusedCancel, ...got(4, 'cancelled')],
    ],
    bad: [
      [ask(2, 'tasks/cancel', { taskId }), says(2, task('cancelled'))],
      shows('error', [...made(), ...refusedCancel, ...got(4, 'working')]),
    ],
  },
  'ext-tasks.keys-unique': {
    good: keys().good,
    bad: [...keys('ext-tasks.key-one-request', 'ext-tasks.key-not-reused').bad, ...rekeyed],
  },
  'ext-tasks.key-one-request': keys('ext-tasks.keys-unique', 'ext-tasks.key-not-reused'),
  'ext-tasks.key-not-reused': {
    good: [[...asks(2, { a: roots }), ...updates(3, 'a'), ...asks(4, { a: roots })]],
    bad: keys('ext-tasks.keys-unique', 'ext-tasks.key-one-request').bad,
  },
  'ext-tasks.acknowledged-ids': {
    good: [subscribed],
    legal: [
      shows('none', [listens({ taskIds: [taskId] }), acknowledged(9, {})]),
      shows('subset', [
        listens({ taskIds: [taskId, 'another-task'] }),
        acknowledged(9, { taskIds: [taskId] }),
      ]),
      // without tasks, or without the extension
      { lines: [listens({ toolsListChanged: true }), acknowledged(9, {})], isUnobserved: true },
      { lines: [listens({ taskIds: 7 }), acknowledged(9, {})], isUnobserved: true },
      {
        lines: [
          ['c', enveloped(9, 'subscriptions/listen', { notifications: { taskIds: [taskId] } })],
          acknowledged(9, {}),
        ],
        isUnobserved: true,
      },
    ],
    bad: [
      shows('instead', [listens({ taskIds: [taskId] }), acknowledged(9, { taskIds: ['another-task'] })]),
      [listens({ taskIds: [taskId] }), acknowledged(9, { taskIds: [taskId, 'another-task'] })],
    ],
  },
  'ext-tasks.notified-tasks': {
    good: [
      [...subscribed, tagged(9, 'notifications/tasks', task('working'))],
      shows('several', [
        ...subscribed,
        ask(8, 'subscriptions/listen', { notifications: { taskIds: ['another-task'] } }),
        acknowledged(8, { taskIds: ['another-task'] }),
        tagged(8, 'notifications/tasks', task('working', { taskId: 'another-task' })),
      ]),
      { lines: [...streamed(9, taskId), ...streamed(8, 'another-task')], transport: 'streamable-http' },
    ],
    bad: [[...subscribed, tagged(9, 'notifications/tasks', task('working', { taskId: 'another-task' }))]],
  },
  'ext-tasks.no-progress-on-listen': {
    good: [subscribed],
    legal: [{ lines: subscribed.slice(0, 1), isUnobserved: true }],
    bad: [
      also(
        [...subscribed, tagged(9, 'notifications/progress', { progressToken: 1, progress: 1 })],
        'progress.token-of-active-request',
      ),
      also(
        [...subscribed, tagged(9, 'notifications/message', { level: 'info', data: 'x' })],
        'logging.own-response-stream-only',
        'logging.capability-declared',
      ),
    ],
  },
  'ext-tasks.methods-undeclared': {
    good: [refusedWith(1, 'tasks/get', -32021, missing)],
    legal: [[['c', enveloped(1, 'tasks/get', { taskId })]]],
    bad: [
      shows('code', refusedWith(1, 'tasks/get', -32602)),
      shows('data', refusedWith(1, 'tasks/get', -32021)),
      refusedWith(1, 'tasks/get', -32603, missing),
      [['c', enveloped(1, 'tasks/get', { taskId })], says(1, task('working'))],
      [...made(), ['c', enveloped(2, 'tasks/get', { taskId })], refuses(2, -32602)],
    ],
  },
  'ext-tasks.error-informative': {
    good: [[ask(2, 'tasks/get', { taskId }), refuses(2, -32602)]],
    bad: [
      [ask(2, 'tasks/get', { taskId }), refuses(2, -32602, ' ')],
      shows(
        'no-text',
        [ask(2, 'tasks/get', { taskId }), refuses(2, -32602, 7)],
        'jsonrpc.error-code-and-message',
      ),
    ],
  },
  'ext-tasks.id-unguessable': {
    good: [
      [...made(), ...made({ taskId: 'f6e5d4c3-b2a1' }, 2)],
      made({ taskId: 'a1b2c3d4' }),
      ...[
        ['task-1-80014', 'task-2-30991'],
        ['task-number-8', 'task-number-7'],
        ['task-number-7', 'task-number-1007'],
      ].map(([first, second]) =>
        shows('numbers', [...made({ taskId: first! }), ...made({ taskId: second! }, 2)]),
      ),
    ],
    bad: [
      shows('short', made({ taskId: '7' })),
      [...made({ taskId: 'task-number-9' }), ...made({ taskId: 'task-number-10' }, 2)],
    ],
  },
  'ext-tasks.timestamps': {
    good: [
      made(),
      shows('other-task', [
        ...made(),
        ...made(
          {
            taskId: 'f6e5d4c3-b2a1',
            createdAt: '2026-08-01T11:00:00Z',
            lastUpdatedAt: '2026-08-01T11:00:00Z',
          },
          2,
        ),
      ]),
    ],
    bad: [
      made({ createdAt: 'today' }),
      [...made(), ...got(2, 'working', { createdAt: '2001-01-01T00:00:00Z' })],
    ],
  },
  'ext-tasks.integers': {
    good: [made({ ttlMs: null, pollIntervalMs: 0 })],
    bad: [
      made({ ttlMs: 0.5 }),
      shows('negative', made({ ttlMs: -1 })),
      shows('text', made({ pollIntervalMs: '20' }), shape),
      made({ pollIntervalMs: 0.5 }),
    ],
  },
});
