/** Faults of clients without a handshake with errors, subscriptions, lost streams and servers of the older era. */

import { envelopeKeys, metaOf } from '../../../harness/record/envelope.js';
import { isObject, type Json, type JsonObject } from '../../../spec/json-rpc.js';
import type { RequirementId } from '../../../spec/requirement.js';
import { latestRevision, revisions } from '../../../spec/revisions.js';
import { showing } from '../../fault.js';
import { isStateless, paramsOf } from '../../server/faults/shared.js';
import { type ClientMiddleware, clientFault, onAsk, onBehaviour, onIncoming, onResult } from '../fault.js';

type Rows = readonly [RequirementId, ...RequirementId[]];

const modern = (id: string, what: string, breaks: Rows, ...middleware: ClientMiddleware[]) =>
  clientFault(id, { what, breaks, where: isStateless }, ...middleware);

const over = ['streamable-http'] as const;

/** Both eras, so that a fallback is possible. */
const bothEras = onBehaviour(habits => {
  habits.versions = [...revisions.map(({ id }) => id), ...habits.versions];
});

const codeOf = (message: Json): Json | undefined =>
  isObject(message) && isObject(message.error) ? message.error.code : undefined;

/** The metadata of an enveloped request, for a request that the fault adds. */
const metaIn = (ask: JsonObject): JsonObject => metaOf({ params: paramsOf(ask) });

/** Every $ref to an address of the network. */
function addresses(value: Json): string[] {
  if (Array.isArray(value)) return value.flatMap(addresses);
  if (!isObject(value)) return [];
  const own = typeof value.$ref === 'string' && /^https?:/.test(value.$ref) ? [value.$ref] : [];
  return [...own, ...Object.values(value).flatMap(addresses)];
}

/** Sends the last call again after an error with this code. */
const repeatingCallAfter = (code: number) => [
  onAsk('tools/call', (ask, context) => {
    context.keep<JsonObject>(() => ({})).last = ask;
    return ask;
  }),
  onIncoming((message, context) => {
    const { last } = context.keep<JsonObject>(() => ({}));
    if (codeOf(message) === code && isObject(last))
      void context.send({ ...last, id: `again ${String(last.id)}` });
    return message;
  }),
];

export const versioningFaults = [
  showing(
    ['resources.client-accepts-32002#exits', 'error-codes.client-accepts-32002#exits'],
    modern(
      'client-dies-of-32002',
      'The client exits after error -32002.',
      ['error-codes.client-accepts-32002', 'resources.client-accepts-32002'],
      onIncoming((message, context) => {
        if (codeOf(message) === -32002) context.exit(1);
        return message;
      }),
    ),
  ),
  showing(
    ['error-codes.legacy-range-meaningless#draft-meaning'],
    modern(
      'client-reads-draft-codes',
      'The client repeats a call after error -32004, as after an unsupported version.',
      ['error-codes.legacy-range-meaningless'],
      ...repeatingCallAfter(-32004),
    ),
  ),
  showing(
    ['versioning.client-picks-supported#repeated-call'],
    modern(
      'client-repeats-call-in-unsupported-version',
      'The client repeats a call in the same version after error -32022.',
      ['versioning.client-picks-supported'],
      ...repeatingCallAfter(-32022),
    ),
  ),
  showing(
    ['versioning.client-picks-supported#not-in-list'],
    modern(
      'client-guesses-version',
      'The client tries a version after error -32022 that the error does not list.',
      ['versioning.client-picks-supported'],
      onAsk('server/discover', (ask, context) => {
        context.keep<JsonObject>(() => ({})).first = ask;
        return ask;
      }),
      onIncoming((message, context) => {
        const { first } = context.keep<JsonObject>(() => ({}));
        if (codeOf(message) !== -32022 || !isObject(first) || context.count() > 1) return message;
        const _meta = { ...metaIn(first), [envelopeKeys.protocolVersion]: '2026-11-11' };
        void context.send({ ...first, id: 'guess', params: { ...paramsOf(first), _meta } });
        return message;
      }),
    ),
  ),
  clientFault(
    'client-fetches-references',
    {
      what: 'The client fetches each $ref to an address of the network in the schemas of tools.',
      breaks: [
        'json-schema.no-network-ref',
        'json-schema.ref-fetch-off-by-default',
        'tools.client-ref-resolution',
      ],
      shows: [
        'tools.client-ref-resolution#fetched',
        'json-schema.no-network-ref#fetched',
        'json-schema.ref-fetch-off-by-default#fetched',
      ],
      where: isStateless,
      over,
    },
    onResult('tools/list', async result => {
      await Promise.all(
        addresses(result.tools ?? []).map(url =>
          fetch(url).then(
            r => r.text(),
            () => '',
          ),
        ),
      );
      return result;
    }),
  ),
  showing(
    ['jsonrpc.request-id-unique-in-flight#second-in-flight'],
    modern(
      'client-id-for-two-requests',
      'The client sends two requests under one id, and the second before the response to the first.',
      ['jsonrpc.request-id-unique-in-flight'],
      onAsk('resources/templates/list', ask => [ask, ask]),
    ),
  ),
  clientFault(
    'client-repeats-lost-request',
    {
      what: 'The client sends a request whose stream was lost again under the same id.',
      breaks: ['streamable-http.reissue-new-id'],
      shows: ['streamable-http.reissue-new-id#same-id'],
      where: isStateless,
      over,
    },
    onBehaviour(habits => {
      habits.repeatsLost = true;
    }),
  ),

  showing(
    ['stdio.client-restarts#left-dead'],
    modern(
      'client-leaves-server-dead',
      'The client does not start a server process again that has exited.',
      ['stdio.client-restarts'],
      onBehaviour(habits => {
        habits.restartsServer = false;
      }),
    ),
  ),
  showing(
    ['subscriptions.stdio-reestablished#forgotten'],
    modern(
      'client-forgets-subscriptions',
      'The client sends no subscriptions/listen to a server process that it started again.',
      ['subscriptions.stdio-reestablished'],
      onBehaviour(habits => {
        habits.listensAgain = false;
      }),
    ),
  ),
  showing(
    ['subscriptions.client-checks-ack#repeats'],
    modern(
      'client-repeats-subscription',
      'The client repeats subscriptions/listen again and again when the server honours less than it asked for.',
      ['subscriptions.client-checks-ack'],
      onAsk('subscriptions/listen', (ask, context) => {
        context.keep<JsonObject>(() => ({})).filter = paramsOf(ask).notifications!;
        return ask;
      }),
      onIncoming((message, context) => {
        const params = isObject(message) ? paramsOf(message) : {};
        const { filter } = context.keep<JsonObject>(() => ({}));
        const isAck = isObject(message) && String(message.method).endsWith('/acknowledged');
        const honoured = isObject(params.notifications) ? Object.keys(params.notifications) : [];
        if (isAck && honoured.length === 0 && filter !== undefined && context.count() === 1)
          for (let more = 5; more > 0; more--)
            void context.ask('subscriptions/listen', { notifications: filter }).catch(() => {});
        return message;
      }),
    ),
  ),
  clientFault(
    'client-dies-of-unknown-subscription',
    {
      what: 'The client exits after a notification under an unknown subscription id.',
      breaks: ['subscriptions.client-correlates'],
      shows: ['subscriptions.client-correlates#exits'],
      where: isStateless,
      over: ['stdio'],
    },
    onIncoming((message, context) => {
      const id = isObject(message)
        ? metaOf({ params: paramsOf(message) })[envelopeKeys.subscriptionId]
        : undefined;
      if (id === 'of-nobody') context.exit(1);
      return message;
    }),
  ),

  showing(
    ['stdio.dual-era-probe#other-first'],
    modern(
      'client-lists-before-discovery',
      'The client of both eras begins with tools/list instead of server/discover.',
      ['stdio.dual-era-probe'],
      bothEras,
      onAsk('server/discover', ask => [{ ...ask, id: 'early', method: 'tools/list' }, ask]),
    ),
  ),
  clientFault(
    'client-stays-modern',
    {
      what: 'The client of both eras does not send initialize after status 400 without an error of the protocol.',
      breaks: ['streamable-http.dual-era-falls-back'],
      shows: ['streamable-http.dual-era-falls-back#no-initialize'],
      where: isStateless,
      over,
    },
    bothEras,
    onBehaviour(habits => {
      habits.isLegacy = ({ error }) => error?.code === -32601;
    }),
  ),
  showing(
    ['stdio.fallback-any-error#silence'],
    modern(
      'client-gives-up-on-silence',
      'The client of both eras sends no initialize to a server that does not respond to server/discover.',
      ['stdio.fallback-any-error'],
      bothEras,
      onBehaviour(habits => {
        habits.isLegacy = ({ error }, isRecognized) => error !== undefined && !isRecognized;
      }),
    ),
  ),
  showing(
    [
      'streamable-http.dual-era-inspects-400#after-missing-capability',
      'stdio.modern-error-no-fallback#after-missing-capability',
    ],
    modern(
      'client-falls-back-after-32021',
      'The client of both eras sends initialize after error -32021, which no server of the older era sends.',
      ['stdio.modern-error-no-fallback', 'streamable-http.dual-era-inspects-400'],
      bothEras,
      onBehaviour(habits => {
        habits.isLegacy = ({ error }, isRecognized) => !isRecognized || error?.code === -32021;
      }),
    ),
  ),
  showing(
    ['versioning.client-stays-modern#initialize'],
    modern(
      'client-prefers-older-era',
      'The client of both eras sends initialize although the server has responded to server/discover.',
      ['versioning.client-stays-modern'],
      bothEras,
      onResult('server/discover', async (result, _, context) => {
        const params = {
          protocolVersion: latestRevision.id,
          capabilities: {},
          clientInfo: context.habits.info,
        };
        await context.send({ jsonrpc: '2.0', id: 'older', method: 'initialize', params });
        return result;
      }),
    ),
  ),
  showing(
    ['versioning.era-cached#asks-again'],
    modern(
      'client-asks-for-era-again',
      'The client asks for the era of an older server again after initialize.',
      ['versioning.era-cached'],
      bothEras,
      onAsk('server/discover', (ask, context) => {
        context.keep<JsonObject>(() => ({})).meta = metaIn(ask);
        return ask;
      }),
      onAsk('tools/list', (ask, context) => {
        const { meta } = context.keep<JsonObject>(() => ({}));
        if (context.revision.era === 'modern' || meta === undefined) return ask;
        return [
          { jsonrpc: '2.0', id: `era ${String(ask.id)}`, method: 'server/discover', params: { _meta: meta } },
          ask,
        ];
      }),
    ),
  ),

  showing(
    ['meta.trace-context-format#no-trace'],
    modern(
      'client-trace-in-words',
      'The client sends a traceparent that is no trace context of W3C.',
      ['meta.trace-context-format'],
      onAsk('tools/call', ask => ({
        ...ask,
        params: { ...paramsOf(ask), _meta: { ...metaIn(ask), traceparent: 'the first call' } },
      })),
    ),
  ),
  showing(
    ['versioning.extension-identifiers#no-prefix'],
    modern(
      'client-extension-without-prefix',
      'The client declares an extension whose identifier has no prefix.',
      ['versioning.extension-identifiers'],
      onBehaviour(habits => {
        habits.capabilities = { ...habits.capabilities, extensions: { tracing: {} } };
      }),
    ),
  ),
];
