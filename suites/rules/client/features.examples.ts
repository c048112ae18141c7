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
      opened(sample(1, [single(image('!'))])),
      {
        lines: opened(sample(1, []), [
          'c',
          result(1, { role: 'assistant', model: 'm', content: image('!') }),
        ]),
        subject: 'client',
      },
    ],
  },
  'sampling.no-tools-without-capability': {
    good: [opened(sample(1, [], offered))],
    bad: [r => [...handshake(r, {}, { sampling: {} }), sample(1, [], offered)]],
  },
  'sampling.include-context-needs-capability': {
    good: [],
    legal: [r => [...handshake(r, {}, { sampling: {} }), sample(1, [], { includeContext: 'none' })]],
    bad: [r => [...handshake(r, {}, { sampling: {} }), sample(1, [], { includeContext: 'allServers' })]],
  },
  'sampling.include-context-avoided': {
    good: [opened(sample(1, []))],
    bad: [opened(sample(1, [], { includeContext: 'thisServer' }))],
  },
  'sampling.tool-block-roles': {
    good: [opened(sample(1, [turn('assistant', use('u')), turn('user', answer('u'))]))],
    bad: [
      opened(sample(1, [turn('user', use('u')), turn('user', answer('u'))])),
      {
        lines: opened(sample(1, []), [
          'c',
          result(1, { role: 'user', model: 'm', content: [use('u')] } as never),
        ]),
        subject: 'client',
        also: ['sampling.tool-use-fits-tools'],
      },
    ],
  },
  'sampling.tool-use-ids-unique': {
    good: [opened(sample(1, [turn('assistant', use('u')), turn('user', answer('u'))]))],
    bad: [opened(sample(1, [turn('assistant', use('u'), use('u')), turn('user', answer('u'))]))],
  },
  'sampling.tool-results-unmixed': {
    good: [opened(sample(1, [turn('assistant', say('x'), use('u')), turn('user', answer('u'))]))],
    legal: [opened(sample(1, [turn('assistant', use('u')), single(answer('u'))]))],
    bad: [opened(sample(1, [turn('assistant', use('u')), turn('user', answer('u'), say('x'))]))],
  },
  'sampling.tool-result-id-matches': {
    good: [opened(sample(1, [turn('assistant', use('u')), turn('user', answer('u'))]))],
    bad: [opened(sample(1, [turn('assistant', use('u')), turn('user', answer('v'))]))],
  },
  'sampling.tool-use-result-balance': {
    good: [
      opened(sample(1, [turn('assistant', use('u'), use('v')), turn('user', answer('v'), answer('u'))])),
    ],
    bad: [
      opened(sample(1, [turn('assistant', use('u'), use('v')), turn('user', answer('v'))])),
      opened(sample(1, [turn('assistant', use('u'))])),
      opened(sample(1, [turn('assistant', use('u')), turn('user', say('x'))])),
    ],
  },
  'sampling.tool-loop-answers-all': {
    good: [loop(['u', 'v'])],
    legal: [opened(sample(1, [], offered), used('u'))],
    bad: [loop(['u'])],
  },
  'sampling.tool-result-structured-conformance': {
    good: [structured({ n: 1 })],
    legal: [structured({ n: 'x' }, { isError: true })],
    bad: [structured({ n: 'x' })],
  },
  'elicitation.url-no-user-secrets': {
    good: [opened(url())],
    legal: [opened(url({ url: 'https://e.com/?session=opaque' }))],
    bad: [opened(url({ url: 'https://ada:pw@e.com/' }))],
  },
  'elicitation.common-parameters': {
    good: [opened(form(name)), opened(url())],
    bad: [opened(form(name, { message: 7 })), opened(form(name, { mode: 'page' }))],
  },
  'elicitation.form-parameters': {
    good: [opened(form({})), opened(form(name, { mode: 'form' }))],
    bad: [
      opened(['s', request(1, 'elicitation/create', { message: 'm' })]),
      opened(form(name, { requestedSchema: {} })),
    ],
  },
  'elicitation.schema-flat-primitive': {
    good: [
      opened(
        form({
          ...name,
          age: { type: 'integer', minimum: 0 },
          kind: { type: 'string', enum: ['a'], enumNames: ['A'] },
        }),
      ),
    ],
    legal: [opened(form({ code: { type: 'string', pattern: '^a' } }))],
    bad: [
      ...[
        { where: { type: 'object', properties: {} } },
        { any: { type: 'array', items: { type: 'string' } } },
        { at: { $ref: '#/x' } },
      ].map(fields => ({ lines: opened(form(fields)), also: ['base.schema-valid'] as const })),
    ],
  },
  'elicitation.no-sensitive-information': {
    good: [opened(form({ userName: { type: 'string' }, tokenLimit: { type: 'integer' } }))],
    bad: [opened(form({ password: { type: 'string' } })), opened(form({ apiKey: { type: 'string' } }))],
  },
  'elicitation.no-clickable-urls-in-forms': {
    good: [opened(form({ home: { type: 'string', format: 'uri', default: 'https://e.com/' } }))],
    bad: [opened(form(name, { message: 'Open https://e.com/ first' }))],
  },
  'elicitation.undeclared-mode-not-sent': {
    good: [toClient({}, form(name)), toClient({ url: {} }, url())],
    bad: [toClient({ form: {} }, url()), toClient({ url: {} }, form(name))],
  },
  'elicitation.empty-capability-is-form': {
    good: [toClient({}, form(name))],
    bad: [{ ...toClient({}, url()), also: ['elicitation.undeclared-mode-not-sent'] }],
  },
  'elicitation.url-parameters': {
    good: [opened(url())],
    bad: [opened(url({ elicitationId: 7 }))],
  },
  'elicitation.url-valid': {
    good: [opened(url({ url: 'myapp:x' }))],
    bad: [opened(url({ url: 'not a url' }))],
  },
  'elicitation.url-https': {
    good: [opened(url()), opened(url({ url: 'http://localhost:1/' }))],
    bad: [opened(url({ url: 'http://example.com/' }))],
  },
  'elicitation.id-unique': {
    good: [opened(url(), ['c', result(1, { action: 'cancel' })])],
    bad: [opened(url(), ['c', result(1, { action: 'accept' })], again(url({ url: 'https://e.com/2' })))],
  },
  'elicitation.complete-has-id': {
    good: [opened(url(), complete('e')), opened(...needed({ elicitations: [element] }), complete('e'))],
    bad: [opened(url(), complete('f')), opened(complete(null))],
  },
  'elicitation.url-required-error-code': {
    good: [opened(...needed({ elicitations: [element] }))],
    legal: [opened(...needed({ elicitations: 3 }, -32603))],
    bad: [opened(...needed({ elicitations: [element] }, -32603))],
  },
  'elicitation.url-required-error-list': {
    good: [opened(...needed({ elicitations: [element] }))],
    bad: [opened(...needed({})), opened(...needed({ elicitations: [] }))],
  },
  'elicitation.url-required-error-only-then': {
    good: [opened(...needed({ elicitations: [element] }))],
    bad: [opened(...needed({ elicitations: [{ ...element, mode: 'form' }] }))],
  },
  'elicitation.url-required-error-elements': {
    good: [opened(...needed({ elicitations: [element] }))],
    bad: [opened(...needed({ elicitations: [element, { mode: 'url' }] }))],
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
