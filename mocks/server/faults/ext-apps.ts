/** The MCP Apps extension (io.modelcontextprotocol/ui). */

import { type JsonObject, without } from '../../../spec/json-rpc.js';
import type { RequirementId } from '../../../spec/requirement.js';
import { type Fault, fault, type Middleware, onWorld } from '../../fault.js';
import { clockUri, contents, html, withApp, withOpenApp } from '../extensions/apps.js';
import { png } from '../world/media.js';

/** A fault that shows one form of a breach. @param facet the row without its area, and the form */
const broken = (
  id: string,
  what: string,
  facet: `${string}#${string}`,
  middleware: readonly Middleware[],
  also: readonly RequirementId[] = [],
): Fault => {
  const shown = `ext-apps.${facet}` as const;
  return fault(
    id,
    { what, breaks: [shown.split('#')[0] as RequirementId, ...also], shows: [shown] },
    ...middleware,
  );
};

const withMeta = (ui: JsonObject | string): Middleware[] => withApp({ meta: { ui } });
const giving = (gives: JsonObject): Middleware[] => withApp({ gives });
const image = { type: 'image', mimeType: 'image/png', data: png };

export const extAppFaults = [
  broken(
    'ext-apps-link-https',
    'A tool links a UI resource with an https URI.',
    'uri-scheme#link',
    withApp({ uri: 'https://example.com/clock.html' }),
  ),
  broken(
    'ext-apps-resource-https',
    'A listed resource with the MIME type of apps has an https URI.',
    'uri-scheme#resource',
    [
      ...withApp(),
      onWorld(world => {
        const mimeType = 'text/html;profile=mcp-app';
        world.resources.push({
          definition: { uri: 'https://example.com/other.html', name: 'other', mimeType },
          read: () => ({ mimeType, text: html }),
        });
      }),
    ],
  ),
  broken(
    'ext-apps-listed-untyped',
    'resources/list has a UI resource without mimeType.',
    'listed-mime-type#missing',
    withApp({ listed: {} }),
  ),
  broken(
    'ext-apps-listed-html',
    'resources/list has a UI resource with mimeType text/html.',
    'listed-mime-type#html',
    withApp({ listed: { mimeType: 'text/html' } }),
  ),
  broken(
    'ext-apps-read-html',
    'resources/read returns a UI resource with mimeType text/html.',
    'mime-type#html',
    withApp(contents({ mimeType: 'text/html' })),
  ),
  broken(
    'ext-apps-read-untyped',
    'resources/read returns a UI resource without mimeType.',
    'mime-type#missing',
    withApp(contents({ mimeType: undefined })),
  ),
  broken(
    'ext-apps-no-content',
    'resources/read returns a UI resource without text and blob.',
    'content#neither',
    withApp(contents({ text: undefined })),
    ['base.schema-valid'],
  ),
  broken(
    'ext-apps-blob-plain',
    'resources/read returns a UI resource as a blob that is HTML.',
    'content#encoded',
    withApp(contents({ text: undefined, blob: html })),
    ['resources.binary-encoded'],
  ),
  broken(
    'ext-apps-fragment',
    'A UI resource is an element without a document.',
    'html#fragment',
    withApp(contents({ text: '<div>12:00</div>' })),
  ),
  broken(
    'ext-apps-html4',
    'A UI resource has the doctype of HTML 4.01.',
    'html#older',
    withApp(
      contents({
        text: html.replace(
          '<!DOCTYPE html>',
          '<!DOCTYPE HTML PUBLIC "-//W3C//DTD HTML 4.01//EN" "http://www.w3.org/TR/html4/strict.dtd">',
        ),
      }),
    ),
  ),
  broken('ext-apps-empty', 'A UI resource is empty.', 'html#empty', withApp(contents({ text: '' }))),
  broken(
    'ext-apps-latin1',
    'A UI resource is a blob in ISO 8859-1.',
    'html#bytes',
    withApp(
      contents({
        text: undefined,
        blob: Buffer.from(html.replace('12:00', 'zwölf'), 'latin1').toString('base64'),
      }),
    ),
  ),
  broken(
    'ext-apps-unknown-resource',
    'A tool links a UI resource that does not exist.',
    'resource-exists#refused',
    withMeta({ resourceUri: 'ui://mcp-conform/none.html' }),
  ),
  broken(
    'ext-apps-no-contents',
    'resources/read of a UI resource returns no contents.',
    'resource-exists#empty',
    withApp({ contents: [] }),
  ),
  broken(
    'ext-apps-without-resources',
    'A server with an app does not declare resources.',
    'resource-exists#undeclared',
    [
      ...withApp(),
      onWorld(world => {
        world.capabilities = without(world.capabilities, 'resources');
      }),
    ],
    ['tools.embedded-resource-capability', 'ext-skills.resources-declared'],
  ),
  broken(
    'ext-apps-visibility-text',
    'visibility of a tool is a text.',
    'tool-meta#text',
    withMeta({ resourceUri: clockUri, visibility: 'model' }),
  ),
  broken(
    'ext-apps-visibility-user',
    'visibility of a tool has the value user.',
    'tool-meta#other',
    withMeta({ resourceUri: clockUri, visibility: ['model', 'user'] }),
  ),
  broken(
    'ext-apps-link-object',
    'resourceUri of a tool is an object.',
    'tool-meta#uri',
    withMeta({ resourceUri: { uri: clockUri } }),
  ),
  broken(
    'ext-apps-csp-text',
    'connectDomains of a UI resource is a text.',
    'resource-meta#csp',
    withApp(contents({ _meta: { ui: { csp: { connectDomains: 'https://api.example.com' } } } })),
  ),
  broken(
    'ext-apps-permissions-array',
    'permissions of a UI resource is an array.',
    'resource-meta#permissions',
    withApp(contents({ _meta: { ui: { permissions: ['camera'] } } })),
  ),
  broken(
    'ext-apps-border-text',
    'prefersBorder of a UI resource is a text.',
    'resource-meta#border',
    withApp(contents({ _meta: { ui: { prefersBorder: 'true' } } })),
  ),
  broken(
    'ext-apps-flat-key',
    'A tool links its UI resource with the deprecated key alone.',
    'nested-key#flat',
    withApp({ meta: { 'ui/resourceUri': clockUri } }),
  ),
  broken(
    'ext-apps-unchecked',
    'tools/list has a tool with a UI for a client without the extension.',
    'capability-checked#unchecked',
    withOpenApp(),
  ),
  broken(
    'ext-apps-image-only',
    'A tool with a UI returns an image to a client without the extension.',
    'text-fallback#image',
    withOpenApp({ gives: { content: [image] } }),
    ['ext-apps.capability-checked'],
  ),
  broken(
    'ext-apps-content-empty',
    'A tool with a UI returns an empty content.',
    'content-returned#empty',
    giving({ content: [] }),
  ),
  broken(
    'ext-apps-content-blank',
    'A tool with a UI returns a text of spaces.',
    'content-returned#blank',
    giving({ content: [{ type: 'text', text: '  ' }] }),
  ),
  broken(
    'ext-apps-content-missing',
    'A tool with a UI returns structuredContent without content.',
    'content-returned#missing',
    giving({ structuredContent: { time: '12:00' } }),
    ['base.schema-valid', 'tools.structured-content-text-copy'],
  ),
];
