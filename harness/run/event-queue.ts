/**
 * A queue that is written by callbacks and read with `for await`, by one reader. It is no async generator: those take
 * several times as long per item, and a run has tens of thousands of items.
 */
export class Channel<T> implements AsyncGenerator<T> {
  private items: T[] = [];
  /** The items of the current batch, and the number of those that were read. */
  private batch: T[] = [];
  private read = 0;
  private wake: () => void = () => {};
  private done = false;
  private failure: { error: unknown } | undefined;
  private listens = false;
  private isAbandoned = false;

  /** @param onListen called when the first read begins */
  constructor(private readonly onListen: () => void = () => {}) {}

  push(item: T): void {
    if (this.isAbandoned) return;
    this.items.push(item);
    this.wake();
  }

  /** Ends the queue; the reader gets the error, if one is given. */
  end(failure?: { error: unknown }): void {
    this.done = true;
    this.failure = failure;
    this.wake();
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  next(): Promise<IteratorResult<T, undefined>> {
    if (this.read < this.batch.length)
      return Promise.resolve({ done: false, value: this.batch[this.read++]! });
    return this.nextBatch();
  }

  private async nextBatch(): Promise<IteratorResult<T, undefined>> {
    if (!this.listens) {
      this.listens = true;
      this.onListen();
    }
    while (this.items.length === 0) {
      const { failure } = this;
      this.failure = undefined;
      if (failure) throw failure.error;
      if (this.done) return { done: true, value: undefined };
      await new Promise<void>(resolve => {
        this.wake = resolve;
      });
    }
    this.batch = this.items;
    this.items = [];
    this.read = 1;
    return { done: false, value: this.batch[0]! };
  }

  /** The reader has read enough. */
  async return(): Promise<IteratorResult<T, undefined>> {
    this.listens = true;
    this.isAbandoned = true;
    this.done = true;
    this.failure = undefined;
    [this.items, this.batch, this.read] = [[], [], 0];
    this.wake();
    return { done: true, value: undefined };
  }

  async throw(error: unknown): Promise<IteratorResult<T, undefined>> {
    await this.return();
    throw error;
  }
}

/**
 * Items that a function emits while it runs, and its error if it fails; the function starts with the first
 * read.
 */
export function eventQueue<T>(work: (push: (item: T) => void) => Promise<void>): AsyncGenerator<T> {
  const channel: Channel<T> = new Channel<T>(() => {
    void work(item => channel.push(item)).then(
      () => channel.end(),
      (error: unknown) => channel.end({ error }),
    );
  });
  return channel;
}
