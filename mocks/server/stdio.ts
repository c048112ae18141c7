/** Runs a session over standard streams: one message per line. */

import { LineSplitter } from '../../harness/framing/lines.js';
import type { Streams } from '../../harness/subject/subject.js';
import type { Json } from '../../spec/json-rpc.js';
import type { Channel } from './interfaces.js';
import { Session, type SessionOptions } from './session.js';

/** Milliseconds that open requests may still take after the input has ended. */
const graceMs = 50;

/**
 * Serves until the input ends or the process receives SIGTERM.
 * @returns the exit code
 */
export function serveStdio(streams: Streams, options: SessionOptions): Promise<number> {
  return new Promise(resolve => new StdioHost(streams, options, resolve).start());
}

class StdioHost implements Channel {
  private readonly session: Session;
  private readonly splitter = new LineSplitter(line => this.take(line.text));
  private over = false;
  private keepAlive: NodeJS.Timeout | undefined;

  constructor(
    private readonly streams: Streams,
    options: SessionOptions,
    private readonly resolve: (code: number) => void,
  ) {
    this.session = new Session(this, options);
  }

  start(): void {
    const { stdin, stdout, signal } = this.streams;
    // the client may disconnect first: then output is discarded
    stdout.on('error', () => {});
    stdin.on('error', () => {});
    stdout.once('finish', () => this.exit(0));
    this.session.deviations.start();
    // in one process the streams call back inside the client's write; a separate process cannot respond there
    const later = process.nextTick;
    stdin.on('data', (chunk: Buffer) => later(() => this.read(chunk)));
    stdin.once('end', () => later(() => void this.endInput()));
    const stop = () => this.toldToEnd();
    if (signal.aborted) stop();
    else signal.addEventListener('abort', stop, { once: true });
  }

  private read(chunk: Buffer): void {
    if (this.over) return;
    const seen = this.session.deviations.chunk(chunk);
    if (!this.over) this.splitter.push(seen);
  }

  private take(line: string): void {
    if (this.over) return;
    const text = this.session.deviations.line(line);
    // a blank line is not a message and not an error
    if (text === undefined || text.trim() === '') return;
    let json: Json;
    try {
      json = JSON.parse(text) as Json;
    } catch {
      this.session.unreadable();
      return;
    }
    this.session.receive(json);
  }

  private async endInput(): Promise<void> {
    if (this.splitter.pending > 0) this.take(this.splitter.take().text);
    if (this.session.deviations.stays('inputEnd')) return this.stay();
    // no more responses can arrive
    this.session.outgoing.close();
    this.session.stateless?.subscriptions.endAll();
    let timer: NodeJS.Timeout | undefined;
    const grace = new Promise<void>(resolve => {
      timer = setTimeout(resolve, graceMs);
    });
    await Promise.race([this.session.idle(), grace]);
    clearTimeout(timer);
    this.exit(0);
  }

  private toldToEnd(): void {
    if (this.streams.signal.reason !== 'SIGKILL' && this.session.deviations.stays('signal')) this.stay();
    else this.exit(0);
  }

  /** A timer keeps the process running, because nothing else may. */
  private stay(): void {
    if (!this.over) this.keepAlive ??= setInterval(() => {}, 1_000);
  }

  send(json: Json): void {
    this.write(this.session.deviations.bytes(`${JSON.stringify(json)}\n`));
  }

  write(bytes: string | Buffer): void {
    if (!this.over && !this.streams.stdout.writableEnded) this.streams.stdout.write(bytes);
  }

  warn(text: string): void {
    if (!this.over && !this.streams.stderr.writableEnded) this.streams.stderr.write(text);
  }

  exit(code: number): void {
    if (this.over) return;
    this.over = true;
    clearInterval(this.keepAlive);
    this.session.close();
    this.resolve(code);
  }
}
