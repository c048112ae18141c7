/** How the mock serves HTTP; every choice is legal. */

export interface HttpOptions {
  /** Path of the MCP endpoint; `sse` and `messages` of the older transport lie beside it. Default `/mcp`. */
  readonly path?: string;
  /** `json`: one JSON object wherever nothing else has to be said first. Default `sse`. */
  readonly answers?: 'sse' | 'json';
  /** Hands out session ids and insists on them; without, each POST stands alone. Default true. */
  readonly sessions?: boolean;
  /** Events carry ids and are replayed. Default true. */
  readonly resumable?: boolean;
  /** Closes the connection of a request that takes long, for the client to come back; in revisions that have polling. */
  readonly polling?: boolean;
}

export type HttpMode = Required<HttpOptions>;

export const httpMode = (options: HttpOptions = {}): HttpMode => {
  const { path = '/mcp', answers = 'sse', sessions = true, polling = false } = options;
  return { path, answers, sessions, polling, resumable: sessions && (options.resumable ?? true) };
};
