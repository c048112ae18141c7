/** The content security policy of a page. */

import { createHash } from 'node:crypto';

/**
 * The policy allows no loading, and only the script and the style sheet of the page itself, identified by their
 * hashes.
 * @param parts the texts of the inline script, if there is one, and of the inline style sheet
 */
export const pagePolicy = ({ script, style }: { script?: string; style: string }): string =>
  [
    "default-src 'none'",
    ...(script === undefined ? [] : [`script-src '${hash(script)}'`]),
    `style-src '${hash(style)}'`,
    "base-uri 'none'",
    "form-action 'none'",
  ].join('; ');

const hash = (text: string): string => `sha256-${createHash('sha256').update(text).digest('base64')}`;
