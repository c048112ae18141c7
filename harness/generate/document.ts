/**
 * A JSON Schema as a document: resolves references, finds recursion, and validates values against each part.
 */

import { createRequire } from 'node:module';
import type { Ajv, Options } from 'ajv';
import { withLinearUniqueItems } from '../../spec/ajv-checks.mjs';
import { formats as ours } from '../../spec/formats.js';
import { type IsValid, validatorOf } from '../../spec/is-valid.js';
import { atPointer } from '../../spec/json-pointer.js';
import { asText, isObject, type Json, type JsonObject } from '../../spec/json-rpc.js';
import { isPlainSchema } from '../../spec/plain-schema.js';
import { type Dialect, schemaExcess } from '../../spec/schema-cost.js';
import { CannotGenerate } from './cannot-generate.js';
import { childrenOf, type Schema } from './keywords.js';
import { regExp } from './patterns.js';

export type { Dialect };

interface Place {
  readonly pointer: string;
  /** Base URL for references. */
  readonly base: string;
}

const key = 'generate:///schema';
const load = createRequire(import.meta.url);

/** Each validator is loaded when a schema first uses its dialect. */
const dialects: Readonly<Record<Dialect, () => typeof Ajv>> = {
  'draft-07': () => load('ajv').Ajv,
  '2019-09': () => load('ajv/dist/2019.js').Ajv2019,
  '2020-12': () => load('ajv/dist/2020.js').Ajv2020,
};

const options: Options = {
  strict: false,
  logger: false,
  // `constructor` and `toString` are ordinary members.
  ownProperties: true,
  code: { regExp },
};

function addFormats(ajv: Ajv): void {
  load('ajv-formats').default(ajv);
  for (const [name, format] of Object.entries(ours)) ajv.addFormat(name, format);
}

const metas = new Map<Dialect, Ajv>();

/** Validates schemas; one instance for all documents, because its compilation is slow. */
function metaOf(dialect: Dialect): Ajv {
  let meta = metas.get(dialect);
  if (!meta) {
    meta = new (dialects[dialect]())(options);
    addFormats(meta);
    metas.set(dialect, meta);
  }
  return meta;
}

export class Document {
  readonly #places = new WeakMap<object, Place>();
  readonly #named = new Map<string, Schema>();
  readonly #resolved = new Map<string, Schema>();
  readonly #dynamic = new Map<string, number>();
  readonly #recursive = new WeakMap<object, boolean>();
  readonly #validators = new WeakMap<object, (value: Json) => boolean>();
  /** Validates a value against a part without ajv; throws for unsupported keywords. */
  readonly #fits: ((schema: Json) => IsValid) | undefined;
  readonly #dialect: Dialect;
  #ajv: Ajv | undefined;

  /**
   * @param dialect - dialect of a schema without `$schema`
   * @param isKnown - whether the schema is known to be valid, which avoids a slow check
   * @throws CannotGenerate when it is not a schema, or not of a known dialect
   */
  constructor(
    readonly root: Schema,
    dialect: Dialect = '2020-12',
    readonly isKnown = false,
  ) {
    const excess = isKnown ? undefined : schemaExcess(root);
    if (excess !== undefined)
      throw new CannotGenerate('#', 'schema', `no values are generated: the schema has ${excess}`);
    this.#register(root, '', key);
    this.#dialect = isObject(root) ? dialectOf(root, dialect) : dialect;
    if (isKnown || isPlainSchema(root)) {
      this.#fits = validatorOf(isObject(root) ? root : {}, { newest: this.#dialect === '2020-12' }).of;
      return;
    }
    const meta = metaOf(this.#dialect);
    if (!meta.validateSchema(root as object))
      throw new CannotGenerate(
        '#',
        'schema',
        `the schema is not valid in ${this.#dialect}: ${meta.errorsText(meta.errors, { dataVar: '' })}`,
      );
  }

  /** The place of a part, for messages; `#` for a part created by the generator. */
  pathOf(schema: Schema): string {
    return `#${isObject(schema) ? (this.#places.get(schema)?.pointer ?? '') : ''}`;
  }

  /**
   * Whether a value fits a part; true for parts created by the generator, because the part of their origin is
   * checked.
   */
  accepts(schema: Schema, value: Json): boolean {
    if (typeof schema === 'boolean') return schema;
    let validate = this.#validators.get(schema);
    if (!validate) {
      const place = this.#places.get(schema);
      if (!place) return true;
      validate = this.#quick(schema) ?? this.#compile(place.pointer);
      this.#validators.set(schema, validate);
    }
    return validate(value);
  }

  #quick(schema: Schema): IsValid | undefined {
    try {
      return this.#fits?.(schema);
    } catch {
      return undefined;
    }
  }

  /** Whether a text has a format; true for formats without a check. */
  hasFormat(format: string, text: string): boolean {
    const { formats } = metaOf(this.#dialect);
    const known = Object.hasOwn(formats, format) ? formats[format] : undefined;
    if (known === undefined || known === true) return true;
    if (known instanceof RegExp) return known.test(text);
    const check = typeof known === 'function' ? known : typeof known === 'object' ? known.validate : known;
    if (check instanceof RegExp) return check.test(text);
    return typeof check === 'function' ? check(text as never) === true : true;
  }

  /** The part that a reference names. */
  resolve(reference: string, from: JsonObject, keyword: '$ref' | '$dynamicRef' = '$ref'): Schema {
    const key = `${this.#places.get(from)?.base ?? ''} ${keyword} ${reference}`;
    const target = this.#resolved.get(key) ?? this.#find(reference, from, keyword);
    this.#resolved.set(key, target);
    return target;
  }

  #find(reference: string, from: JsonObject, keyword: '$ref' | '$dynamicRef'): Schema {
    const fail = (why: string) => new CannotGenerate(this.pathOf(from), keyword, why);
    const url = URL.canParse(reference, this.#places.get(from)?.base ?? key)
      ? new URL(reference, this.#places.get(from)?.base ?? key)
      : undefined;
    if (!url) throw fail(`"${reference}" is not a reference`);
    const fragment = decodeURIComponent(url.hash.slice(1));
    url.hash = '';
    // with one candidate the dynamic scope has no effect
    if (keyword === '$dynamicRef' && (this.#dynamic.get(fragment) ?? 0) > 1)
      throw fail(`"${reference}" depends on the dynamic scope`);
    const named = this.#named.get(fragment === '' ? url.href : `${url.href}#${fragment}`);
    if (named !== undefined) return named;
    const resource = this.#named.get(url.href);
    const target =
      resource !== undefined && fragment.startsWith('/') ? atPointer(resource, fragment) : undefined;
    if (typeof target === 'boolean') return target;
    if (!isObject(target)) throw fail(`"${reference}" is not in this document`);
    // definitions may be under unknown keywords, which are not registered so far
    if (!this.#places.has(target)) {
      const outer = isObject(resource!) ? this.#places.get(resource)!.pointer : '';
      this.#register(target, outer + fragment, url.href);
    }
    return target;
  }

  /** Whether a part contains itself, through references. */
  isRecursive(schema: Schema): boolean {
    if (!isObject(schema)) return false;
    const known = this.#recursive.get(schema);
    if (known !== undefined) return known;
    const seen = new Set<Schema>();
    const reaches = (part: Schema): boolean =>
      this.#next(part).some(next => {
        if (next === schema) return true;
        if (seen.has(next)) return false;
        seen.add(next);
        return reaches(next);
      });
    const result = reaches(schema);
    this.#recursive.set(schema, result);
    return result;
  }

  #next(schema: Schema): Schema[] {
    if (!isObject(schema)) return [];
    const targets = (['$ref', '$dynamicRef'] as const).flatMap(keyword => {
      const reference = schema[keyword];
      try {
        return typeof reference === 'string' ? [this.resolve(reference, schema, keyword)] : [];
      } catch {
        return []; // reported at its use
      }
    });
    // a definition alone is not a containment
    return [...targets, ...childrenOf(schema, 'applied').map(([, child]) => child)];
  }

  #register(schema: Schema, pointer: string, outer: string): void {
    if (!isObject(schema)) {
      if (pointer === '') this.#named.set(outer, schema);
      return;
    }
    if (this.#places.has(schema)) return;
    const id = typeof schema.$id === 'string' && !schema.$id.startsWith('#') ? schema.$id : undefined;
    const base = id !== undefined && URL.canParse(id, outer) ? new URL(id, outer).href : outer;
    const resource = base.replace(/#$/, '');
    this.#places.set(schema, { pointer, base: resource });
    if (pointer === '') this.#named.set(key, schema);
    if (pointer === '' || id !== undefined) this.#named.set(resource, schema);
    const old =
      typeof schema.$id === 'string' && schema.$id.startsWith('#') ? schema.$id.slice(1) : undefined;
    for (const anchor of [schema.$anchor, schema.$dynamicAnchor, old])
      if (typeof anchor === 'string') this.#named.set(`${resource}#${anchor}`, schema);
    if (typeof schema.$dynamicAnchor === 'string')
      this.#dynamic.set(schema.$dynamicAnchor, (this.#dynamic.get(schema.$dynamicAnchor) ?? 0) + 1);
    for (const [where, child] of childrenOf(schema)) this.#register(child, pointer + where, resource);
  }

  /** Compiled only when a check is needed: many schemas never need one. */
  get #validator(): Ajv {
    if (!this.#ajv) {
      const ajv = withLinearUniqueItems(
        new (dialects[this.#dialect]())({ ...options, meta: false, validateSchema: false }),
      );
      addFormats(ajv);
      this.#ajv = ajv.addSchema(this.root, key);
    }
    return this.#ajv;
  }

  #compile(pointer: string): (value: Json) => boolean {
    const reference = `${key}#${pointer.split('/').map(encodeURIComponent).join('/')}`;
    try {
      const validate = this.#validator.getSchema(reference);
      if (validate) return value => isAccepted(validate, value);
    } catch (error) {
      throw new CannotGenerate(`#${pointer}`, 'schema', (error as Error).message);
    }
    throw new CannotGenerate(`#${pointer}`, 'schema', 'no validator exists for this place');
  }
}

/** A value that ajv cannot check, such as one with a member `toString` that is no function, is not used. */
function isAccepted(validate: (value: Json) => unknown, value: Json): boolean {
  try {
    return validate(value) === true;
  } catch (error) {
    if (error instanceof CannotGenerate) throw error;
    return false;
  }
}

function dialectOf({ $schema }: JsonObject, otherwise: Dialect): Dialect {
  if ($schema === undefined) return otherwise;
  const known = /^https?:\/\/json-schema\.org\/(?:draft\/)?(draft-07|2019-09|2020-12)\/schema#?$/.exec(
    asText($schema),
  );
  if (!known) throw new CannotGenerate('#', '$schema', `the dialect ${JSON.stringify($schema)} is unknown`);
  return known[1] as Dialect;
}
