import type { JsonObject } from '../../../spec/json-rpc.js';
import { latestRevision } from '../../../spec/revisions.js';
import type { ExampleTable } from '../example.test.util.js';
import {
  asked,
  error,
  handshake,
  type Line,
  notification,
  opened,
  request,
  result,
} from '../record.test.util.js';

const object = { type: 'object' };
const tools = (...list: object[]): Line[] => asked(1, 'tools/list', {}, { tools: list } as never);
const named = (name: string): Line[] => tools({ name, inputSchema: object });
const call = (answer: object): Line[] =>
  asked(2, 'tools/call', { name: 'a' }, { content: [], ...answer } as never);
const content = (...blocks: object[]): Line[] => call({ content: blocks });
const number = { type: 'object', properties: { n: { type: 'number' } }, required: ['n'] };
const withOutput = tools({ name: 'a', inputSchema: object, outputSchema: number });
const text = (value: string) => ({ type: 'text', text: value });
const n = (value: unknown) => ({
  structuredContent: { n: value },
  content: [text(JSON.stringify({ n: value }))],
});
const image = (data: string) => ({ type: 'image', data, mimeType: 'image/png' });
const resource = (more: object) => ({ type: 'resource', resource: { uri: 'a:b', ...more } });
const resources = (...list: object[]): Line[] => asked(1, 'resources/list', {}, { resources: list } as never);
const templates = (uriTemplate: string): Line[] =>
  asked(1, 'resources/templates/list', {}, { resourceTemplates: [{ uriTemplate, name: 't' }] });
const read = (...contents: object[]): Line[] =>
  asked(2, 'resources/read', { uri: 'a:b' }, { contents } as never);
const words = { text: 't', mimeType: 'text/plain' };
const messagesOf = (block: object) => ({ messages: [{ role: 'user', content: block }] }) as never;
const promptWith = (params: JsonObject, block: object): Line[] =>
  asked(1, 'prompts/get', params, messagesOf(block));
const prompt = (block: object): Line[] => promptWith({ name: 'p' }, block);
const subscribe = (id: number, uri: string): Line[] => asked(id, 'resources/subscribe', { uri }, {});
const unsubscribe = (id: number, uri: string): Line[] => asked(id, 'resources/unsubscribe', { uri }, {});
const updated = (uri: string): Line => ['s', notification('notifications/resources/updated', { uri })];
const refused = (method: string): Line[] => [
  ['c', request(1, method)],
  ['s', error(1, -32601)],
];
const listAnswered = (feature: string) => ({
  good: [opened(...asked(1, `${feature}/list`, {}, { [feature]: [] }))],
  legal: [
    (r: typeof latestRevision) => [...handshake(r), ...refused(`${feature}/list`)],
    opened(['c', request(1, `${feature}/list`, { cursor: 'made up' })], ['s', error(1, -32602)]),
    opened(
      ['c', request(1, `${feature}/list`)],
      ['c', notification('notifications/cancelled', { requestId: 1 })],
      ['s', error(1, -32800)],
    ),
  ],
  bad: [opened(...refused(`${feature}/list`))],
});
const only = (r: typeof latestRevision) => r === latestRevision;

export const examples: ExampleTable = {
  'tools.list-answered': listAnswered('tools'),
  'prompts.list-answered': listAnswered('prompts'),
  'resources.list-answered': listAnswered('resources'),
  'tools.input-schema-valid': {
    good: [opened(...named('a')), opened(...tools({ name: 'a', inputSchema: { ...object, 'x-own': 1 } }))],
    legal: [
      opened(
        ...tools({
          name: 'a',
          inputSchema: { ...object, $schema: 'https://example.com/dialect', required: 1 },
        }),
      ),
      opened(
        ...tools({
          name: 'a',
          inputSchema: {
            ...object,
            $schema: 'http://json-schema.org/draft-07/schema#',
            properties: { a: { type: 'array', items: [{}], $id: 'same' } },
          },
        }),
      ),
    ],
    bad: [
      opened(...tools({ name: 'a' })),
      opened(...tools({ name: 'a', inputSchema: null })),
      opened(...tools({ name: 'a', inputSchema: { type: 'object', properties: { a: { type: 'strin' } } } })),
      opened(...tools({ name: 'a', inputSchema: { type: 'object', properties: { a: { minimum: '1' } } } })),
    ],
  },
  'json-schema.recommended-2020-12': {
    good: [opened(...named('a'))],
    bad: [
      opened(
        ...tools({
          name: 'a',
          inputSchema: { $schema: 'http://json-schema.org/draft-07/schema#', ...object },
        }),
      ),
    ],
  },
  'json-schema.schemas-valid': {
    good: [opened(...withOutput)],
    bad: [
      opened(...tools({ name: 'a', inputSchema: object, outputSchema: { type: 'object', properties: [] } })),
    ],
  },
  'tools.name-charset': {
    good: [opened(...named('a_B-9.c'))],
    bad: [opened(...named('a/b')), opened(...named('ä'))],
  },
  'tools.name-no-special-characters': {
    good: [opened(...named('a'))],
    bad: [opened(...named('a b')), opened(...named('a,b'))],
  },
  'tools.name-length': {
    good: [opened(...named('a'))],
    bad: [opened(...named('a'.repeat(129))), opened(...named(''))],
  },
  'tools.output-schema-conformance': {
    good: [opened(...withOutput, ...call(n(1)))],
    legal: [
      opened(...withOutput, ...call({ isError: true })),
      opened(...withOutput, ['s', notification('notifications/tools/list_changed')], ...call({})),
      opened(...call(n('x'))),
    ],
    bad: [opened(...withOutput, ...call({})), opened(...withOutput, ...call(n('x')))],
  },
  'tools.structured-content-text-copy': {
    good: [opened(...call({ ...n(1), content: [text('{ "n": 1 }')] }))],
    legal: [opened(...content(text('x')))],
    bad: [opened(...call({ ...n(1), content: [text('n is 1')] }))],
  },
  'tools.media-content-encoding': {
    good: [opened(...content(image('aGk='))), opened(...content(image('')))],
    bad: [
      opened(...content(image('data:image/png;base64,aGk='))),
      opened(...content(image('a_-='))),
      opened(...content(image('aGk'))),
    ],
  },
  'tools.embedded-resource-capability': {
    good: [opened(...content(resource({ text: 't' })))],
    bad: [r => [...handshake(r, { tools: {} }), ...content(resource({ text: 't' }))]],
  },
  'resources.uri-valid': {
    good: [opened(...resources({ uri: 'memo://x', name: 'a' }, { uri: 'urn:a', name: 'b' }))],
    legal: [opened(...resources({ uri: 'file:///ä', name: 'a' }))],
    bad: [
      opened(...resources({ uri: 'no-scheme', name: 'a' })),
      opened(...resources({ uri: 'a://b c', name: 'a' })),
      opened(...read({ uri: '/path', text: 't' })),
    ],
  },
  'resources.custom-scheme-rfc3986': {
    good: [opened(...resources({ uri: 'X+y-1.0://x', name: 'a' }))],
    bad: [
      opened(...resources({ uri: 'my_scheme://x', name: 'a' })),
      opened(...resources({ uri: '1a:b', name: 'a' })),
    ],
  },
  'resources.uri-template-rfc6570': {
    good: [opened(...templates('a://{id}/{?q,r*}{#x:3}')), opened(...templates('a://none'))],
    bad: [opened(...templates('a://{id')), opened(...templates('a://{=id}')), opened(...templates('a://{}'))],
  },
  'base.base64-without-line-breaks': {
    good: [opened(...content(image('aGkhaGkh'))), opened(...read({ uri: 'a:b', blob: 'aGk=' }))],
    legal: [{ lines: opened(...content(text('aGkh\naGkh'))), shows: 'text' }],
    bad: [
      { lines: opened(...content(image('aGkh\naGkh'))), shows: 'media' },
      { lines: opened(...read({ uri: 'a:b', blob: 'aGkh\r\n' })), shows: 'blob' },
      { lines: opened(...content(resource({ blob: 'aGkh\naGkh' }))), shows: 'embedded-blob' },
    ],
  },
  'resources.binary-encoded': {
    good: [opened(...read({ uri: 'a:b', blob: 'aGk=' }))],
    legal: [opened(...read({ uri: 'a:b', blob: '' }))],
    bad: [opened(...read({ uri: 'a:b', blob: 'a-_=' })), opened(...content(resource({ blob: 'hello!' })))],
  },
  'resources.size-is-raw-bytes': {
    good: [opened(...resources({ uri: 'a:b', name: 'a', size: 2 }), ...read({ uri: 'a:b', blob: 'aGk=' }))],
    legal: [
      opened(
        ...resources({ uri: 'a:b', name: 'a', size: 2 }),
        ['s', notification('notifications/resources/list_changed')],
        ...read({ uri: 'a:b', text: 'more' }),
      ),
    ],
    bad: [opened(...resources({ uri: 'a:b', name: 'a', size: 4 }), ...read({ uri: 'a:b', blob: 'aGk=' }))],
  },
  'resources.subscribe-methods-answered': {
    good: [opened(...subscribe(1, 'a:b'))],
    legal: [opened(['c', request(1, 'resources/subscribe', { uri: 'x:y' })], ['s', error(1, -32002)])],
    bad: [opened(['c', request(1, 'resources/subscribe', { uri: 'x:y' })], ['s', error(1, -32601)])],
  },
  'resources.updated-only-after-subscribe': {
    good: [opened(...subscribe(1, 'a:b'), updated('a:b/c'))],
    bad: [opened(updated('a:b'))],
  },
  'resources.unsubscribe-ends-updates': {
    good: [opened(...subscribe(1, 'a:b'), updated('a:b'))],
    legal: [
      opened(
        ...subscribe(1, 'a:b'),
        ['c', request(2, 'resources/unsubscribe', { uri: 'a:b' })],
        updated('a:b'),
        ['s', result(2)],
      ),
      opened(...subscribe(1, 'a:b'), ...subscribe(2, 'a:b/c'), ...unsubscribe(3, 'a:b/c'), updated('a:b/c')),
    ],
    bad: [
      opened(...subscribe(1, 'a:b'), ...unsubscribe(2, 'a:b'), updated('a:b')),
      opened(...subscribe(1, 'a:b'), ...subscribe(2, 'x:y'), ...unsubscribe(3, 'a:b'), updated('a:b')),
    ],
  },
  'resources.last-modified-format': {
    good: [
      ...['2025-01-12', '20250112T150058Z', '2025-01-12T15:00:58.5+02:00'].map(lastModified =>
        opened(...content({ ...text('x'), annotations: { lastModified } })),
      ),
    ],
    bad: [
      opened(...content({ ...text('x'), annotations: { lastModified: 'Sun, 12 Jan 2025 15:00:58 GMT' } })),
    ],
  },
  'prompts.image-content-encoding': {
    good: [opened(...prompt(image('aGk=')))],
    bad: [
      opened(...prompt(image('https://example.com/a.png'))),
      opened(...prompt({ ...image('aGk='), mimeType: 'png' })),
      opened(...prompt({ type: 'image', data: 'aGk=' })),
    ],
  },
  'prompts.audio-content-encoding': {
    good: [opened(...prompt({ type: 'audio', data: 'aGk=', mimeType: 'audio/pcm;rate=16000' }))],
    bad: [opened(...prompt({ type: 'audio', data: '!', mimeType: 'audio/wav' }))],
  },
  'prompts.embedded-resource-mime-type': {
    good: [opened(...prompt(resource({ text: 't', mimeType: 'text/plain' })))],
    bad: [
      opened(...prompt(resource({ text: 't' }))),
      opened(...prompt(resource({ text: 't', mimeType: 'text' }))),
    ],
  },
  'prompts.embedded-resource-payload': {
    good: [opened(...prompt(resource({ text: '', mimeType: 'text/plain' })))],
    bad: [
      opened(...prompt(resource({ mimeType: 'text/plain' }))),
      opened(...prompt(resource({ blob: '!', mimeType: 'a/b' }))),
    ],
  },
  'prompts.embedded-resource-uri': {
    good: [opened(...prompt(resource({ text: 't', mimeType: 'text/plain' })))],
    // a text that the client itself supplied, and the result of a request that needed a refusal
    legal: [
      opened(...promptWith({ name: 'p', arguments: { uri: 'none' } }, resource({ uri: 'none', ...words }))),
      opened(
        ['c!', request(1, 'prompts/get', { name: 'p' })],
        ['s', result(1, messagesOf(resource({ uri: '', ...words })))],
      ),
    ],
    bad: [
      opened(...prompt(resource({ uri: 'none', ...words }))),
      opened(...promptWith({ name: 'p', arguments: { uri: 'a b' } }, resource({ uri: 'none', ...words }))),
    ],
  },
  ...metaExamples(),
};

function metaExamples(): ExampleTable {
  const meta = (key: string) => opened(...call({ _meta: { [key]: 1 } }));
  const icons = (...list: object[]) => opened(...tools({ name: 'a', inputSchema: object, icons: list }));
  return {
    'meta.key-prefix-syntax': {
      good: [meta('com.example/a'), meta('com.example/')],
      legal: [
        meta('plain'),
        opened(
          ...call({ structuredContent: { _meta: { 'a//b': 1 } }, content: [text('{"_meta":{"a//b":1}}')] }),
        ),
      ],
      bad: [meta('a..b/x'), meta('/x'), meta('a/b/c')],
    },
    'meta.key-label-syntax': { good: [meta('c.Ex-4/a')], bad: [meta('1abc/a'), meta('a-/b'), meta('a_b/c')] },
    'meta.key-name-syntax': {
      good: [meta('my_key-1.2'), meta('com.example/')],
      bad: [meta('_internal'), meta('com.example/x-'), meta('foo bar')],
    },
    'meta.key-reverse-dns': {
      good: [meta('com.example/a'), meta('example/a')],
      bad: [meta('example.com/a')],
    },
    'meta.reserved-prefix-unused': {
      good: [meta('com.example/a'), meta('io.modelcontextprotocol/related-task')],
      legal: [{ lines: meta('com.example.mcp/a'), when: only }, { lines: meta('mcp/a') }],
      bad: [
        { lines: meta('dev.mcp/a'), when: only },
        { lines: meta('mcp.dev/a'), when: r => r !== latestRevision },
      ],
    },
    'icons.src-uri': {
      good: [
        icons({ src: 'https://e.com/a.png', sizes: ['48x48'] }),
        icons({ src: 'data:image/png;base64,aGk=' }),
      ],
      bad: [
        icons({ sizes: ['any'] }),
        icons({ src: 'ftp://a/b' }),
        icons({ src: 'https://a/b', theme: 'blue' }),
      ],
    },
    'icons.size-format': {
      good: [icons({ src: 'https://e.com/a.svg', sizes: ['any', '1x1'] })],
      bad: [icons({ src: 'https://e.com/a.svg', sizes: ['48'] })],
    },
  };
}
