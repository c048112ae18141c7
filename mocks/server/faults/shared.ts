/** Code that several fault files share. */

import { envelopeKeys } from '../../../harness/record/envelope.js';
import { isObject, type Json, type JsonObject, parseJson, without } from '../../../spec/json-rpc.js';
import type { Revision } from '../../../spec/revisions.js';
import {
  type Hooks,
  type Middleware,
  onBytes,
  onError,
  onIncoming,
  onMessage,
  onReply,
  onRequest,
  onResult,
  onWorld,
  refusal,
} from '../../fault.js';
import type { Context } from '../context.js';
import { tasksExtension } from '../extensions/tasks.js';
import type { Incoming } from '../http/reply.js';
import type { World } from '../interfaces.js';
import { codes } from '../refusal.js';
import { hasEnvelope, isComplete } from '../stateless.js';

/** Faults whose deviation exists only where the server may send requests, or where there is a handshake. */
export const hasHandshake = ({ era }: Revision): boolean => era === 'legacy';

/** Faults whose deviation exists only without a handshake. */
export const isStateless = ({ era }: Revision): boolean => era === 'modern';

export const lists = ['tools/list', 'resources/list', 'resources/templates/list', 'prompts/list'];

const codeOf = (reply: JsonObject): Json | undefined =>
  isObject(reply.error) ? reply.error.code : undefined;

/**
 * Acts when a method is rejected as unknown, but not in batches, nor because of a missing task: both cases
 * have other requirements.
 */
export const onUnknownMethod = (change: Hooks['reply']): Middleware =>
  onReply('*', (reply, ask, context) =>
    codeOf(reply) === codes.methodNotFound && ask.method !== 'tools/call' && !context.session.isBatched(ask)
      ? change(reply, ask, context)
      : reply,
  );

/** Acts when one kind of request is rejected, for any reason. */
export const onRefused = (method: string, change: Hooks['reply']): Middleware =>
  onReply(method, (reply, ask, context) =>
    'error' in reply && !isAboutMetadata(reply, ask, context) ? change(reply, ask, context) : reply,
  );

/** Whether a request is refused for its metadata, which have rows of their own. */
function isAboutMetadata(reply: JsonObject, ask: JsonObject, { session }: Context): boolean {
  const isModern = hasEnvelope(ask) || session.options.revisions.length === 0;
  return codeOf(reply) === codes.unsupportedVersion || (isModern && !isComplete(ask));
}

/** The code of an internal error in place of another code. */
export const internalInPlaceOf = (code: number, method: string): Middleware =>
  onError(method, error => (error.code === code ? { ...error, code: codes.internalError } : error));

/** Error -32021 does not name the missing capability. */
export const unnamedCapability = (method: string): Middleware =>
  onError(method, error => (error.code === codes.missingClientCapability ? without(error, 'data') : error));

/** An additional action before a tool is called. */
export const beforeCall = (act: (context: Context) => unknown): Middleware =>
  onRequest('tools/call', (ask, context) => {
    act(context);
    return ask;
  });

export const announcedLists = ['tools', 'prompts', 'resources'] as const;

const calls = (context: Context): { isCalled: boolean } => context.keep(() => ({ isCalled: false }));

/**
 * The last page of each of these lists has one item more after the first tools/call of a connection.
 * @param first an additional action at this call
 */
export const growAfterCall = (
  names: readonly (typeof announcedLists)[number][],
  first: (context: Context) => unknown = () => {},
): Middleware[] => [
  beforeCall(context => {
    if (!calls(context).isCalled) first(context);
    calls(context).isCalled = true;
  }),
  ...names.map(list =>
    onResult(`${list}/list`, (body, _ask, context) => {
      const items = body[list];
      if (!calls(context).isCalled || !Array.isArray(items) || body.nextCursor !== undefined) return body;
      const item = {
        name: 'own',
        ...(list === 'resources' && { uri: 'test://own' }),
        ...(list === 'tools' && { inputSchema: { type: 'object' } }),
      };
      return { ...body, [list]: [...items, item] };
    }),
  ),
];

/** An additional action after `notifications/initialized`. */
export const afterInitialized = (act: (context: Context) => unknown): Middleware =>
  onIncoming((message, context) => {
    if (isObject(message) && message.method === 'notifications/initialized') act(context);
    return message;
  });

/** Acts on the lines of one kind of notification, which no other part waits for. */
export const onLinesOf = (method: string, change: (text: string) => string | Buffer): Middleware =>
  onBytes(text => (text.includes(`"method":"${method}"`) ? change(text) : text));

/** Changes the first matching item of a list. */
export const changeItem = (
  items: Json | undefined,
  fits: (item: JsonObject) => boolean,
  change: (item: JsonObject) => Json,
): Json => {
  const all = Array.isArray(items) ? items : [];
  const at = all.findIndex(item => isObject(item) && fits(item));
  return all.map((item, index) => (index === at ? change(item as JsonObject) : item));
};

export const paramsOf = (message: JsonObject): JsonObject => (isObject(message.params) ? message.params : {});

/** Rejects a list method as unknown, except for requests with a cursor. */
export const refusedWithoutCursor: Hooks['reply'] = (reply, ask) =>
  paramsOf(ask).cursor === undefined ? refusal(ask, codes.methodNotFound, 'Method not found') : reply;

/** The message of an HTTP request, if it has this method. */
export function askedIn({ body }: Incoming, method: string): JsonObject | undefined {
  const message = parseJson(body);
  return isObject(message) && message.method === method ? message : undefined;
}

/** Served completely or partly, but not declared. */
export const undeclared = (capability: string) =>
  onWorld(world => {
    world.capabilities = without(world.capabilities, capability);
  });

/** Changes the parameters of requests of the mock. */
export const onAsking = (method: string, change: (params: JsonObject) => JsonObject): Middleware =>
  onMessage(message =>
    message.method === method && 'id' in message
      ? { ...message, params: change(paramsOf(message)) }
      : message,
  );

export const sampling = (change: (params: JsonObject) => JsonObject) =>
  onAsking('sampling/createMessage', change);

export const onTools = (change: (tool: JsonObject) => JsonObject) => (params: JsonObject) =>
  Array.isArray(params.tools) ? { ...params, tools: (params.tools as JsonObject[]).map(change) } : params;

export const listedTool = (fits: (tool: JsonObject) => boolean, change: (tool: JsonObject) => JsonObject) =>
  onResult('tools/list', body => ({ ...body, tools: changeItem(body.tools, fits, change) }));

/** Adds a resource with a file URI. @param others the URIs that are served besides, with a text */
export function serveFiles(world: World, others: RegExp, text: string): void {
  world.resources.push({
    definition: { uri: 'file:///srv/docs/readme.txt', name: 'readme', mimeType: 'text/plain' },
    read: () => ({ mimeType: 'text/plain', text: 'Read me.' }),
  });
  world.templates.push({
    definition: { uriTemplate: 'file:///srv/docs/{+path}', name: 'docs', mimeType: 'text/plain' },
    matches: others,
    read: () => ({ mimeType: 'text/plain', text }),
  });
}

/** Whether a request declares the tasks extension. */
export const declaresTasks = (ask: JsonObject): boolean => {
  const { _meta: meta } = paramsOf(ask);
  const capabilities = isObject(meta) ? meta[envelopeKeys.clientCapabilities] : undefined;
  const extensions = isObject(capabilities) ? capabilities.extensions : undefined;
  return isObject(extensions) && tasksExtension in extensions;
};

/** A task whose createdAt is a minute later. */
export const aMinuteLater = (task: JsonObject): JsonObject => ({
  ...task,
  createdAt: new Date(Date.parse(String(task.createdAt)) + 60_000).toISOString(),
});
