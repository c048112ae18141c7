/** `x-mcp-header` in input schemas: the parameters that a client repeats in HTTP headers. */

import { fail, type Judgement, pass } from '../../../harness/judge/finding.js';
import { rule } from '../../../harness/judge/rule.js';
import { type Conversation, derived } from '../../../harness/record/conversation.js';
import {
  type HeaderAnnotation,
  headerAnnotations,
  isPrimitive,
  isToken,
  isUnique,
} from '../../../harness/record/header-annotations.js';
import type { Message } from '../../../harness/record/message.js';
import type { Json } from '../../../spec/json-rpc.js';
import type { RequirementId } from '../../../spec/requirement.js';
import { answered, objects, shown } from '../derived/results.js';

interface Annotation extends HeaderAnnotation {
  readonly tool: Json | undefined;
}

/** The annotations of each list of tools. */
const annotations = derived((conversation: Conversation): readonly [Message, readonly Annotation[]][] =>
  answered(conversation, 'tools/list').map(({ reply, result }) => [
    reply,
    objects(result.tools).flatMap(tool =>
      headerAnnotations(tool.inputSchema).map(found => ({ ...found, tool: tool.name })),
    ),
  ]),
);

const hasControl = (value: string): boolean => /\p{Cc}/u.test(value);

/** Names and formats that have no other meaning than a secret. */
const secret = /^(password|passwd|secret|api_?key|access_?token|client_?secret|ssn)$/i;

/** A rule for each of several rows that state the same. A list without a flaw is one judgement: it may have many. */
const same = (
  rows: readonly RequirementId[],
  expected: string,
  isWrong: (annotation: Annotation) => boolean | undefined,
) =>
  rows.map(row =>
    rule(row, function* (conversation): Generator<Judgement> {
      for (const [reply, found] of annotations(conversation)) {
        const judged = found.map(annotation => ({ annotation, wrong: isWrong(annotation) }));
        const wrong = judged.filter(j => j.wrong);
        for (const { annotation } of wrong) {
          const { tool, property, value } = annotation;
          yield fail(expected, [reply], `${shown(tool)}, ${property}: ${shown(value)}`);
        }
        if (wrong.length === 0 && judged.some(j => j.wrong === false)) yield pass([reply]);
      }
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
    ({ value, among }) => (typeof value === 'string' ? !isUnique(value, among) : undefined),
  ),
  // The text is silent about a property without a type, and about several types.
  ...same(
    ['http-headers.custom-primitive', 'tools.x-mcp-header-primitive-types'],
    'an integer, a string or a boolean',
    ({ schema }) => (typeof schema.type === 'string' ? !isPrimitive(schema) : undefined),
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
