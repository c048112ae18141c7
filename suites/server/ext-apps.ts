/** The MCP Apps extension (io.modelcontextprotocol/ui) for servers whose lists show an app. */

import { NotObserved } from '../../harness/peer/deferred.js';
import type { Peer } from '../../harness/peer/peer.js';
import { declares } from '../../harness/record/conversation.js';
import { type Exchange, resultOf } from '../../harness/record/message.js';
import { type Known, scenario } from '../../harness/scenario/scenario.js';
import { asText, type JsonObject } from '../../spec/json-rpc.js';
import { appsExtension, appType, isAppType, linkOf } from '../rules/derived/ext-apps.js';
import { objects } from '../rules/derived/results.js';

const withApps: JsonObject = { extensions: { [appsExtension]: { mimeTypes: [appType] } } };

/** Bounds for servers with many apps. */
const most = { pages: 20, resources: 12, calls: 6 };

const listTools = async (peer: Peer): Promise<JsonObject[]> =>
  declares(peer.declared, 'tools') ? (await peer.list('tools/list', 'tools', most.pages)).items : [];

const ofContents = ['ext-apps.mime-type', 'ext-apps.content', 'ext-apps.html'] as const;

/** Calls tools with a UI. @throws {NotObserved} when none may be called */
async function callApps(peer: Peer, { callable, slowTools }: Known): Promise<void> {
  const linked = new Set(
    (await listTools(peer)).filter(tool => linkOf(tool) !== undefined).map(({ name }) => asText(name)),
  );
  if (linked.size === 0) throw new NotObserved('the server lists no tool with a UI');
  const calls = callable.filter(({ name }) => linked.has(name) && !slowTools.has(name));
  if (calls.length === 0) throw new NotObserved('no tool with a UI may be called (--call-tools)');
  for (const call of calls.slice(0, most.calls)) {
    if (peer.ended) return;
    await peer.request('tools/call', { ...call });
  }
}

export const scenarios = [
  scenario('server/ext-apps/read', {
    title: 'tools/list links UI resources, and resources/read returns them',
    verifies: [
      'ext-apps.uri-scheme',
      'ext-apps.listed-mime-type',
      ...ofContents,
      'ext-apps.resource-exists',
      'ext-apps.tool-meta',
      'ext-apps.resource-meta',
      'ext-apps.nested-key',
    ],
    declares: withApps,
    async run({ peer, expect }) {
      const uris = new Set((await listTools(peer)).flatMap(tool => linkOf(tool) ?? []));
      // a link of a server without resources breaks ext-apps.resource-exists
      if (!declares(peer.declared, 'resources'))
        throw new NotObserved('the server does not declare resources');
      const { items } = await peer.list('resources/list', 'resources', most.pages);
      if (!items.some(({ uri }) => uris.has(asText(uri))))
        expect.notObserved('ext-apps.listed-mime-type', 'no linked resource is listed');
      for (const { uri, mimeType } of items) if (isAppType(mimeType)) uris.add(asText(uri));
      if (uris.size === 0) throw new NotObserved('the server lists no app');
      const read: Exchange[] = [];
      for (const uri of [...uris].slice(0, most.resources)) {
        if (peer.ended) return;
        read.push(await peer.request('resources/read', { uri }));
      }
      if (!read.some(exchange => objects(resultOf(exchange)?.contents).length > 0))
        for (const row of ofContents) expect.notObserved(row, 'no UI resource could be read');
      // a link that is gone meanwhile shows here
      await listTools(peer);
    },
  }),

  scenario('server/ext-apps/call', {
    title: 'tools with a UI return content to a client that declares the extension',
    verifies: ['ext-apps.content-returned'],
    declares: withApps,
    run: ({ peer, known }) => callApps(peer, known),
  }),

  scenario('server/ext-apps/plain', {
    title: 'tools with a UI return text to a client that does not declare the extension',
    verifies: ['ext-apps.text-fallback', 'ext-apps.content-returned', 'ext-apps.capability-checked'],
    run: ({ peer, known }) => callApps(peer, known),
  }),
];
