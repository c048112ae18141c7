/** The reference client, with optional faults: runs a script over any transport. */

import type { ClientDeviation } from './fault.js';
import { findClientDeviation } from './lookup.js';
import {
  type MockClientStreams,
  type MockClientTask,
  type ProcessOptions,
  performTask,
  spokenRevisions,
} from './process.js';

export type { MockClientStreams, MockClientTask } from './process.js';

export interface MockClientOptions extends ProcessOptions {
  /** Faults, by id or as values. */
  readonly faults?: readonly (string | ClientDeviation)[];
  /** Legal but unusual behaviours, by id or as values. */
  readonly quirks?: readonly (string | ClientDeviation)[];
}

export interface MockClient {
  /** Runs the task; resolves with the exit code of the process that it represents. */
  perform(task: MockClientTask, streams: MockClientStreams): Promise<number>;
}

/** @throws {Error} for an unknown fault, quirk or revision */
export function mockClient({ faults = [], quirks = [], ...options }: MockClientOptions = {}): MockClient {
  spokenRevisions(options.revisions);
  const deviations = [
    ...faults.map(fault => findClientDeviation('fault', fault)),
    ...quirks.map(quirk => findClientDeviation('quirk', quirk)),
  ];
  return { perform: (task, streams) => performTask(task, streams, options, deviations) };
}
