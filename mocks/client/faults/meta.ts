/** basic/index: faults of clients in metadata keys, icons and annotations. */

import { metaOf } from '../../../harness/record/envelope.js';
import { isObject, type JsonObject } from '../../../spec/json-rpc.js';
import type { RequirementId } from '../../../spec/requirement.js';
import { showing } from '../../fault.js';
import { paramsOf } from '../../server/faults/shared.js';
import { clientFault, onAnswer, onAsk, onBehaviour } from '../fault.js';

const keyed = (id: string, what: string, key: string, row: RequirementId) =>
  clientFault(
    id,
    { what, breaks: [row] },
    onAsk('tools/call', ask => ({
      ...ask,
      params: { ...paramsOf(ask), _meta: { ...metaOf({ params: paramsOf(ask) }), [key]: true } },
    })),
  );

const iconed = (id: string, what: string, icon: JsonObject, row: RequirementId) =>
  clientFault(
    id,
    { what, breaks: [row] },
    onBehaviour(habits => {
      habits.info = { ...habits.info, icons: [icon] };
    }),
  );

export const metaFaults = [
  showing(
    ['meta.key-prefix-syntax#empty-label'],
    keyed(
      'client-meta-empty-label',
      'The client sends tools/call with a _meta key that has an empty label in its prefix.',
      'a..b/key',
      'meta.key-prefix-syntax',
    ),
  ),
  showing(
    ['meta.key-label-syntax#digit-first'],
    keyed(
      'client-meta-label-digit',
      'The client sends tools/call with a _meta key whose prefix begins with a digit.',
      '1st.example/key',
      'meta.key-label-syntax',
    ),
  ),
  showing(
    ['meta.key-name-syntax#underscore-first'],
    keyed(
      'client-meta-private-name',
      'The client sends tools/call with a _meta key that begins with an underscore.',
      '_key',
      'meta.key-name-syntax',
    ),
  ),
  showing(
    ['meta.key-reverse-dns#forward'],
    keyed(
      'client-meta-domain-forward',
      'The client sends tools/call with a _meta key whose prefix is a domain name that is not reversed.',
      'example.com/key',
      'meta.key-reverse-dns',
    ),
  ),
  showing(
    ['meta.reserved-prefix-unused#undefined-key'],
    keyed(
      'client-meta-reserved',
      'The client sends tools/call with its own _meta key under a prefix reserved for MCP.',
      // reserved by the text of every revision
      'com.mcp.tools/mine',
      'meta.reserved-prefix-unused',
    ),
  ),

  showing(
    ['icons.src-uri#relative'],
    iconed(
      'client-icon-relative',
      'The client sends initialize with an icon whose src is a relative path.',
      { src: 'icon.png' },
      'icons.src-uri',
    ),
  ),

  showing(
    ['icons.size-format#word'],
    iconed(
      'client-icon-size-in-words',
      'The client sends initialize with an icon whose size is the word large.',
      { src: 'https://example.com/icon.png', sizes: ['large'] },
      'icons.size-format',
    ),
  ),

  clientFault(
    'client-time-in-words',
    {
      what: 'The client responds to sampling/createMessage with a lastModified annotation that is a word.',
      breaks: ['resources.last-modified-format'],
      shows: ['resources.last-modified-format#words'],
    },
    onAnswer('sampling/createMessage', answer =>
      isObject(answer.content)
        ? { ...answer, content: { ...answer.content, annotations: { lastModified: 'yesterday' } } }
        : answer,
    ),
  ),
];
