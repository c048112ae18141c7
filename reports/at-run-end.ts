/** Base of most reports: no output during the run, then one text made from all events. */

import type { RunStart } from '../harness/report/run-event.js';
import { type Report, Summary } from '../harness/report/summary.js';
import type { View } from './console-failure.js';
import type { Reporter } from './reporter.js';
import { makeStyle } from './style.js';
import { subjectRole, WireLog } from './wire.js';

/** A finished run. */
export interface RunResult {
  readonly report: Report;
  readonly start: RunStart;
  readonly wire: WireLog;
  /** Titles of the cases, by full name. */
  readonly titles: ReadonlyMap<string, string>;
}

/**
 * A reporter that collects the whole run and writes at its end; for an aborted run it writes nothing.
 * @param write called once, at run-end
 */
export function atRunEnd(write: (told: RunResult) => void): Reporter {
  const summary = new Summary();
  const wire = new WireLog();
  const titles = new Map<string, string>();
  let start: RunStart | undefined;
  return {
    event(event) {
      summary.add(event);
      if (event.kind === 'run-start') start = event;
      else if (event.kind === 'wire') wire.add(event.event);
      else if (event.kind === 'case-start') titles.set(event.name, event.title);
      else if (event.kind === 'run-end') write({ report: summary.report(), start: start!, wire, titles });
    },
  };
}

/** View for console blocks without a terminal: no colours, lines of a readable width. */
export const plainView = ({ report, wire }: RunResult, more: Partial<View> = {}): View => ({
  style: makeStyle(false),
  columns: 100,
  isTTY: false,
  verbose: false,
  subject: subjectRole(report.role),
  wire,
  ...more,
});
