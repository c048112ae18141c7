/**
 * `watch` between a client and a server from other projects: both sides get the unchanged bytes of each
 * other, and both are judged.
 */

import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer, request as httpRequest, type IncomingHttpHeaders, type Server } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { execa } from 'execa';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readRun } from '../../../reports/jsonl.js';
import { rules } from '../../../suites/rules/index.js';
import { program } from '../../../suites/selftest/program.test.util.js';
import type { RunEvent } from '../../report/run-event.js';
import { Summary } from '../../report/summary.js';
import { watchHttp } from './http.js';

const path = (from: string) => fileURLToPath(new URL(from, import.meta.url));
const everything = path('../../../node_modules/@modelcontextprotocol/server-everything/dist/index.js');
const driver = path('../../../mocks/drivers/sdk-client.mjs');
const MCP_CONFORM_SCRIPT = JSON.stringify([
  ['connect'],
  ['list', 'tools'],
  ['call', 'echo', { message: 'é漢🎉\n"quoted"' }],
  ['call', 'get-structured-content', { location: 'Chicago' }],
  ['list', 'prompts'],
  ['list', 'resources'],
  ['close'],
]);

const folder = mkdtempSync(join(tmpdir(), 'mcp-conform-watch-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** Requirements that each side meets, and those it violates. */
const judged = async (events: Iterable<RunEvent> | AsyncIterable<RunEvent>) => {
  const summary = new Summary();
  for await (const event of events) summary.add(event);
  return summary.report().runs.map(({ side, requirements }) => ({
    side,
    kept: requirements.filter(r => r.grade === 'pass').length,
    broken: requirements.filter(r => r.grade === 'violation').map(r => r.id),
  }));
};

const expectBothJudged = async (events: Parameters<typeof judged>[0]) => {
  const ends = await judged(events);
  expect(ends).toMatchObject([
    { side: 'server', broken: [] },
    { side: 'client', broken: [] },
  ]);
  for (const { kept } of ends) expect(kept).toBeGreaterThan(20);
};

describe('on stdio', () => {
  /** Forwards standard input and output, and records the bytes. */
  const tee = (name: string): string[] => [
    'node',
    '--input-type=module',
    '-e',
    `import { spawn } from 'node:child_process';
     import { createWriteStream } from 'node:fs';
     const [name, command, ...args] = process.argv.slice(1);
     const child = spawn(command, args, { stdio: ['pipe', 'pipe', 'inherit'] });
     process.stdin.pipe(child.stdin);
     process.stdin.pipe(createWriteStream(name + '.in'));
     child.stdout.pipe(process.stdout);
     child.stdout.pipe(createWriteStream(name + '.out'));
     // this server does not leave by itself when its input ends
     if (name.endsWith('server')) process.stdin.on('end', () => child.kill());`,
    '--',
    join(folder, name),
  ];

  it('the bytes are the same on both sides', async () => {
    const run = join(folder, 'run.jsonl');
    const watch = [...program, 'watch', '--reporter', `jsonl=${run}`, '--'];
    const command = [...tee('client'), ...watch, ...tee('server'), 'node', everything];
    const { stderr } = await execa('node', [driver], {
      cwd: path('../../..'),
      env: { MCP_CONFORM_SCRIPT, MCP_CONFORM_COMMAND: JSON.stringify(command) },
    });
    const bytes = (name: string) => readFileSync(join(folder, name), 'utf8');
    expect(bytes('server.in'), stderr).toBe(bytes('client.in'));
    expect(bytes('client.out')).toBe(bytes('server.out'));
    expect(bytes('client.in').split('\n').length).toBeGreaterThan(6);
    expect(bytes('client.out')).toContain('é漢🎉');
    await expectBothJudged(readRun(bytes('run.jsonl')));
  });
});

describe('over HTTP', () => {
  let port: number;
  let server: ChildProcess;

  beforeAll(async () => {
    const free = createServer().listen(0, '127.0.0.1');
    await once(free, 'listening');
    ({ port } = free.address() as AddressInfo);
    await new Promise(resolve => free.close(resolve));
    server = spawn('node', [everything, 'streamableHttp'], {
      env: { ...process.env, PORT: String(port) },
      stdio: 'ignore',
    });
    while (!(await reachable(port)));
  });

  afterAll(async () => {
    server.kill();
    await once(server, 'exit');
  });

  it('heads and bodies are the same on both sides', async () => {
    const near = await tap(port);
    let enough = () => {};
    const until = new Promise<void>(resolve => {
      enough = resolve;
    });
    const events: RunEvent[] = [];
    let watching: Promise<void> | undefined;
    const own = await new Promise<string>(resolve => {
      const url = `http://127.0.0.1:${near.port}/mcp`;
      const options = { rules, transport: 'streamable-http', url, port: 0, until } as const;
      watching = (async () => {
        for await (const event of watchHttp({ ...options, onListening: resolve })) events.push(event);
      })();
    });
    const far = await tap(Number(new URL(own).port));
    const { stderr } = await execa('node', [driver, `http://127.0.0.1:${far.port}/mcp`], {
      env: { MCP_CONFORM_SCRIPT },
    });
    enough();
    await watching;
    await Promise.all([near.close(), far.close()]);
    expect(near.seen(), stderr).toEqual(far.seen());
    expect(near.seen().length).toBeGreaterThan(6);
    await expectBothJudged(events);
  });
});

const reachable = (port: number): Promise<boolean> =>
  new Promise(resolve => {
    const socket = connect(port, '127.0.0.1', () => resolve(true)).on('error', () => resolve(false));
    socket.on('connect', () => socket.destroy());
  });

/** Forwards requests to a port, and records requests and responses. */
async function tap(to: number) {
  const seen: string[] = [];
  // headers of one connection are ignored; encodings are not forwarded, so that the bodies are readable
  const lasting = ({
    host,
    connection,
    'keep-alive': _,
    'accept-encoding': __,
    ...headers
  }: IncomingHttpHeaders) => headers;
  const server: Server = createServer(async (request, response) => {
    const { method, url, headers } = request;
    const body = await buffer(request);
    const onward = httpRequest({ port: to, host: '127.0.0.1', method, path: url, headers: { ...headers } });
    response.on('close', () => onward.destroy());
    onward.on('error', () => response.destroy());
    onward.on('response', answer => {
      response.writeHead(answer.statusCode!, answer.headers).flushHeaders();
      answer.pipe(response);
      const said: Buffer[] = [];
      answer.on('data', chunk => said.push(chunk));
      answer.on('close', () =>
        seen.push(
          JSON.stringify([
            method,
            url,
            lasting(headers),
            body.toString(),
            answer.statusCode,
            lasting(answer.headers),
            Buffer.concat(said).toString(),
          ]),
        ),
      );
    });
    onward.end(body);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    port: (server.address() as AddressInfo).port,
    seen: () => seen.toSorted(),
    close: () => {
      server.closeAllConnections();
      return new Promise(resolve => server.close(resolve));
    },
  };
}
