/** Values that are invalid by one step: a valid value, one change, and a label that describes the change. */

import fc from 'fast-check';
import type { Json } from '../../spec/json-rpc.js';
import type { Revision, RevisionId } from '../../spec/revisions.js';
import { bounded } from './bounded.js';
import { smallLimits } from './builder.js';
import { CannotGenerate } from './cannot-generate.js';
import { hash, mix } from './hash.js';
import type { Schema } from './keywords.js';
import { from, type MessageOptions, targetOf } from './message.js';
import { type Label, pathOf, type Site, sites, stepsAt } from './mutation-points.js';
import { arbitraryOf, documentOf, type Generated, type SchemaOptions } from './schema.js';

export interface Invalid {
  readonly value: Json;
  readonly label: Label;
}

export interface InvalidOptions extends MessageOptions {
  /** Only changes at or below this place in the value: `/params`. */
  readonly below?: string;
  /** Valid values to start from; default: any. */
  readonly of?: fc.Arbitrary<Json>;
}

/**
 * Values of a definition, or messages of a method, that the validator of the revision refuses for a single
 * reason. They shrink to the smallest value with the same reason.
 * @throws Error for a name that the revision does not have; CannotGenerate when every value is valid
 */
export function invalidMessage(
  revision: Revision | RevisionId,
  name: string,
  options: InvalidOptions = {},
): fc.Arbitrary<Invalid> {
  const { below, of, ...rest } = options;
  const target = targetOf(revision, name);
  const { document, parts, definitions, vocabulary } = target;
  return invalid({
    valid: of ?? from(target, rest, smallLimits),
    sites: (value, found) => {
      for (const [index, part] of parts.entries()) sites(document, part, value, definitions[index]!, found);
    },
    refused: value => definitions.some(definition => !vocabulary.fits(definition, value)),
    own: definitions,
    below,
    name: `#/definitions/${definitions.at(-1)}`,
  });
}

/**
 * Values that an advertised schema refuses for a single reason; the `definition` of a label is the name under
 * `$defs`, or `#`.
 * @param mutation only changes of this kind, named as in a label: `required member dropped`
 * @throws CannotGenerate as `arbitraryOf`, and when every value is valid
 */
export function invalidOf(
  schema: Schema,
  { mutation, ...options }: SchemaOptions & { readonly mutation?: string } = {},
): Generated<Invalid> {
  const { arbitrary, unsupported } = arbitraryOf(schema, {
    ...options,
    limits: { ...smallLimits, ...options.limits },
  });
  const document = documentOf(schema, options.dialect);
  return {
    arbitrary: invalid({
      valid: arbitrary,
      sites: (value, found) => sites(document, schema, value, '#', found),
      own: ['#'],
      refused: value => !document.accepts(schema, value),
      below: undefined,
      mutation,
      name: '#',
    }),
    unsupported,
  };
}

interface Plan {
  readonly valid: fc.Arbitrary<Json>;
  sites(value: Json, found: (site: Site) => void): void;
  refused(value: Json): boolean;
  /** The definition whose rules are broken in every second value, regardless of the other content. */
  readonly own: readonly string[];
  readonly below: string | undefined;
  readonly mutation?: string | undefined;
  readonly name: string;
}

function invalid(plan: Plan): fc.Arbitrary<Invalid> {
  const choice = fc.noShrink(fc.integer({ min: 0, max: 0x7fffffff }));
  const spoilt = fc.tuple(plan.valid, choice).map(([value, seed]): Invalid | undefined => {
    for (const site of inOrder(value, seed, plan))
      for (const { mutation, becomes } of bySeed(stepsAt(site), change => hash(change.mutation, seed))) {
        if (mutation !== (plan.mutation ?? mutation)) continue;
        const changed = becomes();
        if (plan.refused(changed))
          return { value: changed, label: { definition: site.at.definition, path: pathOf(site), mutation } };
      }
    return undefined;
  });
  const where = plan.below === undefined ? '' : ` below ${plan.below}`;
  const failure = () =>
    new CannotGenerate(plan.name, 'schema', `no single change makes a value invalid${where}`);
  return bounded(spoilt, candidate => candidate !== undefined, failure) as fc.Arbitrary<Invalid>;
}

/**
 * The sites in an order that depends on the seed and on the rule of each site, not on the other sites: while
 * the value shrinks, the same rule is broken as long as it has a site. Each rule is equally likely.
 */
function inOrder(value: Json, seed: number, { sites: visit, own, below = '' }: Plan): Site[] {
  const found = new Map<number, Site>();
  visit(value, site => {
    if (below !== '' && !isBelow(pathOf(site), below)) return;
    if (!found.has(site.rule)) found.set(site.rule, site);
  });
  const ordered = bySeed([...found.values()], site => mix(site.rule ^ mix(seed)));
  if (seed % 2 === 0) return ordered;
  const isOwn = ({ at }: Site) => own.includes(at.definition);
  return [...ordered.filter(isOwn), ...ordered.filter(site => !isOwn(site))];
}

const isBelow = (path: string, place: string): boolean => path === place || path.startsWith(`${place}/`);

const bySeed = <T>(list: readonly T[], orderOf: (item: T) => number): T[] =>
  list
    .map(item => ({ item, order: orderOf(item) }))
    .sort((a, b) => a.order - b.order)
    .map(({ item }) => item);
