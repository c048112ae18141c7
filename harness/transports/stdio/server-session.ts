/** One server process of the harness, started by a client. */

import type { Conversation } from '../../record/conversation.js';
import type { Message } from '../../record/message.js';
import type { Tap } from '../../record/tap.js';
import { isStopped } from '../../subject/descendants.js';
import { type Clock, ownClock, waitFor } from '../../time/clock.js';
import type { Timing } from '../../time/timing.js';
import type { Intake } from '../intake.js';
import type { Ignorable, Link, Outgoing, StdioListenOptions, StdioServerControl } from '../link.js';
import { MessageBuffer } from '../message-buffer.js';
import { LineReader } from './line-reader.js';
import { LineWriter } from './line-writer.js';
import { parts } from './shim-protocol.js';

/** The connection to the process: a socket. */
export interface Pipe {
  readonly destroyed: boolean;
  write(bytes: Buffer): void;
  destroy(): void;
}

export class StdioServerSession implements Link {
  readonly transport = 'stdio';
  readonly stdioServer: StdioServerControl;
  readonly conversation: Conversation;
  private readonly tap: Tap;
  private readonly inbox = new MessageBuffer();
  private readonly intake: LineReader;
  private readonly outlet: LineWriter;
  private readonly ignored: Set<Ignorable>;
  private outputOpen = true;
  private inputOpen = true;
  private closing: Promise<void> | undefined;
  /** Exit code sent to the process. */
  private code: number | undefined;
  private onGone = () => {};

  constructor(
    private readonly socket: Pipe,
    pid: number,
    argv: readonly string[],
    private readonly timing: Timing,
    { tap, conversation }: { tap: Tap; conversation: Conversation },
    { ignores = [] }: StdioListenOptions = {},
    readonly clock: Clock = ownClock,
    intake?: Intake,
  ) {
    this.tap = tap;
    this.conversation = conversation;
    this.ignored = new Set(ignores);
    tap({ kind: 'open', transport: 'stdio', revision: conversation.revision.id, argv, pid });
    this.intake = new LineReader({
      by: 'client',
      tap,
      intake,
      onMessages: messages => this.inbox.deliver(messages),
      onOverflow: () => this.exit(1),
    });
    this.outlet = new LineWriter('server', tap, bytes => {
      if (this.writable) this.put('o', bytes);
    });
    this.stdioServer = {
      pid,
      write: (bytes, { deliberate = true } = {}) => {
        if (this.writable) this.outlet.write(bytes, deliberate);
      },
      writeError: text => {
        tap({ kind: 'stderr', text });
        this.put('r', text);
      },
      closeOutput: () => this.closeOutput(),
      ignore: (...what) => {
        for (const one of what) this.ignored.add(one);
      },
      exit: code => this.exit(code),
      exited: new Promise(resolve => {
        this.onGone = resolve;
      }),
    };
  }

  get writable(): boolean {
    return this.outputOpen && this.code === undefined;
  }

  /** Handles a part from the process. */
  take(letter: string, bytes: Buffer): void {
    if (letter === 'i') this.intake.push(bytes);
    else if (letter === 'e') this.inputEnds();
    else if (letter === 's') this.signalled(bytes.toString());
    else if (letter === 'o') this.outputOpen = false;
  }

  private inputEnds(): void {
    if (!this.inputOpen) return;
    this.inputOpen = false;
    this.intake.end();
    this.tap({ kind: 'input-closed' });
    if (!this.ignored.has('eof')) this.exitSoon();
  }

  private signalled(told: string): void {
    const [signal = '', within] = told.split(' ');
    this.tap({ kind: 'signal', signal, ...(within !== undefined && { within: Number(within) }) });
    if (!this.ignored.has(signal as Ignorable)) this.exitSoon();
  }

  /** Exits after responses to the input already received. */
  private exitSoon(): void {
    setImmediate(() => setImmediate(() => this.exit(0)));
  }

  private exit(code: number): void {
    if (this.code !== undefined) return;
    this.code = code;
    this.intake.stop();
    this.put('x', Buffer.of(code));
  }

  private closeOutput(): void {
    if (!this.outputOpen) return;
    this.outputOpen = false;
    this.tap({ kind: 'output-closed' });
    this.put('c');
  }

  private put(letter: string, bytes?: Buffer | string): void {
    if (!this.socket.destroyed) this.socket.write(parts(letter, bytes));
  }

  /** The process has exited; an exit that the harness did not request was a kill. */
  gone(): void {
    if (this.inputOpen) this.intake.end();
    this.outputOpen = false;
    this.tap({ kind: 'exit', code: this.code ?? null, signal: this.code === undefined ? 'SIGKILL' : null });
    this.inbox.end();
    this.onGone();
  }

  send(out: Outgoing): Message[] {
    return this.outlet.send(out);
  }

  onMessage(listener: (message: Message) => void): void {
    this.inbox.onMessage(listener);
  }

  onEnd(listener: () => void): void {
    this.inbox.onEnd(listener);
  }

  close(): Promise<void> {
    this.closing ??= this.shutDown();
    return this.closing;
  }

  private async shutDown(): Promise<void> {
    const { exited } = this.stdioServer;
    if (this.socket.destroyed) return exited;
    // a process with an exit code already sent is only slow
    if (this.code === undefined) this.tap({ kind: 'closing' });
    this.exit(0);
    // a stopped process cannot exit; with the socket closed, it exits when it is resumed
    if (isStopped(this.stdioServer.pid) || !(await waitFor(exited, this.timing.exit, this.clock)))
      this.socket.destroy();
    await exited;
  }
}
