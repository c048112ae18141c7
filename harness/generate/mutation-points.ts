/** Sites where a single step makes a valid value invalid: the rule, and the resulting value. */

import { pointerStep } from '../../spec/json-pointer.js';
import { isObject, type Json, type JsonObject } from '../../spec/json-rpc.js';
import type { Document } from './document.js';
import { hash } from './hash.js';
import type { Schema } from './keywords.js';
import { isSchema } from './keywords.js';
import { type Change, changes, type Group, groupsOf } from './mutations.js';
import { regExp } from './patterns.js';

/** Description of the defect in a value. */
export interface Label {
  /** The definition whose rule is broken; for an advertised schema, its name under `$defs`, or `#`. */
  readonly definition: string;
  /** Place in the value: a JSON pointer. */
  readonly path: string;
  /** The change of the original value. */
  readonly mutation: string;
}

/** A rule of a schema, at a place in the value. */
export interface Site {
  readonly at: Position;
  /** Identifies the rule; equal at all its places in the value, also for each element of a list. */
  readonly rule: number;
  readonly group: Group | 'required';
  readonly schema: JsonObject;
  readonly value: Json;
  /** The required member. */
  readonly member?: string;
}

/** A place in a value, linked to its parent; there are many, so paths are computed only on demand. */
class Position {
  constructor(
    readonly definition: string,
    /** The place in the schema, as a number. */
    readonly rule: number,
    readonly above?: Position,
    readonly container?: JsonObject | Json[],
    readonly key?: string | number,
  ) {}

  /** The same place in the value, for another part of the schema. */
  seen(rule: number, definition = this.definition): Position {
    return new Position(definition, rule, this.above, this.container, this.key);
  }

  inside(rule: number, container: JsonObject | Json[], key: string | number): Position {
    return new Position(this.definition, rule, this, container, key);
  }

  get path(): string {
    return this.above ? this.above.path + pointerStep(this.key!) : '';
  }

  /** The whole value, with a replacement at this place. */
  put(value: Json): Json {
    if (!this.above) return value;
    const { container, key } = this;
    return this.above.put(
      Array.isArray(container)
        ? container.with(key as number, value)
        : mapped(container as JsonObject, (name, json) => (name === key ? value : json)),
    );
  }
}

export const pathOf = ({ at, member }: Site): string =>
  at.path + (member === undefined ? '' : pointerStep(member));

/** The possible changes at a site; a validator decides whether a change makes the whole value invalid. */
export function stepsAt({ at, group, schema, value, member }: Site): Change[] {
  if (group !== 'required')
    return changes(group, schema, value).map(({ mutation, becomes }) => ({
      mutation,
      becomes: () => at.put(becomes()),
    }));
  const without = () => mapped(value as JsonObject, (name, json) => (name === member ? undefined : json));
  return [{ mutation: 'required member dropped', becomes: () => at.put(without()) }];
}

/** Every site of a value, in no particular order. */
export function sites(
  document: Document,
  schema: Schema,
  value: Json,
  name: string,
  found: (site: Site) => void,
): void {
  new Walk(document, found).visit(schema, value, new Position(name, hash(name)));
}

const combinators = ['allOf', 'anyOf', 'oneOf'] as const;

class Walk {
  constructor(
    readonly document: Document,
    readonly found: (site: Site) => void,
  ) {}

  visit(schema: Schema, value: Json, at: Position): void {
    if (!isObject(schema)) return;
    for (const group of groupsOf(schema))
      this.found({ at, rule: hash(group, at.rule), group, schema, value });
    if (typeof schema.$ref === 'string') {
      const target = this.document.resolve(schema.$ref, schema);
      const name = /^#\/(?:definitions|\$defs)\/([^/]+)$/.exec(schema.$ref)?.[1];
      this.visit(target, value, name === undefined ? at : at.seen(hash(name), name));
    }
    for (const keyword of combinators) {
      const parts = schema[keyword];
      if (Array.isArray(parts))
        // for a union, the rules of the variants that the value fits
        for (const [index, part] of parts.entries())
          if (isSchema(part) && (keyword === 'allOf' || this.document.accepts(part, value)))
            this.visit(part, value, at.seen(hash(keyword, at.rule + index)));
    }
    for (const keyword of ['then', 'else'] as const)
      if (isSchema(schema[keyword]) && this.document.accepts(schema[keyword], value))
        this.visit(schema[keyword], value, at.seen(hash(keyword, at.rule)));
    if (isObject(value)) this.#members(schema, value, at);
    if (Array.isArray(value)) this.#elements(schema, value, at);
  }

  #members(schema: JsonObject, value: JsonObject, at: Position): void {
    if (Array.isArray(schema.required))
      for (const member of schema.required as string[])
        if (Object.hasOwn(value, member))
          this.found({ at, rule: hash(member, at.rule + 1), group: 'required', schema, value, member });
    const { properties, patternProperties, additionalProperties } = schema;
    const known = isObject(properties) ? properties : {};
    const patterns = isObject(patternProperties) ? Object.entries(patternProperties) : [];
    for (const name of Object.keys(value)) {
      const own = Object.hasOwn(known, name);
      const matching = patterns.filter(([pattern]) => regExp(pattern).test(name));
      const visit = (rule: Json | undefined, part: string) => {
        if (isSchema(rule)) this.visit(rule, value[name]!, at.inside(hash(part, at.rule), value, name));
      };
      if (own) visit(known[name], name);
      for (const [pattern, rule] of matching) visit(rule, pattern);
      if (!own && matching.length === 0) visit(additionalProperties, 'additionalProperties');
    }
  }

  #elements(schema: JsonObject, value: Json[], at: Position): void {
    const old = Array.isArray(schema.items);
    const first = (old ? schema.items : (schema.prefixItems ?? [])) as Json[];
    const rest = old ? schema.additionalItems : schema.items;
    // the ends of a list are representative of its middle
    for (const index of new Set([...first.keys(), first.length, value.length - 1])) {
      const rule = first[index] ?? rest;
      if (isSchema(rule) && index >= 0 && index < value.length)
        this.visit(
          rule,
          value[index]!,
          at.inside(hash('items', at.rule + Math.min(index, first.length)), value, index),
        );
    }
  }
}

/** An object with changed values, without the members whose new value is undefined. */
const mapped = (object: JsonObject, change: (name: string, json: Json) => Json | undefined): JsonObject =>
  Object.fromEntries(
    Object.entries(object).flatMap(([name, json]) => {
      const changed = change(name, json);
      return changed === undefined ? [] : [[name, changed]];
    }),
  );
