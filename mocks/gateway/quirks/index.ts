/** Legal but unusual behaviours of the reference gateway. */

import { formatSse } from '../../../harness/framing/sse.js';
import { idKey } from '../../../harness/record/message.js';
import { isObject, type Json, type JsonObject } from '../../../spec/json-rpc.js';
import { latestRevision } from '../../../spec/revisions.js';
import {
  type GatewayDeviation,
  gatewayQuirk,
  onAnswerHead,
  onHead,
  onResult,
  onWrite,
  toClient,
  toServer,
} from '../fault.js';
import { withMeta, withParams } from '../messages.js';

const http = ['streamable-http'] as const;

/** The same value with the members of each object in the reverse order. */
function reversed(value: Json): Json {
  if (Array.isArray(value)) return value.map(reversed);
  if (!isObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value)
      .reverse()
      .map(([name, item]) => [name, reversed(item)]),
  );
}

/** An event with a message: what comes before the first event of a stream is not changed. */
const isEvent = (text: string): boolean => /^data:.*jsonrpc/m.test(text);

export const gatewayQuirks: readonly GatewayDeviation[] = [
  gatewayQuirk(
    'gw-members-reversed',
    { what: 'Members of objects have the reverse order on both sides.' },
    { toServer: message => reversed(message), toClient: message => reversed(message) },
  ),
  gatewayQuirk(
    'gw-texts-escaped',
    { what: 'Characters beyond ASCII are written as escapes.', over: ['stdio'] },
    onWrite(text =>
      text.replace(/[\u0080-\uffff]/g, c => `\\u${c.charCodeAt(0).toString(16).padStart(4, '0')}`),
    ),
  ),
  gatewayQuirk(
    'gw-ids-numbered',
    { what: 'Requests of the client have other ids behind the gateway.', over: ['stdio'] },
    {
      toServer(message, { memory }) {
        if (message.method === 'notifications/cancelled' && isObject(message.params)) {
          const asked = idKey(message.params.requestId);
          const [number] = [...numbers(memory)].find(([, id]) => idKey(id) === asked) ?? [];
          return number === undefined
            ? message
            : { ...message, params: { ...message.params, requestId: number } };
        }
        if (message.method === undefined || message.id === undefined) return message;
        const number = `gateway-${memory.count()}`;
        numbers(memory).set(number, message.id);
        return { ...message, id: number };
      },
      toClient(message, { memory }) {
        const params = isObject(message.params) ? message.params : undefined;
        const meta = isObject(params?._meta) ? params._meta : undefined;
        const subscription = 'io.modelcontextprotocol/subscriptionId';
        const listening = numbers(memory).get(String(meta?.[subscription]));
        if (listening !== undefined)
          return { ...message, params: { ...params, _meta: { ...meta, [subscription]: listening } } };
        const id = message.method === undefined ? numbers(memory).get(String(message.id)) : undefined;
        return id === undefined ? message : { ...message, id };
      },
    },
  ),
  gatewayQuirk(
    'gw-tokens-numbered',
    { what: 'Progress tokens of the client have another value behind the gateway.', over: ['stdio'] },
    {
      toServer: (message, { memory }) =>
        withMeta(message, meta => {
          if (meta.progressToken === undefined) return meta;
          const token = `token-${memory.count()}`;
          numbers(memory).set(token, meta.progressToken);
          return { ...meta, progressToken: token };
        }),
      toClient(message, { memory }) {
        const params = isObject(message.params) ? message.params : undefined;
        const token = numbers(memory).get(String(params?.progressToken));
        return token === undefined ? message : { ...message, params: { ...params, progressToken: token } };
      },
    },
  ),
  gatewayQuirk(
    'gw-states-numbered',
    {
      what: 'The state of an input-required result has another value before the gateway.',
      over: ['stdio'],
      where: ({ era }) => era === 'modern',
    },
    {
      toServer(message, { memory }) {
        const params = isObject(message.params) ? message.params : {};
        const state = numbers(memory).get(String(params.requestState));
        return state === undefined ? message : { ...message, params: { ...params, requestState: state } };
      },
      toClient(message, { memory }) {
        const result = isObject(message.result) ? message.result : {};
        if (result.requestState === undefined) return message;
        const name = `state-${memory.count()}`;
        numbers(memory).set(name, result.requestState);
        return { ...message, result: { ...result, requestState: name } };
      },
    },
  ),
  gatewayQuirk(
    'gw-items-with-meta',
    {
      what: 'Tools have a member of _meta of the gateway, and prompts without arguments an empty list of them.',
    },
    onResult('tools/list', result =>
      itemsOf(result, 'tools', tool => ({ ...tool, _meta: { 'com.example/hop': 1, ...metaOf(tool) } })),
    ),
    onResult('prompts/list', result => itemsOf(result, 'prompts', prompt => ({ arguments: [], ...prompt }))),
  ),
  gatewayQuirk(
    'gw-defaults-declared',
    {
      what: 'Capabilities that are not declared are declared as false or as empty, and forms are named as the mode of elicitation.',
      over: ['stdio'],
      where: ({ id }) => id === latestRevision.id,
    },
    toServer('initialize', message =>
      withParams(message, { capabilities: { ...capabilitiesOf(message.params), elicitation: { form: {} } } }),
    ),
    onResult('initialize', result => {
      const capabilities = capabilitiesOf(result);
      return {
        ...result,
        capabilities: { ...capabilities, experimental: {}, completions: { listChanged: false } },
      };
    }),
    toClient('elicitation/create', message => withParams(message, { mode: 'form' })),
  ),
  gatewayQuirk(
    'gw-meta-added',
    { what: 'Requests have a further member of _meta behind the gateway.' },
    toServer('*', message => withMeta(message, meta => ({ ...meta, 'com.example/hop': 1 }))),
  ),
  gatewayQuirk(
    'gw-written-in-pieces',
    { what: 'Each message is written in pieces of 1,000 characters.' },
    onWrite(text => text.match(/.{1,1000}/gsu) ?? text),
  ),
  gatewayQuirk(
    'gw-empty-lines',
    { what: 'An empty line follows each line.', over: ['stdio'], behind: ['stdio'] },
    onWrite((text, to) => (to === 'server' ? [text, '\n'] : text)),
  ),
  gatewayQuirk(
    'gw-via',
    { what: 'Requests and responses have Via, X-Forwarded-For and a request id.', over: http },
    onHead(head => ({
      ...head,
      headers: { ...head.headers, via: '1.1 gateway', 'x-forwarded-for': '127.0.0.1', 'x-request-id': 'abc' },
    })),
    onAnswerHead(head => ({
      ...head,
      headers: { ...head.headers, via: '1.1 gateway', server: 'gateway/1.0' },
    })),
  ),
  gatewayQuirk(
    'gw-header-order',
    { what: 'Headers have the reverse order.', over: http },
    onHead(head => ({ ...head, headers: Object.fromEntries(Object.entries(head.headers).reverse()) })),
  ),
  gatewayQuirk(
    'gw-comments',
    { what: 'A comment precedes each event of a stream.', over: http },
    onWrite(text => (isEvent(text) ? [formatSse({ comments: ['keep-alive'] }), text] : text)),
  ),
  gatewayQuirk(
    'gw-carriage-returns',
    { what: 'Lines of event streams end with a carriage return and a line feed.', over: http },
    onWrite(text => (isEvent(text) ? text.replace(/\r?\n/g, '\r\n') : text)),
  ),
  gatewayQuirk(
    'gw-unknown-events',
    { what: 'An event of a type of the gateway precedes each event of a stream.', over: http },
    onWrite(text => (isEvent(text) ? [formatSse({ event: 'gateway-beat', data: '' }), text] : text)),
  ),
  gatewayQuirk(
    'gw-numbers-in-other-forms',
    { what: 'Numbers are written in another form of the same value.', over: ['stdio'] },
    onWrite(text =>
      text.replace('"large":9007199254740991', '"large":9.007199254740991e15').replace(':2.5,', ':25e-1,'),
    ),
  ),
  gatewayQuirk(
    'gw-pings-itself',
    { what: 'The gateway sends ping to its server.', over: ['stdio'], where: ({ era }) => era === 'legacy' },
    toServer('prompts/get', (message, place) => {
      place.toServer({ jsonrpc: '2.0', id: `gateway-ping-${place.memory.count()}`, method: 'ping' });
      return message;
    }),
    { toClient: message => (isOwnPing(message) ? undefined : message) },
  ),
  gatewayQuirk('gw-newer-members-kept', {
    what: 'A gateway between two eras keeps members of results that the revision of its client does not have.',
    where: ({ id }) => id === latestRevision.id,
    translation: { result: result => result },
  }),
];

const metaOf = ({ _meta: meta }: JsonObject): JsonObject => (isObject(meta) ? meta : {});

const capabilitiesOf = (of: Json | undefined): JsonObject =>
  isObject(of) && isObject(of.capabilities) ? of.capabilities : {};

/** A result with changed items of a list. */
function itemsOf(result: JsonObject, member: string, change: (item: JsonObject) => JsonObject): JsonObject {
  const { [member]: items } = result;
  return Array.isArray(items)
    ? { ...result, [member]: items.map(item => (isObject(item) ? change(item) : item)) }
    : result;
}

const isOwnPing = ({ id, method }: JsonObject): boolean =>
  method === undefined && typeof id === 'string' && id.startsWith('gateway-ping-');

const numbers = (memory: { keep<T>(make: () => T): T }): Map<string, Json> =>
  memory.keep(() => new Map<string, Json>());
