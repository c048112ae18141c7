/** Problems of a schema in words, for findings. */

import type { Message } from '../../../harness/record/message.js';
import { pointerKeys } from '../../../spec/json-pointer.js';
import type { Problem } from '../../../spec/vocabulary.js';
import { bodyOf } from './conversation.js';
import { shown } from './results.js';

/**
 * `result.content[0].text to be a string (CallToolResult)`.
 * @param root what the path of the problem begins at; the message itself when empty
 */
function expectedOf({ path, message }: Problem, root: string, definition = ''): string {
  const place = pointerKeys(path).reduce((sum, key) => {
    if (/^\d+$/.test(key)) return `${sum}[${key}]`;
    return /^[\w$-]+$/.test(key) ? `${sum}${sum && '.'}${key}` : `${sum}[${JSON.stringify(key)}]`;
  }, root);
  const wanted = message
    .split(/, or (?=must )/)
    .map(wantedOf)
    .join(', or ');
  const of = definition === '' || definition.includes(' | ') ? '' : ` (${definition})`;
  return `${place || 'the message'} ${wanted}${of}`;
}

/** One alternative of what a schema demands: `must be string` as `to be a string`. */
const wantedOf = (message: string): string =>
  message
    .replace(/^must have required property '(.+)'$/, 'to have the member "$1"')
    .replace(
      /^must be (\w+(?:,\w+)*)$/,
      (_, types: string) => `to be ${types.split(',').map(withArticle).join(' or ')}`,
    )
    .replace(/^must NOT /, 'not to ')
    .replace(/^must /, 'to ');

const withArticle = (type: string): string =>
  type === 'null' ? type : `${/^[aeiou]/.test(type) ? 'an' : 'a'} ${type}`;

/** What a message has at the place of a problem, and what its definition expects there. */
export function problemIn(m: Message, problem: Problem, definition: string | undefined) {
  const isResult = m.kind === 'result';
  let at: unknown = isResult ? bodyOf(m).result : m.json;
  for (const key of pointerKeys(problem.path)) at = (at as Record<string, unknown> | undefined)?.[key];
  return {
    expected: expectedOf(problem, isResult ? 'result' : '', definition),
    actual: shown(at as Parameters<typeof shown>[0]),
  };
}
