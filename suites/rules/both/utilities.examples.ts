import type { Json } from '../../../spec/json-rpc.js';
import type { Revision } from '../../../spec/revisions.js';
import { vocabularyOf } from '../../../spec/vocabulary.js';
import type { Example, ExampleTable } from '../example.test.util.js';
import { ask, end, event, ping } from '../http-events.test.util.js';
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

const tool = (name: string, more: object = {}) => ({ name, inputSchema: { type: 'object' }, ...more });
const list = (id: number, names: string[], cursor?: string, nextCursor?: string): Line[] =>
  asked(id, 'tools/list', cursor === undefined ? {} : { cursor }, {
    tools: names.map(n => tool(n)),
    ...(nextCursor !== undefined && { nextCursor }),
  });
const changed: Line = ['s', notification('notifications/tools/list_changed')];

const call = (id: number, progressToken: number | string): Line => [
  'c',
  request(id, 'tools/call', { name: 'a', _meta: { progressToken } }),
];
const done = (id: number): Line => ['s', result(id, { content: [] })];
const progress = (progressToken: number | string, value: number | string, more: object = {}): Line => [
  's',
  notification('notifications/progress', { progressToken, progress: value, ...more }),
];
const cancel = (who: 'c' | 's', requestId: number | string | null, more: object = {}): Line => [
  who,
  notification('notifications/cancelled', { requestId, ...more }),
];
/**
 * A request, its cancellation and a ping on connections of their own, followed by a response to the request.
 */
const post = ask(1, 'POST', request(1, 'tools/list'), 200, 'text/event-stream');
const withdrawn: Line[] = [
  ...ask(2, 'POST', notification('notifications/cancelled', { requestId: 1 }), 202),
  end(2),
  ...ping(3),
];
const answer: Line[] = [...event(1, result(1, { tools: [] })), end(1)];
/** Progress on the GET stream, some milliseconds after the response to its request on another stream. */
const lateOnGet = (ms: number): Example => ({
  lines: opened(
    ...ask(1, 'GET', undefined, 200, 'text/event-stream'),
    ...ask(2, 'POST', request(1, 'x', { _meta: { progressToken: 't' } }), 200, 'text/event-stream'),
    ...event(2, result(1)),
    end(2),
    { kind: 'quiet', ms },
    ...event(1, notification('notifications/progress', { progressToken: 't', progress: 1 }), {}, 'get'),
  ),
  transport: 'streamable-http',
  when: r => r.transports.includes('streamable-http'),
});
/** Progress on the stream of a POST, which has the token of a call that has ended. */
const onPost: Example = {
  lines: opened(
    ...ask(1, 'POST', request(1, 'x', { _meta: { progressToken: 't' } }), 200, 'text/event-stream'),
    ...event(1, result(1)),
    ...event(1, notification('notifications/progress', { progressToken: 't', progress: 1 })),
    end(1),
  ),
  transport: 'streamable-http',
  when: r => r.transports.includes('streamable-http'),
};
const later: Line = { kind: 'quiet', ms: 5_000 };
const roots = (id: number, more: object = {}): Line => ['s', request(id, 'roots/list', { ...more })];
const rootsDone = (id: number): Line => ['c', result(id, { roots: [] })];
const message = (level: string): Line => ['s', notification('notifications/message', { level, data: 'x' })];
const setLevel = (id: number, level: string): Line => ['c', request(id, 'logging/setLevel', { level })];
const complete = (completion: object): Line[] =>
  asked(
    1,
    'completion/complete',
    { ref: { type: 'ref/prompt', name: 'p' }, argument: { name: 'a', value: '' } },
    { completion } as never,
  );
const asTask: Line[] = [
  ['s', request(1, 'sampling/createMessage', { messages: [], maxTokens: 1, task: {} })],
  ['c', result(1, { task: { taskId: 't', status: 'working', createdAt: '', lastUpdatedAt: '', ttl: null } })],
];

/** A call with a password or another argument, and a log message. */
const logged = (data: Json, name = 'password') =>
  opened(
    ['c', request(1, 'tools/call', { name: 'a', arguments: { [name]: 'mcp-conform-hunter2' } })],
    ['s', notification('notifications/message', { level: 'info', data })],
    ['s', result(1, { content: [] })],
  );
const asks = (r: Revision) => vocabularyOf(r).requests.server.has('elicitation/create');
const filled = (data: Json) =>
  opened(
    [
      's',
      request(1, 'elicitation/create', { message: 'm', requestedSchema: { type: 'object', properties: {} } }),
    ],
    ['c', result(1, { action: 'accept', content: { email: 'ada.lovelace@example.com' } })],
    ['s', notification('notifications/message', { level: 'info', data })],
  );

export const examples: ExampleTable = {
  'pagination.resume-after-cursor': {
    good: [opened(...list(1, ['a'], undefined, 'x'), ...list(2, ['b'], 'x'))],
    legal: [
      opened(...list(1, ['a'], undefined, 'x'), ...list(2, [], 'x')),
      opened(...list(1, ['a'], undefined, 'x'), changed, ...list(2, ['a'], 'x')),
      opened(...list(1, ['a'], undefined, 'x'), ...list(2, ['a'])),
    ],
    bad: [
      opened(...list(1, ['a'], undefined, 'x'), ...list(2, ['a'], 'x', 'x')),
      opened(...list(1, ['a'], undefined, 'x'), ...list(2, ['b'], 'x', 'x')),
    ],
  },
  'pagination.stable-cursors': {
    good: [opened(...list(1, ['a'], undefined, 'x'), ...list(2, ['b'], 'x'), ...list(3, ['b'], 'x'))],
    legal: [
      opened(...list(1, ['a'], undefined, 'x'), ...list(2, ['b'], 'x'), changed, ...list(3, ['c'], 'x')),
      opened(
        ...list(1, ['a'], undefined, 'x'),
        ...list(2, ['b'], 'x'),
        ['c', request(3, 'tools/list', { cursor: 'x' })],
        ['s', error(3, -32602)],
      ),
    ],
    bad: [opened(...list(1, ['a'], undefined, 'x'), ...list(2, ['b'], 'x'), ...list(3, ['c'], 'x'))],
  },
  'tools.name-unique': {
    good: [opened(...list(1, ['a', 'A']))],
    legal: [opened(...list(1, ['a']), ...list(2, ['a']))],
    bad: [
      opened(...list(1, ['a', 'a'])),
      opened(
        ...list(1, ['a'], undefined, 'x'),
        ...asked(2, 'tools/list', { cursor: 'x' }, { tools: [tool('a', { description: 'other' })] }),
      ),
    ],
  },
  'prompts.name-unique': {
    good: [opened(...asked(1, 'prompts/list', {}, { prompts: [{ name: 'a' }] }))],
    bad: [opened(...asked(1, 'prompts/list', {}, { prompts: [{ name: 'a' }, { name: 'a' }] }))],
  },
  'resources.uri-unique': {
    good: [opened(...asked(1, 'resources/list', {}, { resources: [{ uri: 'a:b', name: 'a' }] }))],
    bad: [
      opened(
        ...asked(
          1,
          'resources/list',
          {},
          {
            resources: [
              { uri: 'a:b', name: 'a' },
              { uri: 'a:b', name: 'c' },
            ],
          },
        ),
      ),
    ],
  },
  'progress.fields': {
    good: [opened(call(1, 't'), progress('t', 0.5, { total: 1 }), done(1))],
    bad: [
      opened(call(1, 't'), progress('t', '50%')),
      opened(call(1, 't'), progress('t', 1, { total: null })),
    ],
  },
  'progress.token-type': {
    good: [opened(roots(1, { _meta: { progressToken: 0 } }))],
    bad: [
      opened(roots(1, { _meta: { progressToken: 1.5 } })),
      opened(roots(1, { _meta: { progressToken: null } })),
    ],
  },
  'progress.token-unique': {
    good: [
      opened(roots(1, { _meta: { progressToken: 1 } }), roots(2, { _meta: { progressToken: '1' } })),
      opened(
        roots(1, { _meta: { progressToken: 1 } }),
        rootsDone(1),
        roots(2, { _meta: { progressToken: 1 } }),
      ),
    ],
    bad: [opened(roots(1, { _meta: { progressToken: 1 } }), roots(2, { _meta: { progressToken: 1 } }))],
  },
  'progress.token-of-active-request': {
    good: [opened(call(1, 0), progress(0, 1), done(1))],
    legal: [
      opened(call(1, 't'), cancel('c', 1), progress('t', 1)),
      // the POST requests of a client: its response has overtaken its progress
      {
        lines: opened(
          ...ask(1, 'GET', undefined, 200, 'text/event-stream'),
          ...event(1, request(1, 'ping', { _meta: { progressToken: 't' } }), {}, 'get'),
          ...ask(2, 'POST', result(1, {}), 202),
          ...ask(3, 'POST', notification('notifications/progress', { progressToken: 't', progress: 1 }), 202),
        ),
        subject: 'client',
        transport: 'streamable-http',
        when: r => r.transports.includes('streamable-http'),
      },
    ],
    bad: [
      opened(call(1, 1), progress('1', 1), done(1)),
      opened(progress(1, 1)),
      // a token that the server invented for a call without one, and that happens to be the token of a
      // completed call
      {
        lines: opened(
          ...ask(1, 'POST', request(1, 'x', { _meta: { progressToken: 0 } }), 200, 'text/event-stream'),
          ...event(1, result(1)),
          end(1),
          ...ask(2, 'POST', request(2, 'x'), 200, 'text/event-stream'),
          ...event(2, notification('notifications/progress', { progressToken: 0, progress: 1 })),
          ...event(2, result(2)),
          end(2),
        ),
        transport: 'streamable-http',
        when: r => r.transports.includes('streamable-http'),
      },
    ],
  },
  'progress.increases': {
    good: [opened(call(1, 't'), progress('t', -1), progress('t', 0), done(1))],
    legal: [opened(call(1, 't'), progress('t', 5), done(1), call(2, 't'), progress('t', 1), done(2))],
    bad: [
      opened(call(1, 't'), progress('t', 1), progress('t', 1)),
      opened(call(1, 't'), progress('t', 2), progress('t', 1)),
    ],
  },
  'progress.stops-at-completion': {
    good: [opened(call(1, 't'), progress('t', 1), done(1))],
    legal: [opened(call(1, 't'), done(1), call(2, 't'), progress('t', 1)), lateOnGet(10)],
    bad: [
      opened(call(1, 't'), progress('t', 1), done(1), progress('t', 2)),
      opened(call(1, 't'), done(1), call(2, 'u'), done(2), progress('t', 2)),
      onPost,
    ],
  },
  'progress.stops-before-answer': {
    good: [opened(call(1, 't'), progress('t', 1))],
    legal: [lateOnGet(10)],
    bad: [lateOnGet(2_000)],
  },
  'progress.message-readable': {
    good: [opened(call(1, 't'), progress('t', 1, { message: 'half' }))],
    legal: [opened(call(1, 't'), progress('t', 1))],
    bad: [opened(call(1, 't'), progress('t', 1, { message: '' }))],
  },
  'progress.rate-limited': {
    good: [opened(call(1, 't'), progress('t', 1))],
    bad: [
      {
        lines: opened(call(1, 't'), ...Array.from({ length: 2_200 }, (_, i) => progress('t', i))),
        tick: 0.1,
      },
    ],
  },
  'cancellation.request-id-given': {
    good: [opened(roots(1), cancel('s', 1, { reason: 'r' }))],
    bad: [
      opened(roots(1), ['s', notification('notifications/cancelled', {})]),
      opened(roots(1), cancel('s', null)),
      opened(roots(1), cancel('s', 1, { reason: 7 })),
    ],
  },
  'cancellation.own-in-flight-request': {
    good: [opened(roots(1), cancel('s', 1))],
    legal: [
      opened(roots(1), rootsDone(1), cancel('s', 1)),
      {
        // on another connection the cancellation may arrive first
        subject: 'client',
        transport: 'streamable-http',
        lines: opened(
          ...ask(1, 'POST', notification('notifications/cancelled', { requestId: 7 }), 202),
          end(1),
          ...ask(2, 'POST', request(7, 'tools/list'), 200, 'text/event-stream'),
          end(2, 'client'),
        ),
      },
    ],
    bad: [
      opened(cancel('s', 99)),
      opened(roots(1), cancel('s', '1')),
      opened(call(7, 't'), cancel('s', 7)),
      {
        lines: opened(roots(1), rootsDone(1), later, cancel('s', 1)),
        also: ['cancellation.still-in-flight'],
      },
    ],
  },
  'cancellation.still-in-flight': {
    good: [opened(roots(1), cancel('s', 1))],
    bad: [
      {
        lines: opened(roots(1), rootsDone(1), later, cancel('s', 1)),
        also: ['cancellation.own-in-flight-request'],
      },
    ],
  },
  'cancellation.not-initialize': {
    good: [opened(call(1, 't'), cancel('c', 1))],
    bad: [r => [...handshake(r).slice(0, 1), cancel('c', 'init')]],
  },
  'cancellation.notification-not-for-tasks': {
    good: [opened(roots(1), cancel('s', 1))],
    legal: [opened(...asTask.slice(0, 1), cancel('s', 1))],
    bad: [{ lines: opened(...asTask, cancel('s', 1)), also: ['cancellation.tasks-use-tasks-cancel'] }],
  },
  'cancellation.tasks-use-tasks-cancel': {
    good: [opened(roots(1), cancel('s', 1))],
    bad: [{ lines: opened(...asTask, cancel('s', 1)), also: ['cancellation.notification-not-for-tasks'] }],
  },
  'cancellation.no-response': {
    good: [opened(call(1, 't'), cancel('c', 1), ...asked(2, 'ping', undefined, {}))],
    legal: [
      opened(call(1, 't'), cancel('c', 1), done(1)),
      opened(call(1, 't'), done(1), cancel('c', 1)),
      // request, cancellation and ping in one write: the receiver works on them at once
      opened(call(1, 't'), cancel('c', 1), ...asked(2, 'ping', undefined, {}), done(1)),
      // the response may have been sent before, and was recorded late
      opened(call(1, 't'), cancel('c', 1), later, done(1), { kind: 'lag', ms: 9_000 }),
      // each message on a connection of its own
      {
        transport: 'streamable-http',
        lines: [...post.slice(0, 2), ...withdrawn, ...post.slice(2), ...answer],
      },
    ],
    bad: [
      opened(
        call(1, 't'),
        cancel('c', 1),
        ...asked(2, 'ping', undefined, {}),
        ...asked(3, 'ping', undefined, {}),
        ['s', error(1, -32800)],
      ),
      { transport: 'streamable-http', lines: [...post, ...withdrawn, ...ping(4), ...answer] },
      opened(call(1, 't'), cancel('c', 1), later, done(1)),
    ],
  },
  'completion.max-100-values': {
    good: [opened(...complete({ values: ['a'] }))],
    bad: [opened(...complete({ values: Array.from({ length: 101 }, (_, i) => `${i}`) }))],
  },
  'completion.total-and-has-more-consistent': {
    good: [
      opened(...complete({ values: ['a'], total: 9, hasMore: true })),
      opened(...complete({ values: [], total: 0 })),
    ],
    legal: [opened(...complete({ values: ['a'], hasMore: true }))],
    bad: [
      opened(...complete({ values: ['a', 'b'], total: 1 })),
      opened(...complete({ values: ['a'], total: 9, hasMore: false })),
    ],
  },
  'logging.no-credentials': {
    good: [logged('logging in')],
    legal: [logged('mcp-conform-echo', 'text')],
    bad: [{ lines: logged('with mcp-conform-hunter2'), also: ['logging.remove-sensitive'] }],
  },
  'logging.remove-sensitive': {
    good: [logged('logging in')],
    bad: [{ lines: logged({ args: 'mcp-conform-hunter2' }), also: ['logging.no-credentials'] }],
  },
  'logging.no-personal-data': {
    good: [{ lines: filled('somebody answered'), when: asks }],
    bad: [{ lines: filled('ada.lovelace@example.com answered'), when: asks }],
  },
  'logging.set-level-answered': {
    good: [opened(setLevel(1, 'info'), ['s', result(1)])],
    legal: [
      opened(setLevel(1, 'loud'), ['s', error(1, -32602)]),
      opened(setLevel(1, 'info'), cancel('c', 1), ['s', error(1, -32800)]),
    ],
    bad: [opened(setLevel(1, 'info'), ['s', error(1, -32601)])],
  },
  'logging.no-messages-below-level': {
    good: [opened(setLevel(1, 'warning'), ['s', result(1)], message('error'))],
    legal: [
      opened(message('debug')),
      opened(setLevel(1, 'warning'), message('debug'), ['s', result(1)]),
      opened(setLevel(1, 'error'), ['s', result(1)], setLevel(2, 'debug'), message('info'), ['s', result(2)]),
    ],
    bad: [opened(setLevel(1, 'warning'), ['s', result(1)], message('info'))],
  },
};
