/** Legal oddities of clients: whoever flags one of these is wrong. */

import { isObject, type Json, type JsonObject } from '../../../spec/json-rpc.js';
import { revisions } from '../../../spec/revisions.js';
import { asking, notification, refusal } from '../../fault.js';
import { paramsOf } from '../../server/faults/shared.js';
import { featuresOf } from '../../server/features.js';
import { codes } from '../../server/refusal.js';
import {
  type ClientDeviation,
  type ClientMiddleware,
  clientQuirk,
  onAsk,
  onBytes,
  onHabits,
  onHttp,
  onHttpHead,
  onNotification,
  onOpened,
  onReply,
  onResult,
  onStep,
} from '../fault.js';
import { clientAuthorizationQuirks } from './authorization.js';

/** It asks for something more, and what is answered to that it keeps to itself. */
const isAside = (message: Json): boolean => isObject(message) && message.id === 'aside';
const hushed: ClientMiddleware = { incoming: message => (isAside(message) ? undefined : message) };

/** Its ids are others than those of the reference, which are 1, 2, 3 … */
function withIds(idOf: (n: number) => string | number): ClientMiddleware {
  const rename = (id: Json | undefined): Json | undefined => (typeof id === 'number' ? idOf(id) : id);
  return {
    message: (message, context) => {
      const names = context.keep(() => new Map<Json, number>());
      if (message.method === 'notifications/cancelled')
        return {
          ...message,
          params: { ...paramsOf(message), requestId: rename(paramsOf(message).requestId)! },
        };
      if (message.method === undefined || typeof message.id !== 'number') return message;
      names.set(idOf(message.id), message.id);
      return { ...message, id: idOf(message.id) };
    },
    incoming: (message, context) => {
      const names = context.keep(() => new Map<Json, number>());
      if (!isObject(message) || message.method !== undefined) return message;
      const own = names.get(message.id ?? null);
      return own === undefined ? message : { ...message, id: own };
    },
  };
}

/** Metadata in each of its requests. */
const withMeta = (make: (n: number) => JsonObject): ClientMiddleware =>
  onAsk('*', (ask, context) => {
    if (ask.method === 'initialize') return ask;
    const { _meta: meta } = paramsOf(ask);
    const more = { ...(isObject(meta) && meta), ...make(context.count()) };
    return { ...ask, params: { ...paramsOf(ask), _meta: more } };
  });

const streamable = ['streamable-http'] as const;

/** The same JSON in other words. */
const written = (text: string, write: (json: Json) => string): string =>
  write(JSON.parse(text) as Json) + (text.endsWith('\n') ? '\n' : '');

export const clientQuirks: readonly ClientDeviation[] = [
  clientQuirk(
    'asks-newer-first',
    { what: 'Before it initializes the client asks whether the server is of a newer era.' },
    {
      message: m => (m.method === 'initialize' ? [asking('aside', 'server/discover', { _meta: {} }), m] : m),
    },
    hushed,
  ),

  clientQuirk(
    'ids-as-text',
    { what: 'The ids of the client are texts.' },
    withIds(n => `request ${n} é`),
  ),

  clientQuirk('ids-as-digits', { what: 'The ids of the client are numbers as text.' }, withIds(String)),

  clientQuirk(
    'ids-negative',
    { what: 'The ids of the client are negative.' },
    withIds(n => -n),
  ),

  clientQuirk(
    'ids-from-zero',
    { what: 'The first id of the client is 0.' },
    withIds(n => n - 1),
  ),

  clientQuirk(
    'ids-huge',
    { what: 'The ids of the client go down from the greatest there is.' },
    withIds(n => Number.MAX_SAFE_INTEGER - n),
  ),

  clientQuirk(
    'declares-unknown-features',
    { what: 'The client declares what nobody knows.' },
    onHabits(habits => {
      const unknown = { 'x-unknown': { deep: [null] }, experimental: { 'com.example/x': {} } };
      habits.capabilities = { ...habits.capabilities, ...unknown };
    }),
  ),

  clientQuirk(
    'declares-nothing',
    { what: 'The client declares nothing.' },
    onHabits(habits => {
      habits.capabilities = {};
    }),
  ),

  clientQuirk(
    'introduces-itself-at-length',
    { what: 'The client says more about itself than it has to.' },
    onHabits(habits => {
      habits.info = { ...habits.info, title: 'A client', 'x-unknown': [1] };
    }),
  ),

  clientQuirk(
    'asks-for-oldest',
    { what: 'The client asks for the oldest version it has.' },
    onHabits(habits => {
      habits.asksFor = revisions[0]!.id;
    }),
  ),

  clientQuirk(
    'empty-params',
    { what: 'The client gives params also where it has none to give.' },
    onAsk('*', ask => ({ ...ask, params: paramsOf(ask) })),
    onNotification('*', note => ({ ...note, params: paramsOf(note) })),
  ),

  clientQuirk(
    'metadata-everywhere',
    { what: 'The client puts metadata of its own into each request.' },
    withMeta(n => ({ 'com.example/trace': `${n}`, plain: null })),
  ),

  clientQuirk(
    'progress-tokens-as-text',
    { what: 'The client asks for progress with each request, under tokens that are texts.' },
    withMeta(n => ({ progressToken: `token ${n}` })),
  ),

  clientQuirk(
    'progress-tokens-from-zero',
    { what: 'The client asks for progress with each request, under numbers from 0.' },
    withMeta(n => ({ progressToken: n - 1 })),
  ),

  clientQuirk(
    'pings-at-once',
    { what: 'The client pings as soon as it is ready.' },
    onOpened(async context => {
      await context.ask('ping');
    }),
  ),

  clientQuirk(
    'pings-while-initializing',
    { what: 'The client pings while initialize is being answered.', over: ['stdio'] },
    { message: m => (m.method === 'initialize' ? [m, asking('aside', 'ping')] : m) },
    hushed,
  ),

  clientQuirk(
    'lists-twice',
    { what: 'The client lists everything twice.' },
    onStep(step => (step[0] === 'list' ? [step, step] : step)),
  ),

  clientQuirk(
    'lists-everything-first',
    { what: 'The client lists all there is as soon as it is connected, the least usual first.' },
    onStep(step =>
      step[0] === 'connect'
        ? [step, ['list', 'templates'], ['list', 'prompts'], ['list', 'resources']]
        : step,
    ),
  ),

  clientQuirk(
    'cancels-too-late',
    { what: 'The client cancels calls just when they are answered.' },
    onResult('tools/call', async (result, { id }, context) => {
      // a task is not over
      if (result.task === undefined)
        await context.send(notification('notifications/cancelled', { requestId: id! })).catch(() => {});
      return result;
    }),
  ),

  clientQuirk(
    'writes-ascii',
    { what: 'The client escapes whatever is not ASCII.' },
    onBytes(text =>
      text.replace(/[\u0080-\uffff]/g, c => `\\u${c.charCodeAt(0).toString(16).padStart(4, '0')}`),
    ),
  ),

  clientQuirk(
    'writes-spaces',
    { what: 'The client leaves space between the parts of its JSON.' },
    onBytes(text => written(text, json => ` ${JSON.stringify(json, null, 1).replace(/\n\s*/g, ' ')} `)),
  ),

  clientQuirk(
    'writes-version-last',
    { what: 'In its messages the version of JSON-RPC comes last.' },
    onBytes(text =>
      written(text, json => {
        if (!isObject(json)) return JSON.stringify(json);
        const { jsonrpc, ...rest } = json;
        return JSON.stringify({ ...rest, jsonrpc });
      }),
    ),
  ),

  clientQuirk(
    'batches-of-one',
    { what: 'The client puts single requests into batches.', where: ({ batches }) => batches },
    onBytes(text => (/"method":"(tools|prompts)\/list"/.test(text) ? `[${text.trimEnd()}]\n` : text)),
  ),

  clientQuirk(
    'accepts-more',
    { what: 'The client says how much it likes each media type, and that it takes any.', over: streamable },
    onHttp(ask => ({
      ...ask,
      headers: {
        ...ask.headers,
        ...(ask.method === 'POST' && { accept: 'Text/Event-Stream;q=0.9,application/json , */*;q=0.1' }),
        ...(ask.method === 'GET' && { accept: 'application/json;q=0, text/event-stream; q=1.0' }),
      },
    })),
  ),

  clientQuirk(
    'names-character-set',
    { what: 'The client names the character set of what it POSTs.', over: streamable },
    onHttp(ask =>
      ask.body === undefined
        ? ask
        : { ...ask, headers: { ...ask.headers, 'content-type': 'application/json; charset=utf-8' } },
    ),
  ),

  clientQuirk(
    'headers-in-capitals',
    { what: 'The client writes the names of headers in capital letters.', over: streamable },
    onHttp(ask => ({
      ...ask,
      headers: Object.fromEntries(Object.entries(ask.headers).map(([n, v]) => [n.toUpperCase(), v])),
    })),
  ),

  clientQuirk(
    'wrong-entry-is-an-error',
    {
      what: 'What a user enters wrongly into a form is refused to the server, in place of a decision.',
      where: revision => featuresOf(revision).elicitation,
    },
    onStep((step, context) => {
      if (step[0] === 'answer' && step[1] === 'elicitation/create')
        context.keep(() => ({ manner: 'accept' })).manner = step[2];
      return step;
    }),
    onReply('elicitation/create', (reply, ask, context) => {
      const gaveUp = isObject(reply.result) && reply.result.action === 'cancel';
      const { manner } = context.keep(() => ({ manner: 'accept' }));
      return gaveUp && manner === 'accept'
        ? refusal(ask, codes.invalidParams, 'This does not fit the form.')
        : reply;
    }),
  ),

  clientQuirk(
    'opens-no-stream',
    { what: 'The client does not ask for the stream that belongs to no request.', over: streamable },
    onHttp(ask => (ask.method === 'GET' && ask.headers['last-event-id'] === undefined ? undefined : ask)),
  ),

  clientQuirk(
    'opens-stream-early',
    { what: 'The client asks for a stream before it says that it is ready.', over: streamable },
    onNotification('notifications/initialized', (note, context) => {
      context.session.carrier.ready();
      return note;
    }),
  ),

  clientQuirk(
    'resumes-nothing',
    { what: 'The client does not go on with streams that broke.', over: streamable, where: r => !r.polling },
    onHttp(ask => (ask.headers['last-event-id'] === undefined ? ask : undefined)),
  ),

  clientQuirk(
    'client-without-authorization',
    { what: 'The client does nothing about it when it is refused for want of a token.' },
    onHabits(({ authorization }) => {
      authorization.reacts = false;
    }),
  ),

  clientQuirk(
    'refusal-is-taken-for-age',
    {
      what: 'The client knows no authorization; a refusal makes it look for the older transport at a place of its own.',
    },
    onHabits(({ authorization }) => {
      authorization.reacts = false;
    }),
    onHttpHead((head, ask) => {
      if (head.status === 401) void fetch(new URL('/sse', ask.url)).catch(() => {});
      return head;
    }),
  ),

  ...clientAuthorizationQuirks,
];
