/** Any JSON value: usually small, and rarely nested as deep as a careful sender still would. */

import fc from 'fast-check';
import type { Json } from '../../spec/json-rpc.js';
import { numbers } from './numbers.js';
import { type Occasions, occasionally } from './rarely.js';
import { type TextLimits, texts } from './text.js';

export interface AnyLimits extends TextLimits {
  /** Largest nesting depth of JSON without a schema. */
  readonly nesting: number;
}

const unbounded = {
  minimum: -Infinity,
  maximum: Infinity,
  aboveMinimum: false,
  belowMaximum: false,
  multiples: [],
};

const unlimited = (whole: boolean): fc.Arbitrary<number> => numbers({ ...unbounded, whole })!;

export function anyJson(limits: AnyLimits, occasions: Occasions): fc.Arbitrary<Json> {
  const text = texts(0, Infinity, limits, occasions);
  const scalar: fc.Arbitrary<Json> = fc.oneof(
    { withCrossShrink: true },
    fc.constant<Json>(null),
    fc.boolean(),
    unlimited(true),
    unlimited(false),
    { weight: 2, arbitrary: text },
  );
  const inside: fc.Arbitrary<Json> = nested(scalar, text);
  const outside = fc.oneof(
    { withCrossShrink: true },
    { weight: 3, arbitrary: scalar },
    { weight: 1, arbitrary: fc.array(inside, { maxLength: 3 }) },
    { weight: 1, arbitrary: members(text, inside) },
  );
  const deep = fc
    .tuple(scalar, fc.array(fc.boolean(), { minLength: 1, maxLength: limits.nesting, size: 'max' }))
    .map(([core, shells]) => shells.reduce<Json>((json, list) => (list ? [json] : { deeper: json }), core));
  return occasionally<Json>(occasions, outside, deep, 60);
}

const nested = (scalar: fc.Arbitrary<Json>, text: fc.Arbitrary<string>): fc.Arbitrary<Json> =>
  fc.oneof(
    { withCrossShrink: true },
    { weight: 4, arbitrary: scalar },
    { weight: 1, arbitrary: fc.array(scalar, { maxLength: 3 }) },
    { weight: 1, arbitrary: members(text, scalar) },
  );

/** Names like `__proto__` become members, not prototypes. */
const members = (names: fc.Arbitrary<string>, values: fc.Arbitrary<Json>): fc.Arbitrary<Json> =>
  fc
    .uniqueArray(fc.tuple(names, values), { maxLength: 3, selector: ([name]) => name })
    .map(pairs => Object.fromEntries(pairs));
