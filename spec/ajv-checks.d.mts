import type { Ajv } from 'ajv';
import type { Json, JsonObject } from './json-rpc.js';
import type { Dialect } from './schema-cost.js';

export declare function identityOf(json: Json): string;
export declare function withLinearUniqueItems<A extends Ajv>(ajv: A): A;
export declare const dialects: readonly Dialect[];
export declare function metaFlaw(dialect: Dialect, schema: JsonObject): string | undefined;
export declare function compile(
  dialect: Dialect,
  schema: JsonObject,
): ((value: unknown) => { readonly path: string; readonly message: string } | undefined) | undefined;
