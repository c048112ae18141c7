/** stdio, harness as client: a process whose standard streams carry one message per line. */

import type { Message } from '../../record/message.js';
import type { Endpoint, ProcessSubject } from '../../subject/subject.js';
import { Clock, settles, waitFor } from '../../time/clock.js';
import type { DialOptions, Link, Outgoing, StdioControl } from '../link.js';
import { ExitPatience } from './exit-patience.js';
import { LineReader } from './line-reader.js';
import { LineWriter } from './line-writer.js';

/** Characters of stderr kept in the record; the rest is read and discarded. */
const keptOfStderr = 256 * 1024;

/** Connects to a started process of the subject. */
export const dialStdio = (options: DialOptions, subject: ProcessSubject, process: Endpoint): Link =>
  new StdioLink(subject, options, process);

class StdioLink implements Link {
  readonly transport = 'stdio';
  readonly clock: Clock;
  readonly stdio: StdioControl;
  private messageListeners: ((message: Message) => void)[] = [];
  private endListeners: (() => void)[] = [];
  private inputOpen = true;
  private readonly gone: Promise<void>;
  private readonly drained: Promise<void>;
  private closing: Promise<void> | undefined;
  private stderrSeen = 0;
  private readonly ownExits = new ExitPatience();
  private readonly intake: LineReader;
  private readonly outlet: LineWriter;

  constructor(
    subject: ProcessSubject,
    private readonly options: DialOptions,
    private readonly endpoint: Endpoint,
  ) {
    const { tap, revision, attempt } = options;
    this.clock = new Clock(endpoint);
    endpoint.onSwarm?.(limit => options.timing.budget?.end(limit));
    tap({
      kind: 'open',
      transport: 'stdio',
      revision,
      ...(subject.command && { argv: subject.command }),
      ...(endpoint.pid !== undefined && { pid: endpoint.pid }),
      ...(attempt !== undefined && { attempt }),
    });
    this.intake = new LineReader({
      by: 'server',
      tap,
      intake: options.intake,
      // an in-process subject may respond while the harness is still sending; listeners run after the send
      onMessages: messages => queueMicrotask(() => this.deliver(messages)),
      onOverflow: () => {
        endpoint.kill('SIGKILL');
        endpoint.stdout.destroy();
      },
    });
    this.outlet = new LineWriter('client', tap, bytes => {
      if (this.inputOpen) endpoint.stdin.write(bytes);
    });
    endpoint.stdin.on('error', () => {
      this.inputOpen = false; // the subject no longer reads; its exit or timeout gives the reason
      this.outlet.giveUp();
    });
    endpoint.stderr.on('error', () => {});
    endpoint.stderr.on('data', (chunk: Buffer) => this.keepStderr(chunk));
    this.drained = this.read();
    this.gone = endpoint.exited.then(async exit => {
      // a child process that inherited stdout may keep stdout open indefinitely
      await waitFor(this.drained, 250);
      endpoint.stdout.destroy();
      if (exit.problem) tap({ kind: 'stderr', text: exit.problem });
      tap({ kind: 'exit', code: exit.code, signal: exit.signal });
      this.end();
    });
    this.stdio = {
      write: (bytes, { deliberate = true } = {}) => {
        if (this.inputOpen) this.outlet.write(bytes, deliberate);
      },
      closeInput: () => this.closeInput(),
      exited: window => this.exitedWithin(window),
    };
  }

  private get exits(): ExitPatience {
    return this.options.exits?.() ?? this.ownExits;
  }

  get writable(): boolean {
    return this.inputOpen;
  }

  private read(): Promise<void> {
    const { stdout } = this.endpoint;
    stdout.on('data', (chunk: Buffer) => this.intake.push(chunk));
    return new Promise(resolve => {
      const done = () => {
        this.intake.end();
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

  private deliver(messages: readonly Message[]): void {
    for (const message of messages) for (const listener of this.messageListeners) listener(message);
  }

  private keepStderr(chunk: Buffer): void {
    if (this.stderrSeen > keptOfStderr) return;
    this.stderrSeen += chunk.length;
    this.options.tap({ kind: 'stderr', text: chunk.toString('utf8') });
  }

  send(out: Outgoing): Message[] {
    return this.outlet.send(out);
  }

  onMessage(listener: (message: Message) => void): void {
    this.messageListeners.push(listener);
  }

  onEnd(listener: () => void): void {
    this.endListeners.push(listener);
  }

  private end(): void {
    this.intake.stop();
    this.inputOpen = false;
    this.outlet.giveUp();
    for (const listener of this.endListeners) listener();
    this.endListeners = [];
  }

  private closeInput(): void {
    if (!this.inputOpen) return;
    this.inputOpen = false;
    this.outlet.end();
    this.endpoint.remember?.();
    this.options.tap({ kind: 'input-closed' });
    this.endpoint.stdin.end();
  }

  /** The wait of a scenario, in full: the exit is what the scenario is about. */
  private async exitedWithin(label: 'exit-after-eof' | 'exit-after-sigterm'): Promise<boolean> {
    const late = await this.clock.waitAtMost(this.gone, this.options.timing.exit);
    if (!late) return true;
    this.options.tap({ kind: 'deadline', label, ...late });
    this.exits.add(label, late);
    return false;
  }

  private async exitedAfter(label: 'exit-after-eof' | 'exit-after-sigterm'): Promise<boolean> {
    const end = await this.exits.wait(label, this.gone, this.clock, this.options.timing.exit);
    if (typeof end === 'object') this.options.tap({ kind: 'deadline', label, ...end });
    return end === 'exited';
  }

  /**
   * basic/lifecycle#stdio: close the input, wait, SIGTERM, wait, SIGKILL; then look for remaining child
   * processes.
   */
  close(): Promise<void> {
    this.closing ??= this.shutDown();
    return this.closing;
  }

  private async shutDown(): Promise<void> {
    const { endpoint, options } = this;
    this.closeInput();
    if (!(await this.exitedAfter('exit-after-eof'))) {
      options.tap({ kind: 'signal', signal: 'SIGTERM' });
      endpoint.kill('SIGTERM');
      if (!(await this.exitedAfter('exit-after-sigterm'))) {
        options.tap({ kind: 'signal', signal: 'SIGKILL' });
        endpoint.kill('SIGKILL');
      }
    }
    await this.gone;
    const left = await this.leftBehind();
    if (left.length > 0) options.tap({ kind: 'left-behind', pids: left });
    endpoint.kill('SIGKILL');
    endpoint.stderr.destroy();
  }

  /** Child processes that are about to exit get the same time as the subject. */
  private async leftBehind(): Promise<number[]> {
    const { endpoint, options, exits } = this;
    let left = endpoint.survivors();
    let patient = true;
    const emptied = async () => {
      while (left.length > 0 && patient) {
        await settles(new Promise(() => {}), 20);
        left = endpoint.survivors();
      }
    };
    const end = await exits.wait('left-behind', emptied(), this.clock, options.timing.exit);
    patient = false;
    if (typeof end === 'object' && end.starved)
      options.tap({ kind: 'deadline', label: 'exit-after-eof', ...end });
    return end === 'given up' ? [] : left;
  }
}
