/** The suite for servers. A file that is not listed here does not run. */

import type { Suite } from '../../harness/run/plan.js';
import { extensionsShown } from '../rules/derived/ext-apps.js';
import { rules } from '../rules/index.js';
import { asking, claimed, wellKnown } from '../shared/fixtures.js';
import { scenarios as authorization } from './authorization.js';
import { scenarios as authorized } from './authorized.js';
import { scenarios as base } from './base.js';
import { scenarios as batching } from './batching.js';
import { beginnings, scenarios as cancellation } from './cancellation.js';
import { scenarios as completion } from './completion.js';
import { scenarios as dialects } from './dialects.js';
import { scenarios as elicitation } from './elicitation.js';
import { scenarios as extApps } from './ext-apps.js';
import { scenarios as extDpop } from './ext-dpop.js';
import { scenarios as extSkills } from './ext-skills.js';
import { scenarios as extTasks } from './ext-tasks.js';
import { scenarios as extTasksAccess } from './ext-tasks-access.js';
import { scenarios as generatedFeatures } from './generated/features.js';
import { scenarios as generatedHttp } from './generated/http.js';
import { scenarios as generatedIds } from './generated/ids.js';
import { scenarios as generatedMethods } from './generated/methods.js';
import { scenarios as generatedParams } from './generated/params.js';
import { scenarios as generatedSequences } from './generated/sequences.js';
import { scenarios as generatedText } from './generated/text.js';
import { scenarios as generatedTools } from './generated/tools.js';
import { scenarios as httpHeaderParameters } from './http-header-parameters.js';
import { scenarios as httpHeaders } from './http-headers.js';
import { scenarios as httpSse } from './http-sse.js';
import { scenarios as lifecycle } from './lifecycle.js';
import { scenarios as logging } from './logging.js';
import { scenarios as meta } from './meta.js';
import { scenarios as mrtr } from './mrtr.js';
import { scenarios as pagination } from './pagination.js';
import { scenarios as ping } from './ping.js';
import { scenarios as progress } from './progress.js';
import { scenarios as prompts } from './prompts.js';
import { scenarios as resourceMetadata } from './resource-metadata.js';
import { scenarios as resources } from './resources.js';
import { scenarios as roots } from './roots.js';
import { scenarios as sampling } from './sampling.js';
import { scenarios as stateless } from './stateless.js';
import { scenarios as stdio } from './stdio.js';
import { scenarios as streamableHttp } from './streamable-http.js';
import { scenarios as streams } from './streams.js';
import { scenarios as subscriptions } from './subscriptions.js';
import { scenarios as taskQuestions } from './task-questions.js';
import { scenarios as taskRequests } from './task-requests.js';
import { scenarios as taskSessions } from './task-sessions.js';
import { scenarios as tasks } from './tasks.js';
import { scenarios as tools } from './tools.js';
import { scenarios as versioning } from './versioning.js';

export const scenarios = [
  beginnings,
  lifecycle,
  versioning,
  meta,
  stateless,
  base,
  stdio,
  streamableHttp,
  streams,
  httpHeaders,
  httpHeaderParameters,
  httpSse,
  ping,
  batching,
  pagination,
  tools,
  dialects,
  resources,
  prompts,
  completion,
  logging,
  progress,
  cancellation,
  sampling,
  elicitation,
  mrtr,
  subscriptions,
  roots,
  tasks,
  taskQuestions,
  taskSessions,
  taskRequests,
  extApps,
  extDpop,
  extSkills,
  extTasks,
  extTasksAccess,
  authorization,
  resourceMetadata,
  authorized,
  // generated values are last, so that their messages in the shared conversation do not disturb other
  // scenarios
  generatedIds,
  generatedMethods,
  generatedParams,
  generatedFeatures,
  generatedTools,
  generatedText,
  generatedHttp,
  generatedSequences,
].flat();

/**
 * Everything that a run against a server needs; the other suites are separate because they take time to load.
 */
export const serverSuite: Suite = { scenarios, rules, asking, claimed, wellKnown, extensionsShown };
