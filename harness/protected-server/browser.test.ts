/** The simulated browser: a program opens an address, and the browser follows the redirects to the client. */

import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, test } from 'vitest';
import { spawn } from '../subject/subject.js';
import { Browser } from './browser.js';

/** A site that redirects every request to the given address. */
async function site() {
  const seen: string[] = [];
  let wake: () => void = () => {};
  const server = createServer((request, response) => {
    seen.push(request.url ?? '');
    const to = new URL(request.url ?? '/', 'http://here').searchParams.get('to');
    response.writeHead(to ? 302 : 200, to ? { Location: to } : {}).end();
    wake();
  });
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve));
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    origin,
    seen,
    /** Resolves after the given number of requests. */
    came: async (count: number) => {
      while (seen.length < count)
        await new Promise<void>(resolve => {
          wake = resolve;
        });
    },
    close: () => new Promise<void>(resolve => void server.close(() => resolve())),
  };
}

test.skipIf(process.platform === 'win32').each(['xdg-open', 'sensible-browser'])(
  '%s leads to the callback',
  async program => {
    const { origin, seen, came, close } = await site();
    const opened: (readonly string[])[] = [];
    const browser = await new Browser(words => opened.push(words)).listening();
    const address = `${origin}/authorize?to=${encodeURIComponent(`${origin}/callback?code=1`)}`;
    // as a client does: found in PATH, which the harness sets for the process
    const { PATH } = browser.environment;
    const command = `${PATH?.split(':')[0]}/${program}`;
    const endpoint = spawn(command, [address], { env: browser.environment }).start();
    expect((await endpoint.exited).code).toBe(0);
    await came(2);
    await browser.close();
    await close();
    expect(opened).toEqual([[address]]);
    expect(seen.at(-1)).toBe('/callback?code=1');
  },
);

test('requests only addresses on this host, and only http or https', async () => {
  const { origin, seen, came, close } = await site();
  const browser = await new Browser(() => {}).listening();
  for (const address of ['file:///etc/passwd', 'javascript:alert(1)', 'http://auth.invalid/x'])
    browser.visit(address);
  browser.visit(`${origin}/last?to=${encodeURIComponent('http://auth.invalid/y')}`);
  await came(1);
  await browser.close();
  await close();
  expect(seen).toHaveLength(1);
});

test('an address in two spellings, printed and opened, is visited once', async () => {
  const { origin, seen, close } = await site();
  const browser = await new Browser(() => {}).listening();
  await browser.visitPrinted(`${origin}/authorize?x=a+b&state=1`);
  const opening = browser.environment.MCP_CONFORM_BROWSER!;
  const opened = await fetch(opening, {
    method: 'POST',
    body: JSON.stringify([`${origin}/authorize?x=a%20b&state=1`]),
  });
  await opened.text();
  await browser.visitPrinted(`${origin}/authorize?x=a%20b&state=2`);
  await browser.visitPrinted(`${origin}/$(x)/az?state=3`);
  await browser.visitPrinted(`${origin}/%24(x)/az?state=3`);
  await browser.close();
  await close();
  expect(seen).toEqual(['/authorize?x=a+b&state=1', '/authorize?x=a%20b&state=2', '/$(x)/az?state=3']);
});
