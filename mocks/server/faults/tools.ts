/** server/tools. */

import { isObject, type Json, type JsonObject, without } from '../../../spec/json-rpc.js';
import {
  fault,
  onNotification,
  onReply,
  onRequest,
  onResult,
  onWorld,
  refusal,
  result,
} from '../../fault.js';
import { featuresOf } from '../features.js';
import { codes } from '../refusal.js';
import { changing, object, readOnly, says } from '../world/builders.js';
import { changeItem, onRefused, refusedWithoutCursor } from './shared.js';

const nameIn = (ask: JsonObject): Json | undefined => (isObject(ask.params) ? ask.params.name : undefined);
const isListed = (ask: JsonObject, name: string): boolean => nameIn(ask) === name;

/** Whether a reply says that the arguments do not fit, in whichever way the revision wants it said. */
const blamesArguments = (reply: JsonObject): boolean => JSON.stringify(reply).includes('"Invalid arguments:');

const listing = (change: (tools: Json) => Json) =>
  onResult('tools/list', body => ({ ...body, tools: change(body.tools ?? []) }));

const named = (name: string) => (item: JsonObject) => item.name === name;

/** The elements of a pair are not looked at. */
const withoutPair = (ask: JsonObject, name: string): JsonObject => {
  if (!isListed(ask, name) || !isObject(ask.params) || !isObject(ask.params.arguments)) return ask;
  const { pair } = ask.params.arguments;
  return Array.isArray(pair) ? { ...ask, params: { ...ask.params, arguments: { pair: [] } } } : ask;
};

export const toolFaults = [
  fault(
    'older-dialect-named',
    { what: 'Schemas name an older dialect.', breaks: ['json-schema.recommended-2020-12'] },
    onResult('tools/list', list => ({
      ...list,
      tools: changeItem(
        list.tools,
        item => item.name === 'test_simple_text',
        item => ({
          ...item,
          inputSchema: { $schema: 'http://json-schema.org/draft-07/schema#', type: 'object' },
        }),
      ),
    })),
  ),

  fault(
    'tuple-unread',
    {
      what: 'A keyword that came with JSON Schema 2020-12 is passed over.',
      breaks: [
        'json-schema.default-2020-12',
        'tools.schema-default-dialect',
        'json-schema.validate-by-dialect',
      ],
    },
    onRequest('tools/call', ask => withoutPair(ask, 'test_dialect_default')),
  ),

  fault(
    'older-dialect-unread',
    {
      what: 'A schema names an older dialect, and is read as if it did not.',
      breaks: ['json-schema.validate-by-dialect', 'json-schema.recommended-2020-12'],
    },
    onWorld(world => {
      const input = object({ pair: { type: 'array' } }, ['pair']);
      world.tools.push(readOnly('test_dialect_older', 'Takes a pair.', () => says('Received.'), { input }));
    }),
    onResult('tools/list', list => ({
      ...list,
      tools: changeItem(list.tools, named('test_dialect_older'), item => ({
        ...item,
        inputSchema: {
          $schema: 'http://json-schema.org/draft-07/schema#',
          ...object({ pair: { type: 'array', items: [{ type: 'string' }] } }, ['pair']),
        },
      })),
    })),
  ),

  fault(
    'unknown-tool-succeeds',
    {
      what: 'A call to a tool that does not exist succeeds with nothing.',
      breaks: ['tools.unknown-tool-protocol-error'],
    },
    onRefused('tools/call', (reply, ask) =>
      JSON.stringify(reply).includes('Unknown tool') ? result(ask, { content: [] }) : reply,
    ),
  ),

  fault(
    'unknown-tool-method-not-found',
    {
      what: 'A call to a tool that does not exist is refused as an unknown method.',
      breaks: ['tools.unknown-tool-code'],
    },
    onRefused('tools/call', (reply, ask) =>
      JSON.stringify(reply).includes('Unknown tool')
        ? refusal(ask, codes.methodNotFound, 'Unknown tool')
        : reply,
    ),
  ),

  fault(
    'arguments-unchecked',
    {
      what: 'Tools succeed whatever their arguments are.',
      breaks: ['tools.inputs-validated'],
      // elsewhere no tool with a required argument is known to be harmless, and none is called
      where: revision => featuresOf(revision).annotations,
    },
    onReply('tools/call', (reply, ask) => (blamesArguments(reply) ? result(ask, says('Done.')) : reply)),
  ),

  fault(
    'arguments-protocol-error',
    {
      what: 'Arguments that do not fit are refused as a protocol error.',
      breaks: ['tools.input-validation-execution-error'],
    },
    onReply('tools/call', (reply, ask) =>
      blamesArguments(reply) ? refusal(ask, codes.invalidParams, 'Invalid arguments') : reply,
    ),
  ),

  fault(
    'tool-failure-as-protocol-error',
    {
      what: 'A tool that fails is reported as a protocol error.',
      breaks: ['tools.execution-error-in-result'],
    },
    onReply('tools/call', (reply, ask) =>
      isListed(ask, 'test_error_handling') ? refusal(ask, codes.internalError, 'The tool failed') : reply,
    ),
  ),

  fault(
    'tool-names-any-case',
    { what: 'Tools are found whatever the case of their name.', breaks: ['tools.name-case-sensitive'] },
    onRequest('tools/call', ask =>
      isObject(ask.params) && typeof ask.params.name === 'string'
        ? { ...ask, params: { ...ask.params, name: ask.params.name.toLowerCase() } }
        : ask,
    ),
  ),

  fault(
    'output-schema-violated',
    {
      what: 'Structured content does not fit the output schema.',
      breaks: ['tools.output-schema-conformance'],
    },
    onResult('tools/call', body => {
      if (!isObject(body.structuredContent)) return body;
      const structuredContent = { ...body.structuredContent, temperature: 'warm' };
      return { ...says(JSON.stringify(structuredContent)), structuredContent };
    }),
  ),

  fault(
    'structured-content-missing',
    {
      what: 'A tool with an output schema answers in text only.',
      breaks: ['tools.output-schema-conformance'],
    },
    onResult('tools/call', body => without(body, 'structuredContent')),
  ),

  fault(
    'structured-content-without-text',
    {
      what: 'Structured content has no text beside it.',
      breaks: ['tools.structured-content-text-copy'],
    },
    onResult('tools/call', body => (body.structuredContent ? { ...body, content: [] } : body)),
  ),

  fault(
    'image-data-url',
    { what: 'Pictures in tool results are data URLs.', breaks: ['tools.media-content-encoding'] },
    onResult('tools/call', body => ({
      ...body,
      content: changeItem(
        body.content,
        block => block.type === 'image',
        block => ({ ...block, data: `data:image/png;base64,${String(block.data)}` }),
      ),
    })),
  ),

  fault(
    'tool-content-missing',
    { what: 'A tool result has no content.', breaks: ['base.schema-valid'] },
    onResult('tools/call', (body, ask) =>
      isListed(ask, 'test_embedded_resource') ? without(body, 'content') : body,
    ),
  ),

  fault(
    'input-schema-without-type',
    { what: 'An input schema is empty.', breaks: ['tools.input-schema-valid'] },
    listing(tools => changeItem(tools, named('test_simple_text'), tool => ({ ...tool, inputSchema: {} }))),
  ),

  fault(
    'input-schema-null',
    { what: 'A tool without arguments has the input schema null.', breaks: ['tools.input-schema-valid'] },
    listing(tools => changeItem(tools, named('test_simple_text'), tool => ({ ...tool, inputSchema: null }))),
  ),

  fault(
    'input-schema-invalid',
    {
      what: 'An input schema names a type that JSON Schema does not have.',
      breaks: ['tools.input-schema-valid'],
    },
    listing(tools =>
      changeItem(tools, named('test_image_content'), tool => ({
        ...tool,
        inputSchema: object({ size: { type: 'int' } }),
      })),
    ),
  ),

  fault(
    'tool-names-double',
    { what: 'Two tools have the same name.', breaks: ['tools.name-unique'] },
    onWorld(world => {
      world.tools.push(changing('test_echo', 'Has a name that is taken.', () => says('Hello.')));
    }),
  ),

  fault(
    'tool-name-with-space',
    {
      what: 'A tool has a space in its name.',
      breaks: ['tools.name-no-special-characters'],
    },
    onWorld(world => {
      world.tools.push(changing('test with space', 'Has an odd name.', () => says('Hello.')));
    }),
  ),

  fault(
    'tool-name-too-long',
    { what: 'A tool has a name of 129 characters.', breaks: ['tools.name-length'] },
    onWorld(world => {
      world.tools.push(changing('long_'.padEnd(129, 'x'), 'Has a long name.', () => says('Hello.')));
    }),
  ),

  fault(
    'tools-list-refused',
    { what: 'tools/list is refused although tools are declared.', breaks: ['tools.list-answered'] },
    onReply('tools/list', refusedWithoutCursor),
  ),

  fault(
    'tools-change-silently',
    {
      what: 'The tools change without notice although notices are declared.',
      breaks: ['tools.list-changed-notification'],
    },
    onNotification('notifications/tools/list_changed', () => undefined),
  ),

  fault(
    'tools-change-undeclared',
    {
      what: 'Changes of the tools are announced although that was not declared.',
      breaks: ['lifecycle.respect-capabilities'],
    },
    onResult('initialize', (body, _ask, context) => ({
      ...body,
      capabilities: { ...context.session.capabilities, tools: {} },
    })),
  ),

  fault(
    'tools-undeclared',
    {
      what: 'Tools are served but not declared.',
      breaks: ['tools.capability-declared'],
    },
    onResult('initialize', (body, _ask, context) => ({
      ...body,
      capabilities: without(context.session.capabilities, 'tools'),
    })),
  ),
];
