/** Runs the middleware of a gateway over the messages of one client. */

import { idKey } from '../../harness/record/message.js';
import { isObject, type Json, type JsonObject } from '../../spec/json-rpc.js';
import type { Out } from '../fault.js';
import { Memory } from '../fault-state.js';
import type { GatewayDeviation, GatewayHead, GatewayHooks, GatewayMiddleware, Place } from './fault.js';
import { plainTranslation, type TranslationPolicy } from './translation.js';

interface Link {
  readonly middleware: GatewayMiddleware;
  readonly memory: Memory;
}

/** The middleware of all deviations; its state lives as long as the gateway. */
export class Chain {
  private readonly links: readonly Link[];

  /** The decisions of a gateway that translates; absent for others. */
  readonly translation: TranslationPolicy | undefined;

  /** @param translates for a client with a handshake, before a server without one */
  constructor(deviations: readonly GatewayDeviation[], translates = false) {
    const own = deviations.flatMap(({ translation }) => translation ?? []);
    if (translates || own.length > 0) this.translation = Object.assign({}, plainTranslation, ...own);
    this.links = deviations.flatMap(({ middleware }) => {
      const memory = new Memory();
      return middleware.map(one => ({ middleware: one, memory }));
    });
  }

  each<K extends keyof GatewayHooks>(name: K): { run: GatewayHooks[K]; memory: Memory }[] {
    return this.links.flatMap(({ middleware, memory }) => {
      const run = middleware[name];
      return run ? [{ run: run as GatewayHooks[K], memory }] : [];
    });
  }

  requestHead(head: GatewayHead, message: JsonObject | undefined, asked: Headers): GatewayHead {
    return this.each('requestHead').reduce((at, { run }) => run(at, message, asked), head);
  }

  responseHead(head: GatewayHead, asked: Headers): GatewayHead {
    return this.each('responseHead').reduce((at, { run }) => run(at, asked), head);
  }

  refuses(message: JsonObject, asked: Headers): number | undefined {
    for (const { run, memory } of this.each('refuses')) {
      const status = run(message, asked, memory);
      if (status !== undefined) return status;
    }
    return undefined;
  }

  /** The pieces in which a text is written. */
  pieces(text: string, to: 'server' | 'client'): readonly string[] {
    return this.each('write').reduce<readonly string[]>(
      (pieces, { run }) => pieces.flatMap(piece => run(piece, to)),
      [text],
    );
  }
}

/** The messages of one client. */
export class Flow {
  /** Requests of the client without a response, by id. */
  private readonly asks = new Map<string, JsonObject>();

  constructor(
    private readonly chain: Chain,
    private readonly client: string,
    private readonly ports: Pick<Place, 'toServer' | 'toClient'>,
  ) {}

  fromClient(json: Json): Json[] {
    if (isObject(json) && typeof json.method === 'string' && json.id !== undefined)
      this.asks.set(idKey(json.id), json);
    return this.run('toServer', json);
  }

  fromServer(json: Json): Json[] {
    const isReply = isObject(json) && !('method' in json);
    const ask = isReply ? this.asks.get(idKey(json.id)) : undefined;
    if (isReply) this.asks.delete(idKey(json.id));
    return this.run('toClient', json, ask);
  }

  private run(name: 'toServer' | 'toClient', json: Json, ask?: JsonObject): Json[] {
    let all: Json[] = [json];
    for (const { run, memory } of this.chain.each(name)) {
      const place = { ...this.ports, memory, client: this.client, ask };
      all = all.flatMap(one => (isObject(one) ? list(run(one, place)) : [one]));
    }
    return all;
  }
}

const list = (out: Out): Json[] => (out === undefined ? [] : Array.isArray(out) ? out : [out as Json]);
