/** The HTTP options of the mock; every choice is legal. */

export interface HttpOptions {
  /**
   * Path of the MCP endpoint; `sse` and `messages` of the HTTP+SSE transport are in the same folder. Default
   * `/mcp`.
   */
  readonly path?: string;
  /** `json`: one JSON object wherever no other message comes first. Default `sse`. */
  readonly answers?: 'sse' | 'json';
  /** Issues session ids and requires them; without session ids each POST is separate. Default true. */
  readonly sessions?: boolean;
  /** Events have ids and are replayed. Default true. */
  readonly resumable?: boolean;
  /** Closes the connection of a long request, so that the client resumes it; in revisions with polling. */
  readonly polling?: boolean;
}

export type HttpMode = Required<HttpOptions>;

export const httpMode = (options: HttpOptions = {}): HttpMode => {
  const { path = '/mcp', answers = 'sse', sessions = true, polling = false } = options;
  return { path, answers, sessions, polling, resumable: sessions && (options.resumable ?? true) };
};
