/**
 * Destinations of reports: files and standard output. An error while writing is kept for the end of the run, so
 * that one full disk costs one report and not the others.
 */

import { createWriteStream, existsSync, renameSync, rmSync, statSync, type WriteStream } from 'node:fs';
import type { Sink } from '../../reports/reporter.js';

/** A destination that is finished at the end of a run. */
export interface Destination extends Sink {
  /** @returns the error that kept the report from being complete, in words */
  finish(): Promise<string | undefined>;
}

const problem = (name: string, error: unknown): string =>
  `${name} could not be written: ${(error as Error).message}.`;

/**
 * A file that keeps its earlier content until the new content is complete: an interrupted run destroys no report. A
 * device or a pipe is written directly.
 */
export class FileDestination implements Destination {
  private readonly temporary: string | undefined;
  private readonly stream: WriteStream;
  private error: unknown;

  constructor(private readonly path: string) {
    const direct = existsSync(path) && !statSync(path).isFile();
    this.temporary = direct ? undefined : `${path}.${process.pid}.tmp`;
    this.stream = createWriteStream(this.temporary ?? path);
    this.stream.on('error', error => {
      this.error ??= error;
    });
    if (this.temporary) process.once('exit', this.remove);
  }

  write(text: string): void {
    if (this.error === undefined) this.stream.write(text);
  }

  async finish(): Promise<string | undefined> {
    // `close` comes after an error, too
    if (!this.stream.closed)
      await new Promise<void>(resolve => {
        this.stream.once('close', resolve);
        this.stream.end();
      });
    try {
      if (this.error !== undefined) throw this.error;
      if (this.temporary) renameSync(this.temporary, this.path);
      return undefined;
    } catch (error) {
      return problem(`the report "${this.path}"`, error);
    } finally {
      this.remove();
      process.removeListener('exit', this.remove);
    }
  }

  private readonly remove = (): void => {
    if (this.temporary) rmSync(this.temporary, { force: true });
  };
}

/** Standard output or standard error. A reader that has gone (EPIPE) needs no more text: no error. */
export class StandardDestination implements Destination {
  private error: NodeJS.ErrnoException | undefined;

  constructor(
    readonly stream: NodeJS.WriteStream,
    private readonly name: string,
  ) {
    stream.on('error', (error: NodeJS.ErrnoException) => {
      this.error ??= error;
    });
  }

  write(text: string): void {
    if (!this.error) this.stream.write(text);
  }

  async finish(): Promise<string | undefined> {
    if (!this.error) await new Promise<void>(resolve => this.stream.write('', () => resolve()));
    return this.error && this.error.code !== 'EPIPE' ? problem(this.name, this.error) : undefined;
  }
}

/** A destination that a function writes at once: a list of known failures, a file that others append to. */
export class DirectDestination implements Destination {
  private error: unknown;

  constructor(
    private readonly name: string,
    private readonly append: (text: string) => void,
  ) {}

  write(text: string): void {
    try {
      this.append(text);
    } catch (error) {
      this.error ??= error;
    }
  }

  async finish(): Promise<string | undefined> {
    return this.error === undefined ? undefined : problem(this.name, this.error);
  }
}
