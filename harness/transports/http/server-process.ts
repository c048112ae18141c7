/** The process behind a URL: started, awaited, recorded, ended. */

import type { Tap, Timing, Trouble } from '../../link.js';
import type { Endpoint, Exit, ProcessSubject } from '../../subject.js';
import { waitFor } from '../../wait.js';
import { accepts } from './reach.js';

/** Characters of output kept in the record; the rest is read and dropped. */
const keptOutput = 256 * 1024;

export class ServerProcess {
  started = 0;
  private endpoint: Endpoint | undefined;
  private tap: Tap | undefined;
  private readiness: Promise<Trouble | undefined> | undefined;
  private readonly exitListeners = new Set<(exit: Exit) => void>();
  private gone: Promise<void> | undefined;
  /** It has taken connections. */
  private serving = false;
  private tail = '';
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
  ready(): Promise<Trouble | undefined> {
    this.readiness ??= this.start();
    return this.readiness;
  }

  onExit(listener: (exit: Exit) => void): () => void {
    this.exitListeners.add(listener);
    return () => this.exitListeners.delete(listener);
  }

  /** Whether it goes within a moment: a connection is often closed before the process is gone. */
  goesSoon(): Promise<boolean> {
    return this.gone ? waitFor(this.gone, 500) : Promise.resolve(true);
  }

  /** The end of what it wrote, a line each. */
  lastWords(): string[] {
    return this.tail
      .split(/\r?\n/)
      .filter(line => line.trim() !== '')
      .slice(-8);
  }

  private async start(): Promise<Trouble | undefined> {
    if (await accepts(this.url, this.timing.answer))
      return {
        reason: `${this.url.href} answered before the command was started: another server is running there.`,
        details: ['Stop it, choose another port, or test it as it is, with --url and no command.'],
      };
    const endpoint = this.subject.start();
    this.started++;
    this.endpoint = endpoint;
    let exit: Exit | undefined;
    void endpoint.exited.then(e => {
      exit = e;
      this.wake();
    });
    const gone = this.record(endpoint);
    this.gone = gone;
    const until = performance.now() + this.timing.answer * 3;
    for (let pause = 10; performance.now() < until && !exit; pause = Math.min(pause * 1.5, 250)) {
      if (await accepts(this.url, this.timing.answer)) {
        this.serving = true;
        return undefined;
      }
      const said = new Promise<void>(resolve => {
        this.wake = resolve;
      });
      if (!exit) await waitFor(said, pause);
    }
    if (exit) await gone;
    return { reason: this.whyNot(exit), details: this.lastWords().map(line => `output: ${line}`) };
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
    const tap = this.newTap();
    this.tap = tap;
    const { command } = this.subject;
    tap({
      kind: 'open',
      transport: 'process',
      revision: '',
      ...(command && { argv: command }),
      ...(endpoint.pid !== undefined && { pid: endpoint.pid }),
      url: this.url.href,
    });
    let kept = 0;
    const listen = (stream: Endpoint['stdout'], stdout: boolean) => {
      stream.on('error', () => {});
      const ended = new Promise<void>(resolve => stream.once('close', resolve));
      stream.on('data', (chunk: Buffer) => {
        const text = chunk.toString('utf8');
        this.tail = (this.tail + text).slice(-4096);
        this.wake();
        if (kept > keptOutput) return;
        kept += chunk.length;
        tap({ kind: 'stderr', text, ...(stdout && { stdout: true }) });
      });
      return ended;
    };
    const drained = Promise.all([listen(endpoint.stdout, true), listen(endpoint.stderr, false)]);
    endpoint.stdin.on('error', () => {});
    return endpoint.exited.then(async exit => {
      // a child that inherited them may keep them open for ever
      await waitFor(drained, 250);
      if (exit.problem) {
        this.tail += exit.problem;
        tap({ kind: 'stderr', text: exit.problem });
      }
      tap({ kind: 'exit', code: exit.code, signal: exit.signal });
      // whoever dials next starts it again
      this.endpoint = undefined;
      this.readiness = undefined;
      this.gone = undefined;
      if (this.serving) for (const listener of this.exitListeners) listener(exit);
      this.serving = false;
    });
  }

  /** SIGTERM, and after a while SIGKILL; then nothing of it is left. */
  async stop(): Promise<void> {
    const { endpoint, timing } = this;
    const tap = this.tap ?? (() => []);
    if (endpoint) {
      tap({ kind: 'signal', signal: 'SIGTERM' });
      endpoint.kill('SIGTERM');
      if (!(await waitFor(endpoint.exited, timing.exit))) {
        tap({ kind: 'deadline', label: 'exit-after-sigterm', ms: timing.exit });
        tap({ kind: 'signal', signal: 'SIGKILL' });
      }
      endpoint.kill('SIGKILL');
      await endpoint.exited;
      endpoint.stdout.destroy();
      endpoint.stderr.destroy();
      endpoint.stdin.destroy();
    }
  }
}
