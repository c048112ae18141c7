/** Legal but unusual behaviours of clients without a handshake. */

import { envelopeKeys, metaOf } from '../../../harness/record/envelope.js';
import type { Json, JsonObject } from '../../../spec/json-rpc.js';
import { isObject } from '../../../spec/json-rpc.js';
import { revisions } from '../../../spec/revisions.js';
import { showing } from '../../fault.js';
import { isStateless, paramsOf } from '../../server/faults/shared.js';
import {
  type ClientDeviation,
  type ClientMiddleware,
  clientQuirk,
  onAnswer,
  onAsk,
  onBehaviour,
  onHttp,
  onResult,
  onStep,
} from '../fault.js';

const modern = (id: string, what: string, ...middleware: ClientMiddleware[]): ClientDeviation =>
  clientQuirk(id, { what, where: isStateless }, ...middleware);

const modernHttp = (id: string, what: string, ...middleware: ClientMiddleware[]): ClientDeviation =>
  clientQuirk(id, { what, where: isStateless, over: ['streamable-http'] }, ...middleware);

/** Changes the metadata of each request. */
const withMeta = (change: (meta: JsonObject, method: Json | undefined) => JsonObject): ClientMiddleware =>
  onAsk('*', ask => {
    const params = paramsOf(ask);
    return { ...ask, params: { ...params, _meta: change(metaOf({ params }), ask.method) } };
  });

const withInfo = (more: JsonObject): ClientMiddleware =>
  withMeta(meta => {
    const info = meta[envelopeKeys.clientInfo];
    return { ...meta, [envelopeKeys.clientInfo]: { ...(isObject(info) && info), ...more } };
  });

const withCapabilities = (change: (declared: JsonObject) => JsonObject): ClientMiddleware =>
  withMeta(meta => {
    const declared = meta[envelopeKeys.clientCapabilities];
    return { ...meta, [envelopeKeys.clientCapabilities]: change(isObject(declared) ? declared : {}) };
  });

/** A cache that follows the hints of the server: a result is used until its time is over. */
function conformingCache(methods: readonly string[]): ClientMiddleware {
  const received = new WeakMap<JsonObject, number>();
  return onBehaviour(habits => {
    habits.cacheKey = (method, params, result, isRetried) => {
      if (isRetried || !methods.includes(method) || !(Number(result.ttlMs) > 0)) return undefined;
      // pages would have to be dropped when the server rejects a cursor
      if (result.nextCursor !== undefined || params?.cursor !== undefined) return undefined;
      const since = received.get(result) ?? performance.now();
      received.set(result, since);
      if (performance.now() >= since + Number(result.ttlMs)) return undefined;
      return `${method} ${JSON.stringify(params ?? {})}`;
    };
  });
}

/** Sends one more request after each result of a method; its result is not used. */
const askingAlso = (after: string, method: string, params: JsonObject = {}): ClientMiddleware =>
  onResult(after, async (result, _, context) => {
    await context.ask(method, params).catch(() => {});
    return result;
  });

const header = (name: string, value: string): ClientMiddleware =>
  onHttp(ask => ({ ...ask, headers: { ...ask.headers, [name]: value } }));

/** Both eras, so that a fallback is possible. */
const bothEras = onBehaviour(habits => {
  habits.versions = [...revisions.map(({ id }) => id), ...habits.versions];
});

export const statelessQuirks: readonly ClientDeviation[] = [
  clientQuirk(
    'client-of-both-eras',
    {
      what: 'The client also supports every revision with a handshake.',
      where: isStateless,
      over: ['stdio', 'streamable-http'],
      shows: ['base.method-of-own-side#probe'],
    },
    bothEras,
  ),
  clientQuirk(
    'client-probes-apart',
    {
      what: 'The client of both eras sends server/discover to a process that it starts for this alone.',
      where: isStateless,
      over: ['stdio'],
      shows: ['versioning.era-cached#probe-process', 'stdio.dual-era-probe#apart'],
    },
    bothEras,
    onBehaviour(habits => {
      habits.probesApart = true;
    }),
  ),
  showing(
    ['versioning.client-stays-modern#no-discover'],
    modernHttp(
      'client-never-discovers',
      'The client sends no server/discover.',
      onBehaviour(habits => {
        habits.discovers = false;
        // the capabilities of the server stay unknown
        habits.respectsCapabilities = false;
      }),
    ),
  ),
  showing(
    ['versioning.client-stays-modern#discovers-again'],
    modern(
      'client-discovers-again',
      'The client sends server/discover again before it lists the tools.',
      onStep(step => (step[0] === 'list' && step[1] === 'tools' ? [['list', 'templates'], step] : [step])),
      askingAlso('server/discover', 'resources/templates/list'),
    ),
  ),
  showing(
    ['meta.client-info-included#rich', 'icons.src-uri#rich'],
    modern(
      'client-info-in-full',
      'The client describes itself with title, website and icons.',
      withInfo({
        title: 'A client',
        description: 'A client with a long description.',
        websiteUrl: 'https://client.example/',
        icons: [{ src: 'https://client.example/icon.png', mimeType: 'image/png', sizes: ['48x48'] }],
      }),
    ),
  ),
  showing(
    ['meta.client-info-included#beta'],
    modern(
      'client-info-of-a-beta',
      'The client has a version that is no number.',
      withInfo({ version: 'nightly-2026-11 (beta)' }),
    ),
  ),
  showing(
    ['meta.key-prefix-syntax#vendor'],
    modern(
      'client-meta-of-vendor',
      'The client sends metadata of its vendor with each request.',
      withMeta(meta => ({ 'com.example/request': { trace: [1, 'two', null] }, ...meta })),
    ),
  ),
  showing(
    ['meta.key-prefix-syntax#no-slash'],
    modern(
      'client-meta-without-prefix',
      'The client sends metadata without a prefix with each request.',
      withMeta(meta => ({ ...meta, note: 'a note', 'dotted.name-1': 1 })),
    ),
  ),
  showing(
    ['meta.key-prefix-syntax#trace', 'meta.trace-context-format#valid'],
    modern(
      'client-traces-requests',
      'The client sends a trace context with each request.',
      withMeta(meta => ({
        ...meta,
        traceparent: '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01',
        tracestate: 'vendor=value',
        baggage: 'userId=alice',
      })),
    ),
  ),
  modern(
    'client-logs-everything',
    'The client asks for log messages of every level with each request.',
    withMeta((meta, method) =>
      method === 'server/discover' ? meta : { 'io.modelcontextprotocol/logLevel': 'debug', ...meta },
    ),
  ),
  showing(
    ['progress.token-of-active-request#any-token'],
    modern(
      'client-tokens-of-words',
      'The client sends a progress token that is a text with each request.',
      onAsk('*', (ask, context) => {
        const params = paramsOf(ask);
        const { progressToken = `progress ${context.count()}`, ...meta } = metaOf({ params });
        return { ...ask, params: { ...params, _meta: { progressToken, ...meta } } };
      }),
    ),
  ),
  showing(
    ['versioning.extension-identifiers#own-extension'],
    modern(
      'client-declares-extension',
      'The client declares an extension of its own with each request.',
      withCapabilities(declared => ({ ...declared, extensions: { 'com.example/extension': { level: 2 } } })),
    ),
  ),
  modern(
    'client-declares-experiments',
    'The client declares an experimental capability with each request.',
    withCapabilities(declared => ({ ...declared, experimental: { 'x-test': { on: true } } })),
  ),
  showing(
    ['elicitation.empty-capability-is-form#forms-only'],
    modern(
      'client-declares-forms-only',
      'The client declares an empty elicitation capability, which means forms.',
      withCapabilities(declared => ('elicitation' in declared ? { ...declared, elicitation: {} } : declared)),
    ),
  ),
  showing(
    ['meta.request-required-fields#metadata-last'],
    modern(
      'client-envelope-last',
      'The client writes the metadata of a request after its parameters.',
      onAsk('*', ask => {
        const { _meta, ...params } = paramsOf(ask);
        return { ...ask, params: { ...params, ...(_meta !== undefined && { _meta }) } };
      }),
    ),
  ),
  showing(
    ['caching.key-is-method-and-params#same-params', 'caching.refetch-when-stale#fresh'],
    modern(
      'client-caches-lists',
      'The client uses lists until their ttlMs has passed.',
      conformingCache(['tools/list', 'prompts/list', 'resources/list', 'resources/templates/list']),
    ),
  ),
  showing(
    ['caching.key-is-method-and-params#same-params'],
    modern(
      'client-caches-resources',
      'The client uses contents of resources until their ttlMs has passed.',
      conformingCache(['resources/read']),
    ),
  ),
  modern(
    'client-reads-ahead',
    'The client lists the templates of resources whenever it has listed the resources.',
    askingAlso('resources/list', 'resources/templates/list'),
  ),
  modern(
    'client-lists-twice',
    'The client lists its prompts again at once.',
    onStep(step => (step[0] === 'list' && step[1] === 'prompts' ? [step, step] : [step])),
  ),
  showing(
    [
      'tools.retry-uses-new-id#no-retry',
      'mrtr.client-answers-requests#no-retry',
      'mrtr.retry-same-request#no-retry',
    ],
    modern(
      'client-repeats-no-request',
      'The client gives up a request that needs input.',
      onBehaviour(habits => {
        habits.retries = async () => {
          throw new Error('The user is not asked.');
        };
      }),
    ),
  ),
  modernHttp(
    'client-pauses-before-retry',
    'The client pauses before it repeats a request whose result has a state and no question.',
    onBehaviour((habits, context) => {
      const { retries } = habits;
      habits.retries = async (result, answer) => {
        if (!result.inputRequests) await new Promise<void>(resolve => context.after(120, resolve));
        return retries(result, answer);
      };
    }),
  ),
  showing(
    ['mrtr.client-answers-requests#reverse'],
    modern(
      'client-answers-in-reverse',
      'The client writes its answers to several questions in reverse order.',
      onBehaviour(habits => {
        const { retries } = habits;
        habits.retries = async (...given) => {
          const { inputResponses, ...rest } = await retries(...given);
          const all = Object.entries(isObject(inputResponses) ? inputResponses : {}).reverse();
          return {
            ...rest,
            ...(inputResponses !== undefined && { inputResponses: Object.fromEntries(all) }),
          };
        };
      }),
    ),
  ),
  showing(
    ['mrtr.client-answers-requests#unasked', 'mrtr.response-keys#unasked'],
    modern(
      'client-answers-unasked',
      'The client also answers a question that the server did not put.',
      onBehaviour(habits => {
        const { retries } = habits;
        habits.retries = async (...given) => {
          const { inputResponses, ...rest } = await retries(...given);
          if (!isObject(inputResponses)) return rest;
          return { ...rest, inputResponses: { ...inputResponses, unasked: { action: 'cancel' } } };
        };
      }),
    ),
  ),
  showing(
    ['mrtr.client-answers-requests#no-roots', 'roots.uri-unique#none'],
    modern(
      'client-has-no-roots',
      'The client has no roots.',
      onAnswer('roots/list', () => ({ roots: [] })),
    ),
  ),
  showing(
    ['sampling.message-content-validated#long-text'],
    modern(
      'client-samples-a-long-text',
      'The client answers a sampling request with a long text and an unknown stop reason.',
      onAnswer('sampling/createMessage', result => ({ ...result, stopReason: 'contentFilter' })),
    ),
  ),
  showing(
    ['streamable-http.post-accept#weights'],
    modernHttp(
      'client-accepts-with-weights',
      'The client sends an Accept header with weights.',
      onHttp(ask =>
        ask.method === 'POST' && ask.headers.accept !== undefined
          ? { ...ask, headers: { ...ask.headers, accept: 'text/event-stream;q=0.9, application/json;q=1.0' } }
          : ask,
      ),
    ),
  ),
  modernHttp(
    'client-content-type-with-charset',
    'The client sends a Content-Type header with a charset.',
    onHttp(ask =>
      ask.headers['content-type']?.startsWith('application/json')
        ? { ...ask, headers: { ...ask.headers, 'content-type': 'application/json; charset=utf-8' } }
        : ask,
    ),
  ),
  modernHttp(
    'client-closes-connections',
    'The client asks for a new connection after each request.',
    header('connection', 'close'),
  ),
  modernHttp(
    'client-sends-cookies',
    'The client sends headers of its application with each request.',
    header('x-application', 'a, b; c="d"'),
  ),
  modernHttp(
    'client-versions-in-user-agent',
    'The client sends a long User-Agent header with each request.',
    header('user-agent', 'client/1.0 (linux; x64) node/20 mcp/2026-07-28'),
  ),
];
