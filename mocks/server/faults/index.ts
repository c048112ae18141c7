/** All faults of servers, by page of the specification. */

import type { Fault } from '../../fault.js';
import { acrossSessionFaults } from './across-sessions.js';
import { batchFaults } from './batch.js';
import { cachingFaults } from './caching.js';
import { cancellationFaults } from './cancellation.js';
import { completionFaults } from './completion.js';
import { discoverFaults } from './discover.js';
import { elicitationFaults } from './elicitation.js';
import { envelopeFaults } from './envelope.js';
import { errorCodeFaults } from './error-codes.js';
import { errorFaults } from './errors.js';
import { everyMethodFaults } from './every-method.js';
import { extAppFaults } from './ext-apps.js';
import { extSkillFaults } from './ext-skills.js';
import { extTaskFaults } from './ext-tasks.js';
import { generatedOnlyFaults } from './generated-only.js';
import { headerAnnotationFaults } from './header-annotations.js';
import { httpSseFaults } from './http-sse.js';
import { jsonRpcFaults } from './json-rpc.js';
import { lifecycleFaults } from './lifecycle.js';
import { loggingFaults } from './logging.js';
import { metaFaults } from './meta.js';
import { mrtrFaults } from './mrtr.js';
import { paginationFaults } from './pagination.js';
import { pingFaults } from './ping.js';
import { progressFaults } from './progress.js';
import { promptFaults } from './prompts.js';
import { resourceFaults } from './resources.js';
import { resultFaults } from './result.js';
import { rootsFaults } from './roots.js';
import { samplingFaults } from './sampling.js';
import { sessionFaults } from './sessions.js';
import { statelessHttpFaults } from './stateless-http.js';
import { stdioFaults } from './stdio.js';
import { streamableHttpFaults } from './streamable-http.js';
import { streamFaults } from './streams.js';
import { subscriptionFaults } from './subscriptions.js';
import { taskRequestFaults } from './task-requests.js';
import { taskFaults } from './tasks.js';
import { toolFaults } from './tools.js';

export const faults: readonly Fault[] = [
  ...jsonRpcFaults,
  ...errorFaults,
  ...batchFaults,
  ...metaFaults,
  ...lifecycleFaults,
  ...stdioFaults,
  ...streamableHttpFaults,
  ...sessionFaults,
  ...streamFaults,
  ...httpSseFaults,
  ...pingFaults,
  ...cancellationFaults,
  ...progressFaults,
  ...toolFaults,
  ...resourceFaults,
  ...promptFaults,
  ...completionFaults,
  ...loggingFaults,
  ...paginationFaults,
  ...samplingFaults,
  ...elicitationFaults,
  ...rootsFaults,
  ...taskFaults,
  ...taskRequestFaults,
  ...extAppFaults,
  ...extSkillFaults,
  ...extTaskFaults,
  ...cachingFaults,
  ...discoverFaults,
  ...envelopeFaults,
  ...everyMethodFaults,
  ...errorCodeFaults,
  ...headerAnnotationFaults,
  ...mrtrFaults,
  ...resultFaults,
  ...statelessHttpFaults,
  ...subscriptionFaults,
  ...acrossSessionFaults,
  ...generatedOnlyFaults,
];
