/** The gateway over HTTP before a server over HTTP: requests, heads and streams pass one by one. */

import { formatSse, type SseRead, SseReader } from '../../harness/framing/sse.js';
import { errorCodes } from '../../harness/record/envelope.js';
import { mediaType } from '../../harness/record/http-exchange.js';
import { idKey } from '../../harness/record/message.js';
import { mirroredHeaders } from '../../harness/record/mirrored-headers.js';
import { isObject, type Json, type JsonObject, parseJson } from '../../spec/json-rpc.js';
import { type Chain, Flow } from './flow.js';

/** Headers of one connection, and those that the HTTP library writes itself. */
const ofConnection =
  /^(host|connection|keep-alive|proxy-.*|te|trailer|transfer-encoding|upgrade|expect|accept-encoding|content-length|content-encoding)$/;

const lasting = (headers: Headers): Record<string, string> =>
  Object.fromEntries([...headers].filter(([name]) => !ofConnection.test(name)));

export class HttpRelay {
  private readonly flows = new Map<string, Flow>();
  /** Kept results of methods that are shared, with the id of their request. */
  private readonly kept = new Map<string, { readonly text: string; readonly id: string }>();

  constructor(
    private readonly url: string,
    private readonly chain: Chain,
  ) {}

  async fetch(request: Request): Promise<Response> {
    const text = request.method === 'POST' ? await request.text() : undefined;
    const json = text === undefined ? undefined : parseJson(text);
    const message = isObject(json) ? json : undefined;
    const status = message && this.chain.refuses(message, request.headers);
    if (message && status !== undefined) return refused(message, status);
    const isShared = this.chain.each('shares').some(({ run }) => run() === message?.method);
    if (isShared) return this.shared(request, message!, text!);
    const flow = this.flowOf(request);
    const outs = json === undefined ? [undefined] : flow.fromClient(json);
    if (outs.length === 0) return withoutAnswer(message);
    const [first, ...others] = outs;
    const answer = await this.ask(
      request,
      first === undefined || first === json ? text : JSON.stringify(first),
      first,
    );
    for (const other of others) void this.extra(request, other!);
    return this.passOn(answer, request, flow);
  }

  /** Answers from the results that were kept for any client. */
  private async shared(request: Request, message: JsonObject, body: string): Promise<Response> {
    const { _meta: _, ...params } = isObject(message.params) ? message.params : {};
    const key = JSON.stringify([message.method, params]);
    const id = JSON.stringify(message.id);
    const headers = { 'content-type': 'text/event-stream', 'x-accel-buffering': 'no' };
    const known = this.kept.get(key);
    if (known) return new Response(known.text.replaceAll(`"id":${known.id}`, `"id":${id}`), { headers });
    const { response } = await this.ask(request, body, message);
    const text = await response.text();
    this.kept.set(key, { text, id });
    return new Response(text, { status: response.status, headers: lasting(response.headers) });
  }

  private ask(
    request: Request,
    body: string | undefined,
    json: Json | undefined,
    stop = new AbortController(),
  ): Promise<Passing> {
    const message = isObject(json) ? json : undefined;
    const { headers } = this.chain.requestHead(
      { headers: lasting(request.headers) },
      message,
      request.headers,
    );
    const { pathname, search } = new URL(request.url);
    const target = new URL(this.url);
    target.search = search;
    const isHome = pathname === target.pathname;
    return fetch(isHome ? target : new URL(pathname + search, target), {
      method: request.method,
      headers,
      ...(body !== undefined && { body }),
      redirect: 'manual',
      signal: stop.signal,
    }).then(response => ({ response, stop }));
  }

  private async extra(request: Request, json: Json): Promise<void> {
    const headers = new Headers(request.headers);
    for (const [name, value] of mirroredHeaders(json)) headers.set(name, value);
    const own = new Request(request.url, { method: 'POST', headers, body: '{}' });
    const { response } = await this.ask(own, JSON.stringify(json), json);
    await response.text().catch(() => {});
  }

  private flowOf(request: Request): Flow {
    const client = request.headers.get('mcp-session-id') ?? request.headers.get('authorization') ?? '';
    const known = this.flows.get(client);
    if (known) return known;
    const flow = new Flow(this.chain, client, {
      toServer: message => void this.extra(request, message),
      toClient: () => {},
    });
    this.flows.set(client, flow);
    return flow;
  }

  private async passOn({ response, stop }: Passing, request: Request, flow: Flow): Promise<Response> {
    const status = response.status;
    const type = mediaType(response.headers.get('content-type') ?? undefined);
    const head = this.chain.responseHead({ headers: lasting(response.headers), status }, request.headers);
    const init = { status: head.status ?? status, headers: head.headers };
    if (type === 'text/event-stream' && response.body) {
      const body = this.stream(response.body, flow, stop);
      return new Response(body, init);
    }
    const text = await response.text();
    const json = type === 'application/json' ? parseJson(text) : undefined;
    if (json === undefined) return new Response(text === '' ? null : text, init);
    const [first] = flow.fromServer(json);
    return new Response(first === json ? text : JSON.stringify(first ?? null), init);
  }

  private stream(
    body: ReadableStream<Uint8Array>,
    flow: Flow,
    stop: AbortController,
  ): ReadableStream<Uint8Array> {
    const encoder = new TextEncoder();
    return new ReadableStream({
      start: async controller => {
        const reader = new SseReader(block => {
          for (const text of this.blocks(block, flow))
            for (const piece of this.chain.pieces(text, 'client')) controller.enqueue(encoder.encode(piece));
        });
        try {
          for await (const chunk of body) reader.push(Buffer.from(chunk));
          controller.close();
        } catch (error) {
          if (!stop.signal.aborted) controller.error(error);
        }
      },
      cancel: () => stop.abort(),
    });
  }

  private blocks(block: SseRead, flow: Flow): string[] {
    if (block.unfinished) return [];
    const json = block.data === undefined ? undefined : parseJson(block.data);
    if (json === undefined) return [block.raw];
    const outs = flow.fromServer(json);
    if (outs.length === 1 && outs[0] === json) return [block.raw];
    const { event, id, retry } = block;
    const fields = {
      ...(event !== undefined && { event }),
      ...(id !== undefined && { id }),
      ...(retry !== undefined && { retry }),
    };
    return outs.map(out => formatSse({ ...fields, data: JSON.stringify(out) }));
  }
}

interface Passing {
  readonly response: Response;
  readonly stop: AbortController;
}

/** A message that was dropped: a request waits for ever, any other message is accepted. */
const withoutAnswer = (message: JsonObject | undefined): Response =>
  message && 'method' in message && idKey(message.id) !== idKey(undefined)
    ? new Response(new ReadableStream(), { headers: { 'content-type': 'text/event-stream' } })
    : new Response(null, { status: 202 });

/** A refusal of the gateway itself. */
export const refused = ({ id = null }: JsonObject, status: number): Response =>
  Response.json(
    { jsonrpc: '2.0', id, error: { code: errorCodes.headerMismatch, message: 'refused by the gateway' } },
    { status },
  );
