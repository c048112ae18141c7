/** Writes the reports of a matrix. */

import { writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { safeJson } from '../../reports/escape.js';
import { matrixHtml } from '../../reports/matrix/html.js';
import { matrixMarkdown } from '../../reports/matrix/markdown.js';
import type { MatrixReport } from '../report/matrix-report.js';
import { UsageError } from '../report/pattern.js';
import { parseFolder, unknownName } from './arguments.js';

const writers: Readonly<Record<string, (report: MatrixReport) => string>> = {
  json: report => `${safeJson(report, 1)}\n`,
  markdown: matrixMarkdown,
  html: matrixHtml,
};

/** @throws UsageError for an unknown reporter, or one without a file */
export function checkMatrixReporters(texts: readonly string[]): void {
  for (const text of texts) {
    const [name = '', file] = split(text);
    if (!Object.hasOwn(writers, name)) throw unknownName('reporter for a matrix', name, Object.keys(writers));
    if (!file) throw new UsageError(`--reporter ${name} needs a file here, as in ${name}=matrix-report.`);
    parseFolder(`--reporter ${text}`, dirname(file));
  }
}

const split = (text: string): string[] => {
  const at = text.indexOf('=');
  return at === -1 ? [text] : [text.slice(0, at), text.slice(at + 1)];
};

/**
 * Writes the three reports into the folder, if there is one, and those of `--reporter`.
 * @returns the files
 */
export function writeMatrixReports(
  report: MatrixReport,
  folder: string | undefined,
  texts: readonly string[],
): string[] {
  const own =
    folder === undefined
      ? []
      : [
          ['html', 'html'],
          ['markdown', 'md'],
          ['json', 'json'],
        ].map(([name, end]) => [name!, join(folder, `matrix.${end}`)]);
  const all = [...own, ...texts.map(split)];
  for (const [name, file] of all) {
    try {
      writeFileSync(file!, writers[name!]!(report));
    } catch (error) {
      throw new UsageError(`the report "${file}" cannot be written: ${(error as Error).message}.`);
    }
  }
  return all.map(([, file]) => file!);
}
