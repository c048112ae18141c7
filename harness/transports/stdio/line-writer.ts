/** Output over stdio: frames with a newline, or raw bytes, recorded line by line. */

import type { Role } from '../../../spec/json-rpc.js';
import { type Line, LineSplitter } from '../../framing/lines.js';
import type { Message } from '../../record/message.js';
import type { Tap } from '../../record/tap.js';
import type { Outgoing } from '../link.js';
import { limits } from './line-reader.js';

export class LineWriter {
  private readonly splitter = new LineSplitter(line => this.record(line));
  private deliberate = false;
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
    this.put(buffer);
    if (this.splitter.pending === 0) for (const held of this.held.splice(0)) this.send(held);
  }

  /** Releases the waiting frames: the other side no longer reads, so an unfinished line never ends. */
  giveUp(): void {
    if (this.splitter.pending > 0) this.splitter.take();
    for (const held of this.held.splice(0)) this.send(held);
  }

  private record(line: Line): void {
    this.tap({
      kind: 'frame',
      by: this.by,
      text: line.text.length > limits.line ? line.text.slice(0, limits.kept) : line.text,
      ...(line.invalidUtf8 && { invalidUtf8: true }),
      ...(this.deliberate && { deliberate: true }),
    });
  }
}
