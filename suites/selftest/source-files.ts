/** The files of this project, with their imports and exports, for tests of the structure. */

import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative, resolve, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import ts from 'typescript';

export const root = fileURLToPath(new URL('../..', import.meta.url));

/** The top folders of code, from the bottom. */
export const topFolders = ['spec', 'harness', 'mocks', 'suites', 'reports'] as const;

/** Files with code outside these folders, which use exports. */
const further = ['action', 'docs', 'vitest.config.ts', 'build.mjs'];

const inSlashes = (path: string): string => path.split(sep).join('/');

/** The paths of files below a folder or file of the project, with `/` and relative to the root. */
export function filesBelow(folder: string, ends: RegExp): string[] {
  if (ends.test(folder)) return [folder];
  return readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
    .filter(name => ends.test(name) && !/(^|[\\/])(node_modules|api)[\\/]/.test(name))
    .map(name => inSlashes(`${folder}/${name}`))
    .sort();
}

export const textOf = (file: string): string => readFileSync(join(root, file), 'utf8');

/** The TypeScript files of the top folders. */
export const files: readonly string[] = topFolders.flatMap(folder => filesBelow(folder, /\.ts$/));

/** Every file that may import: the TypeScript files, programs in JavaScript, and the files outside the top folders. */
const importing: readonly string[] = [
  ...files,
  ...topFolders.flatMap(folder => filesBelow(folder, /\.m?js$/)),
  ...further.flatMap(folder => filesBelow(folder, /\.(ts|mjs)$/)),
];

export const sources: ReadonlyMap<string, string> = new Map(importing.map(file => [file, textOf(file)]));

/** Tests, their helpers and examples; they are not part of the package. */
export const isTest = (file: string): boolean =>
  /\.(test|test\.util|examples)\.ts$/.test(file) || file.startsWith('suites/selftest/');

interface Import {
  /** The imported file of this project, relative to the root. */
  readonly target: string;
  /** The imported names; `*` for the whole module. */
  readonly names: readonly string[];
  /** `type` imports disappear at run time; `lazy` ones run when a function is called. */
  readonly kind: 'static' | 'type' | 'lazy';
  /** True for `export … from`. */
  readonly again: boolean;
}

interface Module {
  readonly imports: readonly Import[];
  /** The names of the exports that the file declares; re-exports are imports. */
  readonly exports: readonly string[];
}

const targetOf = (file: string, specifier: string): string | undefined => {
  if (!specifier.startsWith('.')) return undefined;
  const path = inSlashes(relative(root, resolve(root, dirname(file), specifier)));
  return path.replace(/\.js$/, sources.has(path) ? '.js' : '.ts');
};

/** Whether the code of a file has one of the texts as a string; comments do not count. */
export function namesAny(file: string, texts: readonly string[]): boolean {
  const visit = (node: ts.Node): boolean =>
    (ts.isStringLiteralLike(node) && texts.includes(node.text)) || (ts.forEachChild(node, visit) ?? false);
  const text = sources.get(file)!;
  return (
    texts.some(one => text.includes(one)) && visit(ts.createSourceFile(file, text, ts.ScriptTarget.ES2022))
  );
}

const isExported = (statement: ts.Statement): boolean =>
  ts.canHaveModifiers(statement) &&
  (ts.getModifiers(statement) ?? []).some(({ kind }) => kind === ts.SyntaxKind.ExportKeyword);

const bound = (name: ts.BindingName): string[] =>
  ts.isIdentifier(name)
    ? [name.text]
    : name.elements.flatMap(element => (ts.isOmittedExpression(element) ? [] : bound(element.name)));

function declared(statement: ts.Statement): string[] {
  if (ts.isVariableStatement(statement))
    return statement.declarationList.declarations.flatMap(({ name }) => bound(name));
  const { name } = statement as ts.DeclarationStatement;
  return name ? [name.text] : [];
}

function importsOf(statement: ts.Statement): Omit<Import, 'target'> | undefined {
  if (ts.isImportDeclaration(statement)) {
    const { importClause } = statement;
    const named = importClause?.namedBindings;
    const names = [
      ...(importClause?.name ? ['default'] : []),
      ...(named && ts.isNamedImports(named) ? named.elements.map(e => (e.propertyName ?? e.name).text) : []),
      ...(named && ts.isNamespaceImport(named) ? ['*'] : []),
    ];
    return { names, kind: importClause?.isTypeOnly ? 'type' : 'static', again: false };
  }
  if (ts.isExportDeclaration(statement) && statement.moduleSpecifier) {
    const { exportClause, isTypeOnly } = statement;
    const names =
      exportClause && ts.isNamedExports(exportClause)
        ? exportClause.elements.map(e => (e.propertyName ?? e.name).text)
        : ['*'];
    return { names, kind: isTypeOnly ? 'type' : 'static', again: true };
  }
  return undefined;
}

/** `import('./x.js')`, as a type or at run time, with the name of a member that follows directly. */
const inExpressions = /\bimport\(\s*['"`](\.[^'"`$]+)['"`]\s*\)(?:\)?\.(\w+))?/g;

function read(file: string, text: string): Module {
  const { statements } = ts.createSourceFile(file, text, ts.ScriptTarget.ES2022);
  const imports: Import[] = [];
  const exports: string[] = [];
  for (const statement of statements) {
    const found = importsOf(statement);
    const specifier = (statement as ts.ImportDeclaration).moduleSpecifier as ts.StringLiteral | undefined;
    const target = found && specifier && targetOf(file, specifier.text);
    if (target) imports.push({ ...found, target });
    if (isExported(statement)) exports.push(...declared(statement));
  }
  for (const [, specifier = '', member] of text.matchAll(inExpressions)) {
    const target = targetOf(file, specifier);
    if (target) imports.push({ target, names: [member ?? '*'], kind: 'lazy', again: false });
  }
  return { imports, exports };
}

/** Every file with its imports and exports. */
export const modules: ReadonlyMap<string, Module> = new Map(
  [...sources].map(([file, text]) => [file, read(file, text)]),
);

/** The files of this project that a file imports, each once. */
export const importsFrom = (file: string, kinds: readonly Import['kind'][] = ['static', 'type', 'lazy']) => [
  ...new Set(
    modules
      .get(file)!
      .imports.filter(({ kind, target }) => kinds.includes(kind) && modules.has(target))
      .map(({ target }) => target),
  ),
];

/** Groups of files that import each other in a circle (Tarjan), each sorted. */
export function circles(
  among: readonly string[],
  importsOf: (file: string) => readonly string[],
): readonly (readonly string[])[] {
  const place = new Map<string, number>();
  const lowest = new Map<string, number>();
  const stack: string[] = [];
  const open = new Set<string>();
  const found: string[][] = [];
  const visit = (file: string): void => {
    place.set(file, place.size);
    lowest.set(file, place.get(file)!);
    stack.push(file);
    open.add(file);
    for (const target of importsOf(file)) {
      if (!place.has(target)) visit(target);
      if (open.has(target)) lowest.set(file, Math.min(lowest.get(file)!, lowest.get(target)!));
    }
    if (lowest.get(file) !== place.get(file)) return;
    const group = stack.splice(stack.indexOf(file));
    for (const member of group) open.delete(member);
    if (group.length > 1) found.push(group.sort());
  };
  for (const file of among) if (!place.has(file)) visit(file);
  return found.sort((a, b) => (a[0]! < b[0]! ? -1 : 1));
}

/** The files whose types `package.json` makes public, and the one that the command starts with. */
function publicFiles(): string[] {
  const { exports, bin } = JSON.parse(textOf('package.json')) as { exports: object; bin: object };
  const paths = JSON.stringify([exports, bin]).matchAll(/dist\/([\w/-]+)(?:\.d\.ts|(?<=\/bin)\.js)"/g);
  return [...new Set([...paths].map(([, path]) => `${path}.ts`))];
}

/** Files whose exports are read by name from their text: definitions for the generated schemas. */
const isRead = (file: string): boolean => /^spec\/([\d-]+|extensions\/[^/]+\/[^/]+)\/schema\.ts$/.test(file);

/** Programs outside the package, such as the generator of the schemas: only tests import them. */
const isTool = (file: string): boolean =>
  (JSON.parse(textOf('tsconfig.build.json')) as { exclude: string[] }).exclude.includes(file);

/**
 * `<file>: <name>` for each export that no other file imports, and that is not public. An import by a test counts only for the
 * helpers of tests and for tools: a test of the package uses what the package uses.
 */
export function unusedExports(): string[] {
  const used = new Map<string, Set<string>>();
  const whole = new Set(publicFiles());
  for (const [file, { imports }] of modules)
    for (const { target, names } of imports) {
      if (isTest(file) && !isTest(target) && !isTool(target)) continue;
      for (const name of names)
        if (name === '*') whole.add(target);
        else used.set(target, (used.get(target) ?? new Set()).add(name));
    }
  return [...modules].flatMap(([file, { exports }]) =>
    whole.has(file) || isRead(file) || !files.includes(file)
      ? []
      : exports.filter(name => !used.get(file)?.has(name)).map(name => `${file}: ${name}`),
  );
}
