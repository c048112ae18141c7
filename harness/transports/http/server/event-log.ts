/** What is said on one stream, whoever reads it at the moment: kept, so that a stream that broke can be gone on with. */

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
  /** As it was when the stream was opened: one stream speaks one dialect. */
  private behaviour: HttpBehaviour;
  /** An event id is out. */
  private named = false;
  /** The exchange on which it was heard last. */
  lastExchange = 0;
  /** Everything has been said. */
  done = false;

  /** @param name unlike that of any other stream of the session */
  constructor(
    readonly name: string,
    private readonly now: () => HttpBehaviour,
  ) {
    this.behaviour = now();
  }

  /** Somebody reads it now. */
  get heard(): boolean {
    return this.reply?.isOpenStream === true;
  }

  /** Whether something can still be said on it, now or later. */
  get usable(): boolean {
    return !this.done && (this.heard || this.canResume);
  }

  /** Who has seen no event id cannot come back. */
  private get canResume(): boolean {
    return this.behaviour.resumable && this.named;
  }

  /** The place after which to go on, as an event id. */
  private id(place: number): string {
    return `${this.name}-${place}`;
  }

  /** Hands the stream to a reader, who goes on from a place: 0 is the beginning. Without one the reader is the first. */
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

  /** Says it, or keeps it for who comes back. */
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

  /** Puts a block on it as it is; it is not said again to who comes back. */
  write(block: SseFields | string | Buffer, saying: Saying): Message[] {
    const bytes = typeof block === 'string' || Buffer.isBuffer(block) ? block : formatSse(block);
    return this.reply?.write(bytes, saying, this.behaviour.chunk) ?? [];
  }

  /** Nothing more is to be said. */
  finish(): void {
    this.done = true;
    this.reply?.complete();
  }

  /** The reader is sent away and can come back. */
  detach(how: 'complete' | 'break'): void {
    if (how === 'complete') this.reply?.complete();
    else this.reply?.break();
  }
}

/** The same JSON over several lines, each of which becomes a data field; what is no JSON stays as it is. */
function overLines(text: string): string {
  try {
    return JSON.stringify(JSON.parse(text), null, 1);
  } catch {
    return text;
  }
}
