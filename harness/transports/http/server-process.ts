/** The process behind a URL: start, wait for readiness, recording, termination. */

import { notStartedInWords } from '../../record/not-started.js';
import type { Tap } from '../../record/tap.js';
import type { Endpoint, Exit, ProcessSubject } from '../../subject/subject.js';
import { Clock, settles, waitFor } from '../../time/clock.js';
import type { Timing } from '../../time/timing.js';
import type { ConnectionFailure } from '../link.js';
import { ProcessRecord } from '../process-record.js';
import { accepts, exposure } from './reachable.js';

export class ServerProcess {
  started = 0;
  /** Measures waits for the current process. */
  clock = new Clock();
  private process: ProcessRecord | undefined;
  private readiness: Promise<ConnectionFailure | undefined> | undefined;
  private readonly exitListeners = new Set<(exit: Exit) => void>();
  private gone: Promise<void> | undefined;
  private exposed = false;
  /** The process has accepted a connection. */
  private serving = false;
  /** Wakes the wait for the URL after output of the process. */
  private wake = () => {};

  /** @param newTap where the process is recorded: a link without a conversation */
  constructor(
    private readonly subject: ProcessSubject,
    private readonly url: URL,
    private readonly timing: Timing,
    private readonly newTap: () => Tap,
  ) {}

  /**
   * Starts the process if none is running, and waits until the URL accepts connections. Returns the failure,
   * if any.
   */
  ready(): Promise<ConnectionFailure | undefined> {
    this.readiness ??= this.start();
    return this.readiness;
  }

  onExit(listener: (exit: Exit) => void): () => void {
    this.exitListeners.add(listener);
    return () => this.exitListeners.delete(listener);
  }

  /** Whether the process exits within 500 ms: a connection often closes before its process exits. */
  goesSoon(): Promise<boolean> {
    return this.gone ? waitFor(this.gone, 500, this.clock) : Promise.resolve(true);
  }

  /** Other addresses where the process accepts connections; returned only to the first caller. */
  async exposure(): ReturnType<typeof exposure> {
    if (this.exposed) return [];
    this.exposed = true;
    return exposure(this.url, this.timing.exit);
  }

  /** The last lines of the output. */
  stderrTail(): string[] {
    return this.process?.stderrTail() ?? [];
  }

  private async start(): Promise<ConnectionFailure | undefined> {
    if (await accepts(this.url, this.timing.answer))
      return {
        reason: `${this.url.href} responded before the command was started: another server is running there.`,
        details: [
          'Stop the other server, choose another port, or test this server with --url and without a command.',
        ],
      };
    const endpoint = this.subject.start();
    this.started++;
    this.clock = new Clock(endpoint);
    endpoint.onSwarm?.(limit => this.timing.budget?.end(limit));
    const gone = this.record(endpoint);
    const process = this.process!;
    this.gone = gone;
    const given = new AbortController();
    await this.clock.waitAtMost(this.serves(process, given.signal), this.timing.answer * 3);
    given.abort();
    if (this.serving) return undefined;
    if (process.exit) await gone;
    return { reason: this.whyNot(process.exit), details: this.stderrTail().map(line => `output: ${line}`) };
  }

  /** Waits until the URL accepts connections, the process exits, or the wait is given up. */
  private async serves(process: ProcessRecord, givenUp: AbortSignal): Promise<void> {
    for (let pause = 10; !process.exit && !givenUp.aborted; pause = Math.min(pause * 1.5, 250)) {
      if (await accepts(this.url, this.timing.answer)) {
        this.serving = !givenUp.aborted;
        return;
      }
      const said = new Promise<void>(resolve => {
        this.wake = resolve;
      });
      if (!process.exit) await settles(said, pause);
    }
  }

  private whyNot(exit: Exit | undefined): string {
    const { href } = this.url;
    if (!exit)
      return `The server did not accept connections at ${href} within ${(this.timing.answer * 3) / 1000} s.`;
    if (exit.problem) return `${notStartedInWords(exit.problem)}.`;
    const how = exit.signal ? `was terminated by ${exit.signal}` : `exited with code ${exit.code}`;
    return `The server ${how} before it accepted connections at ${href}.`;
  }

  /** Records all output; resolves when the process has exited. */
  private record(endpoint: Endpoint): Promise<void> {
    const { command } = this.subject;
    const process = new ProcessRecord(endpoint, this.newTap(), { command, url: this.url.href }, () =>
      this.wake(),
    );
    this.process = process;
    return process.gone.then(() => {
      // the next dial starts the process again
      this.readiness = undefined;
      this.gone = undefined;
      if (this.serving) for (const listener of this.exitListeners) listener(process.exit!);
      this.serving = false;
    });
  }

  /** Stops the process; resolves when no process is left. */
  async stop(): Promise<void> {
    await this.process?.stop(this.timing.exit);
  }
}
