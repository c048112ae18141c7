/** Tools: their lists, and the content of their results. */

import { grouped } from '../../../harness/grouped.js';
import { fail, inconclusive, type Judgement, pass } from '../../../harness/judge/finding.js';
import { rule } from '../../../harness/judge/rule.js';
import { type Conversation, declares, derived } from '../../../harness/record/conversation.js';
import type { Message } from '../../../harness/record/message.js';
import { questionsOf } from '../../../harness/record/questions.js';
import { lengthOf } from '../../../spec/is-valid.js';
import { asText, isObject, type Json, type JsonObject, parseJson } from '../../../spec/json-rpc.js';
import { clauseIn, requirement } from '../../../spec/requirement.js';
import type { Revision } from '../../../spec/revisions.js';
import { vocabularyOf } from '../../../spec/vocabulary.js';
import { saidBetween } from '../derived/order.js';
import { listAnswered, lists, pagesOf } from '../derived/pages.js';
import { lostReference } from '../derived/references.js';
import {
  answered,
  blocksOf,
  isMedia,
  lastBefore,
  mediaFlaw,
  objects,
  sameJson,
  shown,
} from '../derived/results.js';
import { type Checked, checkSchema, judgeValue } from '../derived/schemas.js';

/** Every tool of every page, with the reply that contains it. */
const listed = derived((conversation: Conversation): { tool: JsonObject; reply: Message }[] =>
  pagesOf(conversation, lists.tools).flatMap(({ items, reply }) => items.map(tool => ({ tool, reply }))),
);

const named = derived((conversation: Conversation) =>
  listed(conversation).flatMap(({ tool, reply }) =>
    typeof tool.name === 'string' ? [{ name: tool.name, reply }] : [],
  ),
);

/** The input schemas and output schemas of tools. */
const schemas = (conversation: Conversation) =>
  listed(conversation).flatMap(({ tool: { inputSchema, outputSchema }, reply }) =>
    [inputSchema, outputSchema].filter(isObject).map(schema => ({ schema, reply })),
  );

/** The flaw of a schema of a tool. @param describesObject whether it has to describe an object */
function flawOf(conversation: Conversation, schema: Json | undefined, describesObject: boolean): Checked {
  if (!isObject(schema)) return { flaw: 'not an object' };
  if (describesObject && schema.type !== 'object') return { flaw: `"type": ${shown(schema.type)}` };
  return checkSchema(schema, conversation.revision);
}

/** Whether the structured content of a tool may be any JSON in a revision, and not objects alone. */
const mayReturnAnything = (revision: Revision): boolean =>
  vocabularyOf(revision).fits('Tool', { name: 'a', inputSchema: { type: 'object' }, outputSchema: {} });

type SchemaMember = 'inputSchema' | 'outputSchema';

/** Judges the schemas of a tool. @param describeObjects whether they have to describe objects */
function judgeSchemas(
  conversation: Conversation,
  tool: JsonObject,
  members: readonly SchemaMember[],
  evidence: readonly Message[],
  describeObjects = true,
): Judgement {
  const checks = members.map(member => ({
    member,
    ...flawOf(conversation, tool[member], describeObjects),
  }));
  const flawed = checks.find(check => check.flaw !== undefined);
  const unknown = checks.find(check => check.unknown !== undefined)?.unknown;
  const expected = describeObjects ? 'a JSON Schema of an object' : 'a JSON Schema';
  if (flawed) return fail(`${expected} as ${flawed.member}`, evidence, `${shown(tool.name)}: ${flawed.flaw}`);
  return unknown === undefined ? pass(evidence) : inconclusive(`not judged: ${unknown}`, evidence);
}

const special = /[\s,]/;

const entriesByName = derived((conversation: Conversation) =>
  grouped(listed(conversation), e => e.tool.name),
);

/**
 * The definition of the tool of a call; undefined when the tool was not listed before, or the list changed
 * since.
 */
export function definitionFor(
  conversation: Conversation,
  request: Message,
  reply: Message,
): JsonObject | undefined {
  const entry = lastBefore(
    entriesByName(conversation).get(request.params?.name) ?? [],
    request.seq,
    e => e.reply.seq,
  );
  const changes = conversation.notifications({ by: 'subject', method: lists.tools.changed });
  const changed = entry && saidBetween(conversation, changes, entry.reply, reply);
  return changed ? undefined : entry?.tool;
}

export const rules = [
  listAnswered('tools.list-answered', 'tools'),

  rule.each('tools.input-schema-valid', listed, ({ tool, reply }, conversation) => {
    // where the specification has a page about schemas, json-schema.schemas-valid judges output schemas
    const others = !clauseIn(requirement('json-schema.schemas-valid'), conversation.revision.id);
    const output: SchemaMember[] = others && tool.outputSchema !== undefined ? ['outputSchema'] : [];
    return judgeSchemas(conversation, tool, ['inputSchema', ...output], [reply]);
  }),

  rule.each('json-schema.recommended-2020-12', schemas, ({ schema, reply }) => {
    const { $schema = '2020-12' } = schema;
    const recommended = asText($schema).includes('2020-12');
    return recommended ? pass([reply]) : fail('JSON Schema 2020-12', [reply], shown($schema));
  }),

  rule.each('json-schema.references-resolve', schemas, ({ schema, reply }, conversation) => {
    const lost = lostReference(schema, conversation.revision);
    return lost === undefined ? pass([reply]) : fail('a definition for each $ref', [reply], lost);
  }),

  rule('json-schema.schemas-valid', function* (conversation) {
    const isObjectOnly = !mayReturnAnything(conversation.revision);
    for (const { tool, reply } of listed(conversation))
      if (tool.outputSchema !== undefined)
        yield judgeSchemas(conversation, tool, ['outputSchema'], [reply], isObjectOnly);
    for (const { request: m } of questionsOf(conversation, 'sampling/createMessage'))
      for (const tool of objects(m.params?.tools)) {
        yield judgeSchemas(conversation, tool, ['inputSchema'], [m]);
        if (tool.outputSchema !== undefined)
          yield judgeSchemas(conversation, tool, ['outputSchema'], [m], isObjectOnly);
      }
  }),

  rule.each('tools.name-charset', named, ({ name, reply }) => {
    if (name === '' || special.test(name)) return undefined; // tools.name-length, tools.name-no-special-characters
    return /^[\w.-]+$/.test(name) ? pass([reply]) : fail('A-Z a-z 0-9 _ - .', [reply], shown(name));
  }),

  rule.each('tools.name-no-special-characters', named, ({ name, reply }) =>
    special.test(name) ? fail('no spaces and no commas', [reply], shown(name)) : pass([reply]),
  ),

  rule.each('tools.name-length', named, ({ name, reply }) => {
    const length = lengthOf(name);
    const fits = length >= 1 && length <= 128;
    return fits ? pass([reply]) : fail('1 to 128 characters', [reply], `${length}`);
  }),

  // A failed call needs no structured content, and a result that asks for input, or of a task, precedes it.
  rule('tools.output-schema-conformance', function* (conversation) {
    for (const { request, reply, result } of answered(conversation, 'tools/call')) {
      const schema = definitionFor(conversation, request, reply)?.outputSchema;
      if (!isObject(schema) || result.isError === true || isObject(result.task)) continue;
      if (result.resultType === 'input_required') continue;
      const { structuredContent: content } = result;
      yield judgeValue(schema, content, {
        revision: conversation.revision,
        expected: 'structured content that is valid for the output schema',
        evidence: [request, reply],
      });
    }
  }),

  rule('tools.structured-content-text-copy', function* (conversation) {
    for (const { request, reply, result } of answered(conversation, 'tools/call')) {
      if (result.structuredContent === undefined) continue;
      const copy = blocksOf(result.content).some(b => sameJson(parseJson(b.text), result.structuredContent));
      yield copy ? pass([request, reply]) : fail('a text block with the same JSON', [request, reply], 'none');
    }
  }),

  rule('tools.media-content-encoding', function* (conversation) {
    for (const { request, reply, result } of answered(conversation, 'tools/call')) {
      const media = blocksOf(result.content).filter(isMedia);
      const flaw = mediaFlaw(media);
      if (flaw) yield fail('base64 data', [request, reply], flaw);
      else if (media.length > 0) yield pass([request, reply]);
    }
  }),

  rule('tools.embedded-resource-capability', function* (conversation) {
    const capabilities = conversation.capabilities('server');
    for (const { request, reply, result } of answered(conversation, 'tools/call')) {
      if (!capabilities || !blocksOf(result.content).some(b => b.type === 'resource')) continue;
      const has = declares(capabilities, 'resources');
      yield has ? pass([request, reply]) : fail('the capability resources', [request, reply], 'none');
    }
  }),
];
