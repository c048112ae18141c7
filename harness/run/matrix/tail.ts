/** The last lines of an output. */
export class Tail {
  private readonly kept: string[] = [];
  private rest = '';

  /** @param most number of lines that are kept */
  constructor(private readonly most = 12) {}

  push(text: string): void {
    const lines = (this.rest + text).split(/\r?\n/);
    this.rest = lines.pop()!.slice(-longestLine);
    this.kept.push(...lines.filter(line => line.trim() !== '').map(line => line.slice(0, longestLine)));
    this.kept.splice(0, this.kept.length - this.most);
  }

  lines(): string[] {
    return [...this.kept, this.rest].filter(line => line.trim() !== '').slice(-this.most);
  }
}

/** Characters kept of a line. */
const longestLine = 64 * 1024;
