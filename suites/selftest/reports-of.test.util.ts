/** Test support: the reports of a run in every format. */

import { UsageError } from '../../harness/report/pattern.js';
import type { RunEvent } from '../../harness/report/run-event.js';
import { type ReporterName, reporters } from '../../reports/reporters.js';

export async function collect(events: AsyncIterable<RunEvent>): Promise<RunEvent[]> {
  const all: RunEvent[] = [];
  for await (const event of events) all.push(event);
  return all;
}

/** The output of every reporter for a run, with all details. */
export async function reportsOf(events: readonly RunEvent[]): Promise<Record<string, string>> {
  const texts: Record<string, string> = {};
  for (const name of Object.keys(reporters) as ReporterName[]) {
    let text = '';
    const write = (more: string | Uint8Array) => {
      text += String(more);
      return true;
    };
    const reporter = reporters[name]({
      out: { write },
      isTTY: false,
      color: false,
      verbose: true,
      quiet: false,
      columns: 400,
      stepSummary: { write },
      finding: '1',
    });
    try {
      for (const event of events) reporter.event(event);
      await reporter.end?.();
    } catch (error) {
      // the report about one finding, of a run without findings
      if (!(error instanceof UsageError && name === 'issue')) throw error;
      text = error.message;
    }
    texts[name] = text;
  }
  return texts;
}
