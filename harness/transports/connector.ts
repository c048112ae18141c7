/** Opens links to a subject over one transport, and stops the processes and connections of these links. */

import type { Agent } from 'undici';
import type { JsonObject } from '../../spec/json-rpc.js';
import type { TransportId } from '../../spec/revisions.js';
import type { Tap } from '../record/tap.js';
import type { Endpoint, ProcessSubject, RequestProofs, Subject, UrlSubject } from '../subject/subject.js';
import type { Timing } from '../time/timing.js';
import { InProcess } from './http/in-process.js';
import { ServerProcess } from './http/server-process.js';
import { boundedAgent } from './http/undici.js';
import { dialHttpSse } from './http-sse/connect.js';
import type { DialOptions, Link } from './link.js';
import { dialStdio } from './stdio/connect.js';
import { dialStreamableHttp } from './streamable-http/connect.js';

export interface TransportClient {
  readonly transport: TransportId;
  /** Number of subject processes started so far. */
  readonly started: number;
  dial(options: DialOptions): Link;
  /** Starts the process of a later link ahead; absent where links share a server. */
  prepare?(): void;
  /** Stops the processes that have started ahead and have no link. */
  stopPrepared?(): Promise<void>;
  /** Sets the token that later links send; absent for a transport without authorization. */
  authorize?(token: string): void;
  /** Sets a token that later links send after `DPoP`, with a proof for each request. */
  authorizeBound?(token: string, proofs: RequestProofs): void;
  /** Releases everything that the links share. */
  end(): Promise<void>;
}

/** Default transport of a subject. */
export const defaultTransport = (subject: Subject): TransportId =>
  'url' in subject ? 'streamable-http' : 'stdio';

/**
 * @param newTap where a process that serves a URL is recorded
 * @throws {Error} when the transport is not possible for the subject
 */
export function transportClient(
  subject: Subject,
  transport: TransportId,
  timing: Timing,
  newTap: () => Tap,
): TransportClient {
  if ('url' in subject !== (transport !== 'stdio'))
    throw new Error(
      `A subject ${'url' in subject ? 'at a URL' : 'on its standard streams'} does not support ${transport}.`,
    );
  if ('url' in subject) return new HttpConnector(subject, transport, timing, newTap);
  return new StdioConnector(subject);
}

class StdioConnector implements TransportClient {
  readonly transport = 'stdio';
  started = 0;
  /** Processes without a link so far; nothing reads their streams. */
  private readonly ahead: Endpoint[] = [];

  constructor(private readonly subject: ProcessSubject) {}

  dial(options: DialOptions): Link {
    return dialStdio(options, this.subject, this.ahead.shift() ?? this.start());
  }

  prepare(): void {
    this.ahead.push(this.start());
  }

  private start(): Endpoint {
    this.started++;
    return this.subject.start();
  }

  end(): Promise<void> {
    return this.stopPrepared();
  }

  async stopPrepared(): Promise<void> {
    const left = this.ahead.splice(0);
    for (const { kill, stdout, stderr } of left) {
      kill('SIGKILL');
      stdout.destroy();
      stderr.destroy();
    }
    await Promise.all(left.map(({ exited }) => exited));
  }
}

class HttpConnector implements TransportClient {
  private readonly agent: Agent | InProcess;
  private readonly server: ServerProcess | undefined;
  private readonly inputSchemas = new Map<string, JsonObject>();

  constructor(
    private subject: UrlSubject,
    readonly transport: TransportId,
    timing: Timing,
    newTap: () => Tap,
  ) {
    this.agent = subject.fetch ? new InProcess(subject.fetch, subject.plain) : networkAgent(timing);
    if (subject.process)
      this.server = new ServerProcess(subject.process, new URL(subject.url), timing, newTap);
  }

  get started(): number {
    return this.server?.started ?? 0;
  }

  dial(options: DialOptions): Link {
    const { agent, server } = this;
    const subject = options.anonymous ? withAuthorization(this.subject) : this.subject;
    const dial = this.transport === 'http-sse' ? dialHttpSse : dialStreamableHttp;
    return dial({ inputSchemas: this.inputSchemas, ...options, subject, agent, ...(server && { server }) });
  }

  authorize(token: string): void {
    this.subject = withAuthorization(this.subject, `Bearer ${token}`);
  }

  authorizeBound(token: string, proofs: RequestProofs): void {
    this.subject = { ...withAuthorization(this.subject, `DPoP ${token}`), proofs };
  }

  async end(): Promise<void> {
    await this.agent.destroy();
    await this.server?.stop();
  }
}

/** The same server with another Authorization header, or without this header. */
function withAuthorization(subject: UrlSubject, value?: string): UrlSubject {
  const { proofs: _, ...plain } = subject;
  const others = Object.entries(subject.headers).filter(([name]) => name.toLowerCase() !== 'authorization');
  return {
    ...plain,
    headers: { ...Object.fromEntries(others), ...(value !== undefined && { Authorization: value }) },
  };
}

const networkAgent = (timing: Timing): Agent => boundedAgent(timing.answer, { maxOrigins: 16 });
