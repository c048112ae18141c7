/** The YAML frontmatter of a file, and its comparison with JSON. */

import { createRequire } from 'node:module';
import { keptByText } from '../../../harness/grouped.js';
import { asText, isObject, type Json, type JsonObject } from '../../../spec/json-rpc.js';
import { sameJson } from './results.js';

/** Loaded with the first frontmatter, so that the program starts fast. */
const yamlPackage = () => createRequire(import.meta.url)('yaml') as typeof import('yaml');

type Reading = 'core' | 'yaml-1.1' | 'failsafe';

/** The text between two lines of `---` at the begin of a file; undefined when there is none. */
export const frontmatterIn = (text: string): string | undefined =>
  /^\ufeff?---[ \t]*\r?\n(|[\s\S]*?\r?\n)---[ \t]*(?:\r?\n|$)/.exec(text)?.[1];

function read(yaml: string, schema: Reading): JsonObject | undefined {
  const document = yamlPackage().parseDocument(yaml, { schema, logLevel: 'silent' });
  if (document.errors.length > 0) return undefined;
  // a date becomes the text of JSON
  const value: unknown = JSON.parse(JSON.stringify(document.toJS() ?? null));
  return isObject(value as Json) ? (value as JsonObject) : undefined;
}

/** What frontmatter means by YAML 1.2, by YAML 1.1, and with all values as texts; undefined if it is no mapping. */
export const readings = keptByText((yaml: string): readonly JsonObject[] | undefined => {
  const found = (['core', 'yaml-1.1', 'failsafe'] as const).map(schema => read(yaml, schema));
  return found[0] || found[1] ? found.filter(value => value !== undefined) : undefined;
}, 50);

/** Whether several readings of the frontmatter are possible that this comparison does not know. */
export const isPlain = keptByText((yaml: string): boolean => {
  const { parseDocument, visit } = yamlPackage();
  let plain = true;
  visit(parseDocument(yaml, { logLevel: 'silent' }), {
    Alias: () => {
      plain = false;
      return visit.BREAK;
    },
    Node(_, { tag }) {
      if (tag !== undefined) plain = false;
    },
    Pair(_, { key }) {
      if (String(key) === '<<') plain = false;
    },
  });
  return plain;
}, 50);

const isEmpty = (value: Json | undefined): boolean => value === undefined || value === null || value === '';

/** Two spellings of one moment. */
const isSameMoment = (a: Json, b: Json | undefined): boolean =>
  [a, b].every(value => typeof value === 'string' && /^\d{4}-\d\d-\d\d/.test(value)) &&
  Date.parse(a as string) === Date.parse(b as string);

const agrees = (value: Json | undefined, asRead: readonly (Json | undefined)[]): boolean => {
  if (isEmpty(value)) return asRead.some(isEmpty);
  if (isObject(value)) {
    const maps = asRead.filter(isObject);
    return maps.length > 0 && difference(value, maps) === undefined;
  }
  if (Array.isArray(value)) {
    const arrays = asRead.filter(Array.isArray) as Json[][];
    return (
      arrays.length > 0 &&
      arrays[0]!.length === value.length &&
      value.every((item, at) =>
        agrees(
          item as Json,
          arrays.map(array => array[at]),
        ),
      )
    );
  }
  return asRead.some(
    other => sameJson(value, other) || asText(value) === asText(other) || isSameMoment(value!, other),
  );
};

/** The first member in which a JSON object differs from all readings of frontmatter; undefined if there is none. */
export function difference(value: JsonObject, asRead: readonly JsonObject[]): string | undefined {
  const names = new Set([...Object.keys(value), ...Object.keys(asRead[0] ?? {})]);
  return [...names].find(
    name =>
      !agrees(
        value[name],
        asRead.map(reading => reading[name]),
      ),
  );
}
