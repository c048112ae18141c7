/**
 * Event streams (text/event-stream of the HTML standard): a byte-exact reader of every valid form, and a
 * writer.
 */

import { isUtf8 } from 'node:buffer';
import { ByteCollector } from './byte-collector.js';

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
 * bytes, where they cannot be part of a character, so that a chunk may end anywhere. An incomplete block is kept as
 * bytes only: lines as objects would need many times the memory.
 */
export class SseReader {
  /** The bytes of the incomplete block in earlier chunks. */
  private readonly block = new ByteCollector();
  /** Bytes of the incomplete line in earlier chunks. */
  private lineBytes = 0;
  /** The incomplete block has a line that is not empty. */
  private hasLines = false;
  private afterCr = false;
  /** The incomplete line is the first one of the stream, which may begin with a byte order mark. */
  private isFirstLine = true;
  private isFirstBlock = true;

  constructor(private readonly onBlock: (block: SseRead) => void) {}

  /** Bytes of the current, incomplete block. */
  get pending(): number {
    return this.block.length;
  }

  /** The current, incomplete block. */
  get incomplete(): Buffer {
    return this.block.peek();
  }

  push(chunk: Buffer): void {
    // LF of a CRLF whose CR ended the previous chunk
    let from = this.afterCr && chunk[0] === LF ? 1 : 0;
    let block = 0;
    const ends = new LineEnds(chunk);
    if (chunk.length > 0) this.afterCr = false;
    for (let at = ends.next(from); at !== -1; at = ends.next(from)) {
      const crlf = chunk[at] === CR && chunk[at + 1] === LF;
      const next = at + (crlf ? 2 : 1);
      this.afterCr = chunk[at] === CR && next === chunk.length && !crlf;
      const isEmpty = this.lineBytes + at - from === 0 || this.isMarkOnly(chunk.subarray(block, at));
      this.isFirstLine = false;
      this.lineBytes = 0;
      from = next;
      if (!isEmpty) this.hasLines = true;
      else if (this.hasLines) {
        this.block.add(chunk.subarray(block, next));
        block = next;
        this.hand(false);
      }
      // empty lines alone are not a block; they stay in the raw text of the next block
    }
    this.lineBytes += chunk.length - from;
    this.block.add(chunk.subarray(block));
  }

  /** Ends the stream. */
  end(): void {
    const isMark = this.isMarkOnly(Buffer.alloc(0));
    if (this.hasLines || (this.lineBytes > 0 && !isMark)) this.hand(true);
  }

  /** Gives up the incomplete block: nothing more is read. */
  drop(): void {
    this.block.drop();
  }

  /** True if the first line of the stream is a byte order mark. @param rest the end of the line */
  private isMarkOnly(rest: Buffer): boolean {
    if (!this.isFirstLine || this.block.length + rest.length !== mark.length) return false;
    return Buffer.concat([this.block.peek(), rest]).equals(mark);
  }

  private hand(unfinished: boolean): void {
    const bytes = this.block.take();
    const raw = bytes.toString('utf8');
    const text = this.isFirstBlock && raw.startsWith('\uFEFF') ? raw.slice(1) : raw;
    this.isFirstBlock = false;
    this.hasLines = false;
    const invalidUtf8 = raw.includes('\uFFFD') && !isUtf8(bytes);
    this.onBlock({ ...fieldsOf(text.split(/\r\n|\r|\n/)), raw, invalidUtf8, unfinished });
  }
}

/** The byte order mark. */
const mark = Buffer.from('\uFEFF');

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

/** Comments of a block that are kept; the raw text has all of them. */
const mostComments = 100;

/** The fields in the lines of a block; unknown fields are ignored. */
function fieldsOf(lines: readonly string[]): SseFields {
  const fields: { comments?: string[]; event?: string; id?: string; retry?: string } = {};
  const data: string[] = [];
  for (const line of lines) {
    if (line === '') continue;
    const colon = line.indexOf(':');
    const name = colon === -1 ? line : line.slice(0, colon);
    const value = colon === -1 ? '' : line.slice(line[colon + 1] === ' ' ? colon + 2 : colon + 1);
    if (name === '') {
      fields.comments ??= [];
      if (fields.comments.length < mostComments) fields.comments.push(value);
    } else if (name === 'data') data.push(value);
    else if (name === 'event' || name === 'retry') fields[name] = value;
    // an id that contains NUL is ignored
    else if (name === 'id' && !value.includes('\0')) fields.id = value;
  }
  return data.length === 0 ? fields : { ...fields, data: data.join('\n') };
}

/** Whether a block carries a message: blocks of the type `message`, which is the default. */
export const isMessageEvent = ({
  event,
  data,
}: {
  readonly event?: string | undefined;
  readonly data?: string | undefined;
}): boolean =>
  data !== undefined && data !== '' && (event === undefined || event === '' || event === 'message');

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
