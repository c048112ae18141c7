/** Stands between a client and its server on stdio: the client starts us, we start the server, and bytes pass as they are. */

import type { Readable, Writable } from 'node:stream';
import type { RunEvent } from '../../report/run-event.js';
import type { Endpoint, ProcessSubject } from '../../subject/subject.js';
import { Clock, waitFor } from '../../time/clock.js';
import { LineReader } from '../../transports/stdio/line-reader.js';
import { CouldNotJudge } from '../could-not-judge.js';
import { Channel } from '../event-queue.js';
import { ProxyRecorder, type ProxyRecorderOptions } from './log.js';

export interface StdioWatchOptions extends Omit<ProxyRecorderOptions, 'transport'> {
  readonly server: ProcessSubject;
  /** The client's side: what it writes, what it reads, and where the server's stderr goes. */
  readonly input: Readable;
  readonly output: Writable;
  readonly errors: Writable;
  /** Calls back when the client tells us to end. */
  readonly onSignal: (listener: (signal: string) => void) => void;
}

/** A server that outlives its input by so many milliseconds is ended: the client may be gone. */
const grace = 10_000;

/**
 * Watches until the server is gone.
 * @returns the events of the run; the last is `run-end`
 */
export async function* watchStdio(options: StdioWatchOptions): AsyncGenerator<RunEvent> {
  const channel = new Channel<RunEvent>();
  const recorder = new ProxyRecorder({ ...options, transport: 'stdio' }, event => channel.push(event));
  const { command = null, cwd } = { command: options.server.command, ...options.server };
  recorder.start({ command, url: null, cwd });
  void relay(recorder, options).then(
    unjudged => {
      recorder.end(1, unjudged);
      channel.end();
    },
    (error: unknown) => channel.end({ error }),
  );
  yield* channel;
}

/** Passes bytes on first and looks at them then, so that nobody waits for the record. */
async function relay(
  recorder: ProxyRecorder,
  options: StdioWatchOptions,
): Promise<CouldNotJudge | undefined> {
  const { server, input, output, errors } = options;
  const { tap, conversation } = recorder.newLink();
  const endpoint = server.start();
  tap({
    kind: 'open',
    transport: 'stdio',
    revision: conversation.revision.id,
    ...(server.command && { argv: server.command }),
    ...(endpoint.pid !== undefined && { pid: endpoint.pid }),
  });
  const record = { tap, onMessages: () => {}, onOverflow: () => {} };
  const said = new LineReader({ by: 'client', ...record });
  const heard = new LineReader({ by: 'server', ...record });
  pass(input, endpoint.stdin, chunk => said.push(chunk));
  pass(endpoint.stdout, output, chunk => heard.push(chunk));
  pass(endpoint.stderr, errors, chunk => tap({ kind: 'stderr', text: chunk.toString('utf8') }));
  input.once('end', () => {
    said.end();
    tap({ kind: 'input-closed' });
    endpoint.stdin.end();
    void waitFor(endpoint.exited, grace, new Clock(endpoint)).then(
      inTime => inTime || endpoint.kill('SIGKILL'),
    );
  });
  const drained = new Promise<void>(resolve => endpoint.stdout.once('close', resolve));
  endpoint.stdout.once('end', () => tap({ kind: 'output-closed' }));
  options.onSignal(signal => {
    tap({ kind: 'signal', signal });
    endpoint.kill('SIGTERM');
  });
  return ended(endpoint, drained, () => {
    said.end();
    heard.end();
    input.pause();
  }).then(exit => {
    tap({ kind: 'exit', code: exit.code, signal: exit.signal });
    return exit.problem === undefined
      ? undefined
      : new CouldNotJudge(`The server could not be started: ${exit.problem}`);
  });
}

async function ended(endpoint: Endpoint, drained: Promise<void>, settle: () => void) {
  const exit = await endpoint.exited;
  // a child that inherited stdout may keep it open for ever
  await waitFor(drained, 250);
  settle();
  endpoint.kill('SIGKILL');
  for (const stream of [endpoint.stdin, endpoint.stdout, endpoint.stderr]) stream.destroy();
  return exit;
}

/** As `pipe` does, but each chunk is looked at when it is on its way; the end is left to others. */
function pass(from: Readable, to: Writable, look: (chunk: Buffer) => void): void {
  to.on('error', () => {}); // whoever is gone is not told any more
  from.on('error', () => {});
  from.on('data', (chunk: Buffer) => {
    const ready = to.write(chunk);
    look(chunk);
    if (ready || to.destroyed) return;
    from.pause();
    const resume = () => from.resume();
    to.once('drain', resume).once('close', resume);
  });
}
