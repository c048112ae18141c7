/** Faults in what the gateway sends to its client. */

import { isObject, type JsonObject } from '../../../spec/json-rpc.js';
import { hasHandshake, isStateless } from '../../server/faults/shared.js';
import { type GatewayDeviation, gatewayFault, onError, onReply, onResult, toClient } from '../fault.js';

/** Changes each item of a list. */
const eachOf =
  (member: string, change: (item: JsonObject) => JsonObject | undefined) =>
  (result: JsonObject): JsonObject => {
    const { [member]: items } = result;
    if (!Array.isArray(items)) return result;
    return { ...result, [member]: items.filter(isObject).flatMap(item => change(item) ?? []) };
  };

/** The token whose last notification is late. */
const delayed = 'slow-token';

const isCallOf = (ask: JsonObject | undefined, name: string): boolean =>
  isObject(ask?.params) && ask.params.name === name;

export const responseFaults: readonly GatewayDeviation[] = [
  gatewayFault(
    'gw-result-meta-dropped',
    {
      what: 'Members of _meta that the specification does not name are dropped.',
      breaks: ['gateway.result-meta-kept'],
    },
    onResult('tools/call', result => {
      if (!isObject(result._meta)) return result;
      const { 'com.example/note': _, ...meta } = result._meta;
      return { ...result, _meta: meta };
    }),
  ),
  gatewayFault(
    'gw-text-cut',
    { what: 'The text of a result is cut after ten characters.', breaks: ['gateway.results-unchanged'] },
    onResult('tools/call', (result, { ask }) =>
      isCallOf(ask, 'test_simple_text')
        ? { ...result, content: [{ type: 'text', text: 'This is a' }] }
        : result,
    ),
  ),
  gatewayFault(
    'gw-content-joined',
    { what: 'Several blocks of content become one text.', breaks: ['gateway.results-unchanged'] },
    onResult('tools/call', (result, { ask }) =>
      isCallOf(ask, 'test_multiple_content_types')
        ? { ...result, content: [{ type: 'text', text: JSON.stringify(result.content) }] }
        : result,
    ),
  ),
  gatewayFault(
    'gw-is-error-dropped',
    { what: 'isError is missing in the results of failed calls.', breaks: ['gateway.results-unchanged'] },
    onResult('tools/call', (result, { ask }) => {
      const { isError: _, ...rest } = result;
      return isCallOf(ask, 'test_error_handling') ? rest : result;
    }),
  ),
  gatewayFault(
    'gw-tool-error-as-protocol-error',
    { what: 'A result with isError becomes a JSON-RPC error.', breaks: ['gateway.results-unchanged'] },
    onReply('tools/call', (message, { ask }) => {
      if (!isCallOf(ask, 'test_error_handling')) return message;
      const { result: _, ...rest } = message;
      return { ...rest, error: { code: -32_603, message: 'The tool failed.' } };
    }),
  ),
  gatewayFault(
    'gw-binary-recoded',
    { what: 'Binary contents of a resource are encoded twice.', breaks: ['gateway.results-unchanged'] },
    onResult(
      'resources/read',
      eachOf('contents', item =>
        typeof item.blob === 'string' ? { ...item, blob: Buffer.from(item.blob).toString('base64') } : item,
      ),
    ),
  ),
  gatewayFault(
    'gw-prompt-message-dropped',
    { what: 'Prompts lose their last message.', breaks: ['gateway.results-unchanged'] },
    onResult('prompts/get', result => ({
      ...result,
      messages: Array.isArray(result.messages) ? result.messages.slice(0, -1) : [],
    })),
  ),
  gatewayFault(
    'gw-error-text-replaced',
    { what: 'Each error has the text of the gateway.', breaks: ['gateway.errors-unchanged'] },
    onError(error => ({ ...error, message: 'upstream error' })),
  ),
  gatewayFault(
    'gw-error-data-added',
    { what: 'Each error has data of the gateway.', breaks: ['gateway.errors-unchanged'] },
    onError(error => ({ ...error, data: { ...(isObject(error.data) && error.data), upstream: 'server' } })),
  ),
  gatewayFault(
    'gw-tool-description-dropped',
    { what: 'Tools lose their description.', breaks: ['gateway.lists-unchanged'] },
    onResult(
      'tools/list',
      eachOf('tools', ({ description: _, ...item }) => item),
    ),
  ),
  gatewayFault(
    'gw-tool-renamed',
    {
      what: 'Tools are listed under a name with a prefix.',
      breaks: ['gateway.lists-unchanged'],
      over: ['stdio'],
    },
    onResult(
      'tools/list',
      eachOf('tools', item => ({ ...item, name: `server_${String(item.name)}` })),
    ),
  ),
  gatewayFault(
    'gw-tool-hidden',
    { what: 'A tool is missing in the list.', breaks: ['gateway.lists-unchanged'] },
    onResult(
      'tools/list',
      eachOf('tools', item => (item.name === 'test_image_content' ? undefined : item)),
    ),
  ),
  gatewayFault(
    'gw-schema-simplified',
    { what: 'Input schemas keep only type, properties and required.', breaks: ['gateway.lists-unchanged'] },
    onResult(
      'tools/list',
      eachOf('tools', item => {
        if (item.name !== 'json_schema_2020_12_tool' || !isObject(item.inputSchema)) return item;
        const { type, properties } = item.inputSchema;
        return {
          ...item,
          inputSchema: { type: type!, properties: isObject(properties) ? { name: properties.name! } : {} },
        };
      }),
    ),
  ),
  gatewayFault(
    'gw-prompt-arguments-dropped',
    { what: 'Prompts are listed without their arguments.', breaks: ['gateway.lists-unchanged'] },
    onResult(
      'prompts/list',
      eachOf('prompts', ({ arguments: _, ...item }) => item),
    ),
  ),
  gatewayFault(
    'gw-media-type-dropped',
    { what: 'Resources are listed without their media type.', breaks: ['gateway.lists-unchanged'] },
    onResult(
      'resources/list',
      eachOf('resources', ({ mimeType: _, ...item }) => item),
    ),
  ),
  gatewayFault(
    'gw-templates-hidden',
    { what: 'No template of a resource is listed.', breaks: ['gateway.lists-unchanged'] },
    onResult(
      'resources/templates/list',
      eachOf('resourceTemplates', () => undefined),
    ),
  ),
  gatewayFault(
    'gw-progress-dropped',
    { what: 'notifications/progress does not reach the client.', breaks: ['gateway.progress-forwarded'] },
    toClient('notifications/progress', () => undefined),
  ),
  gatewayFault(
    'gw-logs-dropped',
    {
      what: 'notifications/message does not reach the client.',
      breaks: ['gateway.server-notifications-forwarded'],
    },
    toClient('notifications/message', () => undefined),
  ),
  gatewayFault(
    'gw-list-changes-dropped',
    { what: 'Changes of lists do not reach the client.', breaks: ['gateway.server-notifications-forwarded'] },
    toClient(
      [
        'notifications/tools/list_changed',
        'notifications/prompts/list_changed',
        'notifications/resources/list_changed',
      ],
      () => undefined,
    ),
  ),
  gatewayFault(
    'gw-updates-dropped',
    {
      what: 'notifications/resources/updated does not reach the client.',
      breaks: ['gateway.server-notifications-forwarded'],
    },
    toClient('notifications/resources/updated', () => undefined),
  ),
  gatewayFault(
    'gw-update-repeated',
    { what: 'notifications/resources/updated is sent twice.', breaks: ['gateway.nothing-repeated'] },
    toClient('notifications/resources/updated', message => [message, message]),
  ),
  gatewayFault(
    'gw-log-repeated',
    { what: 'A log message is sent twice.', breaks: ['gateway.nothing-repeated'] },
    toClient('notifications/message', (message, { memory }) =>
      memory.count() === 1 ? [message, message] : message,
    ),
  ),
  gatewayFault(
    'gw-sampling-answered',
    {
      what: 'The gateway answers sampling/createMessage by itself.',
      breaks: ['gateway.server-requests-forwarded'],
      where: hasHandshake,
      over: ['stdio'],
    },
    toClient('sampling/createMessage', (message, place) => {
      const content = { type: 'text', text: 'of the gateway' };
      const result = { role: 'assistant', content, model: 'gateway' };
      setImmediate(() => place.toServer({ jsonrpc: '2.0', id: message.id!, result }));
      return undefined;
    }),
  ),
  gatewayFault(
    'gw-elicitation-text-changed',
    {
      what: 'The message of an elicitation begins with the name of the gateway.',
      breaks: ['gateway.server-requests-unchanged'],
      where: hasHandshake,
    },
    toClient('elicitation/create', message => {
      const params = isObject(message.params) ? message.params : {};
      return { ...message, params: { ...params, message: `[gateway] ${String(params.message)}` } };
    }),
  ),
  gatewayFault(
    'gw-progress-after-response',
    {
      what: 'The last notifications/progress follows the response.',
      breaks: ['gateway.order-kept', 'progress.stops-at-completion'],
      over: ['stdio'],
    },
    {
      toClient(message, { memory, ask }) {
        const box = memory.keep(() => ({ held: undefined as JsonObject | undefined }));
        if (isObject(message.params) && message.params.progressToken === delayed) {
          const before = box.held;
          box.held = message;
          return before;
        }
        const meta = isObject(ask?.params) && isObject(ask.params._meta) ? ask.params._meta : {};
        return meta.progressToken === delayed && box.held ? [message, box.held] : message;
      },
    },
  ),
  gatewayFault(
    'gw-capability-added',
    {
      what: 'The gateway declares an experimental capability in the name of its server.',
      breaks: ['gateway.capabilities-kept'],
    },
    onResult(['initialize', 'server/discover'], result => ({
      ...result,
      capabilities: {
        ...(isObject(result.capabilities) && result.capabilities),
        experimental: { 'com.example/gateway': {} },
      },
    })),
  ),
  gatewayFault(
    'gw-ttl-raised',
    {
      what: 'Results stay fresh for an hour, whatever the server says.',
      breaks: ['gateway.cache-fields-kept'],
      where: isStateless,
    },
    onResult('*', result => ('ttlMs' in result ? { ...result, ttlMs: 3_600_000 } : result)),
  ),
  gatewayFault(
    'gw-scope-changed',
    { what: 'cacheScope has the other value.', breaks: ['gateway.cache-fields-kept'], where: isStateless },
    onResult('*', result =>
      'cacheScope' in result
        ? { ...result, cacheScope: result.cacheScope === 'public' ? 'private' : 'public' }
        : result,
    ),
  ),
];
