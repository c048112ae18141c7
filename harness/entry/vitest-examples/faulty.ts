/** Run by vitest.test.ts in a separate vitest process: a server with a fault and one known failure. */

import { mockServer } from '../../../mocks/server/server.js';
import { inProcess } from '../../subject/subject.js';
import { conformance } from '../vitest.js';

await conformance({
  subject: inProcess(streams => mockServer({ faults: ['answer-notification'] }).serve(streams)),
  run: ['server/base/**'],
  ...(process.env.KNOWN_FAILING && { knownFailing: process.env.KNOWN_FAILING }),
});
