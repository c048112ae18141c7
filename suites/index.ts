/** Everything mcp-conform tests. */

import type { Suite } from '../harness/plan.js';
import { scenarios as authorizationServer } from './authorization-server/index.js';
import { scenarios as client } from './client/index.js';
import { world } from './client/world.js';
import { serverSuite } from './server/index.js';

export const suite: Suite = {
  ...serverSuite,
  scenarios: [...serverSuite.scenarios, ...client, ...authorizationServer],
  world,
};
