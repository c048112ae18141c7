/** The suite for clients. A file that is not listed here does not run. */

import type { Suite } from '../../harness/run/plan.js';
import { rules } from '../rules/index.js';
import { scenarios as answers } from './authorization/answers.js';
import { scenarios as discovery } from './authorization/discovery.js';
import { scenarios as flow } from './authorization/flow.js';
import { scenarios as issuer } from './authorization/issuer.js';
import { scenarios as legacy } from './authorization/legacy.js';
import { scenarios as metadata } from './authorization/metadata.js';
import { scenarios as registration } from './authorization/registration.js';
import { scenarios as scopes } from './authorization/scopes.js';
import { scenarios as tokens } from './authorization/tokens.js';
import { scenarios as base } from './base.js';
import { scenarios as batching } from './batching.js';
import { scenarios as caching } from './caching.js';
import { scenarios as cancellation } from './cancellation.js';
import { scenarios as completion } from './completion.js';
import { scenarios as elicitation } from './elicitation.js';
import { scenarios as clientCredentials } from './ext-client-credentials.js';
import { scenarios as dpop } from './ext-dpop.js';
import { scenarios as enterprise } from './ext-enterprise.js';
import { scenarios as extTasks } from './ext-tasks.js';
import { scenarios as httpHeaders } from './http-headers.js';
import { scenarios as httpSse } from './http-sse.js';
import { scenarios as icons } from './icons.js';
import { scenarios as lifecycle } from './lifecycle.js';
import { scenarios as logging } from './logging.js';
import { scenarios as mrtr } from './mrtr.js';
import { scenarios as pagination } from './pagination.js';
import { scenarios as ping } from './ping.js';
import { scenarios as progress } from './progress.js';
import { scenarios as prompts } from './prompts.js';
import { scenarios as requests } from './requests.js';
import { scenarios as resources } from './resources.js';
import { scenarios as result } from './result.js';
import { scenarios as roots } from './roots.js';
import { scenarios as sampling } from './sampling.js';
import { scenarios as stdio } from './stdio.js';
import { scenarios as streamableHttp } from './streamable-http.js';
import { scenarios as streams } from './streams.js';
import { scenarios as subscriptions } from './subscriptions.js';
import { scenarios as taskRequests } from './task-requests.js';
import { scenarios as tasks } from './tasks.js';
import { scenarios as timeouts } from './timeouts.js';
import { scenarios as tools } from './tools.js';
import { scenarios as versioning } from './versioning.js';
import { world } from './world.js';

export const scenarios = [
  // the scenario with the longest wait begins first
  timeouts,
  lifecycle,
  base,
  stdio,
  streamableHttp,
  streams,
  httpSse,
  ping,
  tools,
  icons,
  prompts,
  resources,
  pagination,
  sampling,
  elicitation,
  roots,
  batching,
  cancellation,
  progress,
  completion,
  logging,
  mrtr,
  requests,
  httpHeaders,
  versioning,
  subscriptions,
  result,
  caching,
  tasks,
  taskRequests,
  extTasks,
  flow,
  discovery,
  metadata,
  legacy,
  registration,
  issuer,
  scopes,
  tokens,
  answers,
  clientCredentials,
  dpop,
  enterprise,
].flat();

/**
 * Everything that a run against a client needs; the other suites are separate because they take time to load.
 */
export const clientSuite: Suite = { scenarios, rules, world };
