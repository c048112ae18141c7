/** server/tools: arguments generated from the schema that a tool advertises. */

import fc from 'fast-check';
import { generated } from '../../../harness/generate/cannot-generate.js';
import { invalidOf } from '../../../harness/generate/invalid.js';
import { asksFor } from '../../../harness/generate/requests.js';
import { sequence } from '../../../harness/generate/sequence.js';
import type { Peer } from '../../../harness/peer/peer.js';
import { type Exchange, errorOf, resultOf } from '../../../harness/record/message.js';
import { type Known, scenario } from '../../../harness/scenario/scenario.js';
import { asText, isObject, type JsonObject } from '../../../spec/json-rpc.js';
import { noTool } from '../../shared/callable.js';
import { withDefaultsOptional } from '../../shared/defaults.js';
import { listTools } from '../lists.js';

/** Maximum number of tools: more of them show nothing new. */
const atMost = 8;

const takesArguments = ({ inputSchema }: JsonObject): boolean =>
  isObject(inputSchema) && isObject(inputSchema.properties) && Object.keys(inputSchema.properties).length > 0;

/** Tools that may be called and have arguments or an output schema. */
function generable({ callable, tools }: Known): JsonObject[] {
  const names = new Set(callable.map(({ name }) => name));
  return tools
    .filter(t => names.has(asText(t.name)) && (takesArguments(t) || t.outputSchema))
    .slice(0, atMost);
}

/** Calls of tools with valid arguments; undefined when there is none. */
const fitting = (peer: Peer, known: Known): fc.Arbitrary<JsonObject> | undefined =>
  asksFor('tools/call', {
    revision: peer.revision,
    capabilities: peer.declared ?? {},
    known: { ...known, tools: generable(known) },
    mayCall: new Set(known.callable.map(({ name }) => name)),
  }).arbitrary?.map(({ params }) => params!);

interface Incomplete {
  readonly name: string;
  readonly arguments: JsonObject;
  readonly path: string;
}

/** Calls without a member that the input schema of the tool requires, at any depth. */
function incomplete(known: Known): fc.Arbitrary<Incomplete> | undefined {
  const each = generable(known).flatMap(tool => {
    const inputSchema = withDefaultsOptional(tool.inputSchema as JsonObject) as JsonObject;
    if (!JSON.stringify(inputSchema).includes('"required":["')) return [];
    const schema = { type: 'object', ...inputSchema };
    return generated(() =>
      invalidOf(schema, { mutation: 'required member dropped' }).arbitrary.map(({ value, label }) => ({
        name: asText(tool.name),
        arguments: value as JsonObject,
        path: label.path,
      })),
    );
  });
  return each.length > 0 ? fc.oneof(...each) : undefined;
}

const isRefused = (exchange: Exchange): boolean =>
  exchange.reply?.kind === 'error' || resultOf(exchange)?.isError === true;

export const scenarios = [
  scenario('server/generated/tools/fitting-arguments', {
    title:
      'a tools/call with valid arguments is not refused as invalid, and its result fits the output schema',
    verifies: ['tools.fitting-arguments-accepted'],
    generated: true,
    async run({ peer, known, expect, property, waitUntilTried }) {
      const calls = fitting(peer, known);
      if (!calls)
        return expect.notObserved('tools.fitting-arguments-accepted', noTool(known, 'takes arguments'));
      await waitUntilTried();
      if (generable(known).every(({ name }) => known.slowTools.has(asText(name))))
        return expect.notObserved(
          'tools.fitting-arguments-accepted',
          'each callable tool was slow when it was called first, and a slow tool is not called again and again',
        );
      // a rule checks results against the output schema
      await property(sequence(calls, 5), async (list, { peer, expect, known }) => {
        await listTools(peer);
        for (const call of list.filter(({ name }) => !known.slowTools.has(asText(name)))) {
          const exchange = await peer.requestOrCancel('tools/call', call);
          if (!exchange.reply) continue;
          expect.that('tools.fitting-arguments-accepted', {
            ok: errorOf(exchange)?.code !== -32602,
            expected: 'a response other than error -32602',
            evidence: [exchange],
            actual: JSON.stringify(errorOf(exchange)),
          });
        }
      });
    },
  }),

  scenario('server/generated/tools/incomplete-arguments', {
    title: 'a tools/call without a required member in its arguments, at any depth, is refused',
    verifies: ['tools.inputs-validated'],
    generated: true,
    async run({ known, expect, property }) {
      const calls = incomplete(known);
      if (!calls)
        return expect.notObserved('tools.inputs-validated', noTool(known, 'has a required argument'));
      await property(
        calls,
        async ({ name, arguments: args }, { peer, expect }) => {
          const exchange = await peer.requestOrCancel(
            'tools/call',
            { name, arguments: args },
            { deliberate: true },
          );
          if (exchange.reply)
            expect.that('tools.inputs-validated', {
              ok: isRefused(exchange),
              expected: 'a JSON-RPC error, or a result with isError',
              evidence: [exchange],
              actual: 'a result',
            });
        },
        { label: ({ name, path }) => `${name}: required member ${path} dropped` },
      );
    },
  }),
];
