/** Values that functions compute from a source, each once until the source has changed. */
export class DerivedValues<Source> {
  private readonly values = new Map<(source: Source) => unknown, unknown>();

  constructor(private readonly source: Source) {}

  /** @param compute the key of the value: pass the same function each time, not a new closure */
  get<T>(compute: (source: Source) => T): T {
    const known = this.values.get(compute);
    if (known !== undefined || this.values.has(compute)) return known as T;
    const value = compute(this.source);
    this.values.set(compute, value);
    return value;
  }

  clear(): void {
    if (this.values.size > 0) this.values.clear();
  }
}
