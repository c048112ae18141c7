import type { Revision } from '../../../spec/revisions.js';
import { vocabularyOf } from '../../../spec/vocabulary.js';
import type { ExampleTable } from '../example.test.util.js';
import { ask, event } from '../http-events.test.util.js';
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
import { asksFor, discovered } from '../stateless.test.util.js';

const sample = (id: number, messages: object[], more: object = {}): Line => [
  's',
  request(id, 'sampling/createMessage', { messages, maxTokens: 9, ...more } as never),
];
const turn = (role: string, ...content: object[]) => ({ role, content });
const say = (text: string) => ({ type: 'text', text });
const use = (id: string) => ({ type: 'tool_use', id, name: 'a', input: {} });
const answer = (toolUseId: string, more: object = {}) => ({
  type: 'tool_result',
  toolUseId,
  content: [],
  ...more,
});
/** A tool use and its result. */
const exchanged = (id: string): object[] => [turn('assistant', use(id)), turn('user', answer(id))];
const single = (block: object) => ({ role: 'user', content: block });
const image = (data: string) => ({ type: 'image', data, mimeType: 'image/png' });
const schema = { type: 'object', properties: { n: { type: 'number' } } };
const offered = { tools: [{ name: 'a', inputSchema: { type: 'object' }, outputSchema: schema }] };

const form = (properties: object, more: object = {}): Line => [
  's',
  request(1, 'elicitation/create', {
    message: 'm',
    requestedSchema: { type: 'object', properties },
    ...more,
  } as never),
];
const linked = (more: object = {}) =>
  request(1, 'elicitation/create', {
    mode: 'url',
    message: 'm',
    url: 'https://e.com/',
    elicitationId: 'e',
    ...more,
  });
const url = (more: object = {}): Line => ['s', linked(more)];
const name = { name: { type: 'string' } };
const option = { const: 'a', title: 'A' };
const hasLists = (r: Revision) => vocabularyOf(r).definitions.has('MultiSelectEnumSchema');
const needed = (data: object, code = -32042): Line[] => [
  ['c', request(1, 'tools/call', { name: 'a' })],
  ['s', { ...(error(1, code) as object), error: { code, message: 'no', data } } as never],
];
const element = { mode: 'url', message: 'm', url: 'https://e.com/', elicitationId: 'e' };
const toClient = (elicitation: object, ...lines: Line[]) => ({
  lines: (r: Parameters<typeof handshake>[0]) => [...handshake(r, {}, { elicitation } as never), ...lines],
});

const prompts: Line[] = [
  ['c', request(2, 'prompts/list')],
  [
    's',
    result(2, {
      prompts: [{ name: 'p', arguments: [{ name: 'a', required: true }, { name: 'b' }] }, { name: 'free' }],
    }),
  ],
];

export const examples: ExampleTable = {
  'prompts.required-arguments-sent': {
    good: [
      {
        lines: opened(...prompts, ['c', request(3, 'prompts/get', { name: 'p', arguments: { a: '' } })]),
        shows: 'empty',
      },
    ],
    legal: [
      { lines: opened(...prompts, ['c', request(3, 'prompts/get', { name: 'free' })]), shows: 'no-required' },
      { lines: opened(['c', request(3, 'prompts/get', { name: 'p' })]), shows: 'not-listed' },
      {
        lines: opened(
          ...prompts,
          ['s', notification('notifications/prompts/list_changed')],
          ['c', request(3, 'prompts/get', { name: 'p' })],
        ),
        shows: 'list-changed',
      },
      { lines: opened(...prompts, ['c', request(3, 'tools/call', { name: 'p' })]), isUnobserved: true },
      // the result of another request has the form of a list
      {
        lines: opened(
          ...asked(
            1,
            'tools/list',
            {},
            { tools: [], prompts: [{ name: 'p', arguments: [{ name: 'a', required: true }] }] },
          ),
          ['c', request(3, 'prompts/get', { name: 'p' })],
        ),
        isUnobserved: true,
      },
    ],
    bad: [
      { lines: opened(...prompts, ['c', request(3, 'prompts/get', { name: 'p' })]), shows: 'none-sent' },
      {
        lines: opened(...prompts, ['c', request(3, 'prompts/get', { name: 'p', arguments: { b: 'x' } })]),
        shows: 'one-missing',
      },
    ],
  },
  'resources.unsubscribe-after-subscribe': {
    good: [
      opened(
        ['c', request(3, 'resources/subscribe', { uri: 'a:b' })],
        ['c', request(4, 'resources/unsubscribe', { uri: 'a:b' })],
      ),
    ],
    bad: [
      {
        lines: opened(
          ['c', request(3, 'resources/subscribe', { uri: 'a:b' })],
          ['c', request(4, 'resources/unsubscribe', { uri: 'a:c' })],
        ),
        shows: 'never-subscribed',
      },
    ],
  },
  'sampling.media-content-encoding': {
    good: [opened(sample(1, [single(image('aGk='))]))],

    legal: [{ lines: opened(sample(1, [single(say('x'))])), isUnobserved: true }],
    bad: [
      { lines: opened(sample(1, [single(image('!'))])), shows: 'request' },
      {
        lines: opened(sample(1, []), [
          'c',
          result(1, { role: 'assistant', model: 'm', content: image('!') }),
        ]),
        subject: 'client',
        shows: 'result',
      },
    ],
  },
  'sampling.no-tools-without-capability': {
    good: [opened(sample(1, [], offered))],
    bad: [
      { lines: r => [...handshake(r, {}, { sampling: {} }), sample(1, [], offered)], shows: 'tools' },
      {
        lines: r => [...handshake(r, {}, { sampling: {} }), sample(1, [], { toolChoice: { mode: 'auto' } })],
        shows: 'tool-choice',
      },
    ],
  },
  'sampling.include-context-needs-capability': {
    good: [],
    legal: [
      {
        lines: r => [...handshake(r, {}, { sampling: {} }), sample(1, [], { includeContext: 'none' })],
        shows: 'none',
      },
    ],
    bad: [
      {
        lines: r => [...handshake(r, {}, { sampling: {} }), sample(1, [], { includeContext: 'allServers' })],
        shows: 'undeclared',
      },
    ],
  },
  'sampling.include-context-avoided': {
    good: [
      { lines: opened(sample(1, [])), shows: 'none' },
      opened(sample(1, [], { includeContext: 'none' })),
    ],
    bad: [{ lines: opened(sample(1, [], { includeContext: 'thisServer' })), shows: 'used' }],
  },
  'sampling.tool-block-roles': {
    good: [
      opened(sample(1, [turn('assistant', use('u')), turn('user', answer('u'))])),
      opened(sample(1, [turn('user', say('x')), turn('assistant', use('u')), turn('user', answer('u'))])),
    ],

    legal: [{ lines: opened(sample(1, [turn('user', say('x'))])), isUnobserved: true }],
    bad: [
      {
        lines: opened(sample(1, [turn('user', use('u')), turn('user', answer('u'))])),
        shows: 'use-by-user-in-request',
      },
      {
        lines: opened(sample(1, []), [
          'c',
          result(1, { role: 'user', model: 'm', content: [use('u')] } as never),
        ]),
        subject: 'client',
        also: ['sampling.tool-use-fits-tools'],
        shows: 'use-by-user',
      },
      {
        lines: opened(sample(1, [turn('assistant', use('u')), turn('assistant', answer('u'), say('x'))])),
        shows: 'result-by-assistant',
      },
    ],
  },
  'sampling.tool-use-ids-unique': {
    good: [opened(sample(1, [turn('assistant', use('u')), turn('user', answer('u'))]))],

    legal: [{ lines: opened(sample(1, [turn('user', say('x'))])), isUnobserved: true }],
    bad: [
      {
        lines: opened(sample(1, [turn('assistant', use('u'), use('u')), turn('user', answer('u'))])),
        shows: 'twice',
      },
    ],
  },
  'sampling.tool-results-unmixed': {
    good: [opened(sample(1, [turn('assistant', say('x'), use('u')), turn('user', answer('u'))]))],
    legal: [
      { lines: opened(sample(1, [turn('assistant', use('u')), single(answer('u'))])), shows: 'single' },
    ],
    bad: [
      {
        lines: opened(sample(1, [turn('assistant', use('u')), turn('user', answer('u'), say('x'))])),
        shows: 'text',
      },
    ],
  },
  'sampling.tool-result-id-matches': {
    good: [opened(sample(1, [turn('assistant', use('u')), turn('user', answer('u'))]))],

    legal: [{ lines: opened(sample(1, [turn('user', say('x'))])), isUnobserved: true }],
    bad: [
      {
        lines: opened(sample(1, [turn('assistant', use('u')), turn('user', answer('v'))])),
        shows: 'unknown',
      },
      opened(sample(1, [turn('user', answer('u')), turn('assistant', use('u')), turn('user', answer('u'))])),
    ],
  },
  'sampling.tool-use-result-balance': {
    good: [
      {
        lines: opened(
          sample(1, [turn('assistant', use('u'), use('v')), turn('user', answer('v'), answer('u'))]),
        ),
        shows: 'any-order',
      },
    ],

    legal: [
      // texts with members of tool blocks
      {
        lines: opened(
          sample(1, [
            turn('assistant', { ...say('x'), id: 'u' }),
            turn('user', { ...say('y'), toolUseId: 'v' }),
          ]),
        ),
        isUnobserved: true,
      },
    ],
    bad: [
      {
        lines: opened(
          sample(1, [
            turn('user', say('x')),
            turn('assistant', use('u'), use('v')),
            turn('user', answer('v')),
          ]),
        ),
        shows: 'one-missing',
      },
      { lines: opened(sample(1, [turn('assistant', use('u'))])), shows: 'no-next-message' },
      { lines: opened(sample(1, [turn('assistant', use('u')), turn('user', say('x'))])), shows: 'text-next' },
      opened(
        sample(1, [...exchanged('w'), turn('assistant', use('u')), turn('user', answer('u'), answer('w'))]),
      ),
      opened(
        sample(1, [
          ...exchanged('w'),
          turn('assistant', use('u'), use('v')),
          turn('user', answer('u'), answer('w')),
        ]),
      ),
    ],
  },
  'sampling.tool-loop-answers-all': {
    good: [
      loop(['u', 'v']),
      // other requests in between, and an earlier tool use
      opened(
        sample(1, [], offered),
        used('u'),
        sample(2, exchanged('w'), offered),
        sample(3, [...exchanged('w'), ...exchanged('u')], offered),
      ),
    ],
    legal: [{ lines: opened(sample(1, [], offered), used('u')), shows: 'no-request' }],
    bad: [{ lines: loop(['u']), shows: 'forgotten' }],
  },
  'sampling.tool-result-structured-conformance': {
    good: [structured({ n: 1 })],
    legal: [
      { lines: structured({ n: 'x' }, { isError: true }), shows: 'failed' },
      {
        lines: structured({ n: 'x' }, {}, { tools: [{ name: 'a', inputSchema: schema }] }),
        isUnobserved: true,
      },
      { lines: structured({ n: 'x' }, {}, {}), isUnobserved: true },
    ],
    bad: [{ lines: structured({ n: 'x' }), shows: 'invalid' }],
  },
  'elicitation.url-no-user-secrets': {
    good: [opened(url())],
    legal: [{ lines: opened(url({ url: 'https://e.com/?session=opaque' })), shows: 'opaque' }],
    bad: [
      { lines: opened(url({ url: 'https://ada:pw@e.com/' })), shows: 'password' },
      {
        lines: opened(
          ['c', request(7, 'tools/call', { name: 'a', arguments: { password: 'mcp-conform-hunter2' } })],
          url({ url: 'https://e.com/?p=mcp-conform-hunter2' }),
        ),
        shows: 'secret-of-call',
      },
      {
        lines: opened(
          form(name),
          ['c', result(1, { action: 'accept', content: { name: 'ada.lovelace@example.com' } })],
          again(url({ url: `https://e.com/?u=${encodeURIComponent('ada.lovelace@example.com')}` })),
        ),
        shows: 'personal-data',
      },
      {
        lines: opened(
          ['c', request(7, 'tools/call', { name: 'a', arguments: { password: 'mcp-conform-~~~~~~2' } })],
          // in Base64, without padding
          url({ url: 'https://e.com/bWNwLWNvbmZvcm0tfn5+fn5+Mg' }),
        ),
        shows: 'secret-of-call',
      },
      {
        transport: 'streamable-http',
        when: r => vocabularyOf(r).requests.server.has('elicitation/create'),
        lines: opened(
          ...ask(1, 'POST', request(7, 'tools/call', { name: 'a' }), 200, 'text/event-stream', {
            sent: { Authorization: 'Bearer access-token-of-ada' },
          }),
          ...event(1, linked({ url: 'https://e.com/?token=access-token-of-ada' })),
        ),
        shows: 'access-token',
      },
    ],
  },
  'elicitation.common-parameters': {
    good: [{ lines: opened(form(name)), shows: 'no-mode' }, opened(url())],
    bad: [
      { lines: opened(form(name, { message: 7 })), shows: 'message-no-text' },
      { lines: opened(form(name, { mode: 'page' })), shows: 'mode-unknown' },
      // inside of a result
      {
        era: 'modern',
        lines: [
          ...discovered(),
          ...asksFor(1, {
            inputRequests: {
              q: {
                method: 'elicitation/create',
                params: { requestedSchema: { type: 'object', properties: {} } },
              },
            },
          }),
        ],
      },
      {
        lines: opened(['s', request(1, 'elicitation/create')]),
        also: ['base.schema-valid'],
        shows: 'no-message',
      },
    ],
  },
  'elicitation.form-parameters': {
    good: [
      { lines: opened(form({})), shows: 'no-properties' },
      { lines: opened(form(name, { mode: 'form' })), shows: 'mode' },
    ],
    bad: [
      { lines: opened(['s', request(1, 'elicitation/create', { message: 'm' })]), shows: 'no-schema' },
      { lines: opened(form(name, { requestedSchema: {} })), shows: 'schema-without-properties' },
      {
        lines: opened(form(name, { requestedSchema: { type: 'object' } })),
        shows: 'schema-without-properties',
      },
      {
        lines: opened(form(name, { requestedSchema: { properties: {} } })),
        shows: 'schema-without-properties',
      },
    ],
  },
  'elicitation.schema-flat-primitive': {
    good: [
      {
        lines: opened(
          form({
            ...name,
            age: { type: 'integer', minimum: 0 },
            size: { type: 'number' },
            agreed: { type: 'boolean' },
            kind: { type: 'string', enum: ['a'], enumNames: ['A'] },
          }),
        ),
        shows: 'primitive',
      },
      {
        lines: opened(
          form({
            one: { type: 'string', oneOf: [option] },
            some: { type: 'array', items: { type: 'string', enum: ['a'] } },
            several: { type: 'array', items: { anyOf: [option] } },
          }),
        ),
        when: hasLists,
        shows: 'primitive',
      },
    ],
    legal: [{ lines: opened(form({ code: { type: 'string', pattern: '^a' } })), shows: 'pattern' }],
    bad: [
      ...[
        { where: { type: 'object', properties: {} } },
        { any: { type: 'array', items: { type: 'string' } } },
        { nothing: null },
      ].map(fields => ({ lines: opened(form(fields)), also: ['base.schema-valid'] as const })),
      ...[
        { at: { type: 'string', $ref: '#/x' } },
        { all: { type: 'string', allOf: [] } },
        { one: { type: 'string', oneOf: [option, { title: 'B' }] } },
        { one: { type: 'string', oneOf: [option, 'B'] } },
        { none: { type: 'string', anyOf: [{ title: 'B' }] } },
      ].map(fields => ({ lines: opened(form(fields)), shows: 'structure' })),
      {
        lines: opened(form({ some: { type: 'array', items: { type: 'string', enum: ['a'] } } })),
        also: ['base.schema-valid'],
        when: r => !hasLists(r),
      },
    ],
  },
  'elicitation.no-sensitive-information': {
    good: [
      {
        lines: opened(
          form({
            userName: { type: 'string' },
            tokenLimit: { type: 'integer' },
            accessToken: { type: 'boolean' },
            token: { type: 'string' },
            passwordHint: { type: 'string' },
          }),
        ),
        shows: 'similar',
      },
    ],
    legal: [
      {
        lines: opened(
          form(
            {
              reason: { type: 'string', title: 'Reason of the password reset', description: 'No password.' },
            },
            { message: 'Your password is reset.' },
          ),
        ),
        shows: 'mentioned',
      },
      ...[
        { enum: ['keep', 'reset'] },
        { oneOf: [option, { const: 'b', title: 'B' }] },
        { anyOf: [option, { const: 'b', title: 'B' }] },
      ].map(choice => ({
        lines: opened(form({ password: { type: 'string', ...choice } })),
        shows: 'choice',
      })),
    ],
    bad: [
      { lines: opened(form({ password: { type: 'string' } })), shows: 'password' },
      { lines: opened(form({ apiKey: { type: 'string' } })), shows: 'key' },
      { lines: opened(form({ 'client-secret': { type: 'string' } })), shows: 'key' },
      { lines: opened(form({ passWord: { type: 'string' } })), shows: 'password' },
      { lines: opened(form({ db_password: { type: 'string' } })), shows: 'password' },
      { lines: opened(form({ github_token: { type: 'string' } })), shows: 'token' },
      { lines: opened(form({ apiToken: { type: 'string' } })), shows: 'token' },
      { lines: opened(form({ secretAccessKey: { type: 'string' } })), shows: 'key' },
    ],
  },
  'elicitation.no-clickable-urls-in-forms': {
    good: [
      {
        lines: opened(form({ home: { type: 'string', format: 'uri', default: 'https://e.com/' } })),
        shows: 'default',
      },
    ],
    bad: [
      form(name, { message: 'Open https://e.com/ first' }),
      form({ a: { type: 'string', title: 'http://e.com/' } }),
      form({ a: { type: 'string', description: 'See http://e.com/' } }),
      form({ a: { type: 'string', oneOf: [{ const: 'a', title: 'See http://e.com/' }] } }),
      form({ a: { type: 'string', enum: ['a'], enumNames: ['See http://e.com/'] } }),
      form({ a: { type: 'array', items: { anyOf: [{ const: 'a', title: 'See http://e.com/' }] } } }),
    ].map(line => ({ lines: opened(line), when: hasLists, shows: 'link' })),
  },
  'elicitation.undeclared-mode-not-sent': {
    good: [{ ...toClient({}, form(name)), shows: 'form-for-empty' }, toClient({ url: {} }, url())],
    bad: [
      { ...toClient({ form: {} }, url()), shows: 'page' },
      { ...toClient({ url: {} }, form(name)), shows: 'form' },
    ],
  },
  'elicitation.empty-capability-is-form': {
    good: [
      { ...toClient({}, form(name)), shows: 'form-sent' },
      {
        ...toClient({}, form(name, { mode: 'form' }), ['c', result(1, { action: 'decline' })]),
        subject: 'client',
      },
    ],
    legal: [
      // not declared as empty, and no form
      { ...toClient({ url: {} }, form(name, { mode: 'form' }), ['c', error(1, -32602)]), subject: 'client' },
    ],
    bad: [
      { ...toClient({}, url()), also: ['elicitation.undeclared-mode-not-sent'], shows: 'page-sent' },
      {
        ...toClient({}, form(name, { mode: 'form' }), ['c', error(1, -32602)]),
        subject: 'client',
        also: ['elicitation.one-mode-at-least'],
      },
    ],
  },
  'elicitation.url-parameters': {
    good: [opened(url())],
    bad: [
      {
        lines: opened(
          url({ elicitationId: 7 }),
          ['c', result(1, { action: 'cancel' })],
          again(url({ elicitationId: 7, url: 'https://e.com/2' })),
        ),
        shows: 'no-id',
      },
      { lines: opened(url({ url: 7 })), shows: 'no-url' },
      { lines: opened(url({ url: ['http://e.com/'] })), shows: 'no-url' },
    ],
  },
  'elicitation.url-valid': {
    good: [
      { lines: opened(url({ url: 'myapp:x' })), shows: 'any-scheme' },
      opened(url({ url: 'https://e.com/ä' })),
    ],
    bad: [{ lines: opened(url({ url: 'not a url' })), shows: 'invalid' }],
  },
  'elicitation.url-https': {
    good: [
      opened(url()),
      ...[
        ...['localhost:1', 'app.localhost', '127.0.0.1', '[::1]', '10.0.0.1', '192.168.0.1'],
        ...['172.16.0.1', '172.20.0.1', '172.31.0.1'],
      ].map(host => ({ lines: opened(url({ url: `http://${host}/` })), shows: 'local' })),
    ],
    bad: ['example.com', 'mylocalhost', 'localhost.example.com', '172.15.0.1', '172.32.0.1'].map(host => ({
      lines: opened(url({ url: `http://${host}/` })),
      shows: 'http',
    })),
  },
  'elicitation.id-unique': {
    good: [opened(url(), ['c', result(1, { action: 'cancel' })], again(url()))],
    bad: [
      ...[{ url: 'https://e.com/2' }, { message: 'other' }].map(more => ({
        lines: opened(url(), ['c', result(1, { action: 'accept' })], again(url(more))),
        shows: 'reused',
      })),
    ],
  },
  'elicitation.complete-has-id': {
    good: [
      opened(
        url(),
        ['c', result(1, { action: 'accept' })],
        again(url({ elicitationId: 'f' })),
        complete('f'),
      ),
      { lines: opened(...needed({ elicitations: [element] }), complete('e')), shows: 'listed' },
    ],
    bad: [
      { lines: opened(url(), complete('f')), shows: 'unknown' },
      { lines: opened(complete('e'), url()), shows: 'unknown' },
      { lines: opened(complete(null)), shows: 'no-id' },
      {
        lines: opened(url({ elicitationId: undefined }), [
          's',
          notification('notifications/elicitation/complete'),
        ]),
        also: ['elicitation.url-parameters'],
        shows: 'no-id',
      },
    ],
  },
  'elicitation.url-required-error-code': {
    good: [opened(...needed({ elicitations: [element] }))],
    legal: [
      { lines: opened(...needed({ elicitations: 3 }, -32603)), shows: 'other-data' },
      {
        lines: opened(...needed({ elicitations: [{ ...element, mode: 'form' }] }, -32603)),
        shows: 'other-data',
      },
    ],
    bad: [{ lines: opened(...needed({ elicitations: [element] }, -32603)), shows: 'other-code' }],
  },
  'elicitation.url-required-error-list': {
    good: [opened(...needed({ elicitations: [element] }))],
    // an error of the client
    legal: [opened(['s', request(1, 'roots/list')], ['c', error(1, -32042)])],
    bad: [
      { lines: opened(...needed({})), shows: 'none' },
      { lines: opened(...needed({ elicitations: [] })), shows: 'empty' },
    ],
  },
  'elicitation.url-required-error-only-then': {
    good: [opened(...needed({ elicitations: [element] }))],
    bad: [{ lines: opened(...needed({ elicitations: [{ ...element, mode: 'form' }] })), shows: 'form' }],
  },
  'elicitation.url-required-error-elements': {
    good: [opened(...needed({ elicitations: [element] }))],
    bad: [
      ...[{ mode: 'url' }, { ...element, mode: 'form' }, null].map(other => ({
        lines: opened(...needed({ elicitations: [element, other] })),
        shows: 'incomplete',
      })),
      {
        lines: opened(...needed({ elicitations: [{ ...element, elicitationId: undefined }] })),
        shows: 'no-id',
      },
    ],
  },
};

function used(...ids: string[]): Line {
  return [
    'c',
    result(1, { role: 'assistant', model: 'm', stopReason: 'toolUse', content: ids.map(use) } as never),
  ];
}

/** Two tool uses; the next request contains some of them. */
function loop(ids: string[]) {
  const next = [turn('assistant', ...ids.map(use)), turn('user', ...ids.map(id => answer(id)))];
  return opened(sample(1, [], offered), used('u', 'v'), sample(2, next, offered));
}

function structured(structuredContent: object, more: object = {}, offers: object = offered) {
  return opened(
    sample(
      1,
      [turn('assistant', use('u')), turn('user', answer('u', { structuredContent, ...more }))],
      offers,
    ),
  );
}

function complete(elicitationId: string | null): Line {
  return ['s', notification('notifications/elicitation/complete', { elicitationId })];
}

/** The same request with another id. */
function again(line: Line): Line {
  const [who, json] = line as ['s', object];
  return [who, { ...json, id: 2 } as never];
}
