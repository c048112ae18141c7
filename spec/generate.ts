/**
 * `npm run spec`: compiles types to `<revision>/schema.json`, and rows to `requirements.json` and
 * `RequirementId`. `--check` compares only.
 */

import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import * as tjs from 'typescript-json-schema';
import { compileRequirements } from './compile-requirements.js';
import { isObject, type Json, type JsonObject } from './json-rpc.js';
import { overlays } from './overlay.js';
import { definedRevisions, type RevisionId } from './revisions.js';

const prefix = '#/definitions/';

/** The text of `<revision>/schema.json`, computed from `<revision>/schema.ts` and the overlay. */
function schemaOf(revision: RevisionId): string {
  const file = fileURLToPath(new URL(`./${revision}/schema.ts`, import.meta.url));
  const exported = [...readFileSync(file, 'utf8').matchAll(/^export (?:interface|type) (\w+)/gm)].map(
    m => m[1]!,
  );
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
  const definitions = inlineHelpers(computed, new Set(exported));
  applyOverlays(revision, definitions);
  return `${JSON.stringify({ $schema: 'http://json-schema.org/draft-07/schema#', definitions: sorted(definitions) }, null, 1)}\n`;
}

/**
 * Types that are not exported are helpers of this project: they are inlined at each use, and have no
 * definition.
 */
function inlineHelpers(definitions: JsonObject, exported: ReadonlySet<string>): JsonObject {
  const inline = (json: Json): Json => {
    if (Array.isArray(json)) return json.map(inline);
    if (!isObject(json)) return json;
    const name = typeof json.$ref === 'string' ? json.$ref.slice(prefix.length) : undefined;
    if (name !== undefined && !exported.has(name)) {
      const { $ref: _, ...beside } = json;
      return inline({ ...(definitions[name] as JsonObject), ...beside });
    }
    return Object.fromEntries(Object.entries(json).map(([key, value]) => [key, inline(value)]));
  };
  return Object.fromEntries([...exported].map(name => [name, inline(definitions[name]!)]));
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
  return definedRevisions.flatMap(({ id }) => {
    const file = new URL(`./${id}/schema.json`, import.meta.url);
    const text = schemaOf(id);
    if (!options.check) writeFileSync(file, text);
    else if (readFileSync(file, 'utf8') !== text) return [`spec/${id}/schema.json`];
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
