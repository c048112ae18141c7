/** Names for members without a description. */

import fc from 'fast-check';
import { anyCharacter } from './text.js';

/** Members that would change the kind of a message. */
const taken: ReadonlySet<string> = new Set(['id', 'method', 'params', 'result', 'error', 'jsonrpc', '_meta']);

/** Any text; names that collide with prototypes or indexes are included. */
export const openNames: fc.Arbitrary<string> = fc.oneof(
  { withCrossShrink: true },
  { weight: 2, arbitrary: fc.constant('x') },
  {
    weight: 4,
    arbitrary: fc.constantFrom(
      'x-1',
      'vendor/y',
      '__proto__',
      'constructor',
      'toString',
      '',
      '0',
      ' ',
      '$x',
      '\u{1f600}',
    ),
  },
  { weight: 2, arbitrary: fc.string({ maxLength: 8 }).filter(name => !taken.has(name)) },
  { weight: 1, arbitrary: fc.string({ unit: anyCharacter, maxLength: 8 }) },
);

/** Keys of `_meta`: a prefix of labels with a slash, and a name (basic/index#_meta). No reserved prefix. */
export const metaKeys: fc.Arbitrary<string> = fc.oneof(
  { withCrossShrink: true },
  fc.constant('x'),
  fc.constantFrom(
    'com.example/x',
    'vendor-1.example/',
    'a.b/c_d-e.f',
    'A0',
    'io.vendor/traceparent',
    'x_y-z.0',
  ),
  fc
    .tuple(
      fc.stringMatching(/^(?:com\.example-[a-z0-9]{1,5}\/)?$/),
      fc.stringMatching(/^[A-Za-z0-9](?:[\w.-]{0,8}[A-Za-z0-9])?$/),
    )
    .map(([prefix, name]) => prefix + name),
);
