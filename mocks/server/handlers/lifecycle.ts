/** basic/lifecycle: initialization. */

import { toolVersion } from '../../../harness/version.js';
import { isObject, type JsonObject } from '../../../spec/json-rpc.js';
import type { Call } from '../interfaces.js';
import { codes, Refusal } from '../refusal.js';
import type { Handler, Listener } from './handler.js';

function initialize(params: JsonObject, { session, scope }: Call): JsonObject {
  if (session.opened) throw new Refusal(codes.invalidRequest, 'The session is already initialized.');
  const offered = session.options.revisions;
  // the requested version if supported, otherwise the newest: the client decides whether to continue
  session.revision = offered.find(r => r.id === params.protocolVersion) ?? offered.at(-1)!;
  session.opened = true;
  session.clientCapabilities = isObject(params.capabilities) ? params.capabilities : {};
  const { instructions, title } = session.world;
  return {
    protocolVersion: session.revision.id,
    capabilities: session.capabilities,
    serverInfo: { name: 'mcp-conform-mock', ...(scope.features.titles && { title }), version: toolVersion },
    instructions,
  };
}

export const lifecycleHandlers: Record<string, Handler> = { initialize: { run: initialize } };

export const lifecycleListeners: Record<string, Listener> = {
  'notifications/initialized': (_params, session) => {
    if (session.opened) session.initialized = true;
  },
};
