/** basic/index#meta: the metadata in each request of a client without a handshake. */

import { fail, pass } from '../../../harness/judge/finding.js';
import { rule } from '../../../harness/judge/rule.js';
import type { Conversation } from '../../../harness/record/conversation.js';
import { declaredIn, envelopeKeys, metaOf } from '../../../harness/record/envelope.js';
import type { Message } from '../../../harness/record/message.js';
import { isObject } from '../../../spec/json-rpc.js';
import type { RequirementId } from '../../../spec/requirement.js';
import { shown } from '../derived/results.js';
import { isExtensionId } from '../derived/stateless.js';
import { ownRequests } from '../derived/stateless-client.js';

/** The first required member that a request lacks, or has with another type. */
function missingIn(m: Message): string | undefined {
  const meta = metaOf(m);
  if (typeof meta[envelopeKeys.protocolVersion] !== 'string') return envelopeKeys.protocolVersion;
  return isObject(meta[envelopeKeys.clientCapabilities]) ? undefined : envelopeKeys.clientCapabilities;
}

const required = (row: RequirementId, items: (conversation: Conversation) => readonly Message[]) =>
  rule.each(row, items, m => {
    const missing = missingIn(m);
    return missing === undefined ? pass([m]) : fail(`_meta with ${missing}`, [m], shown(m.params?._meta));
  });

export const rules = [
  required('meta.request-required-fields', ownRequests),
  required('prompts.request-meta-note', conversation =>
    ownRequests(conversation).filter(m => m.method!.startsWith('prompts/')),
  ),

  rule('versioning.extension-identifiers', function* (conversation) {
    const seen = new Set<string>();
    for (const m of ownRequests(conversation)) {
      const { extensions } = declaredIn(m) ?? {};
      for (const [name, settings] of Object.entries(isObject(extensions) ? extensions : {})) {
        if (seen.has(name)) continue;
        seen.add(name);
        yield isExtensionId(name) && isObject(settings)
          ? pass([m])
          : fail('prefix/name, with an object', [m], shown({ [name]: settings }));
      }
    }
  }),

  rule('meta.client-info-included', function* (conversation) {
    const all = ownRequests(conversation);
    const named = all.find(m => isObject(metaOf(m)[envelopeKeys.clientInfo]));
    // a request without any metadata breaks meta.request-required-fields
    const unnamed = all.find(m => missingIn(m) === undefined && !(envelopeKeys.clientInfo in metaOf(m)));
    const expected = `${envelopeKeys.clientInfo} in _meta`;
    if (!named && all[0]) yield fail(expected, [all[0]], 'none in any request');
    else if (unnamed) yield fail(expected, [unnamed], `none in ${unnamed.method}, unlike in other requests`);
    else if (named) yield pass([named]);
  }),
];
