/** A conversation in a record: one session, process or link, with its events, messages and exchanges. */

import { isObject, type JsonObject, otherRole, type Party, type Role } from '../../spec/json-rpc.js';
import {
  findDefinedRevision,
  latestStateless,
  type Revision,
  type TransportId,
} from '../../spec/revisions.js';
import { type Vocabulary, vocabularyWith } from '../../spec/vocabulary.js';
import { append, grouped } from '../grouped.js';
import { extensionsIn } from './capabilities.js';
import { MessageIndex, Pairing } from './correlation.js';
import { DerivedValues } from './derived-values.js';
import { declaredIn, discoveryMethod, namedVersion } from './envelope.js';
import type { Deadline, Event, Exited, Frame, LinkOpened } from './event.js';
import { beginsHandshake, handshakeMethods } from './handshake.js';
import { type HttpExchange, HttpLog } from './http-exchange.js';
import { type Exchange, idKey, type Message, type Placed, resultOf, toMessages } from './message.js';
import { discoveredIn, discoveryAmong, handshakeAmong, negotiatedIn, openingMethods } from './opening.js';

export { declares, extensionsIn } from './capabilities.js';

const none: readonly never[] = [];

interface Query {
  /** `subject` and `peer` are resolved by the party under test. */
  by?: 'subject' | 'peer';
  method?: string;
}

/** One session, process or link: the input of a rule. */
export class Conversation {
  readonly events: Event[] = [];
  readonly messages: Message[] = [];
  /**
   * Messages by frame; the index is the distance of the frame number from the first event, because the
   * numbers are close together.
   */
  private readonly byFrame: (readonly Message[])[] = [];
  private readonly byKind = new Map<Event['kind'], Event[]>();
  private readonly index = {
    request: new MessageIndex(),
    notification: new MessageIndex(),
    reply: new MessageIndex(),
  };
  private readonly sentBy: Record<Role, Message[]> = { client: [], server: [] };
  private readonly pairing = new Pairing();
  private readonly derivedValues = new DerivedValues<Conversation>(this);
  /** Values that depend on the exchanges of initialize and server/discover alone; most messages ask for them. */
  private readonly openingValues = new DerivedValues<Conversation>(this);
  private readonly httpLog = new HttpLog();
  /** `LinkOpened.unplanned` */
  private isUnplanned = false;
  /** The planned revision with a handshake, when the first message had an envelope. */
  private stateful: Revision | undefined;

  /** The protocol role of the subject. */
  readonly subject: Role;

  constructor(
    readonly link: number,
    /** The party under test. */
    readonly party: Party,
    readonly transport: TransportId,
    private planned: Revision,
  ) {
    this.subject = party === 'client' ? 'client' : 'server';
  }

  /** Adds an event and returns the messages found in it. */
  append(event: Event): Message[] {
    this.events.push(event);
    append(this.byKind, event.kind, event);
    if (event.kind === 'open' && event.unplanned) this.isUnplanned = true;
    this.derivedValues.clear();
    const found = event.kind === 'frame' ? toMessages(event) : [];
    const replay = event.kind === 'frame' && event.replay === true;
    if (found.length > 0 && !replay) {
      for (const message of found) this.place(message, this.carrierOf(event));
      this.byFrame[event.seq - this.events[0]!.seq] = found;
    } else if (event.kind === 'frame' && !replay) this.pairing.addUnreadable(event);
    this.httpLog.add(event, found);
    if (event.kind === 'deadline' || found.some(m => this.opens(m))) this.openingValues.clear();
    return found;
  }

  /** Whether a message is initialize or server/discover, or a reply to one of them. */
  private opens(message: Message): boolean {
    return openingMethods.has(message.method ?? this.requestOf(message)?.method);
  }

  /** The POST whose whole response body is a frame; undefined for a frame of a stream or of a request. */
  private carrierOf(event: Event): HttpExchange | undefined {
    if (event.kind !== 'frame' || event.exchange === undefined || event.stream !== 'post') return undefined;
    const exchange = this.httpLog.get(event.exchange);
    return exchange.response && !exchange.isStream ? exchange : undefined;
  }

  private place(message: Placed, carrier: HttpExchange | undefined): void {
    const { kind } = message;
    this.messages.push(message);
    this.sentBy[message.by].push(message);
    if (kind) this.index[kind === 'result' || kind === 'error' ? 'reply' : kind].add(message);
    this.pairing.add(message, carrier?.sent);
    if (this.isUnplanned) this.decide(message);
  }

  /**
   * The first message of the client decides on the era: it names a revision, or asks for those of the server by a
   * method that only the newer era has. A client that probes for a newer era and then begins a session is of the
   * era of the session.
   */
  private decide(message: Placed): void {
    const { by, kind } = message;
    const isFirst = message === this.sentBy.client[0];
    const named = isFirst ? namedVersion(message) : undefined;
    if (named !== undefined || (isFirst && message.method === discoveryMethod)) {
      const revision = findDefinedRevision(named);
      this.stateful = this.planned;
      this.planned = revision?.era === 'modern' ? revision : latestStateless;
    } else if (this.stateful && by === 'server' && kind === 'result') {
      if (beginsHandshake(this.pairing.requestOf(message) ?? {})) this.planned = this.stateful;
    }
  }

  /**
   * A value derived from the record, computed once per state of the record.
   * @param compute the key of the value: pass the same function each time, not a new closure
   */
  memo<T>(compute: (conversation: Conversation) => T): T {
    return this.derivedValues.get(compute);
  }

  /** Frees the memory of derived values; they are computed again when they are needed. */
  forgetDerived(): void {
    this.derivedValues.clear();
    this.openingValues.clear();
  }

  get opened(): LinkOpened | undefined {
    return this.eventsOf('open')[0];
  }

  get exit(): Exited | undefined {
    return this.eventsOf('exit')[0];
  }

  /** Events of a kind, in a list that grows with the record. */
  eventsOf<K extends Event['kind']>(kind: K): readonly Extract<Event, { kind: K }>[] {
    return (this.byKind.get(kind) ?? none) as Extract<Event, { kind: K }>[];
  }

  /** Milliseconds by which observations may be delayed. */
  get schedulingDelay(): number {
    return this.eventsOf('lag')[0]?.ms ?? 0;
  }

  /** The HTTP exchanges that carry the conversation, in the order of their start; none over stdio. */
  http(): HttpExchange[] {
    return this.memo(mcpExchanges);
  }

  /** Other HTTP exchanges: OAuth documents and endpoints. */
  oauth(): HttpExchange[] {
    return this.memo(oauthExchanges);
  }

  /** All HTTP exchanges of the link, in the order of their start. */
  allHttp(): HttpExchange[] {
    return this.httpLog.all();
  }

  /** One HTTP exchange by its number. */
  httpExchange(number: number): HttpExchange {
    return this.httpLog.get(number);
  }

  /** The HTTP exchange that carried a message; undefined over stdio. */
  httpOf(message: Message): HttpExchange | undefined {
    const { exchange } = message.frame;
    return exchange === undefined ? undefined : this.httpLog.get(exchange);
  }

  private role(by: 'subject' | 'peer'): Role {
    return by === 'subject' ? this.subject : otherRole(this.subject);
  }

  /** The messages of one frame; none for a replay, whose messages are repeated. */
  messagesOf(frame: { readonly seq: number }): readonly Message[] {
    return this.byFrame[frame.seq - (this.events[0]?.seq ?? 0)] ?? none;
  }

  /** Frames of one side, or of both. */
  frames(by?: 'subject' | 'peer'): Frame[] {
    return framesBy(this, by && this.role(by));
  }

  private select(kind: keyof Conversation['index'], { by, method }: Query): readonly Message[] {
    return this.index[kind].get(by && this.role(by), method);
  }

  /** Messages of one side, in a list that grows with the record; the same holds for the lists below. */
  sent(by: 'subject' | 'peer'): readonly Message[] {
    return this.sentBy[this.role(by)];
  }

  requests(query: Query = {}): readonly Message[] {
    return this.select('request', query);
  }

  notifications(query: Query = {}): readonly Message[] {
    return this.select('notification', query);
  }

  /** Results and errors. */
  replies(query: Pick<Query, 'by'> = {}): readonly Message[] {
    return this.select('reply', query);
  }

  /** Requests, each with its first reply. `by` is the sender of the request. */
  exchanges(query: Query = {}): readonly Exchange[] {
    return exchangesBy(this, query.by)(query.method);
  }

  repliesTo(request: Message): readonly Message[] {
    return this.pairing.repliesTo(request);
  }

  /** The request of a reply; undefined when the reply matches no request. */
  requestOf(reply: Message): Message | undefined {
    return this.pairing.requestOf(reply);
  }

  /** Whether a reply is about JSON or a line from the other side that is not a message, or about a notification. */
  answersNonMessage(reply: Message): boolean {
    return this.pairing.answersNonMessage(reply);
  }

  /** The notification that an error is about whose id nobody used. */
  noteOf(reply: Message): Message | undefined {
    return this.pairing.noteOf(reply);
  }

  /** Whether a reply has the id of JSON or of a line from the other side that is not a message. */
  hasIdOfNonMessage(reply: Message): boolean {
    return this.pairing.hasIdOfNonMessage(reply);
  }

  /**
   * The first event after which the harness causes the end of the subject: input closed, a signal, an
   * overflow, the closing by the harness.
   */
  get ending(): Event | undefined {
    return this.memo(endingOf);
  }

  /** Waits for a response to the request that ended without one. */
  deadlinesOf(request: Message): readonly Deadline[] {
    return this.memo(deadlinesById).get(request.idKey) ?? none;
  }

  /** The initialize exchange, if there was one. */
  get handshake(): Exchange | undefined {
    return this.openingValues.get(handshakeOf);
  }

  /**
   * The negotiated revision; the planned one when none was negotiated or the negotiated one is unknown to the
   * harness.
   */
  get revision(): Revision {
    if (this.isStateless) return this.planned;
    return this.openingValues.get(negotiated) ?? this.planned;
  }

  /** True if the conversation is planned in a revision without a handshake. */
  get isStateless(): boolean {
    return this.planned.era === 'modern';
  }

  /** The exchange in which the server declares its capabilities: initialize, or server/discover. */
  get opening(): Exchange | undefined {
    return this.isStateless ? this.openingValues.get(discovery) : this.handshake;
  }

  /**
   * The revision of a message: a request with an envelope names it; the revision of the handshake applies to
   * the messages after it, and to each response applies the revision of its request.
   */
  revisionOf(message: Message): Revision {
    if (!this.isStateless) return this.revision;
    const request = this.requestOf(message) ?? message;
    if (request.kind === 'request' && namedVersion(request) !== undefined) return this.planned;
    const { handshake } = this;
    const isLegacy = handshake?.reply?.kind === 'result' && request.seq >= handshake.request.seq;
    return (isLegacy && this.openingValues.get(negotiated)) || this.planned;
  }

  /** Methods and definitions for a message: those of the revision, and of the extensions that a side declares. */
  vocabularyFor(message: Message): Vocabulary {
    const request = this.requestOf(message) ?? message;
    const client = request.by === 'client' ? this.capabilitiesAt(request) : this.capabilities('client');
    return vocabularyWith(this.revision, [
      ...extensionsIn(client),
      ...extensionsIn(this.capabilities('server')),
    ]);
  }

  /** Capabilities of the client that hold for a request: of its envelope, else those of the handshake. */
  capabilitiesAt(request: Message): JsonObject | undefined {
    return this.isStateless ? declaredIn(request) : this.capabilities('client');
  }

  /**
   * Capabilities that a side declared: in the handshake, or in the last result of server/discover (with the extensions of all)
   * and the last request with an envelope; undefined before.
   */
  capabilities(role: Role): JsonObject | undefined {
    if (this.isStateless)
      return role === 'client' ? this.memo(lastDeclared) : this.openingValues.get(discovered);
    if (!this.handshake) return undefined;
    const from = role === 'client' ? this.handshake.request.params : resultOf(this.handshake);
    return isObject(from?.capabilities) ? from.capabilities : undefined;
  }
}

/**
 * Makes a function of a conversation whose value is computed once per state of the record.
 * @param compute derives the value; it is called again after the record has grown
 */
export const derived =
  <T>(compute: (conversation: Conversation) => T) =>
  (conversation: Conversation): T =>
    conversation.memo(compute);

/** `derived` with a parameter: one value for each key. Keys are compared like the keys of a `Map`. */
export const derivedBy = <K, T>(compute: (conversation: Conversation, key: K) => T) => {
  const valuesByKey = () => new Map<K, T>();
  return (conversation: Conversation, key: K): T => {
    const values = conversation.memo(valuesByKey);
    const known = values.get(key);
    if (known !== undefined || values.has(key)) return known as T;
    const value = compute(conversation, key);
    values.set(key, value);
    return value;
  };
};

const mcpExchanges = (conversation: Conversation): HttpExchange[] =>
  conversation.allHttp().filter(e => e.request?.endpoint === undefined);

const oauthExchanges = (conversation: Conversation): HttpExchange[] =>
  conversation.allHttp().filter(e => e.request?.endpoint !== undefined);

const framesBy = derivedBy((conversation: Conversation, role: Role | undefined): Frame[] =>
  conversation.eventsOf('frame').filter(f => !role || f.by === role),
);

const exchangesBy = derivedBy((conversation: Conversation, by: Query['by']) => {
  const byMethod = new Map<string | undefined, readonly Exchange[]>();
  return (method: string | undefined): readonly Exchange[] => {
    const known = byMethod.get(method);
    if (known) return known;
    const query = { ...(by && { by }), ...(method !== undefined && { method }) };
    const exchanges = conversation.requests(query).map(request => ({
      request,
      reply: conversation.repliesTo(request)[0],
      deadline: conversation.deadlinesOf(request).find(d => d.seq > request.seq),
    }));
    byMethod.set(method, exchanges);
    return exchanges;
  };
});

const endings: readonly Event['kind'][] = ['input-closed', 'signal', 'overflow', 'closing'];
const endingOf = (conversation: Conversation): Event | undefined =>
  conversation.events.find(e => endings.includes(e.kind));

const deadlinesById = (conversation: Conversation): ReadonlyMap<string, Deadline[]> =>
  grouped(
    conversation.eventsOf('deadline').filter(d => d.label === 'answer'),
    d => idKey(d.request),
  );

/** Exchanges that the client began with a request of a method. */
const begunWith = (conversation: Conversation, method: string): readonly Exchange[] =>
  conversation.exchanges({ method }).filter(e => e.request.by === 'client');

const handshakeOf = (conversation: Conversation) =>
  handshakeAmong(begunWith(conversation, handshakeMethods.request));
const discovery = (conversation: Conversation) => discoveryAmong(begunWith(conversation, discoveryMethod));
const discovered = (conversation: Conversation) => discoveredIn(begunWith(conversation, discoveryMethod));
const negotiated = ({ handshake }: Conversation) => negotiatedIn(handshake);

const lastDeclared = (conversation: Conversation): JsonObject | undefined => {
  const request = conversation.requests().findLast(m => m.by === 'client' && declaredIn(m));
  return request && declaredIn(request);
};
