/** Lists of names in text files beside the tests: one name in each line, and comments with `#`. */

import { readFileSync, writeFileSync } from 'node:fs';

const urlOf = (name: string): URL => new URL(name, import.meta.url);
const isName = (line: string): boolean => line !== '' && !line.startsWith('#');

/** @param name the path of the list, relative to this folder */
export const namesIn = (name: string): string[] =>
  readFileSync(urlOf(name), 'utf8').split('\n').filter(isName);

/** Replaces the names and keeps the comment above them. */
export function writeNames(name: string, lines: readonly string[]): void {
  const comment = readFileSync(urlOf(name), 'utf8')
    .split('\n')
    .filter(line => line.startsWith('#'));
  writeFileSync(urlOf(name), `${[...comment, ...lines].join('\n')}\n`);
}
