/** Test support: one session with the mock, in this process. */

import { PassThrough } from 'node:stream';
import type { JsonObject } from '../../spec/json-rpc.js';
import { asking } from '../fault.js';
import { type MockServerOptions, mockServer } from './server.js';

export class TestConnection {
  readonly exited: Promise<number>;
  /** The written output, line by line. */
  readonly lines: string[] = [];
  private readonly stdin = new PassThrough();
  private readonly abort = new AbortController();
  private waiting: (() => void)[] = [];
  private lastId = 0;

  private constructor(
    options: MockServerOptions,
    private readonly version: string | undefined,
  ) {
    const stdout = new PassThrough();
    let rest = '';
    stdout.on('data', (chunk: Buffer) => {
      const parts = (rest + chunk.toString()).split('\n');
      rest = parts.pop() ?? '';
      this.lines.push(...parts);
      for (const wake of this.waiting.splice(0)) wake();
    });
    const { stdin, abort } = this;
    this.exited = mockServer({ delayMs: 1, ...options }).serve({
      stdin,
      stdout,
      stderr: new PassThrough(),
      signal: abort.signal,
    });
  }

  static with(options: MockServerOptions, version?: string): TestConnection {
    return new TestConnection(options, version);
  }

  /** All received JSON values, including arrays. */
  get messages(): JsonObject[] {
    return this.lines.filter(line => /^[[{]/.test(line)).map(line => JSON.parse(line) as JsonObject);
  }

  /** The received notifications of one method. */
  notes(method: string): JsonObject[] {
    return this.messages.filter(m => m.method === method && !('id' in m));
  }

  write(line: string): void {
    this.stdin.write(`${line}\n`);
  }

  send(message: object): void {
    this.write(JSON.stringify(message));
  }

  /** Waits for a matching message. */
  async until(fits: (message: JsonObject) => boolean): Promise<JsonObject> {
    for (;;) {
      const found = this.messages.find(fits);
      if (found) return found;
      await new Promise<void>(resolve => this.waiting.push(resolve));
    }
  }

  /** Sends a request and waits for its response. */
  ask(method: string, params?: JsonObject): Promise<JsonObject> {
    const id = ++this.lastId;
    this.send(asking(id, method, params));
    return this.until(m => (m.id === id || m.ID === id) && !('method' in m));
  }

  /** Initializes the session. */
  async open(capabilities: JsonObject = {}): Promise<JsonObject> {
    const clientInfo = { name: 'test', version: '1' };
    const protocolVersion = this.version ?? 'the newest';
    const answer = await this.ask('initialize', { protocolVersion, capabilities, clientInfo });
    this.send({ jsonrpc: '2.0', method: 'notifications/initialized' });
    return answer;
  }

  /** Calls a tool; returns its result. */
  async call(name: string, args?: JsonObject, meta?: JsonObject): Promise<JsonObject> {
    const params = { name, ...(args && { arguments: args }), ...(meta && { _meta: meta }) };
    return (await this.ask('tools/call', params)) as JsonObject;
  }

  end(): void {
    this.stdin.end();
  }

  signal(): void {
    this.abort.abort('SIGTERM');
  }
}
