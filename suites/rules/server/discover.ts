/** server/discover: the versions and the capabilities of a server. */

import { fail, pass } from '../../../harness/judge/finding.js';
import { rule } from '../../../harness/judge/rule.js';
import { isObject } from '../../../spec/json-rpc.js';
import { shown } from '../derived/results.js';
import { complete, isExtensionId } from '../derived/stateless.js';

export const rules = [
  rule.each(
    'discover.result-shape',
    conversation => complete(conversation, ['server/discover']),
    ({ request, reply, result: { supportedVersions, capabilities } }) => {
      const isList =
        Array.isArray(supportedVersions) && supportedVersions.every(item => typeof item === 'string');
      if (!isList) return fail('a list of versions', [request, reply], shown(supportedVersions));
      return isObject(capabilities)
        ? pass([request, reply])
        : fail('an object with capabilities', [request, reply], shown(capabilities));
    },
  ),

  rule('versioning.extension-identifiers', function* (conversation) {
    for (const { request, reply, result } of complete(conversation, ['server/discover'])) {
      const extensions = isObject(result.capabilities) ? result.capabilities.extensions : undefined;
      const declared = Object.entries(isObject(extensions) ? extensions : {});
      if (declared.length === 0) continue;
      // one finding for a result: a server may declare thousands
      const wrong = declared.filter(([name, settings]) => !isExtensionId(name) || !isObject(settings));
      yield wrong.length === 0
        ? pass([request, reply])
        : fail('prefix/name, with an object', [request, reply], shown(Object.fromEntries(wrong.slice(0, 5))));
    }
  }),
];
