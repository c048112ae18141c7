import { examples as authorizationClient } from './authorization-client.js';
import { examples as authorizationServer } from './authorization-server.js';
import { examples as batch } from './batch.js';
import { examples as clientAnswers } from './client-answers.js';
import { examples as clientFeatures } from './client-features.js';
import { examples as clientHttp, olderExamples as clientHttpSse } from './client-http.js';
import { examples as clientStdio } from './client-stdio.js';
import type { ExampleTable } from './example.js';
import { examples as features } from './features.js';
import { examples as httpSse } from './http-sse.js';
import { examples as jsonRpc } from './json-rpc.js';
import { examples as lifecycle } from './lifecycle.js';
import { examples as protectedServers } from './protected.js';
import { examples as stdio } from './stdio.js';
import { examples as streamableHttp } from './streamable-http.js';
import { examples as tasks } from './tasks.js';
import { examples as tasksHttp } from './tasks-http.js';
import { examples as utilities } from './utilities.js';

export const examples: ExampleTable = {
  ...jsonRpc,
  ...batch,
  ...stdio,
  ...streamableHttp,
  ...httpSse,
  ...clientHttp,
  ...clientHttpSse,
  ...clientStdio,
  ...lifecycle,
  ...utilities,
  ...features,
  ...clientFeatures,
  ...clientAnswers,
  ...tasks,
  ...tasksHttp,
  ...protectedServers,
  ...authorizationServer,
  ...authorizationClient,
};
