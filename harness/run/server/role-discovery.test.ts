/** Role discovery on a server whose tools have custom names. */

import { createInterface } from 'node:readline';
import { expect, test } from 'vitest';
import type { JsonObject } from '../../../spec/json-rpc.js';
import { latestRevision, latestStateless } from '../../../spec/revisions.js';
import type { Peer } from '../../peer/peer.js';
import { History } from '../../record/history.js';
import type { Known } from '../../scenario/scenario.js';
import type { FixtureRole, RoleTool } from '../../scenario/tool-roles.js';
import { inProcess, type Subject, url } from '../../subject/subject.js';
import { ConnectionPool } from './connections.js';
import { RoleDiscovery } from './role-discovery.js';

type Say = (message: JsonObject) => void;
type Act = (
  say: Say,
  params: JsonObject,
  calls: number,
) => 'hangs' | JsonObject | Promise<JsonObject> | undefined;

/** Sends a request before the response; the reply of the client is ignored. */
const asks =
  (method: string, times = 9): Act =>
  (say, _, calls) => {
    if (calls <= times) say({ id: `asks-${calls}`, method, params: { message: 'Well?' } });
    return undefined;
  };

const walks: Act = (say, { arguments: args, _meta: meta }) => {
  if ((args as JsonObject).duration !== 0) return 'hangs';
  const { progressToken } = meta as { progressToken: string };
  for (const progress of [1, 2])
    say({ method: 'notifications/progress', params: { progressToken, progress } });
  return undefined;
};

/** Handles one message on the server side: sends messages, or none. */
type Serve = (say: Say, message: JsonObject) => void;

/** A server with the given tools. */
function serving(acts: Record<string, Act>): Serve {
  const calls = new Map<string, number>();
  return (say, { id, method, params }) => {
    if (method === 'ping' || method === 'server/discover') say({ id: id!, result: {} });
    if (method !== 'tools/call') return;
    const { name } = params as { name: string };
    const count = (calls.get(name) ?? 0) + 1;
    calls.set(name, count);
    const result = acts[name]!(say, params as JsonObject, count) ?? { content: [] };
    if (result instanceof Promise) void result.then(late => say({ id: id!, result: late }));
    else if (result !== 'hangs') say({ id: id!, result });
  };
}

const onStdio = (serve: Serve): Subject =>
  inProcess(async ({ stdin, stdout }) => {
    const say: Say = message => void stdout.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
    for await (const line of createInterface({ input: stdin })) serve(say, JSON.parse(line));
    return 0;
  });

/** Each request has its own stream, which ends with the response. */
const onStreams = (serve: Serve): Subject =>
  url('http://localhost/mcp', {
    fetch: async request => {
      const message: JsonObject | undefined =
        request.method === 'POST' ? ((await request.json()) as JsonObject) : undefined;
      if (message?.id === undefined || !message.method)
        return new Response(null, { status: message ? 202 : 405 });
      const stream = new ReadableStream({
        start: controller =>
          serve(said => {
            const text = JSON.stringify({ jsonrpc: '2.0', ...said });
            controller.enqueue(new TextEncoder().encode(`data: ${text}\n\n`));
            if (said.id === message.id && !said.method) controller.close();
          }, message),
      });
      return new Response(stream, { headers: { 'Content-Type': 'text/event-stream' } });
    },
  });

/** Roles of a server's tools, found by calling the tools; a tool that hangs delays no other tool. */
async function audition(
  acts: Record<string, Act>,
  properties: JsonObject = {},
  over = onStdio,
  slowTools = new Set<string>(),
  own: Record<string, JsonObject> = {},
  revision = latestRevision,
) {
  const timing = { answer: 3_000, exit: 50, quiet: 300 };
  const transport = over === onStdio ? 'stdio' : 'streamable-http';
  const connections = new ConnectionPool(
    over(serving(acts)),
    transport,
    new History('server'),
    timing,
    () => {},
  );
  const peer = connections.connect({ revision, case: 0 });
  const toolsByRole = new Map<FixtureRole, RoleTool>();
  const tools = Object.keys(acts).map(name => ({
    name,
    inputSchema: { type: 'object', properties: own[name] ?? properties },
  }));
  const known = {
    tools,
    callable: tools.map(({ name }) => ({ name, arguments: {} })),
    slowTools,
  } as unknown as Known;
  const roleDiscovery = new RoleDiscovery(known, toolsByRole);
  // role discovery has not started yet
  await roleDiscovery.waitUntilTried(peer);
  expect(slowTools.size).toBe(0);
  roleDiscovery.reserve();
  // on a busy machine the limit of this wait may pass before the last call
  const patient = { timing: { ...timing, answer: 60_000 }, link: peer.link } as Peer;
  const knownThen = roleDiscovery.waitUntilTried(patient).then(() => [...slowTools]);
  await Promise.all([roleDiscovery.run(peer), roleDiscovery.run(peer)]);
  expect(await knownThen).toEqual([...slowTools]);
  // what the server has sent by now is read
  await peer.barrier();
  await roleDiscovery.awaitSlowCalls(peer);
  const { conversation } = peer;
  await connections.end();
  return { players: toolsByRole, slow: slowTools, conversation, roleDiscovery };
}

test('tools that send requests get the roles if a second call sends the same request', async () => {
  const { players, slow } = await audition({
    plain: () => undefined,
    moody: asks('elicitation/create', 1),
    curious: asks('elicitation/create'),
    thinker: asks('sampling/createMessage'),
  });
  expect([...players.entries()]).toEqual([
    ['elicitation', { name: 'curious', arguments: {}, isDiscovered: true }],
    ['sampling', { name: 'thinker', arguments: {}, isDiscovered: true }],
  ]);
  expect(slow.size).toBe(0);
});

test('a tool that asks or reports and does not respond is known as the reason why its role has no tool', async () => {
  const deaf: Act = (say, params, calls) => {
    asks('sampling/createMessage')(say, params, calls);
    return 'hangs';
  };
  const endless: Act = (say, params, calls) => {
    walks(say, { ...params, arguments: { duration: 0 } }, calls);
    return 'hangs';
  };
  const { players, roleDiscovery } = await audition({ plain: () => undefined, deaf, endless });
  expect(players.size).toBe(0);
  expect(roleDiscovery.unfinishedTool('sampling')).toBe('deaf');
  expect(roleDiscovery.unfinishedTool('progress')).toBe('endless');
  expect(roleDiscovery.unfinishedTool('elicitation')).toBeUndefined();
});

/** Needs the answer to a question, which is part of the result. */
const needs =
  (method: string, times = 9): Act =>
  (_say, _params, calls) =>
    calls > times
      ? undefined
      : { resultType: 'input_required', inputRequests: { q: { method, params: {} } } };

/** Sends a log message if the call names a level. */
const logs: Act = (say, { _meta: meta }) => {
  if ((meta as JsonObject)['io.modelcontextprotocol/logLevel'] !== undefined)
    say({ method: 'notifications/message', params: { level: 'info', data: 'Works.' } });
  return undefined;
};

for (const [over, way] of [
  [onStdio, 'stdio'],
  [onStreams, 'streams'],
] as const)
  test(`without a handshake, tools whose results ask, or that log at a requested level, get the roles: ${way}`, async () => {
    const acts = {
      moody: needs('elicitation/create', 1),
      curious: needs('elicitation/create'),
      thinker: needs('sampling/createMessage'),
      logs,
    };
    const { players } = await audition(acts, {}, over, new Set(), {}, latestStateless);
    expect([...players].map(([role, { name }]) => [role, name])).toEqual([
      ['elicitation', 'curious'],
      ['sampling', 'thinker'],
      ['logging', 'logs'],
    ]);
  });

test('a slow tool is called again with its smallest numbers, and the slow calls are cancelled when a smaller number helps', async () => {
  const { players, slow, conversation } = await audition(
    { stroll: walks },
    {
      duration: { type: 'number', default: 10 },
      steps: { type: 'integer', minimum: 1 },
      name: { type: 'string' },
    },
  );
  expect(players.get('progress')).toMatchObject({ name: 'stroll', arguments: { duration: 0 } });
  expect([...slow]).toEqual(['stroll']);
  const given = conversation.requests({ by: 'peer', method: 'tools/call' }).map(m => m.params?.arguments);
  expect(given).toEqual([{}, { duration: 0 }, { steps: 1 }, { duration: 0 }]);
  expect(conversation.eventsOf('deadline')).toEqual([]);
  const cancelled = conversation.notifications({ by: 'peer', method: 'notifications/cancelled' });
  expect(cancelled).toHaveLength(2);
});

test('a tool with a number argument is called before the others', async () => {
  const schemas = { duration: { type: 'number' } };
  const { conversation } = await audition({ plain: () => undefined, stroll: walks }, {}, onStdio, new Set(), {
    stroll: schemas,
  });
  const [first] = conversation.requests({ by: 'peer', method: 'tools/call' });
  expect(first!.params?.name).toBe('stroll');
});

test('with one stream per response a slow tool delays no other tool, and a request on its stream counts for the slow tool only', async () => {
  const slowTools = new Set<string>();
  let ask: () => void = () => {};
  const nags: Act = (say, _, calls) => {
    ask = () => say({ id: `nags-${calls}-${slowTools.size}`, method: 'elicitation/create', params: {} });
    return 'hangs';
  };
  const slowBefore: string[][] = [];
  const plain: Act = () => {
    slowBefore.push([...slowTools]);
    ask();
    return undefined;
  };
  const acts = { nags, plain, thinker: asks('sampling/createMessage') };
  const { players } = await audition(acts, {}, onStreams, slowTools);
  expect([...players.keys()]).toEqual(['sampling']);
  expect(slowBefore).toEqual([[]]);
  expect([...slowTools]).toEqual(['nags']);
});

test('a tool whose first call alone is slow, because a part of the program is loaded, is not a slow tool', async () => {
  const tried: string[] = [];
  let respond = () => {};
  class Slow extends Set<string> {
    override add(name: string): this {
      tried.push(name);
      respond();
      return super.add(name);
    }
  }
  const loads: Act = (_say, _params, calls) =>
    calls > 1
      ? undefined
      : new Promise(resolve => {
          respond = () => resolve({ content: [] });
        });
  const { slow } = await audition({ loads }, {}, onStdio, new Slow());
  expect(tried).toEqual(['loads']);
  expect([...slow]).toEqual([]);
});
