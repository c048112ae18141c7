/** Apps of the MCP Apps extension in a record: the tools that link a UI resource, and what was read of these resources. */

import { keptByText } from '../../../harness/grouped.js';
import { type Conversation, declares, derived } from '../../../harness/record/conversation.js';
import type { Message } from '../../../harness/record/message.js';
import { extensionPath } from '../../../spec/extensions/index.js';
import { asText, isObject, type Json, type JsonObject } from '../../../spec/json-rpc.js';
import { type Answered, answered, objects } from './results.js';

export const appsExtension = 'io.modelcontextprotocol/ui';
export const appType = 'text/html;profile=mcp-app';
const flatKey = 'ui/resourceUri';

const spellsAppType = keptByText(text => text.replace(/[\s"]/g, '').toLowerCase() === appType);

/** The MIME type of apps, in any spelling that RFC 2045 makes equal. */
export const isAppType = (value: Json | undefined): boolean =>
  typeof value === 'string' && spellsAppType(value);

const metaOf = ({ _meta: meta }: JsonObject): JsonObject => (isObject(meta) ? meta : {});

/** `_meta.ui` of a tool, a resource or contents; undefined if there is none. */
export const uiOf = (item: JsonObject): Json | undefined => metaOf(item).ui;

const nestedUri = (tool: JsonObject): Json | undefined => {
  const ui = uiOf(tool);
  return isObject(ui) ? ui.resourceUri : undefined;
};

/** The URI that a tool links, under either key. */
export function linkOf(tool: JsonObject): string | undefined {
  const uri = nestedUri(tool) ?? metaOf(tool)[flatKey];
  return typeof uri === 'string' ? uri : undefined;
}

/** Whether a tool has the deprecated key alone. */
export const isFlat = (tool: JsonObject): boolean =>
  nestedUri(tool) === undefined && typeof metaOf(tool)[flatKey] === 'string';

/** Whether the model may call a tool; the text gives this to tools without visibility. */
const isForModel = (tool: JsonObject): boolean => {
  const ui = uiOf(tool);
  const visibility = isObject(ui) ? ui.visibility : undefined;
  return !Array.isArray(visibility) || visibility.includes('model');
};

/** The extension, where the lists of a server show an app. */
export const extensionsShown = ({
  tools,
  resources,
}: Readonly<Record<'tools' | 'resources', readonly JsonObject[]>>): readonly string[] =>
  tools.some(tool => linkOf(tool) !== undefined) || resources.some(({ mimeType }) => isAppType(mimeType))
    ? [appsExtension]
    : [];

/** Whether the client of a request declares the extension. */
export const isForApps = (conversation: Conversation, request: Message): boolean =>
  declares(conversation.capabilitiesAt(request), extensionPath(appsExtension));

export interface Listed extends Answered {
  readonly item: JsonObject;
}

const itemsOf = (conversation: Conversation, method: string, key: string): readonly Listed[] =>
  answered(conversation, method).flatMap(found =>
    objects(found.result[key]).map(item => ({ ...found, item })),
  );

export const toolsListed = derived((conversation: Conversation) =>
  itemsOf(conversation, 'tools/list', 'tools'),
);
export const resourcesListed = derived((conversation: Conversation) =>
  itemsOf(conversation, 'resources/list', 'resources'),
);

/** The tools that link a resource. */
export const links = derived((conversation: Conversation) =>
  toolsListed(conversation).flatMap(({ item, reply }) => {
    const uri = linkOf(item);
    return uri === undefined ? [] : [{ tool: item, uri, reply }];
  }),
);

/** The URIs that tools link, or that are listed with the MIME type of apps. */
const uiUris = derived(
  (conversation: Conversation): ReadonlySet<string> =>
    new Set([
      ...links(conversation).map(({ uri }) => uri),
      ...resourcesListed(conversation)
        .filter(({ item }) => isAppType(item.mimeType))
        .map(({ item }) => asText(item.uri)),
    ]),
);

/** Whether a server has an app, or declares the extension; others may use `_meta.ui` for another purpose. */
export const hasApps = derived(
  (conversation: Conversation): boolean =>
    uiUris(conversation).size > 0 ||
    declares(conversation.capabilities('server'), extensionPath(appsExtension)),
);

/** The contents of UI resources that were read. */
export const contentsRead = derived((conversation: Conversation): readonly Listed[] =>
  answered(conversation, 'resources/read').flatMap(found => {
    const { uri } = found.request.params ?? {};
    const contents = objects(found.result.contents);
    const own = contents.length === 1 ? contents : contents.filter(item => item.uri === uri);
    return uiUris(conversation).has(asText(uri)) ? own.map(item => ({ ...found, item })) : [];
  }),
);

/** The completed calls of tools with a UI that a model may call, without those whose tool failed. */
export const callsOfApps = derived((conversation: Conversation): readonly Answered[] => {
  const named = new Map(links(conversation).map(({ tool }) => [asText(tool.name), tool]));
  return answered(conversation, 'tools/call').filter(({ request, result }) => {
    const tool = named.get(asText(request.params?.name));
    const { resultType = 'complete', isError, task } = result;
    return tool && isForModel(tool) && resultType === 'complete' && isError !== true && task === undefined;
  });
});
