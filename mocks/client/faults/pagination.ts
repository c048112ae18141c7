/** server/utilities/pagination: cursors that are not given back as they were. */

import type { Json, JsonObject } from '../../../spec/json-rpc.js';
import { clientFault, onAsk, onHabits, onResult } from '../fault.js';

const altered = (id: string, what: string, alter: (cursor: string) => Json) =>
  clientFault(
    id,
    { what, breaks: ['pagination.cursor-opaque'] },
    onHabits(habits => {
      habits.nextPage = cursor => ({ cursor: alter(String(cursor)) });
    }),
  );

export const paginationFaults = [
  altered('client-cursor-trimmed', 'The client trims cursors.', cursor => cursor.trim()),
  altered(
    'client-cursor-decoded',
    'The client decodes cursors as if they stood in a URL.',
    decodeURIComponent,
  ),
  altered('client-cursor-shortened', 'The client cuts long cursors.', cursor => cursor.slice(0, 1_000)),
  altered('client-cursor-ascii', 'The client loses characters outside ASCII.', cursor =>
    cursor.replace(/[^\0-\x7f]/g, '?'),
  ),

  clientFault(
    'client-stops-at-empty-page',
    { what: 'The client takes an empty page for the end.', breaks: ['pagination.no-fixed-page-size'] },
    onResult('tools/list', result => {
      const { nextCursor: _, ...rest } = result;
      return Array.isArray(result.tools) && result.tools.length === 0 ? rest : result;
    }),
  ),

  clientFault(
    'client-first-page-only',
    {
      what: 'The client never asks for a second page.',
      breaks: [
        'pagination.no-fixed-page-size',
        'pagination.client-supports-both-flows',
        'prompts.client-paginates',
      ],
    },
    onHabits(habits => {
      habits.mostPages = 1;
    }),
  ),

  clientFault(
    'client-past-the-end',
    {
      what: 'The client asks with the last cursor again when there are no more pages.',
      breaks: ['pagination.missing-next-cursor-is-end'],
    },
    onResult('tools/list', async (result, ask, context) => {
      const { cursor } = (ask.params ?? {}) as JsonObject;
      if (result.nextCursor === undefined && cursor !== undefined && context.count() === 1)
        await context.ask('tools/list', { cursor }).catch(() => {});
      return result;
    }),
  ),

  clientFault(
    'client-keeps-cursors',
    {
      what: 'The client begins a list in a new conversation where it was in the one before.',
      breaks: ['pagination.cursor-not-persisted'],
    },
    onAsk('tools/list', (ask, context) => {
      const kept = context.keep(() => ({ session: context.session, cursor: undefined as Json | undefined }));
      const { cursor } = (ask.params ?? {}) as JsonObject;
      if (kept.session === context.session) kept.cursor = cursor ?? kept.cursor;
      else if (kept.cursor !== undefined && cursor === undefined) {
        const params = { cursor: kept.cursor };
        kept.cursor = undefined;
        return { ...ask, params };
      }
      return ask;
    }),
  ),
];
