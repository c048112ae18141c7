/** server/utilities/caching. */

import { isObject, without } from '../../../spec/json-rpc.js';
import { fault, onResult } from '../../fault.js';
import { lists, paramsOf } from './shared.js';

/** Methods whose results have hints. */
const cacheable = [...lists, 'resources/read'];

export const cachingFaults = [
  fault(
    'cache-hints-missing',
    {
      what: 'The result of tools/list has no hints for caches.',
      breaks: ['caching.hints-on-cacheable-results'],
      shows: ['caching.hints-on-cacheable-results#none'],
    },
    onResult('tools/list', body => without(body, 'ttlMs', 'cacheScope')),
  ),

  fault(
    'cache-scope-unknown',
    {
      what: 'The result of resources/read has the cacheScope "shared".',
      breaks: ['caching.hints-on-cacheable-results'],
      shows: ['caching.hints-on-cacheable-results#scope-unknown'],
    },
    onResult('resources/read', body => ({ ...body, cacheScope: 'shared' })),
  ),

  fault(
    'cache-ttl-negative',
    {
      what: 'The result of server/discover has a negative ttlMs.',
      breaks: ['caching.ttl-not-negative'],
      shows: ['caching.ttl-not-negative#negative'],
    },
    onResult('server/discover', body => ({ ...body, ttlMs: -1 })),
  ),

  fault(
    'cache-hints-on-questions',
    {
      what: 'Input-required results have hints for caches.',
      breaks: ['caching.no-hints-on-input-required'],
      shows: ['caching.no-hints-on-input-required#both'],
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
      shows: ['caching.same-scope-on-all-pages#differs'],
    },
    onResult('tools/list', (body, ask) =>
      paramsOf(ask).cursor === undefined ? body : { ...body, cacheScope: 'public' },
    ),
  ),

  fault(
    'cache-hints-missing-in-discover',
    {
      what: 'The result of server/discover has no hints for caches.',
      breaks: ['caching.hints-on-cacheable-results'],
      shows: ['caching.hints-on-cacheable-results#none'],
    },
    onResult('server/discover', body => without(body, 'ttlMs', 'cacheScope')),
  ),

  fault(
    'cache-scope-missing',
    {
      what: 'The result of resources/read has a ttlMs and no cacheScope.',
      breaks: ['caching.hints-on-cacheable-results'],
      shows: ['caching.hints-on-cacheable-results#no-scope'],
    },
    onResult('resources/read', body => without(body, 'cacheScope')),
  ),

  fault(
    'cache-ttl-missing',
    {
      what: 'The result of prompts/list has a cacheScope and no ttlMs.',
      breaks: ['caching.hints-on-cacheable-results'],
      shows: ['caching.hints-on-cacheable-results#no-ttl'],
    },
    onResult('prompts/list', body => without(body, 'ttlMs')),
  ),

  fault(
    'cache-ttl-as-text',
    {
      what: 'The result of resources/list has a text as ttlMs.',
      breaks: ['caching.hints-on-cacheable-results'],
      shows: ['caching.hints-on-cacheable-results#ttl-retyped'],
    },
    onResult('resources/list', body => ({ ...body, ttlMs: '1000' })),
  ),

  fault(
    'cache-ttl-null',
    {
      what: 'The result of resources/templates/list has ttlMs null.',
      breaks: ['caching.hints-on-cacheable-results'],
      shows: ['caching.hints-on-cacheable-results#ttl-retyped'],
    },
    onResult('resources/templates/list', body => ({ ...body, ttlMs: null })),
  ),

  fault(
    'cache-scope-in-capitals',
    {
      what: 'Results have the cacheScope "PRIVATE".',
      breaks: ['caching.hints-on-cacheable-results'],
      shows: ['caching.hints-on-cacheable-results#scope-unknown'],
    },
    onResult(cacheable, body => ({ ...body, cacheScope: 'PRIVATE' })),
  ),

  fault(
    'cache-hints-in-metadata',
    {
      what: 'The hints for caches are in the metadata of results.',
      breaks: ['caching.hints-on-cacheable-results'],
      shows: ['caching.hints-on-cacheable-results#in-metadata'],
    },
    onResult(cacheable, body => {
      const { ttlMs = 0, cacheScope = 'private' } = body;
      const meta = { ...(isObject(body._meta) && body._meta), ttlMs, cacheScope };
      return { ...without(body, 'ttlMs', 'cacheScope'), _meta: meta };
    }),
  ),

  fault(
    'cache-hints-on-first-page-only',
    {
      what: 'Only the first page of a list has hints for caches.',
      breaks: ['caching.hints-on-cacheable-results'],
      shows: ['caching.hints-on-cacheable-results#first-page-only'],
    },
    onResult(lists, (body, ask) =>
      paramsOf(ask).cursor === undefined ? body : without(body, 'ttlMs', 'cacheScope'),
    ),
  ),

  fault(
    'cache-ttl-negative-on-read',
    {
      what: 'The result of resources/read has the ttlMs -1 for a resource that changes.',
      breaks: ['caching.ttl-not-negative'],
      shows: ['caching.ttl-not-negative#negative'],
    },
    onResult('resources/read', (body, ask) =>
      paramsOf(ask).uri === 'test://watched-resource' ? { ...body, ttlMs: -1 } : body,
    ),
  ),

  fault(
    'cache-scope-alternates',
    {
      what: 'The cacheScope of prompts/list is public on the last page only.',
      breaks: ['caching.same-scope-on-all-pages'],
      shows: ['caching.same-scope-on-all-pages#differs'],
    },
    onResult('prompts/list', body =>
      body.nextCursor === undefined ? { ...body, cacheScope: 'public' } : body,
    ),
  ),

  fault(
    'cache-scope-on-questions',
    {
      what: 'Input-required results have a cacheScope.',
      breaks: ['caching.no-hints-on-input-required'],
      shows: ['caching.no-hints-on-input-required#scope'],
    },
    onResult('tools/call', body =>
      body.resultType === 'input_required' ? { ...body, cacheScope: 'private' } : body,
    ),
  ),
];
