/** Numbers within bounds, including the bounds and the limits of the usual number types. */

import fc from 'fast-check';

export interface NumberDemands {
  readonly whole: boolean;
  readonly minimum: number;
  readonly maximum: number;
  readonly aboveMinimum: boolean;
  readonly belowMaximum: boolean;
  readonly multiples: readonly number[];
}

const edges: readonly number[] = [
  0, 1, -1, 2, 255, 256, -32768, 65536, 2147483647, 2147483648, -2147483648, -2147483649, 4294967296,
  9007199254740991, -9007199254740991,
];
const fractions: readonly number[] = [
  0.5, -0.5, 0.1, 1.5, -273.15, 1e-7, 1e21, -1e21, 1.7976931348623157e308, 5e-324, 9007199254740991,
];

/** Whether multiples of a unit can be calculated exactly enough. */
export const isUsualUnit = (unit: number): boolean => unit >= 1e-12 && unit <= 1e15;

/** Arbitrary numbers that meet the constraints; undefined when there are none. */
export function numbers(demands: NumberDemands): fc.Arbitrary<number> | undefined {
  const { minimum, maximum, multiples } = demands;
  const unit = multiples.length > 0 ? commonMultiple(multiples) : demands.whole ? 1 : undefined;
  if (unit !== undefined) return multiplesOf(demands, demands.whole ? commonMultiple([unit, 1]) : unit);
  const fits = (n: number) =>
    (demands.aboveMinimum ? n > minimum : n >= minimum) &&
    (demands.belowMaximum ? n < maximum : n <= maximum);
  if (minimum > maximum || (minimum === maximum && !fits(minimum))) return undefined;
  const notable = [...new Set([minimum, maximum, ...edges, ...fractions])].filter(
    n => Number.isFinite(n) && fits(n),
  );
  const anywhere = fc
    .double({
      min: Math.max(minimum, -Number.MAX_VALUE),
      max: Math.min(maximum, Number.MAX_VALUE),
      minExcluded: demands.aboveMinimum,
      maxExcluded: demands.belowMaximum,
      noNaN: true,
    })
    // no negative zero: JSON does not preserve it in a round trip
    .map(n => n + 0);
  return notable.length > 0 ? fc.oneof(fc.constantFrom(...notable.map(n => n + 0)), anywhere) : anywhere;
}

function multiplesOf(demands: NumberDemands, unit: number): fc.Arbitrary<number> | undefined {
  const { minimum, maximum } = demands;
  const limit = Math.floor(Number.MAX_SAFE_INTEGER / Math.max(1, unit));
  let least = Math.max(Math.ceil(minimum / unit), -limit);
  let most = Math.min(Math.floor(maximum / unit), limit);
  if (demands.aboveMinimum && least * unit <= minimum) least++;
  if (demands.belowMaximum && most * unit >= maximum) most--;
  if (least > most) return undefined;
  const digits = decimals(unit);
  const notable = [...new Set([least, most, ...edges])].filter(n => n >= least && n <= most);
  const factor = fc.oneof(fc.constantFrom(...notable), fc.integer({ min: least, max: most }));
  const scale = 10 ** digits;
  // 3 × 0.1 is not 0.3, but 3 / 10 is.
  return factor.map(n => (digits === 0 ? n * unit : (n * Math.round(unit * scale)) / scale) + 0);
}

const decimals = (n: number): number => {
  const [, fraction = '', exponent = '0'] = /^-?\d*(?:\.(\d+))?(?:e([+-]\d+))?$/.exec(String(n)) ?? [];
  return Math.max(0, fraction.length - Number(exponent));
};

function commonMultiple(units: readonly number[]): number {
  const scale = 10 ** Math.max(...units.map(decimals));
  const divisor = (a: number, b: number): number => (b === 0 ? a : divisor(b, a % b));
  const whole = units.map(n => Math.round(n * scale));
  return whole.reduce((a, b) => (a / divisor(a, b)) * b) / scale;
}
