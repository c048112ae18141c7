/**
 * `npm run structure`: counts of rooms, arrows, long files, circles of imports and unused exports; `--write` brings
 * `unused-exports.txt` up to date.
 */

import { data, mostLines } from './house-rules.js';
import { namesIn, writeNames } from './lists.js';
import { arrows, atRoot } from './rooms.js';
import { circles, files, importsFrom, modules, sources, unusedExports } from './source-files.js';

const linesIn = (file: string): number => sources.get(file)!.split('\n').length - 1;
const long = files.filter(file => linesIn(file) > mostLines && !data.some(pattern => pattern.test(file)));
const all = [...modules.keys()];
const byTypes = circles(all, file => importsFrom(file));
const atRunTime = circles(all, file => importsFrom(file, ['static']));
const unused = unusedExports();

const section = (title: string, lines: readonly string[]): string =>
  [`${title}: ${lines.length}`, ...lines.map(line => `  ${line}`)].join('\n');

console.log(
  [
    section('TypeScript files at the root of harness/', files.filter(atRoot)),
    section('Arrows between rooms of harness/', [
      ...new Set(arrows.map(({ from, to }) => `${from} -> ${to}`)),
    ]),
    section(
      `Files over ${mostLines} lines that are not data`,
      long.map(file => `${file}: ${linesIn(file)}`),
    ),
    section(
      'Circles of imports by types',
      byTypes.map(circle => circle.join(' ')),
    ),
    section(
      'Circles of imports at run time',
      atRunTime.map(circle => circle.join(' ')),
    ),
    section('Exports that no file imports', unused),
  ].join('\n\n'),
);

if (process.argv.includes('--write')) {
  const before = namesIn('unused-exports.txt');
  writeNames('unused-exports.txt', unused);
  console.log(`\nsuites/selftest/unused-exports.txt: ${before.length} -> ${unused.length} names`);
}
