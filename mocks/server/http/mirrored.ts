/** basic/transports/streamable-http#server-validation: headers that repeat members of the body. */

import { envelopeKeys } from '../../../harness/record/envelope.js';
import {
  anyNameIn,
  argumentText,
  decodeHeader,
  headerParameters,
  nameIn,
  needsName,
} from '../../../harness/record/mirrored-headers.js';
import { isObject, type JsonObject } from '../../../spec/json-rpc.js';
import type { World } from '../interfaces.js';
import type { Incoming } from './reply.js';

const isAscii = (text: string): boolean => /^[\t\x20-\x7e]*$/.test(text);

/** The first header that is missing or differs from the body; undefined when all agree. */
export function headerMismatch(ask: Incoming, body: JsonObject, { tools }: World): string | undefined {
  const params = isObject(body.params) ? body.params : {};
  const meta = isObject(params._meta) ? params._meta : {};
  const version = meta[envelopeKeys.protocolVersion];
  const given = ask.headers.get('mcp-protocol-version');
  if (given === undefined) return 'The header MCP-Protocol-Version is missing.';
  if (version !== undefined && given !== version) return 'MCP-Protocol-Version differs from the body.';
  if (ask.headers.get('mcp-method') !== body.method) return 'Mcp-Method differs from the body.';
  const name = nameIn(body.method, params);
  const header = ask.headers.get('mcp-name');
  if (needsName(body.method) && (header === undefined || decodeHeader(header) !== name))
    return 'Mcp-Name differs from the body.';
  // the tasks extension does not state that a missing header is an error
  const extended = anyNameIn(body.method, params);
  if (extended !== undefined && header !== undefined && ![header, decodeHeader(header)].includes(extended))
    return 'Mcp-Name differs from the body.';
  const tool = body.method === 'tools/call' && tools.find(t => t.definition.name === name);
  const parameters = tool ? headerParameters(tool.definition.inputSchema) : [];
  return parameters
    .map(parameter => {
      const text = ask.headers.get(`mcp-param-${parameter.name.toLowerCase()}`);
      const expected = argumentText(parameter, params.arguments);
      const found = text === undefined || !isAscii(text) ? undefined : decodeHeader(text);
      const isEqual =
        parameter.type === 'integer' && expected !== undefined && found !== undefined
          ? Number(found) === Number(expected)
          : found === expected && (text === undefined) === (expected === undefined);
      return isEqual ? undefined : `Mcp-Param-${parameter.name} differs from the body.`;
    })
    .find(problem => problem !== undefined);
}
