/** Texts of the formats that JSON Schema names; the result is checked where the format is used. */

import fc from 'fast-check';
import { pointerStep } from '../../spec/json-pointer.js';
import { anyCharacter } from './text.js';

const two = (min: number, max: number) => fc.integer({ min, max }).map(n => String(n).padStart(2, '0'));

const date = fc.oneof(
  fc.constantFrom('2000-02-29', '1970-01-01', '0001-01-01', '9999-12-31', '2024-02-29'),
  fc
    .tuple(fc.integer({ min: 1, max: 9999 }), two(1, 12), two(1, 28))
    .map(([year, month, day]) => `${String(year).padStart(4, '0')}-${month}-${day}`),
);
const zone = fc.oneof(
  fc.constantFrom('Z', '+00:00', '-00:00', '+14:00', '-12:00'),
  fc.tuple(fc.constantFrom('+', '-'), two(0, 13), two(0, 59)).map(([sign, h, m]) => `${sign}${h}:${m}`),
);
const time = fc
  .tuple(two(0, 23), two(0, 59), two(0, 59), fc.constantFrom('', '.0', '.123', '.123456789'), zone)
  .map(([h, m, s, fraction, offset]) => `${h}:${m}:${s}${fraction}${offset}`);

/**
 * Written by hand, as addresses are: parsing an expression, or creating the fast-check arbitrary, takes
 * longer than loading this module.
 */
const wordOf = (characters: string, minLength: number, maxLength: number) =>
  fc.string({ unit: fc.constantFrom(...characters), minLength, maxLength });
const alphanumeric = 'abcdefghijklmnopqrstuvwxyz0123456789';
const label = fc.oneof(
  wordOf(alphanumeric, 1, 1),
  fc
    .tuple(wordOf(alphanumeric, 1, 1), wordOf(`${alphanumeric}-`, 0, 10), wordOf(alphanumeric, 1, 1))
    .map(parts => parts.join('')),
);
const hostname = fc.array(label, { minLength: 1, maxLength: 4 }).map(labels => labels.join('.'));

/** `encodeURIComponent` as in RFC 3986. */
const escaped = (text: string): string =>
  encodeURIComponent(text).replace(/[!'()*]/g, c => `%${c.charCodeAt(0).toString(16).toUpperCase()}`);

/** Replaces the fast-check arbitrary, which first creates a table of all Unicode characters. */
const url = fc
  .tuple(
    fc.constantFrom('https', 'http'),
    hostname,
    fc.constantFrom('', ':8080', ':1'),
    fc.array(fc.string({ unit: anyCharacter, maxLength: 5 }), { maxLength: 3 }),
    fc.constantFrom('', '?', '?q=1&r', '?a=/?'),
    fc.constantFrom('', '#', '#f/?'),
  )
  .map(([scheme, host, port, path, query, fragment]) =>
    [scheme, '://', host, port, ...path.map(part => `/${escaped(part)}`), query, fragment].join(''),
  );

const uri = fc.oneof(
  { withCrossShrink: true },
  fc.constant('a:b'),
  fc.constantFrom(
    'file:///a',
    'test://static-text',
    'urn:isbn:1',
    'https://[::1]:80/a?b#c',
    'data:,%20',
    'memo://x/%C3%A9?q=1&r=/?#f',
    'http://[2001:db8::1]/',
    'https://u:p@h:1/;a=b,c',
    'x-y.z+1:opaque',
    'tag:example.com,2000:x',
    "custom://a/~!$&'()*+,;=:@",
  ),
  url,
  fc
    .tuple(fc.constantFrom('test', 'file', 'x-scheme'), fc.string({ unit: anyCharacter, maxLength: 12 }))
    .map(([scheme, path]) => `${scheme}:///${escaped(path)}`),
);

const template = fc.oneof(
  { withCrossShrink: true },
  fc.constant('a:b'),
  fc.constantFrom(
    'test://template/{id}/data',
    'db://{+path}{?q*}',
    'file:///plain',
    'x://{a,b}{/c}{;d}{&e}{#f}{.g:3}',
    'https://h/{%41}{a_b}',
    '{scheme}:{+rest}',
  ),
  // RFC 6570 forbade the apostrophe by mistake, and many implementations still do.
  uri.filter(text => !text.includes("'")),
);

const base64 = fc
  .uint8Array({ maxLength: 24, size: 'max' })
  .map(bytes => Buffer.from(bytes).toString('base64'));

const pointer = fc
  .array(fc.string({ maxLength: 6 }), { maxLength: 4 })
  .map(steps => steps.map(pointerStep).join(''));
const duration = fc.constantFrom('P1D', 'PT0S', 'P1Y2M3DT4H5M6S', 'P3W', 'PT36H', 'P1M', 'PT1M');
const email = fc.oneof(
  fc.constantFrom('a@b.c', 'ada@example.com', 'x+y.z@sub.example.org', "o'hara@example.com"),
  fc
    .tuple(fc.array(wordOf("abcxyzABC0189_+-'&", 1, 8), { minLength: 1, maxLength: 3 }), hostname)
    .map(([words, host]) => `${words.join('.')}@${host}`),
);
const base = fc.constantFrom('text', '', 'x y');

export const formatTexts: Readonly<Record<string, fc.Arbitrary<string>>> = {
  date,
  time,
  'date-time': fc.tuple(date, time).map(([d, t]) => `${d}T${t}`),
  duration,
  email,
  'idn-email': email,
  hostname,
  'idn-hostname': hostname,
  ipv4: fc.ipV4(),
  ipv6: fc.ipV6(),
  uri,
  'uri-reference': fc.oneof(uri, fc.constantFrom('', '/a/b', '../c', '?q', '#f', '//host/x')),
  iri: uri,
  'iri-reference': uri,
  url,
  'uri-template': template,
  uuid: fc.uuid(),
  'json-pointer': pointer,
  'json-pointer-uri-fragment': pointer.map(text => `#${text.split('/').map(escaped).join('/')}`),
  'relative-json-pointer': fc.tuple(fc.nat(9), pointer).map(([up, text]) => `${up}${text}`),
  regex: fc.constantFrom('', 'a', '^[a-z]+$', '\\d{2,}', '(?:x|y)*', '\\p{L}'),
  byte: base64,
  binary: base,
  password: base,
  'iso-time': time,
  'iso-date-time': fc.tuple(date, time).map(([d, t]) => `${d}T${t}`),
};

/** Formats for numbers, without an effect on texts. */
export const numberFormats: ReadonlySet<string> = new Set(['int32', 'int64', 'float', 'double']);
