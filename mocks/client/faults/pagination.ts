/** server/utilities/pagination: cursors that clients change before they send them back. */

import type { Json, JsonObject } from '../../../spec/json-rpc.js';
import { showing } from '../../fault.js';
import { clientFault, onAsk, onBehaviour, onResult } from '../fault.js';

const altered = (id: string, what: string, alter: (cursor: string) => Json) =>
  clientFault(
    id,
    { what, breaks: ['pagination.cursor-opaque'] },
    onBehaviour(habits => {
      habits.nextPage = cursor => ({ cursor: alter(String(cursor)) });
    }),
  );

export const paginationFaults = [
  showing(
    ['pagination.cursor-opaque#trimmed'],
    altered(
      'client-cursor-trimmed',
      'The client removes white space at both ends of a cursor before the next list request.',
      cursor => cursor.trim(),
    ),
  ),
  showing(
    ['pagination.cursor-opaque#decoded'],
    altered(
      'client-cursor-decoded',
      'The client decodes percent escapes in a cursor before the next list request.',
      decodeURIComponent,
    ),
  ),
  showing(
    ['pagination.cursor-opaque#shortened'],
    altered(
      'client-cursor-shortened',
      'The client shortens a cursor to 1,000 characters before the next list request.',
      cursor => cursor.slice(0, 1_000),
    ),
  ),
  showing(
    ['pagination.cursor-opaque#characters-replaced'],
    altered(
      'client-cursor-ascii',
      'The client replaces characters outside ASCII in a cursor before the next list request.',
      cursor => cursor.replace(/[^\0-\x7f]/g, '?'),
    ),
  ),

  clientFault(
    'client-stops-at-empty-page',
    {
      what: 'The client requests no further page after tools/list returns an empty page.',
      breaks: ['pagination.no-fixed-page-size'],
      shows: ['pagination.no-fixed-page-size#stops-at-empty-page'],
    },
    onResult('tools/list', result => {
      const { nextCursor: _, ...rest } = result;
      return Array.isArray(result.tools) && result.tools.length === 0 ? rest : result;
    }),
  ),

  clientFault(
    'client-first-page-only',
    {
      what: 'The client never requests the second page of a list.',
      breaks: ['pagination.client-supports-both-flows', 'prompts.client-paginates'],
      shows: [
        'pagination.client-supports-both-flows#first-page-only',
        'prompts.client-paginates#first-page-only',
      ],
    },
    onBehaviour(habits => {
      habits.mostPages = 1;
    }),
  ),

  clientFault(
    'client-first-page-twice',
    {
      what: 'The client sends each list request twice, and never requests the second page of a list.',
      breaks: ['pagination.client-supports-both-flows', 'prompts.client-paginates'],
      shows: ['pagination.client-supports-both-flows#first-page-only'],
    },
    onBehaviour(habits => {
      habits.mostPages = 1;
    }),
    onResult(['tools/list', 'prompts/list', 'resources/list'], async (result, ask, context) => {
      if (context.count() % 2 === 1) await context.ask(String(ask.method), {}).catch(() => {});
      return result;
    }),
  ),

  clientFault(
    'client-first-page-of-templates-only',
    {
      what: 'The client never requests the second page of resources/templates/list.',
      breaks: ['pagination.client-supports-both-flows'],
      shows: ['pagination.client-supports-both-flows#templates'],
    },
    onResult('resources/templates/list', ({ nextCursor: _, ...rest }) => rest),
  ),

  clientFault(
    'client-past-the-end',
    {
      what: 'The client sends tools/list with the last cursor again after the last page.',
      breaks: ['pagination.missing-next-cursor-is-end'],
      shows: ['pagination.missing-next-cursor-is-end#old-cursor'],
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
      what: 'The client sends tools/list in a new session with a cursor of the previous session.',
      breaks: ['pagination.cursor-not-persisted'],
      shows: ['pagination.cursor-not-persisted#first-request'],
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
