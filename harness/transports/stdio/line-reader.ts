/** Input over stdio: lines, recorded as frames, up to limits. */

import { deepestJson, isJson, type Role } from '../../../spec/json-rpc.js';
import { type Line, LineSplitter } from '../../framing/lines.js';
import type { Overflow } from '../../record/event.js';
import type { Message } from '../../record/message.js';
import type { Tap } from '../../record/tap.js';
import { beginning, type Excess, Intake, intakeLimits } from '../intake.js';

/** Limits that no conversation of the harness needs to exceed; reading stops at the limit. */
const limits = {
  /** Total lines. */
  frames: 200_000,
  /** Lines that are not messages. */
  garbage: 2_000,
  /** Characters kept of a line that is not JSON. */
  kept: 4_096,
};

interface LineReaderOptions {
  /** The side that writes this input. */
  readonly by: Role;
  readonly tap: Tap;
  readonly onMessages: (messages: readonly Message[]) => void;
  /** Called when a limit is exceeded; further input is ignored. */
  readonly onOverflow: () => void;
  /** Counts the input of the run; default: of this reader alone. */
  readonly intake?: Intake | undefined;
}

export class LineReader {
  private over = false;
  private readonly received = { frames: 0, garbage: 0 };
  private readonly intake: Intake;
  private readonly splitter = new LineSplitter(line => this.receive(line));

  constructor(private readonly options: LineReaderOptions) {
    this.intake = options.intake ?? new Intake();
  }

  push(chunk: Buffer): void {
    if (this.over) return;
    const { intake, splitter } = this;
    const before = splitter.pending;
    splitter.push(chunk);
    intake.hold(splitter.pending - before);
    if (splitter.pending > intake.messageBytes) this.giveUp('line', intake.messageBytes);
    else if (intake.isFull) this.giveUp('bytes', intake.totalBytes);
  }

  /** Keeps the beginning of the incomplete line, and ends the input. */
  private giveUp(what: 'line' | 'bytes', limit: number): void {
    this.intake.hold(-this.splitter.pending);
    if (this.splitter.pending > 0)
      this.record(this.splitter.takeBeginning(limits.kept), { isCut: true, unterminated: true });
    this.overflow(what, limit);
  }

  /** Whether the incomplete line is a whole message, which only lacks its newline. */
  get endsWithMessage(): boolean {
    const { pending, pendingText } = this.splitter;
    return !this.over && pending > 0 && /[}\]]\s*$/.test(pendingText) && isJson(pendingText);
  }

  /** Ends the input. */
  end(): void {
    const { pending } = this.splitter;
    this.intake.hold(-pending);
    if (pending > 0) this.receive(this.splitter.take(), true);
  }

  /** Ignores all further input. */
  stop(): void {
    this.over = true;
  }

  private receive(line: Line, unterminated = false): void {
    if (this.over) return;
    const { text, bytes } = line;
    const excess: Excess | 'line' | undefined =
      bytes > this.intake.messageBytes ? 'line' : this.intake.keep(text);
    const isCut = excess !== undefined || (text.length > limits.kept && !isJson(text));
    // the beginning of a deep value is no JSON, so that no code visits the value
    const shown = excess === 'depth' ? { ...line, text: beginning(text, deepestJson) } : line;
    const messages = this.record(shown, { isCut, unterminated });
    if (excess) {
      this.overflow(excess, this.limitOf(excess));
      return;
    }
    this.received.frames++;
    if (messages.length === 0) this.received.garbage++;
    else this.options.onMessages(messages);
    if (this.received.frames > limits.frames) this.overflow('frames', this.received.frames);
    else if (this.received.garbage > limits.garbage) this.overflow('frames', this.received.garbage);
  }

  private record(
    { text, bytes, invalidUtf8 }: Line,
    { isCut, unterminated }: { isCut: boolean; unterminated: boolean },
  ): Message[] {
    return this.options.tap({
      kind: 'frame',
      by: this.options.by,
      text: isCut ? beginning(text, limits.kept) : text,
      ...(invalidUtf8 && { invalidUtf8: true }),
      ...(isCut && { cutFrom: bytes }),
      ...(unterminated && { unterminated: true }),
    });
  }

  private limitOf(what: Excess | 'line'): number {
    return what === 'line' ? this.intake.messageBytes : intakeLimits[what];
  }

  private overflow(what: Overflow['what'], amount: number): void {
    if (this.over) return;
    this.over = true;
    this.options.tap({ kind: 'overflow', what, amount });
    this.options.onOverflow();
  }
}
