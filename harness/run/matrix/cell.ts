/** One cell: a real client talks to a real server, through the proxy, once and in bounded time. */

import type { Json } from '../../../spec/json-rpc.js';
import type { TransportId } from '../../../spec/revisions.js';
import type { Rule, RunRule } from '../../judge/rule.js';
import { Secrets } from '../../record/redaction.js';
import type { RunEvent } from '../../report/run-event.js';
import type { Script } from '../../scenario/script.js';
import { type Endpoint, type Exit, type ProcessSubject, spawn } from '../../subject/subject.js';
import { Clock, waitFor } from '../../time/clock.js';
import { defaultTiming } from '../../time/timing.js';
import { ServerProcess } from '../../transports/http/server-process.js';
import { argumentsFor, taskEnvironment } from '../client-command.js';
import { freePort } from '../free-port.js';
import { learnGiven } from '../given-secrets.js';
import { watchHttp } from '../proxy/http.js';
import { ProxyRecorder } from '../proxy/log.js';
import { relay } from '../proxy/stdio.js';
import { openStdioDoor } from '../proxy/stdio-door.js';
import type { Cell, ServerPlace } from './plan.js';
import { Tail } from './tail.js';

interface CellLimits {
  /** The longest time for the client, in milliseconds. */
  readonly ms: number;
  /** Aborted when the matrix ends early. */
  readonly stop: AbortSignal;
}

/** What happened in a cell. */
export interface CellRun {
  readonly events: readonly RunEvent[];
  /** Set when nothing could be tried: the reason in a sentence. */
  readonly impossible?: string;
  readonly exit?: Exit;
  /** How the server process over HTTP ended before the client did. */
  readonly died?: string;
  /** The client was still running at the limit. */
  readonly late: boolean;
  /** Lines on the standard output of the client, where a driver reports its steps. */
  readonly said: readonly string[];
  readonly output: { readonly client: readonly string[]; readonly server: readonly string[] };
}

type Address = { readonly url: string } | { readonly command: readonly string[] };

/** Milliseconds in which the server has to exit when its client is gone; then it is terminated. */
const grace = 5_000;

/** @param cell a cell with a transport */
export async function runCell(
  cell: Cell,
  steps: Script,
  rules: readonly (Rule | RunRule)[],
  limits: CellLimits,
): Promise<CellRun> {
  const transport = cell.transport!;
  const place = cell.server.places[transport]!;
  const ran =
    transport === 'stdio'
      ? await overStdio(cell, place, steps, rules, limits)
      : await overHttp(cell, { ...place, transport }, steps, rules, limits);
  const secrets = new Secrets();
  for (const program of [cell.server, cell.client]) learnGiven(secrets, program);
  const { said, output, impossible } = ran;
  return { ...ran, ...secrets.hideIn({ said, output, ...(impossible !== undefined && { impossible }) }) };
}

async function overStdio(
  cell: Cell,
  place: ServerPlace,
  steps: Script,
  rules: readonly (Rule | RunRule)[],
  limits: CellLimits,
): Promise<CellRun> {
  const events: RunEvent[] = [];
  const tail = new Tail();
  const recorder = new ProxyRecorder(
    { rules, transport: 'stdio', programs: [cell.server, cell.client] },
    event => {
      events.push(event);
      if (event.kind === 'wire' && event.event.kind === 'stderr') tail.push(event.event.text);
    },
  );
  recorder.start({ command: place.command!, url: null, cwd: cell.server.cwd });
  const server = serverProcess(cell, place.command!, {});
  const conversations: Promise<string | undefined>[] = [];
  const door = await openStdioDoor(visit => {
    const talk = relay(recorder, { server, grace, ...visit }).then(problem => problem?.message);
    conversations.push(talk);
    void talk.then(() => visit.leave(0));
  });
  const ran = await runClient(cell, { command: door.command }, steps, limits);
  await door.close();
  const [problem] = (await Promise.all(conversations)).filter(text => text !== undefined);
  recorder.end(conversations.length);
  return {
    ...ran,
    events,
    ...(problem !== undefined && { impossible: problem }),
    output: { client: ran.words, server: tail.lines() },
  };
}

async function overHttp(
  cell: Cell,
  place: ServerPlace & { readonly transport: TransportId },
  steps: Script,
  rules: readonly (Rule | RunRule)[],
  limits: CellLimits,
  isSecond = false,
): Promise<CellRun> {
  const tail = new Tail();
  const { process, url, problem } = await startServer(cell, place, tail);
  const nothing = { events: [], late: false, said: [] };
  if (problem !== undefined)
    return { ...nothing, impossible: problem, output: { client: [], server: tail.lines() } };
  const events: RunEvent[] = [];
  let ran: Awaited<ReturnType<typeof runClient>> | undefined;
  let died: string | undefined;
  process?.onExit(({ code, signal }) => {
    if (!ran) died = signal ? `was terminated by ${signal}` : `exited with code ${code}`;
  });
  let finish: () => void = () => {};
  const until = new Promise<void>(resolve => {
    finish = resolve;
  });
  const onListening = (own: string) => {
    void runClient(cell, { url: own }, steps, limits).then(result => {
      ran = result;
      finish();
    });
  };
  const { transport } = place;
  for await (const event of watchHttp({
    rules,
    transport,
    url,
    port: 0,
    onListening,
    until,
    programs: [cell.server, cell.client],
  }))
    events.push(event);
  await process?.stop();
  // another program took the port after it was chosen, and accepted the connections
  if (died !== undefined && !isSecond && isPortTaken(tail))
    return overHttp(cell, place, steps, rules, limits, true);
  return {
    ...ran!,
    events,
    ...(died !== undefined && { died }),
    output: { client: ran!.words, server: tail.lines() },
  };
}

const isPortTaken = (tail: Tail): boolean =>
  /EADDRINUSE|address already in use/i.test(tail.lines().join(' '));

/** Starts the server of a URL. A port that another program has taken meanwhile is replaced once. */
async function startServer(cell: Cell, { command, url }: ServerPlace, tail: Tail) {
  for (let attempt = 1; ; attempt++) {
    const port = String(await freePort());
    const own = url!.replaceAll('{port}', port);
    if (command === undefined) return { url: own };
    const subject = serverProcess(cell, command, { '{port}': port });
    const process = new ServerProcess(subject, new URL(own), defaultTiming, () => event => {
      if (event.kind === 'stderr') tail.push(event.text);
      return [];
    });
    const failure = await process.ready();
    if (failure === undefined) return { process, url: own };
    await process.stop();
    const isTaken = isPortTaken(tail) || failure.reason.includes('responded before');
    if (attempt === 2 || !isTaken || own === url) return { url: own, problem: failure.reason };
  }
}

function serverProcess(
  { server, revision }: Cell,
  command: readonly string[],
  places: Readonly<Record<string, string>>,
): ProcessSubject {
  const fill = filler({ ...places, '{revision}': revision! });
  const [file, ...args] = command.map(fill);
  return spawn(file!, args, { cwd: server.cwd, env: filled(server.env, fill) });
}

async function runClient(cell: Cell, address: Address, steps: Script, { ms, stop }: CellLimits) {
  const endpoint = startClient(cell, address, steps);
  endpoint.stdin.on('error', () => {});
  endpoint.stdin.end();
  const words = new Tail();
  const output = new Tail(mostReports);
  for (const stream of [endpoint.stdout, endpoint.stderr]) stream.on('error', () => {});
  endpoint.stdout.on('data', (chunk: Buffer) => output.push(chunk.toString('utf8')));
  endpoint.stderr.on('data', (chunk: Buffer) => words.push(chunk.toString('utf8')));
  const stopped = new Promise<void>(resolve =>
    stop.addEventListener('abort', () => resolve(), { once: true }),
  );
  const inTime = await waitFor(Promise.race([endpoint.exited, stopped]), ms, new Clock(endpoint));
  endpoint.kill('SIGKILL');
  const exit = await endpoint.exited;
  // the last output may arrive after the exit
  await waitFor(Promise.all([closed(endpoint.stdout), closed(endpoint.stderr)]), 250);
  return { exit, late: !inTime, said: output.lines(), words: words.lines() };
}

function startClient({ client, transport, revision, name }: Cell, address: Address, steps: Script): Endpoint {
  const task = {
    address,
    transport: transport!,
    scenario: `matrix/${name}`,
    script: steps as unknown as Json,
    revision: revision!,
  };
  if (client.start) return client.start({ ...task, official: { name: '' } });
  const fill = filler({ '{revision}': revision! });
  const [file, ...args] = argumentsFor(client.command.map(fill), address);
  const env = { ...filled(client.env, fill), ...taskEnvironment(task), MCP_CONFORM_REPORT: 'steps' };
  return spawn(file!, args, { cwd: client.cwd, env }).start();
}

/** Lines of standard output that are kept of a client. */
const mostReports = 2_000;

const closed = (stream: NodeJS.ReadableStream & { readonly destroyed?: boolean }): Promise<void> =>
  new Promise(resolve => {
    if (stream.destroyed) resolve();
    else stream.once('close', () => resolve());
  });

const filler =
  (places: Readonly<Record<string, string>>) =>
  (text: string): string =>
    Object.entries(places).reduce((so, [place, value]) => so.replaceAll(place, value), text);

const filled = (env: Readonly<Record<string, string>>, fill: (text: string) => string) =>
  Object.fromEntries(Object.entries(env).map(([name, value]) => [name, fill(value)]));
