/** A queue that is written by callbacks and read with `for await`. */
export class Channel<T> {
  private items: T[] = [];
  private wake: () => void = () => {};
  private done = false;
  private failure: { error: unknown } | undefined;

  /** @param onListen called when the first read begins */
  constructor(private readonly onListen: () => void = () => {}) {}

  push(item: T): void {
    this.items.push(item);
    this.wake();
  }

  /** Ends the queue; the reader gets the error, if one is given. */
  end(failure?: { error: unknown }): void {
    this.done = true;
    this.failure = failure;
    this.wake();
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<T> {
    this.onListen();
    for (;;) {
      const batch = this.items;
      this.items = [];
      // `yield*` takes twice as long per item
      for (const item of batch) yield item;
      if (this.items.length > 0) continue;
      if (this.failure) throw this.failure.error;
      if (this.done) return;
      await new Promise<void>(resolve => {
        this.wake = resolve;
      });
    }
  }
}

/**
 * Items that a function emits while it runs, and its error if it fails; the function starts with the first
 * read.
 */
export function eventQueue<T>(work: (push: (item: T) => void) => Promise<void>): AsyncGenerator<T> {
  const channel = new Channel<T>(() => {
    void work(item => channel.push(item)).then(
      () => channel.end(),
      (error: unknown) => channel.end({ error }),
    );
  });
  return channel[Symbol.asyncIterator]();
}
