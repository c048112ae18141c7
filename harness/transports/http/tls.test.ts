/**
 * A server whose certificate is signed by a private authority. The certificates in `certificates/` were made
 * for this test: they are valid for localhost, for 100 years, and the key of the authority was deleted.
 */

import { readFileSync } from 'node:fs';
import { type AddressInfo, connect } from 'node:net';
import { createServer } from 'node:tls';
import { fileURLToPath } from 'node:url';
import { execa } from 'execa';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { host } from '../../../mocks/host.js';
import { mockServer } from '../../../mocks/server/server.js';
import { programFile } from '../../../suites/selftest/program.test.util.js';

const path = (name: string) => fileURLToPath(new URL(name, import.meta.url));
const mock = mockServer().http();
const plain = await host(request => mock.fetch(request));
const [key, cert] = ['certificates/server-key.pem', 'certificates/server.pem'].map(name =>
  readFileSync(path(name)),
) as [Buffer, Buffer];
const server = createServer({ key, cert }, socket => {
  const onward = connect(Number(new URL(plain.origin).port), '127.0.0.1');
  socket.pipe(onward).pipe(socket);
  for (const [one, other] of [
    [socket, onward],
    [onward, socket],
  ] as const)
    one.on('error', () => other.destroy());
});

beforeAll(() => new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve)));
afterAll(async () => {
  mock.close();
  server.close();
  await plain.close();
});

const judge = (env: Record<string, string>) => {
  const address = `https://localhost:${(server.address() as AddressInfo).port}/mcp`;
  const words = [programFile, 'server', '--url', address];
  return execa('node', [...words, '--run', 'server/stateless/*'], {
    cwd: path('../../..'),
    env,
    reject: false,
  });
};

test('a server with a known authority is judged', async () => {
  const { exitCode, stdout } = await judge({ NODE_EXTRA_CA_CERTS: path('certificates/authority.pem') });
  expect(stdout).toContain('no violation');
  expect(exitCode).toBe(0);
});

test('with an unknown authority the report names the remedy', async () => {
  const { exitCode, stdout } = await judge({});
  expect(stdout).toContain('NODE_EXTRA_CA_CERTS');
  expect(exitCode).toBe(3);
});
