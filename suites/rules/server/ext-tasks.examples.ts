import type { JsonObject } from '../../../spec/json-rpc.js';
import type { RequirementId } from '../../../spec/requirement.js';
import { tasksExtension } from '../derived/ext-tasks.js';
import type { Example, ExampleTable } from '../example.test.util.js';
import { requestLine as ask, resultLine as says, task, taskId } from '../ext-tasks.test.util.js';
import type { Line } from '../record.test.util.js';
import {
  acknowledged,
  discovered,
  enveloped,
  refusedWith,
  stateless,
  tagged,
} from '../stateless.test.util.js';

type Some = readonly (readonly Line[] | Example)[];
type Table = Record<string, { good: Some; legal?: Some; bad: Some }>;

const refuses = (id: number, code: number, message = 'There is no such task.'): Line => [
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
const roots = { method: 'roots/list' };
const asks = (id: number, inputRequests: JsonObject): Line[] => got(id, 'input_required', { inputRequests });
const updates = (id: number, key: string): Line[] => [
  ask(id, 'tasks/update', { taskId, inputResponses: { [key]: { roots: [] } } }),
  says(id, {}),
];
const other = { method: 'roots/list', params: { _meta: { a: 1 } } };
const listens = (filter: JsonObject): Line => ask(9, 'subscriptions/listen', { notifications: filter });
const subscribed = [listens({ taskIds: [taskId] }), acknowledged(9, { taskIds: [taskId] })];
const missing = { requiredCapabilities: { extensions: { [tasksExtension]: {} } } };
/** An example that fails with other rows too. */
const also = (lines: Line[], ...rows: RequirementId[]) => ({ lines, also: rows });
const shape = 'base.schema-valid';

const finds = (twin: RequirementId) => ({
  good: [[...made(), ...got(2, 'working')]],
  bad: [also([...made(), ask(2, 'tasks/get', { taskId }), refuses(2, -32602)], twin)],
});
const keys = (...twins: RequirementId[]) => ({
  good: [[...asks(2, { a: roots }), ...asks(3, { a: roots, b: other })]],
  bad: [also([...asks(2, { a: roots }), ...updates(3, 'a'), ...asks(4, { a: other })], ...twins)],
});
const typed = (method: string, params: JsonObject, result: JsonObject) => ({
  good: [[ask(2, method, params), says(2, result)]],
  bad: [
    also([ask(2, method, params), says(2, { ...result, resultType: 'task' })], 'ext-tasks.type-reserved'),
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
    ],
  },
  'ext-tasks.create-result-type': { good: [made()], bad: [also(made({ resultType: 'complete' }), shape)] },
  'ext-tasks.type-reserved': {
    good: [made()],
    bad: [also(calls(1, { resultType: 'task', ...plain }), shape)],
  },
  'ext-tasks.durable-on-creation': finds('ext-tasks.consistent-on-creation'),
  'ext-tasks.consistent-on-creation': finds('ext-tasks.durable-on-creation'),
  'ext-tasks.get-returns-task': {
    good: [got(2, 'working')],
    bad: [got(2, 'working', { taskId: 'another-task' }), also(got(2, 'finished'), shape)],
  },
  'ext-tasks.get-input-requests': {
    good: [asks(2, { a: roots })],
    bad: [asks(2, {}), also(got(2, 'input_required'), shape)],
  },
  'ext-tasks.get-completed-result': {
    good: [got(2, 'completed', done)],
    bad: [also(got(2, 'completed'), shape)],
  },
  'ext-tasks.get-failed-error': {
    good: [got(2, 'failed', failure)],
    bad: [
      also(got(2, 'failed', { statusMessage: 'no' }), shape),
      also(got(2, 'failed', { error: { code: 'x' }, statusMessage: 'no' }), shape),
    ],
  },
  'ext-tasks.failed-status-message': {
    good: [got(2, 'failed', failure)],
    bad: [got(2, 'failed', { error: failure.error })],
  },
  'ext-tasks.get-cancelled': {
    good: [[...got(2, 'cancelled'), ...got(3, 'cancelled')]],
    bad: [[...got(2, 'cancelled'), ...got(3, 'working')]],
  },
  'ext-tasks.get-result-type': typed('tasks/get', { taskId }, task('working')),
  'ext-tasks.update-result-type': typed('tasks/update', { taskId, inputResponses: {} }, {}),
  'ext-tasks.cancel-result-type': typed('tasks/cancel', { taskId }, {}),
  'ext-tasks.update-acknowledged': {
    good: [[...asks(2, { a: roots }), ...updates(3, 'a')]],
    // the work may have ended meanwhile
    legal: [
      [
        ...asks(2, { a: roots }),
        ask(3, 'tasks/update', { taskId, inputResponses: { a: { roots: [] } } }),
        refuses(3, -32602),
        ...got(4, 'completed', done),
      ],
    ],
    bad: [
      [ask(3, 'tasks/update', { taskId, inputResponses: {} }), says(3, task('working'))],
      [
        ...made(),
        ...asks(2, { a: roots }),
        ask(3, 'tasks/update', { taskId, inputResponses: { a: { roots: [] } } }),
        refuses(3, -32602),
        ...asks(4, { a: roots }),
      ],
    ],
  },
  'ext-tasks.cancel-acknowledged': {
    good: [[...made(), ask(2, 'tasks/cancel', { taskId }), says(2, {})]],
    legal: [[...got(2, 'completed', done), ask(3, 'tasks/cancel', { taskId }), refuses(3, -32602)]],
    bad: [[ask(2, 'tasks/cancel', { taskId }), says(2, task('cancelled'))]],
  },
  'ext-tasks.keys-unique': keys('ext-tasks.key-one-request', 'ext-tasks.key-not-reused'),
  'ext-tasks.key-one-request': keys('ext-tasks.keys-unique', 'ext-tasks.key-not-reused'),
  'ext-tasks.key-not-reused': {
    good: [[...asks(2, { a: roots }), ...updates(3, 'a'), ...asks(4, { a: roots })]],
    bad: keys('ext-tasks.keys-unique', 'ext-tasks.key-one-request').bad,
  },
  'ext-tasks.acknowledged-ids': {
    good: [subscribed],
    legal: [[listens({ taskIds: [taskId] }), acknowledged(9, {})]],
    bad: [[listens({ taskIds: [taskId] }), acknowledged(9, { taskIds: ['another-task'] })]],
  },
  'ext-tasks.notified-tasks': {
    good: [[...subscribed, tagged(9, 'notifications/tasks', task('working'))]],
    bad: [[...subscribed, tagged(9, 'notifications/tasks', task('working', { taskId: 'another-task' }))]],
  },
  'ext-tasks.no-progress-on-listen': {
    good: [subscribed],
    bad: [
      also(
        [...subscribed, tagged(9, 'notifications/progress', { progressToken: 1, progress: 1 })],
        'progress.token-of-active-request',
      ),
    ],
  },
  'ext-tasks.methods-undeclared': {
    good: [refusedWith(1, 'tasks/get', -32021, missing)],
    bad: [refusedWith(1, 'tasks/get', -32602), refusedWith(1, 'tasks/get', -32021)],
  },
  'ext-tasks.error-informative': {
    good: [[ask(2, 'tasks/get', { taskId }), refuses(2, -32602)]],
    bad: [[ask(2, 'tasks/get', { taskId }), refuses(2, -32602, ' ')]],
  },
  'ext-tasks.id-unguessable': {
    good: [[...made(), ...made({ taskId: 'f6e5d4c3-b2a1' }, 2)]],
    bad: [
      made({ taskId: '7' }),
      [...made({ taskId: 'task-number-7' }), ...made({ taskId: 'task-number-8' }, 2)],
    ],
  },
  'ext-tasks.timestamps': {
    good: [made()],
    bad: [
      made({ createdAt: 'today' }),
      [...made(), ...got(2, 'working', { createdAt: '2001-01-01T00:00:00Z' })],
    ],
  },
  'ext-tasks.integers': {
    good: [made({ ttlMs: null, pollIntervalMs: 0 })],
    bad: [made({ ttlMs: 0.5 }), made({ pollIntervalMs: 0.5 })],
  },
});
