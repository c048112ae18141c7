import { ask, end, event, over } from '../http-events.test.util.js';
import { error, type Line, notification, request, result } from '../record.test.util.js';

const note = notification('notifications/message', { level: 'info', data: 1 });
const stream = (...lines: Line[]): Line[] => [
  ...ask(1, 'GET', undefined, 200, 'text/event-stream', { transport: 'sse' }),
  ...lines,
];
const endpoint = (data: string): Line => ({ kind: 'sse', exchange: 1, event: 'endpoint', data });
const post = (status: number, method = 'ping'): Line[] => [
  ...ask(2, 'POST', request(1, method), status, 'text/plain'),
  { kind: 'http-body', exchange: 2, text: 'Accepted' },
  end(2),
];
const here = endpoint('/m?x=1');
/** A GET whose response is no stream. */
const get = (exchange: number, status: number, type = 'text/html'): Line[] => [
  ...ask(exchange, 'GET', undefined, status, type, { transport: 'sse' }),
  end(exchange),
];
const url = 'http://localhost/sse';
const ping = JSON.stringify(request(1, 'ping'));
const unknownMethod = error(1, -32601);

export const examples = over('http-sse', {
  'http-sse.bind-localhost': {
    good: [{ lines: [{ kind: 'reach', address: '192.0.2.7', accepted: false }], shows: 'refused' }],
    bad: [{ lines: [{ kind: 'reach', address: '192.0.2.7', accepted: true }], shows: 'reached' }],
  },
  'http-sse.two-endpoints': {
    good: [stream(here), post(202)],
    legal: [
      [...get(1, 401), ...get(3, 403), ...post(404)],
      [{ kind: 'http-request', exchange: 1, method: 'GET', url, headers: [] }],
      [...stream(here, end(1)), ...post(404)],
      [...stream(here), ...ask(2, 'DELETE', undefined, 405), end(2)],
      [...stream(here), ...ask(2, 'POST', request(1, 'ping'), 405, undefined, { deliberate: true }), end(2)],
      [
        ...stream(here),
        { kind: 'frame', by: 'client', text: ping, exchange: 2, stream: 'post', deliberate: true },
        ...ask(2, 'POST', undefined, 405),
        end(2),
      ],
      { lines: [...stream(here), ...post(400)], shows: 'other-error' },
      { lines: post(500), isUnobserved: true, shows: 'other-error' },
      {
        lines: [
          ...stream(here),
          ...ask(2, 'POST', request(1, 'ping'), 404, 'application/json'),
          { kind: 'http-body', exchange: 2, text: JSON.stringify(unknownMethod) },
          end(2),
        ],
        shows: 'error-in-body',
      },
      {
        lines: [...stream(here), ...post(404, 'nosuch/method'), ...event(1, unknownMethod, {}, 'sse')],
        shows: 'error-on-stream',
      },
    ],
    bad: [
      { lines: ask(1, 'GET', undefined, 200, 'text/html', { transport: 'sse' }), shows: 'get-no-stream' },
      {
        lines: ask(1, 'GET', undefined, 201, 'text/event-stream', { transport: 'sse' }),
        shows: 'get-no-stream',
      },
      {
        lines: [
          ...get(1, 200, 'application/json').slice(0, -1),
          { kind: 'http-body', exchange: 1, text: JSON.stringify(note) },
          end(1),
        ],
        shows: 'get-no-stream',
      },
      { lines: [...stream(here), ...get(3, 401), ...post(405), end(1)], shows: 'post-refused' },
      {
        lines: [...stream(here), ...ask(2, 'POST', undefined, 405, 'text/plain'), end(2)],
        shows: 'post-refused',
      },
    ],
  },
  'http-sse.endpoint-event': {
    good: [
      stream(here),
      { lines: stream(endpoint('http://localhost/m')), shows: 'absolute' },
      { lines: stream(endpoint('m')), shows: 'relative' },
      { lines: stream({ kind: 'sse', exchange: 1 }, here), shows: 'comments' },
    ],
    bad: [
      { lines: stream(end(1)), shows: 'none' },
      { lines: stream(endpoint(JSON.stringify(note))), shows: 'json' },
      stream(endpoint('see /m')),
      stream({ kind: 'sse', exchange: 1, event: 'endpoint' }),
      { lines: stream(...event(1, note, {}, 'sse'), here), shows: 'message-first' },
    ],
  },
  'http-sse.message-events': {
    good: [stream(here, ...event(1, note, { event: 'message' }, 'sse'))],
    legal: [
      ...['{}', '7', '{"jsonrpc":"2.0"}', '{"id":1,"result":{}}'].map(data => ({
        lines: stream(here, { kind: 'sse', exchange: 1, event: 'ping', data }),
        shows: 'other-event',
      })),
    ],
    bad: [
      {
        lines: stream(here, { kind: 'sse', exchange: 1, event: 'log', data: JSON.stringify(note) }),
        shows: 'other-type',
      },
      {
        lines: [
          ...stream(here),
          ...ask(2, 'POST', request(1, 'ping'), 200, 'application/json'),
          { kind: 'http-body', exchange: 2, text: JSON.stringify(result(1)) },
          end(2),
        ],
        shows: 'in-body',
      },
    ],
  },
});
