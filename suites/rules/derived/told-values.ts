/** Secrets and personal data that the harness has told a server. */

import { type Conversation, derived } from '../../../harness/record/conversation.js';
import { resultOf } from '../../../harness/record/message.js';
import { questionsOf } from '../../../harness/record/questions.js';
import { isFingerprint } from '../../../harness/record/redaction.js';
import { asText, isObject } from '../../../spec/json-rpc.js';
import { succeeded } from './http.js';
import { carried } from './oauth-client.js';

const secretName = /^(password|passphrase|api_?key|access_?token|client_?secret)$/i;

/** Shorter values may occur by chance. */
const shortest = 12;

/** The access tokens of the harness that the server accepted, as the record has them. */
const acceptedTokens = derived((conversation: Conversation): ReadonlySet<string> => {
  const tokens = conversation
    .http()
    .filter(succeeded)
    .flatMap(exchange => carried(exchange) ?? []);
  return new Set(tokens.filter(token => token.length >= shortest || isFingerprint(token)));
});

/**
 * Values from the harness that a server must not repeat to others: access tokens, arguments with the name of a secret,
 * addresses in a filled-in form.
 */
export function valuesTold(conversation: Conversation, what: 'secret' | 'person'): string[] {
  const asked = conversation.requests({ by: 'peer', method: 'tools/call' }).map(m => m.params?.arguments);
  const answered = questionsOf(conversation, 'elicitation/create').map(
    ({ request, reply }) => resultOf({ request, reply, deadline: undefined })?.content,
  );
  const fields = (what === 'secret' ? [...asked, ...answered] : answered).filter(isObject);
  const named = fields.flatMap(Object.entries).flatMap(([name, value]) => {
    const counts = what === 'secret' ? secretName.test(name) : /^\S+@\S+$/.test(asText(value));
    return counts && typeof value === 'string' && value.length >= shortest ? [value] : [];
  });
  return what === 'secret' ? [...named, ...acceptedTokens(conversation)] : named;
}

/** A value as it may stand in a text of a server: plain, percent-encoded, or in Base64. */
export const spellingsOf = (value: string): string[] => [
  value,
  encodeURIComponent(value),
  Buffer.from(value).toString('base64url'),
  Buffer.from(value).toString('base64').replace(/=+$/, ''),
];
