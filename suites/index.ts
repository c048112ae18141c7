/** Everything mcp-conform tests. A file that is not listed here does not run. */

import type { Suite } from '../harness/plan.js';
import { scenarios as authorize } from './authorization-server/authorize.js';
import { scenarios as clientDocuments } from './authorization-server/client-documents.js';
import { scenarios as metadata } from './authorization-server/metadata.js';
import { scenarios as proxy } from './authorization-server/proxy.js';
import { scenarios as refresh } from './authorization-server/refresh.js';
import { scenarios as registration } from './authorization-server/registration.js';
import { scenarios as token } from './authorization-server/token.js';
import { scenarios as clientAnswers } from './client/authorization/answers.js';
import { scenarios as clientDiscovery } from './client/authorization/discovery.js';
import { scenarios as clientFlow } from './client/authorization/flow.js';
import { scenarios as clientLegacy } from './client/authorization/legacy.js';
import { scenarios as clientMetadata } from './client/authorization/metadata.js';
import { scenarios as clientRegistration } from './client/authorization/registration.js';
import { scenarios as clientScopes } from './client/authorization/scopes.js';
import { scenarios as clientTokens } from './client/authorization/tokens.js';
import { scenarios as clientBase } from './client/base.js';
import { scenarios as clientBatching } from './client/batching.js';
import { scenarios as clientCancellation } from './client/cancellation.js';
import { scenarios as clientCompletion } from './client/completion.js';
import { scenarios as clientElicitation } from './client/elicitation.js';
import { scenarios as clientHttpSse } from './client/http-sse.js';
import { scenarios as clientLifecycle } from './client/lifecycle.js';
import { scenarios as clientLogging } from './client/logging.js';
import { scenarios as clientPagination } from './client/pagination.js';
import { scenarios as clientPing } from './client/ping.js';
import { scenarios as clientProgress } from './client/progress.js';
import { scenarios as clientPrompts } from './client/prompts.js';
import { scenarios as clientResources } from './client/resources.js';
import { scenarios as clientRoots } from './client/roots.js';
import { scenarios as clientSampling } from './client/sampling.js';
import { scenarios as clientStdio } from './client/stdio.js';
import { scenarios as clientStreamableHttp } from './client/streamable-http.js';
import { scenarios as clientStreams } from './client/streams.js';
import { scenarios as clientTaskRequests } from './client/task-requests.js';
import { scenarios as clientTasks } from './client/tasks.js';
import { scenarios as clientTimeouts } from './client/timeouts.js';
import { scenarios as clientTools } from './client/tools.js';
import { world } from './client/world.js';
import { claimed, wellKnown } from './fixtures.js';
import { rules } from './rules/index.js';
import { scenarios as authorization } from './server/authorization.js';
import { scenarios as authorized } from './server/authorized.js';
import { scenarios as base } from './server/base.js';
import { scenarios as batching } from './server/batching.js';
import { scenarios as cancellation } from './server/cancellation.js';
import { scenarios as completion } from './server/completion.js';
import { scenarios as dialects } from './server/dialects.js';
import { scenarios as elicitation } from './server/elicitation.js';
import { scenarios as generatedFeatures } from './server/generated/features.js';
import { scenarios as generatedIds } from './server/generated/ids.js';
import { scenarios as generatedMethods } from './server/generated/methods.js';
import { scenarios as generatedParams } from './server/generated/params.js';
import { scenarios as generatedSequences } from './server/generated/sequences.js';
import { scenarios as generatedText } from './server/generated/text.js';
import { scenarios as generatedTools } from './server/generated/tools.js';
import { scenarios as httpSse } from './server/http-sse.js';
import { scenarios as lifecycle } from './server/lifecycle.js';
import { scenarios as logging } from './server/logging.js';
import { scenarios as pagination } from './server/pagination.js';
import { scenarios as ping } from './server/ping.js';
import { scenarios as progress } from './server/progress.js';
import { scenarios as prompts } from './server/prompts.js';
import { scenarios as resourceMetadata } from './server/resource-metadata.js';
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
  dialects,
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
  authorization,
  resourceMetadata,
  authorized,
  // what they say in the conversation that all share comes after what others want to see there
  generatedIds,
  generatedMethods,
  generatedParams,
  generatedFeatures,
  generatedTools,
  generatedText,
  generatedSequences,
].flat();

const authorizationServerScenarios = [
  metadata,
  registration,
  authorize,
  token,
  refresh,
  clientDocuments,
  proxy,
].flat();

const clientScenarios = [
  // what waits longest begins first
  clientTimeouts,
  clientLifecycle,
  clientBase,
  clientStdio,
  clientStreamableHttp,
  clientStreams,
  clientHttpSse,
  clientPing,
  clientTools,
  clientPrompts,
  clientResources,
  clientPagination,
  clientSampling,
  clientElicitation,
  clientRoots,
  clientBatching,
  clientCancellation,
  clientProgress,
  clientCompletion,
  clientLogging,
  clientTasks,
  clientTaskRequests,
  clientFlow,
  clientDiscovery,
  clientMetadata,
  clientLegacy,
  clientRegistration,
  clientScopes,
  clientTokens,
  clientAnswers,
].flat();

export const suite: Suite = {
  scenarios: [...serverScenarios, ...clientScenarios, ...authorizationServerScenarios],
  rules,
  claimed,
  wellKnown,
  world,
};
