/** basic/index#error-codes. */

import type { JsonObject } from '../../../spec/json-rpc.js';
import type { RequirementId } from '../../../spec/requirement.js';
import { fault, onReply, refusal, result, showing } from '../../fault.js';
import { codes } from '../refusal.js';
import { isStateless, onRefused, paramsOf } from './shared.js';

/** resources/read of an unknown resource gets an error with another code. */
const unknownResource = (id: string, code: number, row: RequirementId) =>
  fault(
    id,
    {
      what: `resources/read of an unknown resource returns error ${code}.`,
      breaks: ['resources.not-found-code-32602', 'ext-skills.read-unknown', row],
    },
    onRefused('resources/read', (_reply, ask) => refusal(ask, code, 'Not found')),
  );

/** prompts/get of an unknown prompt gets an error with another code. */
const unknownPrompt = (id: string, code: number, breaks: readonly [RequirementId, ...RequirementId[]]) =>
  fault(
    id,
    {
      what: `prompts/get of an unknown prompt returns error ${code}.`,
      breaks: ['prompts.unknown-prompt-error', ...breaks],
      where: isStateless,
    },
    onRefused('prompts/get', (reply, ask) =>
      String(paramsOf(ask).name).includes('no-such-prompt') ? refusal(ask, code, 'Not found') : reply,
    ),
  );

/** tools/call of an unknown tool gets an error with another code. */
const unknownTool = (id: string, code: number, row: RequirementId) =>
  fault(
    id,
    {
      what: `tools/call of an unknown tool returns error ${code}.`,
      breaks: [row, 'tools.unknown-tool-code'],
      where: isStateless,
    },
    onRefused('tools/call', (reply, ask) =>
      String(paramsOf(ask).name).includes('no-such-tool') ? refusal(ask, code, 'Unknown tool') : reply,
    ),
  );

export const errorCodeFaults = [
  showing(
    ['resources.not-found-code-32602#other-code', 'error-codes.reserved-range-undefined#undefined-code'],
    unknownResource('unknown-resource-reserved-code', -32050, 'error-codes.reserved-range-undefined'),
  ),
  showing(
    ['resources.not-found-code-32602#retired-code', 'error-codes.retired-not-emitted#not-found'],
    unknownResource('unknown-resource-retired-code', -32002, 'error-codes.retired-not-emitted'),
  ),
  showing(
    ['resources.not-found-code-32602#other-code', 'error-codes.legacy-range-unused#used'],
    unknownResource('unknown-resource-legacy-code', -32001, 'error-codes.legacy-range-unused'),
  ),
  showing(
    ['resources.not-found-code-32602#other-code', 'error-codes.application-codes-outside#inside'],
    unknownResource('unknown-resource-code-of-json-rpc', -32500, 'error-codes.application-codes-outside'),
  ),

  fault(
    'declared-capability-demanded',
    {
      what: 'tools/call of a tool that needs the roots returns error -32021 although the client declares them.',
      breaks: ['error-codes.defined-meaning'],
      shows: ['error-codes.defined-meaning#capability-code-for-declared'],
    },
    onReply('tools/call', (reply, ask) => {
      if (paramsOf(ask).name !== 'test_roots' || 'error' in reply) return reply;
      const error: JsonObject = {
        code: codes.missingClientCapability,
        message: 'Missing capability',
        data: { requiredCapabilities: { roots: {} } },
      };
      return { jsonrpc: '2.0', id: ask.id!, error };
    }),
  ),

  fault(
    'unknown-resource-is-empty',
    {
      what: 'resources/read of an unknown resource returns an empty list of contents.',
      breaks: ['resources.no-empty-contents-when-missing', 'ext-skills.read-unknown'],
      shows: ['resources.no-empty-contents-when-missing#empty'],
    },
    onRefused('resources/read', (reply, ask) =>
      typeof paramsOf(ask).uri === 'string' ? result(ask, { contents: [] }) : reply,
    ),
  ),

  showing(
    ['prompts.unknown-prompt-error#other-code', 'error-codes.retired-not-emitted#not-found'],
    unknownPrompt('unknown-prompt-retired-code', -32002, ['error-codes.retired-not-emitted']),
  ),
  showing(
    ['prompts.unknown-prompt-error#other-code', 'error-codes.legacy-range-unused#used'],
    unknownPrompt('unknown-prompt-legacy-code', -32010, ['error-codes.legacy-range-unused']),
  ),
  showing(
    ['prompts.unknown-prompt-error#other-code', 'error-codes.reserved-range-undefined#undefined-code'],
    unknownPrompt('unknown-prompt-reserved-code', -32099, ['error-codes.reserved-range-undefined']),
  ),
  showing(
    ['prompts.unknown-prompt-error#other-code', 'error-codes.defined-meaning#version-code-for-other-error'],
    unknownPrompt('unknown-prompt-version-code', codes.unsupportedVersion, ['error-codes.defined-meaning']),
  ),

  showing(
    ['tools.unknown-tool-code#other-code', 'error-codes.reserved-range-undefined#undefined-code'],
    unknownTool('unknown-tool-reserved-code', -32023, 'error-codes.reserved-range-undefined'),
  ),
  showing(
    ['tools.unknown-tool-code#other-code', 'error-codes.defined-meaning#header-code-on-stdio'],
    unknownTool('unknown-tool-header-code', codes.headerMismatch, 'error-codes.defined-meaning'),
  ),

  fault(
    'cursor-unknown-retired-code',
    {
      what: 'tools/list with an invalid cursor returns error -32002.',
      breaks: ['error-codes.retired-not-emitted', 'pagination.invalid-cursor-error'],
      shows: ['pagination.invalid-cursor-error#other-code', 'error-codes.retired-not-emitted#not-found'],
      where: isStateless,
    },
    onRefused('tools/list', (reply, ask) =>
      paramsOf(ask).cursor === undefined ? reply : refusal(ask, -32002, 'Invalid cursor'),
    ),
  ),

  fault(
    'resource-missing-in-result',
    {
      what: 'resources/read of an unknown resource returns a result without contents.',
      breaks: ['base.schema-valid', 'ext-skills.read-unknown'],
      shows: ['base.schema-valid#list-missing'],
      where: isStateless,
    },
    onRefused('resources/read', (reply, ask) =>
      typeof paramsOf(ask).uri === 'string' ? result(ask, {}) : reply,
    ),
  ),
];
