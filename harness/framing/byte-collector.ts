/** Bytes that arrive in chunks, collected into one piece. */

const none = Buffer.alloc(0);
/** Smallest size (bytes) of the buffer that chunks are copied to. */
const smallest = 1024;

/**
 * Collects chunks of any size. A single chunk is used as it is; from the second one on, chunks are copied into one
 * buffer. A list of chunks would need about a hundred bytes more for each of them, and keep the read buffer of each in
 * memory: a peer that sends a megabyte in chunks of three bytes would take many times its size.
 */
export class ByteCollector {
  private bytes: Buffer = none;
  private size = 0;
  private isOwn = false;

  /** Bytes collected so far. */
  get length(): number {
    return this.size;
  }

  add(chunk: Buffer): void {
    if (chunk.length === 0) return;
    const size = this.size + chunk.length;
    if (this.size === 0) {
      this.bytes = chunk;
      this.isOwn = false;
    } else {
      if (!this.isOwn || size > this.bytes.length) this.grow(Math.max(smallest, size * 2));
      chunk.copy(this.bytes, this.size);
    }
    this.size = size;
  }

  private grow(length: number): void {
    const grown = Buffer.allocUnsafe(length);
    this.bytes.copy(grown, 0, 0, this.size);
    this.bytes = grown;
    this.isOwn = true;
  }

  /** The bytes so far, or their beginning; later chunks do not change them. @param most in bytes */
  peek(most = this.size): Buffer {
    return this.bytes.subarray(0, Math.min(most, this.size));
  }

  /** Returns the bytes so far, and drops them. */
  take(): Buffer {
    const taken = this.peek();
    this.drop();
    return taken;
  }

  drop(): void {
    this.bytes = none;
    this.size = 0;
    this.isOwn = false;
  }
}
