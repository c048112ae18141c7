/** The chunks of a streamed response, read one at a time. */

import type { PlainStream } from '../../subject/plain-http.js';

interface Reader {
  resolve(chunk: Uint8Array | undefined): void;
  reject(error: Error): void;
}

/** As a `ReadableStream` reads them: each read ends in a later microtask, and a reset drops what was not read. */
export class Chunks {
  private readonly unread: Uint8Array[] = [];
  private waiting: Reader | undefined;
  private over = false;
  private failure: Error | undefined;
  private readonly stop: () => void;

  /** @param broken the error of a reader when the connection breaks */
  constructor(
    stream: PlainStream,
    private readonly broken = () => new Error('The connection is reset.'),
  ) {
    this.stop = stream.start({
      write: chunk => this.write(chunk),
      close: () => this.close(),
      reset: () => this.reset(),
    });
    if (this.over) this.stop();
  }

  /** The next chunk; undefined at the end. */
  read(): Promise<Uint8Array | undefined> {
    if (this.failure) return Promise.reject(this.failure);
    if (this.unread.length > 0 || this.over) return Promise.resolve(this.unread.shift());
    return new Promise((resolve, reject) => {
      this.waiting = { resolve, reject };
    });
  }

  /** The reader has read enough. */
  cancel(): void {
    if (this.failure || (this.over && this.unread.length === 0)) return;
    this.unread.length = 0;
    this.over = true;
    this.stop();
    this.take()?.resolve(undefined);
  }

  private take(): Reader | undefined {
    const reader = this.waiting;
    this.waiting = undefined;
    return reader;
  }

  private write(chunk: Uint8Array): void {
    if (this.over) return;
    const reader = this.take();
    if (reader) reader.resolve(chunk);
    else this.unread.push(chunk);
  }

  private close(): void {
    if (this.over) return;
    this.over = true;
    this.take()?.resolve(undefined);
  }

  private reset(): void {
    if (this.over) return;
    this.over = true;
    this.failure = this.broken();
    this.unread.length = 0;
    this.take()?.reject(this.failure);
  }
}
