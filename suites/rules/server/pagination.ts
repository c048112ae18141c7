/** Cursors lead to the next page, and lists contain each name once. */

import { grouped } from '../../../harness/grouped.js';
import { fail, pass } from '../../../harness/judge/finding.js';
import { rule } from '../../../harness/judge/rule.js';
import type { Conversation } from '../../../harness/record/conversation.js';
import { describe } from '../../../harness/scenario/expect.js';
import type { Json, JsonObject } from '../../../spec/json-rpc.js';
import type { RequirementId } from '../../../spec/requirement.js';
import { saidBetween } from '../derived/order.js';
import { type List, lists, type Page, pageBefore, pagesOf } from '../derived/pages.js';
import { sameJson } from '../derived/results.js';

/** An earlier page of the same list that this page repeats, in part or by its cursor. */
function repeated(page: Page, { name }: List): Page | undefined {
  const own = grouped(page.items, item => item[name]);
  const isOwn = (item: JsonObject) => own.get(item[name])?.some(mine => sameJson(mine, item)) === true;
  const next = page.result.nextCursor;
  return pageBefore(
    page,
    earlier =>
      earlier.items.some(isOwn) ||
      (typeof next === 'string' && (earlier.cursor === next || earlier.result.nextCursor === next)),
  );
}

/**
 * Requests refused with an error although the server issued their cursor and the cursor had not been used
 * before; a cursor that was already used may expire.
 */
function* refusedAtOnce(conversation: Conversation, list: List) {
  const tried = new Set<unknown>();
  for (const exchange of conversation.exchanges({ by: 'peer', method: list.method })) {
    const { request, reply } = exchange;
    const cursor = request.params?.cursor;
    if (typeof cursor !== 'string' || request.frame.deliberate || tried.size === tried.add(cursor).size)
      continue;
    if (reply?.kind !== 'error') continue;
    const given = pagesOf(conversation, list).find(
      page => page.result.nextCursor === cursor && page.reply.seq < request.seq,
    );
    if (!given) continue;
    const changes = conversation.notifications({ by: 'subject', method: list.changed });
    if (!saidBetween(conversation, changes, given.request, reply)) yield { given, exchange };
  }
}

/**
 * Judges names that occur twice in one page, or in two pages of a list for different items; the same item in
 * two pages is a flaw of the cursor.
 */
function unique(row: RequirementId, list: List) {
  const pages = (conversation: Conversation) => pagesOf(conversation, list);
  return rule.each(row, pages, page => {
    const own = new Set<unknown>();
    const twice = page.items.find(item => own.size === own.add(item[list.name]).size);
    const clash = pageBefore(page, earlier =>
      earlier.items.some(a => own.has(a[list.name]) && !page.items.some(b => sameJson(a, b))),
    );
    const name = twice?.[list.name];
    if (typeof name === 'string') return fail(`each ${list.name} once`, [page.reply], name);
    return clash
      ? fail(`each ${list.name} once`, [clash.reply, page.reply], 'one of them again')
      : pass([page.reply]);
  });
}

export const rules = [
  // The next page may be empty, and a list with a change notification may repeat an item.
  rule('pagination.resume-after-cursor', function* (conversation) {
    for (const list of Object.values(lists))
      for (const page of pagesOf(conversation, list)) {
        if (!page.previous) continue;
        const earlier = repeated(page, list);
        const evidence = [page.request, page.reply];
        if (earlier)
          yield fail('the items after the cursor', [earlier.reply, ...evidence], 'an earlier page');
        else yield pass(evidence);
      }
    for (const list of Object.values(lists))
      for (const { given, exchange } of refusedAtOnce(conversation, list))
        yield fail(
          'the items after the cursor',
          [given.reply, exchange.request, exchange.reply],
          describe(exchange),
        );
  }),

  // An error is legal: cursors may expire. Other members of an item, such as its size, may change at any time.
  rule('pagination.stable-cursors', function* (conversation) {
    for (const list of Object.values(lists)) {
      const first = new Map<unknown, Page>();
      for (const page of pagesOf(conversation, list)) {
        if (!page.previous) continue;
        const earlier = first.get(page.cursor);
        const evidence = [earlier?.reply, page.request, page.reply];
        if (!earlier || sameWalk(conversation, list, earlier, page) === false) first.set(page.cursor, page);
        else if (sameJson(namesOn(earlier, list), namesOn(page, list))) yield pass(evidence);
        else if (conversation.isStateless && isOtherList(conversation, list, earlier, page))
          first.set(page.cursor, page);
        else yield fail('the same page for the same cursor', evidence, 'another page');
      }
    }
  }),

  unique('tools.name-unique', lists.tools),
  unique('prompts.name-unique', lists.prompts),
  unique('resources.uri-unique', lists.resources),
];

const namesOn = (page: Page, { name }: List): Json[] => page.items.map(item => item[name] ?? null);

/**
 * Whether the list has changed between two pages with the same cursor, which a client without a subscription is not
 * told: the later page has an item that was on no page before, or lacks the last items of the earlier one.
 */
function isOtherList(conversation: Conversation, list: List, earlier: Page, later: Page): boolean {
  const before = pagesOf(conversation, list).filter(page => page.reply.seq < later.reply.seq);
  const known = new Set(before.flatMap(page => page.items.map(item => JSON.stringify(item))));
  const isShorter = later.items.length < earlier.items.length;
  return (
    later.items.some(item => !known.has(JSON.stringify(item))) ||
    (isShorter && sameJson([...later.items], earlier.items.slice(0, later.items.length)))
  );
}

/**
 * Whether no change was announced between two pages, and the later request is not part of a loop that
 * contains the first one.
 */
function sameWalk(conversation: Conversation, list: List, a: Page, b: Page): boolean {
  const changes = conversation.notifications({ by: 'subject', method: list.changed });
  return !pageBefore(b, page => page === a) && !saidBetween(conversation, changes, a.request, b.reply);
}
