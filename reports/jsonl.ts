/**
 * The unchanged event stream, one event per line: `run.jsonl`. All other reports can be made from it later.
 */

import { exitCodes } from '../harness/judge/verdict.js';
import { UsageError } from '../harness/report/pattern.js';
import type { RunEvent } from '../harness/report/run-event.js';
import type { JsonObject } from '../spec/json-rpc.js';
import { requirements } from '../spec/requirement.js';
import { safeJson } from './escape.js';
import { flawOfFinding, flawOfRunEvent, flawOfWireEvent } from './event-shapes.js';
import type { ReporterFactory } from './reporter.js';

export const jsonl: ReporterFactory = ({ out }) => ({
  event: event => void out.write(`${safeJson(event)}\n`),
});

/**
 * Reads a stored run, event by event.
 * @param source the text, or an iterable of its pieces, e.g. a file stream
 * A record that was cut off ends with an event that says so; its last line may be incomplete.
 * @param options.complete refuses a record that was cut off
 * @throws {UsageError} with the line number, for a line that is not an event
 */
export async function* readRun(
  source: string | Iterable<string | Uint8Array> | AsyncIterable<string | Uint8Array>,
  { complete = false } = {},
): AsyncGenerator<RunEvent> {
  let line = 0;
  let last = 0;
  let ended = false;
  let at = 0;
  /** The error of a line that is only allowed at the end of the file. */
  let torn: unknown;
  for await (const text of lines(source)) {
    line++;
    if (text.trim() === '') continue;
    if (torn) throw torn;
    let event: RunEvent;
    try {
      event = parseEvent(text, line);
    } catch (error) {
      if (last === 0 && !isJson(text)) throw notARecord(text);
      if (last === 0 || ended || isJson(text)) throw error;
      torn = error;
      continue;
    }
    if (event.kind === 'wire') at = event.event.at;
    if (ended) throw new UsageError(`line ${line}: the run has already ended; a file contains one run.`);
    if ((event.kind === 'run-start') !== (last === 0))
      throw new UsageError(
        `line ${line}: a run begins with one run-start, but this line contains "${event.kind}".`,
      );
    ended = event.kind === 'run-end';
    last = line;
    yield event;
  }
  if (last === 0) throw new UsageError('the file is empty: no run was recorded.');
  if (ended) return;
  if (complete) throw new UsageError(`the run is incomplete: no run-end after line ${last}.`);
  const reason = `The record is incomplete: it ends after line ${last}. The findings are those up to there.`;
  const unjudged = { reason, details: [] };
  yield { kind: 'run-end', durationMs: at, exitCode: exitCodes.couldNotJudge, processesStarted: 0, unjudged };
}

/** Whether a file is a record, by the beginning of its text: the first event is run-start. */
export const isRecord = (text: string): boolean => /^\s*\{[^\n]*?"kind":"run-start"/.test(text);

/** The error for a file that does not begin with an event. A JSON report has its first brace on a line of its own. */
const notARecord = (firstLine: string): UsageError =>
  new UsageError(
    firstLine.trim() === '{'
      ? 'the file is a JSON report; this command reads a record, written by --reporter jsonl=run.jsonl.'
      : 'line 1: not JSON. This command reads a record, written by --reporter jsonl=run.jsonl.',
  );

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

/** Members that the reports need; other members are not checked. */
const shapes: Record<RunEvent['kind'], Record<string, 'string' | 'number' | 'object'>> = {
  'run-start': {
    tool: 'object',
    role: 'string',
    subject: 'object',
    startedAt: 'string',
    seed: 'number',
    options: 'object',
  },
  'revision-start': {
    revision: 'string',
    transport: 'string',
    offers: 'object',
    requirements: 'object',
    notApplicable: 'object',
  },
  'case-start': { case: 'number', name: 'string' },
  wire: { event: 'object' },
  finding: { finding: 'object' },
  confirmation: { requirement: 'string', case: 'number', seen: 'number', runs: 'number', beside: 'object' },
  'case-end': { case: 'number', durationMs: 'number' },
  'revision-end': { revision: 'string', transport: 'string', durationMs: 'number' },
  'run-end': { durationMs: 'number', exitCode: 'number', processesStarted: 'number' },
};

function parseEvent(text: string, line: number): RunEvent {
  let json: Record<string, unknown>;
  try {
    json = JSON.parse(text);
  } catch {
    throw new UsageError(`line ${line}: not JSON.`);
  }
  const shape =
    typeof json?.kind === 'string' &&
    Object.hasOwn(shapes, json.kind) &&
    shapes[json.kind as RunEvent['kind']];
  if (!shape) throw new UsageError(`line ${line}: not an event of a run.`);
  for (const [key, type] of Object.entries(shape))
    if (typeof json[key] !== type || json[key] === null)
      throw new UsageError(`line ${line}: "${key}" of the event "${json.kind}" is missing.`);
  const event = json as unknown as RunEvent;
  const flaw = flawOf(json as JsonObject);
  if (flaw !== undefined) throw new UsageError(`line ${line}: ${flaw}.`);
  const cited =
    event.kind === 'finding'
      ? [event.finding.requirement]
      : event.kind === 'revision-start'
        ? event.requirements
        : [];
  const unknown = cited.find(id => !requirements().has(id));
  if (unknown !== undefined)
    throw new UsageError(
      `line ${line}: the requirement "${unknown}" does not exist in this version; another version recorded the run.`,
    );
  return event;
}

const flawOf = (json: JsonObject): string | undefined => {
  if (json.kind === 'wire') return flawOfWireEvent(json.event);
  return json.kind === 'finding' ? flawOfFinding(json.finding) : flawOfRunEvent(json);
};

/** The longest line, in characters: no run records a longer event. */
const longestLine = 250_000_000;

/** Splits only at newlines; other line separators may occur inside JSON strings. */
async function* lines(source: Parameters<typeof readRun>[0]): AsyncGenerator<string> {
  const decoder = new TextDecoder();
  let rest = '';
  for await (const piece of typeof source === 'string' ? [source] : source) {
    const text = typeof piece === 'string' ? piece : decoder.decode(piece, { stream: true });
    const found = text.split('\n');
    found[0] = rest + found[0];
    rest = found.pop()!;
    yield* found;
    if (rest.length > longestLine)
      throw new UsageError(
        `a line has more than ${longestLine / 1e6} million characters: not a recorded run.`,
      );
  }
  if (rest !== '') yield rest;
}
