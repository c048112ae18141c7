/** The handlers of the mock: one file per page of the specification. */

import { cancellationListeners } from './cancellation.js';
import { completionHandlers } from './completion.js';
import { statelessHandlers } from './discover.js';
import type { Handler, Listener } from './handler.js';
import { lifecycleHandlers, lifecycleListeners } from './lifecycle.js';
import { loggingHandlers } from './logging.js';
import { pingHandlers } from './ping.js';
import { promptHandlers } from './prompts.js';
import { resourceHandlers } from './resources.js';
import { rootsListeners } from './roots.js';
import { taskHandlers } from './tasks.js';
import { toolHandlers } from './tools.js';

/** Requests; their params already match the schema of the revision. */
export const handlers: Readonly<Record<string, Handler>> = {
  ...lifecycleHandlers,
  ...statelessHandlers,
  ...pingHandlers,
  ...toolHandlers,
  ...resourceHandlers,
  ...promptHandlers,
  ...completionHandlers,
  ...loggingHandlers,
  ...taskHandlers,
};

/** Notifications; malformed ones are dropped earlier. */
export const listeners: Readonly<Record<string, Listener>> = {
  ...lifecycleListeners,
  ...cancellationListeners,
  ...rootsListeners,
};
