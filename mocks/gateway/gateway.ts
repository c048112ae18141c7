/** The reference gateway: it passes every message on, unless a fault changes that. */

import type { Streams } from '../../harness/subject/subject.js';
import type { Address } from '../../harness/transports/link.js';
import type { GatewayDeviation } from './fault.js';
import { gatewayFaults } from './faults/index.js';
import { Chain } from './flow.js';
import { HttpBridge } from './http-bridge.js';
import { HttpRelay } from './http-front.js';
import { gatewayQuirks } from './quirks/index.js';
import { serveStdioFront } from './stdio-front.js';

export interface MockGatewayOptions {
  /** The server behind the gateway. */
  readonly server: Address;
  /** Faults and quirks, by id or as values. */
  readonly deviations?: readonly (string | GatewayDeviation)[];
  /** Translates for a client with a handshake, before a server without one. */
  readonly translates?: boolean;
}

export interface MockGateway {
  /** Serves one client on standard streams. @returns the exit code */
  serve(streams: Streams): Promise<number>;
  /** Handles HTTP requests at `/mcp`, for `host()`. */
  fetch(request: Request): Promise<Response>;
  close(): Promise<void>;
}

/** @throws {Error} for an unknown deviation */
export function mockGateway({ server, deviations = [], translates }: MockGatewayOptions): MockGateway {
  const chain = new Chain(deviations.map(find), translates);
  const http =
    'url' in server && !chain.translation ? new HttpRelay(server.url, chain) : new HttpBridge(server, chain);
  return {
    serve: streams => serveStdioFront(server, chain, streams),
    fetch: request => http.fetch(request),
    close: async () => {
      if (http instanceof HttpBridge) await http.close();
    },
  };
}

function find(deviation: string | GatewayDeviation): GatewayDeviation {
  if (typeof deviation !== 'string') return deviation;
  const found = [...gatewayFaults, ...gatewayQuirks].find(one => one.id === deviation);
  if (!found) throw new Error(`The mock gateway has no fault or quirk "${deviation}".`);
  return found;
}
