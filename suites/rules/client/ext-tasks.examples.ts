import { mirroredHeaders } from '../../../harness/record/mirrored-headers.js';
import type { Json, JsonObject } from '../../../spec/json-rpc.js';
import { type ExampleTable, tableWith } from '../example.test.util.js';
import { requestLine as asks, declaring, resultLine as says, task, taskId } from '../ext-tasks.test.util.js';
import { ask, body, end } from '../http-events.test.util.js';
import type { Line } from '../record.test.util.js';
import { complete } from '../stateless.test.util.js';

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

/** A POST with tasks/get. @param name the header Mcp-Name; undefined: as it should be; null: none */
const posted = (name?: string | null): Line[] => {
  const get = declaring(2, 'tasks/get', { taskId });
  const headers = Object.fromEntries(mirroredHeaders(get).filter(([key]) => key !== 'Mcp-Name'));
  const sent = name === null ? headers : { ...headers, 'Mcp-Name': name ?? taskId };
  return [
    ...ask(1, 'POST', get, 200, 'application/json', { sent }),
    body(1, complete(2, task('working'))),
    end(1),
  ];
};

export const examples: ExampleTable = {
  ...overStdio({
    'ext-tasks.client-rejects-elsewhere': {
      good: [[...misplaced, asks(2, 'tools/list', {})]],
      legal: [
        // requests about something else, data of the server, and a task that the client knew before
        [
          ...misplaced,
          asks(2, 'tasks/get', { taskId: 'other' }),
          asks(3, 'subscriptions/listen', { notifications: { toolsListChanged: true } }),
        ],
        [
          asks(1, 'prompts/get', { name: 'p' }),
          says(1, { messages: [], taskId }),
          asks(2, 'tasks/get', { taskId }),
        ],
        [...polled(5, task('working')), ...misplaced],
      ],
      bad: [
        [...misplaced, asks(2, 'tasks/get', { taskId })],
        [...misplaced, asks(2, 'subscriptions/listen', { notifications: { taskIds: [taskId] } })],
        [
          asks(1, 'prompts/get', { name: 'p' }),
          says(1, { resultType: 'task', taskId }),
          asks(2, 'tasks/get', { taskId }),
        ],
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
      ],
      // one early poll, and polls that a cancellation explains
      legal: [
        [...made, ...polled(2, slow), ...polled(3, slow)],
        [
          ...made,
          ...polled(2, slow),
          asks(3, 'tasks/cancel', { taskId }),
          says(3, {}),
          ...polled(4, slow),
          ...polled(5, slow),
        ],
        // polls of another task
        [...made, ...polled(2, slow), ...other(3), ...other(4), ...other(5)],
        // polls whose responses are late
        [
          ...made,
          ...polled(2, slow),
          ...[3, 4, 5].map(id => asks(id, 'tasks/get', { taskId })),
          says(3, slow),
          says(4, slow),
        ],
      ],
      bad: [
        [...made, ...polled(2, slow), ...polled(3, slow), ...polled(4, slow)],
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
        // before the response to the first one
        [
          ...made,
          ...[2, 3].map(id => asks(id, 'tasks/update', { taskId, inputResponses: { a: { roots: [] } } })),
          says(2, {}),
          says(3, {}),
        ],
      ],
      bad: [[...made, ...updates(2, 'a'), ...updates(3, 'a')]],
    },
    'ext-tasks.client-cancels-by-request': {
      good: [[...made, ...polled(2, task('working')), asks(3, 'tasks/cancel', { taskId }), says(3, {})]],
      // the announcement may have crossed; a poll in flight may be cancelled
      legal: [
        [...made, cancelled(1)],
        [...made, asks(2, 'tasks/get', { taskId }), cancelled(2)],
      ],
      bad: [
        [...made, ...polled(2, task('working')), cancelled(1)],
        {
          lines: [...made, ...polled(2, task('working')), cancelled(taskId)],
          also: ['cancellation.own-in-flight-request'],
        },
      ],
    },
  }),
  ...overHttp({
    'ext-tasks.client-name-header': {
      good: [posted()],
      legal: [posted(`=?base64?${Buffer.from(taskId).toString('base64')}?=`)],
      bad: [posted(null), posted('t')],
    },
  }),
};
