/** The report of the contract as one JSON document, written at the end of the run. */

import { Summary } from '../harness/report/summary.js';
import { safeJson } from './escape.js';
import type { ReporterFactory } from './reporter.js';

export const json: ReporterFactory = ({ out }) => {
  const summary = new Summary();
  return {
    event(event) {
      summary.add(event);
      if (event.kind === 'run-end') out.write(`${safeJson(summary.report(), 2)}\n`);
    },
  };
};
