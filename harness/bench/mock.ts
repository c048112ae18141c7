/** Full runs against the mock, to be timed or judged again. */

import { fileURLToPath } from 'node:url';
import type { Revision } from '../../spec/revisions.js';
import type { Event } from '../record/event.js';
import type { RunEvent } from '../report/run-event.js';
import type { Suite } from '../run/plan.js';
import { run } from '../run/server/run.js';
import { spawn } from '../subject/subject.js';

export const bin = fileURLToPath(new URL('../entry/bin.js', import.meta.url));

export interface FullRun {
  readonly events: RunEvent[];
  readonly seconds: number;
  /** Seconds of CPU time of this process. */
  readonly busy: number;
}

/** Runs the whole suite over stdio, with all fixtures. */
export async function fullRun(suite: Suite, revision: Revision): Promise<FullRun> {
  const subject = spawn(process.execPath, [bin, 'mock', 'server']);
  const began = performance.now();
  const cpu = process.cpuUsage();
  const events: RunEvent[] = [];
  for await (const event of run({ subject, suite, revision, fixtures: true })) events.push(event);
  const { user, system } = process.cpuUsage(cpu);
  return { events, seconds: (performance.now() - began) / 1000, busy: (user + system) / 1e6 };
}

export const wireOf = (events: readonly RunEvent[]): Event[] =>
  events.flatMap(e => (e.kind === 'wire' ? [e.event] : []));
