/** basic/index#meta: keys of metadata, in calls of clients. */

import type { RequirementId } from '../../spec/requirement.js';
import { clientFault, onAsk } from '../client/fault.js';
import { paramsOf } from '../faults/shared.js';

const keyed = (id: string, what: string, key: string, row: RequirementId) =>
  clientFault(
    id,
    { what, breaks: [row] },
    onAsk('tools/call', ask => ({ ...ask, params: { ...paramsOf(ask), _meta: { [key]: true } } })),
  );

export const metaFaults = [
  keyed(
    'client-meta-empty-label',
    'A prefix of the client has a label without letters.',
    'a..b/key',
    'meta.key-prefix-syntax',
  ),
  keyed(
    'client-meta-label-digit',
    'A prefix of the client begins with a digit.',
    '1st.example/key',
    'meta.key-label-syntax',
  ),
  keyed(
    'client-meta-private-name',
    'A key of the client begins with a line.',
    '_key',
    'meta.key-name-syntax',
  ),
  keyed(
    'client-meta-domain-forward',
    'The client writes a domain as it is, not in reverse.',
    'example.com/key',
    'meta.key-reverse-dns',
  ),
  keyed(
    'client-meta-reserved',
    'The client has a key of its own under the name of MCP.',
    'io.modelcontextprotocol/mine',
    'meta.reserved-prefix-unused',
  ),
];
