/** Run by vitest.test.ts: what cannot be started. */

import { spawn } from '../../subject/subject.js';
import { conformance } from '../vitest.js';

await conformance({ subject: spawn('node', ['no-such-server.js']) });
