/** Texts that meet the constraints of a schema. */

import type fc from 'fast-check';
import { lengthOf } from '../../spec/is-valid.js';
import { bounded } from './bounded.js';
import { CannotGenerate, impossible } from './cannot-generate.js';
import type { Demands } from './constraints.js';
import { formatTexts, numberFormats } from './formats.js';
import { attempts, regExp } from './patterns.js';
import type { Occasions } from './rarely.js';
import { isWellFormed, type TextLimits, texts } from './text.js';

interface StringContext {
  readonly limits: TextLimits;
  readonly occasions: Occasions;
  /** Place in the schema, for messages. */
  readonly path: string;
  /** Reports a part generated less freely than the schema allows. */
  note(keyword: string, what: string): void;
  /** Whether a text has a format; true for formats without a check. */
  hasFormat(format: string, text: string): boolean;
}

export function strings(demands: Demands, context: StringContext): fc.Arbitrary<string> {
  const { minLength, maxLength, patterns } = demands;
  if (minLength > maxLength)
    throw impossible(context.path, 'minLength', `${minLength} is larger than maxLength, ${maxLength}`);
  const formats = demands.formats.filter(format => !numberFormats.has(format));
  for (const format of formats.filter(f => !Object.hasOwn(formatTexts, f)))
    context.note('format', `"${format}" is unknown: any text is generated`);
  const known = formats.filter(format => Object.hasOwn(formatTexts, format));
  if (known.length === 0 && patterns.length === 0)
    return texts(minLength, maxLength, context.limits, context.occasions);
  const expressions = patterns.map(regExp);
  const accepts = (text: string): boolean => {
    const length = lengthOf(text);
    return (
      length >= minLength &&
      length <= maxLength &&
      isWellFormed(text) &&
      expressions.every(expression => expression.test(text)) &&
      known.every(format => context.hasFormat(format, text))
    );
  };
  const keyword = patterns.length > 0 ? 'pattern' : 'format';
  const failure = () =>
    new CannotGenerate(
      context.path,
      keyword,
      `no text was found for ${JSON.stringify(keyword === 'pattern' ? patterns.join('" and "') : known.join(' and '))}`,
    );
  const sources = [
    ...known.map(format => formatTexts[format]!),
    ...patterns.flatMap(pattern => attempts(pattern, demands)),
    ...(patterns.length > 0 ? [texts(minLength, maxLength, context.limits, context.occasions)] : []),
  ];
  for (const source of sources) {
    try {
      return bounded(source, accepts, failure);
    } catch {
      // try the next one
    }
  }
  throw failure();
}
