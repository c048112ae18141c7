/** Test support: the whole suite against the mock in this process. */

import type { Finding } from '../../harness/finding.js';
import type { Timing } from '../../harness/link.js';
import { run } from '../../harness/run.js';
import type { RunEvent } from '../../harness/run-event.js';
import { inProcess, type Subject, url } from '../../harness/subject.js';
import { type Report, Summary } from '../../harness/summary.js';
import { host } from '../../mocks/host.js';
import type { HttpOptions } from '../../mocks/http.js';
import { type MockServer, type MockServerOptions, mockServer } from '../../mocks/server.js';
import type { RequirementId } from '../../spec/requirement.js';
import type { Revision, TransportId } from '../../spec/revisions.js';
import { suite } from '../index.js';

/** Answers come at once or never here; a late timer first looks at what has arrived (harness/wait.ts). */
const timing: Timing = { answer: 400, exit: 250, quiet: 20 };

/** Sockets and their heads take longer, above all when many open at once. */
const timingOverHttp: Timing = { answer: 6_000, exit: 1_000, quiet: 40 };

export interface Trial {
  readonly report: Report;
  /** Requirements with at least one failed judgement, whatever its grade, with what failed. */
  readonly failed: ReadonlyMap<RequirementId, Finding>;
  readonly findings: readonly Finding[];
}

export interface TrialOptions extends Omit<MockServerOptions, 'revisions'> {
  readonly fixtures?: boolean;
  /** Default: stdio. */
  readonly transport?: TransportId;
  /** How HTTP is served. */
  readonly http?: HttpOptions;
}

/** Runs everything under one revision, over streams or over a socket on loopback. */
export async function tryMock(revision: Revision, options: TrialOptions = {}): Promise<Trial> {
  const { fixtures = true, transport = 'stdio', http, ...mock } = options;
  const server = mockServer({ delayMs: 2, ...mock });
  const { subject, close } = await reach(server, transport, http);
  try {
    const pace = transport === 'stdio' ? { timing, jobs: 16 } : { timing: timingOverHttp, jobs: 6 };
    return await observe(run({ subject, transport, suite, revision, fixtures, ...pace }));
  } finally {
    await close();
  }
}

async function reach(
  server: MockServer,
  transport: TransportId,
  options: HttpOptions | undefined,
): Promise<{ subject: Subject; close: () => Promise<void> }> {
  if (transport === 'stdio')
    return { subject: inProcess(streams => server.serve(streams)), close: async () => {} };
  const mock = server.http(options);
  const served = await host(request => mock.fetch(request));
  const path = transport === 'http-sse' ? mock.paths.sse : mock.paths.mcp;
  const close = async () => {
    mock.close();
    await served.close();
  };
  return { subject: url(served.origin + path), close };
}

async function observe(events: AsyncIterable<RunEvent>): Promise<Trial> {
  const summary = new Summary();
  const findings: Finding[] = [];
  const failed = new Map<RequirementId, Finding>();
  for await (const event of events) {
    summary.add(event);
    if (event.kind !== 'finding') continue;
    findings.push(event.finding);
    if (event.finding.verdict === 'fail') failed.set(event.finding.requirement, event.finding);
  }
  return { report: summary.report(), failed, findings };
}

/** What a person needs to see why a self-test failed. */
export const explainFindings = (findings: Iterable<Finding>): string =>
  [...findings]
    .map(
      f =>
        `${f.verdict} ${f.requirement}: expected ${f.expected?.join(' or ') ?? '–'}, got ${f.actual ?? '–'}; ${f.message ?? ''}`,
    )
    .join('\n');
