/** Every single step away from a value that fits a schema: where, against which rule, and what comes of it. */

import { isObject, type Json, type JsonObject } from '../../spec/json-rpc.js';
import { type Change, changes } from './changes.js';
import type { Document, Schema } from './document.js';
import { isSchema, step } from './keywords.js';

/** What is wrong with a value. */
export interface Label {
  /** The definition whose rule is broken; of an advertised schema, the place in it. */
  readonly definition: string;
  /** Where in the value: a JSON pointer. */
  readonly path: string;
  /** What was done to the value that stood there. */
  readonly mutation: string;
}

/** A part of the value, with a part of the schema it fits, or a member that has to be there. */
export interface Site {
  readonly definition: string;
  readonly path: string;
  /** What is broken here, wherever in the value: the same for each element of a list. */
  readonly rule: string;
  steps(): Step[];
}

export interface Step {
  readonly mutation: string;
  /** The whole value with the step taken. */
  result(): Json;
}

interface Position {
  readonly definition: string;
  /** In the schema, from the definition. */
  readonly pointer: string;
  /** In the value. */
  readonly path: string;
  /** The whole value with another one put here. */
  put(value: Json | typeof gone): Json;
}

/** Stands for a member that is taken away. */
export const gone = Symbol('gone');

/** Where single steps may make a value invalid; whether one really does is for a validator to say. */
export function sites(
  document: Document,
  schema: Schema,
  value: Json,
  name: string,
  found: (site: Site) => void,
): void {
  const start: Position = { definition: name, pointer: '', path: '', put: json => json as Json };
  new Walk(document, found).visit(schema, value, start);
}

class Walk {
  constructor(
    readonly document: Document,
    readonly found: (site: Site) => void,
  ) {}

  visit(schema: Schema, value: Json, at: Position): void {
    if (!isObject(schema)) return;
    this.#here(schema, value, at);
    if (typeof schema.$ref === 'string') {
      const target = this.document.resolve(schema.$ref, schema);
      const named = /^#\/(?:definitions|\$defs)\/([^/]+)$/.exec(schema.$ref)?.[1];
      this.visit(target, value, named ? { ...at, definition: named, pointer: '' } : at);
    }
    // Of a union, the rules of the variant the value belongs to.
    for (const keyword of ['allOf', 'anyOf', 'oneOf', 'then', 'else'] as const)
      for (const [index, part] of [schema[keyword] ?? []].flat().entries())
        if (isSchema(part) && (keyword === 'allOf' || this.document.accepts(part, value)))
          this.visit(part, value, { ...at, pointer: `${at.pointer}/${keyword}/${index}` });
    if (isObject(value)) this.#members(schema, value, at);
    if (Array.isArray(value)) this.#elements(schema, value, at);
  }

  /** Members that have to be there are sites of their own, so that each is as likely as any other rule. */
  #here(schema: JsonObject, value: Json, at: Position): void {
    const { definition, path } = at;
    const taken = ({ mutation, becomes }: Change): Step => ({ mutation, result: () => at.put(becomes()) });
    this.found({
      definition,
      path,
      rule: definition + at.pointer,
      steps: () => changes(schema, value).map(taken),
    });
    if (!isObject(value) || !Array.isArray(schema.required)) return;
    for (const name of schema.required as string[])
      if (Object.hasOwn(value, name))
        this.found({
          definition,
          path: path + step(name),
          rule: `${definition}${at.pointer}/required/${name}`,
          steps: () => [
            { mutation: 'required member dropped', result: () => at.put(withMember(value, name, gone)) },
          ],
        });
  }

  #members(schema: JsonObject, value: JsonObject, at: Position): void {
    const properties = isObject(schema.properties) ? schema.properties : {};
    const patterns = isObject(schema.patternProperties) ? schema.patternProperties : {};
    for (const name of Object.keys(value)) {
      const own = Object.hasOwn(properties, name);
      const rules: [string, Json | undefined][] = own ? [[`properties${step(name)}`, properties[name]]] : [];
      for (const [pattern, rule] of Object.entries(patterns))
        if (new RegExp(pattern).test(name)) rules.push([`patternProperties${step(pattern)}`, rule]);
      if (rules.length === 0) rules.push(['additionalProperties', schema.additionalProperties]);
      for (const [keyword, rule] of rules)
        if (isSchema(rule))
          this.visit(rule, value[name]!, {
            ...at,
            pointer: `${at.pointer}/${keyword}`,
            path: at.path + step(name),
            put: json => at.put(withMember(value, name, json)),
          });
    }
  }

  #elements(schema: JsonObject, value: Json[], at: Position): void {
    const old = Array.isArray(schema.items);
    const first = (old ? schema.items : (schema.prefixItems ?? [])) as Json[];
    const rest = old ? schema.additionalItems : schema.items;
    // The ends of a list say as much as its middle.
    for (const index of new Set([...first.keys(), first.length, value.length - 1])) {
      const rule = first[index] ?? rest;
      if (!isSchema(rule) || index < 0 || index >= value.length) continue;
      this.visit(rule, value[index]!, {
        ...at,
        pointer: `${at.pointer}${index < first.length ? `/prefixItems/${index}` : '/items'}`,
        path: `${at.path}/${index}`,
        put: json => at.put(json === gone ? value.toSpliced(index, 1) : value.with(index, json)),
      });
    }
  }
}

function withMember(object: JsonObject, name: string, value: Json | typeof gone): JsonObject {
  const members = Object.entries(object).filter(([other]) => other !== name || value !== gone);
  return Object.fromEntries(members.map(([other, json]) => [other, other === name ? (value as Json) : json]));
}
