/** HTTP with SSE, the transport of the first revision: one stream, and a URL for POST requests. */

import { randomUUID } from 'node:crypto';
import type { Json, RequestId } from '../../../spec/json-rpc.js';
import type { Channel } from '../interfaces.js';
import { Session, type SessionOptions } from '../session.js';
import { type HttpReply, type Incoming, refuse, type StreamWriter, streamHeaders } from './reply.js';

/** One connection of a client. */
class LegacyCarrier implements Channel {
  readonly session: Session;
  private over = false;

  constructor(
    options: SessionOptions,
    private readonly writer: StreamWriter,
    private readonly process: Pick<Channel, 'exit' | 'warn'>,
  ) {
    this.session = new Session(this, options);
    this.session.deviations.start();
  }

  send(json: Json): void {
    if (this.over) return;
    const bytes = this.session.deviations.bytes(`${JSON.stringify(json)}\n`);
    if (typeof bytes === 'string') this.writer.write({ event: 'message', data: bytes.replace(/\n$/, '') });
    else this.writer.write(Buffer.concat([Buffer.from('event: message\ndata: '), bytes, Buffer.from('\n')]));
  }

  write(): void {}
  settled(_id: RequestId): void {}

  warn(text: string): void {
    this.process.warn(text);
  }

  exit(code: number): void {
    this.process.exit(code);
  }

  close(): void {
    this.over = true;
    this.session.close();
    this.writer.close();
  }
}

export class Legacy {
  readonly sessions = new Map<string, LegacyCarrier>();

  /** @param messages the path for POST requests */
  constructor(
    private readonly options: () => SessionOptions,
    private readonly messages: string,
    private readonly process: Pick<Channel, 'exit' | 'warn'>,
  ) {}

  sessionOf(ask: Incoming): LegacyCarrier | undefined {
    return this.sessions.get(ask.url.searchParams.get('sessionId') ?? '');
  }

  /** The stream; its first event contains the URL for POST requests. */
  connect(ask: Incoming): HttpReply {
    if (ask.method !== 'GET')
      return refuse(405, `The endpoint does not support ${ask.method}.`, { Allow: 'GET' });
    return {
      status: 200,
      headers: streamHeaders,
      body: {
        start: writer => {
          const id = randomUUID();
          const carrier = new LegacyCarrier(this.options(), writer, this.process);
          this.sessions.set(id, carrier);
          writer.write({ event: 'endpoint', data: `${this.messages}?sessionId=${id}` });
          return () => {
            this.sessions.delete(id);
            carrier.close();
          };
        },
      },
    };
  }

  post(ask: Incoming): HttpReply {
    if (ask.method !== 'POST')
      return refuse(405, `The endpoint does not support ${ask.method}.`, { Allow: 'POST' });
    const carrier = this.sessionOf(ask);
    if (!carrier) return refuse(404, 'The session does not exist.');
    const text = carrier.session.deviations.line(ask.body);
    if (text !== undefined) {
      let json: Json;
      try {
        json = JSON.parse(text) as Json;
      } catch {
        carrier.session.unreadable();
        return { status: 202, headers: { 'Content-Type': 'text/plain' }, body: 'Accepted' };
      }
      void carrier.session.receive(json);
    }
    return { status: 202, headers: { 'Content-Type': 'text/plain' }, body: 'Accepted' };
  }

  close(): void {
    for (const carrier of this.sessions.values()) carrier.close();
    this.sessions.clear();
  }
}
