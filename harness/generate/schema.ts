/** Converts any JSON Schema, as advertised by tools and forms, to values that fit it. */

import type fc from 'fast-check';
import type { Json } from '../../spec/json-rpc.js';
import { Builder, type Limits, usualLimits } from './builder.js';
import { CannotGenerate } from './cannot-generate.js';
import { type Dialect, Document } from './document.js';
import type { Schema } from './keywords.js';

export interface SchemaOptions {
  /**
   * Dialect of a schema without `$schema`; 2020-12 by default, and draft-07 where the schema is not valid in
   * 2020-12.
   */
  readonly dialect?: Dialect;
  /** Size and depth of generated values. */
  readonly limits?: Partial<Limits>;
}

export interface Generated<T = Json> {
  readonly arbitrary: fc.Arbitrary<T>;
  /**
   * Parts that the schema allows but that are not generated, one line each: `#/place: keyword: reason`.
   * Usually empty.
   */
  readonly unsupported: readonly string[];
}

/**
 * Values that fit a JSON Schema: unusual, but valid.
 * @throws CannotGenerate when no value fits, no value can be generated, or the schema is invalid; names the
 *   place and the keyword
 */
export function arbitraryOf(schema: Schema, options: SchemaOptions = {}): Generated {
  const builder = new Builder(documentOf(schema, options.dialect), { ...usualLimits, ...options.limits });
  const arbitrary = builder.build([schema]);
  return { arbitrary, unsupported: [...builder.unsupported] };
}

/** A schema without a dialect is read as the newest dialect in which it is valid. */
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
