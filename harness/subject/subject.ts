/** The implementation under test: its start, its connection, its complete removal. */

import { type ChildProcess, spawnSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { PassThrough, type Readable, type Writable } from 'node:stream';
import { type Threads, threadsOf } from '../time/cpu-time.js';
import { Descendants, isStopped, processes } from './descendants.js';
import type { PlainHandler } from './plain-http.js';

export interface Exit {
  readonly code: number | null;
  readonly signal: string | null;
  /** The reason why the process could not be started. */
  readonly problem?: string;
}

/** A started process, or an equivalent. */
export interface Endpoint {
  readonly pid?: number;
  readonly stdin: Writable;
  readonly stdout: Readable;
  readonly stderr: Readable;
  readonly exited: Promise<Exit>;
  kill(signal: 'SIGTERM' | 'SIGKILL'): void;
  /** Remembers the processes that the subject has started: they lose their parent when it exits. */
  remember?(): void;
  /** Calls the listener once when the subject has more processes than a run permits, with the limit in words. */
  onSwarm?(listener: (limit: string) => void): void;
  /** Ids of processes started by the subject that are still alive. */
  survivors(): number[];
  /** True while a signal (SIGSTOP) keeps the process from running, on Linux. */
  isStopped?(): boolean;
  /** CPU times of the process and its descendants; absent for a subject without its own process. */
  threads?(): Threads;
}

/** A subject that the harness starts and connects to by its standard streams. */
export interface ProcessSubject {
  /** As given, for reports and `reproduce`; undefined for in-process subjects. */
  readonly command?: readonly string[];
  readonly cwd: string;
  /** Variables for the process in addition to those of the harness. */
  readonly env?: Readonly<Record<string, string>>;
  start(): Endpoint;
}

/** Headers that prove something about a request. */
export interface RequestProofs {
  headersFor(method: string, url: URL): readonly (readonly [name: string, value: string])[];
  /** Reads the head of a response. */
  learn(header: (name: string) => string | undefined): void;
}

/** A subject with a URL. */
export interface UrlSubject {
  readonly url: string;
  /** Sent with every request; the values are hidden in every record. */
  readonly headers: Readonly<Record<string, string>>;
  /** Further headers, new for each request. */
  readonly proofs?: RequestProofs;
  /** Started first, and terminated at the end; absent when the server is running already. */
  readonly process?: ProcessSubject;
  /** Replaces the network. */
  readonly fetch?: FetchHandler;
  /** The same handler as `fetch`, at less cost. @internal */
  readonly plain?: PlainHandler;
  /** Requests go to private, link-local and loopback addresses that the subject names. */
  readonly allowExternal?: boolean;
}

export type Subject = ProcessSubject | UrlSubject;

export interface UrlOptions {
  readonly headers?: Readonly<Record<string, string>>;
  /** The server process for the URL, when it is not running yet: `spawn('node', ['server.js'])`. */
  readonly process?: ProcessSubject;
  /** A web-standard handler in this process that replaces the network, such as `app.fetch` of Hono. */
  readonly fetch?: FetchHandler;
  /**
   * Requests of the authorization flow may go to private, link-local and loopback addresses that the server names;
   * default: only to hosts with public addresses, and to the host of the server.
   */
  readonly allowExternal?: boolean;
}

/**
 * A server at a URL.
 * @param address absolute, http or https
 * @throws {TypeError} for any other address
 */
export function url(address: string, options: UrlOptions = {}): UrlSubject {
  const { headers = {}, process, fetch, allowExternal } = options;
  const { protocol, href } = new URL(address);
  if (protocol !== 'http:' && protocol !== 'https:')
    throw new TypeError(`"${address}" is not an http(s) URL.`);
  return {
    url: href,
    headers,
    ...(process && { process }),
    ...(fetch && { fetch }),
    ...(allowExternal && { allowExternal }),
  };
}

export interface SpawnOptions {
  /** Working directory; default: that of the caller. */
  readonly cwd?: string;
  /** Added to the environment of the caller. */
  readonly env?: Readonly<Record<string, string>>;
}

/** Live processes that one subject has started; docs/limits.md lists it. */
const mostProcesses = 200;

/** Milliseconds between two counts of the processes of a subject. */
const countEveryMs = 1_000;

/** Marks every descendant of a subject, including those that left their process group. */
const MARK = 'MCP_CONFORM_SUBJECT';

/** Variables of the harness that a subject does not get: a subject has no use for the credentials of the user. */
const ownVariables = { MCP_CONFORM_BEARER_TOKEN: undefined };
const running = new Set<Endpoint>();
let guarded = false;

/** Kills all subjects when this process exits, for any reason. */
function guard(): void {
  if (guarded) return;
  guarded = true;
  process.once('exit', () => {
    for (const endpoint of running) endpoint.kill('SIGKILL');
  });
}

/**
 * A subject started by a command, as an argument vector, without a shell.
 * @param file the program, looked up in PATH
 */
export function spawn(
  file: string,
  args: readonly string[] = [],
  options: SpawnOptions = {},
): ProcessSubject {
  const { cwd = process.cwd(), env = {} } = options;
  return { command: [file, ...args], cwd, env, start: () => startProcess(file, args, cwd, env) };
}

/** Loaded at the first start of a process: subjects with a URL do not need it. */
const crossSpawn = (): typeof import('cross-spawn').default => createRequire(import.meta.url)('cross-spawn');

function startProcess(
  file: string,
  args: readonly string[],
  cwd: string,
  env: Readonly<Record<string, string>>,
): Endpoint {
  guard();
  const mark = randomUUID();
  const grouped = process.platform !== 'win32';
  const before = processes();
  let child: ChildProcess;
  try {
    child = crossSpawn()(file, args, {
      cwd,
      env: { ...process.env, ...ownVariables, ...env, [MARK]: mark },
      stdio: 'pipe',
      detached: grouped,
      windowsHide: true,
    });
  } catch (error) {
    return neverStarted((error as Error).message);
  }
  const { pid } = child;
  const descendants = pid === undefined ? undefined : new Descendants(pid, `${MARK}=${mark}`, before);
  const living = () => {
    const isOpen = !child.stdout?.readableEnded || !child.stderr?.readableEnded;
    return descendants?.living(isOpen) ?? [];
  };
  const kill = (signal: 'SIGTERM' | 'SIGCONT' | 'SIGKILL') => {
    try {
      if (pid === undefined) return;
      // Windows has no process groups, and each signal ends the one process: what a launcher such as npx or a .cmd
      // file has started is only found by taskkill, and only while the launcher lives
      if (process.platform === 'win32')
        spawnSync('taskkill', ['/pid', String(pid), '/T', '/F'], { stdio: 'ignore', windowsHide: true });
      else process.kill(grouped ? -pid : pid, signal);
    } catch {
      // already gone
    }
  };
  const endpoint: Endpoint = {
    ...(pid !== undefined && { pid }),
    stdin: child.stdin!,
    stdout: child.stdout!,
    stderr: child.stderr!,
    exited: new Promise(resolve => {
      child.once('exit', (code, signal) => resolve({ code, signal }));
      child.once('error', error => resolve({ code: null, signal: null, problem: error.message }));
    }),
    kill(signal) {
      descendants?.remember();
      kill(signal);
      // a stopped process gets SIGTERM when it continues
      if (signal === 'SIGTERM' && grouped) kill('SIGCONT');
      if (signal === 'SIGKILL') for (const left of living()) killOne(left);
    },
    remember: () => descendants?.remember(),
    onSwarm(listener) {
      const timer = setInterval(() => {
        if ((descendants?.count ?? 0) <= mostProcesses) return;
        clearInterval(timer);
        listener(`the subject has more than ${mostProcesses} processes, the limit`);
      }, countEveryMs).unref();
      child.once('exit', () => clearInterval(timer));
      child.once('error', () => clearInterval(timer));
    },
    survivors: () => (pid === undefined ? [] : survivors(pid, living, grouped)),
    ...(pid !== undefined && { isStopped: () => isStopped(pid), threads: threadsOf(pid) }),
  };
  running.add(endpoint);
  // not on `exit`: descendants may be alive until the link has terminated them and closed its streams
  child.once('close', () => running.delete(endpoint));
  return endpoint;
}

/**
 * The operating system refused the start: for example an argument that is too long or contains a zero byte.
 */
function neverStarted(problem: string): Endpoint {
  const [stdin, stdout, stderr] = [new PassThrough(), new PassThrough(), new PassThrough()];
  stdout.end();
  stderr.end();
  const exited = Promise.resolve({ code: null, signal: null, problem });
  return { stdin, stdout, stderr, exited, kill: () => {}, survivors: () => [] };
}

function killOne(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // already gone
  }
}

function survivors(pid: number, living: () => number[], grouped: boolean): number[] {
  if (existsSync('/proc/self/environ')) return living();
  try {
    if (grouped) process.kill(-pid, 0);
    return grouped ? [pid] : [];
  } catch {
    return [];
  }
}

/** Streams of an in-process subject. */
export interface Streams {
  readonly stdin: Readable;
  readonly stdout: Writable;
  readonly stderr: Writable;
  /** Aborted instead of a signal to a process; `reason` is the signal. */
  readonly signal: AbortSignal;
}

/**
 * A subject in this process, connected by a pair of streams like a stdio server.
 * @param serve runs the server and resolves with its exit code
 */
export function inProcess(serve: (streams: Streams) => Promise<number>): ProcessSubject {
  return { cwd: process.cwd(), start: () => startInProcess(serve) };
}

function startInProcess(serve: (streams: Streams) => Promise<number>): Endpoint {
  const [stdin, stdout, stderr] = [new PassThrough(), new PassThrough(), new PassThrough()];
  const abort = new AbortController();
  let forced: () => void = () => {};
  const killed = new Promise<Exit>(resolve => {
    forced = () => resolve({ code: null, signal: 'SIGKILL' });
  });
  const ended = serve({ stdin, stdout, stderr, signal: abort.signal }).then(
    (code): Exit => ({ code, signal: null }),
    (error: unknown): Exit => {
      stderr.write(String(error));
      return { code: 1, signal: null };
    },
  );
  const exited = Promise.race([ended, killed]).then(exit => {
    stdout.end();
    stderr.end();
    return exit;
  });
  return {
    stdin,
    stdout,
    stderr,
    exited,
    kill(signal) {
      abort.abort(signal);
      if (signal === 'SIGKILL') forced();
    },
    survivors: () => [],
  };
}
/** The handler of a server framework: `app.fetch` of Hono, a route handler, the mock. */
export type FetchHandler = (request: Request) => Response | Promise<Response>;
