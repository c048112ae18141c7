/** Test support: whether what is generated for a schema fits it, in the eyes of somebody else. */

import { Ajv } from 'ajv';
import { Ajv2020 } from 'ajv/dist/2020.js';
import formatsPlugin from 'ajv-formats';
import fc from 'fast-check';
import { formats } from '../../spec/formats.js';
import type { Json, JsonObject } from '../../spec/json-rpc.js';
import type { SchemaDocument } from '../../spec/vocabulary.js';
import type { Schema } from './document.js';
import { arbitraryOf } from './schema.js';

/** A validator that shares nothing with the generator's own. */
export function validatorOf(schema: Schema): (value: Json) => boolean {
  // What is not valid in the newest dialect is written in the old one; what has sloppy escapes needs the old flag.
  for (const Validator of String((schema as JsonObject).$schema).includes('draft-07')
    ? [Ajv]
    : [Ajv2020, Ajv])
    for (const unicodeRegExp of [true, false])
      try {
        const ajv = new Validator({ strict: false, logger: false, ownProperties: true, unicodeRegExp });
        formatsPlugin.default(ajv);
        return ajv.compile(schema as object) as (value: Json) => boolean;
      } catch {
        // the next reading
      }
  throw new Error(`not a schema: ${JSON.stringify(schema)}`);
}

/** The same for every definition of a revision, each compiled once. */
export function validatorsOf(document: SchemaDocument): (definition: string) => (value: Json) => boolean {
  const ajv = new Ajv({ strict: false, logger: false, validateSchema: false, formats });
  ajv.addSchema(document, 'revision');
  return definition => ajv.getSchema(`revision#/definitions/${definition}`) as (value: Json) => boolean;
}

export interface Inspection {
  readonly unsupported: readonly string[];
  /** Values that do not fit, those met on the way down from a failure included. */
  readonly misfits: readonly Json[];
  /** What none of the values has shown. */
  readonly unreached: readonly string[];
}

/** Two hundred values for a schema, and how one of them shrinks. */
export function inspect(schema: Schema, reaches: readonly ((value: Json) => boolean)[]): Inspection {
  const { arbitrary, unsupported } = arbitraryOf(schema);
  const values = fc.sample(arbitrary, { numRuns: 200, seed: 1 });
  const met: Json[] = [];
  // Everything fails, so that every step of the way down is tried.
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
