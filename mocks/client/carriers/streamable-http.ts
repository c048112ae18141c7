/**
 * Streamable HTTP: a POST for each message, responses as JSON or on a stream, a separate stream opened with
 * GET.
 */

import { retryMs } from '../../../harness/framing/sse.js';
import { namedVersion } from '../../../harness/record/envelope.js';
import { idKey } from '../../../harness/record/message.js';
import { mirroredHeaders } from '../../../harness/record/mirrored-headers.js';
import { isObject, type Json, type JsonObject, parseJson } from '../../../spec/json-rpc.js';
import { clauseIn, requirement } from '../../../spec/requirement.js';
import type { Revision } from '../../../spec/revisions.js';
import { Authorization } from '../authorization.js';
import { type Carrier, SessionOver } from './carrier.js';
import { type HttpAnswer, HttpCalls, isMessage, isOf } from './http.js';
import { HttpSseCarrier } from './http-sse.js';
import type { CarrierOptions } from './options.js';

/** Milliseconds before a stream is resumed, when the server sends no retry value. */
const defaultRetry = 200;
/** The maximum number of resumptions of a stream without new events. */
const mostTries = 4;

/** HTTP statuses of a server that may only support HTTP+SSE (basic/transports#backwards-compatibility). */
const statusesOfOlder = [400, 404, 405];

export class StreamableHttpCarrier implements Carrier {
  private readonly calls: HttpCalls;
  private session: string | undefined;
  private revision: Revision | undefined;
  private closed = false;
  /** For each request, the controller of its POST and the head of its response. */
  private readonly posts = new Map<
    string,
    { readonly given: AbortController; readonly answered: Promise<unknown> }
  >();
  /** The server supports only the HTTP+SSE transport. */
  private older: HttpSseCarrier | undefined;

  constructor(
    private readonly url: string,
    private readonly options: CarrierOptions,
  ) {
    const { habits, arranged, onOpen } = options;
    this.calls = new HttpCalls(options, signal => {
      return new Authorization(new URL(url), { habits: habits.authorization, arranged, onOpen, signal });
    });
  }

  async open(): Promise<void> {}

  get home(): URL {
    return new URL(this.url);
  }

  private get headers(): Record<string, string> {
    const { revision } = this;
    const named = revision && clauseIn(requirement('streamable-http.client-version-header'), revision.id);
    return {
      ...(this.session !== undefined && { 'mcp-session-id': this.session }),
      ...(named && { 'mcp-protocol-version': revision.id }),
    };
  }

  async send(json: Json): Promise<void> {
    const { deviations, events } = this.options;
    const isStateless = isObject(json) && namedVersion({ params: paramsOf(json) }) !== undefined;
    const mirrored = isStateless
      ? Object.fromEntries(
          mirroredHeaders(json, events.schemaOf).map(([name, value]) => [name.toLowerCase(), value]),
        )
      : undefined;
    await this.post(
      String(deviations.bytes(JSON.stringify(json))),
      idsOf(json),
      isInitialize(json),
      mirrored,
    );
  }

  async write(bytes: string | Buffer): Promise<void> {
    await this.post(String(bytes), [], false);
  }

  /** @param mirrored headers that repeat members of the body; only without a handshake */
  private async post(
    body: string,
    asked: readonly string[],
    opening: boolean,
    mirrored?: Readonly<Record<string, string>>,
  ): Promise<void> {
    if (this.older) return this.older.write(body);
    if (this.calls.stopped) throw new Error('The client closed the connection.');
    if (opening) this.forget();
    const { session } = this;
    const given = new AbortController();
    const headers = {
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      ...(mirrored ?? this.headers),
    };
    const signal = asked.length > 0 ? given.signal : undefined;
    const answered = this.calls.ask({ method: 'POST', url: this.url, headers, body }, signal);
    for (const key of asked) this.posts.set(key, { given, answered });
    const answer = await answered;
    if (answer.status === 404 && session !== undefined) throw new SessionOver(session);
    if (opening && statusesOfOlder.includes(answer.status) && this.options.habits.triesOlder)
      return this.fallBack(body);
    if (answer.status >= 400 && mirrored) return this.refused(answer, body);
    if (answer.status >= 400)
      throw new Error(`HTTP ${answer.status}: ${(await answer.text()).slice(0, 200)}`);
    if (opening) this.session = answer.headers.get('mcp-session-id') ?? undefined;
    if (isOf(answer, 'text/event-stream')) void this.follow(answer, new Set(asked));
    else if (isOf(answer, 'application/json')) this.receive(this.calls.json(await answer.text()));
    else {
      await answer.text();
      if (asked.length > 0) throw new Error('The response is neither JSON nor an event stream.');
    }
  }

  /** The body of a refusal may be an error of the protocol (basic/transports/streamable-http#backward-compatibility). */
  private async refused(answer: HttpAnswer, body: string): Promise<void> {
    const text = await answer.text();
    const json = isOf(answer, 'application/json') ? this.calls.json(text) : undefined;
    const asked = parseJson(body);
    if (!isObject(json) || !isObject(json.error) || !isObject(asked))
      throw new Error(`HTTP ${answer.status}: ${text.slice(0, 200)}`);
    this.receive({ ...json, jsonrpc: '2.0', id: asked.id! });
  }

  /** A new session starts here. */
  private forget(): void {
    this.session = undefined;
    this.revision = undefined;
  }

  /**
   * basic/transports#backwards-compatibility: a GET, to which an HTTP+SSE server responds with its endpoint.
   */
  private async fallBack(body: string): Promise<void> {
    const older = new HttpSseCarrier(this.url, this.options);
    await older.open();
    this.older = older;
    await older.write(body);
  }

  private receive(json: Json | undefined): void {
    if (json !== undefined && !this.calls.stopped) this.options.events.receive(json);
  }

  /**
   * Reads a stream, and resumes it when it ends too early.
   * @param open the requests with responses on this stream; undefined for the stream that never ends
   */
  private async follow(first: HttpAnswer, open?: Set<string>): Promise<void> {
    await this.readOn(first, open);
    if (open) this.options.events.unanswered(open);
  }

  private async readOn(first: HttpAnswer, open: Set<string> | undefined): Promise<void> {
    let answer: HttpAnswer | undefined = first;
    let lastId: string | undefined;
    let retry = defaultRetry;
    const handled = new Set<string>();
    for (let tries = 0; answer && tries < mostTries; ) {
      await this.calls.read(answer, block => {
        // an empty id resets the last event id
        if (block.id !== undefined) lastId = block.id === '' ? undefined : block.id;
        retry = retryMs(block) ?? retry;
        if (!isMessage(block)) return;
        if (block.id && handled.has(block.id) && !this.options.habits.handlesAgain) return;
        if (block.id) handled.add(block.id);
        const json = this.calls.json(block.data!);
        if (json !== undefined) tries = 0;
        for (const id of repliesIn(json)) open?.delete(id);
        this.receive(json);
      });
      const more = !this.isStateless && (open === undefined || (open.size > 0 && lastId !== undefined));
      if (!more || this.closed || this.calls.stopped) return;
      tries++;
      await new Promise(resolve => setTimeout(resolve, retry));
      if (this.closed || this.calls.stopped) return;
      answer = await this.listen(lastId);
    }
  }

  /** @returns undefined when the server offers no GET stream */
  private async listen(lastId?: string): Promise<HttpAnswer | undefined> {
    const headers = { accept: 'text/event-stream', ...this.headers };
    const again = lastId !== undefined && { 'last-event-id': lastId };
    const { session } = this;
    try {
      const answer = await this.calls.ask({
        method: 'GET',
        url: this.url,
        headers: { ...headers, ...again },
      });
      if (answer.status === 200 && isOf(answer, 'text/event-stream')) return answer;
      await answer.text();
      if (answer.status === 404 && session !== undefined) this.options.events.expired(session);
    } catch {
      // rejected, or the server has exited: no stream exists
    }
    return undefined;
  }

  private get isStateless(): boolean {
    return this.revision?.era === 'modern';
  }

  ready(): void {
    if (this.older) return;
    void this.listen().then(answer => answer && this.follow(answer));
  }

  agreed(revision: Revision): void {
    this.revision = revision;
  }

  hangUp(id: Json | undefined): void {
    const post = this.posts.get(idKey(id));
    // without a handshake the closed connection is the cancellation, so the request is sent first
    const sent = this.isStateless
      ? Promise.race([post?.answered, settled(this.options.habits.hangUpMs)])
      : post?.answered;
    void sent?.then(
      () => post?.given.abort(),
      () => {},
    );
  }

  async close(): Promise<void> {
    this.closed = true;
    if (this.older) return this.older.close();
    if (this.session !== undefined && (await this.options.deviations.leaves()))
      await this.calls
        .ask({ method: 'DELETE', url: this.url, headers: this.headers })
        .then(answer => answer.text())
        .catch(() => {});
    this.abandon();
  }

  abandon(): void {
    this.closed = true;
    this.older?.abandon();
    for (const { given } of this.posts.values()) given.abort();
    this.calls.abandon();
  }
}

const each = (json: Json | undefined): Json[] =>
  Array.isArray(json) ? json : json === undefined ? [] : [json];

const idsOf = (json: Json): string[] =>
  each(json).flatMap(m => (isObject(m) && 'method' in m && m.id !== undefined ? [idKey(m.id)] : []));

const repliesIn = (json: Json | undefined): string[] =>
  each(json).flatMap(m => (isObject(m) && !('method' in m) && m.id !== undefined ? [idKey(m.id)] : []));

const settled = (ms: number): Promise<void> => new Promise(resolve => setTimeout(resolve, ms));

const paramsOf = ({ params }: JsonObject): JsonObject | undefined => (isObject(params) ? params : undefined);

const isInitialize = (json: Json): boolean => isObject(json) && json.method === 'initialize';
