/** Verdicts of single cells of the matrix: who is blamed, and the step that connects again. */

import { describe, expect, test } from 'vitest';
import type { Matrix, MatrixServer } from '../../harness/run/matrix/plan.js';
import type { Script } from '../../harness/scenario/script.js';
import { clientFault, onReply } from '../../mocks/client/fault.js';
import { host } from '../../mocks/host.js';
import { mockServer } from '../../mocks/server/server.js';
import { latestStateless } from '../../spec/revisions.js';
import { base, clientWith, revision, run, serverWith } from './run-mock-matrix.js';

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
}, 60_000);

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
    test(`has a second conversation, ${id}`, async () => {
      const server = await serverWith(undefined, [id]);
      const { cells } = await run(matrixOf([server], [clientWith(undefined, [id])], steps));
      await server.host.close();
      const [cell] = cells;
      expect(cell).toMatchObject({ verdict: 'works', findings: [] });
      expect(cell!.steps.map(({ step, name, outcome }) => `${step} ${name}: ${outcome}`)).toEqual([
        '1 connect: done',
        '2 list tools: done',
        '4 connect: done',
        '5 list tools: done',
      ]);
    }, 60_000);

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
  }, 60_000);
});
