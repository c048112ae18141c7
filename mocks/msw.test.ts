import { setupServer } from 'msw/node';
import { afterEach, describe, expect, it } from 'vitest';
import { latestRevision } from '../spec/revisions.js';
import { mockAuthorizationServerHandlers, mockServerHandlers } from './msw.js';

const endpoint = 'https://mcp.example/v1/mcp';
let network: ReturnType<typeof setupServer> | undefined;
afterEach(() => network?.close());

const listen = (...handlers: Parameters<typeof setupServer>) => {
  network = setupServer(...handlers);
  network.listen({ onUnhandledRequest: 'error' });
};

const post = (body: object, headers: Record<string, string> = {}, url = endpoint): Promise<Response> =>
  fetch(url, {
    method: 'POST',
    headers: {
      'Content-Type': 'application/json',
      Accept: 'application/json, text/event-stream',
      ...headers,
    },
    body: JSON.stringify({ jsonrpc: '2.0', ...body }),
  });

const initialize = {
  id: 1,
  method: 'initialize',
  params: {
    protocolVersion: latestRevision.id,
    capabilities: {},
    clientInfo: { name: 'test', version: '1' },
  },
};

async function open(): Promise<Record<string, string>> {
  const opened = await post(initialize);
  const session = { 'Mcp-Session-Id': opened.headers.get('mcp-session-id')! };
  expect((await post({ method: 'notifications/initialized' }, session)).status).toBe(202);
  return session;
}

describe('mockServerHandlers', () => {
  it('serve a session at any URL', async () => {
    listen(...mockServerHandlers(endpoint, { answers: 'json' }));
    const session = await open();
    const listed = (await (await post({ id: 2, method: 'tools/list' }, session)).json()) as {
      result: { tools: object[] };
    };
    expect(listed.result.tools.length).toBeGreaterThan(0);
    expect((await fetch(endpoint, { method: 'DELETE', headers: session })).status).toBe(204);
    expect((await post({ id: 3, method: 'ping' }, session)).status).toBe(404);
  });

  it('stream', async () => {
    listen(...mockServerHandlers(endpoint));
    const answer = await post(initialize);
    expect(answer.headers.get('content-type')).toBe('text/event-stream');
    expect(await answer.text()).toMatch(/^data: \{"jsonrpc":"2\.0","id":1,"result":/m);
  });

  it('accept any Host and apply the requested fault', async () => {
    listen(...mockServerHandlers(endpoint, { answers: 'json', faults: ['ping-refused'] }));
    const session = { ...(await open()), Origin: 'https://app.example' };
    const pong = await post({ id: 2, method: 'ping', params: {} }, session);
    expect(await pong.json()).toHaveProperty('error');
  });

  it('serve the HTTP+SSE transport as well', async () => {
    listen(...mockServerHandlers(endpoint));
    const abort = new AbortController();
    const answer = await fetch('https://mcp.example/v1/sse', { signal: abort.signal });
    const first = await answer.body!.getReader().read();
    expect(new TextDecoder().decode(first.value)).toMatch(/^event: endpoint\n/);
    abort.abort();
  });

  it('throw for an invalid URL', () => {
    expect(() => mockServerHandlers('/mcp')).toThrow(TypeError);
  });
});

describe('mockAuthorizationServerHandlers', () => {
  it('serve metadata that names the issuer', async () => {
    listen(...mockAuthorizationServerHandlers('https://auth.example'));
    const answer = await fetch('https://auth.example/.well-known/oauth-authorization-server');
    expect(await answer.json()).toMatchObject({ issuer: 'https://auth.example' });
  });
});
