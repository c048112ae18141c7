/**
 * The scripts of the reference client as a program for the client scenarios of the official suite, which names its
 * scenario in `MCP_CONFORMANCE_SCENARIO`. Their servers have tools of fixed names.
 */

import type { Script, Step } from '../../harness/scenario/script.js';
import { isObject, type Json, type JsonObject } from '../../spec/json-rpc.js';
import { type ClientDeviation, clientQuirk, onBehaviour, onResult, onStep } from './fault.js';

type Steps = readonly Step[];

const call = (name: string, args: JsonObject = {}): Step => ['call', name, args];

/** The calls that a scenario asks for in its context. */
const requestedCalls = ({ toolCalls }: JsonObject): Steps =>
  (Array.isArray(toolCalls) ? toolCalls.filter(isObject) : []).map(({ name, arguments: args }) =>
    call(String(name), isObject(args) ? args : {}),
  );

/** The tool of the official suite whose argument is the listed schema of another one. */
const schemaEcho = { name: 'json_schema_echo', of: 'json_schema_2020_12_tool' };

const steps: Readonly<Record<string, (context: JsonObject) => Steps>> = {
  tools_call: () => [call('add_numbers', { a: 5, b: 3 })],
  'elicitation-sep1034-client-defaults': () => [call('test_client_elicitation_defaults')],
  'sse-retry': () => [call('test_reconnection')],
  'sep-2322-client-request-state': () => [
    ['call', 'test_mrtr_echo_state', {}, { wait: false }],
    call('test_mrtr_unrelated'),
    call('test_mrtr_no_state'),
    call('test_mrtr_no_result_type'),
  ],
  'http-standard-headers': () => [
    call('test_headers'),
    call('my-hyphenated-tool'),
    ['list', 'resources'],
    ['read', 'file:///path/to/file%20name.txt'],
    ['read', 'https://example.com/resource?id=123'],
    ['list', 'prompts'],
    ['get', 'test_prompt'],
  ],
  'http-custom-headers': requestedCalls,
  'json-schema-2020-12-preservation': () => [call(schemaEcho.name)],
  'http-invalid-tool-headers': () => [
    call('valid_tool', { region: 'us-east1' }),
    call('invalid_empty_header', { value: 'x' }),
    call('invalid_object_header', { data: {} }),
  ],
};

/** The script for a scenario of the official suite. */
export function officialScript(scenario: string, context: JsonObject): Json {
  const most = scenario.startsWith('auth/') ? [call('test-tool')] : [];
  const script: Script = [['connect'], ['list', 'tools'], ...(steps[scenario]?.(context) ?? most), ['close']];
  return JSON.parse(JSON.stringify(script)) as Json;
}

/** What a script cannot express. The suite recognizes a metadata document of the client by this URL, and does not fetch it. */
export const officialWishes: ClientDeviation = clientQuirk(
  'official-wishes',
  { what: 'The client does what scenarios of the official suite ask of their programs.' },
  onBehaviour(({ authorization }) => {
    authorization.documentUrl = 'https://conformance-test.local/client-metadata.json';
  }),
  onResult('tools/list', (result, _, context) => {
    const schemas = context.keep(() => new Map<unknown, Json>());
    for (const tool of Array.isArray(result.tools) ? result.tools.filter(isObject) : [])
      schemas.set(tool.name, tool.inputSchema ?? {});
    return result;
  }),
  onStep((step, context) => {
    if (step[0] !== 'call' || step[1] !== schemaEcho.name) return step;
    const schema = context.keep(() => new Map<unknown, Json>()).get(schemaEcho.of);
    return schema === undefined ? undefined : call(schemaEcho.name, { schema });
  }),
);
