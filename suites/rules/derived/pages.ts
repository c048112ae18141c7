/** Lists as they were walked: a request without a cursor, and those that followed the cursors it led to. */

import { fail, pass } from '../../../harness/judge/finding.js';
import { rule } from '../../../harness/judge/rule.js';
import { type Conversation, declares, derivedBy } from '../../../harness/record/conversation.js';
import type { Json, JsonObject } from '../../../spec/json-rpc.js';
import type { RequirementId } from '../../../spec/requirement.js';
import { isCancelled } from './conversation.js';
import { type Answered, answered, objects } from './results.js';

export interface List {
  readonly method: string;
  /** The member of the result that holds the items. */
  readonly items: string;
  /** The member of an item that names it. */
  readonly name: string;
  /** The notification that the list has changed, and the capability it belongs to. */
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
} as const;

/** A list that was announced is told to who asks for it. */
export const listAnswered = (row: RequirementId, feature: 'tools' | 'prompts' | 'resources') =>
  rule(row, function* (conversation) {
    if (!declares(conversation.capabilities('server'), feature)) return;
    for (const { request, reply } of conversation.exchanges({ by: 'peer', method: lists[feature].method })) {
      if (!reply || request.frame.deliberate || request.params?.cursor !== undefined) continue;
      if (reply.kind === 'result') yield pass([request, reply]);
      else if (!isCancelled(conversation, request)) yield fail('a list', [request, reply], 'an error');
    }
  });

export interface Page extends Answered {
  readonly items: readonly JsonObject[];
  readonly cursor: Json | undefined;
  /** The page it continues; none when the list was said to have changed since the walk began. */
  readonly previous: Page | undefined;
  /** Number of the request the walk began with. */
  readonly since: number;
}

/** The pages of a list, each knowing the one it continues. */
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

/** An endless chain of cursors is not worth an endless comparison. */
const maxBefore = 50;

/** The last page of the walk before this one that `fits`. */
export function pageBefore(page: Page, fits: (earlier: Page) => boolean): Page | undefined {
  let at = page.previous;
  for (let n = 0; at && n < maxBefore; n++, at = at.previous) if (fits(at)) return at;
  return undefined;
}

/** Whether the server said that it has the feature of a list. */
export const offers = (conversation: Conversation, feature: string): boolean =>
  declares(conversation.capabilities('server'), feature);
