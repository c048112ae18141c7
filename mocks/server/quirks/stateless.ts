/** Legal forms of messages without a handshake: discover, results, lists, schemas and subscriptions. */

import { envelopeKeys } from '../../../harness/record/envelope.js';
import { isObject, type Json, type JsonObject, without } from '../../../spec/json-rpc.js';
import {
  quirk as anyQuirk,
  type Middleware,
  onNotification,
  onReply,
  onRequest,
  onResult,
  onWorld,
  type Quirk,
  showing,
} from '../../fault.js';
import { isStateless, lists, paramsOf } from '../faults/shared.js';
import type { Tool } from '../interfaces.js';
import { codes } from '../refusal.js';
import { readOnly, says } from '../world/builders.js';

const quirk = (id: string, what: string, ...middleware: Middleware[]): Quirk =>
  anyQuirk(id, { what, where: isStateless }, ...middleware);

const metaOf = (at: JsonObject): JsonObject => (isObject(at._meta) ? at._meta : {});
const withMeta = (at: JsonObject, more: JsonObject): JsonObject => ({
  ...at,
  _meta: { ...metaOf(at), ...more },
});

const hints = (ttlMs: number, cacheScope: string): Middleware =>
  onResult('*', body => (body.ttlMs === undefined ? body : { ...body, ttlMs, cacheScope }));

/** A tool whose structured content is of any type. */
const returning = (name: string, content: Json, outputSchema: JsonObject): Tool =>
  readOnly(
    name,
    `Returns ${JSON.stringify(content)}.`,
    () => ({ ...says(JSON.stringify(content)), structuredContent: content }),
    { members: { outputSchema } },
  );

const taking = (name: string, input: JsonObject): Tool =>
  readOnly(name, 'Takes any of these arguments.', () => says('Taken.'), { input });

/** The cursor of the second page of each list. */
const secondPage: Readonly<Record<string, string>> = Object.fromEntries(
  ['tools', 'prompts', 'resources', 'resources/templates'].map(list => [
    `${list}/list`,
    Buffer.from(`${list === 'resources/templates' ? 'resourceTemplates' : list} 5`).toString('base64url'),
  ]),
);

const aboutResources = ['resources/list', 'resources/templates/list', 'resources/read'];

export const statelessQuirks: readonly Quirk[] = [
  showing(
    ['caching.hints-on-cacheable-results#long'],
    quirk('hints-for-a-day', 'Results are fresh for a day, for all users.', hints(86_400_000, 'public')),
  ),
  showing(
    ['caching.ttl-not-negative#zero'],
    quirk('hints-stale-for-all', 'Results are stale at once, for all users.', hints(0, 'public')),
  ),
  showing(
    ['caching.hints-on-cacheable-results#long', 'caching.ttl-not-negative#large'],
    quirk(
      'hints-of-a-century',
      'Results are fresh for more than 2^31 milliseconds.',
      hints(3_155_760_000_000, 'private'),
    ),
  ),
  showing(
    ['caching.hints-on-cacheable-results#differ-by-page'],
    quirk(
      'hints-differ-by-page',
      'Each page of a list has another ttlMs.',
      onResult(lists, (body, _ask, context) => ({ ...body, ttlMs: context.count() * 7 })),
    ),
  ),

  showing(
    ['discover.result-shape#bare'],
    quirk(
      'discover-bare',
      'server/discover returns no instructions.',
      onResult('server/discover', body => without(body, 'instructions')),
    ),
  ),
  showing(
    ['versioning.extension-identifiers#settings', 'discover.result-shape#rich'],
    quirk(
      'discover-rich',
      'server/discover returns extensions with settings, and unknown members.',
      onResult('server/discover', body => ({
        ...body,
        capabilities: {
          ...(isObject(body.capabilities) ? body.capabilities : {}),
          extensions: { 'com.example/odd': { modes: ['a', null] }, 'com.example/empty': {} },
          experimental: { odd: {} },
        },
        'x-odd': [1],
      })),
    ),
  ),
  showing(
    ['discover.versions-true#draft'],
    quirk(
      'discover-draft-version',
      'server/discover lists a draft version, which the server serves too.',
      onRequest('*', (ask, { session }) => {
        const params = paramsOf(ask);
        return metaOf(params)[envelopeKeys.protocolVersion] === 'DRAFT-2027-v1'
          ? {
              ...ask,
              params: withMeta(params, {
                [envelopeKeys.protocolVersion]: session.options.stateless.at(-1)!.id,
              }),
            }
          : ask;
      }),
      onResult('server/discover', body => ({
        ...body,
        supportedVersions: [...(body.supportedVersions as Json[]), 'DRAFT-2027-v1'],
      })),
      onReply('*', reply =>
        isObject(reply.error) && isObject(reply.error.data) && Array.isArray(reply.error.data.supported)
          ? {
              ...reply,
              error: {
                ...reply.error,
                data: { ...reply.error.data, supported: [...reply.error.data.supported, 'DRAFT-2027-v1'] },
              },
            }
          : reply,
      ),
    ),
  ),

  showing(
    ['meta.server-info-included#rich', 'icons.src-uri#rich'],
    quirk(
      'server-info-rich',
      'The metadata of results describes the server with icons, a website and a description.',
      onResult('*', body =>
        withMeta(body, {
          [envelopeKeys.serverInfo]: {
            name: 'mcp-conform-mock',
            version: '',
            description: 'A mock.',
            websiteUrl: 'https://example.com/',
            icons: [{ src: 'https://example.com/icon.png', mimeType: 'image/png', sizes: ['any'] }],
          },
        }),
      ),
    ),
  ),
  showing(
    ['meta.key-prefix-syntax#trace', 'meta.trace-context-format#valid'],
    quirk(
      'trace-in-results',
      'The metadata of results has a trace context.',
      onResult('*', body =>
        withMeta(body, {
          traceparent: '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01',
          tracestate: 'odd=1',
          baggage: 'user=ada',
        }),
      ),
    ),
  ),

  showing(
    ['pagination.resume-after-cursor#empty-cursor'],
    quirk(
      'cursor-is-empty-text',
      'The cursor of the second page is the empty string.',
      onRequest(lists, ask =>
        paramsOf(ask).cursor === ''
          ? { ...ask, params: { ...paramsOf(ask), cursor: secondPage[String(ask.method)]! } }
          : ask,
      ),
      onResult(lists, (body, ask) =>
        body.nextCursor === secondPage[String(ask.method)] ? { ...body, nextCursor: '' } : body,
      ),
    ),
  ),

  showing(
    ['tools.output-schema-conformance#any-type'],
    quirk(
      'structured-content-of-any-type',
      'Tools return arrays, numbers, texts, booleans and null as structured content.',
      onWorld(world => {
        world.tools.push(
          returning('odd_list', [1, 'two', null], { type: 'array' }),
          returning('odd_number', 0.5, { type: 'number', minimum: 0 }),
          returning('odd_text', '', { type: 'string' }),
          returning('odd_answer', false, { enum: [true, false] }),
          returning('odd_nothing', null, { type: 'null' }),
        );
      }),
    ),
  ),
  showing(
    ['tools.input-schema-valid#every-keyword', 'json-schema.schemas-valid#every-keyword'],
    quirk(
      'schemas-with-every-keyword',
      'Input schemas use $ref, $dynamicRef, conditions, tuples and unevaluated members.',
      onWorld(world => {
        world.tools.push(
          taking('odd_tree', {
            type: 'object',
            $id: 'https://example.com/tree',
            $dynamicAnchor: 'node',
            properties: { value: true, children: { type: 'array', items: { $dynamicRef: '#node' } } },
            unevaluatedProperties: false,
          }),
          taking('odd_conditions', {
            $schema: 'https://json-schema.org/draft/2020-12/schema',
            type: 'object',
            $defs: { pair: { prefixItems: [{ type: 'string' }, { type: 'integer' }], items: false } },
            properties: { pair: { $ref: '#/$defs/pair' }, any: {}, none: { not: {} } },
            dependentRequired: { pair: ['any'] },
            dependentSchemas: { any: { minProperties: 1 } },
            patternProperties: { '^x-': { type: 'string', minLength: 1 } },
            propertyNames: { maxLength: 40 },
          }),
        );
      }),
    ),
  ),
  showing(
    [
      'tools.input-schema-valid#draft-07',
      'tools.schema-default-dialect#draft-07',
      'json-schema.schemas-valid#draft-07',
    ],
    quirk(
      'schema-of-draft-07',
      'An input schema names draft-07.',
      onWorld(world => {
        world.tools.push(
          taking('odd_draft', {
            $schema: 'http://json-schema.org/draft-07/schema#',
            type: 'object',
            definitions: { id: { type: ['string', 'integer'] } },
            properties: { id: { $ref: '#/definitions/id' } },
          }),
        );
      }),
    ),
  ),
  showing(
    ['tools.input-schema-valid#draft-07-empty', 'json-schema.schemas-valid#draft-07-empty'],
    quirk(
      'empty-enum-of-draft-07',
      'An input schema of draft-07 has an enum without a value, one with the same value twice, and a tuple without elements.',
      onWorld(world => {
        world.tools.push(
          taking('odd_enum', {
            $schema: 'http://json-schema.org/draft-07/schema#',
            type: 'object',
            properties: {
              none: { type: 'string', enum: [] },
              twice: { enum: ['a', 'a'] },
              nothing: { type: 'array', items: [], maxItems: 0 },
            },
          }),
        );
      }),
    ),
  ),
  showing(
    [
      'tools.x-mcp-header-statically-reachable#nested',
      'tools.x-mcp-header-token#any-case',
      'http-headers.custom-not-through#nested',
      'http-headers.custom-reachable#nested',
    ],
    quirk(
      'annotated-header-parameters',
      'Headers repeat parameters of nested objects, whose names have other letter cases.',
      onWorld(world => {
        world.tools.push(
          taking('odd_headers', {
            type: 'object',
            properties: {
              where: {
                type: 'object',
                properties: { zone: { type: 'string', 'x-mcp-header': 'zONE' } },
              },
              dry: { type: 'boolean', 'x-mcp-header': 'dry-run' },
            },
          }),
        );
      }),
    ),
  ),

  showing(
    ['logging.capability-declared#never-sends', 'logging.no-log-level-no-messages#never-sent'],
    quirk(
      'log-messages-never-sent',
      'A logLevel in the metadata causes no log messages.',
      onNotification('notifications/message', () => undefined),
    ),
  ),
  showing(
    ['versioning.unsupported-version-error#more-data', 'meta.missing-capability-error#more-data'],
    quirk(
      'errors-with-details',
      'Errors for missing capabilities and versions have more data than required.',
      onReply('*', reply =>
        isObject(reply.error) && isObject(reply.error.data)
          ? { ...reply, error: { ...reply.error, data: { ...reply.error.data, hint: ['Read the manual.'] } } }
          : reply,
      ),
    ),
  ),
  quirk(
    'resources-need-an-extension',
    'Requests about resources other than skills get error -32021 from clients without an extension.',
    onReply(aboutResources, (reply, ask) =>
      String(paramsOf(ask).uri).startsWith('skill:')
        ? reply
        : {
            jsonrpc: '2.0',
            id: ask.id ?? null,
            error: {
              code: codes.missingClientCapability,
              message: 'Resources need an extension.',
              data: { requiredCapabilities: { extensions: { 'com.example/resources': {} } } },
            },
          },
    ),
  ),
];
