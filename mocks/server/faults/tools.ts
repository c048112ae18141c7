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
import {
  changeItem,
  isStateless,
  listedTool,
  onRefused,
  onTools,
  paramsOf,
  refusedWithoutCursor,
  sampling,
  undeclared,
} from './shared.js';

const nameIn = (ask: JsonObject): Json | undefined => (isObject(ask.params) ? ask.params.name : undefined);
const isListed = (ask: JsonObject, name: string): boolean => nameIn(ask) === name;

/** Whether a response reports invalid arguments, in any form that a revision prescribes. */
const blamesArguments = (reply: JsonObject): boolean => JSON.stringify(reply).includes('"Invalid arguments:');

const listing = (change: (tools: Json) => Json) =>
  onResult('tools/list', body => ({ ...body, tools: change(body.tools ?? []) }));

const named = (name: string) => (item: JsonObject) => item.name === name;

/** The elements of a pair are not validated. */
const withoutPair = (ask: JsonObject, name: string): JsonObject => {
  if (!isListed(ask, name) || !isObject(ask.params) || !isObject(ask.params.arguments)) return ask;
  const { pair } = ask.params.arguments;
  return Array.isArray(pair) ? { ...ask, params: { ...ask.params, arguments: { pair: [] } } } : ask;
};

export const toolFaults = [
  fault(
    'call-without-arguments-refused',
    {
      what: 'tools/call without arguments is rejected for tools that need none.',
      breaks: ['tools.fitting-arguments-accepted'],
      shows: ['tools.fitting-arguments-accepted#absent-refused'],
    },
    onReply('tools/call', (reply, ask) => {
      const { name, arguments: given } = paramsOf(ask);
      return given === undefined && 'result' in reply && name !== 'test_resource_link'
        ? refusal(ask, codes.invalidParams, 'The arguments are missing.')
        : reply;
    }),
  ),

  fault(
    'older-dialect-named',
    {
      what: 'tools/list returns an input schema with the dialect draft-07.',
      breaks: ['json-schema.recommended-2020-12'],
      shows: ['json-schema.recommended-2020-12#other-named'],
    },
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
      what: 'tools/call ignores a schema keyword that JSON Schema 2020-12 introduced.',
      breaks: [
        'json-schema.default-2020-12',
        'tools.schema-default-dialect',
        'json-schema.validate-by-dialect',
      ],
      shows: [
        'tools.schema-default-dialect#keyword-ignored',
        'json-schema.default-2020-12#keyword-ignored',
        'json-schema.validate-by-dialect#new-keyword-ignored',
      ],
    },
    onRequest('tools/call', ask => withoutPair(ask, 'test_dialect_default')),
  ),

  fault(
    'older-dialect-unread',
    {
      what: 'tools/call ignores the dialect draft-07 that an input schema names.',
      breaks: ['json-schema.validate-by-dialect', 'json-schema.recommended-2020-12'],
      shows: [
        'json-schema.recommended-2020-12#other-named',
        'json-schema.validate-by-dialect#old-dialect-ignored',
      ],
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
      what: 'tools/call with an unknown name returns an empty result.',
      breaks: ['tools.unknown-tool-protocol-error'],
      shows: ['tools.unknown-tool-protocol-error#succeeds'],
    },
    onRefused('tools/call', (reply, ask) =>
      JSON.stringify(reply).includes('Unknown tool') ? result(ask, { content: [] }) : reply,
    ),
  ),

  fault(
    'unknown-tool-method-not-found',
    {
      what: 'tools/call with an unknown name returns the error -32601.',
      breaks: ['tools.unknown-tool-code'],
      shows: ['tools.unknown-tool-code#method-not-found'],
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
      what: 'tools/call with invalid arguments returns a result.',
      breaks: ['tools.inputs-validated'],
      shows: ['tools.inputs-validated#required-missing'],
      // elsewhere no tool with a required argument is known to be safe, so none is called
      where: revision => featuresOf(revision).annotations,
    },
    onReply('tools/call', (reply, ask) => (blamesArguments(reply) ? result(ask, says('Done.')) : reply)),
  ),

  fault(
    'object-as-text-accepted',
    {
      what: 'tools/call turns an object in place of a text into a text.',
      breaks: ['tools.inputs-validated'],
      shows: ['tools.inputs-validated#object-for-text'],
      where: revision => featuresOf(revision).annotations,
    },
    onRequest('tools/call', ask => {
      const params = paramsOf(ask);
      if (!isObject(params.arguments)) return ask;
      const texts = Object.entries(params.arguments).map(([name, value]) => [
        name,
        isObject(value) && value['mcp-conform'] !== undefined ? '[object Object]' : value,
      ]);
      return { ...ask, params: { ...params, arguments: Object.fromEntries(texts) } };
    }),
  ),

  fault(
    'arguments-protocol-error',
    {
      what: 'tools/call with invalid arguments returns a protocol error instead of a result with isError.',
      breaks: ['tools.input-validation-execution-error'],
      shows: ['tools.input-validation-execution-error#protocol-error'],
    },
    onReply('tools/call', (reply, ask) =>
      blamesArguments(reply) ? refusal(ask, codes.invalidParams, 'Invalid arguments') : reply,
    ),
  ),

  fault(
    'tool-failure-as-protocol-error',
    {
      what: 'tools/call of a failing tool returns a protocol error instead of a result with isError.',
      breaks: ['tools.execution-error-in-result'],
      shows: ['tools.execution-error-in-result#protocol-error'],
    },
    onReply('tools/call', (reply, ask) =>
      isListed(ask, 'test_error_handling') ? refusal(ask, codes.internalError, 'The tool failed') : reply,
    ),
  ),

  fault(
    'tool-names-any-case',
    {
      what: 'tools/call ignores the case of the name.',
      breaks: ['tools.name-case-sensitive'],
      shows: ['tools.name-case-sensitive#other-case-served'],
    },
    onRequest('tools/call', ask =>
      isObject(ask.params) && typeof ask.params.name === 'string'
        ? { ...ask, params: { ...ask.params, name: ask.params.name.toLowerCase() } }
        : ask,
    ),
  ),

  fault(
    'output-schema-violated',
    {
      what: 'tools/call returns structuredContent that does not match the output schema.',
      breaks: ['tools.output-schema-conformance'],
      shows: ['tools.output-schema-conformance#invalid'],
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
      what: 'tools/call of a tool with an output schema returns no structuredContent.',
      breaks: ['tools.output-schema-conformance'],
      shows: ['tools.output-schema-conformance#missing'],
    },
    onResult('tools/call', body => without(body, 'structuredContent')),
  ),

  fault(
    'structured-content-without-text',
    {
      what: 'tools/call returns structuredContent with an empty content.',
      breaks: ['tools.structured-content-text-copy'],
      shows: ['tools.structured-content-text-copy#no-text'],
    },
    onResult('tools/call', body => (body.structuredContent ? { ...body, content: [] } : body)),
  ),

  fault(
    'wrong-arguments-unanswered',
    {
      what: 'tools/call without a required argument gets no response.',
      breaks: ['jsonrpc.request-answered-once'],
      shows: ['jsonrpc.request-answered-once#no-response'],
    },
    onReply('tools/call', (reply, ask) =>
      blamesArguments(reply) && Object.keys(paramsOf(ask).arguments ?? {}).length === 0 ? undefined : reply,
    ),
  ),

  fault(
    'image-in-lines',
    {
      what: 'tools/call returns an image whose base64 has line breaks.',
      breaks: ['base.base64-without-line-breaks'],
      shows: ['base.base64-without-line-breaks#media'],
    },
    onResult('tools/call', body => ({
      ...body,
      content: changeItem(
        body.content,
        block => block.type === 'image',
        block => ({ ...block, data: String(block.data).replace(/.{76}/g, '$&\r\n') }),
      ),
    })),
  ),

  fault(
    'image-data-url',
    {
      what: 'tools/call returns an image as a data URL.',
      breaks: ['tools.media-content-encoding'],
      shows: ['tools.media-content-encoding#data-uri'],
    },
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
    {
      what: 'tools/call returns a result without content.',
      breaks: ['base.schema-valid'],
      shows: ['base.schema-valid#content-missing'],
    },
    onResult('tools/call', (body, ask) =>
      isListed(ask, 'test_embedded_resource') ? without(body, 'content') : body,
    ),
  ),

  fault(
    'input-schema-without-type',
    {
      what: 'tools/list returns an empty input schema.',
      breaks: ['tools.input-schema-valid'],
      shows: ['tools.input-schema-valid#type-missing'],
    },
    listing(tools => changeItem(tools, named('test_simple_text'), tool => ({ ...tool, inputSchema: {} }))),
  ),

  fault(
    'input-schema-null',
    {
      what: 'tools/list returns null as input schema.',
      breaks: ['tools.input-schema-valid'],
      shows: ['tools.input-schema-valid#is-null'],
    },
    listing(tools => changeItem(tools, named('test_simple_text'), tool => ({ ...tool, inputSchema: null }))),
  ),

  fault(
    'input-schema-invalid',
    {
      what: 'tools/list returns an input schema with the unknown type int.',
      breaks: ['tools.input-schema-valid'],
      shows: ['tools.input-schema-valid#unknown-type'],
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
    {
      what: 'tools/list returns two tools with the same name.',
      breaks: ['tools.name-unique'],
      shows: ['tools.name-unique#on-one-page'],
    },
    onWorld(world => {
      world.tools.push(changing('test_echo', 'Has a name that is taken.', () => says('Hello.')));
    }),
  ),

  fault(
    'tool-name-with-space',
    {
      what: 'tools/list returns a tool with a space in its name.',
      breaks: ['tools.name-no-special-characters'],
      shows: ['tools.name-no-special-characters#space'],
    },
    onWorld(world => {
      world.tools.push(changing('test with space', 'Has an odd name.', () => says('Hello.')));
    }),
  ),

  fault(
    'tool-name-too-long',
    {
      what: 'tools/list returns a tool with a name of 129 characters.',
      breaks: ['tools.name-length'],
      shows: ['tools.name-length#too-long'],
    },
    onWorld(world => {
      world.tools.push(changing('long_'.padEnd(129, 'x'), 'Has a long name.', () => says('Hello.')));
    }),
  ),

  fault(
    'tools-list-refused',
    {
      what: 'tools/list returns the error -32601 although tools are declared.',
      breaks: ['tools.list-answered'],
      shows: ['tools.list-answered#refused'],
    },
    onReply('tools/list', refusedWithoutCursor),
  ),

  fault(
    'tools-change-silently',
    {
      what: 'notifications/tools/list_changed is never sent although it is declared.',
      breaks: ['tools.list-changed-notification'],
      shows: ['tools.list-changed-notification#silent'],
    },
    // on one page: the last page changes too, and no list has another page for the same cursor
    onWorld(world => {
      world.pageSize = 1_000;
    }),
    onNotification('notifications/tools/list_changed', () => undefined),
  ),

  fault(
    'tools-change-announced-once',
    {
      what: 'Only the first notifications/tools/list_changed of a connection is sent.',
      breaks: ['tools.list-changed-notification', 'pagination.stable-cursors'],
      shows: ['tools.list-changed-notification#once'],
      where: revision => !isStateless(revision),
    },
    onNotification('notifications/tools/list_changed', (message, context) =>
      context.count() > 1 ? undefined : message,
    ),
  ),

  fault(
    'tools-change-undeclared',
    {
      what: 'notifications/tools/list_changed is sent although it is not declared.',
      breaks: ['lifecycle.respect-capabilities'],
      shows: ['lifecycle.respect-capabilities#tools-change'],
    },
    onResult('initialize', (body, _ask, context) => ({
      ...body,
      capabilities: { ...context.session.capabilities, tools: {} },
    })),
  ),

  fault(
    'tools-undeclared',
    {
      what: 'tools/list returns tools although tools are not declared.',
      breaks: ['tools.capability-declared', 'subscriptions.ack-subset'],
      shows: ['tools.capability-declared#list'],
    },
    onResult(['initialize', 'server/discover'], body => ({
      ...body,
      capabilities: without(body.capabilities as JsonObject, 'tools'),
    })),
  ),

  fault(
    'nameless-call-is-result',
    {
      what: 'tools/call without a name returns a result with isError.',
      breaks: ['tools.malformed-call-protocol-error'],
      shows: ['tools.malformed-call-protocol-error#result'],
    },
    onRefused('tools/call', (reply, ask) =>
      typeof paramsOf(ask).name === 'string' ? reply : result(ask, { ...says('Which tool?'), isError: true }),
    ),
  ),

  fault(
    'call-with-list-is-result',
    {
      what: 'tools/call with arguments that are no object returns a result with isError.',
      breaks: ['tools.malformed-call-protocol-error'],
      shows: ['tools.malformed-call-protocol-error#result'],
    },
    onRefused('tools/call', (reply, ask) => {
      const { name, arguments: given = {} } = paramsOf(ask);
      if (typeof name !== 'string' || isObject(given)) return reply;
      return result(ask, { ...says('Which arguments?'), isError: true });
    }),
  ),

  fault(
    'no-tools-is-result',
    {
      what: 'tools/call on a server that does not declare tools returns a result with isError.',
      breaks: ['tools.unsupported-calls-protocol-error'],
      shows: ['tools.unsupported-calls-protocol-error#result'],
    },
    undeclared('tools'),
    onRefused('tools/call', (_reply, ask) => result(ask, { ...says('No tools here.'), isError: true })),
  ),

  fault(
    'resources-embedded-without-capability',
    {
      what: 'tools/call returns embedded resources although resources are not declared.',
      breaks: ['tools.embedded-resource-capability', 'ext-skills.resources-declared'],
      shows: ['tools.embedded-resource-capability#embedded'],
    },
    undeclared('resources'),
  ),

  fault(
    'resource-links-refused',
    {
      what: 'tools/call of a tool that returns a resource link returns an internal error.',
      breaks: ['tools.resource-link-content'],
    },
    onReply('tools/call', (reply, ask) =>
      paramsOf(ask).name === 'test_resource_link' ? refusal(ask, codes.internalError, 'No links') : reply,
    ),
  ),

  fault(
    'sampling-tool-schema-broken',
    {
      what: 'sampling/createMessage has a tool with an invalid input schema.',
      breaks: ['json-schema.schemas-valid'],
      shows: ['json-schema.schemas-valid#sampling-tool'],
    },
    sampling(onTools(tool => ({ ...tool, inputSchema: { type: 'object', properties: [] } }))),
  ),

  fault(
    'tool-name-with-slash',
    {
      what: 'tools/list returns a tool with a slash in its name.',
      breaks: ['tools.name-charset'],
      shows: ['tools.name-charset#slash'],
    },
    onWorld(world => {
      const [first] = world.tools;
      world.tools.push({ ...first!, definition: { ...first!.definition, name: 'test/simple/text' } });
    }),
  ),

  fault(
    'output-schema-broken',
    {
      what: 'tools/list returns a tool with an invalid output schema.',
      breaks: ['json-schema.schemas-valid'],
      shows: ['json-schema.schemas-valid#output-schema'],
      where: revision => featuresOf(revision).dialects,
    },
    listedTool(
      tool => 'outputSchema' in tool,
      tool => ({ ...tool, outputSchema: { type: 'object', properties: [] } }),
    ),
  ),

  fault(
    'reference-without-definition',
    {
      what: 'tools/list returns an input schema with a $ref to a definition that it does not have.',
      breaks: ['json-schema.references-resolve'],
      shows: ['json-schema.references-resolve#pointer'],
      where: revision => featuresOf(revision).dialects,
    },
    listing(tools =>
      changeItem(tools, named('test_image_content'), tool => ({
        ...tool,
        inputSchema: object({ size: { $ref: '#/$defs/Size' } }),
      })),
    ),
  ),
];
