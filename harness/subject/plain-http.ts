/**
 * HTTP to a handler in this process without the objects of the Fetch standard: creating them takes as long as the
 * rest of an exchange.
 */

export interface PlainRequest {
  readonly method: string;
  readonly url: URL;
  /** Names in lower case, sorted. */
  readonly headers: ReadonlyMap<string, string>;
  /** The body as sent, in chunks. */
  readonly pieces: readonly Uint8Array[];
}

export interface PlainResponse {
  readonly status: number;
  /** Names in lower case, sorted. */
  readonly headers: readonly (readonly [name: string, value: string])[];
  readonly body?: string | Uint8Array | PlainStream;
}

/** A streaming body. `start` is called once; its return value is called when reading stops. */
export interface PlainStream {
  start(writer: PlainWriter): () => void;
}

export interface PlainWriter {
  write(bytes: Uint8Array): void;
  /** The response is complete. */
  close(): void;
  /** The connection breaks before the response is complete. */
  reset(): void;
}

/** @throws {Error} when the connection is closed without a response */
export type PlainHandler = (request: PlainRequest) => Promise<PlainResponse>;
