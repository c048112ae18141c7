/** server/resources. */

import type { JsonObject } from '../../../spec/json-rpc.js';
import { skillFile } from '../extensions/skills.js';
import type { Call } from '../interfaces.js';
import { codes, Refusal } from '../refusal.js';
import { listed } from '../world.js';
import type { Handler } from './handler.js';

const list = (params: JsonObject, call: Call): JsonObject =>
  listed('resources', call.session.world.resources, params, call);

const listTemplates = (params: JsonObject, call: Call): JsonObject =>
  listed('resourceTemplates', call.session.world.templates, params, call);

/** The target of a URI: a listed resource, or one of a template. @throws {Refusal} for an unknown URI */
function contentsOf(uri: string, call: Call): JsonObject {
  const { session, scope } = call;
  if (!/^[a-z][a-z0-9+.-]*:[\x21-\x7e]*$/i.test(uri))
    throw new Refusal(codes.invalidParams, 'The URI is invalid.');
  const { world } = session;
  const { features } = scope;
  const resource = world.resources.find(r => r.definition.uri === uri);
  if (resource) return { uri, ...resource.read() };
  const file = skillFile(uri, call);
  if (file) return { uri, ...file };
  for (const template of world.templates) {
    const match = template.matches.exec(uri);
    if (match) return { uri, ...template.read(match.slice(1).map(decode)) };
  }
  throw new Refusal(features.notFoundCode, 'The resource does not exist.', { uri });
}

const decode = (part: string | undefined): string => {
  try {
    return decodeURIComponent(part ?? '');
  } catch {
    return part ?? '';
  }
};

function subscribe(params: JsonObject, call: Call): JsonObject {
  const uri = String(params.uri);
  contentsOf(uri, call);
  call.session.subscriptions.add(uri);
  return {};
}

function unsubscribe(params: JsonObject, { session }: Call): JsonObject {
  session.subscriptions.delete(String(params.uri));
  return {};
}

export const resourceHandlers: Record<string, Handler> = {
  'resources/list': { needs: 'resources', run: list },
  'resources/templates/list': { needs: 'resources', run: listTemplates },
  'resources/read': {
    needs: 'resources',
    run: (params, call) => ({ contents: [contentsOf(String(params.uri), call)] }),
  },
  'resources/subscribe': { needs: 'resources.subscribe', run: subscribe },
  'resources/unsubscribe': { needs: 'resources.subscribe', run: unsubscribe },
};
