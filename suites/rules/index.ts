/** The passive monitor: all rules, for any recorded conversation. */

import type { Rule, RunRule } from '../../harness/judge/rule.js';
import { rules as authorizationServer } from './authorization-server/authorization.js';
import { rules as batch } from './both/batch.js';
import { rules as cancellation } from './both/cancellation.js';
import { rules as capabilities } from './both/capabilities.js';
import { rules as jsonRpc } from './both/json-rpc.js';
import { rules as meta } from './both/meta.js';
import { rules as ping } from './both/ping.js';
import { rules as progress } from './both/progress.js';
import { rules as relatedTask } from './both/related-task.js';
import { rules as schema } from './both/schema.js';
import { rules as taskProgress } from './both/task-progress.js';
import { rules as taskRequests } from './both/task-requests.js';
import { rules as tasks } from './both/tasks.js';
import { rules as tasksHttp } from './both/tasks-http.js';
import { rules as vocabulary } from './both/vocabulary.js';
import { rules as authorizationClient } from './client/authorization.js';
import { rules as authorizationTokens } from './client/authorization-tokens.js';
import { rules as elicitationClient } from './client/elicitation.js';
import { rules as clientExtTasks } from './client/ext-tasks.js';
import { rules as clientHttpHeaders } from './client/http-headers.js';
import { rules as clientHttpSse } from './client/http-sse.js';
import { rules as lifecycleClient } from './client/lifecycle.js';
import { rules as clientMeta } from './client/meta.js';
import { rules as clientMrtr } from './client/mrtr.js';
import { rules as paginationClient } from './client/pagination.js';
import { rules as rootsClient } from './client/roots.js';
import { rules as samplingClient } from './client/sampling.js';
import { rules as clientSessions } from './client/sessions.js';
import { rules as clientStdio } from './client/stdio.js';
import { rules as clientHttp } from './client/streamable-http.js';
import { rules as clientStreams } from './client/streams.js';
import { rules as clientTransport } from './client/transport.js';
import { rules as reach } from './derived/bind-address.js';
import { rules as protectedServers } from './server/authorization.js';
import { rules as caching } from './server/caching.js';
import { rules as completion } from './server/completion.js';
import { rules as discover } from './server/discover.js';
import { rules as elicitation } from './server/elicitation.js';
import { rules as elicitationUrls } from './server/elicitation-urls.js';
import { rules as errorCodes } from './server/error-codes.js';
import { rules as extApps } from './server/ext-apps.js';
import { rules as extSkills } from './server/ext-skills.js';
import { rules as extTasks } from './server/ext-tasks.js';
import { rules as headerAnnotations } from './server/header-annotations.js';
import { rules as httpSse } from './server/http-sse.js';
import { rules as lifecycle } from './server/lifecycle.js';
import { rules as logging } from './server/logging.js';
import { rules as mrtr } from './server/mrtr.js';
import { rules as pagination } from './server/pagination.js';
import { rules as prompts } from './server/prompts.js';
import { rules as resources } from './server/resources.js';
import { rules as result } from './server/result.js';
import { rules as sampling } from './server/sampling.js';
import { rules as sessions } from './server/sessions.js';
import { rules as stateless } from './server/stateless.js';
import { rules as statelessHttp } from './server/stateless-http.js';
import { rules as stdio } from './server/stdio.js';
import { rules as streamableHttp } from './server/streamable-http.js';
import { rules as httpStreams } from './server/streams.js';
import { rules as subscriptions } from './server/subscriptions.js';
import { rules as tools } from './server/tools.js';

export const rules: readonly (Rule | RunRule)[] = [
  ...result,
  ...errorCodes,
  ...discover,
  ...caching,
  ...mrtr,
  ...subscriptions,
  ...headerAnnotations,
  ...stateless,
  ...statelessHttp,
  ...jsonRpc,
  ...batch,
  ...stdio,
  ...streamableHttp,
  ...httpStreams,
  ...sessions,
  ...httpSse,
  ...reach,
  ...clientHttp,
  ...clientStreams,
  ...clientSessions,
  ...clientHttpSse,
  ...clientStdio,
  ...clientMeta,
  ...clientMrtr,
  ...clientHttpHeaders,
  ...clientTransport,
  ...authorizationClient,
  ...authorizationTokens,
  ...schema,
  ...vocabulary,
  ...lifecycle,
  ...lifecycleClient,
  ...ping,
  ...capabilities,
  ...pagination,
  ...paginationClient,
  ...progress,
  ...cancellation,
  ...tools,
  ...resources,
  ...prompts,
  ...completion,
  ...logging,
  ...sampling,
  ...samplingClient,
  ...elicitation,
  ...elicitationClient,
  ...rootsClient,
  ...elicitationUrls,
  ...tasks,
  ...extApps,
  ...extSkills,
  ...extTasks,
  ...clientExtTasks,
  ...relatedTask,
  ...tasksHttp,
  ...taskProgress,
  ...taskRequests,
  ...meta,
  ...protectedServers,
  ...authorizationServer,
];
