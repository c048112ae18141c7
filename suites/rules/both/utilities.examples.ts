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
      { lines: opened(...list(1, ['a'], undefined, 'x'), ...list(2, [], 'x')), shows: 'empty-page' },
      {
        lines: opened(...list(1, ['a'], undefined, 'x'), changed, ...list(2, ['a'], 'x')),
        shows: 'list-changed',
      },
      { lines: opened(...list(1, ['a'], undefined, 'x'), ...list(2, ['a'])), shows: 'from-the-start' },
    ],
    bad: [
      {
        lines: opened(...list(1, ['a'], undefined, 'x'), ...list(2, ['a'], 'x', 'x')),
        shows: 'first-page-again',
      },
      {
        lines: opened(...list(1, ['a'], undefined, 'x'), ...list(2, ['b'], 'x', 'x')),
        shows: 'same-cursor-again',
      },
    ],
  },
  'pagination.stable-cursors': {
    good: [opened(...list(1, ['a'], undefined, 'x'), ...list(2, ['b'], 'x'), ...list(3, ['b'], 'x'))],
    legal: [
      {
        lines: opened(
          ...list(1, ['a'], undefined, 'x'),
          ...list(2, ['b'], 'x'),
          changed,
          ...list(3, ['c'], 'x'),
        ),
        shows: 'list-changed',
      },
      {
        lines: opened(
          ...list(1, ['a'], undefined, 'x'),
          ...list(2, ['b'], 'x'),
          ['c', request(3, 'tools/list', { cursor: 'x' })],
          ['s', error(3, -32602)],
        ),
        shows: 'expired',
      },
    ],
    bad: [
      {
        lines: opened(...list(1, ['a'], undefined, 'x'), ...list(2, ['b'], 'x'), ...list(3, ['c'], 'x')),
        shows: 'other-page',
      },
    ],
  },
  'tools.name-unique': {
    good: [opened(...list(1, ['a', 'A']))],
    legal: [{ lines: opened(...list(1, ['a']), ...list(2, ['a'])), shows: 'another-run' }],
    bad: [
      { lines: opened(...list(1, ['a', 'a'])), shows: 'on-one-page' },
      {
        lines: opened(
          ...list(1, ['a'], undefined, 'x'),
          ...asked(2, 'tools/list', { cursor: 'x' }, { tools: [tool('a', { description: 'other' })] }),
        ),
        shows: 'on-two-pages',
      },
    ],
  },
  'prompts.name-unique': {
    good: [opened(...asked(1, 'prompts/list', {}, { prompts: [{ name: 'a' }] }))],
    bad: [
      {
        lines: opened(...asked(1, 'prompts/list', {}, { prompts: [{ name: 'a' }, { name: 'a' }] })),
        shows: 'twice',
      },
    ],
  },
  'resources.uri-unique': {
    good: [opened(...asked(1, 'resources/list', {}, { resources: [{ uri: 'a:b', name: 'a' }] }))],
    bad: [
      {
        lines: opened(
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
        shows: 'twice',
      },
    ],
  },
  'progress.fields': {
    good: [{ lines: opened(call(1, 't'), progress('t', 0.5, { total: 1 }), done(1)), shows: 'fraction' }],
    bad: [
      { lines: opened(call(1, 't'), progress('t', '50%')), shows: 'progress-no-number' },
      { lines: opened(call(1, 't'), progress('t', 1, { total: null })), shows: 'total-is-null' },
      {
        lines: opened(call(1, 't'), ['s', notification('notifications/progress', { progressToken: 't' })]),
        shows: 'progress-missing',
      },
    ],
  },
  'progress.token-type': {
    good: [{ lines: opened(roots(1, { _meta: { progressToken: 0 } })), shows: 'zero' }],
    bad: [
      { lines: opened(roots(1, { _meta: { progressToken: 1.5 } })), shows: 'fraction' },
      { lines: opened(roots(1, { _meta: { progressToken: null } })), shows: 'is-null' },
      { lines: opened(roots(1, { _meta: { progressToken: {} } })), shows: 'structure' },
    ],
  },
  'progress.token-unique': {
    good: [
      {
        lines: opened(roots(1, { _meta: { progressToken: 1 } }), roots(2, { _meta: { progressToken: '1' } })),
        shows: 'other-type',
      },
      {
        lines: opened(
          roots(1, { _meta: { progressToken: 1 } }),
          rootsDone(1),
          roots(2, { _meta: { progressToken: 1 } }),
        ),
        shows: 'after-response',
      },
    ],
    bad: [
      {
        lines: opened(roots(1, { _meta: { progressToken: 1 } }), roots(2, { _meta: { progressToken: 1 } })),
        shows: 'shared',
      },
    ],
  },
  'progress.token-of-active-request': {
    good: [{ lines: opened(call(1, 0), progress(0, 1), done(1)), shows: 'any-token' }],
    legal: [
      { lines: opened(call(1, 't'), cancel('c', 1), progress('t', 1)), shows: 'cancelled' },
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
        shows: 'read-later',
      },
    ],
    bad: [
      { lines: opened(call(1, 1), progress('1', 1), done(1)), shows: 'retyped' },
      { lines: opened(progress(1, 1)), shows: 'invented' },
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
        shows: 'finished-elsewhere',
      },
    ],
  },
  'progress.increases': {
    good: [{ lines: opened(call(1, 't'), progress('t', -1), progress('t', 0), done(1)), shows: 'negative' }],
    legal: [
      {
        lines: opened(call(1, 't'), progress('t', 5), done(1), call(2, 't'), progress('t', 1), done(2)),
        shows: 'token-reused',
      },
    ],
    bad: [
      { lines: opened(call(1, 't'), progress('t', 1), progress('t', 1)), shows: 'same' },
      { lines: opened(call(1, 't'), progress('t', 2), progress('t', 1)), shows: 'smaller' },
    ],
  },
  'progress.stops-at-completion': {
    good: [opened(call(1, 't'), progress('t', 1), done(1))],
    legal: [
      { lines: opened(call(1, 't'), done(1), call(2, 't'), progress('t', 1)), shows: 'token-reused' },
      { ...lateOnGet(10), shows: 'on-get' },
    ],
    bad: [
      { lines: opened(call(1, 't'), progress('t', 1), done(1), progress('t', 2)), shows: 'at-once' },
      { lines: opened(call(1, 't'), done(1), call(2, 'u'), done(2), progress('t', 2)), shows: 'later' },
      { ...onPost, shows: 'on-another-post' },
    ],
  },
  'progress.stops-before-answer': {
    good: [opened(call(1, 't'), progress('t', 1))],
    legal: [{ ...lateOnGet(10), shows: 'crossed' }],
    bad: [{ ...lateOnGet(2_000), shows: 'other-stream' }],
  },
  'progress.message-readable': {
    good: [opened(call(1, 't'), progress('t', 1, { message: 'half' }))],
    legal: [{ lines: opened(call(1, 't'), progress('t', 1)), shows: 'none' }],
    bad: [{ lines: opened(call(1, 't'), progress('t', 1, { message: '' })), shows: 'empty' }],
  },
  'progress.rate-limited': {
    good: [opened(call(1, 't'), progress('t', 1))],
    bad: [
      {
        lines: opened(call(1, 't'), ...Array.from({ length: 2_200 }, (_, i) => progress('t', i))),
        tick: 0.1,
        shows: 'flood',
      },
    ],
  },
  'cancellation.request-id-given': {
    good: [{ lines: opened(roots(1), cancel('s', 1, { reason: 'r' })), shows: 'reason' }],
    bad: [
      { lines: opened(roots(1), ['s', notification('notifications/cancelled', {})]), shows: 'missing' },
      { lines: opened(roots(1), cancel('s', null)), shows: 'no-id' },
      { lines: opened(roots(1), cancel('s', 1, { reason: 7 })), shows: 'reason-no-text' },
    ],
  },
  'cancellation.own-in-flight-request': {
    good: [opened(roots(1), cancel('s', 1))],
    legal: [
      { lines: opened(roots(1), rootsDone(1), cancel('s', 1)), shows: 'crossed' },
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
        shows: 'overtaken',
      },
    ],
    bad: [
      { lines: opened(cancel('s', 99)), shows: 'unknown' },
      { lines: opened(roots(1), cancel('s', '1')), shows: 'retyped' },
      { lines: opened(call(7, 't'), cancel('s', 7)), shows: 'other-side' },
      {
        lines: opened(roots(1), rootsDone(1), later, cancel('s', 1)),
        also: ['cancellation.still-in-flight'],
        shows: 'answered',
      },
    ],
  },
  'cancellation.still-in-flight': {
    good: [opened(roots(1), cancel('s', 1))],
    bad: [
      {
        lines: opened(roots(1), rootsDone(1), later, cancel('s', 1)),
        also: ['cancellation.own-in-flight-request'],
        shows: 'answered',
      },
    ],
  },
  'cancellation.not-initialize': {
    good: [opened(call(1, 't'), cancel('c', 1))],
    bad: [{ lines: r => [...handshake(r).slice(0, 1), cancel('c', 'init')], shows: 'cancelled' }],
  },
  'cancellation.notification-not-for-tasks': {
    good: [{ lines: opened(roots(1), cancel('s', 1)), shows: 'no-task' }],
    legal: [{ lines: opened(...asTask.slice(0, 1), cancel('s', 1)), shows: 'before-task' }],
    bad: [
      {
        lines: opened(...asTask, cancel('s', 1)),
        also: ['cancellation.tasks-use-tasks-cancel'],
        shows: 'notification',
      },
    ],
  },
  'cancellation.tasks-use-tasks-cancel': {
    good: [{ lines: opened(roots(1), cancel('s', 1)), shows: 'no-task' }],
    bad: [
      {
        lines: opened(...asTask, cancel('s', 1)),
        also: ['cancellation.notification-not-for-tasks'],
        shows: 'notification',
      },
    ],
  },
  'cancellation.no-response': {
    good: [opened(call(1, 't'), cancel('c', 1), ...asked(2, 'ping', undefined, {}))],
    legal: [
      { lines: opened(call(1, 't'), cancel('c', 1), done(1)), shows: 'crossed' },
      { lines: opened(call(1, 't'), done(1), cancel('c', 1)), shows: 'before' },
      // request, cancellation and ping in one write: the receiver works on them at once
      {
        lines: opened(call(1, 't'), cancel('c', 1), ...asked(2, 'ping', undefined, {}), done(1)),
        shows: 'one-barrier',
      },
      // the response may have been sent before, and was recorded late
      {
        lines: opened(call(1, 't'), cancel('c', 1), later, done(1), { kind: 'lag', ms: 9_000 }),
        shows: 'starved',
      },
      // each message on a connection of its own
      {
        transport: 'streamable-http',
        lines: [...post.slice(0, 2), ...withdrawn, ...post.slice(2), ...answer],
        shows: 'crossed-over-http',
      },
    ],
    bad: [
      {
        lines: opened(
          call(1, 't'),
          cancel('c', 1),
          ...asked(2, 'ping', undefined, {}),
          ...asked(3, 'ping', undefined, {}),
          ['s', error(1, -32800)],
        ),
        shows: 'error',
      },
      {
        transport: 'streamable-http',
        lines: [...post, ...withdrawn, ...ping(4), ...answer],
        shows: 'over-http',
      },
      { lines: opened(call(1, 't'), cancel('c', 1), later, done(1)), shows: 'result' },
    ],
  },
  'completion.max-100-values': {
    good: [opened(...complete({ values: ['a'] }))],
    bad: [
      {
        lines: opened(...complete({ values: Array.from({ length: 101 }, (_, i) => `${i}`) })),
        shows: 'more',
      },
    ],
  },
  'completion.total-and-has-more-consistent': {
    good: [
      { lines: opened(...complete({ values: ['a'], total: 9, hasMore: true })), shows: 'total-larger' },
      opened(...complete({ values: [], total: 0 })),
    ],
    legal: [{ lines: opened(...complete({ values: ['a'], hasMore: true })), shows: 'no-total' }],
    bad: [
      { lines: opened(...complete({ values: ['a', 'b'], total: 1 })), shows: 'total-too-small' },
      { lines: opened(...complete({ values: ['a'], total: 9, hasMore: false })), shows: 'more-denied' },
      { lines: opened(...complete({ values: ['a'], total: 1, hasMore: true })), shows: 'more-claimed' },
    ],
  },
  'logging.no-credentials': {
    good: [logged('logging in')],
    legal: [{ lines: logged('mcp-conform-echo', 'text'), shows: 'no-secret' }],
    bad: [
      { lines: logged('with mcp-conform-hunter2'), also: ['logging.remove-sensitive'], shows: 'password' },
    ],
  },
  'logging.remove-sensitive': {
    good: [{ lines: logged('logging in'), shows: 'ordinary' }],
    bad: [
      { lines: logged({ args: 'mcp-conform-hunter2' }), also: ['logging.no-credentials'], shows: 'password' },
    ],
  },
  'logging.no-personal-data': {
    good: [{ lines: filled('somebody answered'), when: asks }],
    bad: [{ lines: filled('ada.lovelace@example.com answered'), when: asks, shows: 'elicited' }],
  },
  'logging.set-level-answered': {
    good: [opened(setLevel(1, 'info'), ['s', result(1)])],
    legal: [
      { lines: opened(setLevel(1, 'loud'), ['s', error(1, -32602)]), shows: 'unknown-level' },
      { lines: opened(setLevel(1, 'info'), cancel('c', 1), ['s', error(1, -32800)]), shows: 'cancelled' },
    ],
    bad: [{ lines: opened(setLevel(1, 'info'), ['s', error(1, -32601)]), shows: 'refused' }],
  },
  'logging.no-messages-below-level': {
    good: [opened(setLevel(1, 'warning'), ['s', result(1)], message('error'))],
    legal: [
      { lines: opened(message('debug')), shows: 'no-level' },
      { lines: opened(setLevel(1, 'warning'), message('debug'), ['s', result(1)]), shows: 'in-transit' },
      {
        lines: opened(setLevel(1, 'error'), ['s', result(1)], setLevel(2, 'debug'), message('info'), [
          's',
          result(2),
        ]),
        shows: 'between-two-levels',
      },
    ],
    bad: [
      { lines: opened(setLevel(1, 'warning'), ['s', result(1)], message('info')), shows: 'below-set-level' },
    ],
  },
};
