/** Newline-delimited frames, byte-exact: splits at LF only, never inside a character. */

import { isUtf8 } from 'node:buffer';
import { ByteCollector } from './byte-collector.js';

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
  private readonly line = new ByteCollector();

  constructor(private readonly onLine: (line: Line) => void) {}

  /** Bytes of the current, incomplete line. */
  get pending(): number {
    return this.line.length;
  }

  /** The bytes of the current, incomplete line, as text. */
  get pendingText(): string {
    return this.line.peek().toString('utf8');
  }

  push(chunk: Buffer): void {
    let from = 0;
    for (let at = chunk.indexOf(LF); at !== -1; at = chunk.indexOf(LF, from)) {
      this.line.add(chunk.subarray(from, at));
      this.onLine(this.take());
      from = at + 1;
    }
    this.line.add(chunk.subarray(from));
  }

  /** Takes the beginning of the incomplete line, and drops the rest. @param length in bytes */
  takeBeginning(length: number): Line {
    const bytes = this.line.length;
    const beginning = toLine(this.line.peek(length));
    this.line.drop();
    return { ...beginning, bytes };
  }

  /** Takes the bytes after the last newline. */
  take(): Line {
    return toLine(this.line.take());
  }
}
