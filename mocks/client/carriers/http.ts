/** What both HTTP transports share for the reference client: requests that deviations can change, and streams of events. */

import { setMaxListeners } from 'node:events';
import { type SseRead, SseReader } from '../../../harness/framing/sse.js';
import { type Json, parseJson } from '../../../spec/json-rpc.js';
import type { Authorization } from '../authorization.js';
import type { HttpAsk, HttpHead } from '../fault.js';
import type { CarrierOptions } from './carrier.js';

/** An answer: its head as deviations let it be seen, and its body. */
export interface HttpAnswer extends HttpHead {
  readonly ask: HttpAsk;
  readonly body: Response['body'];
  text(): Promise<string>;
}

export class HttpCalls {
  private readonly stop = new AbortController();
  private readonly authorization: Authorization | undefined;

  /** @param authorize makes what gets tokens, where the transport has them; it stops when the signal says so */
  constructor(
    private readonly options: CarrierOptions,
    authorize?: (signal: AbortSignal) => Authorization,
  ) {
    this.authorization = authorize?.(this.stop.signal);
    // as many as there are requests under way
    setMaxListeners(0, this.stop.signal);
  }

  /**
   * @param signal ends it; default: what `abandon` does
   * @throws {Error} when there is no answer, or the request was not to go out at all
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
    const sent = deviations.http(this.authorization?.carry(ask) ?? ask);
    if (!sent) throw new Error('The request was not sent.');
    const fetchAt = (url: string) =>
      fetch(url, {
        method: sent.method,
        headers: sent.headers,
        ...(sent.body !== undefined && { body: sent.body }),
        signal,
        redirect: 'manual',
      });
    let answer = await fetchAt(sent.url);
    const elsewhere = answer.headers.get('location');
    if (elsewhere !== null && answer.status >= 300 && answer.status < 400) {
      if (!habits.authorization.followsRedirects) throw new Error('The server is said to be elsewhere.');
      answer = await fetchAt(elsewhere);
    }
    const head = deviations.httpHead({ status: answer.status, headers: answer.headers }, sent);
    return { ...head, ask: sent, body: answer.body, text: () => answer.text() };
  }

  /** Reads a stream to its end; a broken one ends as well. */
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
      // what came until then counts
    }
  }

  /** What stands in a body or an event; undefined when it is no JSON. */
  json(text: string): Json | undefined {
    const json = parseJson(text);
    if (json === undefined) this.options.deviations.unreadable(text);
    return json;
  }

  get stopped(): boolean {
    return this.stop.signal.aborted;
  }

  /** Breaks off whatever is under way. */
  abandon(): void {
    this.stop.abort();
  }
}

/** Messages are events of the type `message`, which is the default. */
export const isMessage = ({ event, data }: SseRead): boolean =>
  data !== undefined && data !== '' && (event === undefined || event === '' || event === 'message');

/** Whether it has the media type. */
export const isOf = ({ headers }: HttpHead, type: string): boolean =>
  headers.get('content-type')?.split(';')[0]?.trim().toLowerCase() === type;
