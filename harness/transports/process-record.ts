/** Records the output and the end of a subject process whose standard streams carry no messages. */

import { lastWords } from '../record/last-words.js';
import { isSpawnError } from '../record/not-started.js';
import type { Tap } from '../record/tap.js';
import type { Endpoint, Exit } from '../subject/subject.js';
import { Clock, waitFor } from '../time/clock.js';
import { ExitPatience } from './stdio/exit-patience.js';

/** Maximum number of characters of output in the record; further output is discarded. */
const kept = 256 * 1024;

/** Number of characters of the last output, for a report on the end of the process. */
const tailSize = 16_384;

/** Milliseconds between two reads of discarded output: an endless output must not use up the CPU. */
const slow = 25;

interface ProcessFacts {
  readonly command: readonly string[] | undefined;
  /** The URL of the server, or the address to connect to. */
  readonly url?: string;
  readonly revision?: string;
}

export class ProcessRecord {
  /** Set when the process has exited. */
  exit: Exit | undefined;
  /** Resolves when the process has exited and its last output is recorded. */
  readonly gone: Promise<void>;
  private tail = '';
  private size = 0;

  /** @param wake called for each activity of the process, with the number of bytes of its output */
  constructor(
    private readonly endpoint: Endpoint,
    private readonly tap: Tap,
    { command, url, revision = '' }: ProcessFacts,
    private readonly wake: (bytes: number) => void = () => {},
  ) {
    tap({
      kind: 'open',
      transport: 'process',
      revision,
      ...(command && { argv: command }),
      ...(endpoint.pid !== undefined && { pid: endpoint.pid }),
      ...(url !== undefined && { url }),
    });
    const drained = Promise.all([this.read('stdout'), this.read('stderr')]);
    endpoint.stdin.on('error', () => {});
    void endpoint.exited.then(exit => {
      this.exit = exit;
      wake(0);
    });
    this.gone = endpoint.exited.then(async exit => {
      // a child process that inherited the streams may keep them open for ever
      await waitFor(drained, 250);
      if (exit.problem) this.keep(exit.problem, false);
      tap({ kind: 'exit', code: exit.code, signal: exit.signal });
    });
  }

  /** True while a signal (SIGSTOP) keeps the process from running. */
  get isStopped(): boolean {
    return !this.exit && this.endpoint.isStopped?.() === true;
  }

  /** True if further output is discarded. */
  private get isFull(): boolean {
    return this.size > kept;
  }

  private read(name: 'stdout' | 'stderr'): Promise<void> {
    const stream = this.endpoint[name];
    stream.on('error', () => {});
    stream.on('data', (chunk: Buffer) => {
      this.keep((this.isFull ? chunk.subarray(-tailSize) : chunk).toString('utf8'), name === 'stdout');
      this.wake(chunk.length);
      if (this.isFull) {
        stream.pause();
        setTimeout(() => stream.resume(), slow).unref();
      }
    });
    return new Promise(resolve => stream.once('close', resolve));
  }

  private keep(text: string, stdout: boolean): void {
    this.tail = (this.tail + text).slice(-tailSize);
    if (this.isFull) return;
    this.size += text.length;
    this.tap({ kind: 'stderr', text, ...(stdout && { stdout: true }) });
  }

  /** The last lines of the output; the reason why a process could not be started is none. */
  stderrTail(count = 8): string[] {
    const lines = this.tail.split(/\r?\n/).filter(line => line.trim() !== '' && !isSpawnError(line));
    return lastWords(lines, count);
  }

  /**
   * Sends SIGTERM, then SIGKILL; resolves when no process is left.
   * @param grace milliseconds between the two signals
   * @param exits shared by the processes of the subject: one that ignores SIGTERM is the evidence for all
   */
  async stop(grace: number, exits = new ExitPatience()): Promise<void> {
    const { endpoint, tap } = this;
    if (!this.exit) {
      tap({ kind: 'signal', signal: 'SIGTERM' });
      endpoint.kill('SIGTERM');
      const end = await exits.wait('exit-after-sigterm', endpoint.exited, new Clock(endpoint), grace);
      if (typeof end === 'object') tap({ kind: 'deadline', label: 'exit-after-sigterm', ...end });
      if (end !== 'exited') tap({ kind: 'signal', signal: 'SIGKILL' });
    }
    endpoint.kill('SIGKILL');
    await endpoint.exited;
    for (const stream of [endpoint.stdout, endpoint.stderr, endpoint.stdin]) stream.destroy();
  }
}
