/** Clients send cursors back unchanged. */

import { fail, pass } from '../../../harness/judge/finding.js';
import { rule } from '../../../harness/judge/rule.js';
import { type Conversation, derived } from '../../../harness/record/conversation.js';
import { type Exchange, resultOf } from '../../../harness/record/message.js';
import type { Json } from '../../../spec/json-rpc.js';
import { lists } from '../derived/pages.js';

interface Asked extends Exchange {
  readonly cursor: Json | undefined;
  /** Exchanges of the same method whose response arrived before this request. */
  readonly before: readonly Exchange[];
  /** The number of earlier requests for a first page. */
  readonly begun: number;
  /** Whether the first request had this cursor, which no result named: the list begins anew. */
  readonly beginsAnew: boolean;
}

/** The cursor of a request; null, which base.schema-valid reports, is none. */
export const cursorOf = ({ request }: Exchange): Json | undefined => request.params?.cursor ?? undefined;

/** Each request of the client for a page, by method. */
const walks = derived((conversation: Conversation): readonly (readonly Asked[])[] =>
  Object.values(lists).map(({ method }) => {
    const all = conversation.exchanges({ by: 'subject', method });
    return all.map(exchange => ({
      ...exchange,
      cursor: cursorOf(exchange),
      before: all.filter(e => e.reply && e.reply.seq < exchange.request.seq),
      begun: all.filter(e => e.request.seq < exchange.request.seq && cursorOf(e) === undefined).length,
      beginsAnew: cursorOf(exchange) === cursorOf(all[0]!),
    }));
  }),
);

const next = (exchange: Exchange): Json | undefined => resultOf(exchange)?.nextCursor;

/** Whether the list had ended, also where it was read several times at once, and the client had not started it again. */
const isPastEnd = ({ before, begun, cursor, beginsAnew }: Asked): boolean => {
  if (beginsAnew) return false;
  const last = before.at(-1);
  if (last === undefined || resultOf(last) === undefined || next(last) !== undefined) return false;
  if (before.filter(e => next(e) === undefined).length < begun) return false;
  // a client fetches a page again by the cursor in a cached page (server/utilities/caching#interaction-with-pagination)
  return !before.some(e => next(e) === cursor && Number(resultOf(e)?.ttlMs) > 0);
};

/** The number of cursors that a finding quotes. */
const mostQuoted = 3;

/** The cursors that a request could have, for a finding: the last ones, and how many came before. */
function cursorsIn(before: readonly Exchange[]): string[] {
  const all = before.flatMap(e => JSON.stringify(next(e)) ?? []);
  const earlier = all.length - mostQuoted;
  return [
    ...(earlier > 0 ? [earlier === 1 ? 'the cursor before' : `one of ${earlier} earlier cursors`] : []),
    ...all.slice(-mostQuoted),
  ];
}

export const rules = [
  // A cursor in the first request of a conversation is judged by pagination.cursor-not-persisted, a cursor
  // after the last page by pagination.missing-next-cursor-is-end.
  rule('pagination.cursor-opaque', function* (conversation) {
    for (const asked of walks(conversation).flat()) {
      const { cursor, before, request } = asked;
      if (cursor === undefined || before.length === 0 || isPastEnd(asked)) continue;
      const source = before.find(e => next(e) === cursor);
      if (source) yield pass([source.reply, request]);
      else
        yield fail(
          ['no cursor', ...cursorsIn(before)],
          [before.at(-1)!.reply, request],
          JSON.stringify(cursor),
        );
    }
  }),

  rule('pagination.cursor-not-persisted', function* (conversation) {
    for (const [first] of walks(conversation)) {
      if (!first) continue;
      if (first.cursor === undefined) yield pass([first.request]);
      else yield fail('no cursor in the first request', [first.request], JSON.stringify(first.cursor));
    }
  }),

  rule('pagination.missing-next-cursor-is-end', function* (conversation) {
    for (const walk of walks(conversation)) {
      const beyond = walk.filter(asked => asked.cursor !== undefined && isPastEnd(asked));
      for (const asked of beyond)
        yield fail(
          'no request after the last page',
          [asked.before.at(-1)!.reply, asked.request],
          JSON.stringify(asked.cursor),
        );
      const last = walk.find(asked => resultOf(asked) && next(asked) === undefined);
      if (last && beyond.length === 0) yield pass([last.request, last.reply]);
    }
  }),
];
