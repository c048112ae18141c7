/** Test support: checks generated values with an independent validator. */

import { Ajv } from 'ajv';
import { Ajv2020 } from 'ajv/dist/2020.js';
import formatsPlugin from 'ajv-formats';
import fc from 'fast-check';
import { formats } from '../../spec/formats.js';
import type { Json, JsonObject } from '../../spec/json-rpc.js';
import type { SchemaDocument } from '../../spec/vocabulary.js';
import type { Schema } from './keywords.js';
import { arbitraryOf } from './schema.js';

/** A validator that shares no code with the validator of the generator. */
export function validatorOf(schema: Schema): (value: Json) => boolean {
  // A schema that is invalid in the newest dialect uses the older one; a pattern with unnecessary escapes
  // needs the older flag.
  for (const Validator of String((schema as JsonObject).$schema).includes('draft-07')
    ? [Ajv]
    : [Ajv2020, Ajv])
    for (const unicodeRegExp of [true, false])
      try {
        const ajv = new Validator({ strict: false, logger: false, ownProperties: true, unicodeRegExp });
        formatsPlugin.default(ajv);
        return ajv.compile(schema as object) as (value: Json) => boolean;
      } catch {
        // try the next interpretation
      }
  throw new Error(`not a schema: ${JSON.stringify(schema)}`);
}

/** The same for every definition of a revision, each compiled once. */
export function validatorsOf(document: SchemaDocument): (definition: string) => (value: Json) => boolean {
  const ajv = new Ajv({ strict: false, logger: false, validateSchema: false, formats });
  ajv.addSchema(document, 'revision');
  return definition => ajv.getSchema(`revision#/definitions/${definition}`) as (value: Json) => boolean;
}

interface Inspection {
  readonly unsupported: readonly string[];
  /** Values that do not fit, including values found while a failure shrinks. */
  readonly misfits: readonly Json[];
  /** Expected features that no value has. */
  readonly unreached: readonly string[];
}

/** 200 values for a schema, and the shrink steps of one of them. */
export function inspect(schema: Schema, reaches: readonly ((value: Json) => boolean)[]): Inspection {
  const { arbitrary, unsupported } = arbitraryOf(schema);
  const values = fc.sample(arbitrary, { numRuns: 200, seed: 1 });
  const met: Json[] = [];
  // Every value fails, so that all shrink steps are tried.
  const property = fc.property(arbitrary, value => {
    met.push(value);
    return false;
  });
  fc.check(property, { seed: 2, numRuns: 1 });
  const fits = validatorOf(schema);
  return {
    unsupported,
    misfits: [...values, ...met].filter(value => !fits(value)),
    unreached: reaches.filter(reached => !values.some(reached)).map(String),
  };
}
