/** The address from which one process of a client gets its further steps. */

import { createServer, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Script } from '../../scenario/script.js';

export class StepSource {
  private readonly server: Server;
  /** The response to the client that asks for steps. */
  private open: ServerResponse | undefined;
  private onAsked: () => void = () => {};

  constructor() {
    this.server = createServer((request, response) => {
      // one request at a time: a client has one place in its script
      if (request.method !== 'GET' || this.open) return void response.writeHead(409).end();
      this.open = response;
      response.on('close', () => {
        if (this.open === response) this.open = undefined;
      });
      this.onAsked();
    });
  }

  async listening(): Promise<this> {
    await new Promise<void>(resolve => this.server.listen(0, '127.0.0.1', resolve));
    return this;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}/steps`;
  }

  /** True while the client waits for steps. */
  get isAsked(): boolean {
    return this.open !== undefined;
  }

  /** Resolves when the client asks for steps. */
  whenAsked(): Promise<void> {
    return new Promise(resolve => {
      this.onAsked = resolve;
      if (this.isAsked) resolve();
    });
  }

  /** Responds to the client that waits. */
  give(steps: Script): void {
    const { open } = this;
    this.open = undefined;
    open?.writeHead(200, { 'Content-Type': 'application/json' }).end(JSON.stringify(steps));
  }

  async close(): Promise<void> {
    this.server.closeAllConnections();
    await new Promise<void>(resolve => void this.server.close(() => resolve()));
  }
}
