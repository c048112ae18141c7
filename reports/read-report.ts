/** Reads a stored report, or makes one from a stored run; throws an error for any other file. */

import { readFileSync } from 'node:fs';
import { Ajv2020 } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import { UsageError } from '../harness/report/pattern.js';
import { type Report, Summary } from '../harness/report/summary.js';
import { isRecord, readRun } from './jsonl.js';

/**
 * @param file name of the file, for messages
 * @throws {UsageError}
 */
export async function parseReport(text: string, file: string): Promise<Report> {
  const problem = (what: string) => new UsageError(`${file}: ${what}`);
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch {
    if (isRecord(text)) return fold(text, problem);
    throw problem('not JSON. Create a report with --reporter json=<file>.');
  }
  const version = (json as { reportVersion?: unknown } | null)?.reportVersion;
  if (version !== 1)
    throw problem(
      version === undefined
        ? 'not a report of mcp-conform. Create a report with --reporter json=<file>.'
        : `report version ${String(version)} is not supported; this mcp-conform reads version 1.`,
    );
  const schema = JSON.parse(readFileSync(new URL('./report.schema.json', import.meta.url), 'utf8'));
  // members of later versions are removed, because the schema permits additions
  const ajv = new Ajv2020({ strict: false, removeAdditional: 'all' });
  addFormats.default(ajv);
  if (!ajv.validate(schema, json)) throw problem(`not a complete report: ${ajv.errorsText(ajv.errors)}.`);
  return json as Report;
}

async function fold(text: string, problem: (what: string) => UsageError): Promise<Report> {
  const summary = new Summary();
  try {
    for await (const event of readRun(text, { complete: true })) summary.add(event);
  } catch (error) {
    if (error instanceof UsageError) throw problem(error.message);
    throw error;
  }
  return summary.report();
}
