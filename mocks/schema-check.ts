/** Values of the mocks against JSON Schemas. */

import { createRequire } from 'node:module';
import type { Ajv2020, ValidateFunction } from 'ajv/dist/2020.js';
import { firstErrorOf } from '../spec/first-error.js';
import type { JsonObject } from '../spec/json-rpc.js';

let ajv: Ajv2020 | undefined;
const compiled = new Map<string, ValidateFunction>();

/** Loaded on the first unusual schema, so that a mock starts fast. */
function compile(schema: JsonObject): ValidateFunction {
  const { Ajv2020 } = createRequire(import.meta.url)('ajv/dist/2020.js') as typeof import('ajv/dist/2020.js');
  ajv ??= new Ajv2020({ strict: false, validateFormats: false, validateSchema: false });
  return ajv.compile(schema);
}

/** The first error of a value against a JSON Schema, in a few words; undefined when the value is valid. */
export function firstSchemaError(schema: JsonObject, value: JsonObject): string | undefined {
  try {
    const problem = firstErrorOf(schema)(schema, value);
    return problem && `${problem.path} ${problem.message}`.trim();
  } catch {
    return firstErrorByAjv(schema, value);
  }
}

function firstErrorByAjv(schema: JsonObject, value: JsonObject): string | undefined {
  const key = JSON.stringify(schema);
  let validate = compiled.get(key);
  if (!validate) {
    validate = compile(schema);
    compiled.set(key, validate);
  }
  if (validate(value)) return undefined;
  const [error] = validate.errors ?? [];
  return `${error?.instancePath ?? ''} ${error?.message ?? 'does not match'}`.trim();
}
