/**
 * Event streams (text/event-stream of the HTML standard): a byte-exact reader of every valid form, and a
 * writer.
 */

import { isUtf8 } from 'node:buffer';

const LF = 0x0a;
const CR = 0x0d;

export interface SseFields {
  readonly comments?: readonly string[];
  readonly event?: string;
  readonly id?: string;
  readonly retry?: string;
  readonly data?: string;
}

/** One block, with its original text. */
export interface SseRead extends SseFields {
  /** All text since the previous block, with all line ends. */
  readonly raw: string;
  readonly invalidUtf8: boolean;
  /** The stream ended before the empty line: an event reader ignores this block. */
  readonly unfinished: boolean;
}

/**
 * Reads bytes in any chunks and emits blocks, including blocks without data. Line ends are searched in the
 * bytes, where they cannot be part of a character, so that a chunk may end anywhere.
 */
export class SseReader {
  private parts: Buffer[] = [];
  private size = 0;
  private lines: string[] = [];
  private line: Buffer[] = [];
  private afterCr = false;
  private atStart = true;

  constructor(private readonly onBlock: (block: SseRead) => void) {}

  /** Bytes of the current, incomplete block. */
  get pending(): number {
    return this.size;
  }

  push(chunk: Buffer): void {
    let from = 0;
    const ends = new LineEnds(chunk);
    if (this.afterCr && chunk[0] === LF) {
      // LF of a CRLF whose CR ended the previous chunk
      this.keep(chunk.subarray(0, 1));
      from = 1;
    }
    if (chunk.length > 0) this.afterCr = false;
    for (let at = ends.next(from); at !== -1; at = ends.next(from)) {
      const crlf = chunk[at] === CR && chunk[at + 1] === LF;
      this.line.push(chunk.subarray(from, at));
      const next = at + (crlf ? 2 : 1);
      this.keep(chunk.subarray(from, next));
      this.afterCr = chunk[at] === CR && next === chunk.length && !crlf;
      from = next;
      this.endLine();
    }
    if (from < chunk.length) {
      this.line.push(chunk.subarray(from));
      this.keep(chunk.subarray(from));
    }
  }

  /** Ends the stream. */
  end(): void {
    const rest = this.line.length > 0 ? this.takeLine() : '';
    if (rest !== '') this.lines.push(rest);
    if (this.size > 0 && this.lines.length > 0) this.hand(true);
  }

  private keep(part: Buffer): void {
    this.parts.push(part);
    this.size += part.length;
  }

  private takeLine(): string {
    const text = (this.line.length === 1 ? this.line[0]! : Buffer.concat(this.line)).toString('utf8');
    this.line = [];
    const bom = this.atStart && text.startsWith('\uFEFF');
    this.atStart = false;
    return bom ? text.slice(1) : text;
  }

  private endLine(): void {
    const line = this.takeLine();
    if (line !== '') this.lines.push(line);
    else if (this.lines.length > 0) this.hand(false);
    // empty lines alone are not a block; they stay in the raw text of the next block
  }

  private hand(unfinished: boolean): void {
    const bytes = Buffer.concat(this.parts, this.size);
    const raw = bytes.toString('utf8');
    const { lines } = this;
    this.parts = [];
    this.size = 0;
    this.lines = [];
    const invalidUtf8 = raw.includes('\uFFFD') && !isUtf8(bytes);
    this.onBlock({ ...fieldsOf(lines), raw, invalidUtf8, unfinished });
  }
}

/** The line ends of a chunk, each searched once. */
class LineEnds {
  private lf = -2;
  private cr = -2;

  constructor(private readonly chunk: Buffer) {}

  /** The position of the first line end from here on; -1 without one. */
  next(from: number): number {
    if (this.lf !== -1 && this.lf < from) this.lf = this.chunk.indexOf(LF, from);
    if (this.cr !== -1 && this.cr < from) this.cr = this.chunk.indexOf(CR, from);
    const { lf, cr } = this;
    return lf === -1 || (cr !== -1 && cr < lf) ? cr : lf;
  }
}

/** The fields in the lines of a block; unknown fields are ignored. */
function fieldsOf(lines: readonly string[]): SseFields {
  const fields: { comments?: string[]; event?: string; id?: string; retry?: string; data?: string } = {};
  for (const line of lines) {
    const colon = line.indexOf(':');
    const name = colon === -1 ? line : line.slice(0, colon);
    const value = colon === -1 ? '' : line.slice(line[colon + 1] === ' ' ? colon + 2 : colon + 1);
    if (name === '') {
      fields.comments ??= [];
      fields.comments.push(value);
    } else if (name === 'data') fields.data = fields.data === undefined ? value : `${fields.data}\n${value}`;
    else if (name === 'event' || name === 'retry') fields[name] = value;
    // an id that contains NUL is ignored
    else if (name === 'id' && !value.includes('\0')) fields.id = value;
  }
  return fields;
}

/** Milliseconds until a reconnection; undefined unless the value consists of digits. */
export const retryMs = ({ retry }: SseFields): number | undefined =>
  retry !== undefined && /^[0-9]+$/.test(retry) ? Number(retry) : undefined;

/**
 * Writes one block.
 * @param eol the line end; a data text is split at each of the three line ends, as the format requires
 */
export function formatSse({ comments = [], event, id, retry, data }: SseFields, eol = '\n'): string {
  const lines = [
    ...comments.map(comment => `: ${comment}`),
    ...(event === undefined ? [] : [`event: ${event}`]),
    ...(id === undefined ? [] : [`id: ${id}`]),
    ...(retry === undefined ? [] : [`retry: ${retry}`]),
    ...(data === undefined ? [] : data.split(/\r\n|\r|\n/).map(line => `data: ${line}`)),
  ];
  return lines.map(line => line + eol).join('') + eol;
}
