/** The state of one deviation. */
export class Memory {
  private readonly counts = new Map<string, number>();
  private kept: { value: unknown } | undefined;

  /** One value with the lifetime of the owner of the deviation: a connection, a process or a server. */
  keep<T>(make: () => T): T {
    this.kept ??= { value: make() };
    return this.kept.value as T;
  }

  /** The number of calls by this deviation, from 1. */
  count(what = ''): number {
    const count = (this.counts.get(what) ?? 0) + 1;
    this.counts.set(what, count);
    return count;
  }
}
