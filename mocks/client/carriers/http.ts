/**
 * Shared code of both HTTP transports of the reference client: requests that deviations can change, and event
 * streams.
 */

import { setMaxListeners } from 'node:events';
import { type SseRead, SseReader } from '../../../harness/framing/sse.js';
import { type Json, parseJson } from '../../../spec/json-rpc.js';
import type { Authorization } from '../authorization.js';
import type { HttpAsk, HttpHead, HttpResponse } from '../http-message.js';
import type { CarrierOptions } from './options.js';

/** A response: its head after the deviations, and its body. */
export interface HttpAnswer extends HttpHead {
  readonly ask: HttpAsk;
  readonly body: HttpResponse['body'];
  text(): Promise<string>;
}

export class HttpCalls {
  private readonly stop = new AbortController();
  private readonly authorization: Authorization | undefined;

  /** @param authorize creates the source of tokens, where the transport has one; the signal aborts it */
  constructor(
    private readonly options: CarrierOptions,
    authorize?: (signal: AbortSignal) => Authorization,
  ) {
    this.authorization = authorize?.(this.stop.signal);
    // as many as there are open requests
    setMaxListeners(0, this.stop.signal);
  }

  /**
   * @param signal aborts the request; default: the signal of `abandon`
   * @throws {Error} when there is no response, or the request is not sent
   */
  async ask(ask: HttpAsk, signal: AbortSignal = this.stop.signal): Promise<HttpAnswer> {
    const { authorization } = this;
    const answer = await this.askOnce(ask, signal);
    if (!authorization?.concerns(answer)) return answer;
    let refusal = answer;
    const most = authorization.mostTriesOf(ask, answer);
    for (let tries = 0; tries < most && authorization.concerns(refusal); tries++) {
      await refusal.text();
      await authorization.react(refusal, tries > 0);
      refusal = await this.askOnce(ask, signal);
    }
    authorization.conclude(ask, refusal);
    return refusal;
  }

  private async askOnce(ask: HttpAsk, signal: AbortSignal): Promise<HttpAnswer> {
    const { deviations, habits } = this.options;
    const sent = await deviations.http(this.authorization?.carry(ask) ?? ask);
    if (!sent) throw new Error('The request was not sent.');
    const fetchAt = (url: string) =>
      habits.fetch(url, {
        method: sent.method,
        headers: sent.headers,
        ...(sent.body !== undefined && { body: sent.body }),
        signal,
        redirect: 'manual',
      });
    let answer = await fetchAt(sent.url);
    const elsewhere = answer.headers.get('location');
    if (elsewhere !== null && answer.status >= 300 && answer.status < 400) {
      if (!habits.authorization.followsRedirects) throw new Error('The response is a redirect.');
      answer = await fetchAt(elsewhere);
    }
    const head = deviations.httpHead({ status: answer.status, headers: answer.headers }, sent);
    return { ...head, ask: sent, body: answer.body, text: () => answer.text() };
  }

  /** Reads a stream to its end; a broken stream ends too. */
  async read(answer: HttpAnswer, onBlock: (block: SseRead) => void): Promise<void> {
    if (!answer.body) return;
    const { deviations } = this.options;
    const reader = new SseReader(read => {
      const block = read.unfinished ? undefined : deviations.block(read, answer.ask);
      if (block) onBlock(block);
    });
    try {
      for await (const chunk of answer.body) reader.push(deviations.streamBytes(Buffer.from(chunk)));
    } catch {
      // bytes received before the error count
    }
  }

  /** The content of a body or an event; undefined when it is not valid JSON. */
  json(text: string): Json | undefined {
    const json = parseJson(text);
    if (json === undefined) this.options.deviations.unreadable(text);
    return json;
  }

  get stopped(): boolean {
    return this.stop.signal.aborted;
  }

  /** Aborts everything that is in progress. */
  abandon(): void {
    this.stop.abort();
  }
}

/** Messages are events of the type `message`, which is the default type. */
export const isMessage = ({ event, data }: SseRead): boolean =>
  data !== undefined && data !== '' && (event === undefined || event === '' || event === 'message');

/** Whether a response has the media type. */
export const isOf = ({ headers }: HttpHead, type: string): boolean =>
  headers.get('content-type')?.split(';')[0]?.trim().toLowerCase() === type;
