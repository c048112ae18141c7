/** basic/index#json-schema-usage: the JSON Schema dialect by which a server validates tool arguments. */

import { minimalValue } from '../../harness/generate/minimal.js';
import { type Exchange, resultOf } from '../../harness/record/message.js';
import { scenario } from '../../harness/scenario/scenario.js';
import { asText, isObject, type Json, type JsonObject, ownMember } from '../../spec/json-rpc.js';
import type { RequirementId } from '../../spec/requirement.js';
import { noTool } from '../shared/callable.js';

const ofDefault: readonly RequirementId[] = ['json-schema.default-2020-12', 'tools.schema-default-dialect'];

/**
 * The keyword for the schemas of a tuple in each dialect; the other dialect has no such keyword, or gives it
 * another meaning.
 */
const tupleKeyword = (schema: JsonObject): string | undefined => {
  if (schema.$schema === undefined || asText(schema.$schema).includes('/2020-12/')) return 'prefixItems';
  return asText(schema.$schema).includes('/draft-07/') ? 'items' : undefined;
};

const ofOtherType: Readonly<Record<string, Json>> = {
  string: 7,
  number: 'seven',
  integer: 'seven',
  boolean: 'seven',
};

/**
 * Arguments that are invalid only under the dialect of the schema; undefined when the schema has no tuple.
 */
function trap(schema: JsonObject, plain: JsonObject): JsonObject | undefined {
  const keyword = tupleKeyword(schema);
  if (!keyword || !isObject(schema.properties)) return undefined;
  for (const [name, property] of Object.entries(schema.properties)) {
    const tuple = isObject(property) ? property[keyword] : undefined;
    if (!Array.isArray(tuple) || !isObject(tuple[0])) continue;
    const wrong = ownMember(ofOtherType, tuple[0].type);
    const rest = tuple.slice(1).map(item => minimalValue(isObject(item) ? item : {}));
    if (wrong !== undefined) return { ...plain, [name]: [wrong, ...rest] };
  }
  return undefined;
}

const isRefused = (exchange: Exchange): boolean =>
  exchange.reply?.kind === 'error' || resultOf(exchange)?.isError === true;

export const scenarios = [
  scenario('server/dialects/tuples', {
    title: 'tool arguments are validated by the dialect that the input schema names, or by 2020-12',
    verifies: [
      'json-schema.default-2020-12',
      'tools.schema-default-dialect',
      'json-schema.validate-by-dialect',
    ],
    async run({ peer, expect, known }) {
      const judged = new Set<RequirementId>();
      for (const tool of known.callable) {
        const schema = known.tools.find(t => t.name === tool.name)?.inputSchema as JsonObject;
        const bad = trap(schema, tool.arguments);
        const call = (args: JsonObject) =>
          peer.requestOrCancel('tools/call', { name: tool.name, arguments: args }, { deliberate: true });
        // another row judges a server that does not validate arguments at all
        if (!bad || !isRefused(await call({}))) continue;
        const exchange = await call(bad);
        if (!exchange.reply) continue;
        const rows = schema.$schema === undefined ? ofDefault : [];
        for (const row of [...rows, 'json-schema.validate-by-dialect'] as const) {
          judged.add(row);
          expect.that(row as 'json-schema.validate-by-dialect', {
            ok: isRefused(exchange),
            expected: 'the arguments to be refused',
            evidence: [exchange],
            actual: 'a result',
          });
        }
      }
      for (const row of ['json-schema.validate-by-dialect', ...ofDefault] as const)
        if (!judged.has(row))
          expect.notObserved(
            row as 'json-schema.validate-by-dialect',
            noTool(known, 'has a tuple as argument and validates its arguments'),
          );
    },
  }),
];
