/** Everything mcp-conform tests. A file that is not listed here does not run. */

import type { Suite } from '../harness/plan.js';
import { claimed, wellKnown } from './fixtures.js';
import { rules } from './rules/index.js';
import { scenarios as base } from './server/base.js';
import { scenarios as batching } from './server/batching.js';
import { scenarios as cancellation } from './server/cancellation.js';
import { scenarios as completion } from './server/completion.js';
import { scenarios as elicitation } from './server/elicitation.js';
import { scenarios as httpSse } from './server/http-sse.js';
import { scenarios as lifecycle } from './server/lifecycle.js';
import { scenarios as logging } from './server/logging.js';
import { scenarios as pagination } from './server/pagination.js';
import { scenarios as ping } from './server/ping.js';
import { scenarios as progress } from './server/progress.js';
import { scenarios as prompts } from './server/prompts.js';
import { scenarios as resources } from './server/resources.js';
import { scenarios as roots } from './server/roots.js';
import { scenarios as sampling } from './server/sampling.js';
import { scenarios as stdio } from './server/stdio.js';
import { scenarios as streamableHttp } from './server/streamable-http.js';
import { scenarios as taskQuestions } from './server/task-questions.js';
import { scenarios as taskRequests } from './server/task-requests.js';
import { scenarios as tasks } from './server/tasks.js';
import { scenarios as tools } from './server/tools.js';

const serverScenarios = [
  lifecycle,
  base,
  stdio,
  streamableHttp,
  httpSse,
  ping,
  batching,
  pagination,
  tools,
  resources,
  prompts,
  completion,
  logging,
  progress,
  cancellation,
  sampling,
  elicitation,
  roots,
  tasks,
  taskQuestions,
  taskRequests,
].flat();

export const suite: Suite = { scenarios: serverScenarios, rules, claimed, wellKnown };
