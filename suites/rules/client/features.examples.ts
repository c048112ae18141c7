import type { ExampleTable } from '../example.test.util.js';
import { error, handshake, type Line, notification, opened, request, result } from '../record.test.util.js';

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
const url = (more: object = {}): Line => [
  's',
  request(1, 'elicitation/create', {
    mode: 'url',
    message: 'm',
    url: 'https://e.com/',
    elicitationId: 'e',
    ...more,
  }),
];
const name = { name: { type: 'string' } };
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
    good: [{ lines: opened(sample(1, [])), shows: 'none' }],
    bad: [{ lines: opened(sample(1, [], { includeContext: 'thisServer' })), shows: 'used' }],
  },
  'sampling.tool-block-roles': {
    good: [opened(sample(1, [turn('assistant', use('u')), turn('user', answer('u'))]))],
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
    ],
  },
  'sampling.tool-use-ids-unique': {
    good: [opened(sample(1, [turn('assistant', use('u')), turn('user', answer('u'))]))],
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
    bad: [
      {
        lines: opened(sample(1, [turn('assistant', use('u')), turn('user', answer('v'))])),
        shows: 'unknown',
      },
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
    bad: [
      {
        lines: opened(sample(1, [turn('assistant', use('u'), use('v')), turn('user', answer('v'))])),
        shows: 'one-missing',
      },
      { lines: opened(sample(1, [turn('assistant', use('u'))])), shows: 'no-next-message' },
      { lines: opened(sample(1, [turn('assistant', use('u')), turn('user', say('x'))])), shows: 'text-next' },
    ],
  },
  'sampling.tool-loop-answers-all': {
    good: [loop(['u', 'v'])],
    legal: [{ lines: opened(sample(1, [], offered), used('u')), shows: 'no-request' }],
    bad: [{ lines: loop(['u']), shows: 'forgotten' }],
  },
  'sampling.tool-result-structured-conformance': {
    good: [structured({ n: 1 })],
    legal: [{ lines: structured({ n: 'x' }, { isError: true }), shows: 'failed' }],
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
    ],
  },
  'elicitation.common-parameters': {
    good: [{ lines: opened(form(name)), shows: 'no-mode' }, opened(url())],
    bad: [
      { lines: opened(form(name, { message: 7 })), shows: 'message-no-text' },
      { lines: opened(form(name, { mode: 'page' })), shows: 'mode-unknown' },
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
    ],
  },
  'elicitation.schema-flat-primitive': {
    good: [
      {
        lines: opened(
          form({
            ...name,
            age: { type: 'integer', minimum: 0 },
            kind: { type: 'string', enum: ['a'], enumNames: ['A'] },
          }),
        ),
        shows: 'primitive',
      },
    ],
    legal: [{ lines: opened(form({ code: { type: 'string', pattern: '^a' } })), shows: 'pattern' }],
    bad: [
      ...[
        { where: { type: 'object', properties: {} } },
        { any: { type: 'array', items: { type: 'string' } } },
        { at: { $ref: '#/x' } },
      ].map(fields => ({ lines: opened(form(fields)), also: ['base.schema-valid'] as const })),
    ],
  },
  'elicitation.no-sensitive-information': {
    good: [
      {
        lines: opened(form({ userName: { type: 'string' }, tokenLimit: { type: 'integer' } })),
        shows: 'similar',
      },
    ],
    bad: [
      { lines: opened(form({ password: { type: 'string' } })), shows: 'password' },
      { lines: opened(form({ apiKey: { type: 'string' } })), shows: 'key' },
    ],
  },
  'elicitation.no-clickable-urls-in-forms': {
    good: [
      {
        lines: opened(form({ home: { type: 'string', format: 'uri', default: 'https://e.com/' } })),
        shows: 'default',
      },
    ],
    bad: [{ lines: opened(form(name, { message: 'Open https://e.com/ first' })), shows: 'link' }],
  },
  'elicitation.undeclared-mode-not-sent': {
    good: [{ ...toClient({}, form(name)), shows: 'form-for-empty' }, toClient({ url: {} }, url())],
    bad: [
      { ...toClient({ form: {} }, url()), shows: 'page' },
      { ...toClient({ url: {} }, form(name)), shows: 'form' },
    ],
  },
  'elicitation.empty-capability-is-form': {
    good: [{ ...toClient({}, form(name)), shows: 'form-sent' }],
    bad: [{ ...toClient({}, url()), also: ['elicitation.undeclared-mode-not-sent'], shows: 'page-sent' }],
  },
  'elicitation.url-parameters': {
    good: [opened(url())],
    bad: [{ lines: opened(url({ elicitationId: 7 })), shows: 'no-id' }],
  },
  'elicitation.url-valid': {
    good: [{ lines: opened(url({ url: 'myapp:x' })), shows: 'any-scheme' }],
    bad: [{ lines: opened(url({ url: 'not a url' })), shows: 'invalid' }],
  },
  'elicitation.url-https': {
    good: [opened(url()), { lines: opened(url({ url: 'http://localhost:1/' })), shows: 'local' }],
    bad: [{ lines: opened(url({ url: 'http://example.com/' })), shows: 'http' }],
  },
  'elicitation.id-unique': {
    good: [opened(url(), ['c', result(1, { action: 'cancel' })])],
    bad: [
      {
        lines: opened(url(), ['c', result(1, { action: 'accept' })], again(url({ url: 'https://e.com/2' }))),
        shows: 'reused',
      },
    ],
  },
  'elicitation.complete-has-id': {
    good: [
      opened(url(), complete('e')),
      { lines: opened(...needed({ elicitations: [element] }), complete('e')), shows: 'listed' },
    ],
    bad: [
      { lines: opened(url(), complete('f')), shows: 'unknown' },
      { lines: opened(complete(null)), shows: 'no-id' },
    ],
  },
  'elicitation.url-required-error-code': {
    good: [opened(...needed({ elicitations: [element] }))],
    legal: [{ lines: opened(...needed({ elicitations: 3 }, -32603)), shows: 'other-data' }],
    bad: [{ lines: opened(...needed({ elicitations: [element] }, -32603)), shows: 'other-code' }],
  },
  'elicitation.url-required-error-list': {
    good: [opened(...needed({ elicitations: [element] }))],
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
    bad: [{ lines: opened(...needed({ elicitations: [element, { mode: 'url' }] })), shows: 'incomplete' }],
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

function structured(structuredContent: object, more: object = {}) {
  return opened(
    sample(
      1,
      [turn('assistant', use('u')), turn('user', answer('u', { structuredContent, ...more }))],
      offered,
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
