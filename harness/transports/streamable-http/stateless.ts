/**
 * Streamable HTTP without sessions, harness as client: a POST for each request, whose headers repeat members
 * of the body. No GET, no DELETE, no resumption.
 */

import { isObject, parseJson } from '../../../spec/json-rpc.js';
import type { HeaderList } from '../../record/event.js';
import { idKey, type Message } from '../../record/message.js';
import { mirroredHeaders } from '../../record/mirrored-headers.js';
import type { HttpCall } from '../http/http-client.js';
import { type HttpDialOptions, HttpLink } from '../http/link.js';
import type { Outgoing } from '../link.js';

export class StatelessHttpLink extends HttpLink {
  /** Requests for lists of tools, whose results show which parameters a header repeats. */
  private readonly listing = new Set<string>();

  constructor(options: HttpDialOptions) {
    super('streamable-http', options);
  }

  protected async begin(): Promise<void> {}

  get messageUrl(): URL {
    return this.url;
  }

  get listening(): undefined {
    return undefined;
  }

  override get protocolVersion(): string {
    return this.options.revision;
  }

  headersFor(method: string, body?: string | Buffer): HeaderList {
    const json = body === undefined ? undefined : parseJson(body.toString());
    const { inputSchemas } = this.options;
    return [
      ...this.baseHeaders(method, this.url),
      ...(method === 'GET' ? [['Accept', 'text/event-stream'] as const] : []),
      ...(method === 'POST' ? [['Accept', 'application/json, text/event-stream'] as const] : []),
      ...(body === undefined ? [] : [['Content-Type', 'application/json'] as const]),
      ...withVersion(
        mirroredHeaders(json, tool => inputSchemas?.get(tool)),
        this.options.revision,
      ),
    ];
  }

  protected post(exchange: number, out: Outgoing, messages: readonly Message[]): HttpCall {
    for (const m of messages) if (m.method === 'tools/list') this.listing.add(idKey(m.id));
    return this.wire.send(
      {
        method: 'POST',
        url: this.url,
        headers: this.headersFor('POST', out.text),
        body: out.text,
        stream: 'post',
        ...(out.deliberate && { deliberate: true }),
      },
      exchange,
    );
  }

  protected override inspect(message: Message): void {
    if (message.kind !== 'result' || !this.listing.delete(idKey(message.id))) return;
    const result = isObject(message.json) ? message.json.result : undefined;
    const tools = isObject(result) && Array.isArray(result.tools) ? result.tools.filter(isObject) : [];
    for (const { name, inputSchema } of tools)
      if (typeof name === 'string' && isObject(inputSchema))
        this.options.inputSchemas?.set(name, inputSchema);
  }

  /** A stream that is lost cannot be resumed: its request gets no response. */
  protected afterEnd(_call: HttpCall, open: readonly Message[]): void {
    this.giveUp(open);
  }

  protected async leave(): Promise<void> {}
}

/** A body without a readable version, such as a notification, is sent with the version of the conversation. */
const withVersion = (headers: HeaderList, version: string): HeaderList =>
  headers.some(([name]) => name === 'MCP-Protocol-Version')
    ? headers
    : [['MCP-Protocol-Version', version], ...headers];
