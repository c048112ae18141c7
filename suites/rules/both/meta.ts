/** `_meta` keys, icons and annotations, in any place of a message. */

import { fail, pass } from '../../../harness/judge/finding.js';
import { rule } from '../../../harness/judge/rule.js';
import { isObject, type Json } from '../../../spec/json-rpc.js';
import { clauseIn, type RequirementId, requirement } from '../../../spec/requirement.js';
import { type Key, keysOf } from '../derived/meta-keys.js';
import { annotationsOf, iconsOf } from '../derived/parts.js';
import { shown } from '../derived/results.js';

/** Judges each key that `concerns` selects: one finding per message. */
function everyKey(
  row: RequirementId,
  concerns: (key: Key) => boolean,
  fits: (key: Key) => boolean,
  expected: string,
) {
  return rule(row, function* (conversation) {
    for (const { m, keys } of keysOf(conversation)) {
      const found = keys.filter(concerns);
      const wrong = found.find(key => !fits(key));
      if (wrong) yield fail(expected, [m], JSON.stringify(wrong.key));
      else if (found.length > 0) yield pass([m]);
    }
  });
}

/** Names under `io.modelcontextprotocol/` that MCP or an official extension of MCP has assigned. */
const givenOut: ReadonlySet<string> = new Set([
  'related-task',
  'model-immediate-response',
  'ui',
  'tasks',
  'protocolVersion',
  'clientInfo',
  'clientCapabilities',
  'serverInfo',
  'logLevel',
  'subscriptionId',
  'oauth-client-credentials',
  'enterprise-managed-authorization',
]);

const isOurs = (label: string | undefined): boolean => label === 'mcp' || label === 'modelcontextprotocol';

const topLevel: ReadonlySet<string> = new Set(['com', 'org', 'net', 'edu', 'gov']);

export const rules = [
  everyKey(
    'meta.key-prefix-syntax',
    key => key.labels !== undefined,
    key => key.hasPrefix,
    'labels separated by dots, then one slash',
  ),
  everyKey(
    'meta.key-label-syntax',
    key => key.hasPrefix,
    key => key.hasProperLabels,
    'labels that start with a letter and end with a letter or digit',
  ),
  everyKey(
    'meta.key-name-syntax',
    key => key.labels === undefined || key.hasPrefix,
    key => key.hasProperName,
    'a name that starts and ends with a letter or digit',
  ),
  // Many labels are both a top-level domain and a name: only the unambiguous mistake is reported.
  everyKey(
    'meta.key-reverse-dns',
    key => key.hasPrefix,
    ({ labels }) => labels!.length < 2 || !topLevel.has(labels!.at(-1)!) || topLevel.has(labels![0]!),
    'the top-level domain first',
  ),

  rule('meta.reserved-prefix-unused', function* (conversation) {
    // the revision that requires reverse DNS order also moved the reserved label to the second position
    const second = clauseIn(requirement('meta.key-reverse-dns'), conversation.revision.id) !== undefined;
    const reserved = ({ labels }: Key) =>
      second ? isOurs(labels![1]) : labels!.slice(0, -1).some(label => isOurs(label));
    for (const { m, keys } of keysOf(conversation)) {
      const found = keys.filter(key => key.labels);
      const known = (key: Key) =>
        key.labels!.join('.') === 'io.modelcontextprotocol' && givenOut.has(key.name);
      const wrong = found.find(key => reserved(key) && !known(key));
      if (wrong) yield fail('a prefix that is not reserved', [m], JSON.stringify(wrong.key));
      else if (found.length > 0) yield pass([m]);
    }
  }),

  rule('icons.src-uri', function* (conversation) {
    for (const { m, values } of iconsOf(conversation)) {
      const wrong = values.find(value => !Array.isArray(value) || !value.every(isIcon));
      yield wrong === undefined
        ? pass([m])
        : fail(
            'icons with the URL of an image as src, and a valid theme, mimeType and sizes',
            [m],
            shown(wrong),
          );
    }
  }),

  rule('icons.size-format', function* (conversation) {
    for (const { m, values } of iconsOf(conversation)) {
      const sizes = values
        .flatMap(value => (Array.isArray(value) ? value : []))
        .flatMap(icon => (isObject(icon) && Array.isArray(icon.sizes) ? icon.sizes : []))
        .filter(size => typeof size === 'string');
      const wrong = sizes.find(size => size !== 'any' && !/^\d+x\d+$/.test(size));
      if (wrong !== undefined) yield fail(['48x48', 'any'], [m], wrong);
      else if (sizes.length > 0) yield pass([m]);
    }
  }),

  rule('resources.last-modified-format', function* (conversation) {
    for (const { m, values } of annotationsOf(conversation)) {
      const stated = values.map(v => v.lastModified).filter(v => v !== undefined);
      const wrong = stated.find(v => typeof v !== 'string' || !isIso8601(v));
      if (wrong !== undefined) yield fail('an ISO 8601 timestamp', [m], JSON.stringify(wrong));
      else if (stated.length > 0) yield pass([m]);
    }
  }),
];

/** Whether a src is an HTTP URL or a data URI. Data in Base64 may have escaped characters; other data is legal too. */
function isIconSource(src: string): boolean {
  if (/^https?:\/\/\S+$/i.test(src)) return true;
  const [, type, data] = /^data:([^,\s]*),(\S*)$/i.exec(src) ?? [];
  if (type === undefined || data === undefined) return false;
  if (/%(?![\da-f]{2})/i.test(data)) return false;
  if (!/;base64$/i.test(type)) return true;
  const text = data.replace(/%[\da-f]{2}/gi, code => String.fromCharCode(Number.parseInt(code.slice(1), 16)));
  return /^[A-Za-z0-9+/]*={0,2}$/.test(text);
}

function isIcon(icon: Json): boolean {
  if (!isObject(icon) || typeof icon.src !== 'string') return false;
  const { src, mimeType, sizes, theme } = icon;
  const isText = (value: Json) => typeof value === 'string';
  return (
    isIconSource(src as string) &&
    (mimeType === undefined || isText(mimeType)) &&
    (theme === undefined || theme === 'light' || theme === 'dark') &&
    (sizes === undefined || (Array.isArray(sizes) && sizes.every(isText)))
  );
}

/** Calendar, week and ordinal dates, basic or extended, with or without a time. */
const isIso8601 = (text: string): boolean =>
  /^[+-]?\d{4}(-?\d{2}(-?\d{2})?|-?W\d{2}(-?\d)?|-?\d{3})?(T\d{2}(:?\d{2}(:?\d{2})?)?([.,]\d+)?(Z|[+-]\d{2}(:?\d{2})?)?)?$/.test(
    text,
  );
