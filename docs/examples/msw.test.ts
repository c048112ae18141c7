import { mockServerHandlers } from 'mcp-conform/msw';
import { setupServer } from 'msw/node';
import { afterAll, beforeAll, expect, test } from 'vitest';

const network = setupServer(...mockServerHandlers('https://mcp.example/mcp', { answers: 'json' }));
beforeAll(() => network.listen());
afterAll(() => network.close());

/** Represents your client. */
async function serverName(url: string): Promise<string> {
  const answer = await fetch(url, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', Accept: 'application/json, text/event-stream' },
    body: JSON.stringify({
      jsonrpc: '2.0',
      id: 1,
      method: 'initialize',
      params: { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'mine', version: '1' } },
    }),
  });
  const { result } = (await answer.json()) as { result: { serverInfo: { name: string } } };
  return result.serverInfo.name;
}

test('my client connects to a mocked server', async () => {
  expect(await serverName('https://mcp.example/mcp')).toBe('mcp-conform-mock');
});
