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
    good: [
      opened(...named('a')),
      {
        lines: opened(...tools({ name: 'a', inputSchema: { ...object, 'x-own': 1 } })),
        shows: 'unknown-keywords',
      },
    ],
    legal: [
      {
        lines: opened(
          ...tools({
            name: 'a',
            inputSchema: { ...object, $schema: 'https://example.com/dialect', required: 1 },
          }),
        ),
        shows: 'unknown-dialect',
      },
      {
        lines: opened(
          ...tools({
            name: 'a',
            inputSchema: {
              ...object,
              $schema: 'http://json-schema.org/draft-07/schema#',
              properties: { a: { type: 'array', items: [{}], $id: 'same' } },
            },
          }),
        ),
        shows: 'draft-07',
      },
    ],
    bad: [
      { lines: opened(...tools({ name: 'a' })), shows: 'missing' },
      { lines: opened(...tools({ name: 'a', inputSchema: null })), shows: 'is-null' },
      {
        lines: opened(
          ...tools({ name: 'a', inputSchema: { type: 'object', properties: { a: { type: 'strin' } } } }),
        ),
        shows: 'unknown-type',
      },
      {
        lines: opened(
          ...tools({ name: 'a', inputSchema: { type: 'object', properties: { a: { minimum: '1' } } } }),
        ),
        shows: 'keyword-malformed',
      },
    ],
  },
  'json-schema.recommended-2020-12': {
    good: [{ lines: opened(...named('a')), shows: 'none-named' }],
    bad: [
      {
        lines: opened(
          ...tools({
            name: 'a',
            inputSchema: { $schema: 'http://json-schema.org/draft-07/schema#', ...object },
          }),
        ),
        shows: 'other-named',
      },
    ],
  },
  'json-schema.schemas-valid': {
    good: [opened(...withOutput)],
    bad: [
      {
        lines: opened(
          ...tools({ name: 'a', inputSchema: object, outputSchema: { type: 'object', properties: [] } }),
        ),
        shows: 'output-schema',
      },
    ],
  },
  'tools.name-charset': {
    good: [{ lines: opened(...named('a_B-9.c')), shows: 'dots' }],
    bad: [
      { lines: opened(...named('a/b')), shows: 'slash' },
      { lines: opened(...named('ä')), shows: 'not-ascii' },
    ],
  },
  'tools.name-no-special-characters': {
    good: [opened(...named('a'))],
    bad: [
      { lines: opened(...named('a b')), shows: 'space' },
      { lines: opened(...named('a,b')), shows: 'comma' },
    ],
  },
  'tools.name-length': {
    good: [opened(...named('a'))],
    bad: [
      { lines: opened(...named('a'.repeat(129))), shows: 'too-long' },
      { lines: opened(...named('')), shows: 'empty' },
    ],
  },
  'tools.output-schema-conformance': {
    good: [opened(...withOutput, ...call(n(1)))],
    legal: [
      { lines: opened(...withOutput, ...call({ isError: true })), shows: 'failed-call' },
      {
        lines: opened(...withOutput, ['s', notification('notifications/tools/list_changed')], ...call({})),
        shows: 'definition-changed',
      },
      { lines: opened(...call(n('x'))), shows: 'no-schema' },
    ],
    bad: [
      { lines: opened(...withOutput, ...call({})), shows: 'missing' },
      { lines: opened(...withOutput, ...call(n('x'))), shows: 'invalid' },
    ],
  },
  'tools.structured-content-text-copy': {
    good: [{ lines: opened(...call({ ...n(1), content: [text('{ "n": 1 }')] })), shows: 'other-writing' }],
    legal: [{ lines: opened(...content(text('x'))), shows: 'no-structured-content' }],
    bad: [{ lines: opened(...call({ ...n(1), content: [text('n is 1')] })), shows: 'other-text' }],
  },
  'tools.media-content-encoding': {
    good: [opened(...content(image('aGk='))), { lines: opened(...content(image(''))), shows: 'empty' }],
    bad: [
      { lines: opened(...content(image('data:image/png;base64,aGk='))), shows: 'data-uri' },
      { lines: opened(...content(image('a_-='))), shows: 'base64url' },
      { lines: opened(...content(image('aGk'))), shows: 'padding-missing' },
    ],
  },
  'tools.embedded-resource-capability': {
    good: [opened(...content(resource({ text: 't' })))],
    bad: [
      {
        lines: r => [...handshake(r, { tools: {} }), ...content(resource({ text: 't' }))],
        shows: 'embedded',
      },
    ],
  },
  'resources.uri-valid': {
    good: [
      {
        lines: opened(...resources({ uri: 'memo://x', name: 'a' }, { uri: 'urn:a', name: 'b' })),
        shows: 'any-scheme',
      },
    ],
    legal: [{ lines: opened(...resources({ uri: 'file:///ä', name: 'a' })), shows: 'not-ascii' }],
    bad: [
      { lines: opened(...resources({ uri: 'no-scheme', name: 'a' })), shows: 'relative' },
      { lines: opened(...resources({ uri: 'a://b c', name: 'a' })), shows: 'space' },
      { lines: opened(...read({ uri: '/path', text: 't' })), shows: 'in-contents' },
    ],
  },
  'resources.custom-scheme-rfc3986': {
    good: [{ lines: opened(...resources({ uri: 'X+y-1.0://x', name: 'a' })), shows: 'upper-case' }],
    bad: [
      { lines: opened(...resources({ uri: 'my_scheme://x', name: 'a' })), shows: 'character' },
      { lines: opened(...resources({ uri: '1a:b', name: 'a' })), shows: 'digit-first' },
    ],
  },
  'resources.uri-template-rfc6570': {
    good: [
      { lines: opened(...templates('a://{id}/{?q,r*}{#x:3}')), shows: 'every-level' },
      { lines: opened(...templates('a://none')), shows: 'no-expression' },
    ],
    bad: [
      { lines: opened(...templates('a://{id')), shows: 'brace-open' },
      opened(...templates('a://{=id}')),
      { lines: opened(...templates('a://{}')), shows: 'empty-expression' },
    ],
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
    legal: [{ lines: opened(...read({ uri: 'a:b', blob: '' })), shows: 'empty' }],
    bad: [
      { lines: opened(...read({ uri: 'a:b', blob: 'a-_=' })), shows: 'base64url' },
      { lines: opened(...content(resource({ blob: 'hello!' }))), shows: 'embedded' },
    ],
  },
  'resources.size-is-raw-bytes': {
    good: [opened(...resources({ uri: 'a:b', name: 'a', size: 2 }), ...read({ uri: 'a:b', blob: 'aGk=' }))],
    legal: [
      {
        lines: opened(
          ...resources({ uri: 'a:b', name: 'a', size: 2 }),
          ['s', notification('notifications/resources/list_changed')],
          ...read({ uri: 'a:b', text: 'more' }),
        ),
        shows: 'list-changed',
      },
    ],
    bad: [
      {
        lines: opened(
          ...resources({ uri: 'a:b', name: 'a', size: 4 }),
          ...read({ uri: 'a:b', blob: 'aGk=' }),
        ),
        shows: 'base64-length',
      },
    ],
  },
  'resources.subscribe-methods-answered': {
    good: [opened(...subscribe(1, 'a:b'))],
    legal: [
      {
        lines: opened(['c', request(1, 'resources/subscribe', { uri: 'x:y' })], ['s', error(1, -32002)]),
        shows: 'other-error',
      },
    ],
    bad: [
      {
        lines: opened(['c', request(1, 'resources/subscribe', { uri: 'x:y' })], ['s', error(1, -32601)]),
        shows: 'refused',
      },
    ],
  },
  'resources.updated-only-after-subscribe': {
    good: [{ lines: opened(...subscribe(1, 'a:b'), updated('a:b/c')), shows: 'part' }],
    bad: [{ lines: opened(updated('a:b')), shows: 'no-subscription' }],
  },
  'resources.unsubscribe-ends-updates': {
    good: [opened(...subscribe(1, 'a:b'), updated('a:b'))],
    legal: [
      {
        lines: opened(
          ...subscribe(1, 'a:b'),
          ['c', request(2, 'resources/unsubscribe', { uri: 'a:b' })],
          updated('a:b'),
          ['s', result(2)],
        ),
        shows: 'in-transit',
      },
      {
        lines: opened(
          ...subscribe(1, 'a:b'),
          ...subscribe(2, 'a:b/c'),
          ...unsubscribe(3, 'a:b/c'),
          updated('a:b/c'),
        ),
        shows: 'covered',
      },
    ],
    bad: [
      { lines: opened(...subscribe(1, 'a:b'), ...unsubscribe(2, 'a:b'), updated('a:b')), shows: 'goes-on' },
      {
        lines: opened(
          ...subscribe(1, 'a:b'),
          ...subscribe(2, 'x:y'),
          ...unsubscribe(3, 'a:b'),
          updated('a:b'),
        ),
        shows: 'other-subscription',
      },
    ],
  },
  'resources.last-modified-format': {
    good: [
      ...['2025-01-12', '20250112T150058Z', '2025-01-12T15:00:58.5+02:00'].map(lastModified =>
        opened(...content({ ...text('x'), annotations: { lastModified } })),
      ),
    ],
    bad: [
      {
        lines: opened(
          ...content({ ...text('x'), annotations: { lastModified: 'Sun, 12 Jan 2025 15:00:58 GMT' } }),
        ),
        shows: 'words',
      },
      {
        lines: opened(...content({ ...text('x'), annotations: { lastModified: 1736694058 } } as never)),
        also: ['base.schema-valid'],
        shows: 'number',
      },
    ],
  },
  'prompts.image-content-encoding': {
    good: [opened(...prompt(image('aGk=')))],
    bad: [
      { lines: opened(...prompt(image('https://example.com/a.png'))), shows: 'not-base64' },
      { lines: opened(...prompt({ ...image('aGk='), mimeType: 'png' })), shows: 'type-malformed' },
      { lines: opened(...prompt({ type: 'image', data: 'aGk=' })), shows: 'no-type' },
    ],
  },
  'prompts.audio-content-encoding': {
    good: [
      {
        lines: opened(...prompt({ type: 'audio', data: 'aGk=', mimeType: 'audio/pcm;rate=16000' })),
        shows: 'type-parameters',
      },
    ],
    bad: [
      { lines: opened(...prompt({ type: 'audio', data: '!', mimeType: 'audio/wav' })), shows: 'not-base64' },
    ],
  },
  'prompts.embedded-resource-mime-type': {
    good: [opened(...prompt(resource({ text: 't', mimeType: 'text/plain' })))],
    bad: [
      { lines: opened(...prompt(resource({ text: 't' }))), shows: 'missing' },
      { lines: opened(...prompt(resource({ text: 't', mimeType: 'text' }))), shows: 'malformed' },
    ],
  },
  'prompts.embedded-resource-payload': {
    good: [{ lines: opened(...prompt(resource({ text: '', mimeType: 'text/plain' }))), shows: 'empty' }],
    bad: [
      { lines: opened(...prompt(resource({ mimeType: 'text/plain' }))), shows: 'missing' },
      { lines: opened(...prompt(resource({ blob: '!', mimeType: 'a/b' }))), shows: 'not-base64' },
    ],
  },
  'prompts.embedded-resource-uri': {
    good: [opened(...prompt(resource({ text: 't', mimeType: 'text/plain' })))],
    // a text that the client itself supplied, and the result of a request that needed a refusal
    legal: [
      {
        lines: opened(
          ...promptWith({ name: 'p', arguments: { uri: 'none' } }, resource({ uri: 'none', ...words })),
        ),
        shows: 'repeats-argument',
      },
      {
        lines: opened(
          ['c!', request(1, 'prompts/get', { name: 'p' })],
          ['s', result(1, messagesOf(resource({ uri: '', ...words })))],
        ),
        shows: 'unlisted-arguments',
      },
    ],
    bad: [
      { lines: opened(...prompt(resource({ uri: 'none', ...words }))), shows: 'no-scheme' },
      {
        lines: opened(
          ...promptWith({ name: 'p', arguments: { uri: 'a b' } }, resource({ uri: 'none', ...words })),
        ),
        shows: 'argument-elsewhere',
      },
    ],
  },
  ...metaExamples(),
};

function metaExamples(): ExampleTable {
  const meta = (key: string) => opened(...call({ _meta: { [key]: 1 } }));
  const icons = (...list: object[]) => opened(...tools({ name: 'a', inputSchema: object, icons: list }));
  return {
    'meta.key-prefix-syntax': {
      good: [{ lines: meta('com.example/a'), shows: 'vendor' }, meta('com.example/')],
      legal: [
        { lines: meta('plain'), shows: 'no-slash' },
        {
          lines: opened(
            ...call({ structuredContent: { _meta: { 'a//b': 1 } }, content: [text('{"_meta":{"a//b":1}}')] }),
          ),
          shows: 'own-data',
        },
      ],
      bad: [
        { lines: meta('a..b/x'), shows: 'empty-label' },
        { lines: meta('/x'), shows: 'no-prefix' },
        { lines: meta('a/b/c'), shows: 'several-slashes' },
      ],
    },
    'meta.key-label-syntax': {
      good: [{ lines: meta('c.Ex-4/a'), shows: 'one-letter' }],
      bad: [
        { lines: meta('1abc/a'), shows: 'digit-first' },
        { lines: meta('a-/b'), shows: 'hyphen-last' },
        { lines: meta('a_b/c'), shows: 'underscore' },
      ],
    },
    'meta.key-name-syntax': {
      good: [
        { lines: meta('my_key-1.2'), shows: 'inside' },
        { lines: meta('com.example/'), shows: 'empty' },
      ],
      bad: [
        { lines: meta('_internal'), shows: 'underscore-first' },
        { lines: meta('com.example/x-'), shows: 'hyphen-last' },
        { lines: meta('foo bar'), shows: 'blank' },
      ],
    },
    'meta.key-reverse-dns': {
      good: [meta('com.example/a'), { lines: meta('example/a'), shows: 'one-label' }],
      bad: [{ lines: meta('example.com/a'), shows: 'forward' }],
    },
    'meta.reserved-prefix-unused': {
      good: [
        meta('com.example/a'),
        { lines: meta('io.modelcontextprotocol/related-task'), shows: 'known-key' },
      ],
      legal: [
        { lines: meta('com.example.mcp/a'), when: only, shows: 'third-label' },
        { lines: meta('mcp/a'), shows: 'one-label' },
      ],
      bad: [
        { lines: meta('dev.mcp/a'), when: only, shows: 'undefined-key' },
        { lines: meta('mcp.dev/a'), when: r => r !== latestRevision, shows: 'other-order' },
      ],
    },
    'icons.src-uri': {
      good: [
        icons({ src: 'https://e.com/a.png', sizes: ['48x48'] }),
        { lines: icons({ src: 'data:image/png;base64,aGk=' }), shows: 'data' },
      ],
      bad: [
        { lines: icons({ sizes: ['any'] }), shows: 'missing' },
        { lines: icons({ src: 'ftp://a/b' }), shows: 'other-scheme' },
        { lines: icons({ src: 'https://a/b', theme: 'blue' }), shows: 'theme-unknown' },
      ],
    },
    'icons.size-format': {
      good: [{ lines: icons({ src: 'https://e.com/a.svg', sizes: ['any', '1x1'] }), shows: 'any' }],
      bad: [{ lines: icons({ src: 'https://e.com/a.svg', sizes: ['48'] }), shows: 'number' }],
    },
  };
}
