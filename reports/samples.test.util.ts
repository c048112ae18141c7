/** Constructed runs for the tests of the reports, with rows that are independent of the catalogue. */

import type { Counterexample } from '../harness/judge/counterexample.js';
import type { Finding, Judgement } from '../harness/judge/finding.js';
import type { Event, NewEvent } from '../harness/record/event.js';
import type { FindingEvent, RevisionStart, RunEnd, RunEvent, RunStart } from '../harness/report/run-event.js';
import type { Json } from '../spec/json-rpc.js';
import type { Clause, Requirement, RequirementId } from '../spec/requirement.js';
import { newestFirst, type RevisionId, revisionIds } from '../spec/revisions.js';
import type { Reporter, ReporterFactory, ReporterOptions } from './reporter.js';

export const [latest, older] = newestFirst().map(r => r.id) as [RevisionId, RevisionId];

const row = (id: string, level: Clause['level'], says: string, more?: Partial<Requirement>): Requirement => ({
  id: id as RequirementId,
  binds: 'server',
  says,
  clauses: Object.fromEntries(revisionIds.map(r => [r, { level, place: 'server/tools#error-handling' }])),
  ...more,
});

const rows = [
  row('test.must', 'MUST', 'A call to a tool that does not exist is answered with an error.'),
  row(
    'test.other-must',
    'MUST NOT',
    'A server sends nothing after it was told to stop, and says so in one sentence that is longer than a line.',
  ),
  row('test.should', 'SHOULD', 'The error has the code for invalid params.'),
  row('test.may', 'MAY', 'A server sends progress.'),
  row('test.contested', 'MUST', 'The text is silent here.', { contested: 'nobody agrees' }),
];
export const testRows: ReadonlyMap<string, Requirement> = new Map(rows.map(r => [r.id, r]));

/** For `vi.mock('../spec/requirement.js', …)`: the module with these rows instead of the catalogue. */
export const withTestRows = <M extends object>(actual: M): M => ({
  ...actual,
  requirements: () => testRows,
  requirement: (id: string) => testRows.get(id),
});

export const id = (name: string): RequirementId => name as RequirementId;

export const runStart = (more: Partial<RunStart> = {}): RunStart => ({
  kind: 'run-start',
  tool: { name: 'mcp-conform', version: '1.2.3' },
  role: 'server',
  subject: { command: ['node', 'my server.js'], url: null, cwd: '/home/me/server' },
  startedAt: '2030-01-01T00:00:00.000Z',
  seed: 42,
  strict: false,
  fixtures: false,
  options: [],
  ...more,
});

export const revisionStart = (more: Partial<RevisionStart> = {}): RevisionStart => ({
  kind: 'revision-start',
  revision: latest,
  transport: 'stdio',
  info: { name: 'sample-server', version: '1.0.0' } as Json,
  capabilities: { tools: {} },
  offers: [latest],
  planned: 1,
  requirements: ['test.must', 'test.other-must', 'test.should', 'test.may'].map(id),
  notApplicable: [],
  ...more,
});

export const caseStart = (number: number, scenario: string, revision = latest): RunEvent => ({
  kind: 'case-start',
  case: number,
  name: `${revision}/stdio/${scenario}`,
  title: 'something is tried',
});

export const caseEnd = (number: number, durationMs = 3): RunEvent => ({
  kind: 'case-end',
  case: number,
  durationMs,
});

export const finding = (
  requirement: string,
  caseNumber: number,
  judgement: Partial<Judgement> & Pick<Finding, 'verdict'>,
  knownFailing?: string,
): FindingEvent => ({
  kind: 'finding',
  finding: { requirement: id(requirement), case: caseNumber, source: 'rule', evidence: [], ...judgement },
  ...(knownFailing !== undefined && { knownFailing }),
});

export const wire = (seq: number, at: number, event: NewEvent, caseNumber = 1): RunEvent => ({
  kind: 'wire',
  event: { seq, at, link: 1, case: caseNumber, ...event } as Event,
});

export const frame = (seq: number, at: number, by: 'client' | 'server', text: string): RunEvent =>
  wire(seq, at, { kind: 'frame', by, text });

export const runEnd = (exitCode: number, more: Partial<RunEnd> = {}): RunEnd => ({
  kind: 'run-end',
  durationMs: 4200,
  exitCode,
  processesStarted: 2,
  ...more,
});

export const revisionEnd = (revision = latest): RunEvent => ({
  kind: 'revision-end',
  revision,
  transport: 'stdio',
  durationMs: 4100,
});

/** A run under the latest revision with these events in it. */
export const run = (
  exitCode: number,
  events: readonly RunEvent[],
  start: Partial<RunStart> = {},
): RunEvent[] => [
  runStart(start),
  caseStart(0, 'probe'),
  revisionStart({ planned: events.filter(e => e.kind === 'case-start').length }),
  ...events,
  revisionEnd(),
  runEnd(exitCode),
];

const call = '{"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"name":"no-such-tool"}}';

/** Everything passes. */
export const allWell = (): RunEvent[] =>
  run(0, [
    caseStart(1, 'server/tools/call-unknown-name'),
    frame(1, 10, 'client', call),
    frame(2, 14, 'server', '{"jsonrpc":"2.0","id":3,"error":{"code":-32602,"message":"Unknown tool"}}'),
    finding('test.must', 1, { verdict: 'pass' }),
    finding('test.other-must', 1, { verdict: 'pass' }),
    finding('test.should', 1, { verdict: 'pass' }),
    caseEnd(1),
  ]);

/** The failure of DESIGN §13. */
export const oneViolation = (): RunEvent[] =>
  run(1, [
    caseStart(1, 'server/tools/call-unknown-name'),
    frame(12, 10, 'client', call),
    frame(13, 14, 'server', '{"jsonrpc":"2.0","id":3,"result":{"content":[]}}'),
    finding('test.must', 1, {
      verdict: 'fail',
      expected: ['error -32602', 'error -32601'],
      actual: 'result {"content":[]}',
      evidence: [12, 13],
    }),
    finding('test.should', 1, { verdict: 'pass' }),
    caseEnd(1),
  ]);

/** The same failure, found with a generated value. */
export const generatedViolation = (counterexample: Partial<Counterexample> = {}): RunEvent[] =>
  oneViolation().map(event =>
    event.kind === 'finding' && event.finding.verdict === 'fail'
      ? {
          ...event,
          finding: {
            ...event.finding,
            counterexample: {
              seed: 42,
              path: '3:0:1',
              value: { name: '\u202eno-such-tool', id: 2 ** 31 },
              label: '/name: type changed from string to null',
              message: call,
              ...counterexample,
            },
          },
        }
      : event,
  );

/** The output of a reporter for a run. Dates are replaced, so that snapshots name no revision. */
export function written(
  factory: ReporterFactory,
  events: readonly RunEvent[],
  options: Partial<ReporterOptions> = {},
): string {
  let text = '';
  const out = {
    write(piece: string) {
      text += piece;
    },
  };
  const reporter: Reporter = factory({
    out,
    isTTY: false,
    color: false,
    verbose: false,
    quiet: false,
    columns: 80,
    ...options,
  });
  for (const event of events) reporter.event(event);
  void reporter.end?.();
  return text.replaceAll(latest, '<revision>').replaceAll(older, '<earlier!>');
}
