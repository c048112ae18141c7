/** Newline-delimited frames, byte-exact: splits at LF only, never inside a character. */

import { isUtf8 } from 'node:buffer';

const LF = 0x0a;

export interface Line {
  readonly text: string;
  readonly invalidUtf8: boolean;
  /** Size in bytes. */
  readonly bytes: number;
}

const toLine = (bytes: Buffer): Line => {
  const text = bytes.toString('utf8');
  return { text, invalidUtf8: text.includes('\uFFFD') && !isUtf8(bytes), bytes: bytes.length };
};

/** Collects chunks and emits whole lines without their newline. */
export class LineSplitter {
  private parts: Buffer[] = [];
  private size = 0;

  constructor(private readonly onLine: (line: Line) => void) {}

  /** Bytes of the current, incomplete line. */
  get pending(): number {
    return this.size;
  }

  /** The bytes of the current, incomplete line, as text. */
  get pendingText(): string {
    return Buffer.concat(this.parts, this.size).toString('utf8');
  }

  push(chunk: Buffer): void {
    let from = 0;
    for (let at = chunk.indexOf(LF); at !== -1; at = chunk.indexOf(LF, from)) {
      this.keep(chunk.subarray(from, at));
      this.onLine(this.take());
      from = at + 1;
    }
    this.keep(chunk.subarray(from));
  }

  /** Takes the beginning of the incomplete line, and drops the rest. @param length in bytes */
  takeBeginning(length: number): Line {
    const bytes = this.size;
    const whole = Buffer.concat(this.parts, Math.min(length, bytes));
    this.parts = [];
    this.size = 0;
    return { ...toLine(whole), bytes };
  }

  /** Takes the bytes after the last newline. */
  take(): Line {
    const bytes = this.parts.length === 1 ? this.parts[0]! : Buffer.concat(this.parts, this.size);
    this.parts = [];
    this.size = 0;
    return toLine(bytes);
  }

  private keep(part: Buffer): void {
    if (part.length === 0) return;
    this.parts.push(part);
    this.size += part.length;
  }
}
