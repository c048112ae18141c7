/**
 * Converts the errors of ajv to readable problems: for a union, only the errors of the variant that was meant
 * are reported.
 */

import type { ErrorObject } from 'ajv';
import { isObject, type Json, type JsonObject } from './json-rpc.js';

/** One disagreement between a value and a definition. */
export interface Problem {
  /** JSON pointer into the value, `''` for the value itself. */
  readonly path: string;
  /** The requirement of the definition, e.g. `must have required property 'name'`. */
  readonly message: string;
  /** Only the format of a text is wrong. */
  readonly isFormat?: true;
}

/** Functions to inspect a variant of a union. */
interface Variants {
  /** Follows a `$ref`. */
  resolve(schema: JsonObject): JsonObject;
  /** Problems of a value against one variant. */
  check(schema: JsonObject, value: Json): Problem[];
}

/** @param errors the errors of one validation with the options `allErrors` and `verbose` of ajv */
export function problemsOf(errors: readonly ErrorObject[], variants: Variants): Problem[] {
  // Only the outermost unions: errors inside them are found again when the chosen variant is checked.
  const unions: ErrorObject[] = [];
  for (const error of errors.filter(e => e.keyword === 'anyOf').sort(byDepth))
    if (!unions.some(union => isWithin(error, union))) unions.push(error);
  const plain = errors.filter(error => !unions.some(union => isWithin(error, union)));
  const problems = [
    ...plain.map(error => ({
      path: error.instancePath,
      message: messageOf(error),
      ...(error.keyword === 'format' && { isFormat: true as const }),
    })),
    ...unions.flatMap(union =>
      problemsOfUnion(union.schema as JsonObject[], union.data as Json, variants).map(problem => ({
        ...problem,
        path: union.instancePath + problem.path,
      })),
    ),
  ];
  return [...new Map(problems.map(problem => [`${problem.path} ${problem.message}`, problem])).values()];
}

const byDepth = (a: ErrorObject, b: ErrorObject): number => a.instancePath.length - b.instancePath.length;

const isWithin = (error: ErrorObject, union: ErrorObject): boolean =>
  error.instancePath === union.instancePath || error.instancePath.startsWith(`${union.instancePath}/`);

/** Problems of a value that is invalid for every variant of a union: those of the variant that was meant. */
export function problemsOfUnion(union: readonly JsonObject[], value: Json, variants: Variants): Problem[] {
  const all = union.flatMap(schema => flatten(schema, variants));
  const sameType = all.filter(schema => mayBe(variants.resolve(schema), typeOf(value)));
  if (sameType.length === 0) {
    const types = [...new Set(all.flatMap(schema => typesOf(variants.resolve(schema))))];
    return [{ path: '', message: `must be ${types.join(' or ')}` }];
  }
  if (!isObject(value)) return closest(sameType.map(schema => variants.check(schema, value)));
  const marks = marksOf(sameType.map(variants.resolve));
  const meant = sameType.filter(schema => bears(variants.resolve(schema), value, marks));
  if (meant.length === 0) return [unknownMark(sameType.map(variants.resolve), value, marks)];
  // The variant with the fewest missing members is the one that was meant, even if its members are invalid.
  const lacking = meant.map(
    schema => required(variants.resolve(schema)).filter(name => !(name in value)).length,
  );
  const nearest = meant.filter((_, index) => lacking[index] === Math.min(...lacking));
  return closest(nearest.map(schema => variants.check(schema, value)));
}

/** The variants of a union, including those of nested unions. */
function flatten(schema: JsonObject, variants: Variants): JsonObject[] {
  const inner = variants.resolve(schema).anyOf;
  return Array.isArray(inner) ? inner.flatMap(branch => flatten(branch as JsonObject, variants)) : [schema];
}

const member = (schema: JsonObject, name: string): JsonObject | undefined =>
  ((schema.properties ?? {}) as Record<string, JsonObject>)[name];

const required = (schema: JsonObject): string[] => (schema.required ?? []) as string[];

/**
 * The members that distinguish variants (discriminators): those with a fixed value in one of them, except
 * `jsonrpc`, which all messages share.
 */
function marksOf(schemas: readonly JsonObject[]): string[] {
  const names = schemas.flatMap(schema =>
    Object.keys(schema.properties ?? {}).filter(name => member(schema, name)?.const !== undefined),
  );
  return [...new Set(names)].filter(name => name !== 'jsonrpc');
}

/** The values that a member may have, when the schema lists them. */
const listed = (schema: JsonObject | undefined): Json[] | undefined =>
  schema?.const !== undefined ? [schema.const] : (schema?.enum as Json[] | undefined);

const bears = (schema: JsonObject, value: JsonObject, marks: readonly string[]): boolean =>
  marks.every(name =>
    name in value
      ? (listed(member(schema, name))?.includes(value[name]!) ?? true)
      : !required(schema).includes(name),
  );

/** The problem for a value whose discriminator matches no variant: it lists the possible values. */
function unknownMark(schemas: readonly JsonObject[], value: JsonObject, marks: readonly string[]): Problem {
  const wrong = marks.find(name => name in value);
  if (wrong === undefined) return { path: '', message: `must have required property '${marks[0]}'` };
  return {
    path: `/${wrong}`,
    message: oneOf(schemas.flatMap(schema => listed(member(schema, wrong)) ?? [])),
  };
}

/**
 * The shortest list of problems. Where several lists differ in one problem only, that problem names all
 * alternatives.
 */
function closest(candidates: readonly Problem[][]): Problem[] {
  const fewest = Math.min(...candidates.map(problems => problems.length));
  const best = candidates.filter(problems => problems.length === fewest);
  const first = best[0]!;
  const common = first.filter(problem =>
    best.every(problems => problems.some(other => same(problem, other))),
  );
  const rest = best.map(problems => problems.filter(problem => !common.some(other => same(problem, other))));
  const path = rest[0]![0]?.path;
  if (path === undefined || !rest.every(([one, ...more]) => one?.path === path && more.length === 0))
    return first;
  return [...common, { path, message: [...new Set(rest.map(([one]) => one!.message))].join(', or ') }];
}

const same = (a: Problem, b: Problem): boolean => a.path === b.path && a.message === b.message;

const typesOf = (schema: JsonObject): Json[] => (schema.type === undefined ? [] : [schema.type].flat());

const mayBe = (schema: JsonObject, type: string): boolean =>
  schema.type === undefined || typesOf(schema).includes(type);

function typeOf(value: Json): string {
  if (value === null) return 'null';
  return Array.isArray(value) ? 'array' : typeof value;
}

const oneOf = (values: readonly Json[]): string =>
  `must be ${[...new Set(values)].map(v => JSON.stringify(v)).join(' or ')}`;

function messageOf(error: ErrorObject): string {
  if (error.keyword === 'const') return oneOf([error.params.allowedValue]);
  if (error.keyword === 'enum') return oneOf(error.params.allowedValues);
  if (error.keyword === 'type') return `must be ${[error.params.type].flat().join(' or ')}`;
  if (error.keyword === 'format') return `must be ${nouns[error.params.format] ?? error.params.format}`;
  return error.message ?? `must satisfy "${error.keyword}"`;
}

const nouns: Record<string, string> = {
  byte: 'base64 (RFC 4648, padded)',
  uri: 'a URI (RFC 3986)',
  'uri-template': 'a URI template (RFC 6570)',
};
