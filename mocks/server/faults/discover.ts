/** server/discover. */

import { isObject, type Json, type JsonObject, without } from '../../../spec/json-rpc.js';
import type { RequirementId } from '../../../spec/requirement.js';
import { fault, onResult, showing } from '../../fault.js';
import { isStateless } from './shared.js';

const shape = ['discover.result-shape'] as const;

/** server/discover returns another result. */
const changed = (
  id: string,
  what: string,
  breaks: readonly [RequirementId, ...RequirementId[]],
  change: (body: JsonObject) => JsonObject,
) => fault(id, { what, breaks, where: isStateless }, onResult('server/discover', change));

const withExtension = (body: JsonObject, extensions: JsonObject): JsonObject => ({
  ...body,
  capabilities: { ...(isObject(body.capabilities) && body.capabilities), extensions },
});

export const discoverFaults = [
  fault(
    'discover-versions-no-list',
    {
      what: 'supportedVersions of server/discover is a single text.',
      breaks: ['discover.result-shape'],
      shows: ['discover.result-shape#versions-no-list'],
    },
    onResult('server/discover', body => ({ ...body, supportedVersions: 'the newest' })),
  ),

  fault(
    'extension-without-prefix',
    {
      what: 'server/discover declares an extension whose name has no prefix.',
      breaks: ['versioning.extension-identifiers'],
      shows: ['versioning.extension-identifiers#no-prefix'],
    },
    onResult('server/discover', body => ({
      ...body,
      capabilities: { ...(isObject(body.capabilities) && body.capabilities), extensions: { tasks: {} } },
    })),
  ),

  showing(
    ['discover.result-shape#versions-missing'],
    changed('discover-versions-missing', 'server/discover returns no supportedVersions.', shape, body =>
      without(body, 'supportedVersions'),
    ),
  ),
  showing(
    ['discover.versions-true#empty'],
    changed(
      'discover-versions-empty',
      'supportedVersions of server/discover is empty.',
      ['discover.versions-true'],
      body => ({
        ...body,
        supportedVersions: [],
      }),
    ),
  ),
  showing(
    ['discover.result-shape#versions-no-text'],
    changed(
      'discover-versions-with-null',
      'supportedVersions of server/discover contains null.',
      shape,
      body => ({
        ...body,
        supportedVersions: [...(body.supportedVersions as Json[]), null],
      }),
    ),
  ),
  showing(
    ['discover.result-shape#versions-no-list'],
    changed(
      'discover-versions-as-members',
      'supportedVersions of server/discover is an object.',
      shape,
      body => ({
        ...body,
        supportedVersions: Object.fromEntries((body.supportedVersions as string[]).map(id => [id, true])),
      }),
    ),
  ),
  showing(
    ['base.schema-valid#member-retyped'],
    changed(
      'discover-instructions-list',
      'instructions of server/discover are a list of texts.',
      ['base.schema-valid'],
      body => ({ ...body, instructions: ['Everything here', 'is made up.'] }),
    ),
  ),
  showing(
    ['base.schema-valid#capability-malformed', 'versioning.extension-identifiers#settings-no-object'],
    changed(
      'extension-settings-true',
      'server/discover declares an extension with true instead of settings.',
      ['versioning.extension-identifiers', 'base.schema-valid'],
      body => withExtension(body, { 'com.example/odd': true }),
    ),
  ),
  showing(
    ['versioning.extension-identifiers#name-malformed'],
    changed(
      'extension-name-with-blank',
      'server/discover declares an extension whose name has a blank.',
      ['versioning.extension-identifiers'],
      body => withExtension(body, { 'com.example/odd one': {} }),
    ),
  ),
  showing(
    ['versioning.extension-identifiers#prefix-malformed'],
    changed(
      'extension-prefix-begins-with-digit',
      'server/discover declares an extension whose prefix begins with a digit.',
      ['versioning.extension-identifiers'],
      body => withExtension(body, { '9example/odd': {} }),
    ),
  ),
];
