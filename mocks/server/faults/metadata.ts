/** The metadata of requests, for faults that change it. */

import { isObject, type JsonObject } from '../../../spec/json-rpc.js';
import type { Context } from '../context.js';
import { paramsOf } from './shared.js';

export const key = (name: string): string => `io.modelcontextprotocol/${name}`;

export const metaOf = (ask: JsonObject): JsonObject => {
  const { _meta: meta } = paramsOf(ask);
  return isObject(meta) ? meta : {};
};

export const withMeta = (ask: JsonObject, more: JsonObject): JsonObject => ({
  ...ask,
  params: { ...paramsOf(ask), _meta: { ...metaOf(ask), ...more } },
});

export const offered = ({ session }: Context): string[] => session.options.stateless.map(r => r.id);
