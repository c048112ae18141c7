/** Changes to parts of messages, for the deviations of the gateway. */

import { isObject, type JsonObject } from '../../spec/json-rpc.js';

const paramsOf = ({ params }: JsonObject): JsonObject => (isObject(params) ? params : {});

export const withParams = (message: JsonObject, params: JsonObject): JsonObject => ({
  ...message,
  params: { ...paramsOf(message), ...params },
});

export const argumentsOf = (message: JsonObject): JsonObject => {
  const { arguments: given } = paramsOf(message);
  return isObject(given) ? given : {};
};

/** A call with other arguments; unchanged when it has none. */
export const withArguments = (message: JsonObject, args: JsonObject): JsonObject =>
  isObject(paramsOf(message).arguments) ? withParams(message, { arguments: args }) : message;

/** A message with other metadata; unchanged when it has none. */
export function withMeta(message: JsonObject, change: (meta: JsonObject) => JsonObject): JsonObject {
  const { _meta: meta } = paramsOf(message);
  return isObject(meta) ? withParams(message, { _meta: change(meta) }) : message;
}

const ofCopy = 'gateway-copy-';

/** The same request under another id. */
export const copyOf = (message: JsonObject): JsonObject => ({
  ...message,
  id: `${ofCopy}${String(message.id)}`,
});

export const isCopy = ({ id, method }: JsonObject): boolean =>
  method === undefined && typeof id === 'string' && id.startsWith(ofCopy);
