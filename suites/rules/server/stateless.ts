/** basic/index#statelessness: no request needs an earlier one. */

import { fail, type Judgement } from '../../../harness/judge/finding.js';
import { rule } from '../../../harness/judge/rule.js';
import { declaredIn, namedVersion } from '../../../harness/record/envelope.js';
import { shown } from '../derived/results.js';
import { refusals } from '../derived/stateless.js';

/** Words of an error that demands a handshake. */
const demandsHandshake =
  /\binitiali[sz]e\b.{0,20}\b(?:required|first|needed)\b|\bbefore initiali[sz](?:e|ing|ation)\b|\bserver (?:is )?not (?:yet )?initiali[sz]ed\b/i;

/** Methods that run code of the application: other things than a session may have to be initialized there. */
const runsCode: ReadonlySet<string> = new Set([
  'tools/call',
  'prompts/get',
  'resources/read',
  'completion/complete',
]);

const invalidRequest = -32600;

export const rules = [
  rule.each(
    'stateless.no-connection-context',
    refusals,
    ({ request, reply, code, error }, conversation): Judgement | undefined => {
      const isWhole = namedVersion(request) === conversation.revision.id && declaredIn(request) !== undefined;
      if (!isWhole || request.frame.deliberate || !demandsHandshake.test(String(error.message)))
        return undefined;
      if (runsCode.has(request.method ?? '') && code !== invalidRequest) return undefined;
      return fail('a response without a handshake', [request, reply], `error ${shown(error.message)}`);
    },
  ),
];
