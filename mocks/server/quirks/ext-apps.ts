/** Legal apps of the MCP Apps extension. */

import { findExtension } from '../../../spec/extensions/index.js';
import type { Revision } from '../../../spec/revisions.js';
import { type Middleware, type Quirk, quirk } from '../../fault.js';
import { appsExtension, clockUri, contents, html, withApp } from '../extensions/apps.js';

const hasApps = ({ id }: Revision): boolean => findExtension(appsExtension, id) !== undefined;

const legal = (
  id: string,
  what: string,
  shows: readonly string[],
  middleware: readonly Middleware[],
): Quirk =>
  quirk(id, { what, where: hasApps, shows: shows.map(facet => `ext-apps.${facet}`) }, ...middleware);

export const extAppQuirks: readonly Quirk[] = [
  legal('ext-apps', 'The server has an app.', ['tool-meta#app-only', 'tool-meta#unlinked'], withApp()),
  legal(
    'ext-apps-spelled',
    'The MIME type of a UI resource has a space, quotes and upper-case letters.',
    ['mime-type#spelled'],
    withApp(contents({ mimeType: 'Text/HTML; profile="mcp-app"' })),
  ),
  legal(
    'ext-apps-blob',
    'A UI resource is a blob.',
    ['content#blob'],
    withApp(contents({ text: undefined, blob: Buffer.from(html).toString('base64') })),
  ),
  legal(
    'ext-apps-short-html',
    'A UI resource has a comment before its doctype, and neither html, head nor body.',
    ['html#lower'],
    withApp(contents({ text: '\ufeff<!-- A clock. -->\n<!doctype html>\n<title>Clock</title>\n<p>12:00\n' })),
  ),
  legal(
    'ext-apps-legacy-doctype',
    'The doctype of a UI resource names about:legacy-compat.',
    ['html#legacy'],
    withApp(contents({ text: html.replace('html>', "html SYSTEM 'about:legacy-compat'>") })),
  ),
  legal(
    'ext-apps-listed-meta',
    'A UI resource has its metadata in resources/list, with members that the text does not define.',
    ['resource-meta#listed', 'resource-meta#further'],
    withApp({
      listed: {
        mimeType: 'text/html;profile=mcp-app',
        _meta: {
          ui: {
            csp: { connectDomains: ['https://api.example.com'], workers: true },
            permissions: { camera: true, usb: {} },
            domain: 'clock.example.com',
            prefersBorder: false,
            width: 300,
          },
        },
      },
    }),
  ),
  legal(
    'ext-apps-both-keys',
    'A tool links its UI resource under both keys.',
    ['nested-key#both'],
    withApp({ meta: { ui: { resourceUri: clockUri }, 'ui/resourceUri': clockUri } }),
  ),
  legal(
    'ext-apps-unlisted',
    'A UI resource is not in resources/list.',
    ['unlisted#unlisted'],
    withApp({ listed: undefined }),
  ),
];
