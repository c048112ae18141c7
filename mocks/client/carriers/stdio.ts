/** stdio: the client starts the server process and terminates it. */

import { spawn } from 'node:child_process';
import type { Readable, Writable } from 'node:stream';
import { LineSplitter } from '../../../harness/framing/lines.js';
import { waitFor } from '../../../harness/time/clock.js';
import type { Json } from '../../../spec/json-rpc.js';
import type { Carrier } from './carrier.js';
import type { CarrierOptions } from './options.js';

/** A server process, or an object with the same interface. */
interface ServerProcess {
  readonly stdin: Writable;
  readonly stdout: Readable;
  readonly stderr: Readable;
  readonly exited: Promise<unknown>;
  kill(signal: 'SIGTERM' | 'SIGKILL'): void;
}

export function startServer([file, ...args]: readonly string[]): ServerProcess {
  const child = spawn(file!, args, { stdio: 'pipe' });
  return {
    stdin: child.stdin,
    stdout: child.stdout,
    stderr: child.stderr,
    exited: new Promise(resolve => {
      child.once('exit', resolve);
      child.once('error', resolve);
    }),
    kill: signal => void child.kill(signal),
  };
}

export class StdioCarrier implements Carrier {
  private server: ServerProcess | undefined;
  private leaving = false;

  constructor(
    private readonly start: () => ServerProcess,
    private readonly options: CarrierOptions,
  ) {}

  async open(): Promise<void> {
    const { events, habits } = this.options;
    const server = this.start();
    this.server = server;
    this.leaving = false;
    const splitter = new LineSplitter(({ text }) => this.take(text));
    server.stdout.on('data', (chunk: Buffer) => splitter.push(chunk));
    server.stdin.on('error', () => {});
    server.stdout.on('error', () => {});
    // output on stderr is not an error
    server.stderr
      .on('error', () => {})
      .on('data', () => {
        if (habits.fearsStderr) events.lost('The server wrote to stderr.');
      });
    const lost = (why: string) => {
      if (this.server === server) events.lost(why);
    };
    server.stdout.once('close', () => lost('The server has closed its output.'));
    void server.exited.then(() => lost('The server process has exited.'));
  }

  private take(text: string): void {
    let json: Json;
    try {
      json = JSON.parse(text) as Json;
    } catch {
      this.options.deviations.unreadable(text);
      return;
    }
    if (!this.leaving) this.options.events.receive(json);
  }

  async send(json: Json): Promise<void> {
    await this.write(this.options.deviations.bytes(`${JSON.stringify(json)}\n`));
  }

  async write(bytes: string | Buffer): Promise<void> {
    const { stdin } = this.server!;
    if (stdin.writable) stdin.write(bytes);
  }

  agreed(): void {}

  ready(): void {}

  /** basic/lifecycle#stdio: closes the input, waits, SIGTERM, waits, SIGKILL. */
  async close(): Promise<void> {
    const { server } = this;
    if (!server || this.leaving) return;
    const { deviations, habits } = this.options;
    if (!(await deviations.leaves())) return this.abandon();
    if (habits.closesInput) server.stdin.end();
    for (const signal of habits.signals) {
      const gone = habits.graceMs > 0 && (await waitFor(server.exited, habits.graceMs));
      if (gone || this.leaving) break;
      server.kill(signal);
    }
    await waitFor(server.exited, habits.graceMs);
    this.abandon();
  }

  abandon(): void {
    this.leaving = true;
    for (const stream of [this.server?.stdin, this.server?.stdout, this.server?.stderr]) stream?.destroy();
  }
}
