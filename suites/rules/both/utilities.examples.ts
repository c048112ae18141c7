import type { Json } from '../../../spec/json-rpc.js';
import type { Revision } from '../../../spec/revisions.js';
import { vocabularyOf } from '../../../spec/vocabulary.js';
import type { Example, ExampleTable } from '../example.test.util.js';
import { ask, body, end, event, ping } from '../http-events.test.util.js';
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
import {
  acknowledged,
  answeredWith,
  complete as completed,
  enveloped,
  hints,
  listens,
  version,
} from '../stateless.test.util.js';

const tool = (name: string, more: object = {}) => ({ name, inputSchema: { type: 'object' }, ...more });
const list = (id: number, names: string[], cursor?: string, nextCursor?: string): Line[] =>
  asked(id, 'tools/list', cursor === undefined ? {} : { cursor }, {
    tools: names.map(n => tool(n)),
    ...(nextCursor !== undefined && { nextCursor }),
  });
/** A list whose second page has these items, one response after the other, in a revision without a handshake. */
const pages = (id: number, ...second: string[][]): Line[] =>
  [['a'], ...second].flatMap((names, at) =>
    answeredWith(id + at, 'tools/list', at === 0 ? {} : { cursor: 'x' }, {
      tools: names.map(n => tool(n)),
      ...(at === 0 && { nextCursor: 'x' }),
      ...hints,
    }),
  );
const refusedList = (id: number, params: { cursor: string }): Line[] => [
  ['c', request(id, 'tools/list', params)],
  ['s', error(id, -32602)],
];
/** A request of a client over HTTP, in a revision without a handshake, with a progress token. */
const listed = (id: number): Line[] =>
  ask(id, 'POST', enveloped(id, 'tools/list', {}, { progressToken: 't' }), 200, 'text/event-stream', {
    sent: { 'MCP-Protocol-Version': version, 'Mcp-Method': 'tools/list' },
  });
const changed: Line = ['s', notification('notifications/tools/list_changed')];
const otherChanged: Line = ['s', notification('notifications/prompts/list_changed')];

const call = (id: number, progressToken: number | string): Line => [
  'c',
  request(id, 'tools/call', { name: 'a', _meta: { progressToken } }),
];
const done = (id: number): Line => ['s', result(id, { content: [] })];
const report = (progressToken: number | string, value: number | string, more: object = {}): Json =>
  notification('notifications/progress', { progressToken, progress: value, ...more });
const progress = (...content: Parameters<typeof report>): Line => ['s', report(...content)];
const counted = (length: number): Line[] => Array.from({ length }, (_, i) => progress('t', i));
const cancel = (who: 'c' | 's', requestId: number | string | null, more: object = {}): Line => [
  who,
  notification('notifications/cancelled', { requestId, ...more }),
];
/** A subscription, possibly a request that is answered meanwhile, and a response at its cancellation. */
const listened = (id: number, { lasts = true, ends = false } = {}): Line[] => {
  const answer: Line = ['s', completed(id, {}, { 'io.modelcontextprotocol/subscriptionId': id })];
  return [
    listens(id, {}),
    acknowledged(id, {}),
    ...(lasts ? answeredWith(id + 1, 'tools/list', {}, { tools: [], ...hints }) : []),
    ...(ends ? [answer, cancel('c', id)] : [cancel('c', id), answer]),
  ];
};
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
/**
 * Progress on the GET stream, some milliseconds after the response to its request on another stream, which then ends. A
 * notification with a higher number was on that stream.
 */
const lateOnGet = (ms: number, last: Line[] = [end(2)]): Example => ({
  lines: opened(
    ...ask(1, 'GET', undefined, 200, 'text/event-stream'),
    ...ask(2, 'POST', request(1, 'x', { _meta: { progressToken: 't' } }), 200, 'text/event-stream'),
    ...event(2, report('t', 2)),
    ...event(2, result(1)),
    ...last,
    { kind: 'quiet', ms },
    ...event(1, report('t', 1), {}, 'get'),
  ),
  transport: 'streamable-http',
  when: r => r.transports.includes('streamable-http'),
});
/** Progress on the stream of a POST, which has the token of a call that has ended. */
const onPost: Example = {
  lines: opened(
    ...ask(1, 'POST', request(1, 'x', { _meta: { progressToken: 't' } }), 200, 'text/event-stream'),
    ...event(1, result(1)),
    ...event(1, report('t', 1)),
    end(1),
  ),
  transport: 'streamable-http',
  when: r => r.transports.includes('streamable-http'),
};
const later: Line = { kind: 'quiet', ms: 5_000 };
const soon: Line = { kind: 'quiet', ms: 100 };
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
/** A request with an access token, and a log message on the stream of its response. */
const withToken = (data: Json): Example => ({
  transport: 'streamable-http',
  when: r => r.transports.includes('streamable-http'),
  lines: opened(
    ...ask(1, 'POST', request(1, 'ping'), 200, 'text/event-stream', {
      sent: { Authorization: 'Bearer access-token-of-ada' },
    }),
    ...event(1, notification('notifications/message', { level: 'info', data })),
    ...event(1, result(1)),
    end(1),
  ),
});
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
    good: [
      opened(...list(1, ['a'], undefined, 'x'), ...list(2, ['b'], 'x')),
      opened(...list(1, ['a'], undefined, 'x'), ...list(2, ['b'], 'x', 'y'), ...list(3, ['c'], 'y', 'z')),
    ],
    legal: [
      { lines: opened(...list(1, ['a'], undefined, 'x'), ...list(2, [], 'x')), shows: 'empty-page' },
      {
        lines: opened(...list(1, ['a'], undefined, 'x'), changed, ...list(2, ['a'], 'x')),
        shows: 'list-changed',
      },
      { lines: opened(...list(1, ['a'], undefined, 'x'), ...list(2, ['a'])), shows: 'from-the-start' },
      { lines: opened(...list(1, ['a'])), isUnobserved: true },
      opened(...list(1, ['a'], undefined, 'x'), ['c', request(2, 'tools/list', { cursor: 'x' })]),
      // an invented cursor, one of another list, and one that the server names later
      opened(
        ...list(1, ['a'], undefined, 'x'),
        ...refusedList(2, { cursor: 'made up' }),
        ['c', request(3, 'resources/list', { cursor: 'x' })],
        ['s', error(3, -32602)],
      ),
      opened(...refusedList(1, { cursor: 'x' }), ...list(2, ['a'], undefined, 'x')),
      opened(
        ...list(1, ['a'], undefined, 'x'),
        ['c!', request(2, 'tools/list', { cursor: 'x' })],
        ['s', error(2, -32602)],
      ),
      opened(...list(1, ['a'], undefined, 'x'), changed, ...refusedList(2, { cursor: 'x' })),
      opened(...list(1, ['a']), ['c', request(2, 'tools/list')], cancel('c', 2), ['s', error(2)]),
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
      {
        lines: opened(...list(1, ['a'], undefined, 'x'), ...list(2, ['a', 'b'], 'x')),
        shows: 'page-with-items-of-an-earlier-one',
      },
      {
        lines: opened(...list(1, ['a'], undefined, 'x'), otherChanged, ...refusedList(2, { cursor: 'x' })),
        shows: 'own-cursor-refused',
      },
      // a loop: the first page is none of the same walk, because the list changed after it
      opened(
        ...list(1, ['a'], undefined, 'x'),
        changed,
        ...list(2, ['b'], 'x', 'y'),
        ...list(3, ['c'], 'y', 'x'),
      ),
      opened(...list(1, ['a'], undefined, 'x'), ...list(2, ['b'], 'x', 'x'), ...list(3, ['c'], 'x', 'x')),
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
      opened(
        ...list(1, ['a'], undefined, 'x'),
        ...list(2, ['b'], 'x'),
        changed,
        ...list(3, ['a'], undefined, 'x'),
        ...list(4, ['c'], 'x'),
      ),
      // without a subscription no change is announced: a list with one item more, and later with one less
      {
        lines: [
          ...pages(1, ['b'], ['b', 'c'], ['b', 'c']),
          ...pages(11, ['b', 'c'], ['b', 'c', 'd'], ['b', 'c'], ['b', 'c']),
        ],
        era: 'modern',
      },
    ],
    bad: [
      {
        lines: pages(1, ['b', 'c'], ['b', 'c', 'd'], ['c', 'b']),
        era: 'modern',
      },
      {
        lines: opened(
          ...list(1, ['a'], undefined, 'x'),
          ...list(2, ['b'], 'x'),
          otherChanged,
          ...list(3, ['c'], 'x'),
        ),
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
    // progress of the client
    legal: [{ lines: opened(['c', report('t', '50%')]), isUnobserved: true }],
    bad: [
      { lines: opened(call(1, 't'), progress('t', '50%')), shows: 'progress-no-number' },
      { lines: opened(call(1, 't'), progress('t', 1, { total: null })), shows: 'total-is-null' },
      {
        lines: opened(call(1, 't'), ['s', notification('notifications/progress', { progressToken: 't' })]),
        shows: 'progress-missing',
      },
      opened(call(1, 't'), progress('t', 1), progress('t', 'x')),
      opened(['s', notification('notifications/progress')]),
    ],
  },
  'progress.token-type': {
    good: [{ lines: opened(roots(1, { _meta: { progressToken: 0 } })), shows: 'zero' }],
    legal: [
      // what the other side sends
      opened(['c!', request(1, 'ping', { _meta: { progressToken: true } })]),
    ],
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
    legal: [
      // the token of a request of the other side, and metadata of a notification
      opened(
        ['s', request(1, 'ping', { _meta: { progressToken: 't' } })],
        ['c', request(2, 'ping', { _meta: { progressToken: 't' } })],
        ['s', notification('notifications/x', { _meta: { progressToken: 't' } })],
      ),
      {
        lines: opened(call(1, 't'), cancel('c', 1), call(2, 't')),
        subject: 'client',
        shows: 'after-cancellation',
      },
      // where a request ends with its stream, also when the end is seen late
      ...[
        [end(1, 'client'), ...listed(2)],
        [...listed(2), end(1, 'client')],
      ].map(
        (lines): Example => ({
          lines: [...listed(1), ...lines],
          subject: 'client',
          era: 'modern',
          transport: 'streamable-http',
          shows: 'after-cancellation',
        }),
      ),
    ],
    bad: [
      {
        lines: opened(roots(1, { _meta: { progressToken: 1 } }), roots(2, { _meta: { progressToken: 1 } })),
        shows: 'shared',
      },
      // and a request without a token
      opened(roots(1, { _meta: { progressToken: 1 } }), roots(2, { _meta: { progressToken: 1 } }), [
        's',
        request(3, 'ping'),
      ]),
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
      // another notification
      opened(['s', notification('notifications/x', { progressToken: 'unknown' })]),
    ],
    bad: [
      { lines: opened(call(1, 1), progress('1', 1), done(1)), shows: 'retyped' },
      { lines: opened(progress(1, 1)), shows: 'invented' },
      // the metadata of a notification
      opened(['c', notification('notifications/x', { _meta: { progressToken: 't' } })], progress('t', 1)),
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
      // one of two requests in an array has a token
      {
        lines: opened(
          ...ask(1, 'POST', request(1, 'x', { _meta: { progressToken: 0 } }), 200, 'text/event-stream'),
          ...event(1, result(1)),
          end(1),
          ...ask(
            2,
            'POST',
            [request(2, 'x'), request(3, 'x', { _meta: { progressToken: 'u' } })],
            200,
            'text/event-stream',
          ),
          ...event(2, report(0, 1)),
          ...event(2, result(2)),
          ...event(2, result(3)),
          end(2),
        ),
        transport: 'streamable-http',
        when: r => r.batches,
        also: ['streamable-http.sse-related-messages'],
      },
      opened(call(1, 't'), progress('t', 5), done(1), progress('t', 3)),
    ],
  },
  'progress.stops-before-answer': {
    good: [opened(call(1, 't'), progress('t', 1))],
    legal: [{ ...lateOnGet(10), shows: 'crossed' }],
    bad: [{ ...lateOnGet(2_000), shows: 'other-stream' }, lateOnGet(2_000, [])],
  },
  'progress.message-readable': {
    good: [opened(call(1, 't'), progress('t', 1, { message: 'half' }))],
    legal: [{ lines: opened(call(1, 't'), progress('t', 1)), shows: 'none' }],
    bad: [
      { lines: opened(call(1, 't'), progress('t', 1, { message: '' })), shows: 'empty' },
      opened(call(1, 't'), progress('t', 1, { message: ' ' })),
    ],
  },
  'progress.rate-limited': {
    good: [opened(call(1, 't'), progress('t', 1))],
    legal: [
      // 2,001 in exactly one second, and a flood that was recorded late
      { lines: opened(call(1, 't'), ...counted(2_001)), tick: 0.5 },
      { lines: opened(call(1, 't'), ...counted(2_001), { kind: 'lag', ms: 9_000 }), tick: 0.1 },
    ],
    bad: [
      {
        lines: opened({ kind: 'quiet', ms: 9_000 }, call(1, 't'), ...counted(2_001)),
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
      opened(roots(1), ['s', notification('notifications/cancelled')]),
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
      // the POST with the response has no response yet: the server may not have read it
      {
        transport: 'streamable-http',
        when: r => r.transports.includes('streamable-http'),
        lines: opened(
          ...ask(1, 'GET', undefined, 200, 'text/event-stream'),
          ...event(1, request(7, 'ping'), {}, 'get'),
          ...ask(2, 'POST', result(7), 202).slice(0, 2),
          later,
          ...event(1, notification('notifications/cancelled', { requestId: 7 }), {}, 'get'),
          ...ask(2, 'POST', result(7), 202).slice(2),
          end(2),
        ),
      },
      // the client may not have read the response: its lines end in CR
      {
        subject: 'client',
        transport: 'streamable-http',
        when: r => r.transports.includes('streamable-http'),
        lines: opened(
          ...ask(1, 'POST', request(7, 'tools/list'), 200, 'text/event-stream'),
          ...event(1, result(7, { tools: [] }), {
            raw: `data: ${JSON.stringify(result(7, { tools: [] }))}\r\r`,
          }),
          end(1),
          later,
          ...ask(2, 'POST', notification('notifications/cancelled', { requestId: 7 }), 202),
          end(2),
        ),
        shows: 'unreadable',
      },
      // messages of the server may be lost
      {
        subject: 'client',
        transport: 'streamable-http',
        when: r => r.transports.includes('streamable-http'),
        lines: opened(
          ...ask(1, 'GET', undefined, 200, 'text/event-stream'),
          { kind: 'http-end', exchange: 1, by: 'error' },
          ...ask(2, 'POST', notification('notifications/cancelled', { requestId: 99 }), 202),
          end(2),
        ),
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
      opened(cancel('s', 1), roots(1)),
      {
        subject: 'client',
        transport: 'streamable-http',
        when: r => r.transports.includes('streamable-http'),
        lines: opened(
          ...ask(2, 'POST', notification('notifications/cancelled', { requestId: 99 }), 202),
          end(2),
        ),
      },
      { subject: 'client', lines: opened(cancel('c', 99)) },
      { subject: 'client', era: 'modern', lines: [cancel('c', 99)] },
    ],
  },
  'cancellation.still-in-flight': {
    good: [opened(roots(1), cancel('s', 1))],
    legal: [
      // a long time before
      opened({ kind: 'quiet', ms: 9_000 }, roots(1), rootsDone(1), cancel('s', 1)),
      // recorded late
      opened(roots(1), rootsDone(1), later, cancel('s', 1), { kind: 'lag', ms: 9_000 }),
      // pings that cross the response or the cancellation
      opened(roots(1), ['c', request(2, 'ping')], rootsDone(1), ['s', result(2)], cancel('s', 1)),
      opened(roots(1), rootsDone(1), ['c', request(2, 'ping')], cancel('s', 1), ['s', result(2)]),
      // responses that the sender cannot take for one
      opened(roots(1), ['c', { jsonrpc: '2.0', id: 1, result: 7 }], later, cancel('s', 1)),
      opened(roots(1), ['c', result('1', { roots: [] })], later, cancel('s', 1)),
      // each message on a connection of its own
      {
        subject: 'client',
        transport: 'streamable-http',
        when: r => r.transports.includes('streamable-http'),
        lines: opened(
          ...ask(1, 'POST', request(7, 'tools/list'), 200, 'application/json'),
          body(1, result(7, { tools: [] })),
          end(1),
          ...ask(2, 'GET', undefined, 200, 'text/event-stream'),
          ...event(2, request(8, 'ping'), {}, 'get'),
          ...ask(3, 'POST', result(8), 202),
          end(3),
          ...ask(4, 'POST', notification('notifications/cancelled', { requestId: 7 }), 202),
          end(4),
        ),
      },
    ],
    bad: [
      {
        lines: opened(roots(1), rootsDone(1), later, cancel('s', 1)),
        also: ['cancellation.own-in-flight-request'],
        shows: 'answered',
      },
      ...[
        { lines: opened(roots(1), rootsDone(1), ...asked(2, 'ping', undefined, {}), cancel('s', 1)) },
        {
          subject: 'client' as const,
          lines: opened(call(1, 't'), done(1), ['s', request(8, 'ping')], ['c', result(8)], cancel('c', 1)),
        },
      ].map(one => ({ ...one, also: ['cancellation.own-in-flight-request'] as const })),
      {
        lines: opened(roots(1), rootsDone(1), later, cancel('s', 1), roots(1)),
        also: ['cancellation.own-in-flight-request', 'jsonrpc.request-id-unique-in-session'],
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
      // a receiver that works on several messages at once: the response was ready before the cancellation
      {
        tick: 1,
        lines: opened(
          call(1, 't'),
          cancel('c', 1),
          ...asked(2, 'ping', undefined, {}),
          ...asked(3, 'ping', undefined, {}),
          done(1),
        ),
        shows: 'several-at-once',
      },
      // a request without work
      opened(
        ['c', request(1, 'ping')],
        cancel('c', 1),
        ...asked(2, 'ping', undefined, {}),
        ...asked(3, 'ping', undefined, {}),
        ['s', result(1)],
      ),
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
      // the POST with the cancellation has no response yet: the server may not have read it
      {
        transport: 'streamable-http',
        lines: [
          ...post,
          ...withdrawn.slice(0, 2),
          ...ping(3),
          ...ping(4),
          ...answer,
          ...withdrawn.slice(2, 4),
        ],
      },
      // the response was on the stream that broke, and is repeated on the stream that resumes it
      {
        transport: 'streamable-http',
        when: r => r.transports.includes('streamable-http'),
        lines: [
          ...post,
          { kind: 'http-end', exchange: 1, by: 'error' },
          ...withdrawn,
          ...ping(4),
          ...ask(5, 'GET', undefined, 200, 'text/event-stream', { sent: { 'Last-Event-ID': 'a' } }),
          ...event(5, result(1, { tools: [] }), {}, 'get'),
        ],
      },
      opened({ kind: 'quiet', ms: 9_000 }, call(1, 't'), cancel('c', 1), done(1)),
      opened(
        call(1, 't'),
        cancel('c', 1),
        ...asked(2, 'ping', undefined, {}),
        done(1),
        ...asked(3, 'ping', undefined, {}),
      ),
      // requests of the server are no barriers
      opened(
        call(1, 't'),
        cancel('c', 1),
        ...[8, 9].flatMap((id): Line[] => [
          ['s', request(id, 'ping')],
          ['c', result(id)],
        ]),
        done(1),
      ),
      // a cancellation of the server
      opened(
        roots(1),
        cancel('s', 1),
        ...asked(2, 'ping', undefined, {}),
        ...asked(3, 'ping', undefined, {}),
        rootsDone(1),
      ),
      // the cancellation may have overtaken the request
      {
        transport: 'streamable-http',
        lines: [...post.slice(0, 2), ...withdrawn, ...ping(4), ...post.slice(2), ...answer],
      },
      // without sessions
      {
        transport: 'streamable-http',
        when: r => r.transports.includes('streamable-http'),
        lines: r => {
          const [ask1, reply1] = handshake(r) as ['c' | 's', Json][];
          return [
            ...ask(10, 'POST', ask1![1], 200, 'application/json'),
            body(10, reply1![1]),
            end(10),
            ...post,
            ...withdrawn,
            ...ping(4),
            ...answer,
          ];
        },
      },
      // two responses may have crossed the cancellations, and so may three that came before any other
      { era: 'modern', lines: [...listened(1), ...listened(3)] },
      {
        era: 'modern',
        lines: [...listened(1), ...listened(3, { lasts: false }), ...listened(5, { lasts: false })],
      },
      // a server that ends subscriptions by itself
      {
        era: 'modern',
        lines: [...listened(1), ...listened(3, { ends: true }), ...listened(5), ...listened(7)],
      },
    ],
    bad: [
      { era: 'modern', lines: [...listened(1), ...listened(3), ...listened(5)], shows: 'subscription' },
      {
        lines: opened(
          call(1, 't'),
          cancel('c', 1),
          ...asked(2, 'ping', undefined, {}),
          ...asked(3, 'ping', undefined, {}),
          soon,
          ['s', error(1, -32800)],
        ),
        shows: 'error',
      },
      {
        transport: 'streamable-http',
        lines: [...post, ...withdrawn, ...ping(4), soon, ...answer],
        shows: 'over-http',
      },
      { lines: opened(call(1, 't'), cancel('c', 1), later, done(1)), shows: 'result' },
      // a ping without a response is no barrier
      opened(
        call(1, 't'),
        cancel('c', 1),
        ['c', request(2, 'ping')],
        ...asked(3, 'ping', undefined, {}),
        ...asked(4, 'ping', undefined, {}),
        soon,
        ['s', error(1, -32800)],
      ),
    ],
  },
  'completion.max-100-values': {
    good: [opened(...complete({ values: Array.from({ length: 100 }, (_, i) => `${i}`) }))],
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
    legal: [
      { lines: logged('mcp-conform-echo', 'text'), shows: 'no-secret' },
      opened(
        ['c', request(1, 'tools/call', { name: 'a', arguments: { password: 'mcp-conform-hunter2' } })],
        ['s', notification('x/no-log', { data: 'mcp-conform-hunter2' })],
      ),
      withToken('a request with a valid token'),
    ],
    bad: [
      { lines: logged('with mcp-conform-hunter2'), also: ['logging.remove-sensitive'], shows: 'password' },
      // in Base64
      {
        lines: logged('bWNwLWNvbmZvcm0taHVudGVyMg=='),
        also: ['logging.remove-sensitive'],
        shows: 'password',
      },
      {
        ...withToken('GET /mcp, Authorization: Bearer access-token-of-ada'),
        also: ['logging.remove-sensitive'],
        shows: 'access-token',
      },
    ],
  },
  'logging.remove-sensitive': {
    good: [{ lines: logged('logging in'), shows: 'ordinary' }],
    bad: [
      { lines: logged({ args: 'mcp-conform-hunter2' }), also: ['logging.no-credentials'], shows: 'password' },
      {
        ...withToken({ token: 'access-token-of-ada' }),
        also: ['logging.no-credentials'],
        shows: 'access-token',
      },
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
    bad: [
      { lines: opened(setLevel(1, 'debug'), ['s', error(1, -32601)]), shows: 'refused' },
      // the level stays as it was
      { lines: opened(setLevel(1, 'info'), ['s', error(1, -32601)], message('debug')), shows: 'refused' },
    ],
  },
  'logging.no-messages-below-level': {
    good: [
      opened(setLevel(1, 'warning'), ['s', result(1)], message('error')),
      opened(setLevel(1, 'debug'), ['s', result(1)], message('debug')),
    ],
    legal: [
      { lines: opened(message('debug')), shows: 'no-level' },
      opened(setLevel(1, 'warning'), ['s', result(1)], ['s', notification('x/no-log', { level: 'debug' })]),
      opened(['c', request(1, 'logging/setLevel')], ['s', result(1)], message('debug')),
      // on another stream than the response
      {
        transport: 'streamable-http',
        lines: opened(
          ...ask(1, 'GET', undefined, 200, 'text/event-stream'),
          ...ask(2, 'POST', request(1, 'logging/setLevel', { level: 'warning' }), 200, 'text/event-stream'),
          ...event(2, result(1)),
          end(2),
          ...event(1, notification('notifications/message', { level: 'debug', data: 'x' }), {}, 'get'),
        ),
        when: r => r.transports.includes('streamable-http'),
        shows: 'in-transit',
      },
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
