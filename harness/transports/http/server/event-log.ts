/**
 * The messages of one stream, independent of its current reader: kept, so that a client can resume a broken
 * stream.
 */

import { formatSse, type SseFields } from '../../../framing/sse.js';
import { type SseEvent, sseText } from '../../../framing/sse-dialect.js';
import type { Message } from '../../../record/message.js';
import type { Outgoing } from '../../link.js';
import type { HttpBehaviour } from './behaviour.js';
import type { Reply, Saying } from './reply.js';

interface Event {
  readonly id: string;
  readonly out: Outgoing;
  said: boolean;
}

export class EventLog {
  private readonly events: Event[] = [];
  private reply: Reply | undefined;
  /** Behaviour at the time the stream was opened: a stream uses one dialect. */
  private behaviour: HttpBehaviour;
  /** The client has received an event id. */
  private named = false;
  /** The exchange that last carried the stream. */
  lastExchange = 0;
  /** All messages have been sent. */
  done = false;

  /** @param name unique among the streams of the session */
  constructor(
    readonly name: string,
    private readonly now: () => HttpBehaviour,
  ) {
    this.behaviour = now();
  }

  /** Whether the stream has a reader now. */
  get heard(): boolean {
    return this.reply?.isOpenStream === true;
  }

  /** Whether a message can still be sent on the stream, now or later. */
  get usable(): boolean {
    return !this.done && (this.heard || this.canResume);
  }

  /** A client that has received no event id cannot resume. */
  private get canResume(): boolean {
    return this.behaviour.resumable && this.named;
  }

  /** The event id of a place in the stream, from which a client can resume. */
  private id(place: number): string {
    return `${this.name}-${place}`;
  }

  /**
   * Attaches a reader; the reader resumes from a place, 0 is the beginning. Without a place, the reader is
   * the first.
   */
  attach(reply: Reply, from?: number): void {
    if (this.reply && this.reply !== reply) this.reply.complete();
    this.reply = reply;
    this.behaviour = this.now();
    this.lastExchange = reply.exchange;
    const { dialect, primes, polling, resumable } = this.behaviour;
    if (dialect.bom) reply.write('\ufeff', {}, undefined);
    if (from === undefined && (primes || polling) && resumable) this.put({ data: '', id: this.id(0) });
    for (const event of this.events.slice(from)) {
      this.say(event, event.said);
      event.said = true;
    }
    if (this.done) reply.complete();
  }

  /** Sends the message, or keeps it until a client resumes. */
  send(out: Outgoing): Message[] {
    const event: Event = { id: this.id(this.events.length + 1), out, said: this.heard };
    this.events.push(event);
    return this.heard ? this.say(event, false) : [];
  }

  private say({ id, out }: Event, replay: boolean): Message[] {
    const { before, namesMessages, resumable } = this.behaviour;
    for (const block of before) this.write(block, {});
    const event = { data: out.text, ...(namesMessages && { event: 'message' }), ...(resumable && { id }) };
    return this.put(event, { deliberate: out.deliberate, replay });
  }

  private put(event: SseEvent, saying: Saying = {}): Message[] {
    const { dialect, retry, multiline, chunk } = this.behaviour;
    if (event.id !== undefined && this.heard) this.named = true;
    const data = multiline ? overLines(event.data) : event.data;
    const text = sseText([{ ...event, data, ...(retry !== undefined && { retry }) }], {
      ...dialect,
      bom: false,
    });
    return this.reply?.write(text, saying, chunk) ?? [];
  }

  /** Writes a block unchanged; a resumed stream does not repeat the block. */
  write(block: SseFields | string | Buffer, saying: Saying): Message[] {
    const bytes = typeof block === 'string' || Buffer.isBuffer(block) ? block : formatSse(block);
    return this.reply?.write(bytes, saying, this.behaviour.chunk) ?? [];
  }

  /** Ends the stream: no more messages follow. */
  finish(): void {
    this.done = true;
    this.reply?.complete();
  }

  /** Disconnects the reader, which can resume later. */
  detach(how: 'complete' | 'break'): void {
    if (how === 'complete') this.reply?.complete();
    else this.reply?.break();
  }
}

/** The same JSON over several lines, each of which becomes a data field; any other text is unchanged. */
function overLines(text: string): string {
  try {
    return JSON.stringify(JSON.parse(text), null, 1);
  } catch {
    return text;
  }
}
