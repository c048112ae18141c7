/** From any JSON Schema, as tools and forms advertise them, to values that fit it. */

import type fc from 'fast-check';
import type { Json } from '../../spec/json-rpc.js';
import { Builder, type Limits, usualLimits } from './builder.js';
import { CannotGenerate } from './cannot-generate.js';
import { type Dialect, Document, type Schema } from './document.js';

export interface SchemaOptions {
  /** What a schema without `$schema` is written in; 2020-12 by default, and draft-07 where it cannot be that. */
  readonly dialect?: Dialect;
  /** How large and how deep values get. */
  readonly limits?: Partial<Limits>;
}

export interface Generated<T = Json> {
  readonly arbitrary: fc.Arbitrary<T>;
  /** What the schema allows and is not generated, one line each: `#/place: keyword: reason`. Empty as a rule. */
  readonly unsupported: readonly string[];
}

/**
 * Values that fit a JSON Schema: hostile, but legal.
 * @throws CannotGenerate when nothing fits, nothing can be made, or the schema is none; it says where and which keyword
 */
export function arbitraryOf(schema: Schema, options: SchemaOptions = {}): Generated {
  const builder = new Builder(documentOf(schema, options.dialect), { ...usualLimits, ...options.limits });
  const arbitrary = builder.build([schema]);
  return { arbitrary, unsupported: [...builder.unsupported] };
}

/** A schema that does not say what it is written in is read as the newest dialect it is valid in. */
export function documentOf(schema: Schema, dialect?: Dialect): Document {
  if (dialect !== undefined) return new Document(schema, dialect);
  try {
    return new Document(schema, '2020-12');
  } catch (error) {
    if (!(error instanceof CannotGenerate)) throw error;
    try {
      return new Document(schema, 'draft-07');
    } catch {
      throw error;
    }
  }
}
