/** Describes why a URL provides no MCP server. */

import { handshakeMethods } from '../record/handshake.js';
import type { HttpExchange } from '../record/http-exchange.js';
import { overflowInWords } from '../record/message.js';
import type { Peer } from './peer.js';

/** A sentence, and lines of detail. */
export function describeHttpEnd({ conversation, link, timing }: Peer): [reason: string, details: string[]] {
  const older = conversation.transport === 'http-sse';
  const url = conversation.opened?.url ?? 'The URL';
  if (link.failure) return [link.failure.reason, [...link.failure.details]];
  const overflow = conversation.eventsOf('overflow')[0];
  if (overflow)
    return [`${url} wrote too much: ${overflowInWords(overflow)}. The harness stopped reading.`, []];
  const exchange = conversation.http().find(e => (older ? e.request?.method === 'GET' : e.sent.length > 0));
  const within = `within ${timing.answer / 1000} s`;
  if (!exchange?.request) return [`Nothing could be sent to ${url} ${within}.`, []];
  const first = exchange.sent[0]?.method ?? handshakeMethods.request;
  const asked = older ? 'the request for its event stream' : first;
  const { end, status } = exchange;
  if (status === undefined)
    return end?.by === 'error'
      ? [`${url} did not answer ${asked} in HTTP: ${end.reason ?? ''} (${end.code ?? 'no code'}).`, []]
      : [`${url} did not answer ${asked} ${within}.`, ['A slow server may need a longer --timeout.']];
  if (status >= 300 || status < 200) return refused(exchange, url, asked, older);
  if (older && exchange.isStream) return [noEndpoint(exchange, url, within), quote(exchange)];
  const type = exchange.contentType ?? 'no content type';
  const broken = end?.by === 'error';
  if (older || (!exchange.isStream && exchange.received.length === 0 && end && !broken))
    return [
      `${url} is no MCP server of this transport: it answered ${asked} with ${status} and ${type}.`,
      [...quote(exchange), ...otherTransport(older)],
    ];
  if (!end) return [`${url} began to answer ${first}, but did not finish ${within}.`, quote(exchange)];
  const how = broken ? `the connection broke (${end.code ?? end.reason})` : 'the response ended';
  return [`${url} did not answer ${first}: ${how} before the reply.`, quote(exchange)];
}

const noEndpoint = (exchange: HttpExchange, url: string, within: string): string =>
  exchange.events.some(e => e.event === 'endpoint')
    ? `${url} named its endpoint but did not answer initialize ${within}.`
    : `${url} opened an event stream, but sent no endpoint event ${exchange.end ? 'before it ended' : within}.`;

function refused(
  exchange: HttpExchange,
  url: string,
  asked: string,
  older: boolean,
): [reason: string, details: string[]] {
  const { status, response } = exchange;
  const said = [status, response?.reason].filter(Boolean).join(' ');
  const challenge = exchange.header('www-authenticate');
  const location = exchange.header('location');
  if (status === 401)
    return [
      `${url} requires authorization: it answered ${asked} with ${said}.`,
      [
        ...(challenge ? [`WWW-Authenticate: ${challenge}`] : []),
        exchange.requestHeader('authorization') !== undefined
          ? 'The server refused the given credentials: are they for this server, and not expired?'
          : 'Provide a token with --bearer-token or MCP_CONFORM_BEARER_TOKEN, or another header with --header.',
      ],
    ];
  if (status === 403)
    return [
      `${url} refused ${asked} with ${said}.`,
      [...quote(exchange), 'Does the server need --bearer-token or --header?'],
    ];
  if (location) {
    const target = URL.canParse(location, url) ? new URL(location, url) : undefined;
    return [
      `${url} redirects ${asked} to another URL (${said}); redirects are not followed.`,
      [
        target && /^https?:$/.test(target.protocol)
          ? `Run again with --url ${target.href}`
          : `Location: ${location}`,
      ],
    ];
  }
  const busy = busyAdvice(status!, exchange.header('retry-after'));
  return [`${url} answered ${asked} with ${said}.`, [...quote(exchange), ...(busy ?? otherTransport(older))]];
}

/** Advice for a status that says nothing about the path; undefined for other statuses. */
function busyAdvice(status: number, retryAfter: string | undefined): string[] | undefined {
  if (status === 429)
    return [
      `The server limits the rate of requests${retryAfter ? ` (Retry-After: ${retryAfter})` : ''}: raise its limit for this test.`,
    ];
  if (status >= 502 && status <= 504)
    return ['A gateway answered in place of the server: is the server behind it running?'];
  if (status >= 500) return ['The server failed: its own log or output has the reason.'];
  return undefined;
}

/** The beginning of the response, if it is text. */
function quote(exchange: HttpExchange): string[] {
  const text = exchange.body ?? exchange.events.map(e => e.data ?? '').join('\n');
  const line = text.trim().split(/\r?\n/)[0] ?? '';
  return line === '' ? [] : [`body: ${line.slice(0, 200)}`];
}

const otherTransport = (older: boolean): string[] => [
  older
    ? 'Servers of later revisions need --transport streamable-http.'
    : 'Check the path. Servers of 2024-11-05 may need --transport http-sse.',
];
