/** The ways to fit a schema: its combinators expanded, each way a list of plain constraints. */

import { isObject, type Json, type JsonObject } from '../../spec/json-rpc.js';
import { CannotGenerate } from './cannot-generate.js';
import { anything, type Demands, demandsOf, together } from './constraints.js';
import type { Document } from './document.js';
import type { Schema } from './keywords.js';
import { isSchema } from './keywords.js';
import { listsValues, negate } from './negate.js';
import { isReadable } from './patterns.js';

/** Largest number of ways; beyond this number a sample is used. */
const most = 256;

interface Ways {
  readonly demands: readonly Demands[];
  /** Omitted parts, for the report. */
  readonly notes: readonly string[];
}

/** The ways to fit all of these schemas together; empty when no value fits. */
export function alternatives(parts: readonly Schema[], document: Document): Ways {
  const notes: string[] = [];
  const expand = new Expansion(document, notes);
  return { demands: expand.all(parts, []), notes };
}

class Expansion {
  constructor(
    readonly document: Document,
    readonly notes: string[],
  ) {}

  all(parts: readonly Schema[], stack: readonly Schema[]): Demands[] {
    return this.#product(
      parts.map(part => this.one(part, stack)),
      parts,
    );
  }

  one(schema: Schema, stack: readonly Schema[]): Demands[] {
    if (typeof schema === 'boolean') return schema ? [anything] : [];
    if (stack.includes(schema))
      throw new CannotGenerate(this.document.pathOf(schema), '$ref', 'the schema is defined only by itself');
    const inside = [...stack, schema];
    const own = demandsOf(schema);
    if (own.types.length === 0 || own.values?.length === 0) return [];
    const names = own.members.flatMap(m => Object.keys(m.patterns));
    const odd = [...own.patterns, ...names].find(pattern => !isReadable(pattern));
    if (odd !== undefined)
      throw new CannotGenerate(
        this.document.pathOf(schema),
        'pattern',
        `${JSON.stringify(odd)} is not a regular expression of ECMAScript`,
      );
    return this.#product([[own], ...this.#factors(schema, inside)], [schema]);
  }

  #factors(schema: JsonObject, inside: readonly Schema[]): Demands[][] {
    const one = (part: Schema, ...checked: string[]) =>
      this.one(part, inside).map(d =>
        checked.length > 0 ? { ...d, checked: [...d.checked, ...checked] } : d,
      );
    const list = (json: Json | undefined) => (Array.isArray(json) ? json.filter(isSchema) : []);
    const factors: Demands[][] = [];
    for (const keyword of ['$ref', '$dynamicRef'] as const) {
      const reference = schema[keyword];
      if (typeof reference !== 'string') continue;
      const target = this.document.resolve(reference, schema, keyword);
      const entered = this.document.isRecursive(target) ? 1 : 0;
      factors.push(one(target).map(d => ({ ...d, entered: d.entered + entered })));
    }
    for (const part of list(schema.allOf)) factors.push(one(part));
    if (Array.isArray(schema.anyOf)) factors.push(this.#any(list(schema.anyOf), part => one(part)));
    if (Array.isArray(schema.oneOf)) factors.push(this.#any(list(schema.oneOf), part => one(part, 'oneOf')));
    if (isSchema(schema.not)) factors.push(this.#not(schema.not, inside));
    if (isSchema(schema.if) && (isSchema(schema.then) || isSchema(schema.else))) {
      const no = negate(schema.if, this.document);
      const then = this.all([schema.if, (schema.then ?? true) as Schema], inside);
      const otherwise = this.all([no ?? true, (schema.else ?? true) as Schema], inside);
      factors.push([...then, ...otherwise].map(d => ({ ...d, checked: [...d.checked, 'if'] })));
    }
    for (const [name, wanted] of dependencies(schema))
      factors.push([
        ...one({ properties: { [name]: false } }, 'dependencies'),
        ...this.all([{ required: [name] }, wanted], inside).map(d => ({
          ...d,
          checked: [...d.checked, 'dependencies'],
        })),
      ]);
    return factors;
  }

  /** Unreadable branches are omitted and reported, as long as there are others. */
  #any(branches: readonly Schema[], one: (branch: Schema) => Demands[]): Demands[] {
    const failures: CannotGenerate[] = [];
    const ways = branches.flatMap(branch => {
      try {
        return one(branch);
      } catch (error) {
        if (!(error instanceof CannotGenerate)) throw error;
        failures.push(error);
        return [];
      }
    });
    if (ways.length === 0 && failures[0]) throw failures[0];
    this.notes.push(...failures.map(failure => failure.message));
    return ways;
  }

  #not(schema: Schema, inside: readonly Schema[]): Demands[] {
    const checked = { ...anything, checked: ['not'] };
    const other = listsValues(schema) ? undefined : negate(schema, this.document);
    if (other === undefined) return schema === true ? [] : [checked];
    return this.#product([[checked], this.one(other, inside)], [schema]);
  }

  #product(factors: readonly (readonly Demands[])[], blamed: readonly Schema[]): Demands[] {
    let result: Demands[] = [anything];
    for (const factor of factors) {
      const next: Demands[] = [];
      for (const a of result)
        for (const b of factor) {
          const combined = a === anything ? b : together(a, b);
          if (combined) next.push(combined);
        }
      if (next.length > most)
        this.notes.push(
          `${this.document.pathOf(blamed[0] ?? true)}: combinations: only ${most} of ${next.length} are generated`,
        );
      result = spread(next, most);
    }
    return result;
  }
}

/** A fixed number of elements, spread evenly over the list. */
const spread = <T>(list: readonly T[], count: number): T[] =>
  list.length <= count
    ? [...list]
    : Array.from({ length: count }, (_, index) => list[Math.floor((index * list.length) / count)]!);

/** The schemas that apply when a member is present, from the keywords of all dialects. */
function dependencies(schema: JsonObject): [string, Schema][] {
  const said = [schema.dependentRequired, schema.dependentSchemas, schema.dependencies];
  return said.flatMap(json =>
    Object.entries(isObject(json) ? json : {}).map(([name, wanted]): [string, Schema] => [
      name,
      Array.isArray(wanted) ? { required: wanted } : (wanted as Schema),
    ]),
  );
}
