/** Client ID metadata documents of the harness, at addresses that an authorization server can reach. */

import { randomBytes } from 'node:crypto';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { JsonObject } from '../../spec/json-rpc.js';
import type { HeaderList } from '../record/event.js';
import type { HttpExchange } from '../record/http-exchange.js';
import { headersOf, redact } from '../transports/http/headers.js';
import type { HttpAnswer } from '../transports/http/server/behaviour.js';
import type { WebOptions } from '../transports/http/side-request.js';
import { type OAuthClient, registrationOf } from './client.js';
import { isLoopback } from './discovery.js';

/** Addresses of the documents, for the authorization server and on this host. */
export interface DocumentPlace {
  /** Common prefix of the addresses; https. The user provides a forwarder from there to the port. */
  readonly base: URL;
  /** Port on loopback, plain HTTP. Default 0: any free one. */
  readonly port?: number;
  /** Called with the origin of the port, when the port is open. */
  readonly listening?: (origin: string) => void;
}

/** A document with its own address. */
export interface PublishedDocument {
  readonly url: string;
  /** The client that the document describes. */
  readonly client: OAuthClient;
  /** The content of a valid document about this client. */
  readonly sound: JsonObject;
  /** Requests for the document so far. */
  readonly fetches: readonly HttpExchange[];
  /** Replaces the response at the address of the document. */
  serve(answer: HttpAnswer): void;
}

interface Shelf {
  answer: HttpAnswer;
  readonly fetches: HttpExchange[];
}

type Recorder = Pick<WebOptions, 'tap' | 'conversation' | 'next'>;

/** Response headers that prevent caching. */
export const unstored = { 'Content-Type': 'application/json', 'Cache-Control': 'no-store' };

export class ClientDocuments {
  private readonly shelves = new Map<string, Shelf>();
  private readonly server: Server;
  private recorder: Recorder | undefined;

  private constructor(private readonly place: DocumentPlace) {
    this.server = createServer((request, response) => this.answer(request, response));
  }

  /** Opens the port. @throws {Error} when the port is not available */
  static async open(place: DocumentPlace): Promise<ClientDocuments> {
    const documents = new ClientDocuments(place);
    const { server } = documents;
    await new Promise<void>((resolve, reject) => {
      server.once('error', reject);
      server.listen(place.port ?? 0, '127.0.0.1', resolve);
    });
    place.listening?.(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
    return documents;
  }

  /** Whether the documents are on this host, also for the authorization server. */
  get onThisHost(): boolean {
    return isLoopback(this.place.base);
  }

  /** Sets the record for later requests. */
  recordIn(recorder: Recorder): void {
    this.recorder = recorder;
  }

  /** A new address with a valid document. @param redirectUri the only redirect URI in the document */
  publish(redirectUri: string): PublishedDocument {
    const name = `${randomBytes(9).toString('base64url')}/client.json`;
    const url = new URL(name, this.place.base.href.replace(/\/?$/, '/')).href;
    const sound = { client_id: url, ...registrationOf('mcp-conform', redirectUri) };
    const shelf: Shelf = { answer: { status: 200, headers: unstored, body: sound }, fetches: [] };
    this.shelves.set(`/${name}`, shelf);
    return {
      url,
      client: { id: url, authMethod: 'none', redirectUri },
      sound,
      fetches: shelf.fetches,
      serve(answer) {
        shelf.answer = answer;
      },
    };
  }

  private answer(request: IncomingMessage, response: ServerResponse): void {
    const { method = 'GET', url = '/' } = request;
    request.resume();
    // the forwarder may or may not remove the path of the base
    const [path, shelf] = [...this.shelves].find(([end]) => url.endsWith(end)) ?? [url, undefined];
    const { status, headers, body } = shelf?.answer ?? { status: 404 };
    const text = typeof body === 'string' || body === undefined ? (body ?? '') : JSON.stringify(body);
    const list = Object.entries(headers ?? {}).map(([name, value]) => [name, `${value}`] as const);
    if (this.recorder) {
      const address = this.place.base.href.replace(/\/$/, '') + path;
      const exchange = record(
        this.recorder,
        { method, url: address, sent: headersOf(request) },
        { status, list, text },
      );
      shelf?.fetches.push(exchange);
    }
    response.writeHead(status, list.flat()).end(text);
  }

  close(): Promise<void> {
    return new Promise(resolve => {
      this.server.close(() => resolve());
      this.server.closeAllConnections();
    });
  }
}

function record(
  { tap, conversation, next }: Recorder,
  asked: { method: string; url: string; sent: HeaderList },
  answered: { status: number; list: HeaderList; text: string },
): HttpExchange {
  const { method, url, sent } = asked;
  const { status, list, text } = answered;
  const exchange = next();
  const headers = redact(sent);
  tap({ kind: 'http-request', exchange, method, url, headers, endpoint: 'client-document' });
  tap({ kind: 'http-response', exchange, status, headers: list });
  if (text !== '') tap({ kind: 'http-body', exchange, text });
  tap({ kind: 'http-end', exchange, by: 'server' });
  return conversation.httpExchange(exchange);
}
