/** basic/transports#streamable-http: faults of clients in requests, responses and sessions. */

import { asking } from '../../fault.js';
import { hasHandshake, isStateless } from '../../server/faults/shared.js';
import {
  type ClientMiddleware,
  clientFault,
  onBehaviour,
  onBytes,
  onHttp,
  onHttpHead,
  onLeave,
  onOpened,
  onResult,
} from '../fault.js';
import type { HttpAsk, HttpHead } from '../http-message.js';

const over = ['streamable-http'] as const;
const session = 'mcp-session-id';
const version = 'mcp-protocol-version';

/** Changes headers of some requests; undefined removes a header. */
const withHeaders = (
  fits: (ask: HttpAsk) => boolean,
  change: (headers: HttpAsk['headers']) => Readonly<Record<string, string | undefined>>,
): ClientMiddleware =>
  onHttp(ask => {
    if (!fits(ask)) return ask;
    const changed = Object.entries({ ...ask.headers, ...change(ask.headers) });
    return {
      ...ask,
      headers: Object.fromEntries(changed.flatMap(([n, v]) => (v === undefined ? [] : [[n, v]]))),
    };
  });

const by =
  (...methods: string[]) =>
  (ask: HttpAsk): boolean =>
    methods.includes(ask.method);

/** A POST with the text in its body. */
const says =
  (text: string) =>
  (ask: HttpAsk): boolean =>
    ask.body?.includes(`"${text}"`) === true;

const aside = 'by-the-way';
/** An additional request whose response is not needed. */
const alsoPings = onOpened(context => context.send(asking(aside, 'ping')).catch(() => {}));

/** The request names the session, as all requests after initialize do. */
const inSession = ({ headers }: HttpAsk): boolean => headers[session] !== undefined;
const isAside = (ask: HttpAsk): boolean => says(aside)(ask) && inSession(ask);

/** Hides responses of one media type from the client. */
const hides = (head: HttpHead, { method }: HttpAsk, type: string): HttpHead =>
  method === 'POST' && head.headers.get('content-type')?.includes(type)
    ? { ...head, headers: new Headers({ 'content-type': 'application/octet-stream' }) }
    : head;

/** The body of a POST has two lines, each with the same request. */
const postsLines = [alsoPings, onBytes(text => (text.includes(`"${aside}"`) ? `${text}\n${text}\n` : text))];

export const streamableHttpFaults = [
  clientFault(
    'client-accepts-json-only',
    {
      what: 'The client sends POST requests with application/json as the only media type in the Accept header.',
      breaks: ['streamable-http.post-accept'],
      shows: ['streamable-http.post-accept#one-type'],
      over,
    },
    withHeaders(by('POST'), () => ({ accept: 'application/json' })),
  ),

  clientFault(
    'client-accepts-anything',
    {
      what: 'The client sends POST requests with */* in the Accept header.',
      breaks: ['streamable-http.post-accept'],
      shows: ['streamable-http.post-accept#wildcard'],
      over,
    },
    withHeaders(by('POST'), () => ({ accept: '*/*' })),
  ),

  clientFault(
    'client-notifies-without-accept',
    {
      what: 'The client sends notifications/initialized without an Accept header.',
      breaks: ['streamable-http.post-accept'],
      shows: ['streamable-http.post-accept#none'],
      over,
      where: hasHandshake,
    },
    withHeaders(says('notifications/initialized'), () => ({ accept: undefined })),
  ),

  clientFault(
    'client-listens-for-json',
    {
      what: 'The client sends GET requests with application/json in the Accept header.',
      breaks: ['streamable-http.get-accept'],
      shows: ['streamable-http.get-accept#json'],
      over,
    },
    withHeaders(by('GET'), () => ({ accept: 'application/json' })),
  ),

  clientFault(
    'client-puts-messages',
    {
      what: 'The client sends ping with the HTTP method PUT.',
      breaks: ['streamable-http.message-per-post'],
      shows: ['streamable-http.message-per-post#other-method'],
      over,
      where: hasHandshake,
    },
    alsoPings,
    onHttp(ask => (isAside(ask) ? { ...ask, method: 'PUT' } : ask)),
  ),

  clientFault(
    'client-posts-elsewhere',
    {
      what: 'The client sends ping to the path /messages below the MCP endpoint.',
      breaks: ['streamable-http.message-per-post'],
      shows: ['streamable-http.message-per-post#other-path'],
      over,
      where: hasHandshake,
    },
    alsoPings,
    onHttp(ask => (isAside(ask) ? { ...ask, url: `${ask.url}/messages` } : ask)),
    // without its token
    withHeaders(isAside, () => ({ authorization: undefined })),
    onHttpHead((head, ask) => (isAside(ask) ? { ...head, status: 202 } : head)),
  ),

  clientFault(
    'client-posts-arrays',
    {
      what: 'The client sends resources/templates/list in an array in a revision without batches.',
      breaks: ['streamable-http.post-body', 'batch.not-allowed'],
      shows: ['batch.not-allowed#array', 'streamable-http.post-body#array'],
      over,
      where: revision => !revision.batches,
    },
    onBytes(text => (text.includes('"resources/templates/list"') ? `[${text}]` : text)),
  ),

  clientFault(
    'client-posts-lines',
    {
      what: 'The client sends two messages in one POST, one per line.',
      breaks: ['streamable-http.post-body'],
      shows: ['streamable-http.post-body#lines'],
      where: isStateless,
      over,
    },
    ...postsLines,
  ),

  clientFault(
    'client-posts-lines-in-session',
    {
      what: 'The client sends two messages in one POST of a session, one per line.',
      // the text is also recorded as a message that is not JSON
      breaks: ['streamable-http.post-body', 'base.jsonrpc-2-0'],
      where: hasHandshake,
      over,
    },
    ...postsLines,
  ),

  clientFault(
    'client-forgets-session',
    {
      what: 'The client sends notifications/initialized without the session id.',
      breaks: ['streamable-http.client-sends-session'],
      shows: ['streamable-http.client-sends-session#missing'],
      over,
    },
    withHeaders(says('notifications/initialized'), () => ({ [session]: undefined })),
  ),

  clientFault(
    'client-shortens-session',
    {
      what: 'The client sends DELETE with a session id that is cut at the first comma.',
      breaks: ['streamable-http.client-sends-session'],
      shows: ['streamable-http.client-sends-session#altered'],
      over,
    },
    withHeaders(by('DELETE'), headers => ({ [session]: headers[session]?.split(',')[0] })),
  ),

  clientFault(
    'client-brings-session',
    {
      what: 'The client sends initialize with a session id of its own.',
      breaks: ['streamable-http.client-sends-session', 'streamable-http.client-new-session-on-404'],
      shows: [
        'streamable-http.client-new-session-on-404#initialize-with-id',
        'streamable-http.client-sends-session#on-initialize',
      ],
      over,
    },
    withHeaders(says('initialize'), () => ({ [session]: 'my-own-session' })),
  ),

  clientFault(
    'client-keeps-dead-session',
    {
      what: 'The client continues to send requests in a session that the server has ended.',
      breaks: ['streamable-http.client-new-session-on-404'],
      shows: ['streamable-http.client-new-session-on-404#old-id'],
      over,
    },
    onBehaviour(habits => {
      habits.renewsSession = false;
    }),
  ),

  clientFault(
    'client-gives-up-session',
    {
      what: 'The client exits when the server responds with 404 to a request in its session.',
      breaks: ['streamable-http.client-new-session-on-404'],
      shows: ['streamable-http.client-new-session-on-404#gives-up'],
      over,
    },
    onHttpHead((head, ask, context) => {
      if (head.status === 404 && ask.method !== 'DELETE' && inSession(ask)) context.exit(1);
      return head;
    }),
  ),

  clientFault(
    'client-leaves-session-open',
    {
      what: 'The client sends no DELETE when it closes the session.',
      breaks: ['streamable-http.client-deletes-session'],
      shows: ['streamable-http.client-deletes-session#no-delete'],
      over,
    },
    onLeave(() => 'stay'),
  ),

  clientFault(
    'client-deletes-at-the-root',
    {
      what: 'The client sends its DELETE to the root of the server instead of the MCP endpoint.',
      breaks: ['streamable-http.client-deletes-session'],
      shows: ['streamable-http.client-deletes-session#other-address'],
      over,
    },
    onHttp(ask => (ask.method === 'DELETE' ? { ...ask, url: new URL('/', ask.url).href } : ask)),
  ),

  clientFault(
    'client-names-no-version',
    {
      what: 'The client sends no MCP-Protocol-Version header.',
      breaks: ['streamable-http.client-version-header'],
      shows: ['streamable-http.client-version-header#missing'],
      over,
    },
    withHeaders(inSession, () => ({ [version]: undefined })),
  ),

  clientFault(
    'client-deletes-without-version',
    {
      what: 'The client sends DELETE without the MCP-Protocol-Version header.',
      breaks: ['streamable-http.client-version-header'],
      shows: ['streamable-http.client-version-header#missing-on-delete'],
      over,
    },
    withHeaders(by('DELETE'), () => ({ [version]: undefined })),
  ),

  clientFault(
    'client-names-first-version',
    {
      what: 'The client sends an MCP-Protocol-Version header with another version than the negotiated one.',
      breaks: ['streamable-http.client-version-header-negotiated'],
      shows: ['streamable-http.client-version-header-negotiated#other-version'],
      over,
    },
    withHeaders(inSession, headers => ({ [version]: headers[version] && '1900-01-01' })),
  ),

  clientFault(
    'client-reads-no-json',
    {
      what: 'The client accepts responses on event streams only, except to initialize.',
      breaks: ['streamable-http.client-accepts-both'],
      shows: ['streamable-http.client-accepts-both#no-json'],
      over,
      where: hasHandshake,
    },
    onHttpHead((head, ask) =>
      says('initialize')(ask) || says('server/discover')(ask) ? head : hides(head, ask, 'application/json'),
    ),
  ),

  clientFault(
    'client-initializes-on-stream',
    {
      what: 'The client accepts the response to initialize on an event stream only.',
      breaks: ['streamable-http.client-accepts-both', 'lifecycle.client-version-supported'],
      shows: [
        'lifecycle.client-version-supported#response-not-read',
        'streamable-http.client-accepts-both#initialize-as-stream-only',
      ],
      over,
      where: hasHandshake,
    },
    onHttpHead((head, ask) => (says('initialize')(ask) ? hides(head, ask, 'application/json') : head)),
  ),

  clientFault(
    'client-initializes-as-json',
    {
      what: 'The client accepts the response to initialize as JSON only.',
      breaks: ['streamable-http.client-accepts-both'],
      shows: ['streamable-http.client-accepts-both#initialize-as-json-only'],
      over,
      where: hasHandshake,
    },
    onHttpHead((head, ask) => (says('initialize')(ask) ? hides(head, ask, 'text/event-stream') : head)),
  ),

  clientFault(
    'client-reads-json-alone',
    {
      what: 'The client accepts responses to POST requests as JSON only.',
      breaks: ['streamable-http.client-accepts-both'],
      over,
      where: hasHandshake,
    },
    onHttpHead((head, ask) => hides(head, ask, 'text/event-stream')),
  ),

  clientFault(
    'client-reads-no-stream',
    {
      what: 'The client accepts the response to tools/list as JSON only.',
      // the pages are on streams
      breaks: ['streamable-http.client-accepts-both', 'pagination.client-supports-both-flows'],
      over,
      where: isStateless,
    },
    onHttpHead((head, ask) => (says('tools/list')(ask) ? hides(head, ask, 'text/event-stream') : head)),
  ),

  clientFault(
    'client-compares-media-types',
    {
      what: 'The client rejects responses whose media type has parameters.',
      breaks: ['streamable-http.client-accepts-both'],
      shows: ['streamable-http.client-accepts-both#media-type-parameters'],
      over,
    },
    onHttpHead((head, ask) => hides(head, ask, ';')),
  ),

  clientFault(
    'client-needs-stream',
    {
      what: 'The client exits when the server responds to GET with 405.',
      breaks: ['streamable-http.client-tolerates-405'],
      shows: ['streamable-http.client-tolerates-405#exits'],
      over,
    },
    onHttpHead((head, ask, context) => {
      if (ask.method === 'GET' && head.status === 405) context.exit(1);
      return head;
    }),
  ),

  clientFault(
    'client-insists-on-stream',
    {
      what: 'The client sends 40 more GET requests after the server responds to GET with 405.',
      breaks: ['streamable-http.client-tolerates-405'],
      shows: ['streamable-http.client-tolerates-405#insists'],
      over,
    },
    onHttpHead((head, ask, context) => {
      if (ask.method === 'GET' && head.status === 405) context.keep(() => ask);
      return head;
    }),
    onResult('tools/list', async (result, _, context) => {
      const { url, headers } = context.keep<Pick<HttpAsk, 'url' | 'headers'>>(() => ({
        url: '',
        headers: {},
      }));
      for (let n = 0; url !== '' && n < 40; n++) await fetch(url, { headers }).then(answer => answer.text());
      return result;
    }),
  ),

  clientFault(
    'client-drops-older-server',
    {
      what: 'The client opens the stream of an HTTP+SSE server, but sends no POST to its endpoint.',
      breaks: ['streamable-http.client-falls-back-to-sse'],
      shows: ['streamable-http.client-falls-back-to-sse#not-used'],
      over,
      where: hasHandshake,
    },
    onHttp(ask => (ask.method === 'POST' && ask.url.includes('/messages?') ? undefined : ask)),
  ),
];
