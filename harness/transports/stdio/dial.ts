/** stdio, our end as the client: a process whose standard streams carry one message per line. */

import { type Line, LineSplitter } from '../../framing/lines.js';
import type { Message } from '../../history.js';
import type { DialOptions, Link, Outgoing, StdioControl } from '../../link.js';
import type { Endpoint, ProcessSubject } from '../../subject.js';
import { waitFor } from '../../wait.js';

/** No conversation of ours needs more; beyond it reading stops and the subject is ended. */
const limits = {
  /** Bytes of one line. */
  line: 64 * 2 ** 20,
  /** Bytes in all. */
  bytes: 512 * 2 ** 20,
  /** Lines in all. */
  frames: 200_000,
  /** Lines that are not messages. */
  garbage: 2_000,
  /** Of a line that is not JSON only so many characters are kept. */
  kept: 4_096,
  /** Characters of stderr kept in the record; the rest is read and dropped. */
  stderr: 256 * 1024,
};

/** Starts the subject, or takes one that is already started, and connects to it. */
export function dialStdio(subject: ProcessSubject, options: DialOptions, endpoint = subject.start()): Link {
  return new StdioLink(subject, options, endpoint);
}

class StdioLink implements Link {
  readonly transport = 'stdio';
  readonly stdio: StdioControl;
  private messageListeners: ((message: Message) => void)[] = [];
  private endListeners: (() => void)[] = [];
  private inputOpen = true;
  private over = false;
  private readonly gone: Promise<void>;
  private readonly drained: Promise<void>;
  private closing: Promise<void> | undefined;
  private received = { bytes: 0, frames: 0, garbage: 0, stderr: 0 };
  private readonly outgoing = new LineSplitter(line => this.recordOut(line));
  private outgoingDeliberate = false;
  /** What became due in the middle of a line that is written in pieces: answers of ours. */
  private readonly held: Outgoing[] = [];

  constructor(
    subject: ProcessSubject,
    private readonly options: DialOptions,
    private readonly endpoint: Endpoint,
  ) {
    const { tap, revision, attempt } = options;
    tap({
      kind: 'open',
      transport: 'stdio',
      revision,
      ...(subject.command && { argv: subject.command }),
      ...(endpoint.pid !== undefined && { pid: endpoint.pid }),
      ...(attempt !== undefined && { attempt }),
    });
    endpoint.stdin.on('error', () => {
      this.inputOpen = false; // the subject no longer reads; its exit or silence tells the rest
    });
    endpoint.stderr.on('error', () => {});
    endpoint.stderr.on('data', (chunk: Buffer) => this.keepStderr(chunk));
    this.drained = this.read();
    this.gone = endpoint.exited.then(async exit => {
      // a child that inherited stdout may keep it open for ever
      await waitFor(this.drained, 250);
      endpoint.stdout.destroy();
      if (exit.problem) tap({ kind: 'stderr', text: exit.problem });
      tap({ kind: 'exit', code: exit.code, signal: exit.signal });
      this.end();
    });
    this.stdio = {
      write: (bytes, { deliberate = true } = {}) => {
        if (!this.inputOpen) return;
        const buffer = typeof bytes === 'string' ? Buffer.from(bytes) : bytes;
        this.outgoingDeliberate = deliberate;
        this.outgoing.push(buffer);
        endpoint.stdin.write(buffer);
        if (this.outgoing.pending === 0) for (const held of this.held.splice(0)) this.send(held);
      },
      closeInput: () => this.closeInput(),
      exited: window => this.exitedWithin(window),
    };
  }

  get writable(): boolean {
    return this.inputOpen;
  }

  private read(): Promise<void> {
    const { stdout } = this.endpoint;
    const splitter = new LineSplitter(line => this.receive(line));
    stdout.on('data', (chunk: Buffer) => {
      if (this.over) return;
      this.received.bytes += chunk.length;
      splitter.push(chunk);
      if (splitter.pending > limits.line) {
        this.receive(splitter.take(), { unterminated: true });
        this.overflow('line', limits.line);
      } else if (this.received.bytes > limits.bytes) this.overflow('bytes', this.received.bytes);
    });
    return new Promise(resolve => {
      const done = () => {
        if (splitter.pending > 0) this.receive(splitter.take(), { unterminated: true });
        resolve();
      };
      stdout.once('end', () => {
        done();
        this.options.tap({ kind: 'output-closed' });
      });
      stdout.once('error', done);
      stdout.once('close', done);
    });
  }

  private receive(line: Line, extra: { unterminated?: true } = {}): void {
    if (this.over) return;
    const long = line.text.length > limits.kept && !looksLikeMessage(line.text);
    const messages = this.options.tap({
      kind: 'frame',
      by: 'server',
      text: long ? line.text.slice(0, limits.kept) : line.text,
      ...(line.invalidUtf8 && { invalidUtf8: true }),
      ...(long && { cutFrom: line.bytes }),
      ...extra,
    });
    this.received.frames++;
    if (messages.length === 0) this.received.garbage++;
    // an in-process subject answers while our end is still sending; nobody hears of it before that is done
    if (messages.length > 0) queueMicrotask(() => this.deliver(messages));
    if (this.received.frames > limits.frames) this.overflow('frames', this.received.frames);
    else if (this.received.garbage > limits.garbage) this.overflow('frames', this.received.garbage);
  }

  private deliver(messages: readonly Message[]): void {
    for (const message of messages) for (const listener of this.messageListeners) listener(message);
  }

  private overflow(what: 'line' | 'bytes' | 'frames', amount: number): void {
    this.over = true;
    this.options.tap({ kind: 'overflow', what, amount });
    this.endpoint.kill('SIGKILL');
    this.endpoint.stdout.destroy();
  }

  private keepStderr(chunk: Buffer): void {
    if (this.received.stderr > limits.stderr) return;
    this.received.stderr += chunk.length;
    this.options.tap({ kind: 'stderr', text: chunk.toString('utf8') });
  }

  private recordOut(line: Line): void {
    this.options.tap({
      kind: 'frame',
      by: 'client',
      text: line.text.length > limits.line ? line.text.slice(0, limits.kept) : line.text,
      ...(line.invalidUtf8 && { invalidUtf8: true }),
      ...(this.outgoingDeliberate && { deliberate: true }),
    });
  }

  send(out: Outgoing): Message[] {
    if (this.outgoing.pending > 0 && !out.deliberate) {
      this.held.push(out);
      return [];
    }
    const messages = this.options.tap({
      kind: 'frame',
      by: 'client',
      text: out.text,
      ...(out.deliberate && { deliberate: true }),
    });
    if (this.inputOpen) this.endpoint.stdin.write(`${out.text}\n`);
    return messages;
  }

  onMessage(listener: (message: Message) => void): void {
    this.messageListeners.push(listener);
  }

  onEnd(listener: () => void): void {
    this.endListeners.push(listener);
  }

  private end(): void {
    this.over = true;
    this.inputOpen = false;
    for (const listener of this.endListeners) listener();
    this.endListeners = [];
  }

  private closeInput(): void {
    if (!this.inputOpen) return;
    this.inputOpen = false;
    this.options.tap({ kind: 'input-closed' });
    this.endpoint.stdin.end();
  }

  private async exitedWithin(label: 'exit-after-eof' | 'exit-after-sigterm'): Promise<boolean> {
    const ms = this.options.timing.exit;
    if (await waitFor(this.gone, ms)) return true;
    this.options.tap({ kind: 'deadline', label, ms });
    return false;
  }

  /** basic/lifecycle#stdio: close the input, wait, SIGTERM, wait, SIGKILL; then look for what stayed behind. */
  close(): Promise<void> {
    this.closing ??= this.shutDown();
    return this.closing;
  }

  private async shutDown(): Promise<void> {
    const { endpoint, options } = this;
    this.closeInput();
    if (!(await this.exitedWithin('exit-after-eof'))) {
      options.tap({ kind: 'signal', signal: 'SIGTERM' });
      endpoint.kill('SIGTERM');
      if (!(await this.exitedWithin('exit-after-sigterm'))) {
        options.tap({ kind: 'signal', signal: 'SIGKILL' });
        endpoint.kill('SIGKILL');
      }
    }
    await this.gone;
    // what is just ending gets the same grace as the subject itself
    const until = performance.now() + options.timing.exit;
    let left = endpoint.survivors();
    while (left.length > 0 && performance.now() < until) {
      await waitFor(new Promise(() => {}), 20);
      left = endpoint.survivors();
    }
    if (left.length > 0) options.tap({ kind: 'left-behind', pids: left });
    endpoint.kill('SIGKILL');
    endpoint.stderr.destroy();
  }
}

const looksLikeMessage = (text: string): boolean => {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
};
