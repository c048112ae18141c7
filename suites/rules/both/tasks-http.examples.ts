import { ask, body, end, event, over, ping } from '../http-events.test.util.js';
import { error, request, result } from '../record.test.util.js';

const sse = 'text/event-stream';
const json = 'application/json';
const get = request(1, 'tasks/get', { taskId: 't' });
const asJson = [...ask(1, 'POST', get, 200, json), body(1, error(1, -32602)), end(1)];
const asStream = [...ask(1, 'POST', get, 200, sse), ...event(1, error(1, -32602)), end(1)];
const pingAsJson = [...ask(2, 'POST', request(2, 'ping'), 200, json), body(2, result(2)), end(2)];

export const examples = over('streamable-http', {
  'tasks.transport-rules-hold': {
    good: [asJson, asStream],
    legal: [{ lines: [...ask(1, 'POST', get, 404), end(1)], shows: 'refused' }],
    bad: [
      {
        lines: [...ask(1, 'POST', get, 200, 'text/plain'), body(1, error(1, -32602)), end(1)],
        also: ['streamable-http.request-json-or-sse'],
        shows: 'other-type',
      },
    ],
  },
  'tasks.get-not-sse': {
    good: [asJson, [...pingAsJson, ...asJson]],
    legal: [{ lines: [...ping(2), ...asStream], shows: 'always-streams' }],
    bad: [{ lines: [...pingAsJson, ...asStream], shows: 'streamed' }],
  },
});
