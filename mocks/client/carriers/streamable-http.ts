/** Streamable HTTP: a POST for each message, answers as JSON or on a stream, a stream of its own opened with GET. */

import { retryMs } from '../../../harness/framing/sse.js';
import { idKey } from '../../../harness/history.js';
import { isObject, type Json } from '../../../spec/json-rpc.js';
import { clauseIn, requirement } from '../../../spec/requirement.js';
import type { Revision } from '../../../spec/revisions.js';
import type { Carrier, CarrierOptions } from './carrier.js';
import { type HttpAnswer, HttpCalls, isMessage, isOf } from './http.js';

/** Milliseconds to wait before a stream is gone on with, when the server does not say. */
const defaultRetry = 200;
/** A stream that brings nothing is gone on with so many times. */
const mostTries = 4;

/** The server has ended the session. */
export class SessionOver extends Error {}

export class StreamableHttpCarrier implements Carrier {
  private readonly calls: HttpCalls;
  private session: string | undefined;
  private revision: Revision | undefined;
  private closed = false;

  constructor(
    private readonly url: string,
    private readonly options: CarrierOptions,
  ) {
    this.calls = new HttpCalls(options);
  }

  async open(): Promise<void> {}

  private get headers(): Record<string, string> {
    const { revision } = this;
    const named = revision && clauseIn(requirement('streamable-http.client-version-header'), revision.id);
    return {
      ...(this.session !== undefined && { 'mcp-session-id': this.session }),
      ...(named && { 'mcp-protocol-version': revision.id }),
    };
  }

  async send(json: Json): Promise<void> {
    await this.post(
      String(this.options.deviations.bytes(JSON.stringify(json))),
      idsOf(json),
      isInitialize(json),
    );
  }

  async write(bytes: string | Buffer): Promise<void> {
    await this.post(String(bytes), [], false);
  }

  private async post(body: string, asked: readonly string[], opening: boolean): Promise<void> {
    const answer = await this.calls.ask({
      method: 'POST',
      url: this.url,
      headers: {
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
        ...this.headers,
      },
      body,
    });
    if (answer.status === 404 && this.session !== undefined) throw new SessionOver('The session is over.');
    if (answer.status >= 400)
      throw new Error(`HTTP ${answer.status}: ${(await answer.text()).slice(0, 200)}`);
    if (opening) this.session = answer.headers.get('mcp-session-id') ?? undefined;
    if (isOf(answer, 'text/event-stream')) void this.follow(answer, new Set(asked));
    else if (isOf(answer, 'application/json')) this.receive(this.calls.json(await answer.text()));
    else await answer.text();
  }

  private receive(json: Json | undefined): void {
    if (json !== undefined && !this.calls.stopped) this.options.events.receive(json);
  }

  /**
   * Reads a stream, and goes on with it when it ends too early.
   * @param open the requests that are answered on it; undefined for the one that never ends
   */
  private async follow(first: HttpAnswer, open: Set<string> | undefined): Promise<void> {
    let answer: HttpAnswer | undefined = first;
    let lastId: string | undefined;
    let retry = defaultRetry;
    for (let tries = 0; answer && tries < mostTries; ) {
      await this.calls.read(answer, block => {
        tries = 0;
        // an empty id takes back what was said before
        if (block.id !== undefined) lastId = block.id === '' ? undefined : block.id;
        retry = retryMs(block) ?? retry;
        if (!isMessage(block)) return;
        const json = this.calls.json(block.data!);
        for (const id of repliesIn(json)) open?.delete(id);
        this.receive(json);
      });
      const more = open === undefined || (open.size > 0 && lastId !== undefined);
      if (!more || this.closed || this.calls.stopped) return;
      tries++;
      await new Promise(resolve => setTimeout(resolve, retry));
      if (this.closed || this.calls.stopped) return;
      answer = await this.listen(lastId);
    }
  }

  /** @returns undefined when the server offers no stream */
  private async listen(lastId?: string): Promise<HttpAnswer | undefined> {
    const headers = { accept: 'text/event-stream', ...this.headers };
    const again = lastId !== undefined && { 'last-event-id': lastId };
    try {
      const answer = await this.calls.ask({
        method: 'GET',
        url: this.url,
        headers: { ...headers, ...again },
      });
      if (answer.status === 200 && isOf(answer, 'text/event-stream')) return answer;
      await answer.text();
    } catch {
      // refused, or the server is gone: there is no stream
    }
    return undefined;
  }

  ready(): void {
    void this.listen().then(answer => answer && this.follow(answer, undefined));
  }

  agreed(revision: Revision): void {
    this.revision = revision;
  }

  async close(): Promise<void> {
    this.closed = true;
    if (this.session !== undefined && (await this.options.deviations.leaves()))
      await this.calls
        .ask({ method: 'DELETE', url: this.url, headers: this.headers })
        .then(answer => answer.text())
        .catch(() => {});
    this.abandon();
  }

  abandon(): void {
    this.closed = true;
    this.calls.abandon();
  }
}

const each = (json: Json | undefined): Json[] =>
  Array.isArray(json) ? json : json === undefined ? [] : [json];

const idsOf = (json: Json): string[] =>
  each(json).flatMap(m => (isObject(m) && 'method' in m && m.id !== undefined ? [idKey(m.id)] : []));

const repliesIn = (json: Json | undefined): string[] =>
  each(json).flatMap(m => (isObject(m) && !('method' in m) && m.id !== undefined ? [idKey(m.id)] : []));

const isInitialize = (json: Json): boolean => isObject(json) && json.method === 'initialize';
