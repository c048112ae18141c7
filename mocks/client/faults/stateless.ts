/** Faults of clients without a handshake: metadata, versions, subscriptions, cancellation, results and caches. */

import { envelopeKeys, metaOf } from '../../../harness/record/envelope.js';
import { isObject, type Json, type JsonObject } from '../../../spec/json-rpc.js';
import type { RequirementId } from '../../../spec/requirement.js';
import { revisions } from '../../../spec/revisions.js';
import { showing } from '../../fault.js';
import { isStateless, paramsOf } from '../../server/faults/shared.js';
import type { ClientBehaviour } from '../behaviour.js';
import { type ClientMiddleware, clientFault, onAsk, onBehaviour, onIncoming, onResult } from '../fault.js';

type CacheKey = ClientBehaviour['cacheKey'];
type Rows = readonly [RequirementId, ...RequirementId[]];

const modern = (id: string, what: string, breaks: Rows, ...middleware: ClientMiddleware[]) =>
  clientFault(id, { what, breaks, where: isStateless }, ...middleware);

/** The metadata of requests differs. */
const withMeta = (methods: string | readonly string[], change: (meta: JsonObject) => JsonObject) =>
  onAsk(methods, ask => {
    const params = paramsOf(ask);
    return { ...ask, params: { ...params, _meta: change(metaOf({ params })) } };
  });

const leave = (name: string) => (meta: JsonObject) => {
  const { [name]: _, ...rest } = meta;
  return rest;
};

/** Both eras, so that a fallback is possible. */
const bothEras = onBehaviour(habits => {
  habits.versions = [...revisions.map(({ id }) => id), ...habits.versions];
});

const required: Rows = ['meta.request-required-fields', 'base.schema-valid'];

/** Results that are kept, and used again for requests with the same key. */
const keeping = (keyOf: CacheKey) =>
  onBehaviour(habits => {
    habits.cacheKey = keyOf;
  });

const whole = (method: string, params: JsonObject | undefined): string =>
  `${method} ${JSON.stringify(params ?? {})}`;

const isEmpty = (list: Json | undefined): boolean => Array.isArray(list) && list.length === 0;

const isFresh = ({ ttlMs }: JsonObject): boolean => Number(ttlMs) > 0;

/** Whether a result stays fresh beyond the end of a case. */
const isLong = ({ ttlMs }: JsonObject): boolean => Number(ttlMs) >= 60_000;

export const statelessFaults = [
  showing(
    ['base.schema-valid#envelope-malformed', 'meta.request-required-fields#no-version'],
    modern(
      'client-version-missing-in-calls',
      'The client sends tools/call without a protocol version in _meta.',
      required,
      withMeta('tools/call', leave(envelopeKeys.protocolVersion)),
    ),
  ),
  showing(
    [
      'base.schema-valid#envelope-malformed',
      'prompts.request-meta-note#no-capabilities',
      'meta.request-required-fields#no-capabilities',
    ],
    modern(
      'client-capabilities-missing',
      'The client sends prompts/list without its capabilities in _meta.',
      [...required, 'prompts.request-meta-note'],
      withMeta('prompts/list', leave(envelopeKeys.clientCapabilities)),
    ),
  ),
  showing(
    ['base.schema-valid#envelope-malformed', 'meta.request-required-fields#version-no-text'],
    modern(
      'client-version-in-numbers',
      'The client sends tools/list with a protocol version that is a number.',
      required,
      withMeta('tools/list', meta => ({ ...meta, [envelopeKeys.protocolVersion]: 20_260_728 })),
    ),
  ),
  showing(
    ['base.schema-valid#envelope-malformed', 'meta.request-required-fields#capabilities-no-object'],
    modern(
      'client-capabilities-switched-on',
      'The client sends tools/call with true as its capabilities.',
      required,
      withMeta('tools/call', meta => ({ ...meta, [envelopeKeys.clientCapabilities]: true })),
    ),
  ),
  showing(
    ['base.schema-valid#member-missing'],
    modern(
      'client-info-without-version',
      'The client sends tools/call without its version.',
      ['base.schema-valid'],
      withMeta('tools/call', meta => ({ ...meta, [envelopeKeys.clientInfo]: { name: 'a client' } })),
    ),
  ),
  showing(
    ['base.schema-valid#member-retyped'],
    modern(
      'client-info-as-text',
      'The client sends tools/call with a text as its description.',
      ['base.schema-valid'],
      withMeta('tools/call', meta => ({ ...meta, [envelopeKeys.clientInfo]: 'a client' })),
    ),
  ),
  showing(
    ['base.schema-valid#envelope-malformed', 'meta.request-required-fields#capabilities-no-object'],
    modern(
      'client-capabilities-in-a-list',
      'The client sends the names of its capabilities in a list.',
      required,
      withMeta('resources/read', meta => ({
        ...meta,
        [envelopeKeys.clientCapabilities]: Object.keys(meta[envelopeKeys.clientCapabilities] as JsonObject),
      })),
    ),
  ),
  showing(
    [
      'base.schema-valid#envelope-malformed',
      'prompts.request-meta-note#no-metadata',
      'meta.request-required-fields#no-metadata',
    ],
    modern(
      'client-prompts-without-metadata',
      'The client sends prompts/get without metadata.',
      [...required, 'prompts.request-meta-note'],
      onAsk('prompts/get', ask => {
        const { _meta: _, ...params } = paramsOf(ask);
        return { ...ask, params };
      }),
    ),
  ),
  showing(
    ['meta.client-info-included#none'],
    modern(
      'client-without-info',
      'The client sends no clientInfo.',
      ['meta.client-info-included'],
      withMeta('*', leave(envelopeKeys.clientInfo)),
    ),
  ),
  showing(
    ['meta.client-info-included#some'],
    modern(
      'client-listen-without-info',
      'The client sends clientInfo in all requests except subscriptions/listen.',
      ['meta.client-info-included'],
      withMeta('subscriptions/listen', leave(envelopeKeys.clientInfo)),
    ),
  ),

  showing(
    [
      'streamable-http.client-no-responses#result',
      'transport.message-directions#client-response',
      'stdio.client-no-responses#result',
    ],
    modern(
      'client-responds-to-requests',
      'The client responds to ping of the server.',
      ['transport.message-directions', 'stdio.client-no-responses', 'streamable-http.client-no-responses'],
      onIncoming((message, context) => {
        if (isObject(message) && message.method === 'ping')
          void context.send({ jsonrpc: '2.0', id: message.id!, result: {} });
        return message;
      }),
    ),
  ),
  showing(
    [
      'streamable-http.client-no-responses#error',
      'transport.message-directions#client-response',
      'stdio.client-no-responses#error',
    ],
    modern(
      'client-refuses-requests',
      'The client responds with error -32601 to requests of the server.',
      ['transport.message-directions', 'stdio.client-no-responses', 'streamable-http.client-no-responses'],
      onIncoming((message, context) => {
        if (isObject(message) && message.method !== undefined && message.id !== undefined)
          void context.send({
            jsonrpc: '2.0',
            id: message.id!,
            error: { code: -32601, message: 'Method not found' },
          });
        return message;
      }),
    ),
  ),

  showing(
    [
      'cancellation.client-notifies#abandoned',
      'cancellation.stdio-notification#abandoned',
      'subscriptions.client-cancels#abandoned',
      'timeouts.cancel-on-expiry#silent',
    ],
    modern(
      'client-abandons-requests',
      'The client stops waiting for a request without cancelling it.',
      [
        'cancellation.client-notifies',
        'cancellation.stdio-notification',
        'timeouts.cancel-on-expiry',
        'subscriptions.client-cancels',
      ],
      onBehaviour(habits => {
        habits.abandons = true;
      }),
    ),
  ),
  clientFault(
    'client-dies-of-comments',
    {
      what: 'The client disconnects when a response stream contains a comment.',
      breaks: ['streamable-http.sse-comments-ignored', 'streamable-http.client-accepts-both'],
      shows: [
        'streamable-http.client-accepts-both#comments',
        'streamable-http.sse-comments-ignored#disconnects',
      ],
      where: isStateless,
      over: ['streamable-http'],
    },
    {
      block: (block, context) => {
        if (block.comments !== undefined) context.exit(1);
        return block;
      },
    },
  ),

  showing(
    ['result.type-unknown-invalid#used'],
    modern(
      'client-takes-unknown-results',
      'The client uses results with an unknown resultType.',
      ['result.type-unknown-invalid'],
      // the mock knows tasks: it handles them before this
      onIncoming(message =>
        completed(message, type => !['complete', 'input_required', 'task'].includes(String(type))),
      ),
    ),
  ),
  showing(
    ['caching.ttl-absent-is-zero#refused'],
    modern(
      'client-insists-on-ttl',
      'The client discards lists without ttlMs.',
      ['caching.ttl-absent-is-zero'],
      onIncoming(message => {
        const result = isObject(message) ? message.result : undefined;
        return isObject(message) && isObject(result) && 'tools' in result && result.ttlMs === undefined
          ? { ...message, result: { ...result, resultType: 'invalid' } }
          : message;
      }),
    ),
  ),
  showing(
    ['result.type-absent-complete#discarded'],
    modern(
      'client-insists-on-result-type',
      'The client discards results without resultType.',
      ['result.type-absent-complete'],
      onIncoming(message => {
        const result = isObject(message) ? message.result : undefined;
        return isObject(message) && isObject(result) && result.resultType === undefined
          ? { ...message, result: { ...result, resultType: 'invalid' } }
          : message;
      }),
    ),
  ),

  showing(
    ['pagination.empty-cursor-is-valid#end'],
    modern(
      'client-empty-cursor-is-the-end',
      'The client treats an empty cursor as the end of a list.',
      ['pagination.empty-cursor-is-valid'],
      onResult('*', result => (result.nextCursor === '' ? withoutCursor(result) : result)),
    ),
  ),
  showing(
    ['pagination.cursor-value-not-interpreted#zero'],
    modern(
      'client-zero-cursor-is-the-end',
      'The client treats the cursor "0" as the end of a list.',
      ['pagination.cursor-value-not-interpreted'],
      onResult('*', result => (result.nextCursor === '0' ? withoutCursor(result) : result)),
    ),
  ),
  showing(
    ['pagination.cursor-value-not-interpreted#word'],
    modern(
      'client-null-cursor-is-the-end',
      'The client treats the cursor "null" as the end of a list.',
      ['pagination.cursor-value-not-interpreted'],
      onResult('*', result => (result.nextCursor === 'null' ? withoutCursor(result) : result)),
    ),
  ),

  showing(
    ['stdio.modern-only-probe#other-first'],
    modern(
      'client-asks-for-no-versions',
      'The client begins with a list instead of server/discover.',
      ['stdio.modern-only-probe'],
      onBehaviour(habits => {
        habits.discovers = false;
        habits.respectsCapabilities = false;
      }),
    ),
  ),
  showing(
    ['versioning.client-picks-supported#same-version-again'],
    modern(
      'client-repeats-unsupported-version',
      'The client repeats a request again and again whose version is not supported.',
      ['versioning.client-picks-supported'],
      onBehaviour(habits => {
        habits.stubborn = 6;
      }),
    ),
  ),
  showing(
    ['streamable-http.dual-era-inspects-400#always', 'stdio.modern-error-no-fallback#initialize'],
    modern(
      'client-falls-back-always',
      'The client falls back to initialize after any error.',
      ['stdio.modern-error-no-fallback', 'streamable-http.dual-era-inspects-400'],
      bothEras,
      onBehaviour(habits => {
        habits.isLegacy = () => true;
      }),
    ),
  ),
  showing(
    ['stdio.fallback-any-error#by-code'],
    modern(
      'client-falls-back-by-code',
      'The client falls back to initialize after error -32601 only.',
      ['stdio.fallback-any-error'],
      bothEras,
      onBehaviour(habits => {
        habits.isLegacy = ({ error }) => error?.code === -32601;
      }),
    ),
  ),

  showing(
    [
      'caching.refetch-when-stale#never-again',
      'caching.ttl-absent-is-zero#cached',
      'caching.ttl-negative-is-zero#cached',
      'caching.ttl-zero-is-stale#cached',
    ],
    modern(
      'client-lists-from-cache',
      'The client never requests a list a second time.',
      [
        'caching.ttl-zero-is-stale',
        'caching.ttl-negative-is-zero',
        'caching.ttl-absent-is-zero',
        'caching.refetch-when-stale',
      ],
      keeping((method, params) => (method.endsWith('/list') ? whole(method, params) : undefined)),
    ),
  ),
  showing(
    ['caching.ttl-zero-is-stale#cached'],
    modern(
      'client-cache-of-zero',
      'The client uses a list of tools again whose ttlMs is 0.',
      ['caching.ttl-zero-is-stale'],
      keeping((method, params, result) =>
        method === 'tools/list' && result.ttlMs === 0 && isEmpty(result.tools)
          ? whole(method, params)
          : undefined,
      ),
    ),
  ),
  showing(
    ['caching.ttl-negative-is-zero#cached'],
    modern(
      'client-cache-of-negative',
      'The client uses a list of prompts again whose ttlMs is negative.',
      ['caching.ttl-negative-is-zero'],
      keeping((method, params, result) =>
        method === 'prompts/list' && isEmpty(result.prompts) ? whole(method, params) : undefined,
      ),
    ),
  ),
  showing(
    ['caching.ttl-absent-is-zero#cached'],
    modern(
      'client-cache-of-absent',
      'The client uses a list of resources again that has no ttlMs.',
      ['caching.ttl-absent-is-zero'],
      keeping((method, params, result) =>
        method === 'resources/list' && isEmpty(result.resources) ? whole(method, params) : undefined,
      ),
    ),
  ),
  showing(
    ['caching.key-is-method-and-params#other-params'],
    modern(
      'client-caches-by-method',
      'The client uses the cached result of resources/read for another resource.',
      ['caching.key-is-method-and-params'],
      keeping((method, _, result, isRetried) =>
        method === 'resources/read' && isFresh(result) && !isRetried ? method : undefined,
      ),
    ),
  ),
  showing(
    ['caching.key-is-method-and-params#other-page'],
    modern(
      'client-caches-first-page',
      'The client uses the cached first page of tools/list for further pages.',
      ['caching.key-is-method-and-params'],
      keeping((method, _, result) =>
        method === 'tools/list' && isFresh(result) && isLong(result) ? method : undefined,
      ),
    ),
  ),
  showing(
    ['caching.mrtr-results-not-cached#cached'],
    modern(
      'client-caches-answered-requests',
      'The client caches the result of a request that it sent again with answers.',
      ['caching.mrtr-results-not-cached'],
      keeping((method, params, result, isRetried) =>
        method === 'resources/read' && isFresh(result) && isRetried ? whole(method, params) : undefined,
      ),
    ),
  ),
  showing(
    ['caching.notification-invalidates#update-ignored'],
    modern(
      'client-cache-ignores-updates',
      'The client uses a cached resource although the server has notified it of a change.',
      ['caching.notification-invalidates'],
      keeping((method, params, result, isRetried) =>
        method === 'resources/read' && isFresh(result) && !isRetried ? whole(method, params) : undefined,
      ),
      onBehaviour(habits => {
        habits.dropsStale = false;
      }),
    ),
  ),
  showing(
    ['caching.notification-invalidates#list-change-ignored'],
    modern(
      'client-cache-ignores-list-changes',
      'The client uses a cached list of tools although the server has notified it of a change.',
      ['caching.notification-invalidates'],
      keeping((method, params, result) =>
        method === 'tools/list' && Number(result.ttlMs) > 60_000 ? whole(method, params) : undefined,
      ),
      onBehaviour(habits => {
        habits.dropsStale = false;
        habits.watchesTools = true;
      }),
    ),
  ),
  showing(
    ['caching.refetch-when-stale#never-again'],
    modern(
      'client-cache-never-expires',
      'The client uses a cached list of tools for ever.',
      ['caching.refetch-when-stale'],
      keeping((method, params, result) =>
        method === 'tools/list' && isFresh(result) && Number(result.ttlMs) < 1_000
          ? whole(method, params)
          : undefined,
      ),
    ),
  ),
  showing(
    ['caching.ttl-no-polling#polls'],
    modern(
      'client-polls-lists',
      'The client requests the list of tools again each time its ttlMs has passed.',
      ['caching.ttl-no-polling'],
      onResult('tools/list', (result, _, context) => {
        const { ttlMs } = result;
        if (isFresh(result) && Number(ttlMs) < 1_000)
          context.after(Number(ttlMs), () => void context.ask('tools/list').catch(() => {}));
        return result;
      }),
    ),
  ),
  showing(
    ['caching.invalid-cursor-discards-pages#first-page-kept'],
    modern(
      'client-keeps-first-page',
      'The client caches the first page of a list although the server has rejected the cursor of the second.',
      ['caching.invalid-cursor-discards-pages'],
      keeping((method, params, result) =>
        method === 'tools/list' && isFresh(result) && result.nextCursor === 'second page'
          ? whole(method, params)
          : undefined,
      ),
    ),
  ),
  clientFault(
    'client-cache-for-all-tokens',
    {
      what: 'The client uses a private list of tools after it has received another access token.',
      breaks: ['caching.private-not-shared'],
      shows: ['caching.private-not-shared#other-token'],
      where: isStateless,
      over: ['streamable-http'],
    },
    keeping((method, params, result) =>
      method === 'tools/list' && Number(result.ttlMs) > 1_000 && result.nextCursor === undefined
        ? whole(method, params)
        : undefined,
    ),
  ),
];

const withoutCursor = ({ nextCursor: _, ...result }: JsonObject): JsonObject => result;

/** The message with a complete result, where the type of the result is wrong. */
function completed(message: Json, isWrong: (type: Json | undefined) => boolean): Json {
  const result = isObject(message) ? message.result : undefined;
  return isObject(message) &&
    isObject(result) &&
    result.resultType !== undefined &&
    isWrong(result.resultType)
    ? { ...message, result: { ...result, resultType: 'complete' } }
    : message;
}
