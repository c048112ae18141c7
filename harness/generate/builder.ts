/** Converts the parts of a document to arbitraries: each part once, recursive parts once for each depth. */

import fc from 'fast-check';
import { isObject, type Json } from '../../spec/json-rpc.js';
import { partsOf } from '../../spec/schema-cost.js';
import { alternatives } from './alternatives.js';
import { type AnyLimits, anyJson } from './any.js';
import { arrays } from './arrays.js';
import { bounded, SearchEffort } from './bounded.js';
import { CannotGenerate, impossible } from './cannot-generate.js';
import type { Demands, Type } from './constraints.js';
import type { Document } from './document.js';
import type { Schema } from './keywords.js';
import { metaKeys, openNames } from './names.js';
import { isUsualUnit, numbers } from './numbers.js';
import { objects } from './objects.js';
import type { Occasions } from './rarely.js';
import { strings } from './strings.js';

/** Size and depth of generated values. */
export interface Limits extends AnyLimits {
  /** How many times a recursive schema is entered at most, from the root to a leaf. */
  readonly depth: number;
  /** Largest number of elements of an ordinary array, unless the schema requires more. */
  readonly items: number;
  /** Approximate number of elements of a rare, large array. */
  readonly manyItems: number;
}

export const usualLimits: Limits = {
  depth: 3,
  items: 4,
  manyItems: 150,
  nesting: 24,
  text: 12,
  hugeText: 65_537,
};

/** For uses where the size of a value does not matter. */
export const smallLimits: Limits = {
  depth: 2,
  items: 2,
  manyItems: 0,
  nesting: 2,
  text: 6,
  hugeText: 0,
};

/** Style of the names of unknown members: names in `_meta` follow a grammar. */
type Style = 'open' | 'meta';

export class Builder {
  /** Parts generated less freely than the schemas allow: place, keyword and reason. */
  readonly unsupported = new Set<string>();
  readonly #occasions: Occasions = { under: 0 };
  readonly #built = new Map<string, fc.Arbitrary<Json> | CannotGenerate>();
  readonly #ids = new WeakMap<object, number>();
  #id = 0;
  readonly #any: fc.Arbitrary<Json>;
  readonly #effort: SearchEffort | undefined;

  constructor(
    readonly document: Document,
    readonly limits: Limits = usualLimits,
  ) {
    this.#any = anyJson(limits, this.#occasions);
    this.#effort = document.isKnown ? undefined : new SearchEffort(partsOf(document.root));
  }

  /**
   * Values that fit all these parts of the document.
   * @throws CannotGenerate when there are none, or none can be generated
   */
  build(parts: readonly Schema[]): fc.Arbitrary<Json> {
    // Some values must be deeper than the usual limit; a schema that requires endless values has none at any
    // depth.
    for (const depth of [this.limits.depth, 2 * this.limits.depth + 2]) {
      try {
        return this.#node(parts, depth, 'open');
      } catch (error) {
        if (!(error instanceof CannotGenerate) || error.reason !== 'deep') throw error;
      }
    }
    throw impossible(
      this.document.pathOf(parts[0]!),
      '$ref',
      'every value contains another value, endlessly',
    );
  }

  #node(parts: readonly Schema[], depth: number, style: Style): fc.Arbitrary<Json> {
    if (parts.length === 0) return this.#any;
    const key = `${parts.map(part => this.#idOf(part)).join('&')}@${depth}${style}`;
    let built = this.#built.get(key);
    if (!built) {
      try {
        built = this.#make(parts, depth, style);
      } catch (error) {
        if (!(error instanceof CannotGenerate)) throw error;
        built = error;
      }
      this.#built.set(key, built);
    }
    if (built instanceof CannotGenerate) throw built;
    return built;
  }

  #make(parts: readonly Schema[], depth: number, style: Style): fc.Arbitrary<Json> {
    const path = this.document.pathOf(parts.find(part => this.document.pathOf(part) !== '#') ?? parts[0]!);
    const { demands, notes } = alternatives(parts, this.document);
    for (const note of notes) this.unsupported.add(note);
    const accepts = (value: Json) => parts.every(part => this.document.accepts(part, value));
    const ways: fc.Arbitrary<Json>[] = [];
    const failures: CannotGenerate[] = [];
    for (const way of demands) {
      try {
        ways.push(this.#way(way, { parts, path, accepts, depth: depth - way.entered, style }));
      } catch (error) {
        if (!(error instanceof CannotGenerate)) throw error;
        failures.push(error);
      }
    }
    const worst = ['unsupported', 'deep', 'impossible']
      .map(reason => failures.find(failure => failure.reason === reason))
      .find(failure => failure !== undefined);
    if (ways.length === 0)
      throw worst ?? impossible(path, 'schema', 'its parts contradict each other: no value fits all of them');
    for (const { reason, message } of failures) if (reason === 'unsupported') this.unsupported.add(message);
    return ways.length === 1 ? ways[0]! : fc.oneof({ withCrossShrink: true }, ...ways);
  }

  #way(demands: Demands, place: Place): fc.Arbitrary<Json> {
    if (place.depth < 0) throw new CannotGenerate(place.path, '$ref', 'deeper than the limit', 'deep');
    if (demands.values) {
      const { length } = demands.values;
      const most = this.#effort?.allowed(length) ?? length;
      const fitting = demands.values.slice(0, most).filter(place.accepts);
      this.#effort?.spend(most);
      if (fitting.length === 0 && most < length)
        throw new CannotGenerate(place.path, 'enum', 'no valid value was found');
      if (fitting.length === 0)
        throw impossible(place.path, 'enum', 'none of the listed values fits the other keywords');
      return fc.constantFrom(...fitting);
    }
    const kinds = oneOf(this.#kinds(demands, place));
    if (demands.checked.length === 0 && !needsCheck(demands)) return kinds;
    const keyword = demands.checked[0] ?? needsCheck(demands)!;
    return bounded(
      kinds,
      place.accepts,
      () => new CannotGenerate(place.path, keyword, 'no valid value was found'),
      this.#effort,
    );
  }

  /** One arbitrary for each type; types with constraints are generated more often. */
  #kinds(demands: Demands, place: Place): fc.WeightedArbitrary<Json>[] {
    const kinds: fc.WeightedArbitrary<Json>[] = [];
    const failures: CannotGenerate[] = [];
    const spoken = demands.types.filter(type => speaksOf[type](demands));
    for (const type of demands.types) {
      try {
        const weight = spoken.length === 0 || spoken.includes(type) ? 6 : 1;
        kinds.push({ weight, arbitrary: this.#kind(type, demands, place) });
      } catch (error) {
        if (!(error instanceof CannotGenerate)) throw error;
        failures.push(error);
      }
    }
    if (kinds.length === 0) throw failures.find(f => f.reason !== 'impossible') ?? failures[0]!;
    for (const { reason, message } of failures) if (reason === 'unsupported') this.unsupported.add(message);
    return kinds;
  }

  #kind(type: Type, demands: Demands, { path, depth, style }: Place): fc.Arbitrary<Json> {
    const note = (keyword: string, what: string) => this.unsupported.add(`${path}: ${keyword}: ${what}`);
    const context = { path, limits: this.limits, occasions: this.#occasions, note };
    switch (type) {
      case 'null':
        return fc.constant(null);
      case 'boolean':
        return fc.boolean();
      case 'number': {
        if (demands.multiples.some(unit => !isUsualUnit(unit)))
          throw new CannotGenerate(path, 'multipleOf', 'the unit is extremely small or large');
        const arbitrary = numbers(demands);
        if (!arbitrary) throw impossible(path, 'minimum', 'no number is within the bounds');
        return arbitrary;
      }
      case 'string':
        return strings(demands, {
          ...context,
          hasFormat: (format, text) => this.document.hasFormat(format, text),
        });
      case 'array':
        return arrays(demands, { ...context, build: parts => this.#node(parts, depth, 'open') });
      case 'object':
        return objects(demands, {
          ...context,
          names: style === 'meta' ? metaKeys : openNames,
          accepts: (schema, value) => this.document.accepts(schema, value),
          build: (parts, name) => this.#member(parts, name, depth),
        });
    }
  }

  /** `_meta` allows any member, but only names of its grammar. */
  #member(parts: readonly Schema[], name: string, depth: number): fc.Arbitrary<Json> {
    return this.#node(parts, depth, name === '_meta' ? 'meta' : 'open');
  }

  #idOf(schema: Schema): number {
    if (!isObject(schema)) return schema ? -1 : -2;
    let id = this.#ids.get(schema);
    if (id === undefined) {
      id = this.#id++;
      this.#ids.set(schema, id);
    }
    return id;
  }
}

interface Place {
  readonly parts: readonly Schema[];
  readonly path: string;
  accepts(value: Json): boolean;
  readonly depth: number;
  readonly style: Style;
}

const oneOf = (kinds: readonly fc.WeightedArbitrary<Json>[]): fc.Arbitrary<Json> =>
  kinds.length === 1 ? kinds[0]!.arbitrary : fc.oneof({ withCrossShrink: true }, ...kinds);

/** Keywords whose combination is not built in: the result is checked. */
function needsCheck(demands: Demands): string | undefined {
  if (demands.unique) return 'uniqueItems';
  if (demands.contains.length > 0) return 'contains';
  if (demands.minProperties > 0 || demands.maxProperties < Infinity) return 'minProperties';
  if (demands.names.length > 0) return 'propertyNames';
  if (demands.multiples.length > 0) return 'multipleOf';
  return undefined;
}

/** Whether any keyword of a type is used. */
const speaksOf: Readonly<Record<Type, (demands: Demands) => boolean>> = {
  null: () => false,
  boolean: () => false,
  number: d => d.whole || d.minimum > -Infinity || d.maximum < Infinity || d.multiples.length > 0,
  string: d => d.minLength > 0 || d.maxLength < Infinity || d.patterns.length + d.formats.length > 0,
  array: d => d.elements.length + d.contains.length + d.minItems > 0 || d.unique || d.maxItems < Infinity,
  object: d =>
    d.members.length + d.required.length + d.names.length + d.minProperties > 0 || d.maxProperties < Infinity,
};
