/** Additions to TypeScript files: an entry at the end of an exported list or table, and the imports it needs. */

import ts from 'typescript';

interface Edit {
  readonly at: number;
  readonly text: string;
}

const applied = (source: string, edits: readonly Edit[]): string =>
  [...edits]
    .sort((a, b) => b.at - a.at)
    .reduce((text, { at, text: added }) => text.slice(0, at) + added + text.slice(at), source);

const parsed = (source: string): ts.SourceFile =>
  ts.createSourceFile('file.ts', source, ts.ScriptTarget.ES2022, true);

type Literal = ts.ArrayLiteralExpression | ts.ObjectLiteralExpression;

/** The list or table in an expression such as `[…].flat()` or `over('stdio', { … })`. */
function literalIn(expression: ts.Expression | undefined): Literal | undefined {
  if (!expression) return undefined;
  if (ts.isArrayLiteralExpression(expression) || ts.isObjectLiteralExpression(expression)) return expression;
  if (ts.isSatisfiesExpression(expression) || ts.isAsExpression(expression))
    return literalIn(expression.expression);
  if (!ts.isCallExpression(expression)) return undefined;
  const { expression: called } = expression;
  return ts.isPropertyAccessExpression(called)
    ? literalIn(called.expression)
    : literalIn(expression.arguments.at(-1));
}

function exportedLiteral(file: ts.SourceFile, name: string): Literal | undefined {
  for (const statement of file.statements) {
    if (!ts.isVariableStatement(statement)) continue;
    for (const declaration of statement.declarationList.declarations)
      if (declaration.name.getText() === name) return literalIn(declaration.initializer);
  }
  return undefined;
}

/**
 * Adds an entry at the end of a list or table.
 * @param before the entry comes before the first existing entry that begins with this text
 * @throws {Error} if the file has no such list
 */
export function addEntry(source: string, name: string, entry: string, before?: string): string {
  const literal = exportedLiteral(parsed(source), name);
  if (!literal) throw new Error(`There is no list or table "${name}".`);
  const entries: readonly ts.Node[] = ts.isArrayLiteralExpression(literal)
    ? literal.elements
    : literal.properties;
  const next = before === undefined ? undefined : entries.find(node => node.getText().startsWith(before));
  if (next) return applied(source, [{ at: next.getFullStart(), text: `\n${entry}` }]);
  const list = ts.isArrayLiteralExpression(literal) ? literal.elements : literal.properties;
  const comma = list.length > 0 && !list.hasTrailingComma ? [{ at: list.end, text: ',' }] : [];
  return applied(source, [...comma, { at: literal.end - 1, text: `\n${entry}\n` }]);
}

/** The names that an import declaration binds, by their exported names. */
function namedImports(statement: ts.Statement, module: string): ts.NamedImports | undefined {
  if (!ts.isImportDeclaration(statement) || statement.importClause?.isTypeOnly) return undefined;
  if ((statement.moduleSpecifier as ts.StringLiteral).text !== module) return undefined;
  const bindings = statement.importClause?.namedBindings;
  return bindings && ts.isNamedImports(bindings) ? bindings : undefined;
}

/** Imports names from a module, where the file does not import them yet. @param names `name` or `name as other` */
export function addImport(source: string, module: string, names: readonly string[]): string {
  const file = parsed(source);
  const found = file.statements.map(statement => namedImports(statement, module)).find(Boolean);
  const known = new Set(found?.elements.map(element => element.getText()));
  const missing = names.filter(name => !known.has(name));
  if (missing.length === 0) return source;
  if (found) return applied(source, [{ at: found.getStart() + 1, text: ` ${missing.join(', ')}, ` }]);
  const text = `import { ${missing.join(', ')} } from '${module}';\n`;
  const first = file.statements.find(ts.isImportDeclaration);
  if (first) return applied(source, [{ at: first.getStart(), text }]);
  const header = /^\/\*\*[\s\S]*?\*\/\n+/.exec(source)?.[0] ?? '';
  return `${header}${text}\n${source.slice(header.length)}`;
}
