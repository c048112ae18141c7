/**
 * `npm run mutants`: changes one thing at a time in records of the references, judges each mutant by all rules, and
 * prints the share that is reported, by kind of message and operator. Mutants that are not reported need a reason in
 * survivors.yaml. Options: `--seed <n>` (default 1), `--most <n>` messages changed at each place with each operator
 * (default 1), `--only <text>` of the names of the records, `--write` updates the numbers in survivors.yaml,
 * `--verbose` prints each mutant that is not reported, `--live` tries the live mutants of servers instead, with `--clients`
 * those of clients (live-run.ts). Exits with 1 when a mutant has no reason.
 */

import { commandLine } from '../command-line.js';
import { isNoticed, isTooMild, type Judged, judgeMutant, neighbours } from './judge-mutant.js';
import { runLive } from './live-run.js';
import { kindOfMutant, type Mutant, mutantsOf } from './mutants.js';
import { forms, nameOf, record } from './records.js';
import { grown, isDisputed, readSurvivors, reasonFor, writeCounts } from './survivors.js';

const { values: options } = commandLine(import.meta.url, {
  options: {
    seed: { type: 'string', default: '1' },
    most: { type: 'string', default: '1' },
    only: { type: 'string', default: '' },
    write: { type: 'boolean', default: false },
    verbose: { type: 'boolean', default: false },
    live: { type: 'boolean', default: false },
    clients: { type: 'boolean', default: false },
  },
});
if (options.live) process.exit(await runLive(options));

const survivors = readSurvivors();
const kinds = survivors.map(() => new Set<string>());

interface Count {
  all: number;
  reported: number;
  /** Not reported: only a scenario can see it. */
  scenario: number;
  legal: number;
}
const tables = { 'kind of message': new Map<string, Count>(), operator: new Map<string, Count>() };

function count(table: Map<string, Count>, name: string, { mutant, ...judged }: Judged): void {
  const line = table.get(name) ?? { all: 0, reported: 0, scenario: 0, legal: 0 };
  table.set(name, line);
  line.all++;
  const reason = reasonFor(mutant, survivors);
  if (isNoticed({ mutant, ...judged })) line.reported++;
  else if (reason?.scenario) line.scenario++;
  else if (reason) line.legal++;
}

/** The first event that differs from the record. */
function changeIn({ unit, apply }: Mutant): string {
  const before = new Set(unit.events);
  const event = apply().find(one => !before.has(one));
  return (JSON.stringify(event) ?? 'an event is missing').slice(0, 500);
}

const percent = (part: number, whole: number): string =>
  whole === 0 ? '–' : `${((100 * part) / whole).toFixed(1)} %`;

const holes = new Map<string, string>();
let judgingMs = 0;
let judgedCount = 0;
for (const form of forms.filter(one => nameOf(one).includes(options.only))) {
  const units = await record(form);
  const mutants = mutantsOf(units, { seed: Number(options.seed), most: Number(options.most) });
  const beside = neighbours(units);
  const began = performance.now();
  let reported = 0;
  for (const mutant of mutants) {
    const judged = judgeMutant(mutant, beside(mutant.unit));
    const kind = kindOfMutant(mutant);
    count(tables['kind of message'], `${form.party} ${mutant.subject}`, judged);
    count(tables.operator, mutant.operator, judged);
    if (isNoticed(judged)) reported++;
    const reason = isNoticed(judged) ? undefined : reasonFor(mutant, survivors);
    if (reason) kinds[survivors.indexOf(reason)]!.add(kind);
    const where = `${nameOf(form)}: ${changeIn(mutant)}`;
    if (judged.errors.length > 0) holes.set(`a rule fails itself: ${kind}: ${judged.errors[0]}`, where);
    else if (isTooMild(judged) && !isDisputed(mutant))
      holes.set(`no violation of the schema: ${kind} (${[...judged.rows.keys()].join(', ')})`, where);
    else if (!isNoticed(judged) && !reason) holes.set(`not reported: ${kind}`, where);
    if (options.verbose && reason) console.log(`  survives: ${kind} (${reason.because})`);
  }
  judgingMs += performance.now() - began;
  judgedCount += mutants.length;
  console.log(`${nameOf(form)}: ${mutants.length} mutants, ${percent(reported, mutants.length)} reported`);
}

for (const [name, table] of Object.entries(tables)) {
  console.log(`\n${name.padEnd(64)}  mutants  reported  scenario  legal  reported of breaches`);
  for (const [label, { all, reported, scenario, legal }] of [...table].sort(([a], [b]) => (a < b ? -1 : 1))) {
    const cells = [String(all).padStart(7), ...[reported, scenario].map(n => String(n).padStart(8))];
    const share = percent(reported, all - legal - scenario);
    console.log(
      `${label.padEnd(64)}  ${cells.join('  ')}  ${String(legal).padStart(5)}  ${share.padStart(8)}`,
    );
  }
}
console.log(`\n${judgedCount} mutants, ${((1_000 * judgedCount) / judgingMs).toFixed(0)} a second`);

const isWhole = options.only === '';
survivors.forEach((entry, at) => {
  const found = kinds[at]!.size;
  const growth = isWhole && !options.write ? grown(entry, found) : 'no';
  if (growth === 'a little') console.log(`${found} kinds, not ${entry.kinds}: ${entry.because}`);
  if (growth === 'much')
    holes.set(
      `many more survivors (${found}, not ${entry.kinds}): ${entry.because}`,
      [...kinds[at]!].join('; '),
    );
  // a kind or two may not be among the chosen mutants
  if (isWhole && found === 0 && entry.kinds > 3)
    holes.set(`no mutant survives any more, remove: ${entry.because}`, '');
});
if (options.write && isWhole) writeCounts(kinds.map(found => found.size));
for (const [hole, where] of holes) console.log(`\n✗ ${hole}\n    ${where}`);
console.log(
  holes.size === 0 ? '\nEach mutant is reported or has a reason.' : `\n${holes.size} kinds without a reason`,
);
process.exit(holes.size === 0 ? 0 : 1);
