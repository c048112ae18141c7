/** basic/index: keys of metadata, icons and annotations of clients. */

import { isObject, type JsonObject } from '../../../spec/json-rpc.js';
import type { RequirementId } from '../../../spec/requirement.js';
import { paramsOf } from '../../server/faults/shared.js';
import { clientFault, onAnswer, onAsk, onHabits } from '../fault.js';

const keyed = (id: string, what: string, key: string, row: RequirementId) =>
  clientFault(
    id,
    { what, breaks: [row] },
    onAsk('tools/call', ask => ({ ...ask, params: { ...paramsOf(ask), _meta: { [key]: true } } })),
  );

const iconed = (id: string, what: string, icon: JsonObject, row: RequirementId) =>
  clientFault(
    id,
    { what, breaks: [row] },
    onHabits(habits => {
      habits.info = { ...habits.info, icons: [icon] };
    }),
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
    // reserved by the words of every revision
    'com.mcp.tools/mine',
    'meta.reserved-prefix-unused',
  ),

  iconed(
    'client-icon-relative',
    'The icon of the client has no address.',
    { src: 'icon.png' },
    'icons.src-uri',
  ),

  iconed(
    'client-icon-size-in-words',
    'The client says in words how large its icon is.',
    { src: 'https://example.com/icon.png', sizes: ['large'] },
    'icons.size-format',
  ),

  clientFault(
    'client-time-in-words',
    {
      what: 'The client says in words when something was changed.',
      breaks: ['resources.last-modified-format'],
    },
    onAnswer('sampling/createMessage', answer =>
      isObject(answer.content)
        ? { ...answer, content: { ...answer.content, annotations: { lastModified: 'yesterday' } } }
        : answer,
    ),
  ),
];
