/** server/discover. */

import { isObject } from '../../../spec/json-rpc.js';
import { fault, onResult } from '../../fault.js';

export const discoverFaults = [
  fault(
    'discover-versions-no-list',
    {
      what: 'supportedVersions of server/discover is a single text.',
      breaks: ['discover.result-shape'],
    },
    onResult('server/discover', body => ({ ...body, supportedVersions: 'the newest' })),
  ),

  fault(
    'extension-without-prefix',
    {
      what: 'server/discover declares an extension whose name has no prefix.',
      breaks: ['versioning.extension-identifiers'],
    },
    onResult('server/discover', body => ({
      ...body,
      capabilities: { ...(isObject(body.capabilities) && body.capabilities), extensions: { tasks: {} } },
    })),
  ),
];
