/** The handlers of the harness for requests of the subject, and those requests whose responses are deferred. */

import { isObject, type JsonObject } from '../../spec/json-rpc.js';
import type { Conversation } from '../record/conversation.js';
import { idKey, type Message } from '../record/message.js';
import { NotObserved } from './deferred.js';
import { type Handler, RefusedRequest } from './requests.js';

const relatedTask = 'io.modelcontextprotocol/related-task';

interface Handling {
  readonly handler: Handler;
  readonly deliberate: boolean;
  /** The previous handler. */
  readonly former: Handling | undefined;
}

interface HandlersTarget {
  reply(request: Message, body: JsonObject, options: { deliberate: boolean }): void;
  /** Defers the response to a request. */
  defer(method: string, request: Message): void;
  /** As a server: the error for a request that the revision does not allow; `silence` for no response. */
  refusal(request: Message): RefusedRequest | 'silence' | undefined;
}

export class Handlers {
  /** An exception of a handler other than a refusal: a bug of the suite, reported at the end of the case. */
  defect: unknown;
  private readonly byMethod = new Map<string, Handling>();
  /** Handlers that defer the response. */
  private readonly deferring = new WeakSet<Handler>();

  constructor(private readonly target: HandlersTarget) {}

  set(method: string, handler: Handler, deliberate = false): () => void {
    const former = this.byMethod.get(method);
    this.byMethod.set(method, { handler, deliberate, former });
    return () => {
      if (former) this.byMethod.set(method, former);
      else this.byMethod.delete(method);
    };
  }

  defer(method: string): void {
    const holder: Handler = (_, request) => {
      this.target.defer(method, request);
      return undefined;
    };
    this.deferring.add(holder);
    this.set(method, holder);
  }

  async answerTo(asked: JsonObject, reply: Message): Promise<JsonObject | undefined> {
    const handling = this.byMethod.get(typeof asked.method === 'string' ? asked.method : '');
    try {
      return await handling?.handler(isObject(asked.params) ? asked.params : undefined, reply);
    } catch (error) {
      if (!(error instanceof RefusedRequest)) this.defect ??= error;
      return undefined;
    }
  }

  respond(request: Message): Promise<void> {
    return this.respondWith(request, this.byMethod.get(request.method ?? ''));
  }

  /** Sends the response of a request that was never deferred. */
  respondNormally(request: Message): Promise<void> {
    let handling = this.byMethod.get(request.method ?? '');
    while (handling && this.deferring.has(handling.handler)) handling = handling.former;
    return this.respondWith(request, handling);
  }

  private async respondWith(request: Message, handling: Handling | undefined): Promise<void> {
    if (request.id === undefined || request.id === null) return;
    let answer: JsonObject;
    try {
      const refusal = this.target.refusal(request);
      if (refusal === 'silence') return;
      if (refusal) throw refusal;
      if (!handling) throw new RefusedRequest(-32601, `Method not found: ${request.method ?? '?'}`);
      const result = await handling.handler(request.params, request);
      if (result === undefined) return;
      answer = { result: withTask(result, request) };
    } catch (error) {
      if (!(error instanceof RefusedRequest)) {
        if (!(error instanceof NotObserved)) this.defect ??= error;
        return;
      }
      const { code, message, data } = error;
      answer = { error: { code, message, ...(data !== undefined && { data }) } };
    }
    this.target.reply(request, answer, { deliberate: handling?.deliberate ?? false });
  }
}

/** The response to a request of a task names the task, as the request does. */
function withTask(result: JsonObject, { params }: Message): JsonObject {
  const { [relatedTask]: related } = isObject(params?._meta) ? params._meta : {};
  if (related === undefined) return result;
  return { ...result, _meta: { ...(isObject(result._meta) && result._meta), [relatedTask]: related } };
}

/**
 * True if the subject has cancelled its request. @param byClosing over HTTP, the end of the response on the side
 * of the client cancels
 */
export function isCancelled(conversation: Conversation, request: Message, byClosing: boolean): boolean {
  if (byClosing && conversation.httpOf(request)?.end?.by === 'client') return true;
  return conversation
    .notifications({ by: 'subject', method: 'notifications/cancelled' })
    .some(m => idKey(m.params?.requestId) === idKey(request.id));
}
