/** Translates for a client with a handshake in front of a server without one: a gateway between two eras. */

import { envelopeKeys } from '../../harness/record/envelope.js';
import { beginsHandshake, endsHandshake } from '../../harness/record/handshake.js';
import { idKey } from '../../harness/record/message.js';
import { isObject, type Json, type JsonObject, without } from '../../spec/json-rpc.js';
import { findDefinedRevision, latestRevision, latestStateless } from '../../spec/revisions.js';
import type { Back } from './interfaces.js';

/** The decisions of a translation, one member each. */
export interface TranslationPolicy {
  /** Members of `_meta` that each request to the server has. @param own those that the two parties gave */
  envelope(own: JsonObject): JsonObject;
  /** A successful result, for the client. */
  result(result: JsonObject): JsonObject;
  /** An error, for the client. @param method that of the request */
  error(error: JsonObject, method: string): JsonObject;
  /** The parameters with which a request is repeated after its questions were answered. */
  retry(params: JsonObject): JsonObject;
  /** Whether a notification of a subscription reaches the client. */
  readonly notifies: boolean;
  /** Whether the questions in a result become requests to the client. */
  readonly asks: boolean;
  /** Whether the cancellation of a request reaches the server. */
  readonly cancels: boolean;
  /** Whether ping reaches the server, which does not know it. */
  readonly forwardsPing: boolean;
}

/** The members of results that only revisions without a handshake have. */
const newer = ['resultType', 'ttlMs', 'cacheScope'];

const metaOf = (of: Json | undefined): JsonObject => (isObject(of) && isObject(of._meta) ? of._meta : {});

function withoutEnvelope(body: JsonObject): JsonObject {
  const { [envelopeKeys.serverInfo]: _, [envelopeKeys.subscriptionId]: __, ...meta } = metaOf(body);
  const rest = without(body, '_meta');
  return Object.keys(meta).length > 0 ? { ...rest, _meta: meta } : rest;
}

/** A translation that keeps what both eras have. */
export const plainTranslation: TranslationPolicy = {
  envelope: own => own,
  result: result => withoutEnvelope(without(result, ...newer)),
  error: (error, method) =>
    // server/resources#error-handling: the code for an unknown resource is another one
    method === 'resources/read' && error.code === -32_602 && isObject(error.data) && 'uri' in error.data
      ? { ...error, code: -32_002 }
      : error,
  retry: params => params,
  notifies: true,
  asks: true,
  cancels: true,
  forwardsPing: false,
};

/** The client as its handshake introduces it. */
interface Introduction {
  readonly version: string;
  readonly info: Json;
  readonly capabilities: JsonObject;
}

/** A request to the server. */
interface Sent {
  readonly method: string;
  readonly params: JsonObject;
  /** The request of the client that caused it. */
  readonly cause: JsonObject | undefined;
  readonly finish: (reply: JsonObject) => void;
}

/** The questions of one result, with the answers so far. */
interface Round {
  readonly of: Sent;
  readonly state: Json | undefined;
  readonly answers: Map<string, Json>;
  readonly open: Set<string>;
}

export class Translator implements Back {
  private client: Introduction | undefined;
  private logLevel: Json | undefined;
  private readonly sent = new Map<string, Sent>();
  /** Questions to the client, by the id of the request. */
  private readonly rounds = new Map<string, { readonly round: Round; readonly key: string }>();
  /** Subscriptions by URI. */
  private readonly listening = new Map<string, number>();
  /** What happens when a subscription is acknowledged. */
  private readonly acknowledged = new Map<string, () => void>();
  private capabilities: JsonObject = {};
  private last = 0;

  constructor(
    private readonly back: Back,
    private readonly toClient: (json: Json) => void,
    private readonly policy: TranslationPolicy,
  ) {}

  close(): Promise<void> {
    return this.back.close();
  }

  hangUp(id: Json | undefined): void {
    if (this.client) this.cancel(id, 'The client closed the stream.');
    else this.back.hangUp(id);
  }

  /** A message of the client. Without a handshake nothing is translated. */
  send(json: Json): void {
    if (!isObject(json) || (!this.client && !beginsHandshake(json))) this.back.send(json);
    else if (typeof json.method !== 'string') this.answered(json);
    else if (json.id === undefined) this.notified(json);
    else this.asked(json, json.method);
  }

  private asked(ask: JsonObject, method: string): void {
    const params = isObject(ask.params) ? ask.params : {};
    const reply = (body: JsonObject) => this.toClient({ jsonrpc: '2.0', id: ask.id!, ...body });
    const done = () => reply({ result: {} });
    const pass = () => this.ask(method, params, ask, reply);
    if (beginsHandshake(ask)) {
      this.introduce(params);
      this.ask('server/discover', {}, ask, body => reply(this.introduction(body)));
    } else if (method === 'ping') this.policy.forwardsPing ? pass() : done();
    else if (method === 'logging/setLevel') {
      this.logLevel = params.level;
      done();
    } else if (method === 'resources/subscribe') {
      const uri = String(params.uri);
      const id = this.listen({ resourceSubscriptions: [uri] }, ask, reply, done);
      this.listening.set(uri, id);
    } else if (method === 'resources/unsubscribe') {
      const id = this.listening.get(String(params.uri));
      if (id !== undefined) this.withdraw(id, 'no longer needed');
      done();
    } else pass();
  }

  private introduce({ protocolVersion, clientInfo = null, capabilities }: JsonObject): void {
    const known = findDefinedRevision(protocolVersion);
    const version = known?.era === 'legacy' ? known.id : latestRevision.id;
    const { tasks: _, roots, ...own } = isObject(capabilities) ? capabilities : {};
    this.client = {
      version,
      info: clientInfo,
      capabilities: { ...own, ...(roots !== undefined && { roots: {} }) },
    };
  }

  /** The answer to the handshake, from the answer to server/discover. */
  private introduction(body: JsonObject): JsonObject {
    const { result } = body;
    if (!isObject(result)) return body;
    const { capabilities, instructions } = result;
    const { extensions: _, ...own } = isObject(capabilities) ? capabilities : {};
    this.capabilities = own;
    return {
      result: {
        protocolVersion: this.client!.version,
        capabilities: own,
        serverInfo: metaOf(result)[envelopeKeys.serverInfo] ?? { name: 'unknown', version: '0' },
        ...(instructions !== undefined && { instructions }),
      },
    };
  }

  private notified(note: JsonObject): void {
    const params = isObject(note.params) ? note.params : {};
    if (endsHandshake(note)) {
      const declares = (name: string) => {
        const { [name]: of } = this.capabilities;
        return isObject(of) && of.listChanged === true;
      };
      const lists = ['tools', 'prompts', 'resources'].filter(declares);
      const filter = Object.fromEntries(lists.map(name => [`${name}ListChanged`, true]));
      if (lists.length > 0)
        this.listen(
          filter,
          undefined,
          () => {},
          () => {},
        );
    }
    if (note.method === 'notifications/cancelled')
      this.cancel(params.requestId, String(params.reason ?? 'cancelled by the client'));
  }

  /** Sends a request in the name of the client. @returns its id */
  private ask(
    method: string,
    params: JsonObject,
    cause: JsonObject | undefined,
    finish: Sent['finish'],
  ): number {
    const id = ++this.last;
    const { info, capabilities } = this.client!;
    const meta = this.policy.envelope({
      ...metaOf(params),
      [envelopeKeys.protocolVersion]: latestStateless.id,
      [envelopeKeys.clientInfo]: info,
      [envelopeKeys.clientCapabilities]: capabilities,
      ...(this.logLevel !== undefined && { [envelopeKeys.logLevel]: this.logLevel }),
    });
    this.sent.set(idKey(id), { method, params, cause, finish });
    this.back.send({ jsonrpc: '2.0', id, method, params: { ...params, _meta: meta } });
    return id;
  }

  private listen(
    notifications: JsonObject,
    cause: JsonObject | undefined,
    finish: Sent['finish'],
    done: () => void,
  ): number {
    const id = this.ask('subscriptions/listen', { notifications }, cause, finish);
    this.acknowledged.set(idKey(id), done);
    return id;
  }

  private withdraw(id: number, reason: string): void {
    this.sent.delete(idKey(id));
    if (!this.policy.cancels) return;
    this.back.send({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: id, reason } });
  }

  private cancel(requested: Json | undefined, reason: string): void {
    for (const [key, { cause }] of this.sent)
      if (cause && idKey(cause.id) === idKey(requested))
        this.withdraw(Number(key.replace(/^\D+/, '')), reason);
    for (const [id, { round }] of this.rounds)
      if (round.of.cause && idKey(round.of.cause.id) === idKey(requested)) this.rounds.delete(id);
  }

  /** A message of the server. */
  receive(json: Json): void {
    if (!isObject(json) || !this.client) this.toClient(json);
    else if (typeof json.method !== 'string') this.finished(json);
    else {
      const params = isObject(json.params) ? json.params : {};
      const subscription = metaOf(params)[envelopeKeys.subscriptionId];
      if (json.method === 'notifications/subscriptions/acknowledged') {
        this.acknowledged.get(idKey(subscription))?.();
        this.acknowledged.delete(idKey(subscription));
      } else if (subscription === undefined) this.toClient(json);
      else if (this.policy.notifies && this.sent.has(idKey(subscription)))
        this.toClient({ ...json, params: withoutEnvelope(params) });
    }
  }

  private finished(reply: JsonObject): void {
    const key = idKey(reply.id);
    const own = this.sent.get(key);
    if (!own) return;
    this.sent.delete(key);
    const { result, error } = reply;
    if (isObject(error)) own.finish({ error: this.policy.error(error, own.method) });
    else if (!isObject(result)) own.finish({ result: result ?? null });
    else if (own.method === 'server/discover') own.finish({ result });
    else if (result.resultType === 'input_required' && this.policy.asks) this.question(own, result);
    // the end of a subscription has no counterpart
    else if (own.method !== 'subscriptions/listen') own.finish({ result: this.policy.result(result) });
  }

  /** Asks the client what the server needs to know. */
  private question(of: Sent, { inputRequests, requestState: state }: JsonObject): void {
    const asked = Object.entries(isObject(inputRequests) ? inputRequests : {});
    const round: Round = { of, state, answers: new Map(), open: new Set(asked.map(([key]) => key)) };
    if (asked.length === 0) this.repeat(round);
    for (const [key, request] of asked) {
      if (!isObject(request)) continue;
      const id = `question-${++this.last}`;
      this.rounds.set(idKey(id), { round, key });
      this.toClient({ jsonrpc: '2.0', id, ...request });
    }
  }

  /** An answer of the client. */
  private answered({ id, result, error }: JsonObject): void {
    const waiting = this.rounds.get(idKey(id));
    if (!waiting) return;
    this.rounds.delete(idKey(id));
    const { round, key } = waiting;
    round.open.delete(key);
    if (isObject(error)) round.of.finish({ error });
    else round.answers.set(key, result ?? null);
    if (!isObject(error) && round.open.size === 0) this.repeat(round);
  }

  private repeat({ of, state, answers }: Round): void {
    const params = {
      ...without(of.params, 'inputResponses', 'requestState'),
      ...(answers.size > 0 && { inputResponses: Object.fromEntries(answers) }),
      ...(state !== undefined && { requestState: state }),
    };
    this.ask(of.method, this.policy.retry(params), of.cause, of.finish);
  }
}
