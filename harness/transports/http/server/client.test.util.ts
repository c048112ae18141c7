/** Test support: an HTTP client that sends each request unchanged. */

import { request } from 'undici';
import { type SseRead, SseReader } from '../../../framing/sse.js';
import { ownClock } from '../../../time/clock.js';
import { ChangeSignal } from '../../wait-until.js';

interface Got {
  readonly status: number;
  readonly headers: Record<string, string | string[] | undefined>;
  readonly blocks: SseRead[];
  /** The whole body; resolves at its end, or at a broken connection with the part received. */
  readonly text: Promise<string>;
  /** The connection broke before the end of the body. */
  readonly broken: Promise<boolean>;
  /** The next matching block, already received or future. */
  block(fits: (block: SseRead) => boolean): Promise<SseRead>;
  drop(): void;
}

export interface Send {
  readonly method?: string;
  readonly headers?: Record<string, string>;
  readonly body?: string | object;
}

export async function send(url: string, { method, headers = {}, body }: Send = {}): Promise<Got> {
  const answer = await request(url, {
    method: (method ?? (body === undefined ? 'GET' : 'POST')) as 'GET',
    headers: {
      accept: body === undefined ? 'text/event-stream' : 'application/json, text/event-stream',
      ...(body !== undefined && { 'content-type': 'application/json' }),
      ...headers,
    },
    body: body === undefined ? null : typeof body === 'string' ? body : JSON.stringify(body),
  });
  const blocks: SseRead[] = [];
  const watch = new ChangeSignal();
  const reader = new SseReader(block => {
    blocks.push(block);
    watch.changed();
  });
  const parts: Buffer[] = [];
  const broken = new Promise<boolean>(resolve => {
    answer.body.on('data', (chunk: Buffer) => {
      parts.push(chunk);
      reader.push(chunk);
    });
    answer.body.on('end', () => {
      reader.end();
      resolve(false);
    });
    answer.body.on('error', () => resolve(true));
  });
  return {
    status: answer.statusCode,
    headers: answer.headers,
    blocks,
    broken,
    text: broken.then(() => Buffer.concat(parts).toString()),
    block: async fits => {
      const has = () => blocks.some(fits);
      if (await watch.until(has, happened => ownClock.waitAtMost(happened, 5_000)))
        throw new Error('no matching block was received');
      return blocks.find(fits)!;
    },
    drop: () => void answer.body.destroy(),
  };
}

export const json = (id: number, method: string, params: object = {}) => ({
  jsonrpc: '2.0',
  id,
  method,
  params,
});

export const initialize = json(1, 'initialize', {
  protocolVersion: 'x',
  capabilities: {},
  clientInfo: { name: 'c', version: '1' },
});

/** The parsed JSON of the blocks with data. */
export const datas = (got: Got): unknown[] => got.blocks.filter(b => b.data).map(b => JSON.parse(b.data!));
