/** The streams of a session: what is said on each is kept, so that a broken one can go on. */

import type { Block, Streaming, StreamWriter } from './reply.js';

export interface StreamOptions {
  /** Events carry ids, and are replayed to who names the last one seen. */
  readonly resumable: boolean;
  /** The first event has an id and no data, so that there is something to go on from. */
  readonly primes: boolean;
}

interface Said {
  readonly id: string;
  readonly data: string | Buffer;
}

/** One stream: the same, however often it is connected again. */
export class MessageStream {
  /** All has been said. */
  finished = false;
  /** Numbers of the events so far. */
  private last = 0;
  private readonly said: Said[] = [];
  private writer: StreamWriter | undefined;
  /** Who waits for a connection to close it. */
  private readonly leavers: { retry: number; resolve: () => void }[] = [];

  constructor(
    readonly name: string,
    private readonly options: StreamOptions,
    private readonly onAttached: () => void = () => {},
  ) {}

  get attached(): boolean {
    return this.writer !== undefined;
  }

  /** How much has been said. */
  get length(): number {
    return this.said.length;
  }

  say(data: string | Buffer): void {
    const said = { id: `${this.name}_${++this.last}`, data };
    this.said.push(said);
    this.writer?.write(this.block(said));
  }

  finish(): void {
    this.finished = true;
    this.writer?.close();
    this.writer = undefined;
    for (const { resolve } of this.leavers.splice(0)) resolve();
  }

  /**
   * The connection ends, as soon as there is one; the stream does not.
   * @param retry milliseconds until it may be opened again
   * @returns resolves when it has ended
   */
  disconnect(retry: number): Promise<void> {
    const { writer } = this;
    if (!writer) return new Promise(resolve => this.leavers.push({ retry, resolve }));
    writer.write({ retry: String(retry) });
    writer.close();
    this.writer = undefined;
    for (const { resolve } of this.leavers.splice(0)) resolve();
    return Promise.resolve();
  }

  /** An answer that says all of it, or what came after an event. @param after number of the last event seen */
  from(after?: number): Streaming {
    return {
      start: writer => {
        this.writer?.close();
        this.writer = writer;
        if (this.options.primes && after === undefined) writer.write({ id: `${this.name}_0`, data: '' });
        for (const said of this.said.slice(after ?? 0)) writer.write(this.block(said));
        const [leaver] = this.leavers;
        if (this.finished) this.finish();
        else if (leaver) void this.disconnect(leaver.retry);
        else this.onAttached();
        return () => {
          if (this.writer === writer) this.writer = undefined;
        };
      },
    };
  }

  private block({ id, data }: Said): Block {
    const withId = this.options.resumable ? { id } : {};
    if (typeof data === 'string') return { event: 'message', ...withId, data };
    const head = `event: message\n${this.options.resumable ? `id: ${id}\n` : ''}data: `;
    return Buffer.concat([Buffer.from(head), data, Buffer.from('\n\n')]);
  }
}

/** Finished streams that can still be asked for. */
const kept = 200;

export class Streams {
  private readonly all = new Map<string, MessageStream>();
  private readonly backlog: (string | Buffer)[] = [];
  private last = 0;

  constructor(private readonly options: StreamOptions) {}

  /** A stream of its own for the answer to a POST. */
  forPost(): MessageStream {
    return this.add(new MessageStream(`post${++this.last}`, this.options));
  }

  /** A stream for what belongs to no request. */
  forGet(): MessageStream {
    const stream = new MessageStream(`get${++this.last}`, this.options, () => {
      for (const data of this.backlog.splice(0)) stream.say(data);
    });
    return this.add(stream);
  }

  private add(stream: MessageStream): MessageStream {
    this.all.set(stream.name, stream);
    if (this.all.size > kept) {
      const old = [...this.all.values()].find(s => s.finished && s !== stream);
      if (old) this.all.delete(old.name);
    }
    return stream;
  }

  /** Says something on one stream that listens; later, when none does. */
  announce(data: string | Buffer): void {
    const listening = [...this.all.values()].findLast(s => s.attached && s.name.startsWith('get'));
    if (listening) listening.say(data);
    else if (this.backlog.length < 1_000) this.backlog.push(data);
  }

  /** What comes after an event; undefined when the id is none of ours. */
  resume(lastEventId: string): Streaming | undefined {
    const found = /^((?:post|get)\d+)_(\d+)$/.exec(lastEventId);
    const stream = found && this.options.resumable ? this.all.get(found[1]!) : undefined;
    return stream?.from(Number(found![2]));
  }

  finishAll(): void {
    for (const stream of this.all.values()) stream.finish();
  }
}
