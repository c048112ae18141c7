/** server/utilities/caching: hints for caches in results. */

import { fail, pass } from '../../../harness/judge/finding.js';
import { rule } from '../../../harness/judge/rule.js';
import type { Conversation } from '../../../harness/record/conversation.js';
import { lists, pagesOf } from '../derived/pages.js';
import { shown } from '../derived/results.js';
import { complete, inputRequired, results } from '../derived/stateless.js';

/** Methods whose complete results contain hints. */
const cacheable = [
  'server/discover',
  'tools/list',
  'prompts/list',
  'resources/list',
  'resources/templates/list',
  'resources/read',
];

/** Results with a hint; the ttlMs of a task of the extension is something else. */
const hinted = (conversation: Conversation) =>
  results(conversation).filter(
    ({ result }) => typeof result.ttlMs === 'number' && typeof result.taskId !== 'string',
  );

export const rules = [
  rule.each(
    'caching.hints-on-cacheable-results',
    conversation => complete(conversation, cacheable),
    ({ request, reply, result: { ttlMs, cacheScope } }) => {
      const isScope = cacheScope === 'public' || cacheScope === 'private';
      if (Number.isInteger(ttlMs) && isScope) return pass([request, reply]);
      const actual = `ttlMs ${shown(ttlMs)}, cacheScope ${shown(cacheScope)}`;
      return fail('ttlMs, and cacheScope public or private', [request, reply], actual);
    },
  ),

  rule.each('caching.ttl-not-negative', hinted, ({ request, reply, result: { ttlMs } }) =>
    (ttlMs as number) < 0
      ? fail('0 or more', [request, reply], `ttlMs ${shown(ttlMs)}`)
      : pass([request, reply]),
  ),

  rule.each('caching.no-hints-on-input-required', inputRequired, ({ request, reply, result }) =>
    result.ttlMs === undefined && result.cacheScope === undefined
      ? pass([request, reply])
      : fail('no hints for caches', [request, reply], 'ttlMs or cacheScope'),
  ),

  rule('caching.same-scope-on-all-pages', function* (conversation) {
    for (const list of Object.values(lists))
      for (const { previous, reply, result } of pagesOf(conversation, list)) {
        const before = previous?.result.cacheScope;
        if (before === undefined || result.cacheScope === undefined) continue;
        yield before === result.cacheScope
          ? pass([previous!.reply, reply])
          : fail(`cacheScope ${shown(before)}`, [previous!.reply, reply], shown(result.cacheScope));
      }
  }),
];
