/** The mock over HTTP, request by request; and the effects of middleware there. */

import { describe, expect, test } from 'vitest';
import { definedRevisions, revisions } from '../../spec/revisions.js';
import { fault, onBlock, onHttp } from '../fault.js';
import { streamableHttpFaults } from './faults/streamable-http.js';
import type { HttpOptions } from './http.js';
import { type MockServerOptions, mockServer } from './server.js';

const newest = revisions.at(-1)!.id;
const initialize = {
  jsonrpc: '2.0',
  id: 1,
  method: 'initialize',
  params: { protocolVersion: newest, capabilities: {}, clientInfo: { name: 'c', version: '1' } },
};
const ping = { jsonrpc: '2.0', id: 2, method: 'ping' };

function mock(http: HttpOptions = {}, options: MockServerOptions = {}) {
  const server = mockServer(options).http(http);
  const at = (method: string, headers: Record<string, string> = {}, body?: unknown, path = '/mcp') =>
    server.fetch(
      new Request(`http://127.0.0.1${path}`, {
        method,
        headers: {
          ...(body !== undefined && { 'content-type': 'application/json' }),
          accept: 'application/json, text/event-stream',
          ...headers,
        },
        ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
      }),
    );
  const open = async () => {
    const response = await at('POST', {}, initialize);
    await response.text();
    return { 'mcp-session-id': response.headers.get('mcp-session-id')! };
  };
  return { server, at, open };
}

describe('sessions', () => {
  test('initialize returns a session id, and requests with this id succeed until DELETE ends the session', async () => {
    const { server, at, open } = mock();
    const session = await open();
    expect(session['mcp-session-id']).toMatch(/^[\x21-\x7e]{36}$/);
    expect((await at('POST', session, ping)).status).toBe(200);
    expect((await at('DELETE', session)).status).toBe(204);
    for (const method of ['GET', 'DELETE']) expect((await at(method, session)).status).toBe(404);
    expect((await at('POST', session, ping)).status).toBe(404);
    expect(server.sessions.ids).toEqual([]);
  });

  test('a request without a session id gets 400, and a failed initialize leaves no session', async () => {
    const { server, at } = mock();
    for (const method of ['GET', 'DELETE']) expect((await at(method)).status).toBe(400);
    expect((await at('POST', {}, ping)).status).toBe(400);
    const failed = await at('POST', {}, { ...initialize, params: {} });
    expect(await failed.text()).toContain('"error"');
    expect(failed.headers.get('mcp-session-id')).toBeNull();
    expect(server.sessions.ids).toEqual([]);
  });

  test('the server serves requests without session ids when sessions are disabled', async () => {
    const { at } = mock({ sessions: false });
    expect((await at('POST', {}, initialize)).headers.get('mcp-session-id')).toBeNull();
    expect(await (await at('POST', {}, ping)).text()).toContain('"result":{}');
    for (const method of ['GET', 'DELETE']) expect((await at(method)).status).toBe(405);
  });
});

describe('a request is rejected for', () => {
  test.each([
    ['a foreign Origin', { origin: 'http://evil.example' }, 403],
    ['an opaque Origin', { origin: 'null' }, 403],
    ['a foreign Host', { host: 'evil.example:80' }, 403],
    ['an unknown revision', { 'mcp-protocol-version': 'yesterday' }, 400],
    ['an Accept without a supported type', { accept: 'text/html' }, 406],
    ['a body of another media type', { 'content-type': 'text/plain' }, 415],
  ])('with %s', async (_, headers: Record<string, string>, status) => {
    const { at, open } = mock();
    expect((await at('POST', { ...(await open()), ...headers }, ping)).status).toBe(status);
  });

  test.each([
    ['a local Origin', { origin: 'http://localhost:5173' }],
    ['any Accept', { accept: '*/*' }],
    ['parameters', { 'content-type': 'application/json; charset=utf-8', accept: 'application/json;q=0.5' }],
    ['no revision', {}],
  ])('not with %s', async (_, headers: Record<string, string>) => {
    const { at, open } = mock();
    expect((await at('POST', { ...(await open()), ...headers }, ping)).status).toBe(200);
  });

  test('a body that is not JSON, an invalid message, another method or another path', async () => {
    const { at, open } = mock();
    const session = await open();
    const broken = await at('POST', session, '{');
    expect([broken.status, await broken.text()]).toEqual([400, expect.stringContaining('-32700')]);
    expect((await at('POST', session, { jsonrpc: '2.0' })).status).toBe(400);
    expect((await at('PUT', session, {})).headers.get('allow')).toBe('POST, GET, DELETE');
    expect((await at('GET', session, undefined, '/')).status).toBe(404);
  });
});

test('a request whose headers name a revision without a handshake, and which has no envelope, is incomplete', async () => {
  const modern = definedRevisions.find(r => r.era === 'modern')!;
  const { at } = mock();
  for (const params of [undefined, {}, { _meta: {} }]) {
    const headers = { 'mcp-protocol-version': modern.id, 'mcp-method': 'server/discover' };
    const reply = await at('POST', headers, { jsonrpc: '2.0', id: 7, method: 'server/discover', params });
    expect(reply.status).toBe(400);
    expect(await reply.json()).toMatchObject({ id: 7, error: { code: -32_602 } });
  }
});

test('Mcp-Method does not select the revision without a handshake where another header or initialize does not', async () => {
  const { at } = mock();
  const opened = await at('POST', { 'mcp-method': 'initialize' }, initialize);
  const session = { 'mcp-session-id': opened.headers.get('mcp-session-id')! };
  expect(session['mcp-session-id']).toMatch(/^[\x21-\x7e]{36}$/);
  const headers = { ...session, 'mcp-protocol-version': newest, 'mcp-method': 'ping' };
  expect((await at('POST', headers, ping)).status).toBe(200);
});

test('notifications and responses are accepted with 202 and no body', async () => {
  const { at, open } = mock();
  const session = await open();
  for (const message of [
    { jsonrpc: '2.0', method: 'notifications/initialized' },
    { jsonrpc: '2.0', id: 99, result: {} },
  ]) {
    const response = await at('POST', session, message);
    expect([response.status, await response.text()]).toEqual([202, '']);
  }
});

test('a stream begins with an event id for resumption where the revision defines it', async () => {
  const { at, open } = mock();
  const text = await (await at('POST', await open(), ping)).text();
  expect(text).toBe(
    'id: post2_0\ndata: \n\nevent: message\nid: post2_1\ndata: {"jsonrpc":"2.0","id":2,"result":{}}\n\n',
  );
  const older = mock({}, { revisions: [revisions.at(-2)!.id] });
  expect(await (await older.at('POST', await older.open(), ping)).text()).toMatch(/^event: message/);
});

test('a GET with Last-Event-ID replays only later events of the same stream', async () => {
  const { at, open } = mock();
  const session = await open();
  await (await at('POST', session, ping)).text();
  await (await at('POST', session, { ...ping, id: 3 })).text();
  const again = await at('GET', { ...session, 'last-event-id': 'post2_0' });
  expect(await again.text()).toBe(
    'event: message\nid: post2_1\ndata: {"jsonrpc":"2.0","id":2,"result":{}}\n\n',
  );
});

test('a path prefix applies to all endpoints', () => {
  expect(mock({ path: '/api/v1/mcp' }).server.paths).toEqual({
    mcp: '/api/v1/mcp',
    sse: '/api/v1/sse',
    messages: '/api/v1/messages',
  });
});

describe('deviations', () => {
  const byId = (id: string) => streamableHttpFaults.filter(f => f.id === id);

  test('middleware changes the status of a response', async () => {
    const { at, open } = mock({}, { faults: byId('accepted-with-200') });
    const note = { jsonrpc: '2.0', method: 'notifications/initialized' };
    expect((await at('POST', await open(), note)).status).toBe(200);
  });

  test('middleware changes request and response headers', async () => {
    const { at, open } = mock({}, { faults: byId('session-id-with-space') });
    const session = await open();
    expect(session['mcp-session-id']).toMatch(/^session /);
    expect((await at('POST', session, ping)).status).toBe(200);
  });

  test('middleware responds in place of the mock', async () => {
    const { at, open } = mock({}, { faults: byId('get-200-text') });
    const session = await open();
    expect((await at('GET', session)).headers.get('content-type')).toContain('text/event-stream');
    expect((await at('GET', session)).headers.get('content-type')).toContain('text/plain');
  });

  test('middleware changes and breaks event streams and closes connections', async () => {
    const odd = fault(
      'odd',
      { what: 'Test.', breaks: ['streamable-http.event-id-unique'] },
      onBlock(block =>
        typeof block === 'object' && 'id' in block ? [': hello\n\n', { ...block, id: '1' }] : block,
      ),
    );
    const changed = mock({}, { faults: [odd] });
    expect(await (await changed.at('POST', await changed.open(), ping)).text()).toMatch(
      /^: hello\n\nid: 1\n/,
    );

    const cut = fault(
      'cut',
      { what: 'Test.', breaks: ['streamable-http.sse-response-arrives'] },
      onBlock((block, _ask, _context, writer) => {
        writer.reset();
        return block;
      }),
    );
    const breaking = mock({}, { faults: [cut] });
    await expect((await breaking.at('POST', {}, initialize)).text()).rejects.toThrow();

    const shut = fault(
      'shut',
      { what: 'Test.', breaks: ['streamable-http.request-json-or-sse'] },
      onHttp(reply => ({ ...reply, reset: true })),
    );
    await expect(mock({}, { faults: [shut] }).at('POST', {}, initialize)).rejects.toThrow();
  });
});
