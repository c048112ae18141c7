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

export interface HttpSendOptions {
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
  readonly signal?: AbortSignal;
  readonly redirect?: 'manual';
}

export interface HttpResponse extends HttpHead {
  readonly body: AsyncIterable<Uint8Array> | null;
  text(): Promise<string>;
}

/** The part of `fetch` that the client uses. */
export type HttpSend = (url: string | URL, options?: HttpSendOptions) => Promise<HttpResponse>;
