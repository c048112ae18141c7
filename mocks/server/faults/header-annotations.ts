/** basic/transports/streamable-http#schema-extension: `x-mcp-header`. */

import type { Json, JsonObject } from '../../../spec/json-rpc.js';
import type { RequirementId } from '../../../spec/requirement.js';
import type { TransportId } from '../../../spec/revisions.js';
import { fault, onWorld, showing } from '../../fault.js';
import { object, readOnly, says } from '../world/builders.js';

/** A server with one more tool, whose input schema has these properties. */
const withTool = (
  id: string,
  what: string,
  breaks: readonly [RequirementId, ...RequirementId[]],
  properties: Record<string, JsonObject>,
  over: readonly TransportId[] = ['stdio', 'streamable-http'],
) =>
  fault(
    id,
    { what, breaks, over },
    onWorld(world => {
      world.tools.push(
        readOnly(id.replaceAll('-', '_'), 'Has annotated arguments.', () => says('Hello.'), {
          input: object(properties),
        }),
      );
    }),
  );

const named = (name: Json, schema: JsonObject = { type: 'string' }): JsonObject => ({
  ...schema,
  'x-mcp-header': name,
});

/** Where the rows of both pages show. */
const overHttp: readonly TransportId[] = ['streamable-http'];

export const headerAnnotationFaults = [
  showing(
    ['tools.x-mcp-header-not-empty#empty', 'http-headers.custom-name-not-empty#empty'],
    withTool(
      'header-name-empty',
      'A tool has an empty x-mcp-header.',
      ['http-headers.custom-name-not-empty', 'tools.x-mcp-header-not-empty'],
      { region: named('') },
    ),
  ),
  showing(
    ['tools.x-mcp-header-token#space', 'http-headers.custom-name-token#space'],
    withTool(
      'header-name-with-space',
      'A tool has an x-mcp-header with a space.',
      ['http-headers.custom-name-token', 'tools.x-mcp-header-token'],
      { region: named('The Region') },
    ),
  ),
  showing(
    [
      'tools.x-mcp-header-no-control-characters#line-break',
      'tools.x-mcp-header-token#space',
      'http-headers.custom-name-no-controls#line-break',
      'http-headers.custom-name-token#space',
    ],
    withTool(
      'header-name-with-control',
      'A tool has an x-mcp-header with a line break.',
      [
        'http-headers.custom-name-no-controls',
        'tools.x-mcp-header-no-control-characters',
        'http-headers.custom-name-token',
        'tools.x-mcp-header-token',
      ],
      { region: named('Region\r\nX: 1') },
    ),
  ),
  showing(
    ['tools.x-mcp-header-unique#other-case', 'http-headers.custom-name-unique#other-case'],
    withTool(
      'header-names-equal',
      'A tool has the same x-mcp-header twice, in different letter case.',
      ['http-headers.custom-name-unique', 'tools.x-mcp-header-unique'],
      { region: named('Region'), area: named('region') },
    ),
  ),
  showing(
    ['tools.x-mcp-header-primitive-types#number', 'http-headers.custom-primitive#number'],
    withTool(
      'header-of-number',
      'A tool has an x-mcp-header at a number.',
      ['http-headers.custom-primitive', 'tools.x-mcp-header-primitive-types'],
      { ratio: named('Ratio', { type: 'number' }) },
    ),
  ),
  showing(
    [
      'tools.x-mcp-header-statically-reachable#items',
      'http-headers.custom-not-through#items',
      'http-headers.custom-reachable#items',
    ],
    withTool(
      'header-in-items',
      'A tool has an x-mcp-header below items.',
      [
        'http-headers.custom-reachable',
        'http-headers.custom-not-through',
        'tools.x-mcp-header-statically-reachable',
      ],
      { regions: { type: 'array', items: named('Region') } },
    ),
  ),
  showing(
    ['tools.x-mcp-header-not-sensitive#password'],
    withTool(
      'header-of-password',
      'A tool has an x-mcp-header at a password.',
      ['tools.x-mcp-header-not-sensitive'],
      { password: named('Password') },
    ),
  ),

  ...(
    [
      ['header-name-as-number', 'a number as x-mcp-header', named(7)],
      ['header-name-null', 'null as x-mcp-header', named(null)],
      ['header-name-as-list', 'a list as x-mcp-header', named(['Region'])],
    ] as const
  ).map(([id, what, region]) =>
    withTool(
      id,
      `A tool has ${what}.`,
      ['http-headers.custom-name-not-empty', 'tools.x-mcp-header-not-empty'],
      { region },
      overHttp,
    ),
  ),
  ...(
    [
      ['header-name-with-colon', 'a colon', 'Region:'],
      ['header-name-with-umlaut', 'a letter outside of ASCII', 'Größe'],
      ['header-name-with-slash', 'a slash', 'region/zone'],
      ['header-name-with-quotes', 'quotes', '"Region"'],
    ] as const
  ).map(([id, what, name]) =>
    withTool(
      id,
      `A tool has an x-mcp-header with ${what}.`,
      ['http-headers.custom-name-token', 'tools.x-mcp-header-token'],
      { region: named(name) },
      overHttp,
    ),
  ),
  ...(['object', 'array', 'null'] as const).map(type =>
    withTool(
      `header-of-${type}`,
      `A tool has an x-mcp-header at a property of type ${type}.`,
      ['http-headers.custom-primitive', 'tools.x-mcp-header-primitive-types'],
      { region: named('Region', { type }) },
      overHttp,
    ),
  ),
  ...(
    [
      ['header-in-any-of', 'anyOf', { anyOf: [named('Region'), { type: 'integer' }] }],
      ['header-in-else', 'if and else', { if: { minLength: 1 }, else: named('Region') }],
      [
        'header-in-additional-properties',
        'additionalProperties',
        { type: 'object', additionalProperties: named('Region') },
      ],
      [
        'header-in-pattern-properties',
        'patternProperties',
        { type: 'object', patternProperties: { '^r': named('Region') } },
      ],
    ] as [string, string, JsonObject][]
  ).map(([id, what, region]) =>
    withTool(
      id,
      `A tool has an x-mcp-header below ${what}.`,
      [
        'http-headers.custom-reachable',
        'http-headers.custom-not-through',
        'tools.x-mcp-header-statically-reachable',
      ],
      { region },
      overHttp,
    ),
  ),
  ...(['apiKey', 'access_token', 'ssn'] as const).map(name =>
    withTool(
      `header-of-${name.toLowerCase().replace('_', '-')}`,
      `A tool has an x-mcp-header at ${name}.`,
      ['tools.x-mcp-header-not-sensitive'],
      { [name]: named('Secret') },
    ),
  ),
];
