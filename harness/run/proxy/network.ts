/** One fault of the network between a client and a server, at a chosen byte: a plan that is repeated exactly. */

import type { Writable } from 'node:stream';
import type { TransportId } from '../../../spec/revisions.js';
import type { SseFields } from '../../framing/sse.js';
import type { ConnectionBreak } from '../../transports/http/http-client.js';

/** What the network does, over each transport on which it is possible. */
export const networkKinds = {
  /** The response ends after a byte, and the server does not notice: what it sends on is lost. */
  cut: ['streamable-http'],
  /** The response ends after a byte, for both sides, with a TCP reset. */
  reset: ['streamable-http'],
  /** The connection closes after the head of the response. */
  head: ['streamable-http'],
  /** The request arrives, and the connection closes before the head of the response. */
  'lost-response': ['streamable-http'],
  /** The connection closes before the server gets the request. */
  'lost-request': ['streamable-http'],
  /** The response ends after a byte, and the stream that resumes it begins with the last received event, once more. */
  redeliver: ['streamable-http'],
  /** The bytes after a byte arrive in a chunk of their own; also in the middle of a character. */
  split: ['stdio', 'streamable-http'],
  /** The bytes after a byte arrive late. */
  delay: ['stdio', 'streamable-http'],
  /** The messages after a byte arrive in one chunk. */
  join: ['stdio'],
} as const satisfies Readonly<Record<string, readonly TransportId[]>>;

export type NetworkKind = keyof typeof networkKinds;

/** One fault: `cut:tools/call.2:137` cuts the response to the second tools/call after 137 bytes. */
export interface NetworkFault {
  readonly kind: NetworkKind;
  /**
   * Over HTTP the method of the message in the POST, `response`, `GET` or `resume`; over stdio `client` or `server`, the
   * side that writes.
   */
  readonly stream: string;
  /** Number of the stream among those with this name, from 1. */
  readonly nth: number;
  /** Number of bytes before the fault. */
  readonly byte: number;
}

/** Kinds without a position in the bytes. */
export const isWhole = (kind: NetworkKind): boolean =>
  ['head', 'lost-response', 'lost-request'].includes(kind);

export const nameOfFault = ({ kind, stream, nth, byte }: NetworkFault): string =>
  isWhole(kind) ? `${kind}:${stream}.${nth}` : `${kind}:${stream}.${nth}:${byte}`;

/** @returns undefined when the text names no fault */
export function parseFault(text: string): NetworkFault | undefined {
  const [, kind, stream, nth, byte] = /^([a-z-]+):(.+?)\.([1-9]\d*)(?::(\d+))?$/.exec(text) ?? [];
  if (kind === undefined || !Object.hasOwn(networkKinds, kind)) return undefined;
  const known = kind as NetworkKind;
  if (isWhole(known) !== (byte === undefined)) return undefined;
  return { kind: known, stream: stream!, nth: Number(nth), byte: Number(byte ?? 0) };
}

/** Milliseconds by which delayed bytes are late, and for which a split chunk waits for its reader. */
const lateMs = { delay: 25, split: 4, join: 15 } as const;

/** The network between a client and a server: without a fault it passes everything on. */
export class Network {
  /** The bytes of each stream, by name and number (`tools/call.2`), where they are measured. */
  readonly traffic = new Map<string, Buffer[]>();
  /** The fault has happened. */
  hit = false;
  /** The last event that arrived on a stream whose event is delivered twice. */
  last: SseFields | undefined;
  private readonly counts = new Map<string, number>();

  constructor(
    private readonly fault?: NetworkFault,
    private readonly measures = false,
  ) {}

  /** A stream begins. @param stream as in `NetworkFault` */
  begin(stream: string): NetworkStream {
    const nth = (this.counts.get(stream) ?? 0) + 1;
    this.counts.set(stream, nth);
    const bytes: Buffer[] | undefined = this.measures ? [] : undefined;
    if (bytes) this.traffic.set(`${stream}.${nth}`, bytes);
    const { fault } = this;
    const isHere = fault?.stream === stream && fault.nth === nth;
    return new NetworkStream(this, isHere ? fault : undefined, bytes);
  }
}

/** One direction of one stream, with the fault in it. */
export class NetworkStream {
  private size = 0;

  constructor(
    private readonly network: Network,
    readonly fault: NetworkFault | undefined,
    private readonly bytes: Buffer[] | undefined,
  ) {}

  /** The fault has happened. */
  strike(): void {
    this.network.hit = true;
  }

  /** An event has arrived. */
  arrived(event: SseFields): void {
    if (this.fault?.kind === 'redeliver' && event.id) this.network.last = event;
  }

  /** The event that is delivered again on the stream that resumes after it. */
  again(lastEventId: string | undefined): SseFields | undefined {
    const { last } = this.network;
    if (!last?.data || last.id !== lastEventId) return undefined;
    this.network.last = undefined;
    return last;
  }

  /** Where the connection breaks. */
  get breaks(): ConnectionBreak | undefined {
    switch (this.fault?.kind) {
      case 'cut':
        return { after: this.fault.byte, unnoticed: true };
      case 'reset':
      case 'redeliver':
        return { after: this.fault.byte, unnoticed: false };
      case 'head':
        return { after: 0, unnoticed: false };
      case 'lost-response':
        return { after: 'nothing', unnoticed: false };
      default:
        return undefined;
    }
  }

  /** The parts in which a chunk arrives, and the milliseconds between them. */
  shape(chunk: Buffer): { readonly parts: readonly Buffer[]; readonly pauseMs: number } {
    this.bytes?.push(chunk);
    const { fault } = this;
    const before = this.size;
    this.size += chunk.length;
    if (fault?.kind !== 'split' && fault?.kind !== 'delay') return { parts: [chunk], pauseMs: 0 };
    const at = fault.byte - before;
    if (at < 0 || at >= chunk.length) return { parts: [chunk], pauseMs: 0 };
    this.strike();
    return { parts: [chunk.subarray(0, at), chunk.subarray(at)], pauseMs: lateMs[fault.kind] };
  }

  /** Milliseconds for which the chunk that was shaped last waits for the next one. */
  get joinsFor(): number {
    if (this.fault?.kind !== 'join' || this.size <= this.fault.byte) return 0;
    return lateMs.join;
  }
}

/** Writes chunks in the shape that the network gives them, in order. */
export class ShapedWriter {
  private readonly queue: { readonly bytes: Buffer; readonly pauseMs: number }[] = [];
  private held: Buffer[] = [];
  private isBusy = false;
  private onIdle: (() => void) | undefined;

  constructor(
    private readonly to: Pick<Writable, 'write' | 'destroyed'>,
    private readonly stream: NetworkStream,
  ) {}

  write(chunk: Buffer): void {
    const { parts, pauseMs } = this.stream.shape(chunk);
    const { joinsFor } = this.stream;
    if (joinsFor > 0) {
      this.hold(chunk, joinsFor);
      return;
    }
    for (const [index, bytes] of parts.entries())
      if (bytes.length > 0) this.queue.push({ bytes, pauseMs: index === 0 ? 0 : pauseMs });
    if (!this.isBusy) this.flush();
  }

  /** Calls back when all chunks are written. */
  end(then: () => void): void {
    if (this.isBusy || this.held.length > 0) this.onIdle = then;
    else then();
  }

  private hold(chunk: Buffer, ms: number): void {
    this.held.push(chunk);
    if (this.held.length > 1) this.stream.strike();
    if (this.held.length > 1 || this.isBusy) return;
    this.isBusy = true;
    setTimeout(() => {
      this.queue.push({ bytes: Buffer.concat(this.held.splice(0)), pauseMs: 0 });
      this.flush();
    }, ms);
  }

  private flush(): void {
    this.isBusy = true;
    for (let next = this.queue.shift(); next; next = this.queue.shift()) {
      const { bytes, pauseMs } = next;
      if (pauseMs > 0) {
        setTimeout(() => {
          this.put(bytes);
          this.flush();
        }, pauseMs);
        return;
      }
      this.put(bytes);
    }
    this.isBusy = false;
    this.onIdle?.();
  }

  private put(bytes: Buffer): void {
    if (!this.to.destroyed) this.to.write(bytes);
  }
}
