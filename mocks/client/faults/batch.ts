/** basic/index#batching: arrays that clients send, and arrays that they ignore. */

import { isObject, type Json } from '../../../spec/json-rpc.js';
import { notification } from '../../fault.js';
import { clientFault, onAsk, onBatch, onOpened } from '../fault.js';

const isNotification = (m: Json): boolean => isObject(m) && m.id === undefined;

export const batchFaults = [
  clientFault(
    'client-sends-arrays',
    {
      what: 'The client sends a notification in an array in a revision without batches.',
      breaks: ['batch.not-allowed'],
      shows: ['batch.not-allowed#array'],
    },
    onOpened(async context => {
      if (!context.revision.batches) await context.send([notification('notifications/com.example/ready')]);
    }),
  ),

  clientFault(
    'client-initialize-in-array',
    {
      what: 'The client sends initialize in an array when it connects again.',
      breaks: ['batch.initialize-not-batched'],
      shows: ['batch.initialize-not-batched#in-array'],
    },
    onAsk('initialize', (ask, context) => (context.count() > 1 ? [[ask]] : ask)),
  ),

  clientFault(
    'client-passes-over-arrays',
    {
      what: 'The client sends no response to batches.',
      breaks: ['batch.receive'],
      shows: ['batch.receive#no-response'],
    },
    onBatch(() => undefined),
  ),

  clientFault(
    'client-answers-arrays-twice',
    {
      what: 'The client sends two responses to each request of a batch.',
      breaks: ['batch.response-per-request'],
      shows: ['batch.response-per-request#twice'],
    },
    onBatch((answer, asked) => (Array.isArray(answer) && asked.length > 1 ? [...answer, ...answer] : answer)),
  ),

  clientFault(
    'client-answers-arrays-of-notifications',
    {
      what: 'The client responds to a batch of notifications with an empty array.',
      breaks: ['batch.only-notifications'],
      shows: ['batch.only-notifications#empty-array'],
    },
    onBatch((answer, asked) => (asked.length > 0 && asked.every(isNotification) ? [] : answer)),
  ),

  clientFault(
    'client-answers-empty-arrays-alike',
    {
      what: 'The client responds to an empty array with an empty array.',
      breaks: ['batch.empty-array'],
      shows: ['batch.empty-array#array'],
    },
    onBatch((answer, asked) => (asked.length === 0 ? [] : answer)),
  ),
];
