/** Verdicts of single cells of the matrix: who is blamed, and the step that connects again. */

import { describe, expect, test } from 'vitest';
import type { CellReport } from '../../harness/report/matrix-report.js';
import type { Matrix, MatrixClient, MatrixServer } from '../../harness/run/matrix/plan.js';
import type { ClientTask } from '../../harness/scenario/client-task.js';
import type { Script } from '../../harness/scenario/script.js';
import type { Endpoint, Exit } from '../../harness/subject/subject.js';
import { clientFault, onReply } from '../../mocks/client/fault.js';
import { host } from '../../mocks/host.js';
import { mockServer } from '../../mocks/server/server.js';
import { latestStateless } from '../../spec/revisions.js';
import { base, clientWith, revision, run, serverOnStdio, serverWith } from './run-mock-matrix.js';

const matrixOf = (servers: Matrix['servers'], clients: Matrix['clients'], steps: Script): Matrix => ({
  title: 'mocks',
  servers,
  clients,
  steps,
});

test('a client that does not respond to a request of the server is blamed, not the server that waits for it', async () => {
  const meaning = { what: 'No response.', breaks: ['jsonrpc.request-answered-once'] } as const;
  const mute = clientFault(
    'client-mute',
    meaning,
    onReply('sampling/createMessage', () => undefined),
  );
  const server = await serverWith(undefined, [revision]);
  const steps: Script = [
    ['connect'],
    ['list', 'tools'],
    ['call', 'test_sampling', { prompt: 'Say hello.' }],
    ['close'],
  ];
  const { cells } = await run(matrixOf([server], [clientWith(mute, [revision], 500)], steps));
  await server.host.close();
  const [{ verdict, whose, reason } = cells[0]!] = cells;
  expect({ verdict, whose }).toEqual({ verdict: 'breaks', whose: ['client'] });
  expect(reason).toMatch(/^call test_sampling: the client did not respond to sampling\/createMessage/);
});

/** The client, which stays when it has done its task. */
function staying(client: MatrixClient): MatrixClient {
  const start = (task: ClientTask): Endpoint => {
    const own = client.start!(task);
    let end: (exit: Exit) => void = () => {};
    const exited = new Promise<Exit>(resolve => {
      end = resolve;
    });
    return {
      stdin: own.stdin,
      stdout: own.stdout,
      stderr: own.stderr,
      exited,
      survivors: () => [],
      kill(signal) {
        own.kill(signal);
        end({ code: null, signal });
      },
    };
  };
  return { ...client, start };
}

test('a violation that is not of the messages that failed is not taken for the cause', async () => {
  const server = await serverWith('image-data-url', [revision]);
  const steps: Script = [['connect'], ['call', 'test_image_content'], ['close']];
  const matrix = matrixOf([server], [staying(clientWith(undefined, [revision]))], steps);
  const { cells } = await run(matrix, undefined, 4_000);
  await server.host.close();
  const [{ verdict, whose, findings } = cells[0]!] = cells;
  expect(findings.map(f => `${f.side} ${f.grade}`)).toContain('server violation');
  expect({ verdict, whose }).toEqual({ verdict: 'hangs', whose: ['client'] });
});

test('nobody is blamed for a client that may wait for the head of a response', async () => {
  const { fetch, paths } = mockServer({ revisions: [revision] }).http();
  const own = await host(request => (request.method === 'GET' ? new Promise(() => {}) : fetch(request)));
  const places = { 'streamable-http': { url: own.origin + paths.mcp } };
  const server: MatrixServer = { ...base, name: 'headless', revisions: [revision], places };
  const client = staying(clientWith(undefined, [revision]));
  const steps: Script = [['connect'], ['list', 'tools']];
  const { cells } = await run(matrixOf([server], [client], steps), undefined, 3_000);
  await own.close();
  expect(cells[0]).toMatchObject({ verdict: 'hangs', whose: [] });
  expect(cells[0]!.reason).toContain('has not begun its response to GET');
});

describe('a client that connects again', () => {
  const steps: Script = [
    ['connect'],
    ['list', 'tools'],
    ['close'],
    ['connect'],
    ['list', 'tools'],
    ['close'],
  ];

  for (const id of [revision, latestStateless.id])
    test(`has a second conversation, ${id}, over HTTP`, async () => {
      const server = await serverWith(undefined, [id]);
      const { cells } = await run(matrixOf([server], [clientWith(undefined, [id])], steps));
      await server.host.close();
      expectTwo(cells);
    });

  for (const id of [revision, latestStateless.id])
    test(`has a second process, ${id}, on stdio`, async () => {
      const { cells } = await run(matrixOf([serverOnStdio([id])], [clientWith(undefined, [id])], steps));
      expectTwo(cells);
      const started = cells[0]!.conversation.filter(([, , text]) => text.startsWith('server started'));
      expect(started).toHaveLength(2);
    });

  function expectTwo(cells: readonly CellReport[]): void {
    const [cell] = cells;
    expect(cell).toMatchObject({ verdict: 'works', findings: [] });
    expect(cell!.steps.map(({ step, name, outcome }) => `${step} ${name}: ${outcome}`)).toEqual([
      '1 connect: done',
      '2 list tools: done',
      '4 connect: done',
      '5 list tools: done',
    ]);
  }

  test('breaks at a server that accepts one conversation only, and the server is blamed', async () => {
    const { fetch, paths } = mockServer({ revisions: [revision] }).http();
    let opened = 0;
    const own = await host(async request => {
      const text = request.method === 'POST' ? await request.clone().text() : '';
      const isRefused = text.includes('"initialize"') && ++opened > 1;
      return isRefused ? new Response('busy', { status: 503 }) : fetch(request);
    });
    const url = own.origin + paths.mcp;
    const places = { 'streamable-http': { url } };
    const server: MatrixServer = { ...base, name: 'once', revisions: [revision], places };
    const { cells } = await run(matrixOf([server], [clientWith(undefined, [revision])], steps));
    await own.close();
    const [cell] = cells;
    expect(cell).toMatchObject({ verdict: 'breaks', whose: ['server'] });
    expect(cell!.reason).toContain('connect');
  });
});
