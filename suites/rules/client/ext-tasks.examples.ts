import { envelopeKeys } from '../../../harness/record/envelope.js';
import { mirroredHeaders } from '../../../harness/record/mirrored-headers.js';
import type { Json, JsonObject } from '../../../spec/json-rpc.js';
import { tasksExtension } from '../derived/ext-tasks.js';
import { type ExampleTable, tableWith } from '../example.test.util.js';
import { requestLine as asks, declaring, resultLine as says, task, taskId } from '../ext-tasks.test.util.js';
import { ask, body, end } from '../http-events.test.util.js';
import { error, type Line, notification, request } from '../record.test.util.js';
import { complete, enveloped } from '../stateless.test.util.js';

const overStdio = tableWith({ subject: 'client', era: 'modern' });
const overHttp = tableWith({ subject: 'client', era: 'modern', transport: 'streamable-http' });

const made: Line[] = [
  asks(1, 'tools/call', { name: 't', arguments: {} }),
  says(1, { ...task('working'), resultType: 'task' }),
];
const polled = (id: number, state: JsonObject): Line[] => [
  asks(id, 'tasks/get', { taskId }),
  says(id, state),
];
const updates = (id: number, key: string): Line[] => [
  asks(id, 'tasks/update', { taskId, inputResponses: { [key]: { roots: [] } } }),
  says(id, {}),
];
/** A client that declares elicitation too. */
const capable = (id: number, method: string, params: JsonObject): Line => [
  'c',
  enveloped(id, method, params, {
    [envelopeKeys.clientCapabilities]: { roots: {}, elicitation: {}, extensions: { [tasksExtension]: {} } },
  }),
];
const form = (type: string): JsonObject => ({
  method: 'elicitation/create',
  params: { message: 'm', requestedSchema: { type: 'object', properties: { n: { type } }, required: ['n'] } },
});
/** A state of the task that asks something, and an answer. */
const asking = (id: number, question: Json, of = taskId): Line[] => [
  capable(id, 'tasks/get', { taskId: of }),
  says(id, task('input_required', { taskId: of, inputRequests: { who: question } })),
];
const giving = (id: number, answer: Json, key = 'who'): Line[] => [
  capable(id, 'tasks/update', { taskId, inputResponses: { [key]: answer } }),
  says(id, {}),
];
const answering = (
  answer: Json,
  { question = form('number') as Json, key = 'who', of = taskId } = {},
): Line[] => [
  capable(1, 'tools/call', { name: 't', arguments: {} }),
  says(1, { ...task('working'), resultType: 'task' }),
  ...asking(2, question, of),
  ...giving(3, answer, key),
];
const slow = task('working', { pollIntervalMs: 60_000 });
const every = (pollIntervalMs: number): JsonObject => task('working', { pollIntervalMs });
const other = (id: number): Line[] => [
  asks(id, 'tasks/get', { taskId: 'other' }),
  says(id, task('working', { taskId: 'other', pollIntervalMs: 0 })),
];
const cancelled = (requestId: Json): Line => [
  'c',
  { jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId } },
];
const misplaced: Line[] = [
  asks(1, 'prompts/get', { name: 'p' }),
  says(1, { ...task('working'), resultType: 'task' }),
];

const refused = (id: number): Line[] => [asks(id, 'tasks/get', { taskId }), ['s', error(id, -32602)]];
const notified: Line = ['s', notification('notifications/tasks', slow)];
/** A request without parameters. */
const bare = (id: number, method: string): Line => ['c', request(id, method)];

const headersOf = (message: Json): Record<string, string> =>
  Object.fromEntries(mirroredHeaders(message).filter(([key]) => key !== 'Mcp-Name'));

/** A POST with tasks/get. @param name the header Mcp-Name; undefined: as it should be; null: none */
const posted = (name?: string | null): Line[] => {
  const get = declaring(2, 'tasks/get', { taskId });
  const headers = headersOf(get);
  const sent = name === null ? headers : { ...headers, 'Mcp-Name': name ?? taskId };
  return [
    ...ask(1, 'POST', get, 200, 'application/json', { sent }),
    body(1, complete(2, task('working'))),
    end(1),
  ];
};

const discovery = declaring(2, 'server/discover', { taskId });

export const examples: ExampleTable = {
  ...overStdio({
    'elicitation.accept-content-matches': {
      good: [answering({ action: 'accept', content: { n: 1 } })],
      legal: [
        answering({ action: 'decline' }),
        // a question that the server does not ask, or asks in another task, and no question
        answering({ action: 'accept', content: {} }, { key: 'other' }),
        answering({ action: 'accept', content: {} }, { of: 'other' }),
        answering({ action: 'accept', content: {} }, { question: 'none' }),
      ],
      bad: [
        { lines: answering({ action: 'accept', content: { n: 'one' } }), shows: 'in-task' },
        {
          lines: [
            ...answering({ action: 'accept', content: { n: 1 } }),
            // the same key asks for something else
            ...asking(4, form('string')),
            ...giving(5, { action: 'accept', content: { n: 1 } }),
          ],
          also: ['ext-tasks.client-answers-once'],
        },
      ],
    },
    'roots.uri-file-scheme': {
      good: [answering({ roots: [{ uri: 'file:///a' }] }, { question: { method: 'roots/list' } })],
      bad: [answering({ roots: [{ uri: 'https://e.com/' }] }, { question: { method: 'roots/list' } })],
    },
    'ext-tasks.client-rejects-elsewhere': {
      good: [[...misplaced, asks(2, 'tools/list', {})]],
      legal: [
        {
          lines: [
            ...misplaced,
            asks(2, 'tasks/get', { taskId: 'other' }),
            asks(3, 'subscriptions/listen', { notifications: { toolsListChanged: true } }),
          ],
          shows: 'other-task',
        },
        {
          lines: [
            asks(1, 'prompts/get', { name: 'p' }),
            says(1, { messages: [], taskId }),
            asks(2, 'tasks/get', { taskId }),
          ],
          shows: 'own-data',
        },
        { lines: [...polled(5, task('working')), ...misplaced], shows: 'known-before', isUnobserved: true },
      ],
      bad: [
        {
          lines: [
            ...misplaced,
            bare(2, 'tasks/get'),
            bare(3, 'subscriptions/listen'),
            asks(4, 'tasks/get', { taskId }),
          ],
          also: ['base.schema-valid', 'meta.request-required-fields'],
        },
        [...misplaced, asks(2, 'tasks/get', { taskId })],
        {
          lines: [...misplaced, asks(2, 'subscriptions/listen', { notifications: { taskIds: [taskId] } })],
          shows: 'subscribed',
        },
        {
          lines: [
            asks(1, 'prompts/get', { name: 'p' }),
            says(1, { resultType: 'task', taskId }),
            asks(2, 'tasks/get', { taskId }),
          ],
          shows: 'type-alone',
        },
      ],
    },
    'ext-tasks.client-poll-interval': {
      good: [
        [
          ...made,
          ...polled(2, task('working', { pollIntervalMs: 0 })),
          ...polled(3, slow),
          ...polled(4, slow),
        ].slice(0, 8) as Line[],
        [...made, ...polled(2, every(30)), ...polled(3, every(30)), ...polled(4, every(30))],
        // half of the interval
        [...made, ...polled(2, every(40)), ...polled(3, every(40)), ...polled(4, every(40))],
      ],
      legal: [
        { lines: [...made, ...polled(2, slow), ...polled(3, slow)], shows: 'once', isUnobserved: true },
        {
          lines: [...made, ...polled(2, slow), notified, ...polled(3, slow), notified, ...polled(4, slow)],
          shows: 'explained',
          isUnobserved: true,
        },
        {
          lines: [...made, ...[2, 3, 4].flatMap(id => polled(id, task('working')))],
          shows: 'no-interval',
          isUnobserved: true,
        },
        { lines: [...[2, 3, 4].flatMap(refused), ...made], isUnobserved: true },
        [
          ...made,
          ...polled(2, slow),
          asks(3, 'tasks/cancel', { taskId }),
          says(3, {}),
          ...polled(4, slow),
          ...polled(5, slow),
        ],
        {
          lines: [...made, ...polled(2, slow), ...other(3), ...other(4), ...other(5)],
          shows: 'other-task',
        },
        {
          shows: 'late-response',
          lines: [
            ...made,
            ...polled(2, slow),
            ...[3, 4, 5].map(id => asks(id, 'tasks/get', { taskId })),
            says(3, slow),
            says(4, slow),
          ],
          isUnobserved: true,
        },
      ],
      bad: [
        [...made, ...polled(2, slow), ...polled(3, slow), ...polled(4, slow)],
        {
          lines: [...made, bare(8, 'tasks/get'), ...[2, 3, 4].flatMap(id => polled(id, slow))],
          also: ['meta.request-required-fields'],
        },
        // a notification before the polls explains nothing
        [...made, notified, ...[2, 3, 4].flatMap(id => polled(id, slow))],
        [...made, ...polled(2, slow), ...other(3), ...polled(4, slow), ...other(5), ...polled(6, slow)],
        // cancellations before and after the polls explain nothing
        [
          ...made,
          asks(8, 'tasks/cancel', { taskId }),
          says(8, {}),
          ...polled(2, slow),
          ...polled(3, slow),
          ...polled(4, slow),
          asks(9, 'tasks/cancel', { taskId }),
          says(9, {}),
        ],
        [...made, ...polled(2, every(100)), ...polled(3, every(100)), ...polled(4, every(100))],
      ],
    },
    'ext-tasks.client-answers-once': {
      good: [[...made, ...updates(2, 'a'), ...updates(3, 'b')]],
      legal: [
        {
          lines: [
            ...made,
            ...[2, 3].map(id => asks(id, 'tasks/update', { taskId, inputResponses: { a: { roots: [] } } })),
            says(2, {}),
            says(3, {}),
          ],
          shows: 'crossed',
        },
      ],
      bad: [[...made, ...updates(2, 'a'), ...updates(3, 'a')]],
    },
    'ext-tasks.client-cancels-by-request': {
      good: [[...made, ...polled(2, task('working')), asks(3, 'tasks/cancel', { taskId }), says(3, {})]],
      legal: [
        { lines: [...made, cancelled(1)], shows: 'crossed' },
        [...made, asks(2, 'tools/list', {}), cancelled(1)],
        [...made, cancelled(1), ...polled(2, task('working'))],
        {
          lines: [...made, asks(2, 'tasks/get', { taskId }), cancelled(2)],
          shows: 'poll',
          isUnobserved: true,
        },
        // before the announcement
        {
          lines: [made[0]!, asks(2, 'tasks/cancel', { taskId }), made[1]!, ...polled(3, task('working'))],
          isUnobserved: true,
        },
        // the server cancels nothing of the client
        [
          ...made,
          ...polled(2, task('working')),
          ['s', notification('notifications/cancelled', { requestId: 1 })],
        ],
      ],
      bad: [
        {
          lines: [
            ...made,
            ...polled(2, task('working')),
            ['c', notification('notifications/cancelled')],
            cancelled(1),
          ],
          also: ['cancellation.request-id-given'],
        },
        [...made, ...polled(2, task('working')), cancelled(1)],
        {
          lines: [...made, ...polled(2, task('working')), cancelled(taskId)],
          shows: 'task-id',
          also: ['cancellation.own-in-flight-request'],
        },
      ],
    },
  }),
  ...overHttp({
    'ext-tasks.client-name-header': {
      good: [posted()],
      legal: [
        posted(`=?base64?${Buffer.from(taskId).toString('base64')}?=`),
        // a member of another request
        {
          lines: [
            ...ask(1, 'POST', discovery, 200, 'application/json', { sent: headersOf(discovery) }),
            end(1),
          ],
          isUnobserved: true,
        },
      ],
      bad: [
        posted(null),
        posted('t'),
        {
          lines: posted().map(line =>
            'kind' in line && line.kind === 'http-request'
              ? { ...line, headers: [...line.headers, ['Mcp-Name', 't']] }
              : line,
          ),
          shows: 'twice',
        },
      ],
    },
  }),
};
