// Messages of a server that are not right: ids, sizes, depth, floods.
import { deepObjectText, deepText, members, numbers, raw } from './payloads.mjs';

const places = ['stdio', 'http'];
const eras = ['stdio', 'stdio new'];
/** Sends further messages after each response. */
const also = (over, what, make) => ({
  what,
  over,
  on(message, session, reply) {
    const sent = make(message, session);
    for (const one of Array.isArray(sent) ? sent : [sent]) session.send(one);
    reply();
  },
});
const instead = (over, what, method, make) => ({
  what,
  over,
  on(message, session, reply) {
    if (message.id !== undefined && (method === '*' || message.method === method))
      session.send(make(message));
    else reply();
  },
});
const answerWith = (over, what, method, result) => ({
  what,
  over,
  result: (_, m) => (m === method ? result : undefined),
});
const log = data => ({ method: 'notifications/message', params: { level: 'info', data } });
/** Repeats a message without end from the first message on. */
const floods = (over, what, make, atOnce = 50) => {
  let begun = false;
  let count = 0;
  return {
    what,
    over,
    keepsStreams: true,
    on(message, session, reply) {
      reply();
      if (begun || message.method === 'initialize' || message.method === 'server/discover') return;
      begun = true;
      const send = () => {
        for (let n = 0; n < atOnce; n++) session.send(make(count++));
        setTimeout(send, 2);
      };
      send();
    },
  };
};

export const messages = {
  'object-as-id': also(
    ['stdio', 'stdio new', 'http', 'sse'],
    'sends responses whose id is an object',
    () => ({ id: { toString: 1 }, result: {} }),
  ),
  'array-as-id': also(places, 'sends responses whose id is an array', () => ({ id: [[[]]], result: {} })),
  'huge-id': also(places, 'sends responses with an id of 1 MB', () => ({
    id: 'x'.repeat(2 ** 20),
    result: {},
  })),
  'infinite-id': also(places, 'sends responses with the id 1e999', () => ({ id: raw('1e999'), result: {} })),
  'number-of-a-million-digits': also(places, 'sends a number with a million digits', () =>
    log(raw(`1${'0'.repeat(1_000_000)}`)),
  ),
  'wrong-ids': instead(['stdio', 'stdio new', 'http', 'sse'], 'responds with another id', '*', ({ id }) => ({
    id: `${id}x`,
    result: {},
  })),
  'null-ids': instead(places, 'responds with the id null', '*', () => ({ id: null, result: {} })),
  'responds-twice': {
    what: 'responds twice',
    over: ['stdio', 'http', 'sse'],
    keepsStreams: true,
    on(_, __, reply) {
      reply();
      reply();
    },
  },
  'responds-a-hundred-times': {
    what: 'responds a hundred times',
    over: ['stdio', 'sse'],
    on(_, __, reply) {
      for (let n = 0; n < 100; n++) reply();
    },
  },
  'result-and-error': instead(eras, 'responds with a result and an error', 'tools/call', ({ id }) => ({
    id,
    result: {},
    error: { code: 1, message: 'x' },
  })),
  'neither-result-nor-error': instead(
    eras,
    'responds without a result or an error',
    'tools/call',
    ({ id }) => ({ id }),
  ),
  'error-is-a-text': instead(eras, 'responds with a text as the error', 'tools/call', ({ id }) => ({
    id,
    error: 'no',
  })),
  'error-of-objects': instead(
    eras,
    'responds with objects as the code and the message of an error',
    'tools/call',
    ({ id }) => ({ id, error: { code: {}, message: { toString: 1 }, data: { toJSON: 1 } } }),
  ),
  'error-of-5-mb': instead(eras, 'responds with an error message of 5 MB', 'tools/call', ({ id }) => ({
    id,
    error: { code: -32603, message: 'x'.repeat(5 * 2 ** 20) },
  })),
  'result-is-null': instead(['stdio', 'http new'], 'responds with null', '*', ({ id }) => ({
    id,
    result: null,
  })),
  'result-is-a-number': instead(eras, 'responds with a number', 'tools/list', ({ id }) => ({
    id,
    result: 5,
  })),
  'message-is-a-number': instead(['stdio', 'http'], 'sends numbers, texts and null', 'tools/call', () => '5'),
  'method-is-an-object': also(eras, 'sends notifications whose method is an object', () => ({
    method: { toString: 1 },
    params: {},
  })),
  'params-are-an-array': also(eras, 'sends notifications whose params are an array', () => ({
    method: 'notifications/message',
    params: [1],
  })),
  'prototype-members': also(
    places,
    'sends members named __proto__ and constructor',
    () =>
      raw(
        '{"jsonrpc":"2.0","method":"notifications/message","__proto__":{"id":1},"params":{"__proto__":{"level":"x"},"constructor":{"prototype":{"polluted":1}},"level":"info","data":1}}',
      )['raw json'],
  ),
  'doubled-members': also(
    places,
    'sends members twice',
    ({ id }) =>
      `{"jsonrpc":"2.0","jsonrpc":"1.0","id":${JSON.stringify(id ?? 0)},"id":null,"result":{},"result":5}`,
  ),
  'deep-in-meta': also(
    places,
    'sends metadata nested 100,000 deep',
    () =>
      `{"jsonrpc":"2.0","method":"notifications/message","params":{"_meta":${deepObjectText(100_000)},"level":"info","data":1}}`,
  ),
  'deep-arrays': also(['stdio', 'http', 'sse'], 'sends arrays nested a million deep', () =>
    deepText(1_000_000),
  ),
  'deep-in-a-result': instead(
    ['stdio', 'stdio new', 'http'],
    'responds with a value nested 3,000 deep',
    'tools/list',
    ({ id }) =>
      `{"jsonrpc":"2.0","id":${JSON.stringify(id)},"result":{"tools":[],"_meta":${deepObjectText(3_000)}}}`,
  ),
  'batch-of-100,000': also(['stdio', 'stdio new', 'http'], 'sends batches of 100,000 messages', () =>
    JSON.stringify(numbers(100_000).map(() => ({ jsonrpc: '2.0', ...log(1) }))),
  ),
  'batch-of-batches': also(eras, 'sends batches inside batches', () =>
    deepText(300, '[', ']', JSON.stringify({ jsonrpc: '2.0', ...log(1) })),
  ),
  'empty-batch': also(eras, 'sends empty batches', () => '[]'),
  'batch-of-requests': also(['stdio'], 'sends batches of 900 requests', () =>
    JSON.stringify(numbers(900).map(id => ({ jsonrpc: '2.0', id, method: 'ping' }))),
  ),
  'million-values': also(['stdio', 'http'], 'sends a million values in a message', () =>
    log(numbers(1_000_000)),
  ),
  'members-of-the-root': also(eras, 'sends messages with 100,000 members', () => ({
    ...log(1),
    ...members(100_000, 1),
  })),
  'long-names-of-members': also(eras, 'sends members with names of 1 MB', () =>
    log({ ['n'.repeat(2 ** 20)]: 1 }),
  ),
  'flood-of-notifications': floods(
    ['stdio', 'stdio new', 'http', 'sse'],
    'sends notifications without end',
    log,
  ),
  'flood-of-unknown-notifications': floods(['stdio'], 'sends unknown notifications without end', at => ({
    method: `notifications/x${at}`,
  })),
  'flood-of-pings': floods(['stdio', 'stdio new', 'sse'], 'sends pings without end', id => ({
    id: `p${id}`,
    method: 'ping',
  })),
  'flood-of-samplings': floods(['stdio', 'sse'], 'asks the model without end', id => ({
    id: `s${id}`,
    method: 'sampling/createMessage',
    params: { messages: [], maxTokens: 1 },
  })),
  'flood-of-roots': floods(['stdio'], 'asks for the roots without end', id => ({
    id: `r${id}`,
    method: 'roots/list',
  })),
  'flood-with-one-id': floods(['stdio'], 'sends requests with one id without end', () => ({
    id: 1,
    method: 'ping',
  })),
  'flood-of-list-changes': floods(
    ['stdio', 'stdio new', 'http'],
    'announces changes of the tools without end',
    () => ({ method: 'notifications/tools/list_changed' }),
  ),
  'flood-of-cancellations': floods(['stdio'], 'cancels requests without end', requestId => ({
    method: 'notifications/cancelled',
    params: { requestId },
  })),
  'flood-of-progress': floods(['stdio', 'http'], 'sends progress without end', progress => ({
    method: 'notifications/progress',
    params: { progressToken: progress % 9, progress },
  })),
  'flood-of-responses': floods(
    ['stdio', 'stdio new', 'http', 'sse'],
    'sends responses to nothing without end',
    id => ({ id: `n${id}`, result: {} }),
  ),
  'flood-of-big-notifications': floods(
    ['stdio', 'http', 'sse'],
    'sends notifications of 100 KB without end',
    () => log('x'.repeat(100_000)),
    1,
  ),
  'asks-instead-of-answering': instead(
    ['stdio', 'sse'],
    'responds to each request with a request',
    '*',
    ({ id }) => ({ id, method: 'roots/list' }),
  ),
  'repeats-what-it-gets': {
    what: 'sends back what it gets',
    over: ['stdio', 'stdio new', 'http'],
    on: (message, { send }) => send(message),
  },
  'initialize-of-arrays': answerWith(places, 'responds to initialize with arrays', 'initialize', {
    protocolVersion: [],
    capabilities: [],
    serverInfo: [],
  }),
  'version-of-1-mb': answerWith(['stdio'], 'offers a version of 1 MB', 'initialize', {
    protocolVersion: '2'.repeat(2 ** 20),
    capabilities: {},
    serverInfo: { name: 'x', version: '1' },
  }),
  'versions-of-any-type': answerWith(
    ['stdio new', 'http new'],
    'offers versions that are no texts',
    'server/discover',
    {
      resultType: 'complete',
      ttlMs: 0,
      cacheScope: 'private',
      supportedVersions: [1, {}, null, ['2026-07-28'], '2026-07-28', 'x'.repeat(100_000)],
      capabilities: {},
    },
  ),
  'ten-thousand-versions': answerWith(['stdio new'], 'offers 10,000 versions', 'server/discover', {
    resultType: 'complete',
    ttlMs: 0,
    cacheScope: 'private',
    supportedVersions: [...numbers(10_000).map(at => `v${at}`), '2026-07-28'],
    capabilities: {},
  }),
  'result-types-of-any-type': {
    what: 'sends result types that are no texts',
    over: ['stdio new', 'http new'],
    result: result => ({ ...result, resultType: { toString: 1 } }),
  },
  'input-required-without-end': {
    what: 'asks for input in each result',
    over: ['stdio new', 'http new'],
    result: (_, method) =>
      method === 'tools/call'
        ? {
            resultType: 'input_required',
            inputRequests: {
              a: {
                method: 'elicitation/create',
                params: { mode: 'form', message: 'x', requestedSchema: { type: 'object', properties: {} } },
              },
            },
            requestState: 'x'.repeat(100_000),
          }
        : undefined,
  },
  'thousand-input-requests': {
    what: 'asks for 10,000 inputs in a result',
    over: ['stdio new'],
    result: (_, method) =>
      method === 'tools/call'
        ? { resultType: 'input_required', inputRequests: members(10_000, { method: 'roots/list' }) }
        : undefined,
  },
  'capabilities-of-any-type': answerWith(
    ['stdio', 'stdio new'],
    'declares capabilities of the wrong type',
    'initialize',
    {
      protocolVersion: '2025-11-25',
      capabilities: {
        tools: 1,
        prompts: [],
        resources: null,
        logging: 'x',
        completions: true,
        tasks: { requests: { tools: 5 } },
        experimental: [],
      },
      serverInfo: { name: {}, version: 1 },
    },
  ),
};
