/** The tools, prompts and resources of a server: how many were used, which fail each time, which were not used. */

import { grouped } from '../harness/grouped.js';
import type { ItemUsage, Report, UsageReport } from '../harness/report/summary.js';
import type { View } from './console-failure.js';
import { visible } from './escape.js';
import { amount, wrap } from './style.js';
import { shorten } from './wire.js';

/** Number of items named; `--verbose` names all. */
const NAMED = 3;

/** Number of errors shown; `--verbose` shows all. */
const SHOWN = 4;

/** Errors that have this many characters in common at their beginning are shown as one, except with `--verbose`. */
const ALIKE = 60;

const nouns = { tools: 'tool', prompts: 'prompt', resources: 'resource' } as const;
type Kind = keyof typeof nouns;
const kinds = Object.keys(nouns) as Kind[];

/** @param whole whether the run had all cases: a part of them need not use everything */
export function renderUsage({ runs }: Report, view: View, whole = true): string[] {
  const { columns, verbose, style } = view;
  const usages = runs.flatMap(({ usage }) => usage ?? []);
  if (usages.length === 0) return [];
  const all = merged(usages);
  const used = kinds.flatMap(kind => {
    const items = all[kind];
    const n = items.filter(item => item.uses > 0).length;
    return items.length > 0 ? [`${n} of ${amount(items.length, nouns[kind])}`] : [];
  });
  const failed = kinds.flatMap(kind => failing(all[kind].filter(alwaysFails), nouns[kind], view));
  const left = kinds.flatMap(kind =>
    (kind === 'resources' || !whole) && !verbose ? [] : unused(all[kind], nouns[kind], view),
  );
  const inLines = (line: string) => wrap(line, columns, '  ', '    ');
  return [
    ...inLines(`used: ${used.join(', ')}`).map(line => style.dim(line)),
    ...failed.flatMap(inLines).map(line => style.yellow(line)),
    ...left.flatMap(inLines).map(line => style.dim(line)),
  ];
}

/** The items of several runs: the same item is one. */
function merged(usages: readonly UsageReport[]): UsageReport {
  const of = (kind: Kind): ItemUsage[] => {
    const items = new Map<string, ItemUsage>();
    for (const item of usages.flatMap(usage => usage[kind])) {
      const known = items.get(item.name);
      items.set(item.name, known ? sum(known, item) : item);
    }
    return [...items.values()];
  };
  return { tools: of('tools'), prompts: of('prompts'), resources: of('resources') };
}

const sum = (a: ItemUsage, b: ItemUsage): ItemUsage => ({
  name: a.name,
  uses: a.uses + b.uses,
  failures: a.failures + b.failures,
  failure: a.failure ?? b.failure,
  unused: a.unused && b.unused,
});

/** A tool whose name promises a failure may fail each time. */
const alwaysFails = ({ name, uses, failures }: ItemUsage): boolean =>
  uses > 0 && failures === uses && !/error|fail|throw/i.test(name);

/** One line for each error: items that differ in their names only have the same one. */
function failing(items: readonly ItemUsage[], noun: string, { verbose }: View): string[] {
  const errors = grouped(items, item => {
    const error = errorOf(item);
    return verbose ? error : error.slice(0, ALIKE);
  });
  const groups = [...errors.values()];
  const shown = verbose ? groups : groups.slice(0, SHOWN);
  const left = groups.slice(shown.length).flat().length;
  return [
    ...shown.map(group => failure(group, noun, verbose)),
    ...(left > 0 ? [`${amount(left, `more ${noun}`)} failed in each use (--verbose)`] : []),
  ];
}

const errorOf = ({ name, failure }: ItemUsage): string =>
  name === '' ? asLine(failure) : asLine(failure).replaceAll(name, '…');

/** The line of items with the same error, or with errors that begin alike. */
function failure(group: readonly ItemUsage[], noun: string, verbose: boolean): string {
  const [first] = group;
  const names = shownNames(
    group.map(({ name }) => name),
    verbose,
  );
  if (group.length === 1)
    return `${noun} ${names} failed ${first!.uses === 1 ? 'in its only use' : `in all ${first!.uses} uses`}: ${shorten(asLine(first!.failure), 160)}`;
  const error = errorOf(first!);
  const isSame = group.every(item => errorOf(item) === error);
  return `${group.length} ${noun}s failed in each use (${names}): ${isSame ? shorten(error, 160) : `${error.slice(0, ALIKE)}…`}`;
}

const asLine = (text: string | null): string => (text ?? '').replace(/\s+|\\n/g, ' ');

function shownNames(names: readonly string[], verbose: boolean): string {
  const shown = (verbose ? names : names.slice(0, NAMED)).map(name => visible(shorten(name, 60)));
  const left = names.length - shown.length;
  return `${shown.join(', ')}${left > 0 ? `, ${left} more` : ''}`;
}

/** The items that were not used, by reason; in a long report their number. */
function unused(items: readonly ItemUsage[], noun: string, { verbose, compact }: View): string[] {
  const reasons = grouped(
    items.filter(({ unused: reason }) => reason !== null),
    ({ unused: reason }) => reason!,
  );
  return [...reasons].map(([reason, group]) =>
    compact
      ? `${amount(group.length, noun)} not used (${visible(reason)})`
      : `${noun}s not used (${visible(reason)}): ${shownNames(
          group.map(({ name }) => name),
          verbose,
        )}`,
  );
}
