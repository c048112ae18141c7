/** Legal but unusual behaviours of clients: a finding about one of these is a false positive. */

import { isObject, type Json, type JsonObject } from '../../../spec/json-rpc.js';
import { revisions } from '../../../spec/revisions.js';
import { asking, notification, refusal } from '../../fault.js';
import { hasHandshake, paramsOf } from '../../server/faults/shared.js';
import { featuresOf } from '../../server/features.js';
import { codes } from '../../server/refusal.js';
import {
  type ClientDeviation,
  type ClientMiddleware,
  clientQuirk,
  onAsk,
  onBehaviour,
  onBytes,
  onNotification,
  onOpened,
  onReply,
  onResult,
  onStep,
} from '../fault.js';
import { askingNoMoreAfter } from '../faults/task-requests.js';
import { clientAuthorizationQuirks } from './authorization.js';
import { clientCredentialsQuirks, enterpriseQuirks } from './ext-client-credentials.js';
import { dpopQuirks } from './ext-dpop.js';
import { extTaskQuirks } from './ext-tasks.js';
import { httpQuirks } from './http.js';
import { refusalQuirks } from './refusals.js';
import { repetitionQuirks } from './repetitions.js';
import { statelessQuirks } from './stateless.js';
import { utilityQuirks } from './utilities.js';

/** An additional request of the client; its response is dropped. */
const isAside = (message: Json): boolean => isObject(message) && message.id === 'aside';
const hushed: ClientMiddleware = { incoming: message => (isAside(message) ? undefined : message) };

/** Other ids than those of the reference client, which are 1, 2, 3 … */
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

/** Adds metadata to each request of the client. */
const withMeta = (make: (n: number) => JsonObject): ClientMiddleware =>
  onAsk('*', (ask, context) => {
    if (ask.method === 'initialize') return ask;
    const { _meta: meta } = paramsOf(ask);
    const more = { ...(isObject(meta) && meta), ...make(context.count()) };
    return { ...ask, params: { ...paramsOf(ask), _meta: more } };
  });

/** The same JSON in another notation. */
const written = (text: string, write: (json: Json) => string): string =>
  write(JSON.parse(text) as Json) + (text.endsWith('\n') ? '\n' : '');

/** Quirks about extensions of authorization. */
export const clientExtensionQuirks: readonly ClientDeviation[] = [
  ...clientCredentialsQuirks,
  ...dpopQuirks,
  ...enterpriseQuirks,
];

export const clientQuirks: readonly ClientDeviation[] = [
  clientQuirk(
    'asks-newer-first',
    {
      what: 'The client sends server/discover before initialize, to detect a server of a newer era.',
      shows: [
        'base.method-of-own-side#probe',
        'lifecycle.client-version-latest#both-eras',
        'lifecycle.initialize-first#probe',
      ],
    },
    {
      message: m => (m.method === 'initialize' ? [asking('aside', 'server/discover', { _meta: {} }), m] : m),
    },
    hushed,
  ),

  clientQuirk(
    'ids-as-text',
    {
      what: "The ids of the client's requests are strings.",
      shows: ['jsonrpc.request-id-string-or-integer#empty-text'],
    },
    withIds(n => `request ${n} é`),
  ),

  clientQuirk(
    'ids-as-digits',
    {
      what: "The ids of the client's requests are strings of digits.",
      shows: ['jsonrpc.request-id-string-or-integer#digits'],
    },
    withIds(String),
  ),

  clientQuirk(
    'ids-negative',
    {
      what: "The ids of the client's requests are negative numbers.",
      shows: ['jsonrpc.request-id-string-or-integer#zero-and-negative'],
    },
    withIds(n => -n),
  ),

  clientQuirk(
    'ids-from-zero',
    {
      what: "The first id of the client's requests is 0.",
      shows: ['jsonrpc.request-id-string-or-integer#zero-and-negative'],
    },
    withIds(n => n - 1),
  ),

  clientQuirk(
    'ids-huge',
    {
      what: "The ids of the client's requests count down from the greatest safe integer.",
      shows: ['jsonrpc.request-id-string-or-integer#great'],
    },
    withIds(n => Number.MAX_SAFE_INTEGER - n),
  ),

  clientQuirk(
    'declares-unknown-features',
    {
      what: 'The client declares unknown capabilities in initialize.',
      shows: ['lifecycle.client-sends-initialize#unknown-features'],
    },
    onBehaviour(habits => {
      const unknown = { 'x-unknown': { deep: [null] }, experimental: { 'com.example/x': {} } };
      habits.capabilities = { ...habits.capabilities, ...unknown };
    }),
  ),

  clientQuirk(
    'declares-nothing',
    {
      what: 'The client declares no capabilities in initialize.',
      shows: [
        'lifecycle.client-sends-initialize#no-features',
        'roots.list-changed-notification#not-declared',
      ],
    },
    onBehaviour(habits => {
      habits.capabilities = {};
    }),
  ),

  clientQuirk(
    'introduces-itself-at-length',
    {
      what: 'The client sends optional and unknown members of clientInfo in initialize.',
      shows: [
        'base.schema-valid#later-member',
        'lifecycle.client-sends-initialize#more-members',
        'lifecycle.respect-version#later-members',
      ],
    },
    onBehaviour(habits => {
      habits.info = { ...habits.info, title: 'A client', 'x-unknown': [1] };
    }),
  ),

  clientQuirk(
    'asks-for-oldest',
    {
      what: 'The client requests its oldest protocol version in initialize.',
      where: hasHandshake,
      shows: ['lifecycle.client-version-latest#older-refused'],
    },
    onBehaviour(habits => {
      habits.asksFor = revisions[0]!.id;
    }),
  ),

  clientQuirk(
    'empty-params',
    {
      what: 'The client sends empty params in requests and notifications that need none.',
      shows: ['base.params-object#empty'],
    },
    onAsk('*', ask => ({ ...ask, params: paramsOf(ask) })),
    onNotification('*', note => ({ ...note, params: paramsOf(note) })),
  ),

  clientQuirk(
    'metadata-everywhere',
    { what: 'The client sends its own metadata in the _meta of each request.' },
    withMeta(n => ({ 'com.example/trace': `${n}`, plain: null })),
  ),

  clientQuirk(
    'progress-tokens-as-text',
    {
      what: 'The client sends a string as progressToken in each request.',
      shows: ['progress.token-of-active-request#any-token', 'progress.token-type#text'],
    },
    withMeta(n => ({ progressToken: `token ${n}` })),
  ),

  clientQuirk(
    'progress-tokens-from-zero',
    {
      what: 'The client sends a number from 0 upwards as progressToken in each request.',
      shows: ['progress.token-of-active-request#any-token', 'progress.token-type#zero'],
    },
    withMeta(n => ({ progressToken: n - 1 })),
  ),

  clientQuirk(
    'pings-at-once',
    { what: 'The client sends ping immediately after notifications/initialized.', where: hasHandshake },
    onOpened(async context => {
      await context.ask('ping');
    }),
  ),

  clientQuirk(
    'pings-while-initializing',
    {
      what: 'The client sends ping before the response to initialize arrives.',
      over: ['stdio'],
      shows: ['lifecycle.client-waits-for-initialize#ping'],
    },
    { message: m => (m.method === 'initialize' ? [m, asking('aside', 'ping')] : m) },
    hushed,
  ),

  clientQuirk(
    'lists-twice',
    {
      what: 'The client sends each list request twice.',
      shows: ['tools.name-unique#another-run', 'pagination.missing-next-cursor-is-end#new-listing'],
    },
    onStep(step => (step[0] === 'list' ? [step, step] : step)),
  ),

  clientQuirk(
    'lists-everything-first',
    { what: 'The client lists templates, prompts and resources immediately after the connection is open.' },
    onStep(step =>
      step[0] === 'connect'
        ? [step, ['list', 'templates'], ['list', 'prompts'], ['list', 'resources']]
        : step,
    ),
  ),

  clientQuirk(
    'cancels-too-late',
    {
      what: 'The client sends notifications/cancelled for tools/call at the moment the response arrives.',
      shows: [
        'cancellation.no-response#before',
        'cancellation.own-in-flight-request#crossed',
        'cancellation.still-in-flight#crossed',
      ],
    },
    onResult('tools/call', async (result, { id }, context) => {
      // a task is still running
      if (result.task === undefined)
        await context.send(notification('notifications/cancelled', { requestId: id! })).catch(() => {});
      return result;
    }),
  ),

  clientQuirk(
    'writes-ascii',
    {
      what: 'The client escapes all characters outside ASCII in its messages.',
      shows: ['base.jsonrpc-2-0#escapes', 'transport.utf8#escapes'],
    },
    onBytes(text =>
      text.replace(/[\u0080-\uffff]/g, c => `\\u${c.charCodeAt(0).toString(16).padStart(4, '0')}`),
    ),
  ),

  clientQuirk(
    'writes-spaces',
    { what: 'The client writes spaces between all tokens of its JSON.' },
    onBytes(text => written(text, json => ` ${JSON.stringify(json, null, 1).replace(/\n\s*/g, ' ')} `)),
  ),

  clientQuirk(
    'writes-version-last',
    {
      what: 'The jsonrpc member comes last in the messages of the client.',
      shows: ['base.jsonrpc-2-0#version-last'],
    },
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
    {
      what: 'The client sends tools/list and prompts/list in batches of one request.',
      where: ({ batches }) => batches,
      shows: ['batch.receive#array-of-one'],
    },
    onBytes(text => (/"method":"(tools|prompts)\/list"/.test(text) ? `[${text.trimEnd()}]\n` : text)),
  ),

  clientQuirk(
    'wrong-entry-is-an-error',
    {
      what: 'The client responds to elicitation/create with an error when the entered data does not match the form.',
      where: revision => featuresOf(revision).elicitation,
      shows: ['elicitation.content-validated-by-client#error'],
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
        ? refusal(ask, codes.invalidParams, 'The entered data does not match the form.')
        : reply;
    }),
  ),

  clientQuirk(
    'user-rejects-all-sampling',
    {
      what: 'The client responds to each sampling/createMessage with error -1: its user rejects all.',
      shows: [
        'sampling.client-refuses-undeclared-tools#rejects-all',
        'sampling.rejection-error#all-rejected',
      ],
    },
    onReply('sampling/createMessage', (reply, ask) =>
      'result' in reply && paramsOf(ask).task === undefined
        ? refusal(ask, -1, 'The user rejected the request.')
        : reply,
    ),
  ),

  clientQuirk(
    'task-ends-with-error-of-result',
    {
      what: 'The client takes an error response to tasks/result as the end of its task, and polls it no more.',
      where: revision => featuresOf(revision).tasks,
      shows: ['tasks.poll-beside-result#error-is-the-end'],
    },
    ...askingNoMoreAfter(message => isObject(message.error)),
  ),

  clientQuirk(
    'client-has-own-timeouts',
    {
      what: 'The client gives up resources/read after 0.9 s and prompts/get after 1.1 s, whatever timeout the user asks for.',
      shows: ['timeouts.established#own-timeouts'],
    },
    onStep(step => {
      if (step[0] === 'read' && step[2]?.timeoutMs) return [step[0], step[1], { timeoutMs: 900 }];
      if (step[0] === 'get' && step[3]?.timeoutMs)
        return [step[0], step[1], step[2] ?? {}, { timeoutMs: 1_100 }];
      return step;
    }),
  ),

  ...httpQuirks,
  ...statelessQuirks,
  ...repetitionQuirks,
  ...utilityQuirks,
  ...refusalQuirks,
  ...extTaskQuirks,
  ...clientAuthorizationQuirks,
  ...clientExtensionQuirks,
];
