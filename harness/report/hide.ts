/** Secrets in the events of a run: hidden in texts, never in the names of rows and cases. */

import type { Finding } from '../judge/finding.js';
import type { Secrets } from '../record/redaction.js';
import type { RunEvent } from './run-event.js';

/** The event without secrets. Those in `wire` events were hidden when the events were recorded. */
export function hideInRunEvent(event: RunEvent, secrets: Secrets): RunEvent {
  if (secrets.isEmpty) return event;
  switch (event.kind) {
    case 'finding': {
      // nearly all findings are passes, which consist of numbers
      if (isWithoutTexts(event.finding)) return event;
      const { requirement, verdict, source, ...texts } = event.finding;
      return { ...event, finding: { ...secrets.hideIn(texts), requirement, verdict, source } };
    }
    case 'run-start': {
      const { subject, options } = event;
      return { ...event, subject: secrets.hideIn(subject), options: secrets.hideIn(options) };
    }
    case 'revision-start': {
      const { info, capabilities, offers, subject } = secrets.hideIn({
        info: event.info,
        capabilities: event.capabilities,
        offers: event.offers,
        subject: event.subject,
      });
      return { ...event, info, capabilities, offers, ...(subject && { subject }) };
    }
    case 'run-end': {
      const { unjudged, stale } = secrets.hideIn({ unjudged: event.unjudged, stale: event.stale });
      return { ...event, ...(unjudged && { unjudged }), ...(stale && { stale }) };
    }
    default:
      return event;
  }
}

const isWithoutTexts = ({ expected, actual, message, counterexample }: Finding): boolean =>
  expected === undefined && actual === undefined && message === undefined && counterexample === undefined;
