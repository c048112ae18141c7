/** All suites of mcp-conform. */

import type { Suite } from '../harness/run/plan.js';
import { scenarios as authorizationServer } from './authorization-server/index.js';
import { clientSuite } from './client/index.js';
import { serverSuite } from './server/index.js';

export const suite: Suite = {
  ...serverSuite,
  ...clientSuite,
  scenarios: [...serverSuite.scenarios, ...clientSuite.scenarios, ...authorizationServer],
};
