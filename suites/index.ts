/** Everything mcp-conform tests. A file that is not listed here does not run. */

import type { Suite } from '../harness/plan.js';
import { rules } from './rules/index.js';
import { scenarios as base } from './server/base.js';
import { scenarios as lifecycle } from './server/lifecycle.js';
import { scenarios as ping } from './server/ping.js';

export const suite: Suite = {
  scenarios: [...base, ...lifecycle, ...ping],
  rules,
};
