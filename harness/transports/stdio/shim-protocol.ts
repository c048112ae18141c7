/**
 * The parts that the server process and mcp-conform exchange over their socket (`shim.mjs` lists the
 * letters).
 */

/** Longest valid part of the server process, in bytes: the shim forwards bytes as a pipe delivers them. */
const longest = 2 ** 20;
/** Longest part of the harness, in bytes: larger data is split, so that the shim buffers little. */
const piece = 64 * 1024;

/** Bytes of any number as parts with one letter; without bytes, one empty part. */
export function parts(letter: string, bytes: Buffer | string = ''): Buffer {
  const body = Buffer.from(bytes);
  const pieces: Buffer[] = [];
  for (let from = 0; from === 0 || from < body.length; from += piece) {
    const head = Buffer.alloc(5, letter, 'latin1');
    const content = body.subarray(from, from + piece);
    head.writeUInt32BE(content.length, 1);
    pieces.push(head, content);
  }
  return Buffer.concat(pieces);
}

/** Extracts the parts of a byte stream; `push` returns false when the stream is not valid. */
export class PartReader {
  private rest: Buffer = Buffer.alloc(0);

  constructor(private readonly onPart: (letter: string, bytes: Buffer) => void) {}

  push(chunk: Buffer): boolean {
    this.rest = this.rest.length === 0 ? chunk : Buffer.concat([this.rest, chunk]);
    while (this.rest.length >= 5) {
      const end = 5 + this.rest.readUInt32BE(1);
      if (end - 5 > longest) return false;
      if (this.rest.length < end) break;
      const { rest } = this;
      this.rest = rest.subarray(end);
      this.onPart(String.fromCharCode(rest[0]!), rest.subarray(5, end));
    }
    return true;
  }
}
