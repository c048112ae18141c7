/** HTTP requests and responses of the reference client, as deviations and authorization see them. */

/** An HTTP request of the client. */
export interface HttpAsk {
  readonly method: string;
  readonly url: string;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
}

/** The head of a response. */
export interface HttpHead {
  readonly status: number;
  readonly headers: Headers;
}
