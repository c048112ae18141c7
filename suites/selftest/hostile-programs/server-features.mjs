// Tools, lists, contents and schemas of a server.
import { members, numbers, schemas } from './payloads.mjs';

const places = ['stdio', 'http'];
const both = ['stdio', 'stdio new'];
const result = (over, what, method, make) => ({
  what,
  over,
  result: (answer, m, params) => (m === method ? make(answer, params) : undefined),
});
const called = (over, what, content, more = {}) =>
  result(over, what, 'tools/call', () => ({ content, ...more }));
const slowPattern = { type: 'object', properties: { text: { type: 'string', pattern: '^(a+)+$' } } };

let page = 0;

export const features = {
  ...Object.fromEntries(
    Object.entries(schemas).map(([name, [what, inputSchema]], at) => [
      `schema-${name}`,
      {
        what: `has a tool that takes ${what}`,
        over: [['stdio', 'stdio new', 'http', 'http new'][at % 4]],
        tool: { name: 'hostile', inputSchema },
      },
    ]),
  ),
  'output-schema-slow': {
    what: 'has a slow output schema, and a value for it',
    over: both,
    tool: { name: 'hostile', outputSchema: slowPattern },
    result: (_, method, params) =>
      method === 'tools/call' && params.name === 'hostile'
        ? { content: [], structuredContent: { text: `${'a'.repeat(40)}!` } }
        : undefined,
  },
  'output-schema-of-file': {
    what: 'has an output schema that refers to a file, and to this host',
    over: places,
    tool: {
      name: 'hostile',
      outputSchema: {
        type: 'object',
        properties: { a: { $ref: 'file:///etc/passwd' }, b: { $ref: 'http://127.0.0.1:{canary}/x' } },
      },
    },
    result: (_, method, params) =>
      method === 'tools/call' && params.name === 'hostile'
        ? { content: [], structuredContent: { a: 1, b: 2 } }
        : undefined,
  },
  'deep-structured-content': {
    what: 'has a recursive output schema, and a value nested 400 deep',
    over: both,
    tool: { name: 'hostile', outputSchema: { type: 'object', properties: { a: { $ref: '#' } } } },
    result: (_, method, params) =>
      method === 'tools/call' && params.name === 'hostile'
        ? { content: [], structuredContent: numbers(400).reduce(a => ({ a }), {}) }
        : undefined,
  },
  'thousand-tools': result(both, 'has 2,000 tools', 'tools/list', answer => ({
    ...answer,
    tools: numbers(2_000).map(at => ({
      name: `t${at}`,
      inputSchema: { type: 'object', properties: { a: { type: 'string' } } },
      annotations: { readOnlyHint: true },
    })),
  })),
  'hundred-thousand-tools': result(['stdio'], 'has 50,000 tools', 'tools/list', answer => ({
    ...answer,
    tools: numbers(50_000).map(at => ({ name: `t${at}`, inputSchema: { type: 'object' } })),
  })),
  'tools-with-one-name': result(both, 'has 500 tools of one name', 'tools/list', answer => ({
    ...answer,
    tools: numbers(500).map(() => ({
      name: 'same',
      inputSchema: { type: 'object' },
      annotations: { readOnlyHint: true },
    })),
  })),
  'tools-named-like-members': result(
    both,
    'has tools named like the members of each object',
    'tools/list',
    answer => ({
      ...answer,
      tools: ['__proto__', 'constructor', 'toString', 'hasOwnProperty', ''].map(name => ({
        name,
        inputSchema: { type: 'object' },
        annotations: { readOnlyHint: true },
      })),
    }),
  ),
  'tool-name-of-1-mb': result(places, 'has a tool with a name of 1 MB', 'tools/list', answer => ({
    ...answer,
    tools: [
      { name: 'n'.repeat(2 ** 20), inputSchema: { type: 'object' }, annotations: { readOnlyHint: true } },
    ],
  })),
  'tools-of-any-type': result(both, 'lists values that are no tools', 'tools/list', answer => ({
    ...answer,
    tools: [
      null,
      1,
      'x',
      [],
      { name: 5 },
      { name: { toString: 1 } },
      { name: 'a', inputSchema: [] },
      {
        name: 'b',
        inputSchema: { type: 'object' },
        annotations: 5,
        title: {},
        icons: 7,
        execution: 'x',
        _meta: [],
      },
    ],
  })),
  'tools-are-an-object': result(both, 'lists an object in place of tools', 'tools/list', answer => ({
    ...answer,
    tools: { length: 1e9, 0: {} },
  })),
  'pages-without-end': result(
    ['stdio', 'stdio new', 'http', 'sse'],
    'has another page after each page',
    'tools/list',
    answer => ({ ...answer, nextCursor: `page ${++page}` }),
  ),
  'pages-without-end-late': {
    what: 'has another page after each page, each after two seconds',
    over: ['stdio', 'http new'],
    result: (answer, method) =>
      method.endsWith('/list') ? { ...answer, nextCursor: `page ${++page}` } : undefined,
    on: (message, _, reply) => (message.method?.endsWith('/list') ? setTimeout(reply, 2_000) : reply()),
  },
  'same-cursor': result(both, 'repeats a cursor', 'tools/list', answer => ({
    ...answer,
    nextCursor: 'again',
  })),
  'cursor-of-1-mb': result(places, 'has cursors of 1 MB', 'tools/list', (answer, { cursor }) => ({
    ...answer,
    ...(cursor === undefined && { nextCursor: 'c'.repeat(2 ** 20) }),
  })),
  'cursors-of-any-type': result(
    both,
    'has cursors that are no texts',
    'tools/list',
    (answer, { cursor }) => ({ ...answer, ...(cursor === undefined && { nextCursor: { toString: 1 } }) }),
  ),
  'list-of-7-mb': result(['stdio', 'http', 'sse'], 'has tools of 7 MB in total', 'tools/list', answer => ({
    ...answer,
    tools: [
      ...answer.tools,
      { name: 'big', description: 'x'.repeat(7 * 2 ** 20), inputSchema: { type: 'object' } },
    ],
  })),
  'contents-of-100,000': called(
    places,
    'responds with 60,000 contents',
    numbers(60_000).map(() => ({ type: 'text', text: '' })),
  ),
  'contents-of-any-type': called(both, 'responds with values that are no contents', [
    null,
    1,
    'x',
    [],
    {},
    { type: 'text' },
    { type: {}, text: [] },
    { type: 'image', data: 5, mimeType: {} },
    { type: 'resource', resource: null },
    { type: 'resource_link', uri: {} },
  ]),
  'content-is-an-object': called(both, 'responds with an object in place of contents', { length: 5 }),
  'image-of-6-mb': called(places, 'responds with an image of 6 MB', [
    { type: 'image', mimeType: 'image/png', data: 'A'.repeat(6 * 2 ** 20) },
  ]),
  'invalid-base64-of-6-mb': called(['stdio'], 'responds with 6 MB that are no base64', [
    { type: 'image', mimeType: 'image/png', data: '=A'.repeat(3 * 2 ** 20) },
  ]),
  'structured-content-of-any-type': called(both, 'responds with structured content that is no object', [], {
    structuredContent: [[], null],
    isError: 'yes',
    _meta: 5,
  }),
  'hostile-links': called(
    both,
    'responds with links to files, scripts and this host',
    [
      'file:///etc/passwd',
      'javascript:alert(1)',
      'http://127.0.0.1:{canary}/x',
      '\u0000',
      'x'.repeat(100_000),
      'http://[',
      'data:,',
    ].map((uri, at) => ({ type: 'resource_link', uri, name: `n${at}` })),
  ),
  'hostile-icons': {
    what: 'has icons at files, scripts and this host',
    over: places,
    tool: {
      name: 'hostile',
      icons: [
        'file:///etc/passwd',
        'javascript:alert(1)',
        'http://127.0.0.1:{canary}/icon',
        `data:image/svg+xml,${'x'.repeat(100_000)}`,
        '',
        'http://[',
      ].map(src => ({ src })),
    },
  },
  'hostile-header-annotations': {
    what: 'names headers for arguments that no request may have',
    over: ['http new', 'stdio new'],
    tool: {
      name: 'hostile',
      inputSchema: {
        type: 'object',
        properties: {
          a: { type: 'string', 'x-mcp-header': 'Host\r\nX: y' },
          b: { type: 'string', 'x-mcp-header': 'h'.repeat(100_000) },
          c: { type: 'object', 'x-mcp-header': {} },
        },
        required: ['a', 'b'],
      },
    },
  },
  'ten-thousand-headers': {
    what: 'names 5,000 headers for arguments',
    over: ['http new'],
    tool: {
      name: 'hostile',
      inputSchema: {
        type: 'object',
        properties: Object.fromEntries(
          numbers(5_000).map(at => [`a${at}`, { type: 'string', 'x-mcp-header': `A${at}` }]),
        ),
        required: numbers(5_000).map(at => `a${at}`),
      },
    },
  },
  'resources-of-hostile-uris': result(both, 'has resources with hostile URIs', 'resources/list', answer => ({
    ...answer,
    resources: ['', ' ', 'http://[', 'x'.repeat(500_000), 'a:\u0000', '../../etc/passwd', 5, null].map(
      uri => ({ uri, name: 'x', size: -1e308, mimeType: {} }),
    ),
  })),
  'thousand-resources': result(both, 'has 5,000 resources', 'resources/list', answer => ({
    ...answer,
    resources: numbers(5_000).map(at => ({ uri: `test://item/${at}`, name: `${at}` })),
  })),
  'template-of-10,000-expressions': result(
    both,
    'has a template with 10,000 expressions',
    'resources/templates/list',
    answer => ({
      ...answer,
      resourceTemplates: [{ uriTemplate: `test://${'{a}'.repeat(10_000)}`, name: 'x' }],
    }),
  ),
  'templates-that-are-broken': result(
    both,
    'has templates that are broken',
    'resources/templates/list',
    answer => ({
      ...answer,
      resourceTemplates: [
        '{',
        '{'.repeat(50_000),
        '}{',
        '{+',
        '{?a*,b:99999}',
        '',
        null,
        5,
        `test://{${'a,'.repeat(50_000)}a}`,
      ].map(uriTemplate => ({ uriTemplate, name: 'x' })),
    }),
  ),
  'prompt-of-10,000-arguments': result(
    both,
    'has a prompt with 10,000 arguments',
    'prompts/list',
    answer => ({
      ...answer,
      prompts: [
        { name: 'greet', arguments: numbers(10_000).map(at => ({ name: `a${at}`, required: true })) },
      ],
    }),
  ),
  'prompts-of-any-type': result(both, 'lists values that are no prompts', 'prompts/list', answer => ({
    ...answer,
    prompts: [
      null,
      [],
      { name: {} },
      { name: 'a', arguments: 5 },
      { name: 'b', arguments: [null, { name: [] }] },
    ],
  })),
  'prompt-messages-of-any-type': result(
    both,
    'responds with messages of the wrong type',
    'prompts/get',
    () => ({
      messages: [
        null,
        { role: {}, content: [] },
        { role: 'user', content: { type: 'resource', resource: [] } },
      ],
    }),
  ),
  'completions-of-any-type': result(
    both,
    'completes with values of the wrong type',
    'completion/complete',
    () => ({ completion: { values: [null, {}, [], 5], total: 'x', hasMore: 7 } }),
  ),
  'hundred-thousand-completions': result(
    both,
    'completes with 100,000 values',
    'completion/complete',
    () => ({ completion: { values: numbers(100_000).map(String) } }),
  ),
  'resource-of-7-mb': result(places, 'has a resource of 7 MB', 'resources/read', (_, { uri }) => ({
    contents: [{ uri, text: 'x'.repeat(7 * 2 ** 20) }],
    ttlMs: 0,
    cacheScope: 'private',
    resultType: 'complete',
  })),
  'lifetimes-of-any-size': {
    what: 'has lifetimes for caches that are no lifetimes',
    over: ['stdio new', 'http new'],
    result: answer => ({ ...answer, ttlMs: -1e308, cacheScope: {} }),
  },
  'elicitation-of-a-hostile-schema': {
    what: 'asks the user with a slow and deep schema',
    over: ['stdio', 'sse'],
    on(message, { send }, reply) {
      if (message.method === 'tools/call')
        send({
          id: `e${message.id}`,
          method: 'elicitation/create',
          params: {
            mode: 'form',
            message: 'x'.repeat(100_000),
            requestedSchema: {
              type: 'object',
              properties: { ...members(5_000, { type: 'string', pattern: '^(a+)+$', minLength: 1e9 }) },
              required: numbers(5_000).map(at => `m${at}`),
            },
          },
        });
      reply();
    },
  },
  'elicitation-of-hostile-addresses': {
    what: 'sends the user to scripts, files and this host',
    over: ['stdio', 'sse'],
    on(message, { send, canary }, reply) {
      if (message.method === 'tools/call')
        for (const [at, url] of [
          'javascript:alert(1)',
          'file:///etc/passwd',
          `http://127.0.0.1:${canary}/x`,
          'http://[',
          5,
          null,
        ].entries())
          send({
            id: `u${at} ${message.id}`,
            method: 'elicitation/create',
            params: { mode: 'url', elicitationId: {}, message: [], url },
          });
      reply();
    },
  },
  'sampling-of-any-type': {
    what: 'asks the model with params of the wrong type',
    over: ['stdio', 'sse'],
    on(message, { send }, reply) {
      if (message.method === 'tools/call')
        for (const [at, params] of [
          null,
          5,
          [],
          { messages: 5 },
          {
            messages: [null],
            maxTokens: {},
            tools: 'x',
            toolChoice: [],
            modelPreferences: { hints: 7, costPriority: 1e308 },
          },
        ].entries())
          send({ id: `m${at} ${message.id}`, method: 'sampling/createMessage', params });
      reply();
    },
  },
  'tasks-without-end': {
    what: 'creates a task for each call, which never ends',
    over: ['stdio', 'http'],
    result(answer, method, params) {
      const task = {
        taskId: 'x'.repeat(10_000),
        status: 'working',
        createdAt: 'never',
        lastUpdatedAt: '',
        ttl: -1,
        pollInterval: 0,
      };
      if (method === 'initialize')
        return {
          ...answer,
          capabilities: {
            ...answer.capabilities,
            tasks: { list: {}, cancel: {}, requests: { tools: { call: {} } } },
          },
        };
      if (method === 'tools/list')
        return {
          ...answer,
          tools: answer.tools.map(tool => ({ ...tool, execution: { taskSupport: 'optional' } })),
        };
      return method === 'tools/call' && params.task ? { task } : undefined;
    },
  },
};
