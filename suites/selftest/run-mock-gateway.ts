/** Runs the gateway mode against the reference gateway, in this process. */

import type { RunEvent } from '../../harness/report/run-event.js';
import { type Report, Summary } from '../../harness/report/summary.js';
import { runGateway } from '../../harness/run/gateway/run.js';
import { inProcess, url } from '../../harness/subject/subject.js';
import { defaultTiming } from '../../harness/time/timing.js';
import type { GatewayDeviation } from '../../mocks/gateway/fault.js';
import { mockGateway } from '../../mocks/gateway/gateway.js';
import { serverBehind } from '../../mocks/gateway/reference-server.js';
import { host } from '../../mocks/host.js';
import { findDefinedRevision, type RevisionId, type TransportId } from '../../spec/revisions.js';
import { gatewayComparison, gatewaySteps } from '../gateway/index.js';
import { rules } from '../rules/index.js';

export interface GatewayPair {
  readonly front: TransportId;
  readonly back: TransportId;
  readonly revision: RevisionId;
  /** The only revision of the server, for a gateway that translates; default: the server has all. */
  readonly behind?: RevisionId;
}

/** The options of a run in this process, with a new server. */
export const inThisProcess = (behind?: RevisionId) => ({
  rules,
  steps: gatewaySteps,
  comparison: gatewayComparison,
  inThisProcess: true,
  server: serverBehind(1, behind && [behind]),
  place: { command: ['mock'], url: null },
});

/** All events of a run. @param only the names of the steps; default: all */
export async function gatewayEvents(
  deviations: readonly (string | GatewayDeviation)[],
  { front, back, revision, behind }: GatewayPair,
  only?: readonly string[],
): Promise<RunEvent[]> {
  const events: RunEvent[] = [];
  const closing: (() => Promise<unknown>)[] = [];
  const ports = new Map<string, string>();
  // the port of the gateway is opened before the harness has its server
  let fetch: (request: Request) => Promise<Response> = async () => new Response(null, { status: 503 });
  if (front !== 'stdio') {
    const served = await host(request => fetch(request));
    ports.set('url', `${served.origin}/mcp`);
    closing.push(served.close);
  }
  const run = runGateway({
    ...inThisProcess(behind),
    front,
    back,
    revisions: [findDefinedRevision(revision)!],
    timing: { ...defaultTiming, answer: 1_500 },
    selected: name => only?.some(step => name.endsWith(`/gateway/${step}`)) ?? true,
    gateway: address => {
      const gateway = mockGateway({ server: address, deviations, translates: behind !== undefined });
      closing.push(() => gateway.close());
      if (front === 'stdio') return inProcess(gateway.serve);
      fetch = gateway.fetch;
      return url(ports.get('url')!);
    },
  });
  for await (const event of run) events.push(event);
  for (const close of closing.reverse()) await close();
  return events;
}

interface GatewayFinding {
  readonly requirement: string;
  readonly grade: string;
  readonly side: string;
  readonly words: string;
}

export function gatewayReport(events: readonly RunEvent[]): Report {
  const summary = new Summary();
  for (const event of events) summary.add(event);
  return summary.report();
}

/** What is wrong by the report: violations, warnings and notes. */
export function gatewayFindings(events: readonly RunEvent[]): GatewayFinding[] {
  const report = gatewayReport(events);
  if (report.unjudged) throw new Error(`${report.unjudged.reason} ${report.unjudged.details.join(' ')}`);
  return report.runs.flatMap(run =>
    run.findings.map(f => ({
      requirement: f.requirement,
      grade: f.grade,
      side: run.side ?? '',
      words: `${f.case}: expected ${f.expected.join(' or ')}, actual ${f.actual} (${f.message ?? ''}) ${f.events.join(' ')}`,
    })),
  );
}

/** Requirements with a pass, and no worse grade. */
export function gatewayPasses(events: readonly RunEvent[]): string[] {
  return gatewayReport(events)
    .runs.filter(run => run.side === 'intermediary')
    .flatMap(run => run.requirements.filter(r => r.grade === 'pass').map(r => r.id));
}
