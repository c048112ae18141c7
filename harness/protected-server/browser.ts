/**
 * The user's browser, without a window: a client under test opens a URL, and the browser follows the
 * redirects to the client.
 */

import { chmodSync, writeFileSync } from 'node:fs';
import { createServer, get, type IncomingMessage, type Server } from 'node:http';
import { get as getSecurely } from 'node:https';
import type { AddressInfo } from 'node:net';
import { delimiter, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseJson } from '../../spec/json-rpc.js';
import { temporaryFolder } from '../transports/temporary-folder.js';

/** Programs that open a URL for the user. */
const openers = ['xdg-open', 'open', 'x-www-browser', 'sensible-browser', 'www-browser'] as const;

/** Maximum number of redirects. */
const mostHops = 10;

const loopback = ['127.0.0.1', 'localhost', '[::1]'];

let folder: string | undefined;

/** A folder with programs of those names, created once and removed at the exit of this process. */
function shims(): string {
  if (folder !== undefined) return folder;
  const { folder: made } = temporaryFolder('mcp-conform-browser');
  const program = fileURLToPath(new URL('./browser.mjs', import.meta.url));
  for (const name of openers)
    if (process.platform === 'win32')
      writeFileSync(join(made, `${name}.cmd`), `@"${process.execPath}" "${program}" %*\r\n`);
    else {
      const file = join(made, name);
      writeFileSync(file, `#!/bin/sh\nexec '${process.execPath}' '${program}' "$@"\n`);
      chmodSync(file, 0o755);
    }
  folder = made;
  return made;
}

/** A text that is the same for all spellings of an address: a client may print one and open another. */
export function sameFor(address: string): string {
  const { origin, pathname, searchParams } = new URL(address);
  return JSON.stringify([origin, unescaped(pathname), [...searchParams]]);
}

/** A path without its escapes; with them where they are no UTF-8. */
function unescaped(path: string): string {
  try {
    return decodeURIComponent(path);
  } catch {
    return path;
  }
}

export class Browser {
  private readonly server: Server;
  private readonly visits = new Set<Promise<void>>();
  private readonly stop = new AbortController();
  private readonly opened = new Set<string>();
  private readonly printed = new Set<string>();

  /** @param onOpened called with the words that the client passed to the browser, and the number in the address (`addressOf`) */
  constructor(private readonly onOpened: (words: readonly string[], script: number) => void) {
    this.server = createServer((request, response) => {
      const script = Number(request.url?.slice(1));
      let text = '';
      request.setEncoding('utf8').on('data', (chunk: string) => {
        text += chunk;
      });
      request.on('end', () => {
        // sends the head at once, and ends the response when the page and its redirects are loaded
        response.flushHeaders();
        void this.open(text, script).then(() => response.end());
      });
    });
  }

  async listening(): Promise<this> {
    await new Promise<void>(resolve => this.server.listen(0, '127.0.0.1', resolve));
    return this;
  }

  /** Where a script of the client posts the words for this browser. @param script its number, from 0 */
  addressOf(script: number): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}/${script || ''}`;
  }

  /** Environment variables that lead a client process to this browser. */
  get environment(): Record<string, string> {
    const programs = shims();
    return {
      BROWSER: join(programs, process.platform === 'win32' ? 'xdg-open.cmd' : 'xdg-open'),
      PATH: `${programs}${delimiter}${process.env.PATH ?? ''}`,
      MCP_CONFORM_BROWSER: this.addressOf(0),
    };
  }

  private async open(text: string, script: number): Promise<void> {
    const words = wordsIn(text);
    this.onOpened(words, script);
    const address = words.findLast(word => URL.canParse(word));
    if (address === undefined || this.printed.has(sameFor(address))) return;
    this.opened.add(sameFor(address));
    await this.visit(address);
  }

  /**
   * Visits an address that the client printed, once: many clients print the address that they also open.
   */
  async visitPrinted(address: string): Promise<void> {
    const key = sameFor(address);
    if (this.opened.has(key) || this.printed.has(key)) return;
    this.printed.add(key);
    await this.visit(address);
  }

  /** Follows a URL and its redirects, on this host only; resolves at the last page. */
  visit(address: string): Promise<void> {
    const visit = this.follow(address).catch(() => {});
    this.visits.add(visit);
    return visit.finally(() => this.visits.delete(visit));
  }

  private async follow(address: string): Promise<void> {
    let url: URL | undefined = new URL(address);
    for (let hop = 0; url && hop < mostHops; hop++) {
      if (!/^https?:$/.test(url.protocol) || !loopback.includes(url.hostname)) return;
      const { statusCode = 0, headers } = await read(url, this.stop.signal);
      const to = statusCode >= 300 && statusCode < 400 ? headers.location : undefined;
      url = to !== undefined && URL.canParse(to, url.href) ? new URL(to, url) : undefined;
    }
  }

  async close(): Promise<void> {
    this.stop.abort();
    await Promise.all(this.visits);
    this.server.closeAllConnections();
    await new Promise<void>(resolve => void this.server.close(() => resolve()));
  }
}

/**
 * Requests a page and reads its whole body; `fetch` is slow to load, and several times as slow for each page.
 */
function read(url: URL, signal: AbortSignal): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    const ask = url.protocol === 'https:' ? getSecurely : get;
    const request = ask(url, { signal, agent: false }, answer => {
      answer.on('error', reject).on('end', () => resolve(answer));
      answer.resume();
    });
    request.on('error', reject);
  });
}

function wordsIn(text: string): string[] {
  const json = parseJson(text);
  return Array.isArray(json) ? json.map(String) : [];
}
