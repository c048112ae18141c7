/**
 * How much work a schema of a subject can cause. Ordinary schemas are checked at once; the others in a worker with a
 * deadline, and no values are generated for them.
 */

import { atPointer } from './json-pointer.js';
import { isObject, type Json, type JsonObject } from './json-rpc.js';

export type Dialect = 'draft-07' | '2019-09' | '2020-12';

/** Limits of ordinary schemas; docs/limits.md lists them. */
export const schemaLimits = {
  /** Values in a schema. */
  values: 20_000,
  depth: 100,
  /** Parts of a schema, with each reference replaced by its target, and repeated for each required element. */
  parts: 200_000,
  /** Elements or members that every valid value has. */
  elements: 1_000,
  /** Characters that every valid text has. */
  characters: 200_000,
  /** Parameters that a header repeats (`x-mcp-header`): servers accept heads of 8 to 64 KB. */
  headers: 100,
};

/** Estimated steps that are done at once. */
const mostSteps = 5_000_000;
/** Nesting of a value for which a recursive schema is applied at once: each level may double the work. */
const deepestRecursion = 12;

interface Cost {
  /** The exceeded limit, in words. */
  readonly excess: string | undefined;
  readonly parts: number;
  readonly patterns: readonly string[];
  readonly recursive: boolean;
}

interface Size {
  values: number;
  depth: number;
  longestText: number;
}

/** Visits each value with its depth, without recursion. */
function visit(json: Json, see: (value: Json, depth: number) => boolean): void {
  const open: [Json, number][] = [[json, 1]];
  for (let next = open.pop(); next; next = open.pop()) {
    const [value, depth] = next;
    if (!see(value, depth)) return;
    if (typeof value !== 'object' || value === null) continue;
    if (Array.isArray(value)) for (const item of value) open.push([item, depth + 1]);
    else for (const name of Object.keys(value)) open.push([value[name]!, depth + 1]);
  }
}

function sizeOf(json: Json): Size {
  const size = { values: 0, depth: 0, longestText: 0 };
  visit(json, (value, depth) => {
    size.values++;
    size.depth = Math.max(size.depth, depth);
    if (typeof value === 'string') size.longestText = Math.max(size.longestText, value.length);
    else if (isObject(value))
      for (const name of Object.keys(value)) size.longestText = Math.max(size.longestText, name.length);
    return true;
  });
  return size;
}

const counts: readonly [keyword: string, limit: keyof typeof schemaLimits][] = [
  ['minItems', 'elements'],
  ['minContains', 'elements'],
  ['minProperties', 'elements'],
  ['minLength', 'characters'],
];

/** The cost of a schema with at most this many parts is not kept. */
const small = 20;

const costs = new WeakMap<object, Cost>();

function costOf(schema: JsonObject): Cost {
  const known = costs.get(schema);
  if (known) return known;
  const cost = measure(schema);
  // a list of 50,000 tools has as many small schemas, in each conversation
  if (cost.parts > small) costs.set(schema, cost);
  return cost;
}

function measure(schema: JsonObject): Cost {
  const patterns: string[] = [];
  let values = 0;
  let headers = 0;
  let excess: string | undefined;
  visit(schema, (value, depth) => {
    if (++values > schemaLimits.values) excess = `more than ${schemaLimits.values} values`;
    if (depth > schemaLimits.depth) excess = `a depth of more than ${schemaLimits.depth}`;
    if (isObject(value)) {
      if ('x-mcp-header' in value && ++headers > schemaLimits.headers)
        excess = `more than ${schemaLimits.headers} parameters in headers`;
      if (typeof value.pattern === 'string') patterns.push(value.pattern);
      if (isObject(value.patternProperties)) patterns.push(...Object.keys(value.patternProperties));
      for (const [keyword, limit] of counts)
        if (typeof value[keyword] === 'number' && value[keyword] > schemaLimits[limit])
          excess = `${keyword} of more than ${schemaLimits[limit]}`;
    }
    return excess === undefined;
  });
  if (excess !== undefined) return { excess, parts: Infinity, patterns, recursive: true };
  const { parts, recursive } = unfold(schema);
  if (parts > schemaLimits.parts) excess = `more than ${schemaLimits.parts} parts, with its references`;
  return { excess, parts, patterns, recursive };
}

/** The number of elements or members of every valid value: each has the parts of its schema. */
const leastElements = (schema: JsonObject | Json[]): number =>
  Array.isArray(schema)
    ? 1
    : Math.max(
        1,
        ...['minItems', 'minContains', 'minProperties'].map(keyword =>
          typeof schema[keyword] === 'number' ? schema[keyword] : 1,
        ),
      );

/** Counts the parts of a schema, those behind a reference or of several elements once for each use. */
function unfold(root: JsonObject): { parts: number; recursive: boolean } {
  const sizes = new Map<object, number>();
  let recursive = false;
  const count = (value: Json, depth: number): number => {
    if (typeof value !== 'object' || value === null) return 0;
    const known = sizes.get(value);
    if (known !== undefined) {
      // 0: the count of this part is not complete, so the part contains itself
      if (known === 0) recursive = true;
      return known || 1;
    }
    if (depth > 5 * schemaLimits.depth) return Infinity;
    sizes.set(value, 0);
    let size = 0;
    for (const item of Array.isArray(value) ? value : Object.values(value)) size += count(item, depth + 1);
    for (const keyword of ['$ref', '$dynamicRef']) {
      const target = targetOf(root, Array.isArray(value) ? undefined : value[keyword]);
      if (target !== undefined) size += count(target, depth + 1);
    }
    size = (1 + size) * leastElements(value);
    sizes.set(value, size);
    return size;
  };
  return { parts: count(root, 0), recursive };
}

/** The target of a reference into the same document; any other reference counts as recursive. */
function targetOf(root: JsonObject, reference: Json | undefined): Json | undefined {
  if (typeof reference !== 'string') return undefined;
  if (!reference.startsWith('#/')) return root;
  return atPointer(root, reference.slice(1));
}

/** The reason why no values are generated from a schema; undefined for ordinary schemas. */
export const schemaExcess = (schema: Json): string | undefined =>
  isObject(schema) ? costOf(schema).excess : undefined;

/** The parts of a schema that are compared with a value: those behind a reference once for each use. */
export const partsOf = (schema: Json): number => (isObject(schema) ? costOf(schema).parts : 1);

/** Whether checking a schema or a value takes little time; otherwise a worker with a deadline does it. */
export function isQuick(schema: JsonObject, value?: Json): boolean {
  const cost = costOf(schema);
  if (cost.excess !== undefined) return false;
  if (value === undefined) return true;
  const { values, depth, longestText } = sizeOf(value);
  return (
    cost.parts * values <= mostSteps &&
    (!cost.recursive || depth <= deepestRecursion) &&
    cost.patterns.every(pattern => isQuickPattern(pattern, longestText))
  );
}

/** Repetitions up to this number are not counted. */
const fewTimes = 16;

interface Group {
  /** Open-ended or long repetitions inside. */
  loops: number;
  repeats: boolean;
  choices: boolean;
}

const tokens =
  /\\[1-9k]|\\.|\[(?:\\.|[^\]\\])*\]|\((?:\?(?:<?[=!]|:|<[^>]*>))?|\)|[*+?]\??|\{(\d+)(?:(,)(\d*))?\}\??|[|^$.]|./gsu;

/**
 * Whether a regular expression takes little time for texts of this length. Certain for a yes: no repetition contains
 * another one or a choice, and the number of repetitions bounds the time.
 */
export function isQuickPattern(pattern: string, length: number): boolean {
  if (pattern.length > 1_000) return false;
  const groups: Group[] = [{ loops: 0, repeats: false, choices: false }];
  let closed: Group | undefined;
  for (const [token, least, comma, most] of pattern.matchAll(tokens)) {
    const group = groups.at(-1)!;
    const previous = closed;
    closed = undefined;
    if (/^\\[1-9k]/.test(token)) return false;
    if (token.startsWith('(')) groups.push({ loops: 0, repeats: false, choices: false });
    else if (token === ')') {
      if (groups.length === 1) return false;
      closed = groups.pop()!;
      const outer = groups.at(-1)!;
      outer.loops += closed.loops;
      outer.repeats ||= closed.repeats;
      outer.choices ||= closed.choices;
    } else if (token === '|') group.choices = true;
    else if (/^[*+{?]/.test(token)) {
      const times = token.startsWith('?')
        ? 1
        : least === undefined
          ? Infinity
          : Number(comma === undefined ? least : most || Infinity);
      if (times > 1 && (previous?.repeats || previous?.choices)) return false;
      if (times > 1) group.repeats = true;
      if (times > fewTimes) group.loops++;
    }
  }
  if (groups.length > 1) return false;
  const [{ loops, choices }] = groups as [Group];
  const anchored = pattern.startsWith('^') && !choices;
  return Math.max(length, fewTimes) ** (loops + (anchored ? 0 : 1)) * pattern.length <= mostSteps;
}
