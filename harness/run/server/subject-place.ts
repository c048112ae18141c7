/** How a report names the server under test. */

import type { SubjectPlace } from '../../report/run-event.js';
import type { Subject } from '../../subject/subject.js';
import { redactUrl } from '../../transports/http/headers.js';

export function describeSubject(subject: Subject): SubjectPlace {
  const process = 'url' in subject ? subject.process : subject;
  return {
    command: process?.command ?? null,
    url: 'url' in subject ? redactUrl(new URL(subject.url)) : null,
    ...(process && { cwd: process.cwd }),
  };
}
