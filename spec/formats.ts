/**
 * The three string formats in the schemas of MCP. They replace those of ajv-formats, which accept a text as
 * base64 if any line of it is base64, refuse `{a.b}` in URI templates, and process long `data:` URIs by
 * recursion.
 */

import { isIPv6 } from 'node:net';

/** RFC 4648 §4: the standard alphabet, padded, without line breaks. */
const isBase64 = (text: string): boolean => text.length % 4 === 0 && /^[A-Za-z0-9+/]*={0,2}$/.test(text);

/** RFC 3986: absolute, with any scheme, without characters that need an escape. */
export function isUri(text: string): boolean {
  const [, authority, rest] = /^[a-z][a-z0-9+.-]*:(?:\/\/([^/?#]*))?(.*)$/is.exec(text) ?? [];
  if (rest === undefined || /%(?![0-9a-f]{2})/i.test(text)) return false;
  if (!/^[\w\-.~:/?@!$&'()*+,;=%]*(?:#[\w\-.~:/?@!$&'()*+,;=%]*)?$/.test(rest)) return false;
  return authority === undefined || isAuthority(authority);
}

function isAuthority(text: string): boolean {
  const match = /^(?:[\w\-.~!$&'()*+,;=%:]*@)?(?:\[([^\]]*)\]|[\w\-.~!$&'()*+,;=%]*)(?::\d*)?$/.exec(text);
  if (!match) return false;
  const literal = match[1];
  return literal === undefined || isIPv6(literal) || /^v[0-9a-f]+\.[\w\-.~!$&'()*+,;=:]+$/i.test(literal);
}

/** RFC 6570, with erratum 6937: an apostrophe may stand for itself. */
const variable = /(?:\w|%[0-9a-f]{2})(?:\.?(?:\w|%[0-9a-f]{2}))*(?::[1-9]\d{0,3}|\*)?/.source;
const expression = new RegExp(`\\{[+#./;?&=,!@|]?${variable}(?:,${variable})*\\}`, 'gi');
function isUriTemplate(text: string): boolean {
  const literals = text.replace(expression, '');
  // biome-ignore lint/suspicious/noControlCharactersInRegex: the grammar excludes them by number
  return !/[\x00-\x20"<>\\^`{|}]|%(?![0-9a-f]{2})/i.test(literals);
}

export const formats = { byte: isBase64, uri: isUri, 'uri-template': isUriTemplate };
