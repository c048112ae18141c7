/** The MCP Apps extension: a clock with a UI. The plain mock has none; deviations add it. */

import { declares } from '../../../harness/record/conversation.js';
import { extensionPath } from '../../../spec/extensions/index.js';
import { isObject, type JsonObject, without } from '../../../spec/json-rpc.js';
import { type Middleware, onResult, onWorld } from '../../fault.js';
import type { World } from '../interfaces.js';
import { readOnly, says } from '../world/builders.js';

export const appsExtension = 'io.modelcontextprotocol/ui';
const appType = 'text/html;profile=mcp-app';
export const clockUri = 'ui://mcp-conform/clock.html';

/** The parts of the app, each of which a deviation may change. */
interface App {
  readonly uri: string;
  /** Members of the listed resource beside URI and name; undefined: it is not listed. */
  readonly listed: JsonObject | undefined;
  /** The contents of the resource. */
  readonly contents: readonly JsonObject[];
  /** `_meta` of the tool. */
  readonly meta: JsonObject;
  /** The result of the tool. */
  readonly gives: JsonObject;
}

export const html =
  '<!DOCTYPE html>\n<html lang="en"><head><title>Clock</title></head><body>12:00</body></html>\n';

const clock = (uri: string): App => ({
  uri,
  listed: { mimeType: appType },
  contents: [{ mimeType: appType, text: html }],
  meta: { ui: { resourceUri: uri, visibility: ['model', 'app'] } },
  gives: says('It is 12:00.'),
});

/** The contents of the clock with some members changed; undefined leaves a member out. */
export const contents = (change: Readonly<Record<string, JsonObject[string] | undefined>>): Partial<App> => ({
  contents: [
    Object.fromEntries(
      Object.entries({ ...clock(clockUri).contents[0]!, ...change }).filter(
        ([, value]) => value !== undefined,
      ),
    ) as JsonObject,
  ],
});

function addApp(world: World, change: Partial<App>): void {
  const { uri, listed, contents, meta, gives } = { ...clock(change.uri ?? clockUri), ...change };
  world.tools.unshift(
    readOnly('show_clock', 'Shows a clock.', () => gives, { members: { _meta: meta } }),
    readOnly('set_clock', 'Is called by the clock.', () => says('Set.'), {
      members: { _meta: { ui: { visibility: ['app'] } } },
    }),
  );
  unlisted.set(world, listed === undefined ? uri : undefined);
  world.resources.unshift({
    definition: { uri, name: 'clock', ...listed },
    read: () => contents[0] ?? {},
  });
}

const unlisted = new WeakMap<World, string | undefined>();

/** The app for all clients, without a declaration of the server. */
export const withOpenApp = (change: Partial<App> = {}): Middleware[] => [
  onWorld(world => addApp(world, change)),
  onResult('resources/list', (body, _, { world }) => ({
    ...body,
    resources: (body.resources as JsonObject[]).filter(({ uri }) => uri !== unlisted.get(world)),
  })),
  onResult('resources/read', (body, ask) =>
    change.contents?.length === 0 && (ask.params as JsonObject).uri === clockUri
      ? { ...body, contents: [] }
      : body,
  ),
];

/** The app for clients that declare the extension; the server declares it too. */
export const withApp = (change: Partial<App> = {}): Middleware[] => [
  ...withOpenApp(change),
  onWorld(world => {
    const { extensions } = world.capabilities;
    world.capabilities = {
      ...world.capabilities,
      extensions: { ...(isObject(extensions) && extensions), [appsExtension]: {} },
    };
  }),
  onResult('tools/list', (body, _, { session }) =>
    declares(session.clientCapabilities, extensionPath(appsExtension))
      ? body
      : {
          ...body,
          tools: (body.tools as JsonObject[]).map(tool => (isUi(tool) ? without(tool, '_meta') : tool)),
        },
  ),
];

const isUi = ({ name }: JsonObject): boolean => name === 'show_clock' || name === 'set_clock';
