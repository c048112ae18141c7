import type { RequirementId } from '../../spec/requirement.js';
import { examples as authorizationServer } from './authorization-server/authorization.examples.js';
import { examples as batch } from './both/batch.examples.js';
import { examples as jsonRpc } from './both/json-rpc.examples.js';
import { examples as tasks } from './both/tasks.examples.js';
import { examples as tasksHttp } from './both/tasks-http.examples.js';
import { examples as utilities } from './both/utilities.examples.js';
import { examples as clientAnswers } from './client/answers.examples.js';
import {
  examples as authorizationClient,
  statelessExamples as authorizationClientStateless,
} from './client/authorization.examples.js';
import { examples as clientExtTasks } from './client/ext-tasks.examples.js';
import { examples as clientFeatures } from './client/features.examples.js';
import { examples as clientStateless } from './client/stateless.examples.js';
import { examples as clientStdio } from './client/stdio.examples.js';
import { examples as clientHttp, olderExamples as clientHttpSse } from './client/streamable-http.examples.js';
import type { ExampleTable } from './example.test.util.js';
import {
  examples as protectedServers,
  statelessExamples as protectedServersStateless,
} from './server/authorization.examples.js';
import { examples as extApps } from './server/ext-apps.examples.js';
import { examples as extSkills } from './server/ext-skills.examples.js';
import { examples as extTasks } from './server/ext-tasks.examples.js';
import { examples as features } from './server/features.examples.js';
import { examples as httpSse } from './server/http-sse.examples.js';
import { examples as lifecycle } from './server/lifecycle.examples.js';
import { examples as stateless } from './server/stateless.examples.js';
import { examples as stdio } from './server/stdio.examples.js';
import { examples as streamableHttp } from './server/streamable-http.examples.js';

const tables: readonly ExampleTable[] = [
  jsonRpc,
  batch,
  stdio,
  streamableHttp,
  httpSse,
  clientHttp,
  clientHttpSse,
  clientStdio,
  lifecycle,
  utilities,
  features,
  stateless,
  clientFeatures,
  clientAnswers,
  clientStateless,
  tasks,
  tasksHttp,
  extApps,
  extSkills,
  extTasks,
  clientExtTasks,
  protectedServers,
  protectedServersStateless,
  authorizationServer,
  authorizationClient,
  authorizationClientStateless,
];

/** All examples by row: a row that binds both sides has some in the files of each. */
function merged(): ExampleTable {
  const all: ExampleTable = {};
  for (const table of tables)
    for (const [key, { good, legal = [], bad }] of Object.entries(table)) {
      const before = all[key as RequirementId] ?? { good: [], legal: [], bad: [] };
      all[key as RequirementId] = {
        good: [...before.good, ...good],
        legal: [...(before.legal ?? []), ...legal],
        bad: [...before.bad, ...bad],
      };
    }
  return all;
}

export const examples: ExampleTable = merged();
