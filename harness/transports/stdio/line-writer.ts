/** Output over stdio: frames with a newline, or raw bytes, recorded line by line. */

import { isJson, type Role } from '../../../spec/json-rpc.js';
import { type Line, LineSplitter } from '../../framing/lines.js';
import type { Message } from '../../record/message.js';
import type { Tap } from '../../record/tap.js';
import type { Outgoing } from '../link.js';

const LF = 10;

export class LineWriter {
  private readonly splitter = new LineSplitter(line => this.record(line));
  private brackets = new Brackets();
  private deliberate = false;
  /** The text of the unfinished line, if it was recorded because it is a whole JSON value. */
  private recorded: string | undefined;
  /** Frames of the harness that wait for the end of a line written in pieces. */
  private readonly held: Outgoing[] = [];

  /** @param put sends bytes to the other side, while the output is open */
  constructor(
    private readonly by: Role,
    private readonly tap: Tap,
    private readonly put: (bytes: Buffer | string) => void,
  ) {}

  /** Sends a frame, after the end of a line that is being written in pieces. */
  send(out: Outgoing): Message[] {
    if (this.splitter.pending > 0 && !out.deliberate) {
      this.held.push(out);
      return [];
    }
    const messages = this.tap({
      kind: 'frame',
      by: this.by,
      text: out.text,
      ...(out.deliberate && { deliberate: true }),
    });
    this.put(`${out.text}\n`);
    return messages;
  }

  write(bytes: string | Buffer, deliberate: boolean): void {
    const buffer = typeof bytes === 'string' ? Buffer.from(bytes) : bytes;
    this.deliberate = deliberate;
    this.splitter.push(buffer);
    if (this.isWhole(buffer)) this.recordEarly();
    this.put(buffer);
    if (this.splitter.pending === 0) for (const held of this.held.splice(0)) this.send(held);
  }

  /** Records an unfinished line: the other side reads it as the last one when the output ends. */
  end(): void {
    const text = this.splitter.pendingText;
    if (text.trim() === '' || this.recorded?.trimEnd() === text.trimEnd()) return;
    this.deliberate = true;
    this.recordText(text, false);
    this.recorded = text;
  }

  /** Releases the waiting frames: the other side no longer reads, so an unfinished line never ends. */
  giveUp(): void {
    if (this.splitter.pending > 0) this.splitter.take();
    for (const held of this.held.splice(0)) this.send(held);
  }

  /**
   * A reader may respond as soon as it has a whole JSON value, before the newline: such a line is recorded before its
   * last byte is sent.
   */
  private recordEarly(): void {
    const text = this.splitter.pendingText;
    if (!isJson(text)) return;
    this.recordText(text, false);
    this.recorded = text;
  }

  /** True once in a line: when the last bracket of its first value closes. Each byte is looked at once. */
  private isWhole(piece: Buffer): boolean {
    const end = piece.lastIndexOf(LF);
    if (end !== -1) this.brackets = new Brackets();
    return this.brackets.close(piece.subarray(end + 1));
  }

  private record(line: Line): void {
    const early = this.recorded;
    this.recorded = undefined;
    // only white space has followed
    if (early !== undefined && line.text.trimEnd() === early.trimEnd()) return;
    this.recordText(line.text, line.invalidUtf8);
  }

  private recordText(text: string, invalidUtf8: boolean): void {
    this.tap({
      kind: 'frame',
      by: this.by,
      text,
      ...(invalidUtf8 && { invalidUtf8: true }),
      ...(this.deliberate && { deliberate: true }),
    });
  }
}

const [quote, backslash, openers, closers] = [0x22, 0x5c, [0x5b, 0x7b], [0x5d, 0x7d]];

/** The brackets of one line of JSON. */
class Brackets {
  private depth = 0;
  private isText = false;
  private isEscaped = false;
  private isOver = false;

  /** @returns whether the first value of the line ends in these bytes */
  close(bytes: Buffer): boolean {
    if (this.isOver) return false;
    for (const byte of bytes) this.read(byte);
    return this.isOver;
  }

  private read(byte: number): void {
    if (this.isEscaped) this.isEscaped = false;
    else if (this.isText && byte === backslash) this.isEscaped = true;
    else if (byte === quote) this.isText = !this.isText;
    else if (this.isText) return;
    else if (openers.includes(byte)) this.depth++;
    else if (closers.includes(byte) && --this.depth === 0) this.isOver = true;
  }
}
