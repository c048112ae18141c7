/** basic/index#batching. */

import { isJson, isObject, type JsonObject } from '../../../spec/json-rpc.js';
import { fault, onBytes, onLine, onReply } from '../../fault.js';
import { codes } from '../refusal.js';

export const batchFaults = [
  fault(
    'batch-refused',
    {
      what: 'A batch is rejected as a whole with an error.',
      breaks: ['batch.receive'],
      shows: ['batch.receive#refused'],
      where: r => r.batches,
    },
    onLine((text, context) => {
      if (!text.startsWith('[') || !text.includes('"id"')) return text;
      context.send({ jsonrpc: '2.0', error: { code: codes.invalidRequest, message: 'Not an object' } });
      return undefined;
    }),
  ),

  fault(
    'batch-one-forgotten',
    {
      what: 'The response to a batch lacks its first message.',
      breaks: ['batch.receive'],
      shows: ['batch.receive#one-missing'],
    },
    onBytes(text => (text.startsWith('[') ? `${JSON.stringify(JSON.parse(text).slice(1))}\n` : text)),
  ),

  fault(
    'batch-empty-answered-empty',
    {
      what: 'The response to an empty array is an empty array.',
      breaks: ['batch.empty-array'],
      shows: ['batch.empty-array#array'],
    },
    onLine((text, context) => (text.trim() === '[]' ? (context.write('[]\n') as undefined) : text)),
  ),

  fault(
    'batch-notifications-answered',
    {
      what: 'The response to a batch of notifications is an empty array.',
      breaks: ['batch.only-notifications'],
      shows: ['batch.only-notifications#empty-array'],
    },
    onLine((text, context) => {
      const items: unknown = text.startsWith('[') && isJson(text) ? JSON.parse(text) : [];
      const notes = Array.isArray(items) && items.length > 0 && items.every(i => isObject(i) && !('id' in i));
      return notes ? (context.write('[]\n') as undefined) : text;
    }),
  ),

  fault(
    'batch-where-there-is-none',
    {
      what: 'The response to tools/list is an array.',
      breaks: ['batch.not-allowed'],
      shows: ['batch.not-allowed#array'],
    },
    onReply('tools/list', reply => [[reply]]),
  ),

  fault(
    'batch-answered-twice',
    {
      what: 'The response to a batch has two responses to one request.',
      breaks: ['batch.response-per-request'],
      shows: ['batch.response-per-request#twice'],
    },
    onBytes(text => {
      if (!text.startsWith('[')) return text;
      const [first, ...rest] = JSON.parse(text) as JsonObject[];
      return `${JSON.stringify([first!, ...rest, first!])}\n`;
    }),
  ),
];
