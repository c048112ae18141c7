/** Run by vitest.test.ts in a vitest of its own: a server with a fault, of which one failure is known. */

import { mockServer } from '../../../mocks/server/server.js';
import { inProcess } from '../../subject/subject.js';
import { conformance } from '../vitest.js';

await conformance({
  subject: inProcess(streams => mockServer({ faults: ['answer-notification'] }).serve(streams)),
  run: ['server/base/**'],
  ...(process.env.KNOWN_FAILING && { knownFailing: process.env.KNOWN_FAILING }),
});
