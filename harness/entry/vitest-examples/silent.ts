/** Run by vitest.test.ts: a subject that fails to start. */

import { spawn } from '../../subject/subject.js';
import { conformance } from '../vitest.js';

await conformance({ subject: spawn('node', ['no-such-server.js']) });
