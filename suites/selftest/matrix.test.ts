/** The matrix of the mocks in this process: faulty rows and columns are told apart from sound ones. */

import { readFileSync } from 'node:fs';
import { Ajv2020 } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import { describe, expect, test } from 'vitest';
import { inShard } from '../../harness/report/shard.js';
import { mergeMatrices } from '../../harness/run/matrix/assemble.js';
import { defaultSteps } from '../../harness/run/matrix/default-steps.js';
import {
  type Matrix,
  type MatrixClient,
  type MatrixServer,
  planCells,
} from '../../harness/run/matrix/plan.js';
import { base, clientWith, revision, run, serverWith } from './run-mock-matrix.js';

const schema = JSON.parse(
  readFileSync(new URL('../../reports/matrix-report.schema.json', import.meta.url), 'utf8'),
) as object;
const ajv = new Ajv2020({ strict: false });
addFormats.default(ajv);
const isReport = ajv.compile(schema);

/** Rows with a fault that the steps show. */
const faultyServers = [
  'double-answer',
  'id-retyped',
  'image-data-url',
  'neither-result-nor-error',
  'notification-with-id',
  'output-schema-violated',
  'own-id-reused',
  'structured-content-missing',
  'tool-content-missing',
  'tool-failure-as-protocol-error',
];

/** Columns with a fault that the steps show. */
const faultyClients = [
  'client-arguments-as-text',
  'client-cancels-retyped',
  'client-id-used-twice',
  'client-initialize-without-version',
  'client-never-initialized',
  'client-notification-with-id',
  'client-params-in-array',
];

describe('a matrix of mocks', () => {
  test('tells faulty servers and clients from sound ones', async () => {
    const servers = await Promise.all([undefined, ...faultyServers].map(id => serverWith(id, [revision])));
    const clients = [undefined, ...faultyClients].map(id => clientWith(id, [revision]));
    const whole: Matrix = { title: 'mocks', servers, clients, steps: defaultSteps };
    // faulty with faulty shows nothing more
    const report = await run(
      whole,
      planCells(whole).filter(({ server, client }) => server.name === 'sound' || client.name === 'sound'),
    );
    await Promise.all(servers.map(({ host: own }) => own.close()));

    const cell = (server: string, client: string) =>
      report.cells.find(c => c.server === server && c.client === client)!;
    const { verdict, reason, findings } = cell('sound', 'sound');
    expect({ verdict, reason, findings }).toEqual({ verdict: 'works', reason: null, findings: [] });
    for (const id of faultyServers) expect.soft(cell(id, 'sound').whose, `server ${id}`).toEqual(['server']);
    for (const id of faultyClients) expect.soft(cell('sound', id).whose, `client ${id}`).toEqual(['client']);
    expect(report.exitCode).toBe(1);
    isReport(report);
    expect(isReport.errors ?? []).toEqual([]);
  });

  test('has no secret of the environment of a server over HTTP', async () => {
    const secret = 'a7f3-secret-of-the-server-91';
    const code =
      'require("node:http").createServer((q, s) => { console.error(process.env.API_TOKEN); s.writeHead(500); s.end(process.env.API_TOKEN); }).listen(+process.argv[1], "127.0.0.1")';
    const server: MatrixServer = {
      ...base,
      name: 'talkative',
      env: { API_TOKEN: secret },
      revisions: [revision],
      places: {
        'streamable-http': {
          command: [process.execPath, '-e', code, '{port}'],
          url: 'http://127.0.0.1:{port}/mcp',
        },
      },
    };
    const matrix: Matrix = {
      title: 'secrets',
      servers: [server],
      clients: [clientWith(undefined, [revision])],
      steps: defaultSteps,
    };
    const report = await run(matrix);
    expect(report.cells).toHaveLength(1);
    expect(JSON.stringify(report)).not.toContain(secret);
    expect(report.cells[0]!.output.server.join(' ')).not.toBe('');
  });

  test('of two shards, merged, is the matrix of one run', async () => {
    const servers = await Promise.all([undefined, 'double-answer'].map(id => serverWith(id, [revision])));
    const clients = [undefined, 'client-id-used-twice'].map(id => clientWith(id, [revision]));
    const matrix: Matrix = { title: 'mocks', servers, clients, steps: defaultSteps };
    const all = planCells(matrix);
    const shards = [1, 2].map(at => inShard(all, { at, of: 2 }));
    const parts = await Promise.all(shards.map(cells => run(matrix, cells)));
    const whole = await run(matrix);
    await Promise.all(servers.map(({ host: own }) => own.close()));
    // ports, times and generated ids differ between runs
    const fixed = (report: typeof whole) => ({
      ...report,
      cells: report.cells.map(({ conversation: _, durationMs: __, findings, ...cell }) => ({
        ...cell,
        findings: findings.map(({ lines: ___, actual: ____, ...finding }) => finding),
      })),
    });
    expect(shards.map(cells => cells.length)).toEqual([2, 2]);
    expect(parts.map(part => part.exitCode)).toEqual([parts[0]!.exitCode, 1]);
    expect(fixed(mergeMatrices(parts, false))).toEqual(fixed(whole));
    expect(() => mergeMatrices([parts[0]!, parts[0]!], false)).toThrow('is in two of the reports');
    expect(mergeMatrices([parts[0]!], false)).toMatchObject({ planned: 4, missing: 2, cells: { length: 2 } });
    expect([whole.missing, ...parts.map(part => part.missing)]).toEqual([0, 0, 0]);
  });

  test('names the reason of a cell that cannot be tried, and goes on', async () => {
    const node = (code: string) => [process.execPath, '-e', code];
    const server = (
      name: string,
      command: readonly string[],
      more: Partial<MatrixServer> = {},
    ): MatrixServer => ({
      ...base,
      name,
      revisions: [revision],
      places: { stdio: { command } },
      ...more,
    });
    const client = (name: string, command: readonly string[]): MatrixClient => ({
      ...base,
      name,
      command,
      transports: ['stdio'],
      revisions: [revision],
    });
    // sends a request to the server that it starts, and waits
    const asks = `const { spawn } = require('node:child_process');
      const [file, ...args] = JSON.parse(process.env.MCP_CONFORM_COMMAND);
      const server = spawn(file, args);
      server.stdin.write(JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'initialize', params: {
        protocolVersion: '${revision}', capabilities: {}, clientInfo: { name: 'a', version: '1' } } }) + '\\n');
      server.stdout.on('data', () => process.exit(0));
      server.on('exit', () => process.exit(1));
      setTimeout(() => {}, 1e6);`;
    const refuses = `process.stdin.on('data', () => console.log(JSON.stringify({ jsonrpc: '2.0', id: 1, error: { code: -32602, message: 'No.' } })));`;
    const matrix: Matrix = {
      title: 'unreliable programs',
      steps: [['connect']],
      servers: [
        server('not-installed', ['true'], { install: { command: node('process.exit(3)'), cwd: base.cwd } }),
        server('not-there', ['/no/such/program']),
        server('exits', node('process.exit(7)')),
        server('silent', node('setInterval(() => {}, 1e6)')),
        server('refuses', node(refuses)),
        server('http-only', [], {
          places: {
            'streamable-http': { command: node('process.exit(9)'), url: 'http://127.0.0.1:{port}/mcp' },
          },
        }),
      ],
      clients: [
        client('asks', node(asks)),
        client('unwilling', node('process.exit(127)')),
        client('crashes', node('throw new Error("a defect")')),
        { ...client('over-http', node('')), transports: ['streamable-http'] },
      ],
    };
    const report = await run(matrix, planCells(matrix), 10_000);
    const told = (name: string) => {
      const { verdict, whose, reason } = report.cells.find(c => c.name.startsWith(name))!;
      return `${verdict} ${whose.join()}: ${reason}`;
    };
    expect(told('not-installed/asks')).toMatch(
      /^cannot-be-tried : The server could not be installed: .* exited with code 3/,
    );
    expect(told('not-there/asks')).toMatch(
      /^cannot-be-tried : The server could not be started: the file "\/no\/such\/program" does not exist/,
    );
    expect(told('exits/asks')).toMatch(
      /^breaks server: The server exited with code 7 during the conversation/,
    );
    expect(told('silent/asks')).toMatch(/^hangs server: The server did not respond to initialize/);
    expect(told('refuses/asks')).toMatch(
      /^refuses server: The server responded to initialize with error -32602: No\./,
    );
    expect(told('silent/unwilling')).toMatch(/^cannot-be-tried : The client does not support these steps/);
    expect(told('silent/crashes')).toMatch(
      /^cannot-be-tried : The client sent no message: it exited with code 1\. .*a defect/,
    );
    expect(told('silent/over-http')).toMatch(/^cannot-be-tried : .*no transport and revision in common/);
    expect(told('http-only/over-http')).toMatch(
      /^cannot-be-tried : The server exited with code 9 before it accepted connections/,
    );
  });
});
