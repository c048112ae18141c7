/** Deviations shown in groups, several in one trial: docs/decisions/0065-faults-in-groups.md. */

import type { RequirementId } from '../../spec/requirement.js';
import type { Revision } from '../../spec/revisions.js';
import { expectBroken } from './expect-broken.test.util.js';
import type { MatrixEntry } from './fault-matrix.js';
import type { Trial } from './run-mock.js';

/** `none`: each deviation has a trial of its own; `log`: a group that was shown in vain is printed. */
const wish = process.env.MCP_CONFORM_GROUPS;

/** Deviations in a group. */
const most = 10;

/** Deviations that take away what others act on: a group with one of them would be shown in vain. */
export const shownAlone: readonly string[] = [
  'as-credentials-refused',
  'as-default-paths-missing',
  'as-enterprise-refused',
  'as-metadata-missing',
  'as-no-client-documents',
  'as-no-registration',
  'as-redirect-prefix',
  'as-s256-refused',
  'batch-answered-twice',
  'batch-one-forgotten',
  'batch-where-there-is-none',
  'cancels-too-late',
  'capabilities-null',
  'client-answer-without-action',
  'client-answers-both-ways',
  'client-answers-in-an-array',
  'client-answers-left-out',
  'client-auth-opens-in-the-clear',
  'client-auth-token-unused',
  'client-brings-session',
  'client-dies-of-garbage',
  'client-drops-own-version',
  'client-fears-unknown-capabilities',
  'client-initialize-bare',
  'client-initializes-again',
  'client-lists-nothing',
  'client-mirrors-nothing',
  'client-never-initialized',
  'client-overlooks-envelope',
  'client-ping-unanswered',
  'client-probes-apart',
  'client-state-forgotten',
  'client-task-made-undeclared',
  'client-task-undeclared-refused',
  'client-version-in-numbers',
  'dies-of-bytes',
  'ended-session-served',
  'endpoint-as-json',
  'ext-apps-no-content',
  'ext-apps-without-resources',
  'extension-name-with-blank',
  'extension-prefix-begins-with-digit',
  'extension-settings-true',
  'extension-without-prefix',
  'first-request-refused',
  'garbage-kills',
  'get-200-text',
  'get-accepted',
  'get-not-found',
  'input-kind-unknown',
  'input-required-without-questions',
  'jsonrpc-number',
  'levels-undeclared',
  'listen-ignored',
  'lists-everything-first',
  'long-replies-lost',
  'no-endpoint-event',
  'no-tools-is-result',
  'noise-before-progress',
  'nothing-at-all',
  'out-of-order',
  'ping-answered-as-text',
  'prompts-undeclared',
  'questions-in-a-list',
  'resources-embedded-without-capability',
  'resources-undeclared',
  'rs-bare-scheme',
  'rs-dpop-no-error',
  'rs-error-for-strangers',
  'rs-forbids-strangers',
  'rs-forbids-wrong-tokens',
  'rs-ignores-signatures',
  'rs-issuer-is-a-document',
  'rs-no-challenge',
  'rs-no-reason',
  'rs-refuses-good-tokens',
  'rs-scheme-of-its-own',
  'rs-takes-anything',
  'rs-takes-expired',
  'session-id-counted',
  'stream-ends-unanswered',
  'streams-buffered-explicitly',
  'task-made-undeclared',
  'task-made-when-done',
  'task-not-made',
  'task-undeclared-refused',
  'tools-change-silently',
  'tools-list-refused',
  'tools-undeclared',
  'two-on-a-line',
  'unknown-method-400',
  'unknown-method-501',
  'unknown-method-crashes',
  'unknown-version-unanswered',
];

/** A deviation in one place, and the rows that it breaks there. */
interface Entry {
  readonly id: string;
  readonly breaks: readonly RequirementId[];
}

/** The rows that a trial breaks. */
interface Outcome {
  readonly failed: { has(row: RequirementId): boolean };
}

interface Trials<E extends Entry, T extends Outcome> {
  /** Runs the suite against a mock with the deviations of these entries, which are of one kind. */
  attempt(entries: readonly [E, ...E[]]): Promise<T>;
  /** The kind of trial that an entry needs. */
  kindOf(entry: E): unknown;
  /** What an entry sets in the mock, where two entries cannot set the same. */
  setBy?(entry: E): readonly string[];
  /** Expects that a trial breaks exactly these rows. */
  expects(breaks: readonly RequirementId[], attempt: () => Promise<T>, attempts?: number): Promise<unknown>;
}

/** Expects that the deviation breaks exactly its rows. */
type Showing<E extends Entry> = E & { show(): Promise<void> };

/**
 * The showings of deviations, in groups: one trial has all deviations of a group, and breaks exactly the rows of all. Where it
 * breaks the rows of some of them only, the others have a trial; where it breaks other rows, each half of the group has one,
 * and so on; a deviation that is shown alone decides.
 */
export function inGroups<E extends Entry, T extends Outcome>(
  entries: readonly E[],
  trials: Trials<E, T>,
): Showing<E>[] {
  const kinds = new Map<string, E[]>();
  for (const entry of entries) {
    const kind = JSON.stringify([shownAlone.includes(entry.id) && entry.id, trials.kindOf(entry)]);
    kinds.set(kind, [...(kinds.get(kind) ?? []), entry]);
  }
  const groups = [...kinds.values()]
    .flatMap(entries => deal(entries, trials.setBy))
    .map(group => showTogether(group, trials));
  // the first of each group starts its trial, so that the others do not wait for it
  return Array.from({ length: most }, (_, at) => groups.flatMap(group => group[at] ?? [])).flat();
}

/** Faults in groups, over one transport. */
export const faultsInGroups = (
  entries: readonly MatrixEntry[],
  attempt: (revision: Revision, ids: readonly string[]) => Promise<Trial>,
  kindOf: (id: string) => unknown = () => undefined,
): Showing<MatrixEntry>[] =>
  inGroups(entries, {
    attempt: group =>
      attempt(
        group[0].revision,
        group.map(({ id }) => id),
      ),
    kindOf: ({ id, revision }) => [revision.id, kindOf(id)],
    expects: expectBroken,
  });

const areaOf = ({ breaks }: Entry): string => breaks[0]?.split('.')[0] ?? '';

/** Groups in which no two deviations break or set the same; those of one area are spread over the groups. */
function deal<E extends Entry>(
  entries: readonly E[],
  setBy: (entry: E) => readonly string[] = () => [],
): (readonly [E, ...E[]])[] {
  const touchedBy = (entry: E): readonly string[] => [...entry.breaks, ...setBy(entry)];
  const groups: E[][] = Array.from({ length: Math.ceil(entries.length / most) }, () => []);
  let next = 0;
  for (const entry of entries.toSorted((a, b) => areaOf(a).localeCompare(areaOf(b)))) {
    const touched = new Set(touchedBy(entry));
    const fits = (group: readonly E[]) =>
      group.length < most && !group.some(other => touchedBy(other).some(one => touched.has(one)));
    const group = [...groups.slice(next), ...groups.slice(0, next)].find(fits);
    if (group) group.push(entry);
    else groups.push([entry]);
    next = ((group ? groups.indexOf(group) : next) + 1) % groups.length;
  }
  return groups.flatMap(([first, ...others]) => (first ? [[first, ...others] as const] : []));
}

/**
 * Runs all together. Where that shows only some of them, and breaks no other row, the rest has a trial; where it breaks other
 * rows, each half has one.
 */
function showTogether<E extends Entry, T extends Outcome>(
  group: readonly [E, ...E[]],
  trials: Trials<E, T>,
): Showing<E>[] {
  const { attempt, expects } = trials;
  if (wish === 'none' || group.length === 1)
    return group.map(entry => ({
      ...entry,
      show: async () => void (await expects(entry.breaks, () => attempt([entry]))),
    }));
  const shows = (entries: readonly E[], trial: Promise<T>) =>
    expects(
      entries.flatMap(({ breaks }) => breaks),
      () => trial,
      1,
    );
  /** The showings that remain after a trial of all. */
  const showingsLeft = async (): Promise<ReadonlyMap<E, Showing<E>>> => {
    const trial = attempt(group);
    const reason = await shows(group, trial).then(() => undefined, String);
    if (reason === undefined) return new Map();
    const { failed } = await trial;
    const seen = group.filter(({ breaks }) => breaks.length > 0 && breaks.every(row => failed.has(row)));
    const isPartly =
      seen.length > 0 &&
      (await shows(seen, trial).then(
        () => true,
        () => false,
      ));
    if (wish === 'log') console.log(`In vain: ${group.map(({ id }) => id).join(', ')}\n${reason}`);
    const half = Math.ceil(group.length / 2);
    const parts = isPartly
      ? [group.filter(entry => !seen.includes(entry))]
      : [group.slice(0, half), group.slice(half)];
    const left = parts.flatMap(part => {
      const [first, ...others] = part;
      const showings = first ? showTogether([first, ...others], trials) : [];
      return part.map((entry, at) => [entry, showings[at]!] as const);
    });
    return new Map(left);
  };
  let left: ReturnType<typeof showingsLeft> | undefined;
  return group.map(entry => ({
    ...entry,
    async show() {
      left ??= showingsLeft();
      await (await left).get(entry)?.show();
    },
  }));
}
