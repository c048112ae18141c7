/** basic/transports#http-with-sse, the transport of the first revision. */

import { fault, onBlock, onHttp } from '../../fault.js';

/** Not on the first connection, so that one connection works. */
const later = (count: number): boolean => count > 1;

export const httpSseFaults = [
  fault(
    'endpoint-as-json',
    {
      what: 'The endpoint event contains an object instead of a URI.',
      breaks: ['http-sse.endpoint-event'],
      shows: ['http-sse.endpoint-event#json'],
    },
    onBlock((block, _ask, context) =>
      typeof block === 'object' && 'event' in block && block.event === 'endpoint' && later(context.count())
        ? { ...block, data: JSON.stringify({ uri: block.data }) }
        : block,
    ),
  ),

  fault(
    'no-endpoint-event',
    {
      what: 'The stream has no endpoint event.',
      breaks: ['http-sse.endpoint-event'],
      shows: ['http-sse.endpoint-event#none'],
    },
    onBlock((block, _ask, context) =>
      typeof block === 'object' && 'event' in block && block.event === 'endpoint' && later(context.count())
        ? undefined
        : block,
    ),
  ),

  fault(
    'initialized-taken-with-405',
    {
      what: 'A POST of notifications/initialized gets status 405.',
      breaks: ['http-sse.two-endpoints'],
      shows: ['http-sse.two-endpoints#post-refused'],
    },
    onHttp((reply, ask) =>
      ask.method === 'POST' && ask.body.includes('notifications/initialized')
        ? { ...reply, status: 405 }
        : reply,
    ),
  ),

  fault(
    'log-as-event-of-its-own',
    {
      what: 'notifications/message is also sent as an event of another type.',
      breaks: ['http-sse.message-events'],
      shows: ['http-sse.message-events#other-type'],
    },
    onBlock(block =>
      typeof block === 'object' &&
      'event' in block &&
      block.event === 'message' &&
      String(block.data).includes('"notifications/message"')
        ? [block, { ...block, event: 'log' }]
        : block,
    ),
  ),
];
