/** basic/lifecycle: the handshake. */

import { toolVersion } from '../../../harness/version.js';
import { isObject, type JsonObject } from '../../../spec/json-rpc.js';
import type { Call } from '../call.js';
import { codes, Refusal } from '../refusal.js';
import type { Handler, Listener } from './index.js';

function initialize(params: JsonObject, { session }: Call): JsonObject {
  if (session.opened) throw new Refusal(codes.invalidRequest, 'This conversation has been opened before.');
  const offered = session.options.revisions;
  // the version asked for if there is one, else the newest: the client decides whether to go on
  session.revision = offered.find(r => r.id === params.protocolVersion) ?? offered.at(-1)!;
  session.opened = true;
  session.clientCapabilities = isObject(params.capabilities) ? params.capabilities : {};
  const { instructions, title } = session.world;
  return {
    protocolVersion: session.revision.id,
    capabilities: session.capabilities,
    serverInfo: { name: 'mcp-conform-mock', ...(session.features.titles && { title }), version: toolVersion },
    instructions,
  };
}

export const lifecycleHandlers: Record<string, Handler> = { initialize: { run: initialize } };

export const lifecycleListeners: Record<string, Listener> = {
  'notifications/initialized': (_params, session) => {
    if (session.opened) session.initialized = true;
  },
};
