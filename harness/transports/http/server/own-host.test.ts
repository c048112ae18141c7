import { expect, test } from 'vitest';
import { listening } from '../../listen.test.util.js';
import { whyForeign } from './own-host.js';

const asked =
  (headers: Record<string, string>) =>
  (name: string): string | undefined =>
    headers[name];

test.each([
  {},
  { host: '127.0.0.1:4000' },
  { host: 'localhost' },
  { host: '[::1]:80', origin: 'http://localhost:5173' },
  { host: 'LOCALHOST:1', origin: 'null' },
  { host: '127.0.0.1', origin: 'vscode-webview://abc' },
])('%o is a request to this host', headers => {
  expect(whyForeign(asked(headers))).toBeUndefined();
});

test.each([
  { host: 'evil.example' },
  { host: '127.0.0.1.evil.example:80' },
  { host: '192.168.0.4' },
  { host: '127.0.0.1', origin: 'https://evil.example' },
])('%o is refused', headers => {
  expect(whyForeign(asked(headers))).toContain('is not this host');
});

test('names of the user are accepted', () => {
  expect(whyForeign(asked({ host: 'host.docker.internal:80' }), ['host.docker.internal'])).toBeUndefined();
});

test('a listener refuses a page of another site with status 403, and records nothing', async () => {
  const bench = await listening('streamable-http');
  const response = await fetch(bench.url(), {
    method: 'POST',
    headers: { Origin: 'https://evil.example' },
    body: '{"jsonrpc":"2.0","id":1,"method":"ping"}',
  });
  expect([response.status, await response.text()]).toEqual([403, 'Origin evil.example is not this host.']);
  expect(bench.history.events).toEqual([]);
  await bench.close();
});
