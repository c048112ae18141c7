/** The reference server, and a liar on demand. */

import type { Streams } from '../harness/subject.js';
import { type Revision, type RevisionId, revisions } from '../spec/revisions.js';
import type { Deviation } from './fault.js';
import { findDeviation } from './find.js';
import { type HttpOptions, type MockHttp, mockHttp } from './http.js';
import type { Channel, SessionOptions } from './session.js';
import { serveStdio } from './stdio.js';
import { makeWorld, type World } from './world.js';

export interface MockServerOptions {
  /** Revisions it offers; default: every stateful one. */
  readonly revisions?: readonly RevisionId[];
  /** What it does wrong, by id or as values. */
  readonly faults?: readonly (string | Deviation)[];
  /** Legal oddities, by id or as values. */
  readonly quirks?: readonly (string | Deviation)[];
  /** Makes what a process has; default: all fixtures. */
  readonly world?: () => World;
  /** Items per page of a list; default 5. */
  readonly pageSize?: number;
  /** Where chance plays a part it is reproducible by this; default 0. */
  readonly seed?: number;
  /** Pause between the log and progress messages of the fixture tools, in milliseconds; default 10. */
  readonly delayMs?: number;
}

export interface MockServer {
  /** Speaks over standard streams as one process would; resolves with its exit code. */
  serve(streams: Streams): Promise<number>;
  /** Answers HTTP, for `host()` or any server of web-standard handlers. @param process what a crash ends */
  http(options?: HttpOptions, process?: Pick<Channel, 'exit' | 'warn'>): MockHttp;
}

/** @throws {Error} for an unknown fault, quirk or revision */
export function mockServer(options: MockServerOptions = {}): MockServer {
  const offered = offeredRevisions(options.revisions);
  const deviations = [
    ...(options.faults ?? []).map(f => findDeviation('fault', f)),
    ...(options.quirks ?? []).map(q => findDeviation('quirk', q)),
  ];
  const sessionOptions = (): SessionOptions => {
    const world = (options.world ?? makeWorld)();
    if (options.pageSize !== undefined) world.pageSize = options.pageSize;
    const { seed = 0, delayMs = 10 } = options;
    return { revisions: offered, deviations, world, seed, delayMs };
  };
  return {
    serve: streams => serveStdio(streams, sessionOptions()),
    http: (http, process) => mockHttp(sessionOptions, deviations, http, process),
  };
}

function offeredRevisions(ids: readonly RevisionId[] | undefined): Revision[] {
  const legacy = revisions.filter(r => r.era === 'legacy');
  if (!ids) return legacy;
  const unknown = ids.find(id => !legacy.some(r => r.id === id));
  if (unknown || ids.length === 0)
    throw new Error(
      `The mock server offers ${legacy.map(r => r.id).join(', ')}, not "${unknown ?? 'nothing'}".`,
    );
  return legacy.filter(r => ids.includes(r.id));
}
