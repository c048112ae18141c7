// A client that misbehaves; the first argument names the misbehaviour. The client supports no scripts.
import { spawn } from 'node:child_process';

const mode = process.argv[2];

/** True if the script is one that a client with support for scripts refuses. */
const isNonsense = process.env.MCP_CONFORM_SCRIPT.includes('nonsense');

const forever = () => setInterval(() => {}, 60_000);

const deeds = {
  polite: async () => (await connect()).leave(),
  async twice() {
    const both = [await connect(), await connect()];
    for (const one of both) await one.leave();
  },
  async scouts() {
    await ask();
    await (await connect()).leave();
  },
  async tries() {
    process.exitCode = isNonsense ? 127 : 0;
    if (isNonsense) return;
    await (await connect(false)).leave();
    await (await connect()).leave();
  },
  modern: () => ask(),
  silent: forever,
  async hangs() {
    const { send, tools } = await connect();
    if (tools) send({ jsonrpc: '2.0', id: 3, method: 'tools/call', params: { name: 'test_simple_text' } });
    forever();
  },
  async deaf() {
    process.on('SIGTERM', () => {});
    await connect();
    forever();
  },
  async crashes() {
    await connect();
    process.kill(process.pid, 'SIGKILL');
  },
  async complains() {
    console.error('cannot find its settings');
    process.exit(3);
  },
  async floods() {
    const { server } = await connect();
    server.stdin.on('error', () => {});
    const flood = () => {
      while (server.stdin.write('no message at all\n')) {}
      server.stdin.once('drain', flood);
    };
    flood();
    forever();
  },
  async prints() {
    await connect();
    const print = () => {
      while (process.stdout.write('x'.repeat(60_000)));
    };
    process.stdout.on('drain', print);
    print();
  },
  async pings() {
    const { server, send } = await connect();
    server.stdin.on('error', () => process.exit(1));
    let id = 100;
    setInterval(() => send({ jsonrpc: '2.0', id: id++, method: 'ping' }), 2);
  },
  async orphans() {
    spawn(process.execPath, ['-e', 'setInterval(() => {}, 60000)'], {
      detached: true,
      stdio: 'ignore',
    }).unref();
    (await connect()).leave();
  },
};

async function connect(lists = true) {
  const [file, ...args] = JSON.parse(process.env.MCP_CONFORM_COMMAND);
  const server = spawn(file, args, { stdio: ['pipe', 'pipe', 'inherit'] });
  const send = message => server.stdin.write(`${JSON.stringify(message)}\n`);
  const said = () => new Promise(resolve => server.stdout.once('data', resolve));
  send({
    jsonrpc: '2.0',
    id: 1,
    method: 'initialize',
    params: { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: mode, version: '1' } },
  });
  const { result } = JSON.parse(String(await said()));
  send({ jsonrpc: '2.0', method: 'notifications/initialized' });
  if (lists && result?.capabilities.tools) {
    send({ jsonrpc: '2.0', id: 2, method: 'tools/list' });
    await said();
  }
  const leave = () => {
    server.stdin.end();
    return new Promise(resolve => server.once('exit', resolve));
  };
  return { server, send, leave, tools: Boolean(result?.capabilities.tools) };
}

/** Opens a separate connection to detect a server of a newer era, as a client of that era does. */
async function ask() {
  const [file, ...args] = JSON.parse(process.env.MCP_CONFORM_COMMAND);
  const server = spawn(file, args, { stdio: ['pipe', 'pipe', 'inherit'] });
  server.stdin.write('{"jsonrpc":"2.0","id":0,"method":"server/discover","params":{"_meta":{}}}\n');
  await new Promise(resolve => server.stdout.once('data', resolve));
  server.kill();
  await new Promise(resolve => server.once('exit', resolve));
}

await deeds[mode]();
