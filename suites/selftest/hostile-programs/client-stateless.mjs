// What a client of 2026-07-28 does with its metadata, its headers, input rounds and subscriptions.
import { deepObjectText, MB, members, numbers, raw } from './payloads.mjs';

const both = ['stdio new', 'http new'];
const web = ['http new'];
const pause = ms => new Promise(resolve => setTimeout(resolve, ms));
const wait = (sent, ms = 500) => Promise.race([Promise.resolve(sent).catch(() => {}), pause(ms)]);

/** Sends messages after the first exchange, and uses the server then. */
const sends = (what, make, over = both) => ({
  what,
  over,
  async act(client) {
    for (const message of [make(client)].flat()) await wait(client.send(message));
    await client.use();
    await client.leave();
  },
});
const lists = params => ({ id: 90, method: 'tools/list', params });
const prefix = 'io.modelcontextprotocol';
/** Answers the first input-required result of the server. @param make the params to add */
const continues = (what, make) => ({
  what,
  over: both,
  async act(client) {
    const listed = await client.request('tools/list');
    const [tool] = listed?.result?.tools ?? [];
    const call = { name: tool?.name ?? 'x', arguments: {} };
    await client.request('tools/call', call);
    for (let round = 0; round < 5; round++) await client.request('tools/call', { ...call, ...make(round) });
    await client.leave();
  },
});

export const stateless = {
  'meta-of-any-type': sends('sends metadata of the wrong type', ({ meta }) =>
    [
      { _meta: 5 },
      { _meta: null },
      { _meta: { ...meta, [`${prefix}/protocolVersion`]: { toString: 1 } } },
      { _meta: { ...meta, [`${prefix}/clientCapabilities`]: [null] } },
      { _meta: { ...meta, [`${prefix}/clientInfo`]: { name: {}, version: [] } } },
    ].map((params, at) => ({ ...lists(params), id: 90 + at })),
  ),
  'meta-of-prototype-members': sends(
    'sends metadata with members named __proto__',
    ({ meta }) =>
      `{"jsonrpc":"2.0","id":90,"method":"tools/list","params":{"_meta":${JSON.stringify(meta).slice(0, -1)},"__proto__":{"${prefix}/protocolVersion":"x"},"constructor":{"prototype":1}}}}`,
  ),
  'meta-twice': sends(
    'sends metadata twice',
    ({ meta }) =>
      `{"jsonrpc":"2.0","id":90,"id":{"a":1},"method":"tools/list","params":{"_meta":null,"_meta":${JSON.stringify(meta)}}}`,
  ),
  'meta-of-7-mb': sends('sends metadata of 7 MB', ({ meta }) =>
    lists({ _meta: { ...meta, 'x.example/a': 'x'.repeat(7 * MB) } }),
  ),
  'meta-nested-deep': sends(
    'sends metadata nested 3,000 deep',
    () =>
      `{"jsonrpc":"2.0","id":90,"method":"tools/list","params":{"_meta":{"${prefix}/clientCapabilities":${deepObjectText(3_000)}}}}`,
  ),
  'ten-thousand-extensions': sends('declares 10,000 extensions', ({ meta }) =>
    lists({
      _meta: { ...meta, [`${prefix}/clientCapabilities`]: { extensions: members(10_000, { a: 1 }) } },
    }),
  ),
  'versions-without-end': {
    what: 'sends another version with each request, without end',
    over: both,
    async act(client) {
      for (let at = 0; ; at++)
        await wait(
          client.send({
            id: `v${at}`,
            method: 'tools/list',
            params: { _meta: { ...client.meta, [`${prefix}/protocolVersion`]: `v${at}` } },
          }),
          50,
        );
    },
  },
  'numbers-without-end': sends('sends numbers that no program can represent', ({ meta }) =>
    [raw('1e400'), raw('-1e400'), raw(`1${'0'.repeat(100_000)}`)].map(id => ({
      id,
      method: 'tools/list',
      params: { _meta: meta },
    })),
  ),
  'ids-of-7-mb': sends('sends a request with an id of 7 MB', ({ meta }) => ({
    ...lists({ _meta: meta }),
    id: 'i'.repeat(7 * MB),
  })),
  'state-of-7-mb': continues('continues calls with a state of 7 MB', () => ({
    inputResponses: {},
    requestState: 's'.repeat(7 * MB),
  })),
  'input-of-any-type': continues('continues calls with input of the wrong type', round => ({
    inputResponses: [null, 5, [], { a: null, __proto__: {} }, { a: { action: {} } }][round],
    requestState: [null, 5, {}, 'x', 'y'][round],
  })),
  'input-of-many-names': continues('continues calls with 20,000 inputs', () => ({
    inputResponses: members(20_000, { action: 'decline' }),
  })),
  'listens-without-reading': {
    what: 'opens 200 subscriptions, and reads none',
    over: both,
    readsNothing: true,
    async act(client) {
      for (const at of numbers(200))
        void client.send({
          id: `s${at}`,
          method: 'subscriptions/listen',
          params: { notifications: { toolsListChanged: true }, _meta: client.meta },
        });
      setInterval(() => {}, 60_000);
    },
  },
  'listens-to-20,000-resources': sends('subscribes to 20,000 resources', ({ meta }) => ({
    id: 's',
    method: 'subscriptions/listen',
    params: {
      notifications: { resourceSubscriptions: numbers(20_000).map(at => `test://${at}`) },
      _meta: meta,
    },
  })),
  'headers-for-arguments': {
    what: 'sends 300 headers for arguments that do not exist',
    over: web,
    headers: Object.fromEntries(numbers(300).map(at => [`Mcp-Param-A${at}`, 'x'])),
  },
  'headers-of-another-message': {
    what: 'sends headers that name another method and another version',
    over: web,
    headers: {
      'Mcp-Method': 'initialize',
      'Mcp-Name': '=?base64?////?=',
      'MCP-Protocol-Version': '1900-01-01',
    },
  },
};
