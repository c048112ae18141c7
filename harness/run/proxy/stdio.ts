/** The proxy on stdio: the client starts the proxy, the proxy starts the server, and bytes pass unchanged. */

import type { Readable, Writable } from 'node:stream';
import { notStartedInWords } from '../../record/not-started.js';
import type { RunEvent } from '../../report/run-event.js';
import type { Endpoint, ProcessSubject } from '../../subject/subject.js';
import { Clock, waitFor } from '../../time/clock.js';
import { LineReader } from '../../transports/stdio/line-reader.js';
import { CouldNotJudge } from '../could-not-judge.js';
import { Channel } from '../event-queue.js';
import { learnGiven } from '../given-secrets.js';
import { type LinkRecorder, ProxyRecorder, type ProxyRecorderOptions } from './log.js';
import { Network, type NetworkStream, ShapedWriter } from './network.js';

export interface StdioWatchOptions extends Omit<ProxyRecorderOptions, 'transport'> {
  readonly server: ProcessSubject;
  /** The client side: its output, its input, and the target for stderr of the server. */
  readonly input: Readable;
  readonly output: Writable;
  readonly errors: Writable;
  /** Registers a callback for signals from the client. */
  readonly onSignal: (listener: (signal: string) => void) => void;
  /**
   * Milliseconds after the end of its input in which the server has to exit; the client may have exited already.
   * Default: 10,000.
   */
  readonly grace?: number;
  /** The network between the client and the server; default: one without faults. */
  readonly network?: Network;
}

/**
 * Forwards and records until the server has exited.
 * @returns the events of the run; the last is `run-end`
 */
export async function* watchStdio(options: StdioWatchOptions): AsyncGenerator<RunEvent> {
  const channel = new Channel<RunEvent>();
  const recorder = new ProxyRecorder({ ...options, transport: 'stdio' }, event => channel.push(event));
  learnGiven(recorder.secrets, options.server);
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

/**
 * Forwards one conversation until the server has exited. Bytes are forwarded before they are recorded, so that the
 * record delays neither side.
 * @returns the reason when the server could not be started
 */
export async function relay(
  recorder: LinkRecorder,
  options: Omit<StdioWatchOptions, keyof ProxyRecorderOptions>,
): Promise<CouldNotJudge | undefined> {
  const { server, input, output, errors, grace = 10_000, network = new Network() } = options;
  const { tap, conversation } = recorder.newLink('stdio');
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
  const order = new ChunkOrder(said, heard);
  const toServer = pass(input, endpoint.stdin, chunk => order.push(said, chunk), network.begin('client'));
  pass(endpoint.stdout, output, chunk => order.push(heard, chunk), network.begin('server'));
  pass(endpoint.stderr, errors, chunk => tap({ kind: 'stderr', text: chunk.toString('utf8') }));
  // a stream that is destroyed has no `end`
  input.once('close', () => input.readableEnded || inputEnds());
  input.once('end', inputEnds);
  function inputEnds(): void {
    order.flush();
    said.end();
    tap({ kind: 'input-closed' });
    toServer.end(() => endpoint.stdin.end());
    void waitFor(endpoint.exited, grace, new Clock(endpoint)).then(inTime => {
      if (inTime) return;
      // the exit that follows is not caused by the client
      tap({ kind: 'closing' });
      endpoint.kill('SIGKILL');
    });
  }
  const drained = new Promise<void>(resolve => endpoint.stdout.once('close', resolve));
  endpoint.stdout.once('end', () => tap({ kind: 'output-closed' }));
  options.onSignal(signal => {
    tap({ kind: 'signal', signal });
    endpoint.kill('SIGTERM');
  });
  return ended(endpoint, drained, () => {
    order.flush();
    said.end();
    heard.end();
    input.pause();
  }).then(exit => {
    tap({ kind: 'exit', code: exit.code, signal: exit.signal });
    return exit.problem === undefined
      ? undefined
      : new CouldNotJudge(`${notStartedInWords(exit.problem, 'The server')}.`);
  });
}

/** Bytes that wait for the newline of the other side. */
const mostWaiting = 1_000_000;

/**
 * Records the chunks of two sides. A side may act on a message before the newline that ends its line: what it writes
 * then is recorded after that line.
 */
class ChunkOrder {
  private waiting: { readonly reader: LineReader; readonly chunk: Buffer }[] = [];
  private bytes = 0;

  constructor(
    private readonly client: LineReader,
    private readonly server: LineReader,
  ) {}

  push(reader: LineReader, chunk: Buffer): void {
    const other = reader === this.client ? this.server : this.client;
    const waits = this.waiting.length > 0 ? this.waiting[0]!.reader === reader : other.endsWithMessage;
    if (waits) {
      this.waiting.push({ reader, chunk });
      this.bytes += chunk.length;
      if (this.bytes > mostWaiting) this.flush();
      return;
    }
    const end = this.waiting.length > 0 ? chunk.indexOf('\n') + 1 : 0;
    if (end === 0) {
      reader.push(chunk);
      if (!reader.endsWithMessage) this.flush();
      return;
    }
    // what follows the newline may answer what waited for it
    reader.push(chunk.subarray(0, end));
    this.flush();
    if (end < chunk.length) this.push(reader, chunk.subarray(end));
  }

  flush(): void {
    const { waiting } = this;
    this.waiting = [];
    this.bytes = 0;
    for (const { reader, chunk } of waiting) reader.push(chunk);
  }
}

async function ended(endpoint: Endpoint, drained: Promise<void>, settle: () => void) {
  const exit = await endpoint.exited;
  // a child process that inherited stdout may keep it open for ever
  await waitFor(drained, 250);
  settle();
  endpoint.kill('SIGKILL');
  for (const stream of [endpoint.stdin, endpoint.stdout, endpoint.stderr]) stream.destroy();
  return exit;
}

/** Like `pipe`, but passes each chunk to the record after forwarding; does not end the target. */
function pass(
  from: Readable,
  to: Writable,
  look: (chunk: Buffer) => void,
  network?: NetworkStream,
): Pick<ShapedWriter, 'end'> {
  to.on('error', () => {}); // the target may be closed already
  from.on('error', () => {});
  const shaped = network?.fault && new ShapedWriter(to, network);
  from.on('data', (chunk: Buffer) => {
    if (shaped) {
      shaped.write(chunk);
      return look(chunk);
    }
    network?.shape(chunk);
    const ready = to.write(chunk);
    look(chunk);
    if (ready || to.destroyed) return;
    from.pause();
    const resume = () => from.resume();
    to.once('drain', resume).once('close', resume);
  });
  return shaped ?? { end: then => then() };
}
