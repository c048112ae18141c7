/**
 * stdio without processes: a client in this process gets the same streams as if it had started the harness
 * server.
 */

import { PassThrough } from 'node:stream';
import type { Conversation } from '../../record/conversation.js';
import type { Endpoint, Exit } from '../../subject/subject.js';
import type { Link, Listener, ListenOptions } from '../link.js';
import { type Pipe, StdioServerSession } from '../stdio/server-session.js';
import { PartReader } from '../stdio/shim-protocol.js';

export class MemoryListener implements Listener {
  readonly transport = 'stdio';
  readonly address = { connect: () => this.connect() };
  private readonly links: StdioServerSession[] = [];
  private accept: ((link: Link, conversation: Conversation) => void) | undefined;

  constructor(private readonly options: ListenOptions) {}

  private connect(): Endpoint {
    const { newLink, timing, stdio, clock, intake } = this.options;
    const { endpoint, pipe, serve } = ours();
    const words = ['in this process'];
    const link = new StdioServerSession(
      pipe,
      process.pid,
      words,
      timing,
      newLink('stdio'),
      stdio,
      clock,
      intake,
    );
    serve(link);
    this.links.push(link);
    this.accept?.(link, link.conversation);
    return endpoint;
  }

  onLink(accept: (link: Link, conversation: Conversation) => void): void {
    this.accept = accept;
    for (const link of this.links) accept(link, link.conversation);
  }

  async close(): Promise<void> {
    await Promise.all(this.links.map(link => link.close()));
  }
}

/**
 * The function of the shim (`stdio/shim.mjs`) without a process: streams on the client side, parts on the
 * harness side.
 */
function ours(): { endpoint: Endpoint; pipe: Pipe; serve: (link: StdioServerSession) => void } {
  const [stdin, stdout, stderr] = [new PassThrough(), new PassThrough(), new PassThrough()];
  let link: StdioServerSession | undefined;
  let over = false;
  let leave: (exit: Exit) => void = () => {};
  const exited = new Promise<Exit>(resolve => {
    leave = resolve;
  });
  const end = (exit: Exit) => {
    if (over) return;
    over = true;
    stdout.end();
    stderr.end();
    leave(exit);
    link?.gone();
  };
  // delivered in a later tick, as between processes
  const tell = (letter: string, bytes: Buffer = Buffer.alloc(0)) =>
    process.nextTick(() => !over && link?.take(letter, bytes));
  const deeds: Record<string, (bytes: Buffer) => void> = {
    o: bytes => stdout.write(bytes),
    r: bytes => stderr.write(bytes),
    c: () => stdout.end(),
    x: bytes => end({ code: bytes[0]!, signal: null }),
  };
  const reader = new PartReader((letter, bytes) => deeds[letter]?.(Buffer.from(bytes)));
  const pipe: Pipe = {
    get destroyed() {
      return over;
    },
    write: bytes => reader.push(bytes),
    destroy: () => end({ code: null, signal: 'SIGKILL' }),
  };
  stdin.on('data', (chunk: Buffer) => tell('i', chunk));
  stdin.once('end', () => tell('e'));
  stdin.on('error', () => {});
  stdout.on('error', () => {});
  const endpoint: Endpoint = {
    stdin,
    stdout,
    stderr,
    exited,
    kill: signal => (signal === 'SIGKILL' ? end({ code: null, signal }) : tell('s', Buffer.from(signal))),
    survivors: () => [],
  };
  return {
    endpoint,
    pipe,
    serve: served => {
      link = served;
    },
  };
}
