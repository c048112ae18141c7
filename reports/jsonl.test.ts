import { Readable } from 'node:stream';
import { describe, expect, it, vi } from 'vitest';
import { UsageError } from '../harness/report/pattern.js';
import type { RunEvent } from '../harness/report/run-event.js';
import { jsonl, readRun } from './jsonl.js';
import {
  allWell,
  caseStart,
  frame,
  latest,
  oneViolation,
  revisionStart,
  run,
  runEnd,
  runStart,
  written,
} from './samples.test.util.js';

vi.mock('../spec/requirement.js', async importActual => {
  const { withTestRows } = await import('./samples.test.util.js');
  return withTestRows(await importActual<object>());
});

const store = (events: readonly RunEvent[]) => written(jsonl, events).replaceAll('<revision>', latest);

async function read(source: Parameters<typeof readRun>[0]): Promise<RunEvent[]> {
  const events: RunEvent[] = [];
  for await (const event of readRun(source)) events.push(event);
  return events;
}

const hostile = () =>
  run(0, [caseStart(1, 'server/x'), frame(1, 0, 'server', 'a\u2028b\x1b[2J\u202e\x9b\ud800漢🙂"\\u001b"')]);

const other = ' This command reads a record, written by --reporter jsonl=run.jsonl.';

describe('run.jsonl', () => {
  it.each([
    ['all well', allWell],
    ['a violation', oneViolation],
    ['hostile text', hostile],
  ])('is read as written: %s', async (_, events) => {
    expect(await read(store(events()))).toEqual(events());
  });

  it('is read in pieces of any size, also with cuts inside characters', async () => {
    const bytes = Buffer.from(store(hostile()));
    for (const size of [1, 7, 1000]) {
      const pieces: Buffer[] = [];
      for (let at = 0; at < bytes.length; at += size) pieces.push(bytes.subarray(at, at + size));
      expect(await read(Readable.from(pieces))).toEqual(hostile());
    }
  });

  it('is valid without the last newline and with empty lines', async () => {
    expect(await read(store(allWell()).replaceAll('\n', '\r\n\n').trimEnd())).toEqual(allWell());
  });

  it('contains no terminal control characters', () => {
    expect(store(hostile())).not.toMatch(/[^\n\P{Cc}]|\p{Cf}/u);
  });

  const start = JSON.stringify(runStart());
  const revision = JSON.stringify(revisionStart());
  const end = JSON.stringify(runEnd(0));
  it.each([
    ['nothing', '\n', 'the file is empty: no run was recorded.'],
    ['a cut line before others', `${start}\n${end.slice(0, -3)}\n${end}`, 'line 2: not JSON.'],
    ['a first line that is not JSON', `${start.slice(0, -3)}`, `line 1: not JSON.${other}`],
    [
      'a JSON report',
      JSON.stringify({ reportVersion: 1 }, null, 2),
      `the file is a JSON report; t${other.slice(2)}`,
    ],
    ['JSON that is not an event', `${start}\n"run-end"`, 'line 2: not an event of a run.'],
    ['null', `${start}\nnull`, 'line 2: not an event of a run.'],
    ['an unknown kind', `${start}\n{"kind":"toString"}`, 'line 2: not an event of a run.'],
    [
      'an incomplete event',
      `${start}\n{"kind":"wire","event":null}`,
      'line 2: "event" of the event "wire" is missing.',
    ],
    [
      'an incomplete end',
      `${start}\n{"kind":"run-end","durationMs":1}`,
      'line 2: "exitCode" of the event "run-end" is missing.',
    ],
    ['no beginning', `${end}`, 'line 1: a run begins with one run-start, but this line contains "run-end".'],
    [
      'two beginnings',
      `${start}\n${start}`,
      'line 2: a run begins with one run-start, but this line contains "run-start".',
    ],
    ['two runs', `${start}\n${end}\n${start}`, 'line 3: the run has already ended; a file contains one run.'],
    [
      'a requirement of another version',
      `${start}\n${revision.replace('test.must', 'test.gone')}`,
      'line 2: the requirement "test.gone" does not exist in this version; another version recorded the run.',
    ],
  ])('is refused: %s', async (_, text, message) => {
    await expect(read(text)).rejects.toThrow(new UsageError(message));
  });

  it.each([
    ['after a line', `${start}\n${revision}\n`],
    ['in a line', `${start}\n${revision}\n${end.slice(0, -3)}`],
  ])('may be cut off %s: the run ends there', async (_, text) => {
    const events = await read(text);
    expect(events.map(event => event.kind)).toEqual(['run-start', 'revision-start', 'run-end']);
    expect(events.at(-1)).toMatchObject({
      exitCode: 3,
      unjudged: { reason: expect.stringContaining('it ends after line 2') },
    });
  });
});
