/** server/utilities/pagination. */

import { isObject, type Json, type JsonObject, without } from '../../../spec/json-rpc.js';
import { fault, onReply, onRequest, onResult, refusal, result } from '../../fault.js';
import { codes } from '../refusal.js';
import { lists, paramsOf } from './shared.js';

const cursorIn = (ask: JsonObject): Json | undefined => paramsOf(ask).cursor;

export const paginationFaults = [
  fault(
    'cursor-loops',
    {
      what: 'The last page of resources/templates/list has the cursor of the second page.',
      breaks: ['pagination.resume-after-cursor'],
      shows: ['pagination.resume-after-cursor#first-page-again'],
    },
    onResult('resources/templates/list', (body, _ask, context) => {
      const kept = context.keep(() => ({ first: body.nextCursor ?? '' }));
      return { ...body, nextCursor: body.nextCursor ?? kept.first };
    }),
  ),

  fault(
    'cursor-empty',
    {
      what: 'The last page of resources/templates/list has an empty cursor, which returns the first page.',
      breaks: ['pagination.resume-after-cursor'],
      shows: ['pagination.resume-after-cursor#first-page-again'],
    },
    onRequest('resources/templates/list', ask =>
      cursorIn(ask) === '' ? { ...ask, params: without(paramsOf(ask), 'cursor') } : ask,
    ),
    onResult('resources/templates/list', body => ({ ...body, nextCursor: body.nextCursor ?? '' })),
  ),

  fault(
    'cursor-empty-and-refused',
    {
      what: 'The last page of resources/templates/list has an empty cursor, which is unknown.',
      breaks: ['pagination.resume-after-cursor'],
      shows: ['pagination.resume-after-cursor#own-cursor-refused'],
    },
    onResult('resources/templates/list', body => ({ nextCursor: '', ...body })),
  ),

  fault(
    'pages-overlap',
    {
      what: 'Each page of resources/templates/list repeats the first item.',
      breaks: ['pagination.resume-after-cursor'],
      shows: ['pagination.resume-after-cursor#page-with-items-of-an-earlier-one'],
    },
    onResult('resources/templates/list', (body, ask, context) => {
      const items = body.resourceTemplates as Json[];
      if (cursorIn(ask) === undefined) return body;
      return { ...body, resourceTemplates: [context.world.templates[0]!.definition, ...items] };
    }),
  ),

  fault(
    'cursor-unchecked',
    {
      what: 'A list request with an unknown cursor returns the first page.',
      breaks: ['pagination.invalid-cursor-error'],
      shows: ['pagination.invalid-cursor-error#first-page'],
    },
    onReply(lists, (reply, ask, context) => {
      const first = context.keep(() => new Map<Json | undefined, Json>());
      const failed = isObject(reply.error) && cursorIn(ask) !== undefined;
      if ('result' in reply && cursorIn(ask) === undefined) first.set(ask.method, reply.result!);
      const key = { 'resources/templates/list': 'resourceTemplates', 'resources/list': 'resources' };
      const empty = { [key[ask.method as keyof typeof key] ?? String(ask.method).split('/')[0]!]: [] };
      return failed ? result(ask, first.get(ask.method) ?? empty) : reply;
    }),
  ),

  fault(
    'cursor-works-once',
    {
      what: 'A second list request with the same cursor returns an error.',
      breaks: ['pagination.stable-cursors'],
      shows: ['pagination.stable-cursors#works-once'],
    },
    onReply(lists, (reply, ask, context) => {
      const used = context.keep(() => new Set<Json>());
      const cursor = cursorIn(ask);
      if (cursor !== undefined && 'result' in reply) {
        if (used.has(cursor)) return refusal(ask, codes.invalidParams, 'The cursor has expired');
        used.add(cursor);
      }
      // a new list returns the same cursors, and they are valid again
      if (isObject(reply.result) && reply.result.nextCursor !== undefined)
        used.delete(reply.result.nextCursor);
      return reply;
    }),
  ),

  fault(
    'cursor-crashes',
    {
      what: 'The process exits when a list request has an unknown cursor.',
      breaks: ['pagination.invalid-cursor-graceful', 'jsonrpc.request-answered-once'],
      shows: ['jsonrpc.request-answered-once#crash', 'pagination.invalid-cursor-graceful#exits'],
    },
    onReply(lists, (reply, ask, context) =>
      cursorIn(ask) !== undefined && 'error' in reply ? (context.exit(1) as undefined) : reply,
    ),
  ),
];
