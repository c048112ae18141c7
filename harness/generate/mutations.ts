/** Changes to a valid value that one schema alone forbids. */

import { lengthOf } from '../../spec/is-valid.js';
import { asText, isObject, type Json, type JsonObject, without } from '../../spec/json-rpc.js';

export interface Change {
  /** Description, for a finding. */
  readonly mutation: string;
  becomes(): Json;
}

const examples: Readonly<Record<string, Json>> = {
  null: null,
  boolean: true,
  integer: 7,
  number: 0.5,
  string: 'text',
  array: [],
  object: {},
};

const typeOf = (value: Json): string =>
  value === null
    ? 'null'
    : Array.isArray(value)
      ? 'array'
      : typeof value === 'number'
        ? Number.isInteger(value)
          ? 'integer'
          : 'number'
        : typeof value;

const count = (json: Json | undefined): number | undefined => (typeof json === 'number' ? json : undefined);

const details = [
  ...['minLength', 'maxLength', 'format', 'pattern'],
  ...['minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum', 'multipleOf'],
  ...['additionalProperties', 'minProperties', 'maxProperties', 'minItems', 'maxItems', 'uniqueItems'],
];

/** The groups of keywords whose changes a schema forbids; each group is drawn equally often. */
export function groupsOf(schema: JsonObject): Group[] {
  const groups: Group[] = [];
  if (schema.type !== undefined) groups.push('type');
  if (schema.const !== undefined || schema.enum !== undefined) groups.push('choice');
  if (details.some(keyword => schema[keyword] !== undefined)) groups.push('details');
  return groups;
}

export type Group = 'type' | 'choice' | 'details';

/** The changes forbidden by the keywords of a group. */
export function changes(group: Group, schema: JsonObject, value: Json): Change[] {
  const found: Change[] = [];
  const add: Add = (mutation, becomes) => found.push({ mutation, becomes });
  if (group === 'type') wrongTypes([schema.type!].flat() as string[], value, add);
  else if (group === 'choice') wrongChoices(schema, value, add);
  else if (typeof value === 'string') wrongTexts(schema, value, add);
  else if (typeof value === 'number') wrongNumbers(schema, value, add);
  else if (isObject(value)) wrongMembers(schema, value, add);
  else if (Array.isArray(value)) wrongElements(schema, value, add);
  return found;
}

function wrongChoices(schema: JsonObject, value: Json, add: Add): void {
  if (schema.const !== undefined)
    for (const other of othersThan(schema.const)) add(`constant altered to ${show(other)}`, () => other);
  if (Array.isArray(schema.enum))
    for (const other of othersThan(value))
      add(`replaced by ${show(other)}, which is not listed`, () => other);
}

type Add = (mutation: string, becomes: () => Json) => void;

const show = (json: Json): string => JSON.stringify(json);

function wrongTypes(types: readonly string[], value: Json, add: Add): void {
  for (const [type, example] of Object.entries(examples)) {
    if (types.includes(type) || (type === 'integer' && types.includes('number'))) continue;
    if (type === 'null') add('null, where none is allowed', () => null);
    else if (type === 'number' && types.includes('integer')) {
      const fraction = typeof value === 'number' && Math.abs(value) < 1e9 ? value + 0.5 : 0.5;
      add(`fraction ${fraction}, where an integer is due`, () => fraction);
    } else if (type !== 'number' || !types.includes('integer'))
      add(`type changed from ${typeOf(value)} to ${type}`, () => example);
  }
  if (typeof value === 'number' || typeof value === 'boolean') add('written as text', () => String(value));
}

function othersThan(value: Json): Json[] {
  if (typeof value === 'string') {
    const cased = value === value.toUpperCase() ? value.toLowerCase() : value.toUpperCase();
    return [`${value}x`, `${value} `, '', ...(cased === value ? [] : [cased])];
  }
  return typeof value === 'number'
    ? [value + 1, -value - 1]
    : typeof value === 'boolean'
      ? [!value]
      : ['other'];
}

/** Texts that match almost no format or pattern. */
const formless = ['not a {format', ' ', '', '{', '%', '\u0000'];

function wrongTexts(schema: JsonObject, value: string, add: Add): void {
  const [least, most] = [count(schema.minLength), count(schema.maxLength)];
  if (least !== undefined && least > 0)
    add(`shorter than ${least}`, () => [...value].slice(0, least - 1).join(''));
  if (most !== undefined && most < 1e6)
    add(`longer than ${most}`, () => value + 'a'.repeat(most + 1 - lengthOf(value)));
  for (const keyword of ['format', 'pattern'] as const)
    if (schema[keyword] !== undefined)
      for (const text of formless)
        add(`${show(text)}, which does not match ${asText(schema[keyword])}`, () => text);
}

function wrongNumbers(schema: JsonObject, value: number, add: Add): void {
  const [least, most] = [count(schema.minimum), count(schema.maximum)];
  const [above, below] = [count(schema.exclusiveMinimum), count(schema.exclusiveMaximum)];
  if (least !== undefined) add(`below the minimum, ${least}`, () => least - 1);
  if (most !== undefined) add(`above the maximum, ${most}`, () => most + 1);
  if (above !== undefined) add(`not above ${above}`, () => above);
  if (below !== undefined) add(`not below ${below}`, () => below);
  const unit = count(schema.multipleOf);
  if (unit !== undefined) add(`not a multiple of ${unit}`, () => value + unit / 2);
}

function wrongMembers(schema: JsonObject, value: JsonObject, add: Add): void {
  const { minProperties, maxProperties, additionalProperties } = schema;
  if (additionalProperties === false)
    add('member added to a closed object', () => ({ ...value, 'x-other': 1 }));
  const [least, most] = [count(minProperties), count(maxProperties)];
  const names = Object.keys(value);
  if (least !== undefined && least > 0)
    add(`fewer than ${least} members`, () => without(value, ...names.slice(least - 1)));
  if (most !== undefined && most < 1000)
    add(`more than ${most} members`, () => {
      const more = Array.from({ length: most + 1 - names.length }, (_, index) => [`x-${index}`, 1]);
      return { ...value, ...Object.fromEntries(more) };
    });
}

function wrongElements(schema: JsonObject, value: Json[], add: Add): void {
  const [least, most] = [count(schema.minItems), count(schema.maxItems)];
  if (least !== undefined && least > 0) add(`fewer than ${least} elements`, () => value.slice(0, least - 1));
  if (most !== undefined && most < 10_000 && value.length > 0)
    add(`more than ${most} elements`, () =>
      Array.from({ length: most + 1 }, (_, index) => value[index % value.length]!),
    );
  if (schema.uniqueItems === true && value.length > 0)
    add('an element repeated', () => [...value, value[0]!]);
}
