/** basic/index#error-codes. */

import type { JsonObject } from '../../../spec/json-rpc.js';
import type { RequirementId } from '../../../spec/requirement.js';
import { fault, onReply, refusal, result } from '../../fault.js';
import { codes } from '../refusal.js';
import { onRefused, paramsOf } from './shared.js';

/** resources/read of an unknown resource gets an error with another code. */
const unknownResource = (id: string, code: number, row: RequirementId) =>
  fault(
    id,
    {
      what: `resources/read of an unknown resource returns error ${code}.`,
      breaks: ['resources.not-found-code-32602', row],
    },
    onRefused('resources/read', (_reply, ask) => refusal(ask, code, 'Not found')),
  );

export const errorCodeFaults = [
  unknownResource('unknown-resource-reserved-code', -32050, 'error-codes.reserved-range-undefined'),
  unknownResource('unknown-resource-retired-code', -32002, 'error-codes.retired-not-emitted'),
  unknownResource('unknown-resource-legacy-code', -32001, 'error-codes.legacy-range-unused'),
  unknownResource('unknown-resource-code-of-json-rpc', -32500, 'error-codes.application-codes-outside'),

  fault(
    'declared-capability-demanded',
    {
      what: 'tools/call of a tool that needs the roots returns error -32021 although the client declares them.',
      breaks: ['error-codes.defined-meaning'],
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
      breaks: ['resources.no-empty-contents-when-missing'],
    },
    onRefused('resources/read', (reply, ask) =>
      typeof paramsOf(ask).uri === 'string' ? result(ask, { contents: [] }) : reply,
    ),
  ),
];
