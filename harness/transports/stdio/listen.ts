/**
 * stdio, harness as server: a command that a client starts as its server and that forwards all input to the
 * harness.
 */

import { randomUUID } from 'node:crypto';
import { createServer, type Server, type Socket } from 'node:net';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Conversation } from '../../record/conversation.js';
import type { Link, Listener, ListenOptions } from '../link.js';
import { temporaryFolder } from '../temporary-folder.js';
import { StdioServerSession } from './server-session.js';
import { PartReader } from './shim-protocol.js';

const shim = fileURLToPath(new URL('./shim.mjs', import.meta.url));

/** Creates a pipe in a private directory; Windows has a separate namespace for pipes. */
export async function listenStdio(options: ListenOptions): Promise<Listener> {
  if (process.platform === 'win32')
    return new StdioListener(options, `\\\\.\\pipe\\mcp-conform-${randomUUID()}`).listening();
  const made = temporaryFolder('mcp-conform');
  return new StdioListener(options, join(made.folder, 's'), made.remove).listening();
}

class StdioListener implements Listener {
  readonly transport = 'stdio';
  readonly address: { readonly command: readonly string[] };
  private readonly server: Server;
  private readonly links: StdioServerSession[] = [];
  private accept: ((link: Link, conversation: Conversation) => void) | undefined;
  private closing: Promise<void> | undefined;

  constructor(
    private readonly options: ListenOptions,
    private readonly path: string,
    private readonly removeFolder: () => void = () => {},
  ) {
    this.address = { command: [process.execPath, shim, path] };
    this.server = createServer(socket => this.meet(socket));
  }

  async listening(): Promise<this> {
    await new Promise<void>((resolve, reject) => {
      this.server.once('error', reject);
      this.server.listen(this.path, resolve);
    });
    return this;
  }

  /** Only a connection that begins with a hello part is a shim process; one whose hello comes after the end is too late. */
  private meet(socket: Socket): void {
    let link: StdioServerSession | undefined;
    const reader = new PartReader((letter, bytes) => {
      if (link) link.take(letter, bytes);
      else if (letter === 'h' && !this.closing) link = this.welcome(socket, Number(bytes.toString()));
      else socket.destroy();
    });
    socket.on('error', () => {});
    socket.on('data', chunk => {
      if (!reader.push(chunk)) socket.destroy();
    });
    socket.on('close', () => link?.gone());
  }

  private welcome(socket: Socket, pid: number): StdioServerSession {
    const { newLink, timing, stdio, clock, intake } = this.options;
    const { command } = this.address;
    const link = new StdioServerSession(socket, pid, command, timing, newLink('stdio'), stdio, clock, intake);
    this.links.push(link);
    this.accept?.(link, link.conversation);
    return link;
  }

  onLink(accept: (link: Link, conversation: Conversation) => void): void {
    this.accept = accept;
    for (const link of this.links) accept(link, link.conversation);
  }

  close(): Promise<void> {
    this.closing ??= this.shutDown();
    return this.closing;
  }

  private async shutDown(): Promise<void> {
    const closed = new Promise<void>(resolve => {
      this.server.close(() => resolve());
    });
    await Promise.all(this.links.map(link => link.close()));
    await closed;
    this.removeFolder();
  }
}
