/** Faults in what the gateway sends to its server. */

import { envelopeKeys } from '../../../harness/record/envelope.js';
import { beginsHandshake } from '../../../harness/record/handshake.js';
import { isObject, type Json, type JsonObject } from '../../../spec/json-rpc.js';
import { hasHandshake, isStateless } from '../../server/faults/shared.js';
import {
  type GatewayDeviation,
  type GatewayMiddleware,
  gatewayFault,
  onAnswer,
  onReply,
  toServer,
} from '../fault.js';
import { argumentsOf, copyOf, isCopy, withArguments, withMeta, withParams } from '../messages.js';

const http = ['streamable-http'] as const;

/** Drops cancellations, and the responses that nobody waits for any more. */
const cancellationDropped: GatewayMiddleware = {
  toServer(message, { memory }) {
    if (message.method !== 'notifications/cancelled') return message;
    if (isObject(message.params)) idsIn(memory).add(JSON.stringify(message.params.requestId));
    return undefined;
  },
  toClient: (message, { memory }) =>
    message.method === undefined && idsIn(memory).has(JSON.stringify(message.id)) ? undefined : message,
};

const idsIn = (memory: { keep<T>(make: () => T): T }): Set<string> => memory.keep(() => new Set<string>());

export const requestFaults: readonly GatewayDeviation[] = [
  gatewayFault(
    'gw-unknown-argument-dropped',
    {
      what: 'Arguments that the schema of a tool does not name are dropped.',
      breaks: ['gateway.requests-unchanged'],
    },
    toServer('tools/call', message => {
      const { 'x-unknown': _, ...rest } = argumentsOf(message);
      return 'x-unknown' in argumentsOf(message) ? withArguments(message, rest) : message;
    }),
  ),
  gatewayFault(
    'gw-arguments-in-ascii',
    {
      what: 'Characters beyond ASCII become question marks on the way to the server.',
      breaks: ['gateway.requests-unchanged'],
    },
    toServer('tools/call', message =>
      withArguments(
        message,
        JSON.parse(JSON.stringify(argumentsOf(message)).replace(/[^\x20-\x7e]/g, '?')) as JsonObject,
      ),
    ),
  ),
  gatewayFault(
    'gw-arguments-cut',
    { what: 'Texts of more than 65,536 characters are cut.', breaks: ['gateway.requests-unchanged'] },
    toServer('tools/call', message => {
      const { text, ...rest } = argumentsOf(message);
      return typeof text === 'string'
        ? withArguments(message, { ...rest, text: text.slice(0, 65_536) })
        : message;
    }),
  ),
  gatewayFault(
    'gw-numbers-as-text',
    { what: 'Numbers in arguments become texts.', breaks: ['gateway.requests-unchanged'] },
    toServer('tools/call', message =>
      'large' in argumentsOf(message)
        ? withArguments(message, { ...argumentsOf(message), large: String(argumentsOf(message).large) })
        : message,
    ),
  ),
  gatewayFault(
    'gw-client-info-dropped',
    {
      what: 'Requests do not name the client behind the gateway, so that those of several clients look alike.',
      breaks: ['meta.client-info-included'],
      over: http,
      behind: http,
      where: isStateless,
    },
    toServer('*', message => withMeta(message, ({ [envelopeKeys.clientInfo]: _, ...rest }) => rest)),
  ),
  gatewayFault(
    'gw-request-state-changed',
    {
      what: 'The state that the server gave with a question comes back with another end.',
      breaks: ['gateway.requests-unchanged', 'mrtr.client-echoes-state', 'mrtr.client-state-opaque'],
      where: isStateless,
    },
    toServer('tools/call', message => {
      const { requestState: state } = isObject(message.params) ? message.params : {};
      return typeof state === 'string' ? withParams(message, { requestState: `${state}=` }) : message;
    }),
  ),
  gatewayFault(
    'gw-prompt-arguments-trimmed',
    {
      what: 'Arguments of prompts lose the white space at their ends and their line breaks.',
      breaks: ['gateway.requests-unchanged'],
    },
    toServer('prompts/get', message =>
      withArguments(
        message,
        Object.fromEntries(
          Object.entries(argumentsOf(message)).map(([name, value]) => [
            name,
            String(value).replace(/\s+/g, ' '),
          ]),
        ),
      ),
    ),
  ),
  gatewayFault(
    'gw-uri-changed',
    {
      what: 'The URI of resources/read has a question mark at its end.',
      breaks: ['gateway.requests-unchanged'],
      over: ['stdio'],
    },
    toServer('resources/read', message => {
      const { uri } = isObject(message.params) ? message.params : {};
      return String(uri).startsWith('test://template')
        ? withParams(message, { uri: `${String(uri)}?` })
        : message;
    }),
  ),
  gatewayFault(
    'gw-request-meta-dropped',
    {
      what: 'Members of _meta that the specification does not name are dropped.',
      breaks: ['gateway.request-meta-kept'],
    },
    toServer('*', message =>
      withMeta(message, meta =>
        Object.fromEntries(
          Object.entries(meta).filter(([name]) => /^io\.modelcontextprotocol\/|^progressToken$/.test(name)),
        ),
      ),
    ),
  ),
  gatewayFault(
    'gw-progress-token-dropped',
    { what: 'The progress token of the client is dropped.', breaks: ['gateway.request-meta-kept'] },
    toServer('tools/call', message => withMeta(message, ({ progressToken: _, ...rest }) => rest)),
  ),
  gatewayFault(
    'gw-call-repeated',
    { what: 'Each tools/call is sent to the server twice.', breaks: ['gateway.nothing-repeated'] },
    toServer('tools/call', (message, place) => {
      if (argumentsOf(message).text === 'meta') place.toServer(copyOf(message));
      return message;
    }),
    { toClient: message => (isCopy(message) ? undefined : message) },
  ),
  gatewayFault(
    'gw-call-invented',
    { what: 'Each prompts/get causes a tools/call.', breaks: ['gateway.nothing-added'] },
    toServer('prompts/get', (message, place) => {
      const { _meta } = isObject(message.params) ? message.params : {};
      const params = {
        name: 'test_image_content',
        arguments: { of: 'the gateway' },
        ...(_meta !== undefined && { _meta }),
      };
      if (isFirst(place.memory.count())) place.toServer({ ...copyOf(message), method: 'tools/call', params });
      return message;
    }),
    { toClient: message => (isCopy(message) ? undefined : message) },
  ),
  gatewayFault(
    'gw-completion-answered',
    {
      what: 'The gateway answers completion/complete by itself, without values.',
      breaks: ['gateway.requests-forwarded'],
      over: ['stdio'],
    },
    toServer('completion/complete', (message, place) => {
      const result = { completion: { values: [] } };
      const isModern = isObject(message.params) && isObject(message.params._meta);
      place.toClient({
        jsonrpc: '2.0',
        id: message.id!,
        result: isModern ? { ...result, resultType: 'complete', _meta: ownInfo } : result,
      });
      return undefined;
    }),
  ),
  gatewayFault(
    'gw-cancellation-dropped',
    {
      what: 'notifications/cancelled does not reach the server.',
      breaks: ['gateway.cancellations-forwarded'],
      over: ['stdio'],
    },
    cancellationDropped,
  ),
  gatewayFault(
    'gw-cancellation-dropped-http',
    {
      what: 'notifications/cancelled of a session does not reach the server.',
      breaks: ['gateway.cancellations-forwarded'],
      over: http,
      where: hasHandshake,
    },
    cancellationDropped,
  ),
  gatewayFault(
    'gw-roots-change-dropped',
    {
      what: 'notifications/roots/list_changed does not reach the server.',
      breaks: ['gateway.client-notifications-forwarded'],
    },
    toServer('notifications/roots/list_changed', () => undefined),
  ),
  gatewayFault(
    'gw-client-capability-added',
    {
      what: 'The gateway declares an experimental capability in the name of its client.',
      breaks: ['gateway.client-capabilities-kept'],
    },
    toServer('*', message => {
      const experimental = { 'com.example/gateway': {} };
      const add = (capabilities: Json | undefined) =>
        isObject(capabilities) ? { ...capabilities, experimental } : { experimental };
      if (beginsHandshake(message) && isObject(message.params))
        return withParams(message, { capabilities: add(message.params.capabilities) });
      return withMeta(message, meta => {
        const name = 'io.modelcontextprotocol/clientCapabilities';
        return name in meta ? { ...meta, [name]: add(meta[name]) } : meta;
      });
    }),
  ),
  gatewayFault(
    'gw-elicitation-answer-emptied',
    {
      what: 'The content of the answer to an elicitation does not reach the server.',
      breaks: ['gateway.answers-unchanged'],
      where: hasHandshake,
    },
    onAnswer(message => {
      const { result } = message;
      if (!isObject(result) || result.action !== 'accept') return message;
      return { ...message, result: { ...result, action: 'decline', content: {} } };
    }),
  ),
  gatewayFault(
    'gw-sampling-answer-replaced',
    {
      what: 'The answer to sampling/createMessage has another model.',
      breaks: ['gateway.answers-unchanged'],
      where: hasHandshake,
    },
    onAnswer(message =>
      isObject(message.result) && 'model' in message.result
        ? { ...message, result: { ...message.result, model: 'gateway' } }
        : message,
    ),
  ),
  gatewayFault(
    'gw-parameter-header-dropped',
    {
      what: 'Mcp-Param headers that the gateway does not know are dropped.',
      breaks: ['http-headers.intermediary-forwards'],
      over: http,
      behind: http,
      where: isStateless,
    },
    {
      requestHead: head => ({
        ...head,
        headers: Object.fromEntries(
          Object.entries(head.headers).filter(([name]) => name !== 'mcp-param-unknown'),
        ),
      }),
    },
  ),
  gatewayFault(
    'gw-contradiction-with-200',
    {
      what: 'The gateway answers a header that contradicts the body with status 200.',
      breaks: ['http-headers.intermediary-error-status', 'http-headers.mismatch-http-400'],
      over: http,
      where: isStateless,
    },
    { refuses: (message, asked) => (asked.get('mcp-method') === message.method ? undefined : 200) },
  ),
  gatewayFault(
    'gw-private-result-shared',
    {
      what: 'A cached result of resources/read answers the request of another user.',
      breaks: ['caching.private-not-shared'],
      over: http,
      behind: http,
      where: isStateless,
    },
    { shares: () => 'resources/read' },
  ),
  gatewayFault(
    'gw-responses-exchanged',
    {
      what: 'The results of two clients are exchanged.',
      breaks: ['gateway.clients-apart', 'gateway.results-unchanged'],
      over: http,
    },
    onReply('tools/call', (message, { ask, memory }) => {
      const { text } = ask ? argumentsOf(ask) : {};
      if (typeof text !== 'string' || !text.startsWith('client ')) return message;
      const first = memory.keep(() => message.result ?? null);
      return { ...message, result: first };
    }),
  ),
];

const ownInfo = { 'io.modelcontextprotocol/serverInfo': { name: 'gateway', version: '1.0.0' } };

const isFirst = (count: number): boolean => count === 1;
