/** server/utilities/caching. */

import { without } from '../../../spec/json-rpc.js';
import { fault, onResult } from '../../fault.js';
import { paramsOf } from './shared.js';

export const cachingFaults = [
  fault(
    'cache-hints-missing',
    {
      what: 'The result of tools/list has no hints for caches.',
      breaks: ['caching.hints-on-cacheable-results'],
    },
    onResult('tools/list', body => without(body, 'ttlMs', 'cacheScope')),
  ),

  fault(
    'cache-scope-unknown',
    {
      what: 'The result of resources/read has the cacheScope "shared".',
      breaks: ['caching.hints-on-cacheable-results'],
    },
    onResult('resources/read', body => ({ ...body, cacheScope: 'shared' })),
  ),

  fault(
    'cache-ttl-negative',
    { what: 'The result of server/discover has a negative ttlMs.', breaks: ['caching.ttl-not-negative'] },
    onResult('server/discover', body => ({ ...body, ttlMs: -1 })),
  ),

  fault(
    'cache-hints-on-questions',
    {
      what: 'Input-required results have hints for caches.',
      breaks: ['caching.no-hints-on-input-required'],
    },
    onResult('tools/call', body =>
      body.resultType === 'input_required' ? { ...body, ttlMs: 1_000, cacheScope: 'private' } : body,
    ),
  ),

  fault(
    'cache-scope-changes',
    {
      what: 'Only the first page of tools/list has the cacheScope "private".',
      breaks: ['caching.same-scope-on-all-pages'],
    },
    onResult('tools/list', (body, ask) =>
      paramsOf(ask).cursor === undefined ? body : { ...body, cacheScope: 'public' },
    ),
  ),
];
