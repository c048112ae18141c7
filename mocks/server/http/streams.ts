/** The streams of a session: the messages of each are stored, so that a broken stream can be resumed. */

import type { Block, Streaming, StreamWriter } from './reply.js';

interface StreamOptions {
  /** Events have ids, and are replayed after the last event id of the client. */
  readonly resumable: boolean;
  /** The first event has an id and no data, so that the stream can be resumed from its start. */
  readonly primes: boolean;
}

interface Said {
  readonly id: string;
  readonly data: string | Buffer;
}

/** One stream, over all its connections. */
export class MessageStream {
  /** All messages have been sent. */
  finished = false;
  /** The number of the last event. */
  private last = 0;
  private readonly said: Said[] = [];
  private writer: StreamWriter | undefined;
  /** Callers that wait for a connection in order to close it. */
  private readonly leavers: { retry: number; resolve: () => void }[] = [];

  constructor(
    readonly name: string,
    private readonly options: StreamOptions,
    private readonly onAttached: () => void = () => {},
  ) {}

  get attached(): boolean {
    return this.writer !== undefined;
  }

  /** The number of stored messages. */
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
   * Closes the connection, as soon as one exists; the stream stays open.
   * @param retry milliseconds until the client may reconnect
   * @returns resolves after the connection is closed
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

  /** A body with all messages, or those after an event. @param after number of the last received event */
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

/** The number of stored streams; the oldest finished stream is removed first. */
const kept = 200;

export class Streams {
  private readonly all = new Map<string, MessageStream>();
  private readonly backlog: (string | Buffer)[] = [];
  private last = 0;

  constructor(private readonly options: StreamOptions) {}

  /** A separate stream for the response to a POST. */
  forPost(): MessageStream {
    return this.add(new MessageStream(`post${++this.last}`, this.options));
  }

  /** A stream for messages that belong to no request. */
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

  /** Sends a message on one open GET stream, or as soon as one is opened. */
  announce(data: string | Buffer): void {
    const listening = [...this.all.values()].findLast(s => s.attached && s.name.startsWith('get'));
    if (listening) listening.say(data);
    else if (this.backlog.length < 1_000) this.backlog.push(data);
  }

  /** The messages after an event; undefined when the id is unknown. */
  resume(lastEventId: string): Streaming | undefined {
    const found = /^((?:post|get)\d+)_(\d+)$/.exec(lastEventId);
    const stream = found && this.options.resumable ? this.all.get(found[1]!) : undefined;
    return stream?.from(Number(found![2]));
  }

  finishAll(): void {
    for (const stream of this.all.values()) stream.finish();
  }
}
