/** The process behind a URL: started, awaited, recorded, ended. */

import type { Tap } from '../../record/tap.js';
import type { Endpoint, Exit, ProcessSubject } from '../../subject/subject.js';
import { Clock, settles, waitFor } from '../../time/clock.js';
import type { Timing } from '../../time/timing.js';
import type { ConnectionFailure } from '../link.js';
import { ProcessRecord } from '../process-record.js';
import { accepts, exposure } from './reachable.js';

export class ServerProcess {
  started = 0;
  /** Measures waits for the process that is there at present. */
  clock = new Clock();
  private process: ProcessRecord | undefined;
  private readiness: Promise<ConnectionFailure | undefined> | undefined;
  private readonly exitListeners = new Set<(exit: Exit) => void>();
  private gone: Promise<void> | undefined;
  private exposed = false;
  /** It has taken connections. */
  private serving = false;
  /** Wakes whoever waits for the URL: the process has said something. */
  private wake = () => {};

  /** @param newTap where a process of its own is recorded: a link without conversation */
  constructor(
    private readonly subject: ProcessSubject,
    private readonly url: URL,
    private readonly timing: Timing,
    private readonly newTap: () => Tap,
  ) {}

  /** Starts it unless it runs, and waits until the URL takes connections. Gives what prevents that. */
  ready(): Promise<ConnectionFailure | undefined> {
    this.readiness ??= this.start();
    return this.readiness;
  }

  onExit(listener: (exit: Exit) => void): () => void {
    this.exitListeners.add(listener);
    return () => this.exitListeners.delete(listener);
  }

  /** Whether it goes within a moment: a connection is often closed before the process is gone. */
  goesSoon(): Promise<boolean> {
    return this.gone ? waitFor(this.gone, 500, this.clock) : Promise.resolve(true);
  }

  /** Where else it takes connections; told to the first who asks. */
  async exposure(): ReturnType<typeof exposure> {
    if (this.exposed) return [];
    this.exposed = true;
    return exposure(this.url, this.timing.exit);
  }

  /** The end of what it wrote, a line each. */
  stderrTail(): string[] {
    return this.process?.stderrTail() ?? [];
  }

  private async start(): Promise<ConnectionFailure | undefined> {
    if (await accepts(this.url, this.timing.answer))
      return {
        reason: `${this.url.href} answered before the command was started: another server is running there.`,
        details: ['Stop it, choose another port, or test it as it is, with --url and no command.'],
      };
    const endpoint = this.subject.start();
    this.started++;
    this.clock = new Clock(endpoint);
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

  /** Waits until the URL takes connections, or the process is gone, or nobody waits any more. */
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
      return `The server did not take connections at ${href} within ${(this.timing.answer * 3) / 1000} s.`;
    if (exit.problem) return 'The command could not be started.';
    const how = exit.signal ? `was ended by ${exit.signal}` : `exited with code ${exit.code}`;
    return `The server ${how} before it took connections at ${href}.`;
  }

  /** Writes down all it says; resolves when it is gone. */
  private record(endpoint: Endpoint): Promise<void> {
    const { command } = this.subject;
    const process = new ProcessRecord(endpoint, this.newTap(), { command, url: this.url.href }, () =>
      this.wake(),
    );
    this.process = process;
    return process.gone.then(() => {
      // whoever dials next starts it again
      this.readiness = undefined;
      this.gone = undefined;
      if (this.serving) for (const listener of this.exitListeners) listener(process.exit!);
      this.serving = false;
    });
  }

  /** Then nothing of it is left. */
  async stop(): Promise<void> {
    await this.process?.stop(this.timing.exit);
  }
}
