/**
 * `npm run spec`: compiles types to `<revision>/schema.json`, and rows to `requirements.json` and
 * `RequirementId`. `--check` compares only.
 */

import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import * as tjs from 'typescript-json-schema';
import { compileRequirements } from './compile-requirements.js';
import { extensions } from './extensions/index.js';
import { isObject, type Json, type JsonObject } from './json-rpc.js';
import { overlays } from './overlay.js';
import { definedRevisions, type RevisionId } from './revisions.js';

const prefix = '#/definitions/';

/** Lists of methods that have one member. */
const aliases = /^export type ((?:Client|Server)(?:Request|Notification)) = (\w+);$/gm;

/** The names of the types that a file below `spec/` exports. */
const exportedBy = (file: string): string[] =>
  [...readFileSync(file, 'utf8').matchAll(/^export (?:interface|type) (\w+)/gm)].map(m => m[1]!);

const typesIn = (folder: string): string => fileURLToPath(new URL(`./${folder}/schema.ts`, import.meta.url));

/** The text of `<revision>/schema.json`, computed from `<revision>/schema.ts` and the overlay. */
function schemaOf(revision: RevisionId): string {
  const definitions = definitionsIn(typesIn(revision));
  applyOverlays(revision, definitions);
  return textOf(definitions);
}

/** The text of the `schema.json` of an extension; definitions of the revision stay references. */
const extensionSchemaOf = (id: string, revision: RevisionId): string =>
  textOf(definitionsIn(typesIn(`extensions/${id}`), exportedBy(typesIn(revision))));

const textOf = (definitions: JsonObject): string =>
  `${JSON.stringify({ $schema: 'http://json-schema.org/draft-07/schema#', definitions: sorted(definitions) }, null, 1)}\n`;

/** @param imported names of types of another file, which stay references */
function definitionsIn(file: string, imported: readonly string[] = []): JsonObject {
  const exported = exportedBy(file);
  // Not strict: with null checks an optional member is a union with `undefined`, and the generator loses the
  // alias in it.
  const program = tjs.getProgramFromFiles([file], { skipLibCheck: true, types: [] });
  const generator = tjs.buildGenerator(
    program,
    { ref: true, aliasRef: true, required: true, noExtraProps: false },
    [file],
  );
  if (!generator) throw new Error(`${file} does not compile: run "npx tsc --noEmit" and correct it.`);
  const computed = generator.getSchemaForSymbols(exported, true).definitions as JsonObject;
  const definitions = inlineHelpers(computed, exported, imported);
  // a list of methods with one member is a reference too, as a list with several has references
  for (const [, list = '', only = ''] of readFileSync(file, 'utf8').matchAll(aliases))
    if (!isObject(definitions[list]) || definitions[list].$ref === undefined)
      definitions[list] = { $ref: prefix + only };
  return definitions;
}

/**
 * Types that are not exported are helpers of this project: they are inlined at each use, and have no
 * definition.
 */
function inlineHelpers(
  definitions: JsonObject,
  exported: readonly string[],
  imported: readonly string[],
): JsonObject {
  const named = new Set([...exported, ...imported]);
  const inline = (json: Json): Json => {
    if (Array.isArray(json)) return json.map(inline);
    if (!isObject(json)) return json;
    const name = typeof json.$ref === 'string' ? json.$ref.slice(prefix.length) : undefined;
    if (name !== undefined && !named.has(name)) {
      const { $ref: _, ...beside } = json;
      return inline({ ...(definitions[name] as JsonObject), ...beside });
    }
    return Object.fromEntries(Object.entries(json).map(([key, value]) => [key, inline(value)]));
  };
  return Object.fromEntries(exported.map(name => [name, inline(definitions[name]!)]));
}

/** @throws {Error} for an entry that changes nothing, because the entry is out of date. */
function applyOverlays(revision: RevisionId, definitions: JsonObject): void {
  for (const { revisions: where, at, becomes } of overlays) {
    if (!where.includes(revision)) continue;
    const parent = at
      .slice(0, -1)
      .reduce<Json | undefined>((json, key) => (isObject(json) ? json[key] : undefined), definitions);
    const key = at.at(-1)!;
    if (!isObject(parent) || JSON.stringify(parent[key]) === JSON.stringify(becomes))
      throw new Error(
        `spec/overlay.ts: ${at.join('/')} changes nothing in ${revision}; correct or remove the entry.`,
      );
    parent[key] = becomes;
  }
}

/** Sorts keys, so that moving a type in the source changes nothing. */
function sorted(json: Json): Json {
  if (Array.isArray(json)) return json.map(sorted);
  if (!isObject(json)) return json;
  return Object.fromEntries(
    Object.entries(json)
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([key, value]) => [key, sorted(value)]),
  );
}

/** Writes the schemas; with `check`, returns the files that are out of date instead. */
export function compileSchemas(options: { check?: boolean } = {}): string[] {
  const compiled = [
    ...definedRevisions.map(({ id }) => [id, schemaOf(id)] as const),
    ...extensions
      .filter(e => e.hasSchema)
      .map(e => [`extensions/${e.id}`, extensionSchemaOf(e.id, e.revisions[0]!)] as const),
  ];
  return compiled.flatMap(([folder, text]) => {
    const file = new URL(`./${folder}/schema.json`, import.meta.url);
    if (!options.check) writeFileSync(file, text);
    else if (readFileSync(file, 'utf8') !== text) return [`spec/${folder}/schema.json`];
    return [];
  });
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const check = process.argv.includes('--check');
  const stale = compileSchemas({ check }).map(
    file => `${file} is out of date: run "npm run spec" and commit the result.`,
  );
  try {
    compileRequirements({ check });
  } catch (error) {
    stale.push((error as Error).message);
  }
  for (const line of stale) console.error(line);
  if (stale.length > 0) process.exitCode = 1;
}
