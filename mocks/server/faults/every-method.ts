/** basic/index#meta, basic/versioning: what holds for every method, broken for one of them. */

import { latestRevision } from '../../../spec/revisions.js';
import { fault, onRequest } from '../../fault.js';
import { codes } from '../refusal.js';
import { key, metaOf, offered, withMeta } from './metadata.js';
import { internalInPlaceOf, isStateless } from './shared.js';

export const everyMethodFaults = [
  ...(['tools/call', 'prompts/get', 'completion/complete', 'subscriptions/listen'] as const).map(method =>
    fault(
      `capabilities-not-needed-by-${method.replace('/', '-')}`,
      {
        what: `${method} without clientCapabilities is served.`,
        breaks: ['meta.missing-field-rejected', 'meta.missing-field-http-400'],
        shows: ['meta.missing-field-http-400#served', 'meta.missing-field-rejected#no-capabilities-served'],
        where: isStateless,
      },
      onRequest(method, ask =>
        metaOf(ask)[key('protocolVersion')] !== undefined &&
        metaOf(ask)[key('clientCapabilities')] === undefined
          ? withMeta(ask, { [key('clientCapabilities')]: {} })
          : ask,
      ),
    ),
  ),

  fault(
    'early-version-served',
    {
      what: 'A request in a version that has a handshake is served without one.',
      breaks: ['versioning.unsupported-version-error'],
      shows: ['versioning.unsupported-version-error#served'],
      where: isStateless,
    },
    onRequest('*', (ask, context) =>
      metaOf(ask)[key('protocolVersion')] === latestRevision.id
        ? withMeta(ask, { [key('protocolVersion')]: offered(context).at(-1)! })
        : ask,
    ),
  ),

  fault(
    'prompt-asks-undeclared',
    {
      what: 'prompts/get asks for input that the client has not declared.',
      breaks: ['mrtr.only-declared-kinds'],
      shows: ['mrtr.only-declared-kinds#elicitation'],
      where: isStateless,
    },
    onRequest('prompts/get', ask =>
      metaOf(ask)[key('clientCapabilities')] === undefined
        ? ask
        : withMeta(ask, { [key('clientCapabilities')]: { elicitation: {} } }),
    ),
  ),

  fault(
    'prompt-missing-capability-internal-error',
    {
      what: 'A prompts/get that needs a capability returns an internal error to a client without it.',
      breaks: ['meta.missing-capability-error'],
      shows: ['meta.missing-capability-error#other-code'],
      where: isStateless,
    },
    internalInPlaceOf(codes.missingClientCapability, 'prompts/get'),
  ),
];
