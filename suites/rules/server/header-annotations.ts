/** `x-mcp-header` in input schemas: the parameters that a client repeats in HTTP headers. */

import { fail, type Judgement, pass } from '../../../harness/judge/finding.js';
import { rule } from '../../../harness/judge/rule.js';
import { type Conversation, derived } from '../../../harness/record/conversation.js';
import type { Message } from '../../../harness/record/message.js';
import { isObject, type Json } from '../../../spec/json-rpc.js';
import type { RequirementId } from '../../../spec/requirement.js';
import { answered, objects } from '../derived/results.js';

interface Annotation {
  readonly reply: Message;
  readonly tool: Json | undefined;
  /** The name of the annotated property. */
  readonly property: string;
  readonly value: Json;
  readonly schema: { readonly [member: string]: Json };
  /** Reached from the root through `properties` only. */
  readonly isReachable: boolean;
  /** All values in the same input schema. */
  readonly among: Json[];
}

/** Keywords that hold one schema, several, or several by name. */
const single =
  'additionalProperties contains else if items not propertyNames then unevaluatedItems unevaluatedProperties';
const several = 'allOf anyOf oneOf prefixItems';
const named = '$defs definitions dependentSchemas patternProperties';

const annotations = derived((conversation: Conversation): readonly Annotation[] =>
  answered(conversation, 'tools/list').flatMap(({ reply, result }) =>
    objects(result.tools).flatMap(tool => {
      const found: Annotation[] = [];
      const among: Json[] = [];
      const visit = (schema: Json | undefined, property: string, isReachable: boolean): void => {
        if (!isObject(schema)) return;
        const value = schema['x-mcp-header'];
        if (value !== undefined && property !== '') {
          among.push(value);
          found.push({ reply, tool: tool.name, property, value, schema, isReachable, among });
        }
        for (const [name, at] of Object.entries(isObject(schema.properties) ? schema.properties : {}))
          visit(at, name, isReachable);
        for (const key of single.split(' ')) visit(schema[key], property || key, false);
        for (const key of several.split(' '))
          for (const at of objects(schema[key])) visit(at, property || key, false);
        for (const key of named.split(' '))
          for (const [name, at] of Object.entries(isObject(schema[key]) ? schema[key] : {}))
            visit(at, name, false);
      };
      visit(tool.inputSchema, '', true);
      return found;
    }),
  ),
);

const shown = (value: Json | undefined): string => (JSON.stringify(value) ?? 'none').slice(0, 200);

const isToken = (value: string): boolean => /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/.test(value);
const hasControl = (value: string): boolean => /\p{Cc}/u.test(value);
const primitives: readonly unknown[] = ['integer', 'string', 'boolean'];

/** Names and formats that have no other meaning than a secret. */
const secret = /^(password|passwd|secret|api_?key|access_?token|client_?secret|ssn)$/i;

/** A rule for each of several rows that state the same. */
const same = (
  rows: readonly RequirementId[],
  expected: string,
  isWrong: (annotation: Annotation) => boolean | undefined,
) =>
  rows.map(row =>
    rule.each(row, annotations, (annotation): Judgement | undefined => {
      const wrong = isWrong(annotation);
      if (wrong === undefined) return undefined;
      const { reply, tool, property, value } = annotation;
      return wrong ? fail(expected, [reply], `${shown(tool)}, ${property}: ${shown(value)}`) : pass([reply]);
    }),
  );

export const rules = [
  ...same(
    ['http-headers.custom-name-not-empty', 'tools.x-mcp-header-not-empty'],
    'a name that is not empty',
    ({ value }) => typeof value !== 'string' || value === '',
  ),
  ...same(['http-headers.custom-name-token', 'tools.x-mcp-header-token'], 'a token of HTTP', ({ value }) =>
    typeof value === 'string' && value !== '' ? !isToken(value) : undefined,
  ),
  ...same(
    ['http-headers.custom-name-no-controls', 'tools.x-mcp-header-no-control-characters'],
    'no control characters',
    ({ value }) => (typeof value === 'string' ? hasControl(value) : undefined),
  ),
  ...same(
    ['http-headers.custom-name-unique', 'tools.x-mcp-header-unique'],
    'each name once, whatever its case',
    ({ value, among }) =>
      typeof value === 'string'
        ? among.filter(other => typeof other === 'string' && other.toLowerCase() === value.toLowerCase())
            .length > 1
        : undefined,
  ),
  // The text is silent about a property without a type, and about several types.
  ...same(
    ['http-headers.custom-primitive', 'tools.x-mcp-header-primitive-types'],
    'an integer, a string or a boolean',
    ({ schema: { type } }) => (typeof type === 'string' ? !primitives.includes(type) : undefined),
  ),
  ...same(
    [
      'http-headers.custom-reachable',
      'http-headers.custom-not-through',
      'tools.x-mcp-header-statically-reachable',
    ],
    'a property that properties alone lead to',
    ({ isReachable }) => !isReachable,
  ),
  ...same(
    ['tools.x-mcp-header-not-sensitive'],
    'no parameter that holds a secret',
    ({ property, schema }) =>
      secret.test(property) || schema.format === 'password' || schema.writeOnly === true,
  ),
];
