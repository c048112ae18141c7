import type { JsonObject } from '../../../spec/json-rpc.js';
import { clauseIn, requirement } from '../../../spec/requirement.js';
import { latestRevision, type Revision } from '../../../spec/revisions.js';
import { vocabularyOf } from '../../../spec/vocabulary.js';
import type { Examples, ExampleTable } from '../example.test.util.js';
import * as http from '../http-events.test.util.js';
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
import {
  acknowledged,
  answeredWith,
  discovered,
  hints,
  listens,
  refusedWith,
  tagged,
} from '../stateless.test.util.js';

const object = { type: 'object' };

/** A schema of an object that names draft-07. */
const ofDraft07 = (properties: JsonObject = {}): JsonObject => ({
  ...object,
  $schema: 'http://json-schema.org/draft-07/schema#',
  properties,
});
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
/** A list with the size of a resource. */
const sized = (size: number): Line[] => resources({ uri: 'a:b', name: 'a', size });
const link = (uri: string) => ({ type: 'resource_link', uri, name: 'a' });
const hasLinks = (r: Revision): boolean => vocabularyOf(r).definitions.has('ResourceLink');
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
const crashed = (method: string, text: string): Line[] => [
  ...http.ask(1, 'POST', request(1, method), 500, 'text/plain'),
  { kind: 'http-body', exchange: 1, text },
  http.end(1),
];
const extension = { requiredCapabilities: { extensions: { 'com.example/a': {} } } };
const listAnswered = (feature: string): Examples => ({
  good: [opened(...asked(1, `${feature}/list`, {}, { [feature]: [] }))],
  legal: [
    (r: typeof latestRevision) => [...handshake(r), ...refused(`${feature}/list`)],
    opened(['c', request(1, `${feature}/list`, { cursor: 'made up' })], ['s', error(1, -32602)]),
    opened(
      ['c', request(1, `${feature}/list`)],
      ['c', notification('notifications/cancelled', { requestId: 1 })],
      ['s', error(1, -32800)],
    ),
    { era: 'modern', lines: [...discovered(), ...refusedWith(1, `${feature}/list`, -32021, extension)] },
    {
      transport: 'streamable-http',
      lines: opened(...crashed(`${feature}/list`, 'getaddrinfo EAI_AGAIN example.com')),
      when: r => r.transports.includes('streamable-http'),
    },
  ],
  bad: [
    opened(...refused(`${feature}/list`)),
    { era: 'modern', lines: [...discovered(), ...refusedWith(1, `${feature}/list`, -32603)] },
    {
      transport: 'streamable-http',
      lines: opened(...crashed(`${feature}/list`, 'Internal Server Error')),
      when: r => r.transports.includes('streamable-http'),
    },
  ],
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
            inputSchema: ofDraft07({ a: { type: 'array', items: [{}], $id: 'same' } }),
          }),
        ),
        shows: 'draft-07',
      },
      {
        lines: opened(
          ...tools({
            name: 'a',
            inputSchema: ofDraft07({ a: { enum: [] }, b: { enum: [1, 1] }, c: { type: 'array', items: [] } }),
          }),
        ),
        shows: 'draft-07-empty',
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
      { lines: opened(...tools({ name: 'a', inputSchema: { properties: {} } })), shows: 'type-missing' },
      {
        lines: opened(
          ...tools({ name: 'a', inputSchema: object, outputSchema: { type: 'object', properties: [] } }),
        ),
        when: r => !clauseIn(requirement('json-schema.schemas-valid'), r.id),
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
            inputSchema: ofDraft07(),
          }),
        ),
        shows: 'other-named',
      },
    ],
  },
  'json-schema.references-resolve': {
    good: [
      opened(
        ...tools({
          name: 'a',
          inputSchema: { ...object, properties: { b: { $ref: '#/$defs/b' } }, $defs: { b: {} } },
        }),
      ),
    ],
    legal: [
      {
        lines: opened(
          ...tools({
            name: 'a',
            inputSchema: {
              ...object,
              properties: { 'c/d e': true, b: { $ref: '#/properties/c~1d%20e' }, whole: { $ref: '#' } },
            },
          }),
        ),
        shows: 'escaped',
      },
      {
        lines: opened(
          ...tools({
            name: 'a',
            inputSchema: { ...object, properties: { b: { $ref: 'https://example.com/b#/$defs/b' } } },
          }),
        ),
        shows: 'other-document',
      },
      // an $id inside, a member that is called $ref, and a value that is no schema
      opened(
        ...tools({
          name: 'a',
          inputSchema: {
            ...object,
            properties: { $ref: { const: { $ref: '#/$defs/b' } } },
            'x-own': { $ref: '#/$defs/b' },
          },
          outputSchema: {
            ...object,
            properties: { b: { $id: 'https://example.com/b', $defs: { c: {} }, $ref: '#/$defs/c' } },
          },
        }),
      ),
      opened(
        ...tools({
          name: 'a',
          inputSchema: { ...object, $defs: { b: { $anchor: 'b' } }, properties: { b: { $ref: '#b' } } },
        }),
      ),
      opened(...tools({ name: 'a', inputSchema: { ...object, $schema: 'urn:own', $ref: '#/$defs/b' } })),
    ],
    bad: [
      opened(...tools({ name: 'a', inputSchema: { ...object, properties: { b: { $ref: '#/$defs/b' } } } })),
      opened(
        ...tools({
          name: 'a',
          inputSchema: object,
          outputSchema: { ...object, anyOf: [{ items: { $ref: '#/definitions/b' } }], $defs: { b: {} } },
        }),
      ),
      {
        lines: opened(...tools({ name: 'a', inputSchema: { ...object, properties: { b: { $ref: '#b' } } } })),
        shows: 'anchor',
      },
    ],
  },
  'json-schema.schemas-valid': {
    good: [
      opened(...withOutput),
      {
        era: 'modern',
        lines: [
          ...discovered(),
          ...answeredWith(
            1,
            'tools/list',
            {},
            { tools: [{ name: 'a', inputSchema: object, outputSchema: { type: 'array' } }], ...hints },
          ),
        ],
      },
    ],
    legal: [
      {
        lines: opened(
          ...tools({
            name: 'a',
            inputSchema: object,
            outputSchema: ofDraft07({ a: { enum: [] }, b: { enum: [1, 1] } }),
          }),
        ),
        shows: 'draft-07-empty',
      },
    ],
    bad: [
      {
        lines: opened(
          ...tools({ name: 'a', inputSchema: object, outputSchema: { type: 'object', properties: [] } }),
        ),
        shows: 'output-schema',
      },
      opened(...tools({ name: 'a', inputSchema: object, outputSchema: { type: 'array' } })),
      {
        era: 'modern',
        lines: [
          ...discovered(),
          ...answeredWith(
            1,
            'tools/list',
            {},
            { tools: [{ name: 'a', inputSchema: object, outputSchema: { type: 'strin' } }], ...hints },
          ),
        ],
      },
      {
        lines: opened([
          's',
          request(1, 'sampling/createMessage', {
            messages: [],
            maxTokens: 1,
            tools: [{ name: 'a', inputSchema: { type: 'object', properties: [] } }],
          }),
        ]),
        shows: 'sampling-tool',
      },
      {
        lines: opened([
          's',
          request(1, 'sampling/createMessage', {
            messages: [],
            maxTokens: 1,
            tools: [{ name: 'a', inputSchema: object, outputSchema: { type: 'object', properties: [] } }],
          }),
        ]),
        shows: 'sampling-tool',
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
    good: [opened(...named('a')), opened(...named('a'.repeat(128)))],
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
      {
        lines: opened(...withOutput, ['c!', request(2, 'tools/call')], ['s', result(2, { content: [] })]),
        isUnobserved: true,
      },
    ],
    bad: [
      { lines: opened(...withOutput, ...call({})), shows: 'missing' },
      {
        lines: opened(
          ...withOutput,
          ['s', notification('notifications/prompts/list_changed')],
          ...call(n('x')),
        ),
        shows: 'invalid',
      },
    ],
  },
  'tools.structured-content-text-copy': {
    good: [
      {
        lines: opened(...call({ ...n(1), content: [text('n is 1'), text('{ "n": 1 }')] })),
        shows: 'other-writing',
      },
    ],
    legal: [{ lines: opened(...content(text('x'))), shows: 'no-structured-content' }],
    bad: [{ lines: opened(...call({ ...n(1), content: [text('n is 1')] })), shows: 'other-text' }],
  },
  'tools.media-content-encoding': {
    good: [opened(...content(image('aGk='))), { lines: opened(...content(image(''))), shows: 'empty' }],

    legal: [{ lines: opened(...content(text('x'))), isUnobserved: true }],
    bad: [
      { lines: opened(...content(image('data:image/png;base64,aGk='))), shows: 'data-uri' },
      { lines: opened(...content(image('a_-='))), shows: 'base64url' },
      { lines: opened(...content(image('aGk'))), shows: 'padding-missing' },
      opened(...content(image('a_-\n='))),
    ],
  },
  'tools.embedded-resource-capability': {
    good: [opened(...content(resource({ text: 't' })))],

    legal: [{ lines: r => [...handshake(r, { tools: {} }), ...content(text('x'))], isUnobserved: true }],
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
    legal: [
      { lines: opened(...resources({ uri: 'file:///ä', name: 'a' })), shows: 'not-ascii' },
      { lines: opened(...content({ ...text('x'), resource: { uri: 'no-scheme' } })), isUnobserved: true },
    ],
    bad: [
      { lines: opened(...resources({ uri: 'no-scheme', name: 'a' })), shows: 'relative' },
      { lines: opened(...resources({ uri: 'a://b c', name: 'a' })), shows: 'space' },
      { lines: opened(...read({ uri: '/path', text: 't' })), shows: 'in-contents' },
      { lines: opened(...resources({ uri: 7, name: 'a' })), also: ['base.schema-valid'] },
      opened(...resources({ uri: '/1a:b', name: 'a' })),
      {
        lines: opened(...resources({ uri: 'my_scheme://x', name: 'a' })),
        when: r => !clauseIn(requirement('resources.custom-scheme-rfc3986'), r.id),
      },
      { lines: opened(...content(link('no-scheme'))), when: hasLinks },
      { lines: opened(...prompt(link('no-scheme'))), when: hasLinks },
      opened(...subscribe(1, 'no-scheme'), updated('no-scheme')),
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

    legal: [opened(...templates('a://{ä}'))],
    bad: [
      { lines: opened(...templates('a://{id')), shows: 'brace-open' },
      opened(...templates('a://{=id}')),
      { lines: opened(...templates('a://{}')), shows: 'empty-expression' },
      {
        lines: opened(
          ...asked(1, 'resources/templates/list', {}, { resourceTemplates: [{ uriTemplate: 7, name: 't' }] }),
        ),
      },
    ],
  },
  'base.base64-without-line-breaks': {
    good: [opened(...content(image('aGkhaGkh'))), opened(...read({ uri: 'a:b', blob: 'aGk=' }))],
    legal: [
      { lines: opened(...content(text('aGkh\naGkh'))), shows: 'text', isUnobserved: true },
      {
        lines: opened(['s', notification('notifications/message', { level: 'info', data: 'aGkh' })]),
        isUnobserved: true,
      },
    ],
    bad: [
      { lines: opened(...content(image('aGkh\naGkh'))), shows: 'media' },
      { lines: opened(...read({ uri: 'a:b', blob: 'aGkh\r\n' })), shows: 'blob' },
      { lines: opened(...content(resource({ blob: 'aGkh\naGkh' }))), shows: 'embedded-blob' },
      opened([
        's',
        request(1, 'sampling/createMessage', {
          messages: [{ role: 'user', content: image('aGkh\naGkh') }],
          maxTokens: 1,
        }),
      ]),
    ],
  },
  'resources.binary-encoded': {
    good: [opened(...read({ uri: 'a:b', blob: 'aGk=' }))],
    legal: [
      { lines: opened(...read({ uri: 'a:b', blob: '' })), shows: 'empty' },
      opened(...read({ uri: 'a:b', text: 'hi', blob: null })),
    ],
    bad: [
      // without a text it has no valid shape either
      opened(...read({ uri: 'a:b', blob: null })),
      { lines: opened(...read({ uri: 'a:b', blob: 'a-_=' })), shows: 'base64url' },
      { lines: opened(...content(resource({ blob: 'hello!' }))), shows: 'embedded' },
      opened(...sized(3), ...read({ uri: 'a:b', blob: 'a-_=' })),
    ],
  },
  'resources.size-is-raw-bytes': {
    good: [
      opened(...resources({ uri: 'a:b', name: 'a', size: 2 }), ...read({ uri: 'a:b', blob: 'aGk=' })),
      opened(...sized(2), ...read({ uri: 'a:b', text: 'ö' })),
      // the last list before the read counts, or the first one after it
      opened(...sized(4), ...sized(2), ...read({ uri: 'a:b', text: 'hi' }), ...sized(4)),
      opened(...read({ uri: 'a:b', text: 'hi' }), ...sized(2)),
    ],
    legal: [
      {
        lines: opened(
          ...resources({ uri: 'a:b', name: 'a', size: 2 }),
          ['s', notification('notifications/resources/list_changed')],
          ...read({ uri: 'a:b', text: 'more' }),
        ),
        shows: 'list-changed',
      },
      {
        lines: opened(
          ...sized(9),
          ...read({ uri: 'a:b', text: 'of a' }, { uri: 'a:b', text: 'pair' }),
          ...asked(3, 'resources/read', { uri: 'a:' }, { contents: [{ uri: 'a:b', text: 'a part' }] }),
          ['c!', request(4, 'resources/read')],
          ['s', result(4, { contents: [{ uri: 'a:b', text: 'any' }] })],
        ),
        isUnobserved: true,
      },
      {
        lines: opened(...sized(1), ...read({ uri: 'a:b', text: 'ö' })),
        isUnobserved: true,
        shows: 'encoding',
      },
      { lines: opened(...sized(4), ...read({ uri: 'a:b', text: 'aGk=ö' })), isUnobserved: true },
      {
        lines: opened(...sized(1), ...read({ uri: 'a:b', blob: 'aGk=' })),
        isUnobserved: true,
        shows: 'grows',
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
      opened(
        ...sized(4),
        ['s', notification('notifications/tools/list_changed')],
        ...read({ uri: 'a:b', blob: 'aGk=' }),
      ),
    ],
  },
  'resources.subscribe-methods-answered': {
    good: [opened(...subscribe(1, 'a:b'))],
    legal: [
      {
        lines: opened(['c', request(1, 'resources/subscribe', { uri: 'x:y' })], ['s', error(1, -32002)]),
        shows: 'other-error',
      },
      {
        lines: r => [...handshake(r, { resources: {} }), ...refused('resources/subscribe')],
        shows: 'not-declared',
      },
      opened(['c', request(1, 'resources/subscribe', { uri: 'a:b' })]),
    ],
    bad: [
      {
        lines: opened(['c', request(1, 'resources/subscribe', { uri: 'x:y' })], ['s', error(1, -32601)]),
        shows: 'refused',
      },
      opened(
        ...subscribe(1, 'a:b'),
        ['c', request(2, 'resources/unsubscribe', { uri: 'a:b' })],
        ['s', error(2, -32601)],
      ),
    ],
  },
  'resources.updated-only-after-subscribe': {
    good: [
      { lines: opened(...subscribe(1, 'a:b'), updated('a:b/c')), shows: 'part' },
      {
        era: 'modern',
        lines: [
          ...discovered(),
          listens(1, { resourceSubscriptions: ['a:b'] }),
          acknowledged(1, { resourceSubscriptions: ['a:b'] }),
          tagged(1, 'notifications/resources/updated', { uri: 'a:b/c' }),
        ],
      },
    ],
    bad: [
      { lines: opened(updated('a:b')), shows: 'no-subscription' },
      opened(updated('a:b'), ...subscribe(1, 'a:b')),
      {
        era: 'modern',
        lines: [
          ...discovered(),
          listens(1, { resourceSubscriptions: ['a:b'] }),
          acknowledged(1, { resourceSubscriptions: ['a:b'] }),
          tagged(1, 'notifications/resources/updated', { uri: 'x:y' }),
        ],
        also: ['subscriptions.only-requested-types'],
        shows: 'other-resource',
      },
      r => [...handshake(r, { resources: {} }), updated('a:b')],
    ],
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
          ...subscribe(3, 'x:y'),
          ...unsubscribe(4, 'a:b/c'),
          updated('a:b/c'),
        ),
        shows: 'covered',
      },
      opened(
        ...subscribe(1, 'a:b'),
        ['c', request(2, 'resources/unsubscribe', { uri: 'a:b' })],
        ['s', error(2)],
        updated('a:b'),
      ),
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
      opened(...subscribe(1, 'a:b'), ...unsubscribe(2, 'a:b'), updated('a:other')),
    ],
  },
  'resources.last-modified-format': {
    good: [
      ...['2025-01-12', '20250112T150058Z', '2025-01-12T15:00:58.5+02:00'].map(lastModified =>
        opened(...content({ ...text('x'), annotations: { lastModified } })),
      ),
      // each part may be left out, and most separators
      opened(
        ...content(
          ...[
            '2025',
            '2025-01',
            '-0044-03-15',
            '+2025-01-12',
            '2025-W03',
            '2025W03',
            '2025-W03-4',
            '2025W034',
            '2025-123',
            '2025123',
            '2025-01-12T15',
            '2025-01-12T15:00',
            '2025-01-12T1500',
            '2025-01-12T15:00:58,123',
            '2025-01-12T15:00Z',
            '2025-01-12T15:00+02',
            '2025-01-12T15:00+0200',
            '2025-01-12T150058-02:00',
          ].map(lastModified => ({ ...text('x'), annotations: { lastModified } })),
        ),
      ),
    ],
    legal: [
      { lines: opened(...content({ ...text('x'), annotations: { priority: 1 } })), isUnobserved: true },
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
      ...['on 2025-01-12', '2025-01-12T15:00:58Z or so'].map(lastModified =>
        opened(...content({ ...text('x'), annotations: { lastModified } })),
      ),
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
    good: [
      { lines: opened(...prompt(resource({ text: '', mimeType: 'text/plain' }))), shows: 'empty' },
      opened(...prompt(resource({ blob: 'aGk=', mimeType: 'image/png' }))),
    ],
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
      opened(
        ['c', request(1, 'prompts/get')],
        ['s', result(1, messagesOf(resource({ uri: 'none', ...words })))],
      ),
      { lines: opened(...prompt(resource({ uri: 7, ...words }))), also: ['base.schema-valid'] },
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
        { lines: meta('plain'), isUnobserved: true },
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
      legal: [
        // the prefix is reported
        {
          lines: opened(
            ...call({ structuredContent: { _meta: { '-': 1 } }, content: [text('{"_meta":{"-":1}}')] }),
          ),
          isUnobserved: true,
        },
      ],
      bad: [
        { lines: meta('_internal'), shows: 'underscore-first' },
        { lines: meta('com.example/x-'), shows: 'hyphen-last' },
        { lines: meta('foo bar'), shows: 'blank' },
      ],
    },
    'meta.key-reverse-dns': {
      good: [meta('com.example/a'), { lines: meta('example/a'), shows: 'one-label' }, meta('com.org/a')],
      bad: [{ lines: meta('example.com/a'), shows: 'forward' }, meta('www.example.com/a')],
    },
    'meta.reserved-prefix-unused': {
      good: [
        meta('com.example/a'),
        { lines: meta('io.modelcontextprotocol/related-task'), shows: 'known-key' },
      ],
      legal: [
        { lines: meta('com.example.mcp/a'), when: only, shows: 'third-label' },
        { lines: meta('mcp/a'), shows: 'one-label' },
        { lines: meta('plain'), isUnobserved: true },
      ],
      bad: [
        { lines: meta('dev.mcp/a'), when: only, shows: 'undefined-key' },
        { lines: meta('mcp.dev/a'), when: r => r !== latestRevision, shows: 'other-order' },
        { lines: meta('dev.modelcontextprotocol/related-task'), when: only },
        { lines: meta('io.modelcontextprotocol/other'), when: only },
        // the other one is in order
        { lines: opened(...call({ _meta: { plain: 1, 'dev.mcp/a': 1 } })), when: only },
      ],
    },
    'icons.src-uri': {
      good: [
        icons({ src: 'https://e.com/a.png', sizes: ['48x48'] }),
        { lines: icons({ src: 'data:image/png;base64,aGk=' }), shows: 'data' },
        { lines: icons({ src: 'data:image/png;base64,aGk%3D' }), shows: 'data-escaped' },
        { lines: icons({ src: 'data:image/svg+xml,%3Csvg/%3E' }), shows: 'data-without-base64' },
        icons({ src: 'data:,' }),
        icons(
          { src: 'http://e.com/a.png', theme: 'light' },
          { src: 'data:image/png;base64,aG==', theme: 'dark' },
        ),
        icons({ src: 'https://e.com/a.png', mimeType: 'image/png', sizes: [] }),
      ],
      bad: [
        { lines: icons({ sizes: ['any'] }), shows: 'missing' },
        { lines: icons({ src: 'ftp://a/b' }), shows: 'other-scheme' },
        { lines: icons({ src: 'https://a/b', theme: 'blue' }), shows: 'theme-unknown' },
        icons({ src: 'https://a/b' }, { src: 'ftp://a/b' }),
        icons({ src: 'xhttps://a/b' }),
        icons({ src: 'data:image/png;base64,a b' }),
        icons({ src: 'data:image/png;base64,a%20b' }),
        icons({ src: 'data:image/png;base64' }),
        icons({ src: 'data:image/svg+xml,%zz' }),
        icons({ src: 'https://a/b', mimeType: 7 }),
        icons({ src: 'https://a/b', sizes: '48x48' }),
        icons({ src: 'https://a/b', sizes: ['48x48', 7] }),
        opened(...tools({ name: 'a', inputSchema: object, icons: ['https://a/b', null] })),
        icons({ src: ['https://a/b'] }),
      ],
    },
    'icons.size-format': {
      good: [{ lines: icons({ src: 'https://e.com/a.svg', sizes: ['any', '1x1'] }), shows: 'any' }],
      legal: [{ lines: icons({ src: 'https://e.com/a.svg' }), isUnobserved: true }],
      bad: [{ lines: icons({ src: 'https://e.com/a.svg', sizes: ['48'] }), shows: 'number' }],
    },
  };
}
