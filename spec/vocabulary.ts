/**
 * The methods that each side may send in a revision, and validators for every definition, computed from
 * `schema.json`.
 */

import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { Ajv, ValidateFunction } from 'ajv';
import { type AddedResult, type Extension, extensionsAmong } from './extensions/index.js';
import { firstErrorOf } from './first-error.js';
import { formats } from './formats.js';
import { validatorOf } from './is-valid.js';
import { isObject, type Json, type JsonObject, type MessageKind, type Role } from './json-rpc.js';
import { type Problem, problemsOf, problemsOfUnion } from './problems.js';
import type { Revision } from './revisions.js';

export type { Problem } from './problems.js';

export interface Vocabulary {
  readonly revision: Revision;
  /** Methods of the requests a side may send. */
  readonly requests: Readonly<Record<Role, ReadonlySet<string>>>;
  /** Methods of the notifications a side may send. */
  readonly notifications: Readonly<Record<Role, ReadonlySet<string>>>;
  /** The definition of a request or notification sent by a side: `CallToolRequest`; undefined for unknown methods. */
  messageDefinition(by: Role, method: string): string | undefined;
  /**
   * The definition of the result of a request: `CallToolResult`; undefined for unknown methods. With the
   * parameters of a request for a method that supports tasks, and a `task` member in them, the union with the
   * result that announces a task: `CallToolResult | CreateTaskResult`, because the receiver may ignore the
   * member.
   */
  resultDefinition(askedBy: Role, method: string, params?: Json): string | undefined;
  /** The definition of the whole envelope: `JSONRPCRequest`, `JSONRPCNotification`, … */
  envelopeDefinition(kind: MessageKind): string;
  /** Values of `resultType` beside those of the revision, which extensions add. */
  readonly resultTypes: Readonly<Record<string, AddedResult>>;
  /** All names under `definitions`. */
  readonly definitions: ReadonlySet<string>;
  /** The complete `schema.json`, a draft-07 document; callers must not change it. */
  readonly schema: SchemaDocument;
  /**
   * Problems of a value against a definition, or against several joined by ` | `; empty when the value is
   * valid. Checks are created on first use.
   * @throws {Error} for a definition that the revision does not have
   */
  validate(definition: string, value: Json): Problem[];
  /** Whether a value is valid for a definition, without the reasons. */
  fits(definition: string, value: Json): boolean;
  /** The first problem, found without ajv; less exact for unions. */
  misfit(definition: string, value: Json): Problem | undefined;
}

/** The content of `schema.json`. */
export interface SchemaDocument {
  readonly definitions: Readonly<Record<string, JsonObject>>;
}

const built = new Map<string, Vocabulary>();
/** The same by the identifiers as they were given: each message asks for its vocabulary. */
const named = new Map<string, Vocabulary>();

/** The vocabulary of a revision; reads one file on the first call. */
export function vocabularyOf(revision: Revision): Vocabulary {
  let vocabulary = built.get(revision.id);
  if (!vocabulary) {
    vocabulary = build(revision);
    built.set(revision.id, vocabulary);
  }
  return vocabulary;
}

/**
 * The vocabulary of a revision with what extensions add to it; that of the revision when none of them is known.
 * @param identifiers keys of `capabilities.extensions`
 */
export function vocabularyWith(revision: Revision, identifiers: readonly string[]): Vocabulary {
  if (identifiers.length === 0) return vocabularyOf(revision);
  const key = [revision.id, ...identifiers].join(' ');
  let vocabulary = named.get(key);
  if (!vocabulary) {
    vocabulary = withAdded(revision, extensionsAmong(identifiers, revision));
    named.set(key, vocabulary);
  }
  return vocabulary;
}

function withAdded(revision: Revision, added: readonly Extension[]): Vocabulary {
  if (added.length === 0) return vocabularyOf(revision);
  const key = [revision.id, ...added.map(e => e.id)].join(' ');
  let vocabulary = built.get(key);
  if (!vocabulary) {
    vocabulary = build(revision, added);
    built.set(key, vocabulary);
  }
  return vocabulary;
}

const prefix = '#/definitions/';

type Methods = ReadonlyMap<string, string>;
type Definitions = SchemaDocument['definitions'];

const read = (folder: string): SchemaDocument =>
  JSON.parse(readFileSync(new URL(`./${folder}/schema.json`, import.meta.url), 'utf8')) as SchemaDocument;

/** The unions of methods, which grow by the members of an extension. */
const growing = ['ClientRequest', 'ServerRequest', 'ClientNotification', 'ServerNotification'];

/** The definitions of a revision and of extensions. @throws {Error} for a name that both define */
function merged(revision: Revision, added: readonly Extension[]): SchemaDocument {
  const definitions: Record<string, JsonObject> = { ...read(revision.id).definitions };
  for (const { id, hasSchema } of added)
    for (const [name, schema] of Object.entries(hasSchema ? read(`extensions/${id}`).definitions : {})) {
      const own = definitions[name];
      const isUnion = growing.includes(name);
      if (own && !isUnion) throw new Error(`${id} and ${revision.id} define "${name}".`);
      const refs = [...refsOf(own), ...refsOf(schema)].map(ref => ({ $ref: prefix + ref }));
      definitions[name] = isUnion ? { anyOf: refs } : schema;
    }
  return { definitions };
}

function build(revision: Revision, added: readonly Extension[] = []): Vocabulary {
  const schema = added.length === 0 ? read(revision.id) : merged(revision, added);
  const resultTypes: Record<string, AddedResult> = Object.assign({}, ...added.map(e => e.resultTypes ?? {}));
  const has = (name: string) => Object.hasOwn(schema.definitions, name);
  const requests = bySide(schema.definitions, 'Request');
  const notifications = bySide(schema.definitions, 'Notification');

  /** The result of each request, derived once. */
  const results = new Map<string, { result: string; mayBeTask: boolean }>();
  const resultOf = (request: string) => {
    let found = results.get(request);
    if (!found) {
      const own = request.replace(/Request$/, 'Result');
      const result = answers(schema.definitions, `${own}Response`) ?? (has(own) ? own : 'EmptyResult');
      found = { result, mayBeTask: mentionsTask(schema.definitions, { $ref: prefix + request }) };
      results.set(request, found);
    }
    return found;
  };

  // Two definitions of responses were renamed when the name of one of them became the name of the union of
  // both.
  const envelopes: Record<MessageKind, string> = {
    request: 'JSONRPCRequest',
    notification: 'JSONRPCNotification',
    result: has('JSONRPCResultResponse') ? 'JSONRPCResultResponse' : 'JSONRPCResponse',
    error: has('JSONRPCErrorResponse') ? 'JSONRPCErrorResponse' : 'JSONRPCError',
  };

  return {
    revision,
    requests: { client: new Set(requests.client.keys()), server: new Set(requests.server.keys()) },
    notifications: {
      client: new Set(notifications.client.keys()),
      server: new Set(notifications.server.keys()),
    },
    messageDefinition: (by, method) => requests[by].get(method) ?? notifications[by].get(method),
    resultDefinition(askedBy, method, params) {
      const request = requests[askedBy].get(method);
      if (request === undefined) return undefined;
      const { result, mayBeTask } = resultOf(request);
      if (mayBeTask && isObject(params) && 'task' in params) return `${result} | CreateTaskResult`;
      const others = Object.values(resultTypes).filter(({ methods }) => methods.includes(method));
      return [result, ...others.map(({ definition }) => definition)].join(' | ');
    },
    resultTypes,
    envelopeDefinition: kind => envelopes[kind],
    definitions: new Set(Object.keys(schema.definitions)),
    schema,
    ...validator(revision, schema),
  };
}

/** Method to definition, from the unions `ClientRequest`, `ServerRequest`, …. */
function bySide(definitions: Definitions, kind: string): Record<Role, Methods> {
  const side = (role: string): Methods =>
    new Map(
      refsOf(definitions[role + kind]).map(name => {
        const members = definitions[name]?.properties as { method: { const: string } };
        return [members.method.const, name];
      }),
    );
  return { client: side('Client'), server: side('Server') };
}

/** The names in a union; for a single reference, that name. */
const refsOf = (schema: JsonObject | undefined): string[] =>
  ((schema?.anyOf ?? (schema ? [schema] : [])) as JsonObject[]).flatMap(({ $ref }) =>
    typeof $ref === 'string' ? [$ref.slice(prefix.length)] : [],
  );

/** The possible results of a request, where the revision defines its complete response. */
function answers(definitions: Definitions, response: string): string | undefined {
  const members = definitions[response]?.properties as Record<string, JsonObject> | undefined;
  return members?.result && refsOf(members.result).join(' | ');
}

/** Whether the parameters of a request have a `task` member, in any of their variants. */
function mentionsTask(definitions: Definitions, schema: JsonObject): boolean {
  const target = typeof schema.$ref === 'string' ? definitions[schema.$ref.slice(prefix.length)]! : schema;
  if (Array.isArray(target.anyOf)) return target.anyOf.some(s => mentionsTask(definitions, s as JsonObject));
  const members = (target.properties ?? {}) as Record<string, JsonObject>;
  return 'task' in members || (members.params !== undefined && mentionsTask(definitions, members.params));
}

/**
 * Loads ajv when the first value is invalid. `verbose` adds schema and value to the errors, which
 * distinguishes the variants of a union.
 */
function newAjv(): Ajv {
  const { Ajv } = createRequire(import.meta.url)('ajv') as typeof import('ajv');
  return new Ajv({ strict: false, allErrors: true, verbose: true, validateSchema: false, formats });
}

function validator(
  revision: Revision,
  schema: SchemaDocument,
): Pick<Vocabulary, 'validate' | 'fits' | 'misfit'> {
  const compiled = new Map<string, ValidateFunction>();
  const unnamed = new WeakMap<JsonObject, ValidateFunction>();
  const { named: fitsNamed } = validatorOf(schema);
  let firstError: ReturnType<typeof firstErrorOf> | undefined;
  let ajv: Ajv | undefined;

  const inDetail = (): Ajv => {
    ajv ??= newAjv().addSchema(schema, 'mcp');
    return ajv;
  };

  const fitsOne = (definition: string, value: Json): boolean => {
    if (!Object.hasOwn(schema.definitions, definition))
      throw new Error(`Revision ${revision.id} has no definition "${definition}".`);
    return fitsNamed(definition)(value);
  };

  const check = (definition: string, value: Json): Problem[] => {
    if (fitsOne(definition, value)) return [];
    let validate = compiled.get(definition);
    if (!validate) {
      validate = inDetail().getSchema(`mcp${prefix}${definition}`)!;
      compiled.set(definition, validate);
    }
    return validate(value) ? [] : problemsOf(validate.errors!, variants);
  };

  const variants = {
    resolve: (branch: JsonObject): JsonObject =>
      typeof branch.$ref === 'string'
        ? variants.resolve(schema.definitions[branch.$ref.slice(prefix.length)]!)
        : branch,
    check(branch: JsonObject, value: Json): Problem[] {
      if (typeof branch.$ref === 'string') return check(branch.$ref.slice(prefix.length), value);
      let validate = unnamed.get(branch);
      if (!validate) {
        validate = inDetail().compile({ definitions: schema.definitions, ...branch });
        unnamed.set(branch, validate);
      }
      return validate(value) ? [] : problemsOf(validate.errors!, variants);
    },
  };

  const fits = (definition: string, value: Json): boolean =>
    definition.split(' | ').some(name => fitsOne(name, value));
  const unionOf = (definition: string) => definition.split(' | ').map(name => ({ $ref: prefix + name }));

  return {
    fits,
    validate(definition, value) {
      if (!definition.includes(' | ')) return check(definition, value);
      return fits(definition, value) ? [] : problemsOfUnion(unionOf(definition), value, variants);
    },
    misfit(definition, value) {
      if (fits(definition, value)) return undefined;
      firstError ??= firstErrorOf(schema);
      return firstError({ anyOf: unionOf(definition) }, value);
    },
  };
}
