/** Live mutants of clients over HTTP: a header, an address or a part of a stream is another one, or an earlier one. */

import type { ClientContext } from '../../../mocks/client/context.js';
import { type ClientMiddleware, onBlock, onHttp, onHttpHead } from '../../../mocks/client/fault.js';
import type { HttpAsk } from '../../../mocks/client/http-message.js';
import type { Named } from './live-client-messages.js';
import { type ClientTraffic, kindOfAsk } from './live-client-traffic.js';
import { before } from './live-values.js';

type Change = (value: string, before: string | undefined) => string | undefined;

const ofBefore = 'of the request before';
const headerChanges: Readonly<Record<string, Change>> = {
  'not sent': () => undefined,
  altered: value => `${value}x`,
  [ofBefore]: (value, before) => before ?? value,
};

function withHeader(ask: HttpAsk, name: string, value: string | undefined): HttpAsk {
  const { [name]: now, ...rest } = ask.headers;
  if (now === value) return ask;
  return { ...ask, headers: value === undefined ? rest : { ...rest, [name]: value } };
}

/** A header of one kind of request; the one before is that of any request. */
const onHeader = (kind: string, name: string, change: Change): ClientMiddleware =>
  onHttp((ask, context) => {
    const value = ask.headers[name];
    const last = before(context, value);
    if (value === undefined || kindOfAsk(ask) !== kind) return ask;
    return withHeader(ask, name, change(value, last));
  });

const onKind = (kind: string, change: (ask: HttpAsk, context: ClientContext) => HttpAsk | undefined) =>
  onHttp((ask, context) => (kindOfAsk(ask) === kind ? change(ask, context) : ask));

/** The mutants of the HTTP messages of a revision. */
export const ofHttp = ({ headers, values, heads }: ClientTraffic): Named[] => [
  ...[...headers].flatMap(([kind, names]) => [
    ...[...names].flatMap(name =>
      Object.entries(headerChanges)
        .filter(([what]) => what !== ofBefore || values.get(name)!.size > 1)
        .map(([what, change]): Named => [`${kind}: header ${name} ${what}`, onHeader(kind, name, change)]),
    ),
    ...ofKind(kind),
  ]),
  ...[...heads].filter(name => ofProtocol.includes(name)).flatMap(ofHead),
  ...ofBlocks,
];

const otherMethods: Readonly<Record<string, string>> = { GET: 'HEAD', DELETE: 'POST' };

const ofKind = (kind: string): Named[] => [
  [`${kind}: not sent over HTTP`, onKind(kind, () => undefined)],
  [
    `${kind}: another HTTP method`,
    onKind(kind, ask => ({ ...ask, method: otherMethods[ask.method] ?? 'PUT' })),
  ],
  [`${kind}: with a query`, onKind(kind, ask => ({ ...ask, url: `${ask.url}?session=1` }))],
  [`${kind}: at the root`, onKind(kind, ask => ({ ...ask, url: new URL('/', ask.url).href }))],
  [
    `${kind}: with the token in the query`,
    onKind(kind, ask => {
      const token = ask.headers.authorization?.split(' ')[1];
      return token ? { ...ask, url: `${ask.url}?access_token=${token}` } : ask;
    }),
  ],
  [
    `${kind}: with an earlier body`,
    onKind(kind, (ask, context) => {
      const last = before(context, ask.body);
      return last === undefined ? ask : { ...ask, body: last };
    }),
  ],
];

/** Headers of responses that say something about the protocol. */
const ofProtocol = ['content-type', 'mcp-session-id', 'www-authenticate', 'location'];

const ofHead = (name: string): Named[] => [
  [
    `response header ${name}: not seen`,
    onHttpHead(head => {
      if (!head.headers.has(name)) return head;
      const headers = new Headers(head.headers);
      headers.delete(name);
      return { ...head, headers };
    }),
  ],
  [
    `response header ${name}: the one before`,
    onHttpHead((head, _, context) => {
      const value = head.headers.get(name) ?? undefined;
      const last = before(context, value);
      if (last === undefined || value === undefined || last === value) return head;
      const headers = new Headers(head.headers);
      headers.set(name, last);
      return { ...head, headers };
    }),
  ],
];

const ofBlocks: Named[] = [
  ...([200, 202, 400, 401, 403, 404, 405, 500] as const).map(
    (status): Named => [
      `status ${status}: seen as another`,
      onHttpHead(head => (head.status === status ? { ...head, status: status < 300 ? 204 : 418 } : head)),
    ],
  ),
  ...(['id', 'retry', 'event'] as const).flatMap((name): Named[] => [
    [`event ${name}: not seen`, onBlock(({ [name]: _, ...block }) => block)],
    [
      `event ${name}: the one before`,
      onBlock((block, context) => {
        const last = before(context, block[name]);
        return last === undefined || block[name] === undefined ? block : { ...block, [name]: last };
      }),
    ],
  ]),
  ['event: the third is not seen', onBlock((block, context) => (context.count() === 3 ? undefined : block))],
];
