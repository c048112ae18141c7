/** Input over stdio: lines, recorded as frames, up to limits. */

import { isJson, type Role } from '../../../spec/json-rpc.js';
import { type Line, LineSplitter } from '../../framing/lines.js';
import type { Message } from '../../record/message.js';
import type { Tap } from '../../record/tap.js';

/** Limits that no conversation of the harness needs to exceed; reading stops at the limit. */
export const limits = {
  /** Bytes of one line. */
  line: 64 * 2 ** 20,
  /** Total bytes. */
  bytes: 512 * 2 ** 20,
  /** Total lines. */
  frames: 200_000,
  /** Lines that are not messages. */
  garbage: 2_000,
  /** Characters kept of a line that is not JSON. */
  kept: 4_096,
};

interface IntakeOptions {
  /** The side that writes this input. */
  readonly by: Role;
  readonly tap: Tap;
  readonly onMessages: (messages: readonly Message[]) => void;
  /** Called when a limit is exceeded; further input is ignored. */
  readonly onOverflow: () => void;
}

export class LineReader {
  private over = false;
  private readonly received = { bytes: 0, frames: 0, garbage: 0 };
  private readonly splitter = new LineSplitter(line => this.receive(line));

  constructor(private readonly options: IntakeOptions) {}

  push(chunk: Buffer): void {
    if (this.over) return;
    this.received.bytes += chunk.length;
    this.splitter.push(chunk);
    if (this.splitter.pending > limits.line) {
      this.receive(this.splitter.take(), { unterminated: true });
      this.overflow('line', limits.line);
    } else if (this.received.bytes > limits.bytes) this.overflow('bytes', this.received.bytes);
  }

  /** Ends the input. */
  end(): void {
    if (this.splitter.pending > 0) this.receive(this.splitter.take(), { unterminated: true });
  }

  /** Ignores all further input. */
  stop(): void {
    this.over = true;
  }

  private receive(line: Line, extra: { unterminated?: true } = {}): void {
    if (this.over) return;
    const long = line.text.length > limits.kept && !isJson(line.text);
    const messages = this.options.tap({
      kind: 'frame',
      by: this.options.by,
      text: long ? line.text.slice(0, limits.kept) : line.text,
      ...(line.invalidUtf8 && { invalidUtf8: true }),
      ...(long && { cutFrom: line.bytes }),
      ...extra,
    });
    this.received.frames++;
    if (messages.length === 0) this.received.garbage++;
    else this.options.onMessages(messages);
    if (this.received.frames > limits.frames) this.overflow('frames', this.received.frames);
    else if (this.received.garbage > limits.garbage) this.overflow('frames', this.received.garbage);
  }

  private overflow(what: 'line' | 'bytes' | 'frames', amount: number): void {
    if (this.over) return;
    this.over = true;
    this.options.tap({ kind: 'overflow', what, amount });
    this.options.onOverflow();
  }
}
