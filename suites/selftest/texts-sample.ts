/**
 * `npm run texts:sample -- [number] [--seed <number>] [--kind <kind>]`: prints texts of the repository, drawn at random, with file
 * and line. Each draw chooses a kind first: comments, titles, faults, rows, help, and messages of reports.
 */

import ts from 'typescript';
import { commandLine } from './command-line.js';
import { files, isTest, textOf } from './source-files.js';
import { userTexts } from './user-texts.js';

interface Sample {
  readonly kind: string;
  readonly text: string;
  readonly file: string;
  readonly line: number;
}

/** Texts with fewer words are names. */
const leastWords = 4;
const isText = (text: string): boolean =>
  text.split(' ').filter(word => /^[\W_]*[a-z]+[\W_]*$/i.test(word)).length >= leastWords;
const inOneLine = (text: string): string => text.replace(/\s+/g, ' ').trim();

/** The text of comments, where successive `//` lines are one comment. */
function commentsIn(file: string, source: string): Sample[] {
  const found = source.matchAll(/^[ \t]*(?:\/\*\*?([\s\S]*?)\*\/|((?:\/\/.*\n[ \t]*)+))/gm);
  return [...found].map(match => ({
    kind: 'comment',
    file,
    line: source.slice(0, match.index).split('\n').length,
    text: inOneLine((match[1] ?? match[2] ?? '').replace(/^[ \t]*(\*|\/\/) ?/gm, '')),
  }));
}

/** Whether a literal is a message: not a title, an import, or the key of a table. */
function isMessage(node: ts.Node): boolean {
  const { parent } = node;
  if (ts.isImportDeclaration(parent) || ts.isLiteralTypeNode(parent)) return false;
  return !(ts.isPropertyAssignment(parent) && ['title', 'what'].includes(parent.name.getText()));
}

/** Texts in strings: findings, reasons, errors, labels. */
function messagesIn(file: string, source: string): Sample[] {
  const parsed = ts.createSourceFile(file, source, ts.ScriptTarget.ES2022, true);
  const found: Sample[] = [];
  const visit = (node: ts.Node): void => {
    if ((ts.isStringLiteralLike(node) || ts.isTemplateExpression(node)) && isMessage(node)) {
      const text = inOneLine(node.getText().slice(1, -1));
      const line = parsed.getLineAndCharacterOfPosition(node.getStart()).line + 1;
      found.push({ kind: 'message', text, file, line });
    } else ts.forEachChild(node, visit);
  };
  visit(parsed);
  return found;
}

/** The line of a text in its file; texts that are broken or composed have the line of their name. */
function lineOf(file: string, text: string, name: string): number {
  const source = textOf(file);
  const places = [text, text.slice(0, 40), `'${name}'`, name, name.split(' ').at(-1)!];
  const place = places.map(part => source.indexOf(part)).find(at => at >= 0);
  return source.slice(0, place ?? 0).split('\n').length;
}

const ownFiles = files.filter(file => !isTest(file) && !/\.generated\.ts$|\/schema\.ts$/.test(file));
const isReported = (file: string): boolean =>
  /^(reports|harness|suites)\//.test(file) && !file.includes('/bench/');

const all: readonly Sample[] = [
  ...ownFiles.flatMap(file => commentsIn(file, textOf(file))),
  ...ownFiles.filter(isReported).flatMap(file => messagesIn(file, textOf(file))),
  ...userTexts.map(({ kind, name, text, file }) => ({
    kind,
    text: inOneLine(text),
    file,
    line: lineOf(file, text, name),
  })),
].filter(({ text }) => isText(text));

/** Numbers from 0 to 1 that depend on the seed only (mulberry32). */
function randomFrom(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

function draw(number: number, seed: number, kind: string | undefined): Sample[] {
  const byKind = new Map<string, Sample[]>();
  for (const sample of all.filter(sample => kind === undefined || sample.kind === kind)) {
    const samples = byKind.get(sample.kind);
    if (samples) samples.push(sample);
    else byKind.set(sample.kind, [sample]);
  }
  const kinds = [...byKind.values()].filter(samples => samples.length > 0);
  const random = randomFrom(seed);
  const one = <T>(list: T[]): number => Math.floor(random() * list.length);
  return Array.from({ length: number }, () => kinds[one(kinds)] ?? []).flatMap(samples =>
    samples.splice(one(samples), 1),
  );
}

const { positionals, values } = commandLine(import.meta.url, {
  allowPositionals: true,
  options: { seed: { type: 'string', default: '1' }, kind: { type: 'string' } },
});
const number = Number(positionals[0] ?? 30);
const seed = Number(values.seed);
console.log(`${number} of ${all.length} texts, seed ${seed}`);
for (const { kind, text, file, line } of draw(number, seed, values.kind))
  console.log(`\n${file}:${line} (${kind})\n  ${text}`);
