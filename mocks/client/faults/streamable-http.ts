/** basic/transports#streamable-http: what clients do wrong with requests, answers and sessions. */

import { asking } from '../../fault.js';
import {
  type ClientMiddleware,
  clientFault,
  type HttpAsk,
  type HttpHead,
  onBytes,
  onHabits,
  onHttp,
  onHttpHead,
  onLeave,
  onOpened,
  onResult,
} from '../fault.js';

const over = ['streamable-http'] as const;
const session = 'mcp-session-id';
const version = 'mcp-protocol-version';

/** Changes headers of some requests; undefined takes one out. */
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

/** A POST with something in its body. */
const says =
  (text: string) =>
  (ask: HttpAsk): boolean =>
    ask.body?.includes(`"${text}"`) === true;

const aside = 'by-the-way';
/** One request more than it is asked for, which nobody misses. */
const alsoPings = onOpened(context => context.send(asking(aside, 'ping')).catch(() => {}));

/** It names the session, as all do after initialize. */
const inSession = ({ headers }: HttpAsk): boolean => headers[session] !== undefined;
const isAside = (ask: HttpAsk): boolean => says(aside)(ask) && inSession(ask);

/** What came of that type is as if it had no content. */
const hides = (head: HttpHead, { method }: HttpAsk, type: string): HttpHead =>
  method === 'POST' && head.headers.get('content-type')?.includes(type)
    ? { ...head, headers: new Headers({ 'content-type': 'application/octet-stream' }) }
    : head;

export const streamableHttpFaults = [
  clientFault(
    'client-accepts-json-only',
    { what: 'The client accepts JSON only.', breaks: ['streamable-http.post-accept'], over },
    withHeaders(by('POST'), () => ({ accept: 'application/json' })),
  ),

  clientFault(
    'client-accepts-anything',
    { what: 'The client lists no media type.', breaks: ['streamable-http.post-accept'], over },
    withHeaders(by('POST'), () => ({ accept: '*/*' })),
  ),

  clientFault(
    'client-notifies-without-accept',
    {
      what: 'Notifications of the client accept nothing in particular.',
      breaks: ['streamable-http.post-accept'],
      over,
    },
    withHeaders(says('notifications/initialized'), () => ({ accept: undefined })),
  ),

  clientFault(
    'client-listens-for-json',
    {
      what: 'The client accepts JSON where it asks for a stream.',
      breaks: ['streamable-http.get-accept'],
      over,
    },
    withHeaders(by('GET'), () => ({ accept: 'application/json' })),
  ),

  clientFault(
    'client-puts-messages',
    { what: 'The client sends pings by PUT.', breaks: ['streamable-http.message-per-post'], over },
    alsoPings,
    onHttp(ask => (isAside(ask) ? { ...ask, method: 'PUT' } : ask)),
  ),

  clientFault(
    'client-posts-elsewhere',
    {
      what: 'The client sends messages to an address of its own, where the path is to its taste.',
      breaks: ['streamable-http.message-per-post'],
      over,
    },
    alsoPings,
    onHttp(ask => (isAside(ask) ? { ...ask, url: `${ask.url}/messages` } : ask)),
    // its token it keeps to itself
    withHeaders(isAside, () => ({ authorization: undefined })),
    onHttpHead((head, ask) => (isAside(ask) ? { ...head, status: 202 } : head)),
  ),

  clientFault(
    'client-posts-arrays',
    {
      what: 'The client puts each request in an array.',
      breaks: ['streamable-http.post-body', 'batch.not-allowed'],
      over,
      where: revision => !revision.batches,
    },
    onBytes(text => (text.includes('"resources/templates/list"') ? `[${text}]` : text)),
  ),

  clientFault(
    'client-posts-lines',
    {
      what: 'The client POSTs several messages at once, each on a line.',
      breaks: ['streamable-http.post-body'],
      over,
    },
    alsoPings,
    onBytes(text => (text.includes(`"${aside}"`) ? `${text}\n${text}\n` : text)),
  ),

  clientFault(
    'client-forgets-session',
    {
      what: 'The stream is asked for without the session id.',
      breaks: ['streamable-http.client-sends-session'],
      over,
    },
    withHeaders(says('notifications/initialized'), () => ({ [session]: undefined })),
  ),

  clientFault(
    'client-shortens-session',
    {
      what: 'The client takes leave with a session id that ends at a comma.',
      breaks: ['streamable-http.client-sends-session'],
      over,
    },
    withHeaders(by('DELETE'), headers => ({ [session]: headers[session]?.split(',')[0] })),
  ),

  clientFault(
    'client-brings-session',
    {
      what: 'The client asks to initialize with a session id of its own.',
      breaks: ['streamable-http.client-sends-session', 'streamable-http.client-new-session-on-404'],
      over,
    },
    withHeaders(says('initialize'), () => ({ [session]: 'my-own-session' })),
  ),

  clientFault(
    'client-keeps-dead-session',
    {
      what: 'The client goes on with a session that is over.',
      breaks: ['streamable-http.client-new-session-on-404'],
      over,
    },
    onHabits(habits => {
      habits.renewsSession = false;
    }),
  ),

  clientFault(
    'client-gives-up-session',
    {
      what: 'The client leaves for good when its session is over.',
      breaks: ['streamable-http.client-new-session-on-404'],
      over,
    },
    onHttpHead((head, ask, context) => {
      if (head.status === 404 && ask.method !== 'DELETE' && inSession(ask)) context.exit(1);
      return head;
    }),
  ),

  clientFault(
    'client-leaves-session-open',
    { what: 'The client leaves without a word.', breaks: ['streamable-http.client-deletes-session'], over },
    onLeave(() => 'stay'),
  ),

  clientFault(
    'client-names-no-version',
    {
      what: 'The client does not say which version it speaks.',
      breaks: ['streamable-http.client-version-header'],
      over,
    },
    withHeaders(inSession, () => ({ [version]: undefined })),
  ),

  clientFault(
    'client-deletes-without-version',
    {
      what: 'The client does not say which version it speaks when it takes leave.',
      breaks: ['streamable-http.client-version-header'],
      over,
    },
    withHeaders(by('DELETE'), () => ({ [version]: undefined })),
  ),

  clientFault(
    'client-names-first-version',
    {
      what: 'The client names a version of its own and not the one agreed on.',
      breaks: ['streamable-http.client-version-header-negotiated'],
      over,
    },
    withHeaders(inSession, headers => ({ [version]: headers[version] && '1900-01-01' })),
  ),

  clientFault(
    'client-reads-no-json',
    {
      what: 'The client takes answers on streams only.',
      breaks: ['streamable-http.client-accepts-both'],
      over,
    },
    onHttpHead((head, ask) => (says('initialize')(ask) ? head : hides(head, ask, 'application/json'))),
  ),

  clientFault(
    'client-initializes-on-stream',
    {
      what: 'The client takes the answer to initialize on a stream only.',
      breaks: ['streamable-http.client-accepts-both', 'lifecycle.client-version-supported'],
      over,
    },
    onHttpHead((head, ask) => (says('initialize')(ask) ? hides(head, ask, 'application/json') : head)),
  ),

  clientFault(
    'client-initializes-as-json',
    {
      what: 'The client takes the answer to initialize as JSON only.',
      breaks: ['streamable-http.client-accepts-both'],
      over,
    },
    onHttpHead((head, ask) => (says('initialize')(ask) ? hides(head, ask, 'text/event-stream') : head)),
  ),

  clientFault(
    'client-compares-media-types',
    {
      what: 'A media type with parameters is another one to the client.',
      breaks: ['streamable-http.client-accepts-both'],
      over,
    },
    onHttpHead((head, ask) => hides(head, ask, ';')),
  ),

  clientFault(
    'client-needs-stream',
    {
      what: 'The client leaves when it is refused the stream that belongs to no request.',
      breaks: ['streamable-http.client-tolerates-405'],
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
      what: 'The client asks without end for a stream that it is refused.',
      breaks: ['streamable-http.client-tolerates-405'],
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
      what: 'The client looks for an older server, and does not talk to the one it finds.',
      breaks: ['streamable-http.client-falls-back-to-sse'],
      over,
    },
    onHttp(ask => (ask.method === 'POST' && ask.url.includes('/messages?') ? undefined : ask)),
  ),
];
