/** The passive monitor: every rule, judging any recorded conversation. */

import type { Rule, RunRule } from '../../harness/rule.js';
import { rules as authorizationClient } from './authorization-client.js';
import { rules as authorizationServer } from './authorization-server.js';
import { rules as batch } from './batch.js';
import { rules as cancellation } from './cancellation.js';
import { rules as capabilities } from './capabilities.js';
import { rules as clientHttp } from './client-http.js';
import { rules as clientHttpSse } from './client-http-sse.js';
import { rules as clientSessions } from './client-sessions.js';
import { rules as clientStdio } from './client-stdio.js';
import { rules as clientStreams } from './client-streams.js';
import { rules as completion } from './completion.js';
import { rules as elicitation } from './elicitation.js';
import { rules as elicitationClient } from './elicitation-client.js';
import { rules as elicitationUrls } from './elicitation-urls.js';
import { rules as httpSse } from './http-sse.js';
import { rules as httpStreams } from './http-streams.js';
import { rules as jsonRpc } from './json-rpc.js';
import { rules as lifecycle } from './lifecycle.js';
import { rules as lifecycleClient } from './lifecycle-client.js';
import { rules as logging } from './logging.js';
import { rules as meta } from './meta.js';
import { rules as pagination } from './pagination.js';
import { rules as paginationClient } from './pagination-client.js';
import { rules as ping } from './ping.js';
import { rules as progress } from './progress.js';
import { rules as prompts } from './prompts.js';
import { rules as protectedServers } from './protected.js';
import { rules as reach } from './reach.js';
import { rules as resources } from './resources.js';
import { rules as rootsClient } from './roots-client.js';
import { rules as sampling } from './sampling.js';
import { rules as samplingClient } from './sampling-client.js';
import { rules as schema } from './schema.js';
import { rules as sessions } from './sessions.js';
import { rules as stdio } from './stdio.js';
import { rules as streamableHttp } from './streamable-http.js';
import { rules as taskProgress } from './task-progress.js';
import { rules as taskRequests } from './task-requests.js';
import { rules as tasks } from './tasks.js';
import { rules as tasksHttp } from './tasks-http.js';
import { rules as tools } from './tools.js';
import { rules as vocabulary } from './vocabulary.js';

export const rules: readonly (Rule | RunRule)[] = [
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
  ...authorizationClient,
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
  ...tasksHttp,
  ...taskProgress,
  ...taskRequests,
  ...meta,
  ...protectedServers,
  ...authorizationServer,
];
