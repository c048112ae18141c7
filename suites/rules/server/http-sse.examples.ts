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
const unknownMethod = error(1, -32601);

export const examples = over('http-sse', {
  'http-sse.bind-localhost': {
    good: [{ lines: [{ kind: 'reach', address: '192.0.2.7', accepted: false }], shows: 'refused' }],
    bad: [{ lines: [{ kind: 'reach', address: '192.0.2.7', accepted: true }], shows: 'reached' }],
  },
  'http-sse.two-endpoints': {
    good: [stream(here), [...stream(here), ...post(202), ...event(1, result(1), {}, 'sse')]],
    legal: [
      { lines: [...stream(here), ...post(400)], shows: 'other-error' },
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
      { lines: [...stream(here), ...post(405)], shows: 'post-refused' },
    ],
  },
  'http-sse.endpoint-event': {
    good: [
      stream(here),
      { lines: stream(endpoint('http://localhost/m')), shows: 'absolute' },
      { lines: stream(endpoint('m')), shows: 'relative' },
    ],
    bad: [
      { lines: stream(end(1)), shows: 'none' },
      { lines: stream(endpoint('{"uri":"/m"}')), shows: 'json' },
      { lines: stream(...event(1, note, {}, 'sse'), here), shows: 'message-first' },
    ],
  },
  'http-sse.message-events': {
    good: [stream(here, ...event(1, note, { event: 'message' }, 'sse'))],
    legal: [
      { lines: stream(here, { kind: 'sse', exchange: 1, event: 'ping', data: '{}' }), shows: 'other-event' },
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
