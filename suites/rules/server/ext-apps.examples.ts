import { type JsonObject, without } from '../../../spec/json-rpc.js';
import { appsExtension, appType } from '../derived/ext-apps.js';
import type { ExampleTable } from '../example.test.util.js';
import type { Line } from '../record.test.util.js';
import { complete, discovered, enveloped, hints, stateless } from '../stateless.test.util.js';

const withApps: JsonObject = {
  'io.modelcontextprotocol/clientCapabilities': {
    extensions: { [appsExtension]: { mimeTypes: [appType] } },
  },
};

/** A request of a client that declares the extension, with its result. */
const asks = (
  id: number,
  method: string,
  params: JsonObject,
  result: JsonObject,
  meta = withApps,
): Line[] => [
  ['c', enveloped(id, method, params, meta)],
  ['s', complete(id, result)],
];

const uri = 'ui://clock/view.html';
const link: JsonObject = { ui: { resourceUri: uri } };
const tool = (meta: JsonObject): JsonObject => ({
  name: 'clock',
  inputSchema: { type: 'object' },
  _meta: meta,
});
const tools = (meta: JsonObject = link, of = withApps, id = 1): Line[] =>
  asks(id, 'tools/list', {}, { tools: [tool(meta)], ...hints }, of);
const resources = (more: JsonObject = {}): Line[] =>
  asks(2, 'resources/list', {}, { resources: [{ uri, name: 'view', mimeType: appType, ...more }], ...hints });
const html = '<!DOCTYPE html><title>Clock</title>12:00';
const contents: JsonObject = { uri, mimeType: appType, text: html };
const reads = (item: JsonObject | null = contents, at = uri): Line[] =>
  asks(3, 'resources/read', { uri: at }, { contents: item ? [item] : [], ...hints });
const text = (value: string): JsonObject => ({ content: [{ type: 'text', text: value }] });
const image: JsonObject = { content: [{ type: 'image', mimeType: 'image/png', data: 'AAAA' }] };
const calls = (result: JsonObject, meta = withApps, id = 4): Line[] =>
  asks(id, 'tools/call', { name: 'clock', arguments: {} }, result, meta);

const document = (value: string): Line[] => [...tools(), ...reads({ ...contents, text: value })];
const binary = (value: string | Buffer): Line[] => [
  ...tools(),
  ...reads({ uri, mimeType: appType, blob: Buffer.from(value as string).toString('base64') }),
];
const resourceMeta = (ui: JsonObject[string]): Line[] => [
  ...tools(),
  ...reads({ ...contents, _meta: { ui: ui! } }),
];
const refused: Line[] = [
  ['c', enveloped(3, 'resources/read', { uri }, withApps)],
  ['s', { jsonrpc: '2.0', id: 3, error: { code: -32602, message: 'There is no such resource.' } }],
];
const isApp: Line[] = [...tools(), ...resources(), ...reads()];
/** A server that uses `_meta.ui` for another purpose. */
const other: Line[] = tools({ ui: 'dark' });

export const examples: ExampleTable = stateless({
  'ext-apps.uri-scheme': {
    good: [isApp],
    legal: [tools({ ui: { resourceUri: 'UI://clock/view.html' } })],
    bad: [
      tools({ ui: { resourceUri: 'https://clock.example.com/view.html' } }),
      tools({ ui: { resourceUri: 'gui://clock/view.html' } }),
      reads({ ...contents, uri: 'https://clock.example.com/view.html' }),
      resources({ uri: 'https://clock.example.com/view.html' }),
    ],
  },
  'ext-apps.listed-mime-type': {
    good: [isApp],
    legal: [resources({ mimeType: 'text/html' })],
    bad: [[...tools(), ...resources({ mimeType: 'text/html' })]],
  },
  'ext-apps.mime-type': {
    good: [isApp],
    legal: [reads({ ...contents, mimeType: 'text/html' })],
    bad: [
      [...tools(), ...reads({ ...contents, mimeType: 'text/html' })],
      [...tools(), ...reads(without(contents, 'mimeType'))],
    ],
  },
  'ext-apps.content': {
    good: [isApp],
    bad: [{ lines: [...tools(), ...reads(without(contents, 'text'))], also: ['base.schema-valid'] }],
  },
  'ext-apps.html': {
    good: [isApp, binary(`\ufeff${html}`)],
    legal: [
      document('\ufeff \n<!-- a --><!-- > -->\n<!doctype html><p>x'),
      document('<!DOCTYPE  HTML\nSYSTEM "about:legacy-compat" ><title>x</title>'),
    ],
    bad: [
      document('<html><body>12:00</body></html>'),
      document('<?xml version="1.0"?><!DOCTYPE html><title>x</title>'),
      document(' \n<!-- <!DOCTYPE html>'),
      document('<!-- <!DOCTYPE html> -->'),
      binary(Buffer.from([...Buffer.from(html), 0xff])),
      document(' \n'),
    ],
  },
  'ext-apps.resource-exists': {
    good: [isApp],
    legal: [
      // no tool links it any more
      [...tools(), ...refused, ...asks(5, 'tools/list', {}, { tools: [], ...hints })],
      [...refused],
      [...tools({ ui: { resourceUri: 'ui://clock/other.html' } }), ...refused],
    ],
    bad: [
      [...tools(), ...refused],
      [...tools(), ...reads(null)],
      [...tools(), ...refused, ...tools(link, withApps, 5)],
      [...discovered({ tools: {} }), ...tools()],
    ],
  },
  'ext-apps.tool-meta': {
    good: [isApp],
    legal: [other, tools({ ui: { ...(link.ui as JsonObject), visibility: [], more: 1 } })],
    bad: [
      tools({ ui: { resourceUri: uri, visibility: 'app' } }),
      tools({ ui: { resourceUri: uri, visibility: ['user'] } }),
      [...resources(), ...tools({ ui: 'dark' })],
    ],
  },
  'ext-apps.resource-meta': {
    good: [isApp],
    legal: [resourceMeta({ csp: { connectDomains: [] }, permissions: { camera: true }, more: null })],
    bad: [
      resourceMeta({ csp: ['https://api.example.com'] }),
      resourceMeta({ domain: 1 }),
      resourceMeta({ prefersBorder: 'yes' }),
      [...tools(), ...resources({ _meta: { ui: { permissions: ['camera'] } } })],
    ],
  },
  'ext-apps.nested-key': {
    good: [isApp],
    legal: [tools({ ...link, 'ui/resourceUri': uri })],
    bad: [tools({ 'ui/resourceUri': uri })],
  },
  'ext-apps.capability-checked': {
    good: [[...tools(), ...asks(5, 'tools/list', {}, { tools: [tool({})], ...hints }, {})]],
    legal: [
      {
        lines: asks(5, 'tools/list', {}, { tools: [tool({ ui: 'dark' })], ...hints }, {}),
        isUnobserved: true,
      },
    ],
    bad: [tools(link, {})],
  },
  'ext-apps.text-fallback': {
    good: [
      [
        ...tools(),
        ...calls({ content: [...(image.content as JsonObject[]), { type: 'text', text: '12:00' }] }, {}),
      ],
    ],
    legal: [
      [...tools(), ...calls(image)],
      [...tools(), ...calls({ ...image, isError: true }, {})],
      [...tools({ ui: { resourceUri: uri, visibility: ['app'] } }), ...calls(image, {})],
      [
        ...tools(),
        ...calls({ content: [{ type: 'resource', resource: { uri: 'test://time', text: '12:00' } }] }, {}),
      ],
    ],
    bad: [[...tools(), ...calls(image, {})]],
  },
  'ext-apps.content-returned': {
    good: [[...tools(), ...calls(text('12:00'))]],
    legal: [
      [...tools(), ...calls({ content: [], isError: true })],
      [...tools({ ui: { resourceUri: uri, visibility: ['app'] } }), ...calls({ content: [] })],
      calls({ content: [] }),
      [...tools(), ...calls({ ...text('No such zone.'), isError: true }), ...calls(text(''), withApps, 5)],
      [...tools(), ...calls({ content: [] }), ...calls(text('12:00'), withApps, 5)],
    ],
    bad: [
      [...tools(), ...calls({ content: [] })],
      [...tools(), ...calls(text(' \n'))],
      [...tools(), ...calls(text('')), ...calls(text(''), withApps, 5)],
      {
        lines: [
          ...tools(),
          ...calls(text('12:00')),
          ...calls({ ...text(''), structuredContent: { time: '12:00' } }, withApps, 5),
        ],
        also: ['tools.structured-content-text-copy'],
      },
    ],
  },
});
