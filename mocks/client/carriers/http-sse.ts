/**
 * HTTP with SSE, the transport of the first revision: one stream for all messages of the server, and a URL
 * for POST requests.
 */

import type { Json } from '../../../spec/json-rpc.js';
import type { Carrier } from './carrier.js';
import { HttpCalls, isMessage, isOf } from './http.js';
import type { CarrierOptions } from './options.js';

export class HttpSseCarrier implements Carrier {
  private readonly calls: HttpCalls;
  private endpoint: string | undefined;

  constructor(
    private readonly url: string,
    private readonly options: CarrierOptions,
  ) {
    this.calls = new HttpCalls(options);
  }

  async open(): Promise<void> {
    const { events } = this.options;
    const answer = await this.calls.ask({
      method: 'GET',
      url: this.url,
      headers: { accept: 'text/event-stream' },
    });
    if (answer.status !== 200 || !isOf(answer, 'text/event-stream'))
      throw new Error(`HTTP ${answer.status} instead of an event stream.`);
    await new Promise<void>((resolve, reject) => {
      void this.calls
        .read(answer, block => {
          if (block.event === 'endpoint' && block.data !== undefined && this.endpoint === undefined) {
            this.endpoint = new URL(block.data, this.url).href;
            resolve();
          } else if (isMessage(block)) {
            const json = this.calls.json(block.data!);
            if (json !== undefined && !this.calls.stopped) events.receive(json);
          }
        })
        .then(() => {
          reject(new Error('The stream ended before it named an endpoint.'));
          events.lost('The stream has ended.');
        });
    });
  }

  async send(json: Json): Promise<void> {
    await this.write(this.options.deviations.bytes(JSON.stringify(json)));
  }

  async write(bytes: string | Buffer): Promise<void> {
    const answer = await this.calls.ask({
      method: 'POST',
      url: this.endpoint!,
      headers: { 'content-type': 'application/json' },
      body: String(bytes),
    });
    const text = await answer.text();
    if (answer.status >= 400) throw new Error(`HTTP ${answer.status}: ${text.slice(0, 200)}`);
  }

  agreed(): void {}

  ready(): void {}

  async close(): Promise<void> {
    await this.options.deviations.leaves();
    this.abandon();
  }

  abandon(): void {
    this.calls.abandon();
  }
}
