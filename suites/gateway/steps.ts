/**
 * The conversation that passes through a gateway: every kind of message in both directions, as a conforming client sends
 * it to the reference server.
 */

import type { Peer } from '../../harness/peer/peer.js';
import type { RequestOptions } from '../../harness/peer/requests.js';
import { envelopeKeys } from '../../harness/record/envelope.js';
import type { GatewayStep, GatewayStepTools } from '../../harness/scenario/gateway.js';
import type { JsonObject } from '../../spec/json-rpc.js';
import type { RequirementId } from '../../spec/requirement.js';

type Extra = Omit<GatewayStep, 'name' | 'title' | 'verifies' | 'run'>;

const step = (
  name: string,
  title: string,
  verifies: readonly RequirementId[],
  run: (peer: Peer, tools: GatewayStepTools) => Promise<unknown>,
  extra: Extra = {},
): GatewayStep => ({
  name: `gateway/${name}`,
  title,
  verifies,
  ...extra,
  run: async tools => void (await run(tools.peer, tools)),
});

const call = (peer: Peer, name: string, args: JsonObject = {}, options: RequestOptions = {}) =>
  peer.request('tools/call', { name, arguments: args }, options);

const through: readonly RequirementId[] = [
  'gateway.requests-forwarded',
  'gateway.requests-unchanged',
  'gateway.results-unchanged',
  'gateway.nothing-repeated',
  'gateway.nothing-added',
];

/** Another client, which names itself otherwise where each request names its client. */
const asOther = (peer: Peer): JsonObject | undefined =>
  peer.revision.era === 'modern'
    ? { [envelopeKeys.clientInfo]: { name: 'mcp-conform-2', version: peer.version } }
    : undefined;

/** The text of several scripts, with characters beyond the basic plane, and with line breaks. */
const text = 'Grüße, 漢字, עברית, 🎉\u2028 "quoted" \\ \n\ttab é';

/** An argument that is longer than most buffers. */
const long = 'ab漢🎉'.repeat(20_000);

export const gatewaySteps: readonly GatewayStep[] = [
  step(
    'lists',
    'every list is read to its end',
    ['gateway.lists-unchanged', 'gateway.capabilities-kept', 'gateway.client-capabilities-kept'],
    async peer => {
      await peer.list('tools/list', 'tools');
      await peer.list('prompts/list', 'prompts');
      await peer.list('resources/list', 'resources');
      await peer.list('resources/templates/list', 'resourceTemplates');
    },
  ),
  step('calls', 'tools/call with each kind of content', through, async peer => {
    for (const name of [
      'test_simple_text',
      'test_image_content',
      'test_embedded_resource',
      'test_multiple_content_types',
    ])
      await call(peer, name);
    await call(peer, 'test_error_handling');
  }),
  step('structured', 'tools/call with structured content, numbers and lists', through, async peer => {
    await call(peer, 'test_structured_content');
    await call(peer, 'test_order', {
      quantity: 7,
      size: 'large',
      note: '',
      lines: [{ sku: 'a', count: 1 }, { sku: 'b' }],
    });
  }),
  step('text', 'tools/call with text of several scripts', through, peer => call(peer, 'test_echo', { text })),
  step('long', 'tools/call with an argument of 160,000 bytes', through, peer =>
    call(peer, 'test_echo', { text: long }),
  ),
  step('strangers', 'tools/call with arguments that no schema names', through, peer =>
    call(peer, 'test_echo', {
      text: 'strange',
      'x-unknown': { deep: [1, 2.5, -0.000001, 1e21, null, true, { a: [] }] },
      large: 9_007_199_254_740_991,
    }),
  ),
  step('meta', 'requests with members of _meta', ['gateway.request-meta-kept'], async peer => {
    const meta = {
      'com.example/note': { of: ['mcp-conform', 1] },
      traceparent: '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01',
    };
    await peer.request('tools/call', { name: 'test_echo', arguments: { text: 'meta' } }, { meta });
    await peer.request('prompts/list', {}, { meta });
  }),
  step('ids', 'requests with unusual ids', through, async peer => {
    for (const id of ['text', '0', 9_007_199_254_740_991, 'ä-漢', 0, -5] as const)
      await call(peer, 'test_echo', { text: `id ${id}` }, { id });
  }),
  step('reads', 'resources/read and prompts/get', through, async peer => {
    await peer.request('resources/read', { uri: 'test://static-text' });
    await peer.request('resources/read', { uri: 'test://static-binary' });
    await peer.request('resources/read', { uri: 'test://template/123/data' });
    await peer.request('prompts/get', { name: 'test_simple_prompt' });
    await peer.request('prompts/get', {
      name: 'test_prompt_with_arguments',
      arguments: { arg1: 'one', arg2: text },
    });
  }),
  step('completion', 'completion/complete', through, peer =>
    peer.request('completion/complete', {
      ref: { type: 'ref/resource', uri: 'test://template/{id}/data' },
      argument: { name: 'id', value: '1' },
    }),
  ),
  step('errors', 'requests that the server refuses', ['gateway.errors-unchanged'], async peer => {
    await call(peer, peer.unused('tool'));
    await peer.request('resources/read', { uri: peer.unused('resource') });
    await peer.request('prompts/get', { name: peer.unused('prompt') });
  }),
  step(
    'progress',
    'a call with a progress token',
    ['gateway.progress-forwarded', 'gateway.order-kept'],
    async peer => {
      await call(peer, 'test_slow', { durationMs: 40 }, { meta: { progressToken: 'slow-token' } });
      await call(peer, 'test_slow', { durationMs: 41 }, { meta: { progressToken: 0 } });
    },
  ),
  step('logging', 'log messages', ['gateway.server-notifications-forwarded'], async peer => {
    const options = await peer.logAt('debug');
    await call(peer, 'test_log_levels', {}, options);
  }),
  step('cancellation', 'a call that is cancelled', ['gateway.cancellations-forwarded'], async peer => {
    const meta = { progressToken: 'to-be-cancelled' };
    const pending = peer.start(
      'tools/call',
      { name: 'test_slow', arguments: { durationMs: 20_000 } },
      { meta },
    );
    // the call has begun when its first progress arrives
    const begun = () =>
      peer.conversation
        .notifications({ by: 'subject', method: 'notifications/progress' })
        .some(m => m.params?.progressToken === meta.progressToken);
    await peer.waitUntil(begun);
    peer.cancel(pending);
    await peer.quietWindow();
  }),
  step('changes', 'notifications of changes', ['gateway.server-notifications-forwarded'], async peer => {
    const listening = await peer.listen({
      toolsListChanged: true,
      promptsListChanged: true,
      resourcesListChanged: true,
      resourceSubscriptions: ['test://watched-resource'],
    });
    const seen = (method: string) => peer.conversation.notifications({ by: 'subject', method }).length;
    const lists = seen('notifications/tools/list_changed');
    const updates = seen('notifications/resources/updated');
    await call(peer, 'test_list_change');
    await peer.waitUntil(() => seen('notifications/tools/list_changed') > lists);
    await call(peer, 'test_update_resource');
    await peer.waitUntil(() => seen('notifications/resources/updated') > updates);
    await call(peer, 'test_list_change');
    await listening.stop();
  }),
  step(
    'server-requests',
    'requests of the server for sampling, elicitation and roots',
    ['gateway.server-requests-forwarded', 'gateway.server-requests-unchanged', 'gateway.answers-unchanged'],
    async peer => {
      await call(peer, 'test_sampling', { prompt: `Answer ${text}` });
      await call(peer, 'test_elicitation', { message: 'Who are you?' });
      await call(peer, 'test_roots');
    },
  ),
  step(
    'roots-change',
    'notifications/roots/list_changed',
    ['gateway.client-notifications-forwarded'],
    async peer => {
      peer.notify('notifications/roots/list_changed');
      await peer.quietWindow();
    },
    { era: 'legacy' },
  ),
  step('at-once', 'ten calls at the same time', through, peer =>
    Promise.all(Array.from({ length: 10 }, (_, at) => call(peer, 'test_echo', { text: `at once ${at}` }))),
  ),
  step(
    'two-clients',
    'two clients with the same ids and progress tokens',
    ['gateway.clients-apart'],
    async (peer, { another }) => {
      const other = await another();
      const meta = { progressToken: 'shared' };
      const both = [
        { own: peer, extra: undefined, durationMs: 42 },
        { own: other, extra: asOther(other), durationMs: 43 },
      ];
      await Promise.all(
        both.map(({ own, extra, durationMs }) =>
          call(own, 'test_slow', { durationMs }, { id: 'shared', meta: { ...meta, ...extra } }),
        ),
      );
      await Promise.all(
        both.map(({ own, extra, durationMs }) =>
          call(
            own,
            'test_echo',
            { text: `client ${durationMs}` },
            { id: 'same', ...(extra && { meta: extra }) },
          ),
        ),
      );
    },
  ),
  step(
    'parameter-headers',
    'headers that repeat arguments, and one that no tool declares',
    ['http-headers.intermediary-forwards'],
    async peer => {
      await call(peer, 'test_header_arguments', { region: 'eu-central-1', count: 42 });
      const params = { name: 'test_echo', arguments: { text: 'header' } };
      await sendWith(peer, 'tools/call', params, { 'Mcp-Param-Unknown': 'kept' }, true);
    },
    { era: 'modern', over: ['streamable-http'] },
  ),
  step(
    'two-tokens',
    'two users read the same resource',
    ['caching.private-not-shared'],
    async peer => {
      const params = { uri: 'test://static-text' };
      for (const token of ['first', 'second'])
        await sendWith(peer, 'resources/read', params, { Authorization: `Bearer ${token}-user` }, false);
    },
    { era: 'modern', over: ['streamable-http'] },
  ),
  step(
    'contradiction',
    'a header that contradicts the body',
    ['http-headers.intermediary-error-status'],
    peer => sendWith(peer, 'prompts/list', {}, { 'Mcp-Method': 'tools/list' }, false),
    { era: 'modern', over: ['streamable-http'] },
  ),
];

/** Sends a request with changed headers, as one POST. @param polite no rule is broken */
function sendWith(
  peer: Peer,
  method: string,
  params: JsonObject,
  headers: Record<string, string>,
  polite: boolean,
) {
  const body = { jsonrpc: '2.0', id: peer.nextId(), method, params: peer.era.dress(peer, params)! };
  return peer.link.http!.fetch({ body, headers, polite });
}
