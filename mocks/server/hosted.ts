/** The mock server on a free port of loopback. */

import { host } from '../host.js';
import type { MockHttp } from './http.js';

/** A running server. */
export interface Hosted {
  /** The URL of Streamable HTTP. */
  readonly url: string;
  /** Ends all sessions, and closes the port. */
  close(): Promise<void>;
}

/** @throws {Error} when there is no free port */
export async function hosted(mock: MockHttp): Promise<Hosted> {
  const { origin, close } = await host(mock.fetch);
  return {
    url: `${origin}${mock.paths.mcp}`,
    async close() {
      mock.close();
      await close();
    },
  };
}
