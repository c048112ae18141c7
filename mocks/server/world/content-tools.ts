/**
 * Tools that only return a result, with every type of content, and tools that send notifications while they
 * run.
 */

import type { JsonObject } from '../../../spec/json-rpc.js';
import { levels } from '../handlers/logging.js';
import type { Tool } from '../interfaces.js';
import { object, readOnly, says, string, text } from './builders.js';
import { audio, embedded, image, png } from './media.js';

/** Every keyword family of JSON Schema 2020-12 that a relay may lose. */
const addressBook: JsonObject = {
  $schema: 'https://json-schema.org/draft/2020-12/schema',
  type: 'object',
  $defs: {
    address: {
      $anchor: 'addressDef',
      type: 'object',
      properties: { street: { type: 'string' }, city: { type: 'string' } },
    },
  },
  properties: {
    name: { type: 'string' },
    address: { $ref: '#/$defs/address' },
    contactMethod: { type: 'string', enum: ['phone', 'email'] },
    phone: { type: 'string' },
    email: { type: 'string' },
  },
  allOf: [{ anyOf: [{ required: ['phone'] }, { required: ['email'] }] }],
  if: { properties: { contactMethod: { const: 'phone' } }, required: ['contactMethod'] },
  // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema
  then: { required: ['phone'] },
  else: { required: ['email'] },
  additionalProperties: false,
};

const weather = object(
  {
    temperature: { type: 'number', description: 'Degrees Celsius.' },
    conditions: string('In one word.'),
    humidity: { type: 'number', minimum: 0, maximum: 100 },
  },
  ['temperature', 'conditions', 'humidity'],
);

const order = object({
  quantity: { type: 'integer', minimum: 1, maximum: 100 },
  size: { enum: ['small', 'large'] },
  note: { type: 'string', maxLength: 20 },
  lines: {
    type: 'array',
    items: object({ sku: string('What is ordered.'), count: { type: 'integer', minimum: 1 } }, ['sku']),
    maxItems: 3,
  },
});

const receipt = object(
  { quantity: { type: 'integer', minimum: 1 }, lines: { type: 'integer', minimum: 0 } },
  ['quantity', 'lines'],
);

export const contentTools = (): Tool[] => [
  readOnly(
    'test_simple_text',
    'Answers with a text.',
    () => says('This is a simple text response for testing.'),
    {
      members: {
        title: 'Simple text',
        icons: [{ src: `data:image/png;base64,${png}`, mimeType: 'image/png', sizes: ['1x1'] }],
      },
    },
  ),
  readOnly('test_image_content', 'Answers with a picture.', () => ({ content: [image()] })),
  readOnly('test_audio_content', 'Answers with a sound.', () => ({ content: [audio()] }), { needs: 'audio' }),
  readOnly('test_embedded_resource', 'Answers with a resource.', () => ({
    content: [embedded('test://embedded-resource', 'text/plain', 'This is an embedded resource content.')],
  })),
  readOnly('test_multiple_content_types', 'Answers with a text, a picture and a resource.', () => ({
    content: [
      text('Multiple content types test:'),
      image(),
      embedded(
        'test://mixed-content-resource',
        'application/json',
        JSON.stringify({ test: 'data', value: 123 }),
      ),
    ],
  })),
  readOnly(
    'test_resource_link',
    'Answers with a link to a resource.',
    () => ({
      content: [
        { type: 'resource_link', uri: 'test://static-text', name: 'static-text', mimeType: 'text/plain' },
      ],
    }),
    { needs: 'links' },
  ),
  readOnly('test_echo', 'Answers with the text it is given.', args => says(String(args.text)), {
    input: object({ text: string('What comes back.') }, ['text']),
  }),
  readOnly(
    'test_structured_content',
    'Answers with data that fits its output schema.',
    () => {
      const structuredContent = { temperature: 21.5, conditions: 'sunny', humidity: 40 };
      return { ...says(JSON.stringify(structuredContent)), structuredContent };
    },
    { needs: 'structured', members: { outputSchema: weather } },
  ),
  readOnly(
    'test_order',
    'Takes numbers, texts and lists within bounds, and answers with data that fits its output schema.',
    ({ quantity = 1, lines = [] }) => {
      const structuredContent = { quantity, lines: (lines as unknown[]).length };
      return { ...says(JSON.stringify(structuredContent)), structuredContent };
    },
    { input: order, needs: 'structured', members: { outputSchema: receipt } },
  ),
  readOnly(
    'test_header_arguments',
    'Takes arguments that HTTP headers repeat.',
    args => says(`Received ${JSON.stringify(args)}.`),
    {
      input: object({
        region: { type: 'string', 'x-mcp-header': 'Region' },
        count: { type: 'integer', 'x-mcp-header': 'Count' },
        urgent: { type: 'boolean', 'x-mcp-header': 'Urgent' },
        place: object({ zone: { type: 'string', 'x-mcp-header': 'Zone' } }),
      }),
      needs: 'mirroredHeaders',
    },
  ),
  readOnly('test_error_handling', 'Fails.', () => {
    throw new Error('This tool intentionally returns an error for testing');
  }),
  readOnly(
    'json_schema_2020_12_tool',
    'Takes arguments described with all of JSON Schema 2020-12.',
    args => says(`Received ${Object.keys(args).join(', ')}.`),
    { input: addressBook, needs: 'dialects' },
  ),
  readOnly(
    'test_dialect_default',
    'Takes a pair, described in the dialect that holds where none is named.',
    args => says(`Received ${JSON.stringify(args.pair)}.`),
    {
      input: object({ pair: { type: 'array', prefixItems: [{ type: 'string' }, { type: 'number' }] } }, [
        'pair',
      ]),
      needs: 'dialects',
    },
  ),
  readOnly('test_tool_with_logging', 'Sends three log messages while it works.', async (_args, call) => {
    call.log('info', 'Tool execution started');
    await call.pause();
    call.log('info', 'Tool processing data');
    await call.pause();
    call.log('info', 'Tool execution completed');
    return says('Logged.');
  }),
  readOnly('test_log_levels', 'Sends a log message of every level.', (_args, call) => {
    for (const level of levels) call.log(level, `A message of level ${level}`);
    return says('Logged.');
  }),
  readOnly('test_tool_with_progress', 'Reports progress while it works.', async (_args, call) => {
    for (const done of [0, 50, 100]) {
      call.progress(done, 100, `${done} of 100`);
      await call.pause();
    }
    return says('Done.');
  }),
];
