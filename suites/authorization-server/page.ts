/** What a page of an authorization server shows to its user. */

import { formsOf, wordsOf } from '../../harness/oauth/forms.js';
import type { WebAnswer } from '../../harness/transports/http/side-request.js';

/** The visible content of a page: its text, and the values of its fields. */
export const shownOn = ({ text, url }: WebAnswer): string =>
  [
    wordsOf(text),
    ...formsOf(text, url).flatMap(form =>
      form.fields.filter(({ type }) => type !== 'hidden').map(({ value }) => value),
    ),
  ].join(' ');

/** Whether a script of the page may show more than its text does. */
export const hasScript = ({ text }: WebAnswer): boolean => /<script\b/i.test(text);
