/** The input of a run: limits for one message, and for everything that a run keeps, over all connections. */

import { deepestJson, isDeep, parseJson, type Role } from '../../spec/json-rpc.js';
import type { HeaderList, NewEvent } from '../record/event.js';
import { LargeGarbage, large } from '../record/large-garbage.js';

/** Limits of the input; docs/limits.md lists them. */
export const intakeLimits = {
  /** Bytes of one message: a line, a body, or a block of a stream (`--max-message`). */
  messageBytes: 8 * 2 ** 20,
  /** Values in one message; an upper bound of their number is counted. */
  values: 250_000,
  /** Objects and arrays inside each other in one message. */
  depth: deepestJson,
  /** Messages in one batch. */
  batch: 1_000,
  /** Bytes of memory for the input of each revision of a run, as a multiple of the bytes of one message. */
  total: 20,
  /** Generated values for each property (`--runs`) up to which that holds; with more, the memory grows with them. */
  ordinaryRuns: 200,
};

/**
 * Estimated memory in bytes: of an event, of an exchange of HTTP without its headers and messages, of a connection or
 * session with what its judgement takes, of a character (kept as text and parsed), of a character of a large text (its
 * copies are not yet collected when the next one arrives), of a value, of a header.
 */
const memory = {
  event: 3_000,
  exchange: 4_000,
  connection: 10_000,
  character: 2,
  largeCharacter: 3,
  value: 40,
  header: 150,
};

/** Texts up to this length (characters) cannot exceed the limit of values. */
const short = 64 * 1024;

/** Limits that one message can exceed. */
export type Excess = 'values' | 'depth' | 'batch';

interface IntakeOptions {
  readonly messageBytes?: number | undefined;
  /** Generated values for each property: a run with many of them needs more memory. */
  readonly runs?: number | undefined;
  /** Called once when the limit of the run is exceeded, with the limit in words. */
  readonly onFull?: (limit: string) => void;
}

/** Counts the input of all connections of a run in one place. */
export class Intake {
  /** Bytes of one message. */
  readonly messageBytes: number;
  /** Bytes of memory for the input of one revision. */
  private readonly bytesOfRevision: number;
  private revisions = 1;
  private readonly onFull: (limit: string) => void;
  /** Bytes of the record, and of messages that are not complete yet. */
  private kept = 0;
  private pending = 0;
  private full = false;
  /** What counts this input as well, from some moment on. */
  private whole: Intake | undefined;
  private readonly garbage = new LargeGarbage();

  constructor({ messageBytes = intakeLimits.messageBytes, runs = 0, onFull = () => {} }: IntakeOptions = {}) {
    this.messageBytes = messageBytes;
    this.bytesOfRevision = messageBytes * intakeLimits.total * Math.max(1, runs / intakeLimits.ordinaryRuns);
    this.onFull = onFull;
  }

  /** Bytes of memory for the input of the run. */
  get totalBytes(): number {
    return this.bytesOfRevision * this.revisions;
  }

  /** The run judges several revisions: each has its own share of memory. */
  allowRevisions(count: number): void {
    this.revisions = Math.max(1, count);
  }

  /** True if the limit of the run is exceeded: no more input is read. */
  get isFull(): boolean {
    return this.full || (this.whole?.isFull ?? false);
  }

  /** True if more than half of the memory is in use. */
  get isHalfFull(): boolean {
    return this.kept + this.pending > this.totalBytes / 2;
  }

  /** From now on, and for what was counted so far, this input is part of another one. */
  join(whole: Intake): void {
    this.whole = whole;
    whole.count(this.kept, this.pending);
  }

  private count(kept: number, pending: number): void {
    this.kept += kept;
    this.pending += pending;
    this.whole?.count(kept, pending);
    this.check();
  }

  /** Counts an event that is kept in the record. @returns the limit that its text exceeds, if any */
  keep(text: string): Excess | undefined {
    const values = valuesIn(text);
    const messages = countMessages(text);
    const excess = excessOf(text, values, messages);
    this.garbage.add(text.length, values);
    this.count(excess ? memory.event : memoryOf(text, values, messages), 0);
    return excess;
  }

  /**
   * Counts an event of the record that no reader of input has counted: messages of the harness (a subject that asks
   * much fills the record with the responses), the heads of HTTP messages, and connections.
   */
  keepEvent(event: NewEvent, harness: Role): void {
    if (event.kind === 'frame' && event.by === harness) {
      this.garbage.add(event.text.length);
      this.count(memoryOf(event.text, valuesIn(event.text), 1), 0);
    } else if (event.kind === 'http-request') this.count(memory.exchange + memoryOfHead(event.headers), 0);
    else if (event.kind === 'http-response') this.count(memoryOfHead(event.headers), 0);
    else if (event.kind === 'open') this.count(memory.connection, 0);
  }

  /** Counts the bytes of a message that is not complete yet. @param change negative when they are released */
  hold(change: number): void {
    this.count(0, change);
  }

  private check(): void {
    if (this.full || this.kept + this.pending <= this.totalBytes) return;
    this.full = true;
    this.onFull(
      `the input of the run needs more than ${Math.round(this.totalBytes / 2 ** 20)} MB of memory, the limit (--max-message raises it)`,
    );
  }
}

/** The estimated memory in bytes of an event with messages. */
const memoryOf = (text: string, values: number, messages: number): number =>
  memory.event * messages +
  text.length * (text.length < large ? memory.character : memory.largeCharacter) +
  values * memory.value;

const memoryOfHead = (headers: HeaderList): number =>
  headers.reduce((sum, [name, value]) => sum + memory.header + name.length + value.length, 0);

/** The values that count; those of a short text do not. */
const valuesIn = (text: string): number => (text.length > short ? countValues(text) : 0);

function excessOf(text: string, values: number, messages: number): Excess | undefined {
  if (values > intakeLimits.values) return 'values';
  if (isDeep(text)) return 'depth';
  return messages > intakeLimits.batch ? 'batch' : undefined;
}

/** An upper bound of the number of values in a JSON text. */
function countValues(text: string): number {
  let count = 0;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    // , [ {
    if (code === 0x2c || code === 0x5b || code === 0x7b) count++;
  }
  return count;
}

/** Messages in a text: several in a batch. A text that is no batch, or no JSON, counts as one. */
function countMessages(text: string): number {
  if (!/^\s*\[/.test(text)) return 1;
  const json = isDeep(text) ? undefined : parseJson(text);
  return Array.isArray(json) ? Math.max(1, json.length) : 1;
}

/** The beginning of a text as a text of its own: a part made by `slice` keeps the whole text in memory. */
export const beginning = (text: string, length: number): string =>
  Buffer.from(text.slice(0, length)).toString('utf8');
