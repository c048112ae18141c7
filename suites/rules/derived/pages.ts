/** Pages of lists: a request without a cursor, and the requests with the cursors that followed. */

import { fail, pass } from '../../../harness/judge/finding.js';
import { rule } from '../../../harness/judge/rule.js';
import { type Conversation, declares, derivedBy } from '../../../harness/record/conversation.js';
import { errorCodes, namedVersion } from '../../../harness/record/envelope.js';
import { type Exchange, errorOf } from '../../../harness/record/message.js';
import { isNetworkFailure, tellsOfNetwork } from '../../../harness/record/network-failure.js';
import type { Json, JsonObject } from '../../../spec/json-rpc.js';
import type { RequirementId } from '../../../spec/requirement.js';
import { isCancelled, isFair } from './conversation.js';
import { crashesAt, hasUsualHeaders } from './http.js';
import { type Answered, answered, objects } from './results.js';

export interface List {
  readonly method: string;
  /** The member of the result that contains the items. */
  readonly items: string;
  /** The member of an item that contains its name. */
  readonly name: string;
  /** The notification that the list has changed. */
  readonly changed: string;
}

const listOf = (method: string, items: string, name: string, feature: string): List => ({
  method,
  items,
  name,
  changed: `notifications/${feature}/list_changed`,
});

export const lists = {
  tools: listOf('tools/list', 'tools', 'name', 'tools'),
  prompts: listOf('prompts/list', 'prompts', 'name', 'prompts'),
  resources: listOf('resources/list', 'resources', 'uri', 'resources'),
  templates: listOf('resources/templates/list', 'resourceTemplates', 'uriTemplate', 'resources'),
  /** Of an extension, with the same parameters as the others. */
  skills: listOf('skills/list', 'skills', 'uri', 'skills'),
} as const;

/**
 * Whether the server needs a capability that the request does not declare. The clause about lists knows no such case, the
 * one about the error exempts no method: the text is disputed.
 */
const needsCapability = (exchange: Exchange): boolean =>
  namedVersion(exchange.request) !== undefined && errorOf(exchange)?.code === errorCodes.missingCapability;

/** A server that has declared a feature returns its list. */
export const listAnswered = (row: RequirementId, feature: 'tools' | 'prompts' | 'resources') =>
  rule(row, function* (conversation) {
    const declaration = conversation.opening?.reply;
    if (!declaration || !declares(conversation.capabilities('server'), feature)) return;
    for (const exchange of conversation.exchanges({ by: 'peer', method: lists[feature].method })) {
      const { request, reply } = exchange;
      if (request.seq < declaration.seq) continue;
      const post = conversation.httpOf(request);
      if (!isFair(conversation, request) || request.params?.cursor !== undefined) continue;
      if (post && !hasUsualHeaders(post)) continue;
      if (!reply) {
        if (post && crashesAt(conversation, post) && !tellsOfNetwork(post.body ?? ''))
          yield fail('a list', [request, ...post.ends], 'status 500');
        continue;
      }
      if (reply.kind === 'error' && (isNetworkFailure(exchange) || needsCapability(exchange))) continue;
      if (reply.kind === 'result') yield pass([request, reply]);
      else if (!isCancelled(conversation, request)) yield fail('a list', [request, reply], 'an error');
    }
  });

export interface Page extends Answered {
  readonly items: readonly JsonObject[];
  readonly cursor: Json | undefined;
  /** The page before this one; undefined when the list changed since the first page. */
  readonly previous: Page | undefined;
  /** Sequence number of the request for the first page. */
  readonly since: number;
}

/** The pages of a list, each with the page before it. */
export const pagesOf = derivedBy((conversation: Conversation, list: List): readonly Page[] => {
  const pages: Page[] = [];
  const ending = new Map<string, Page>();
  const changes = conversation.notifications({ by: 'subject', method: list.changed }).map(m => m.seq);
  for (const { request, reply, result } of answered(conversation, list.method)) {
    const cursor = request.params?.cursor;
    const last = typeof cursor === 'string' ? ending.get(cursor) : undefined;
    const changed = last && changes.some(seq => seq > last.since && seq < reply.seq);
    const previous = changed ? undefined : last;
    const items = objects(result[list.items]);
    const since = previous?.since ?? request.seq;
    const page: Page = { request, reply, result, items, cursor, previous, since };
    pages.push(page);
    if (typeof result.nextCursor === 'string') ending.set(result.nextCursor, page);
  }
  return pages;
});

/** Limit for comparisons, because a chain of cursors may be endless. */
const maxBefore = 50;

/** The last of the earlier pages of a list for which `fits` is true. */
export function pageBefore(page: Page, fits: (earlier: Page) => boolean): Page | undefined {
  let at = page.previous;
  for (let n = 0; at && n < maxBefore; n++, at = at.previous) if (fits(at)) return at;
  return undefined;
}
