/**
 * Delay that `mcp-conform watch` adds to each message: round trips of pings to the mock, directly and through
 * watch.
 */

import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { latestRevision } from '../../spec/revisions.js';
import { handshakeMethods } from '../record/handshake.js';
import { bin } from './mock.js';
import { median, type Part } from './results-table.js';

const mock = [process.execPath, bin, 'mock', 'server'];
const rounds = 500;

export const watch: Part = async sheet => {
  const direct = await open(mock);
  const watched = await open([process.execPath, bin, 'watch', '--quiet', '--', ...mock]);
  const times: [direct: number[], watched: number[]] = [[], []];
  // alternating runs, so that other load on the machine affects both
  for (let round = 0; round < rounds; round++)
    for (const [n, end] of [direct, watched].entries()) times[n]!.push(await end.ping());
  await Promise.all([direct.close(), watched.close()]);
  const [plain, through] = times.map(all => median(all.slice(rounds / 5))) as [number, number];
  sheet.add('ping round trip on stdio, ms', plain);
  sheet.add('  through mcp-conform watch, ms', through);
  sheet.add('  added to each message, ms', (through - plain) / 2, { atMost: 1 });
};

async function open([command, ...args]: readonly string[]) {
  const server = spawn(command!, args, { stdio: ['pipe', 'pipe', 'ignore'] });
  const lines = createInterface({ input: server.stdout })[Symbol.asyncIterator]();
  let id = 0;
  const ask = async (method: string, params?: object): Promise<number> => {
    const start = performance.now();
    server.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', id: ++id, method, params })}\n`);
    const { value, done } = await lines.next();
    const took = performance.now() - start;
    if (done || JSON.parse(value).id !== id) throw new Error(`No response to ${method}: ${value}`);
    return took;
  };
  const clientInfo = { name: 'bench', version: '1' };
  await ask(handshakeMethods.request, { protocolVersion: latestRevision.id, capabilities: {}, clientInfo });
  server.stdin.write(`{"jsonrpc":"2.0","method":"${handshakeMethods.notification}"}\n`);
  return {
    ping: () => ask('ping'),
    close: () =>
      new Promise<void>(resolve => {
        server.once('exit', () => resolve());
        server.stdin.end();
      }),
  };
}
