/**
 * Generated values: sent one after the other in an open conversation, with a record of which value was in use
 * at which event.
 */

import fc from 'fast-check';
import { CannotGenerate } from '../generate/cannot-generate.js';
import { hash } from '../generate/hash.js';
import type { Finding } from '../judge/finding.js';
import type { Peer } from '../peer/peer.js';
import { type Generation, isSteady } from './generation.js';

export interface PropertyOptions<T> {
  /** Description of a special value. */
  readonly label?: (value: T) => string;
  /** Maximum number of values, for values that take long and contain many requests. */
  readonly most?: number;
  /** A value fails by a message that does not come, which takes a wait: a warning ends the property too. Default false. */
  readonly waits?: boolean;
}

/**
 * One value of the sequence; the last one is the failing value, if an expectation of a MUST failed or the subject
 * ended.
 */
export interface Span {
  readonly path: string;
  readonly value: unknown;
  /** Last event before this value; events caused by the value have higher numbers. */
  readonly from: number;
}

/** Record of a property: sufficient to find the value behind a failure, and to run other values. */
export interface Trials {
  readonly arbitrary: fc.Arbitrary<unknown>;
  readonly label: ((value: unknown) => string) | undefined;
  readonly most?: number | undefined;
  /** Seed for fast-check, different for each scenario. */
  readonly seed: number;
  readonly spans: Span[];
  /** True if a limit of time or memory ended the sequence early. */
  cutShort?: boolean;
}

export const seedFor = (scenario: string, seed: number): number => hash(scenario, seed) | 0;

/**
 * Time limit for one property in milliseconds, whatever the speed of the subject; at least a tenth of the
 * timeout of a response. Where each run has to send the same values, the limit is higher, so that the result
 * does not depend on the load of the machine.
 */
const longestMs = { usual: 1_000, steady: 10_000 };

/** The value at a path; undefined when the path leads to no value. */
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

/** The value of one run, with its shrink context. @param path of a value that has not been shrunk */
export function candidateAt({ arbitrary, seed }: Trials, path: string): fc.Value<unknown> {
  const overheard = new Overheard(arbitrary);
  fc.sample(overheard, { seed, path, numRuns: 1 });
  return overheard.last!;
}

/** An arbitrary that records its last value together with the shrink context. */
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
 * Runs values until one shows a violation, all have run, or a limit of time or memory is reached.
 * @param act runs a value in the conversation of `peer`; returns whether the value showed a violation
 * @returns the error of the requested path, if any
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
    peer.pending.generating = true;
    const failed = await act(value).finally(() => {
      peer.pending.generating = false;
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
    if (performance.now() > until || (count > 0 && generation.isMemoryScarce?.())) {
      trials.cutShort = true;
      return true;
    }
    try {
      return !(await attempt(value, `${count++}`));
    } catch (error) {
      thrown = { error };
      return false;
    }
  });
  try {
    await fc.check(property, { seed, numRuns: Math.min(runs, trials.most ?? runs), endOnFailure: true });
  } catch (error) {
    // a schema of the subject for which no more values are found within the limits
    if (!(error instanceof CannotGenerate)) throw error;
    trials.cutShort = true;
  }
  if (thrown) throw thrown.error;
}

/** The value in use at the first event of the evidence; undefined for evidence that no value caused. */
export function spanOf<T extends Trials>(trials: readonly T[], { evidence }: Finding): [T, Span] | undefined {
  const spans = trials
    .flatMap(t => t.spans.map((span): [T, Span] => [t, span]))
    .sort(([, a], [, b]) => a.from - b.from);
  const first = Math.min(...evidence.filter(seq => seq > (spans[0]?.[1].from ?? Number.POSITIVE_INFINITY)));
  return spans.findLast(([, span]) => span.from < first && Number.isFinite(first));
}
