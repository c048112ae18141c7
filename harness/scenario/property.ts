/** Generated stimulus: values tried one after the other in a running conversation, and which of them was under way when. */

import fc from 'fast-check';
import { hash } from '../generate/hash.js';
import type { Finding } from '../judge/finding.js';
import type { Peer } from '../peer/peer.js';
import { type Generation, isSteady } from './generation.js';

export interface PropertyOptions<T> {
  /** What is special about a value, in words. */
  readonly label?: (value: T) => string;
  /** So many values are enough, for one takes long and has many in it. */
  readonly most?: number;
}

/** One value after the other; the last one is the one that failed, if an expectation or the subject's end said so. */
export interface Span {
  readonly path: string;
  readonly value: unknown;
  /** Everything observed while it was tried has a higher number. */
  readonly from: number;
}

/** What a property did: enough to find the value behind a failure, and to try others. */
export interface Trials {
  readonly arbitrary: fc.Arbitrary<unknown>;
  readonly label: ((value: unknown) => string) | undefined;
  readonly most?: number | undefined;
  /** fast-check's own, different for each scenario. */
  readonly seed: number;
  readonly spans: Span[];
  /** There was no time for all values. */
  cutShort?: boolean;
}

export const seedFor = (scenario: string, seed: number): number => hash(scenario, seed) | 0;

/**
 * No longer than this on one property, however slow the subject is; a tenth of the longest wait for one answer at least.
 * Where each run is to try the same there is more room, so that it does not depend on how busy the machine is.
 */
const longestMs = { usual: 1_000, steady: 10_000 };

/** The value at a place; undefined when the path leads nowhere. */
function valueAt({ arbitrary, seed }: Trials, path: string): { value: unknown } | undefined {
  try {
    return fc.sample(
      arbitrary.map(value => ({ value })),
      { seed, path, numRuns: 1 },
    )[0];
  } catch {
    return undefined;
  }
}

/** The value of one run, with what says how it gets smaller. @param path of a value that was not made smaller yet */
export function candidateAt({ arbitrary, seed }: Trials, path: string): fc.Value<unknown> {
  const overheard = new Overheard(arbitrary);
  fc.sample(overheard, { seed, path, numRuns: 1 });
  return overheard.last!;
}

/** An arbitrary whose last value can be had whole. */
class Overheard extends fc.Arbitrary<unknown> {
  last: fc.Value<unknown> | undefined;

  constructor(readonly inner: fc.Arbitrary<unknown>) {
    super();
  }

  override generate(random: fc.Random, bias: number | undefined): fc.Value<unknown> {
    this.last = this.inner.generate(random, bias);
    return this.last;
  }

  override canShrinkWithoutContext(value: unknown): value is unknown {
    return this.inner.canShrinkWithoutContext(value);
  }

  override shrink(value: unknown, context: unknown): fc.Stream<fc.Value<unknown>> {
    return this.inner.shrink(value, context);
  }
}

/**
 * Tries values until one fails, all have been tried, or the time is up.
 * @param act tries a value in the conversation of `peer`; tells whether it failed
 * @returns what is wrong with the path that was asked for
 */
export async function explore(
  trials: Trials,
  generation: Generation,
  peer: Peer,
  act: (value: unknown) => Promise<boolean>,
): Promise<string | undefined> {
  const { arbitrary, seed, spans } = trials;
  const { runs, path } = generation;
  const { events } = peer.conversation;
  const attempt = async (value: unknown, path: string): Promise<boolean> => {
    const before = events.length;
    spans.push({ path, value, from: events.at(-1)?.seq ?? 0 });
    peer.generating = true;
    const failed = await act(value).finally(() => {
      peer.generating = false;
    });
    return (
      failed || peer.ended || events.slice(before).some(e => e.kind === 'deadline' && e.label === 'answer')
    );
  };
  if (path !== undefined) {
    const found = valueAt(trials, path);
    if (!found) return `--path ${path} leads to no value of this property`;
    await attempt(found.value, path);
    return;
  }
  const longest = longestMs[isSteady(generation) ? 'steady' : 'usual'];
  const until = performance.now() + Math.max(longest, peer.timing.answer / 10) * (generation.atOnce ?? 1);
  let thrown: { error: unknown } | undefined;
  let count = 0;
  const property = fc.asyncProperty(arbitrary, async value => {
    if (performance.now() > until) {
      trials.cutShort = true;
      return true;
    }
    try {
      return !(await attempt(value, String(count++)));
    } catch (error) {
      thrown = { error };
      return false;
    }
  });
  await fc.check(property, { seed, numRuns: Math.min(runs, trials.most ?? runs), endOnFailure: true });
  if (thrown) throw thrown.error;
}

/** The value under way when the first of the evidence was observed; undefined for what no value brought about. */
export function spanOf<T extends Trials>(trials: readonly T[], { evidence }: Finding): [T, Span] | undefined {
  const spans = trials
    .flatMap(t => t.spans.map((span): [T, Span] => [t, span]))
    .sort(([, a], [, b]) => a.from - b.from);
  const first = Math.min(...evidence.filter(seq => seq > (spans[0]?.[1].from ?? Number.POSITIVE_INFINITY)));
  return spans.findLast(([, span]) => span.from < first && Number.isFinite(first));
}
