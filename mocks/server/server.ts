/** The reference server, with optional faults. */

import type { Streams } from '../../harness/subject/subject.js';
import type { Deviation } from '../fault.js';
import { type HttpOptions, type MockHttp, mockHttp } from './http.js';
import type { Channel } from './interfaces.js';
import { findDeviation } from './lookup.js';
import { type PlainOptions, plainOptions } from './options.js';
import type { SessionOptions } from './session.js';
import { serveStdio } from './stdio.js';

export interface MockServerOptions extends PlainOptions {
  /** Faults, by id or as values. */
  readonly faults?: readonly (string | Deviation)[];
  /** Legal but unusual behaviours, by id or as values. */
  readonly quirks?: readonly (string | Deviation)[];
}

export interface MockServer {
  /** Serves standard streams as one process; resolves with its exit code. */
  serve(streams: Streams): Promise<number>;
  /**
   * Handles HTTP requests, for `host()` or any server of web-standard handlers. @param process terminated by
   * a crash
   */
  http(options?: HttpOptions, process?: Pick<Channel, 'exit' | 'warn'>): MockHttp;
}

/** @throws {Error} for an unknown fault, quirk or revision */
export function mockServer(options: MockServerOptions = {}): MockServer {
  const deviations = [
    ...(options.faults ?? []).map(f => findDeviation('fault', f)),
    ...(options.quirks ?? []).map(q => findDeviation('quirk', q)),
  ];
  const make = plainOptions(options);
  const sessionOptions = (): SessionOptions => ({ ...make(), deviations });
  return {
    serve: streams => serveStdio(streams, sessionOptions()),
    http: (http, process) => mockHttp(sessionOptions, deviations, http, process),
  };
}
