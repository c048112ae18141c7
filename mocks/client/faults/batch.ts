/** basic/index#batching: arrays that are sent, and those that are not taken. */

import { isObject, type Json } from '../../../spec/json-rpc.js';
import { notification } from '../../fault.js';
import { clientFault, onAsk, onBatch, onOpened } from '../fault.js';

const isNotification = (m: Json): boolean => isObject(m) && m.id === undefined;

export const batchFaults = [
  clientFault(
    'client-sends-arrays',
    { what: 'The client sends a message in an array.', breaks: ['batch.not-allowed'] },
    onOpened(async context => {
      if (!context.revision.batches) await context.send([notification('notifications/com.example/ready')]);
    }),
  ),

  clientFault(
    'client-initialize-in-array',
    {
      what: 'The client initializes in an array when it connects again.',
      breaks: ['batch.initialize-not-batched'],
    },
    onAsk('initialize', (ask, context) => (context.count() > 1 ? [[ask]] : ask)),
  ),

  clientFault(
    'client-passes-over-arrays',
    { what: 'The client takes no arrays.', breaks: ['batch.receive'] },
    onBatch(() => undefined),
  ),

  clientFault(
    'client-answers-arrays-twice',
    { what: 'The client answers each message of an array twice.', breaks: ['batch.response-per-request'] },
    onBatch((answer, asked) => (Array.isArray(answer) && asked.length > 1 ? [...answer, ...answer] : answer)),
  ),

  clientFault(
    'client-answers-arrays-of-notifications',
    {
      what: 'The client answers an array of notifications with an empty one.',
      breaks: ['batch.only-notifications'],
    },
    onBatch((answer, asked) => (asked.length > 0 && asked.every(isNotification) ? [] : answer)),
  ),

  clientFault(
    'client-answers-empty-arrays-alike',
    { what: 'The client answers an empty array with an empty one.', breaks: ['batch.empty-array'] },
    onBatch((answer, asked) => (asked.length === 0 ? [] : answer)),
  ),
];
