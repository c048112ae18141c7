/** The parts of a run, put together: the same report as one run. */

import { readFileSync } from 'node:fs';
import { Ajv2020 } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import { describe, expect, test } from 'vitest';
import { parseKnownFailing } from '../../harness/report/known-failing.js';
import { mergeReports } from '../../harness/report/merge-reports.js';
import type { RunEvent } from '../../harness/report/run-event.js';
import type { Shard } from '../../harness/report/shard.js';
import { type Report, Summary } from '../../harness/report/summary.js';
import { runClient } from '../../harness/run/client/run.js';
import { inProcessClient } from '../../harness/run/client/subject.js';
import { mergeRuns } from '../../harness/run/merge.js';
import { run } from '../../harness/run/server/run.js';
import { inProcess } from '../../harness/subject/subject.js';
import { mockClient } from '../../mocks/client/client.js';
import { mockServer } from '../../mocks/server/server.js';
import { newestFirst } from '../../spec/revisions.js';
import { suite } from '../index.js';
import { offeredFor, patience } from './run-mock.js';

const revision = newestFirst().find(({ era }) => era === 'legacy')!;
const timing = { answer: patience, exit: 1_000, quiet: 20 };
const common = { suite, revision, timing, seed: 0, jobs: 8, minJudged: '20%' };

/** A fault of one case each, and one that the probe shows. */
const faults = ['result-and-error', 'tool-name-too-long'];

async function collect(events: AsyncIterable<RunEvent>): Promise<RunEvent[]> {
  const all: RunEvent[] = [];
  for await (const event of events) all.push(event);
  return all;
}

const serverRun = (shard?: Shard) => {
  const server = mockServer({ delayMs: 2, revisions: offeredFor(revision), faults });
  return collect(run({ ...common, subject: inProcess(server.serve), runs: 0, ...(shard && { shard }) }));
};

const clientRun = (shard?: Shard) => {
  const client = mockClient({
    graceMs: 60,
    revisions: offeredFor(revision),
    faults: ['client-progress-stands-still'],
  });
  const subject = inProcessClient((task, streams) => client.perform(task, streams));
  return collect(runClient({ ...common, subject, transport: 'stdio', ...(shard && { shard }) }));
};

function reportOf(events: Iterable<RunEvent>): Report {
  const summary = new Summary();
  for (const event of events) summary.add(event);
  return summary.report();
}

const shards = (of: number): Shard[] => Array.from({ length: of }, (_, index) => ({ at: index + 1, of }));
const filesOf = <T>(contents: readonly T[]) =>
  contents.map((content, index) => ({ file: `part-${index + 1}`, content }));

/** What a reader acts on. How often something was examined depends on the number of conversations. */
const essence = ({ exitCode, runs, stale, stopped, unjudged }: Report) => ({
  exitCode,
  stale,
  stopped,
  unjudged,
  runs: runs.map(one => ({
    place: [one.revision, one.transport],
    requirements: Object.fromEntries(one.requirements.map(r => [r.id, r.grade]).sort()),
    cases: one.cases.map(c => c.name).sort(),
    notApplicable: one.notApplicable.map(n => n.id).sort(),
    // the case that fetches a list depends on the conversation
    findings: [
      ...new Set(one.findings.map(f => [f.requirement, f.grade, f.expected.join()].join(' '))),
    ].sort(),
  })),
});

const schema = JSON.parse(
  readFileSync(new URL('../../reports/report.schema.json', import.meta.url), 'utf8'),
) as object;
const ajv = new Ajv2020({ strict: false });
addFormats.default(ajv);
const isReport = ajv.compile(schema);

describe.each([
  ['server', serverRun],
  ['client', clientRun],
] as const)('the parts of a run of a %s', (_role, start) => {
  test('give the report of one run, from records and from JSON reports', async () => {
    const whole = reportOf(await start());
    expect(whole.exitCode).toBe(1);
    const parts = [];
    for (const shard of shards(2)) parts.push(await start(shard));
    const merged = reportOf(mergeRuns(filesOf(parts).reverse(), { suite }));
    expect(essence(merged)).toEqual(essence(whole));
    const reports = parts.map(reportOf);
    expect(essence(mergeReports(filesOf(reports)))).toEqual(essence(whole));
    for (const report of [merged, ...reports, mergeReports(filesOf(reports))]) {
      isReport(report);
      expect(isReport.errors ?? []).toEqual([]);
    }
  });
});

describe('mergeRuns', () => {
  const parts = Promise.all(shards(3).map(serverRun));

  test('names a missing part, and the run is not judged as a whole', async () => {
    const known = parseKnownFailing(`${revision.id}/stdio/**#* https://example.org/1`, 'known.txt');
    const two = filesOf((await parts).slice(0, 2));
    const report = reportOf(mergeRuns(two, { suite, known }));
    expect(report).toMatchObject({ exitCode: 3, stopped: 'part 3 of 3 is missing' });
    expect(mergeReports(filesOf(two.map(({ content }) => reportOf(content))))).toMatchObject({
      stopped: 'part 3 of 3 is missing',
    });
  });

  test('applies a list of known failures to the whole run, and finds its stale lines', async () => {
    const list = [
      `${revision.id}/stdio/**#* https://example.org/1`,
      `${revision.id}/stdio/**#ping.* https://example.org/2`,
    ];
    const known = parseKnownFailing(list.join('\n'), 'known.txt');
    const report = reportOf(mergeRuns(filesOf(await parts), { suite, known }));
    expect(report.summary.knownFailing).toBeGreaterThan(0);
    expect(report.summary.violation).toBe(0);
    expect(report.stale).toEqual([expect.stringContaining('line 2:')]);
  });

  test('takes only the parts of one run, each once', async () => {
    const [first, second] = filesOf(await parts);
    const merge = (files: readonly { file: string; content: readonly RunEvent[] }[]) => () =>
      mergeRuns(files, { suite });
    expect(merge([first!, { ...first!, file: 'again' }])).toThrow('again: part 1 of 3, as part-1.');
    const [start, ...rest] = second!.content;
    const other = (changes: object) => [{ ...start, ...changes } as RunEvent, ...rest];
    expect(merge([first!, { file: 'b', content: other({ seed: 1 }) }])).toThrow(
      'b: another seed than part-1',
    );
    expect(merge([first!, { file: 'b', content: other({ strict: true }) }])).toThrow('b: other options');
    expect(merge([first!, { file: 'b', content: other({ shard: undefined }) }])).toThrow('b: a whole run');
    expect(merge([{ file: 'b', content: other({ role: 'watch' }) }])).toThrow('has no parts');
  });

  test('names a part that was cut off', async () => {
    const [first, second, third] = await parts;
    const cut = second!.map(e =>
      e.kind === 'run-end' ? { ...e, unjudged: { reason: 'The record is incomplete.', details: [] } } : e,
    );
    const known = parseKnownFailing(`${revision.id}/stdio/**#* https://example.org/1`, 'known.txt');
    const report = reportOf(mergeRuns(filesOf([first!, cut, third!]), { suite, known }));
    expect(report).toMatchObject({ exitCode: 3, stopped: 'part 2 of 3: The record is incomplete.' });
  });
});
