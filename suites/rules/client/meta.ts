/** basic/index#meta: the metadata in each request of a client without a handshake. */

import { fail, pass } from '../../../harness/judge/finding.js';
import { rule } from '../../../harness/judge/rule.js';
import type { Conversation } from '../../../harness/record/conversation.js';
import { declaredIn, envelopeKeys, metaOf } from '../../../harness/record/envelope.js';
import type { Message } from '../../../harness/record/message.js';
import { isObject } from '../../../spec/json-rpc.js';
import type { RequirementId } from '../../../spec/requirement.js';
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
    return missing === undefined
      ? pass([m])
      : fail(`_meta with ${missing}`, [m], JSON.stringify(m.params?._meta ?? 'no _meta').slice(0, 200));
  });

export const rules = [
  required('meta.request-required-fields', ownRequests),
  required('prompts.request-meta-note', conversation =>
    ownRequests(conversation).filter(m => m.method?.startsWith('prompts/')),
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
          : fail('prefix/name, with an object', [m], JSON.stringify({ [name]: settings }).slice(0, 200));
      }
    }
  }),

  rule('meta.client-info-included', function* (conversation) {
    const all = ownRequests(conversation);
    const named = all.find(m => isObject(metaOf(m)[envelopeKeys.clientInfo]));
    if (named) yield pass([named]);
    else if (all[0]) yield fail(`${envelopeKeys.clientInfo} in _meta`, [all[0]], 'none in any request');
  }),
];
