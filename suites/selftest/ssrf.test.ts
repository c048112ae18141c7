/** Addresses that a server chooses: no request to hosts that the user did not name, and no password to another origin. */

import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { RunEvent } from '../../harness/report/run-event.js';
import { Summary } from '../../harness/report/summary.js';
import { run } from '../../harness/run/server/run.js';
import { url } from '../../harness/subject/subject.js';
import { defaultTiming } from '../../harness/time/timing.js';
import { AllowedHosts } from '../../harness/transports/http/allowed-hosts.js';
import { suite } from '../index.js';
import { collect } from './reports-of.test.util.js';

const password = 'correct-horse-battery';

interface Listening {
  readonly origin: string;
  readonly heard: string[];
  close(): Promise<void>;
}

/** A server on this address that records what it hears. */
async function listenAt(
  address: string,
  respond: (path: string) => {
    status?: number;
    headers?: Record<string, string>;
    body?: string;
  } = () => ({}),
): Promise<Listening> {
  const heard: string[] = [];
  const server: Server = createServer((request, response) => {
    const parts: Buffer[] = [];
    request.on('data', part => parts.push(part));
    request.on('end', () => {
      heard.push(`${request.method} ${request.url} ${Buffer.concat(parts)}`);
      const { status = 404, headers, body = '' } = respond(new URL(request.url!, 'http://a').pathname);
      response.writeHead(status, headers).end(body);
    });
  });
  await new Promise<void>(resolve => server.listen(0, address, resolve));
  const { port } = server.address() as AddressInfo;
  return {
    origin: `http://${address}:${port}`,
    heard,
    close: () =>
      new Promise(resolve => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

const json = (value: unknown) => ({
  status: 200,
  headers: { 'Content-Type': 'application/json' },
  body: JSON.stringify(value),
});

/** Where the server under test, or its authorization server, sends the harness. */
type Trap =
  | 'authorization server'
  | 'token endpoint'
  | 'registration'
  | 'redirect'
  | 'form'
  | 'resource metadata';

/** A protected server that is its own authorization server, with one address elsewhere. */
async function protectedServer(trap: Trap, target: string): Promise<Listening> {
  const server: Listening = await listenAt('127.0.0.1', path => {
    const { origin } = server;
    const at = (which: Trap, own: string) => (trap === which ? `${target}${own}` : `${origin}${own}`);
    if (path.startsWith('/.well-known/oauth-protected-resource'))
      return json({
        resource: `${origin}/mcp`,
        authorization_servers: [trap === 'authorization server' ? target : origin],
      });
    if (path.startsWith('/.well-known/'))
      return json({
        issuer: origin,
        authorization_endpoint: `${origin}/authorize`,
        token_endpoint: at('token endpoint', '/token'),
        registration_endpoint: at('registration', '/register'),
        code_challenge_methods_supported: ['S256'],
      });
    if (path === '/register') return { ...json({ client_id: 'client' }), status: 201 };
    if (path === '/authorize' && trap === 'redirect')
      return { status: 302, headers: { Location: `${target}/x` } };
    if (path === '/authorize')
      return {
        status: 200,
        headers: { 'Content-Type': 'text/html' },
        body: `<form method=post action="${at('form', '/login')}"><input name=user><input type=password name=password><button>Sign in</button></form>`,
      };
    const metadata = `${at('resource metadata', '/.well-known/oauth-protected-resource/mcp')}`;
    return { status: 401, headers: { 'WWW-Authenticate': `Bearer resource_metadata="${metadata}"` } };
  });
  return server;
}

async function attack(trap: Trap, target: string, allowExternal = false) {
  const server = await protectedServer(trap, target);
  const subject = url(`${server.origin}/mcp`, { allowExternal });
  const timing = { ...defaultTiming, answer: 2_000 };
  const selected = (name: string) => /\/server\/(authorization|resource-metadata)\//.test(name);
  const credentials = { login: { user: 'alice', password } };
  const events: RunEvent[] = await collect(run({ subject, suite, timing, runs: 0, selected, credentials }));
  await server.close();
  const summary = new Summary();
  for (const event of events) summary.add(event);
  return { report: summary.report(), text: JSON.stringify(events), server };
}

describe('addresses that the user did not name', () => {
  let canary: Listening;
  beforeAll(async () => {
    canary = await listenAt('127.0.0.2');
  });
  beforeEach(() => {
    canary.heard.length = 0;
  });
  afterAll(() => canary.close());

  const traps: Trap[] = [
    'authorization server',
    'token endpoint',
    'registration',
    'redirect',
    'resource metadata',
  ];

  test.each(traps)('%s: the canary hears nothing, and the report says so', async trap => {
    const { report, text } = await attack(trap, canary.origin);
    expect(canary.heard).toEqual([]);
    if (trap !== 'token endpoint') expect(text).toContain('--allow-external');
    expect(report.summary.error).toBe(0);
    const blamed = report.runs.flatMap(r => r.findings).filter(f => f.grade === 'violation');
    expect(blamed.map(f => `${f.actual} ${f.message}`).join()).not.toContain('not requested');
  });

  test('a form that sends the password to another origin gets none', async () => {
    const other = await listenAt('127.0.0.1');
    const { text } = await attack('form', other.origin);
    await other.close();
    expect(other.heard).toEqual([]);
    expect(text).toContain('which is not the origin of the authorization endpoint');
  });

  test('with --allow-external the canary hears a request', async () => {
    await attack('authorization server', canary.origin, true);
    expect(canary.heard.length).toBeGreaterThan(0);
  });

  test('the own login page gets the password', async () => {
    const { server } = await attack('redirect', 'http://127.0.0.1:1');
    const own = await attack('token endpoint', canary.origin);
    expect(server.heard.join()).not.toContain(password);
    expect(own.server.heard.join()).toContain(password);
  });
});

describe('hosts', () => {
  const local = new AllowedHosts([new URL('http://localhost:3000/mcp')]);
  const remote = new AllowedHosts([new URL('https://mcp.example/mcp'), new URL('http://10.0.0.7/')]);

  test.each([
    'http://169.254.169.254/latest',
    'http://[::ffff:169.254.169.254]/',
    'http://[fe80::1]/',
    'http://10.0.0.8/',
    'http://192.168.1.1/',
    'http://172.20.0.1/',
    'http://[fd00::1]/',
    'http://0.0.0.0/',
    'http://127.0.0.1/',
    'http://[::1]:9000/',
    'http://localhost/',
    'http://evil.localhost/',
    'http://2130706433/',
    'http://0x7f.1/',
  ])('%s is not requested for a server elsewhere', async address => {
    expect(await remote.whyNot(new URL(address))).toMatch(/not requested.*--allow-external/);
  });

  test.each(['http://127.0.0.1:9/', 'http://[::1]/', 'http://localhost/'])(
    '%s is requested for a server on this host',
    async address => {
      expect(await local.whyNot(new URL(address))).toBeUndefined();
    },
  );

  test.each(['http://127.0.0.2/', 'http://169.254.169.254/', 'http://10.0.0.7/'])(
    '%s is not requested for a server on this host',
    async address => {
      expect(await local.whyNot(new URL(address))).toContain('not requested');
    },
  );

  test.each([
    'https://mcp.example/x',
    'http://10.0.0.7:8080/',
    'http://93.184.216.34/',
    'http://[2606:2800::1]/',
  ])('%s is requested for a server elsewhere', async address => {
    expect(await remote.whyNot(new URL(address))).toBeUndefined();
  });
});
