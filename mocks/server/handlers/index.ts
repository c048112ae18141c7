/** The handlers of the mock: one file per page of the specification. */

import type { JsonObject } from '../../../spec/json-rpc.js';
import type { Call } from '../call.js';
import type { Session } from '../session.js';
import { cancellationListeners } from './cancellation.js';
import { completionHandlers } from './completion.js';
import { statelessHandlers } from './discover.js';
import { lifecycleHandlers, lifecycleListeners } from './lifecycle.js';
import { loggingHandlers } from './logging.js';
import { pingHandlers } from './ping.js';
import { promptHandlers } from './prompts.js';
import { resourceHandlers } from './resources.js';
import { rootsListeners } from './roots.js';
import { taskHandlers } from './tasks.js';
import { toolHandlers } from './tools.js';

export interface Handler {
  /** The capability without which the method is unknown, as a dotted path. */
  readonly needs?: string;
  /** @throws {Refusal} to respond with an error */
  readonly run: (params: JsonObject, call: Call) => JsonObject | Promise<JsonObject>;
}

export type Listener = (params: JsonObject, session: Session) => void;

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
