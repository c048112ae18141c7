/** Many runs side by side, and those that break a bound once more, alone. */

/** How often a run was started: `beside` others, or `alone`, after all others. */
type Pass = 'beside' | 'alone';

interface Passes<T, Outcome> {
  /** Runs of the first pass at the same time. */
  readonly jobs: number;
  readonly run: (item: T) => Promise<Outcome>;
  readonly isBroken: (outcome: Outcome) => boolean;
  /** Called with each outcome when it is known, so twice for an item that is repeated. */
  readonly onOutcome: (item: T, outcome: Outcome, pass: Pass) => void;
}

/**
 * Runs each item, several at the same time. An item that breaks a bound there is run once more at the end, one at a time:
 * the other runs take the CPUs, and only the repetition shows whether they were the cause.
 * @returns the outcome that counts for each item, in the order of the items
 */
export async function inTwoPasses<T, Outcome>(
  items: readonly T[],
  { jobs, run, isBroken, onOutcome }: Passes<T, Outcome>,
): Promise<Outcome[]> {
  const outcomes = new Map<number, Outcome>();
  const act = async (at: number, pass: Pass) => {
    const outcome = await run(items[at]!);
    outcomes.set(at, outcome);
    onOutcome(items[at]!, outcome, pass);
  };
  const queue = [...items.keys()];
  const lane = async () => {
    for (let at = queue.shift(); at !== undefined; at = queue.shift()) await act(at, 'beside');
  };
  await Promise.all(Array.from({ length: jobs }, lane));
  const repeated = [...items.keys()].filter(at => isBroken(outcomes.get(at)!));
  for (const at of repeated) await act(at, 'alone');
  return items.map((_, at) => outcomes.get(at)!);
}
