/** What one deviation remembers. */
export class Memory {
  private readonly counts = new Map<string, number>();
  private kept: { value: unknown } | undefined;

  /** One thing, as long as whatever the deviation belongs to: a connection, a process, a server. */
  keep<T>(make: () => T): T {
    this.kept ??= { value: make() };
    return this.kept.value as T;
  }

  /** How often this deviation has come here, from 1. */
  count(what = ''): number {
    const count = (this.counts.get(what) ?? 0) + 1;
    this.counts.set(what, count);
    return count;
  }
}
