/** Where a value that fits a schema can be spoilt in a single step: by which rule, and what comes of it. */

import { isObject, type Json, type JsonObject } from '../../spec/json-rpc.js';
import type { Document, Schema } from './document.js';
import { hash } from './hash.js';
import { isSchema, step } from './keywords.js';
import { type Change, changes, type Group, groupsOf } from './mutations.js';
import { regExp } from './patterns.js';

/** What is wrong with a value. */
export interface Label {
  /** The definition whose rule is broken; of an advertised schema, its name under `$defs`, or `#`. */
  readonly definition: string;
  /** Where in the value: a JSON pointer. */
  readonly path: string;
  /** What was done to the value that stood there. */
  readonly mutation: string;
}

/** A rule of a schema, at a place in the value. */
export interface Site {
  readonly at: Position;
  /** Names the rule; the same wherever in the value it is met, for each element of a list as well. */
  readonly rule: number;
  readonly group: Group | 'required';
  readonly schema: JsonObject;
  readonly value: Json;
  /** The member that has to be there. */
  readonly member?: string;
}

/** A place in a value, reached from the one above; there are many, so that nothing is spelled out before it is needed. */
export class Position {
  constructor(
    readonly definition: string,
    /** The place in the schema, as a number. */
    readonly rule: number,
    readonly above?: Position,
    readonly container?: JsonObject | Json[],
    readonly key?: string | number,
  ) {}

  /** The same place in the value, looked at with another part of the schema. */
  seen(rule: number, definition = this.definition): Position {
    return new Position(definition, rule, this.above, this.container, this.key);
  }

  inside(rule: number, container: JsonObject | Json[], key: string | number): Position {
    return new Position(this.definition, rule, this, container, key);
  }

  get path(): string {
    return this.above ? this.above.path + step(this.key!) : '';
  }

  /** The whole value, with another one here. */
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

export const pathOf = ({ at, member }: Site): string => at.path + (member === undefined ? '' : step(member));

/** What can be done at a site; whether it makes the whole value invalid is for a validator to say. */
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
        // Of a union, the rules of the variants the value belongs to.
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
    // The ends of a list say as much as its middle.
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

/** An object with other values, without the members that have none. */
const mapped = (object: JsonObject, change: (name: string, json: Json) => Json | undefined): JsonObject =>
  Object.fromEntries(
    Object.entries(object).flatMap(([name, json]) => {
      const changed = change(name, json);
      return changed === undefined ? [] : [[name, changed]];
    }),
  );
