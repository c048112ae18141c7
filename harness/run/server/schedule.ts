/**
 * Schedule of cases over conversations, and their order: the start of a subject is the most expensive part of
 * a run.
 */

import type { JsonObject } from '../../../spec/json-rpc.js';
import { append, grouped } from '../../grouped.js';
import type { Known } from '../../scenario/scenario.js';
import type { ServerCase } from '../plan.js';

/** The cases of one conversation, in order. At its end there may be one that is `destructive`, and one that is `final`. */
export interface Lane {
  /** Capabilities that the harness declares; the default ones when undefined. */
  readonly declares: JsonObject | undefined;
  readonly cases: readonly ServerCase[];
  /** True if role discovery runs here, and the lanes that need its tools wait. */
  readonly discoversRoles?: boolean;
  /** True if the conversation is one that cases of the first lane leave open. */
  readonly isLeftOpen?: boolean;
}

/** Useful number of conversations for cases that could share one. */
interface Width {
  /** For cases without special needs. */
  readonly usual: number;
  /** For cases with generated values; with 0 they are among the others. */
  readonly generated: number;
}

/** Number of cases that the open conversation completes before another conversation is open. */
const headStart = 4;

/** For subjects whose conversations each need a process. */
const narrow: Width = { usual: 1, generated: 0 };

/**
 * Distributes cases, always in the same way.
 * @param width where a conversation costs little, cases that need the same role have one each as well; without it they are
 * together beside the shared one
 * @param declaresPerRequest true if each request declares the capabilities of the harness, so that cases with different ones share
 * a conversation, and other cases go on in one that a case leaves open
 * @returns the lanes; the first lane uses the conversation that is open already, even without cases
 */
export function schedule(
  cases: readonly ServerCase[],
  width = narrow,
  declaresPerRequest = false,
): [Lane, ...Lane[]] {
  const isWide = width !== narrow;
  const isUsual = ({ scenario }: ServerCase) => scenario.isolation === 'shared' && !scenario.declares;
  const generated =
    width.generated > 0 ? cases.filter(c => c.scenario.generated && isUsual(c) && !isAside(c)) : [];
  const of = (...kinds: ServerCase['scenario']['isolation'][]) =>
    cases.filter(c => kinds.includes(c.scenario.isolation) && !generated.includes(c));
  const aside = of('shared', 'slow').filter(isAside);
  const [all = [], ...others] = byDeclaration(inOrder(of('shared').filter(c => !isAside(c))));
  const hasSecond = declaresPerRequest && others.length > 0;
  // the second conversation tries a half of the generated values
  const moved = hasSecond ? all.filter(isGenerated).filter((_, n) => n % 2 > 0) : [];
  const usual = all.filter(c => !moved.includes(c));
  const declaring = hasSecond ? [inOrder([...others.flat(), ...moved])] : others;
  const [first = [], ...further] = chunk(usual, width.usual);
  const shared: (Lane & { readonly cases: ServerCase[] })[] = [first, ...further, ...declaring].map(some => ({
    declares: some[0]?.scenario.declares,
    cases: some,
  }));
  const alone: Lane[] = [...of('fresh'), ...of('uninitialized')].map(alike);
  const [open, ...rest] = shared;
  const left = { declares: undefined, cases: [] as ServerCase[], isLeftOpen: true };
  if (declaresPerRequest && first.some(c => c.scenario.leavesOpen)) shared.push(left);
  // the open conversation first: it declares what the command under Reproduce declares
  for (const kind of ['destructive', 'final'] as const)
    for (const last of of(kind)) {
      const { declares } = last.scenario;
      const host = shared.find(
        s => !hasEnd(s, kind) && (declaresPerRequest || declares === undefined || same(declares, s.declares)),
      );
      if (host) host.cases.push(last);
      else alone.push(alike(last));
    }
  const trying = roundRobin(generated, width.generated);
  // role discovery runs first, as a case of its own; cases that may wait delay no others
  const [calm, needy] = [aside.filter(c => !needsRole(c)), aside.filter(needsRole)];
  const isSplit = isWide && calm.length > 0 && needy.length > 0;
  const beside = isSplit
    ? [calm, ...byRole(needy), ...trying]
    : [[...calm.slice(0, 1), ...needy, ...calm.slice(1)], ...trying];
  const besides = beside
    .filter(cases => cases.length > 0)
    .map(cases => ({
      declares: undefined,
      cases,
      ...(isSplit && cases === calm && { discoversRoles: true }),
    }));
  // the long lanes first, so that none is left for the end; where each lane is a process, the short ones early: a process that
  // does not exit at the end of its input is waited for while the others run
  const lanes: Lane[] = isWide ? [...rest, ...besides, ...alone] : [...besides, ...alone, ...rest];
  // a lane that waits for the first one comes last
  if (left.cases.length > 0) lanes.push(left);
  if (!isSplit) return [open!, ...lanes];
  // a lane that waits for role discovery takes no slot from other lanes
  return [open!, ...lanes.filter(s => !waits(s)), ...lanes.filter(waits)];
}

/**
 * Cases that wait for the discovery of a tool come later; so do cases with further conversations, when processes for these have
 * started; generated values come last.
 */
const inOrder = (cases: readonly ServerCase[]): ServerCase[] => {
  const place = (planned: ServerCase) =>
    isGenerated(planned) ? 3 : planned.scenario.opens ? 2 : needsRole(planned) ? 1 : 0;
  return cases.toSorted((a, b) => place(a) - place(b));
};

/** Number of further conversations that the cases open. */
export const openedIn = (cases: readonly ServerCase[], known: Known): number =>
  cases
    .map(({ scenario: { opens = 0 } }) => (typeof opens === 'function' ? opens(known) : opens))
    .reduce((sum, count) => sum + count, 0);

const isGenerated = ({ scenario }: ServerCase): boolean => scenario.generated === true;

const needsRole = ({ unresolvedRoles }: ServerCase): boolean => unresolvedRoles.length > 0;

/** True for a lane that opens no conversation if its tools do not exist; one that declares nothing calls all tools to find them. */
export const mayOpenNone = ({ declares, cases }: Lane): boolean =>
  declares !== undefined && cases.every(needsRole);

const waits = ({ cases }: Lane): boolean => needsRole(cases[0]!);

/** Groups cases with the same roles. */
const byRole = (cases: readonly ServerCase[]): ServerCase[][] => [
  ...grouped(cases, ({ unresolvedRoles }) => [...unresolvedRoles].sort().join()).values(),
];

const isAside = (planned: ServerCase): boolean =>
  planned.scenario.isolation === 'slow' || (needsRole(planned) && !planned.scenario.declares);

const alike = (planned: ServerCase): Lane => ({ declares: planned.scenario.declares, cases: [planned] });

/** Whether a case makes the conversation unusable, or ends it. */
export const isLast = ({ scenario: { isolation } }: ServerCase): boolean =>
  isolation === 'destructive' || isolation === 'final';

const hasEnd = ({ cases }: Lane, kind: 'destructive' | 'final'): boolean =>
  cases.some(({ scenario }) => scenario.isolation === kind);

const same = (a: JsonObject | undefined, b: JsonObject | undefined): boolean =>
  JSON.stringify(a) === JSON.stringify(b);

/**
 * Consecutive chunks, because related cases are adjacent; none is empty. The first chunk gets more cases,
 * because its conversation is open already.
 */
function chunk<T>(all: readonly T[], count: number): T[][] {
  const size = Math.ceil(all.length / count) || 1;
  const ahead = Math.min(headStart, Math.floor(size / 4));
  const ends = Array.from({ length: count }, (_, n) => size * (n + 1) + (n + 1 < count ? ahead : 0));
  return ends.map((end, n) => all.slice(ends[n - 1] ?? 0, end)).filter(part => part.length > 0);
}

/** Distributes the cases in turn, so that the slow ones are spread; no group is empty. */
const roundRobin = <T>(all: readonly T[], count: number): T[][] =>
  Array.from({ length: Math.min(count, all.length) }, (_, n) => all.filter((_, at) => at % count === n));

/** The group with the default capabilities comes first, even without cases. */
function byDeclaration(cases: readonly ServerCase[]): ServerCase[][] {
  const groups = new Map<string | undefined, ServerCase[]>([[undefined, []]]);
  for (const planned of cases) {
    const key = planned.scenario.declares && JSON.stringify(planned.scenario.declares);
    append(groups, key, planned);
  }
  return [...groups.values()];
}
