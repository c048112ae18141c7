/** The record of a run: an append-only log of events, and the conversations, messages and exchanges in it. */

import {
  isObject,
  type Json,
  type JsonObject,
  kindOf,
  type MessageKind,
  otherRole,
  type Party,
  parseJson,
  type RequestId,
  type Role,
} from '../../spec/json-rpc.js';
import { findRevision, latestRevision, type Revision, type TransportId } from '../../spec/revisions.js';
import { append, grouped } from '../grouped.js';
import { MessageIndex, Pairing, type Placed } from './correlation.js';
import type { Deadline, Event, Exited, Frame, LinkOpened, NewEvent } from './event.js';
import { type HttpExchange, HttpLog } from './http-exchange.js';
import { Secrets } from './redaction.js';

/** A JSON-RPC message found in a frame; a batch yields several with the same `seq`. */
export interface Message {
  readonly seq: number;
  readonly by: Role;
  /** Undefined when it is JSON but none of the four kinds. */
  readonly kind: MessageKind | undefined;
  readonly json: Json;
  readonly method: string | undefined;
  /** The id as it stands on the wire; undefined when absent. */
  readonly id: Json | undefined;
  /** The id as others are compared with it: many rules do. */
  readonly idKey: string;
  readonly params: JsonObject | undefined;
  readonly batched: boolean;
  readonly frame: Frame;
}

/** A request with its reply, as far as there was one. */
export interface Exchange {
  readonly request: Message;
  readonly reply: Message | undefined;
  /** The wait that ended without a reply. */
  readonly deadline: Deadline | undefined;
}

export const resultOf = (exchange: Exchange): JsonObject | undefined => {
  const reply = exchange.reply;
  if (reply?.kind !== 'result' || !isObject(reply.json)) return undefined;
  return isObject(reply.json.result) ? reply.json.result : undefined;
};

export const errorOf = (exchange: Exchange): JsonObject | undefined => {
  const reply = exchange.reply;
  if (reply?.kind !== 'error' || !isObject(reply.json)) return undefined;
  return isObject(reply.json.error) ? reply.json.error : {};
};

/** Most ids count up from 1: their keys are made once. */
const keysOfCounts = new Array<string | undefined>(10_000);

/** Ids are compared with their JSON type: `1` is not `"1"`. Strings and numbers, as ids are, need no JSON for that. */
export function idKey(id: Json | undefined): string {
  if (typeof id === 'string') return `string:${id}`;
  if (typeof id !== 'number') return `${typeof id}:${JSON.stringify(id)}`;
  const known = keysOfCounts[id];
  if (known !== undefined) return known;
  const key = `number:${id}`;
  if (Number.isInteger(id) && id >= 0 && id < keysOfCounts.length) keysOfCounts[id] = key;
  return key;
}

/** A result or an error, to whatever it answers. */
export const isReply = ({ kind }: Message): boolean => kind === 'result' || kind === 'error';

/** A request anybody must be able to answer: right envelope, whatever its params are. */
export const isWellFormedRequest = (m: Message): boolean =>
  m.kind === 'request' &&
  isObject(m.json) &&
  m.json.jsonrpc === '2.0' &&
  typeof m.method === 'string' &&
  (typeof m.id === 'string' || Number.isInteger(m.id)) &&
  (m.params !== undefined || m.json.params === undefined);

const none: readonly never[] = [];

function toMessages(frame: Frame): Placed[] {
  if (frame.cutFrom !== undefined) return [];
  const json = parseJson(frame.text);
  if (json === undefined) return [];
  return Array.isArray(json)
    ? json.map(item => toMessage(item, frame, true))
    : [toMessage(json, frame, false)];
}

function toMessage(json: Json, frame: Frame, batched: boolean): Placed {
  const { id, method, params }: Partial<JsonObject> = isObject(json) ? json : {};
  return {
    seq: frame.seq,
    by: frame.by,
    kind: kindOf(json),
    json,
    method: typeof method === 'string' ? method : undefined,
    id,
    idKey: idKey(id),
    params: isObject(params) ? params : undefined,
    batched,
    frame,
    request: undefined,
    replies: undefined,
  };
}

interface Query {
  /** `subject` and `peer` are resolved by who is under test. */
  by?: 'subject' | 'peer';
  method?: string;
}

/** How a process ended. */
export const endInWords = ({ signal, code }: Exited): string =>
  `the process ended (${signal ?? `exit code ${code}`})`;

/** One session, process or link: what a rule judges. */
export class Conversation {
  readonly events: Event[] = [];
  readonly messages: Message[] = [];
  /** Messages of a frame, by how far its number is from that of the first event: they lie close together. */
  private readonly byFrame: (readonly Message[])[] = [];
  private readonly byKind = new Map<Event['kind'], Event[]>();
  private readonly index = {
    request: new MessageIndex(),
    notification: new MessageIndex(),
    reply: new MessageIndex(),
  };
  private readonly said: Record<Role, Message[]> = { client: [], server: [] };
  private readonly pairing = new Pairing();
  private readonly cache = new Map<string, unknown>();
  private readonly httpLog = new HttpLog();

  /** The side of the wire the subject is on. */
  readonly subject: Role;

  constructor(
    readonly link: number,
    /** Who is under test. */
    readonly party: Party,
    readonly transport: TransportId,
    private readonly planned: Revision,
  ) {
    this.subject = party === 'client' ? 'client' : 'server';
  }

  /** Adds an event and returns the messages found in it. */
  append(event: Event): Message[] {
    this.events.push(event);
    append(this.byKind, event.kind, event);
    if (this.cache.size > 0) this.cache.clear();
    const found = event.kind === 'frame' ? toMessages(event) : [];
    const replay = event.kind === 'frame' && event.replay === true;
    if (found.length > 0 && !replay) {
      for (const message of found) this.place(message);
      this.byFrame[event.seq - this.events[0]!.seq] = found;
    }
    this.httpLog.add(event, found);
    return found;
  }

  private place(message: Placed): void {
    const { kind } = message;
    this.messages.push(message);
    this.said[message.by].push(message);
    if (kind) this.index[kind === 'result' || kind === 'error' ? 'reply' : kind].add(message);
    this.pairing.add(message);
  }

  /**
   * A derived value, computed once per state of the record.
   * @param make what is asked for each message gives a function that stands by itself: to make one takes longer than to look
   */
  memo<T>(key: string, make: (conversation: Conversation) => T): T {
    const known = this.cache.get(key);
    if (known !== undefined || this.cache.has(key)) return known as T;
    const made = make(this);
    this.cache.set(key, made);
    return made;
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

  /** Milliseconds by which something may have been seen later than it was said. */
  get lag(): number {
    return this.eventsOf('lag')[0]?.ms ?? 0;
  }

  /** The HTTP exchanges that carry the conversation, in the order they began; none over stdio. */
  http(): HttpExchange[] {
    return this.memo('http', () => this.httpLog.all().filter(e => e.request?.endpoint === undefined));
  }

  /** Those beside it: documents and endpoints of OAuth. */
  oauth(): HttpExchange[] {
    return this.memo('oauth', () => this.httpLog.all().filter(e => e.request?.endpoint !== undefined));
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

  /** The messages of one frame; none in a replay, which says them again. */
  messagesOf(frame: { readonly seq: number }): readonly Message[] {
    return this.byFrame[frame.seq - (this.events[0]?.seq ?? 0)] ?? none;
  }

  /** Frames of one side, or of both. */
  frames(by?: 'subject' | 'peer'): Frame[] {
    const role = by && this.role(by);
    return this.memo(`frames ${by ?? ''}`, () => this.eventsOf('frame').filter(f => !role || f.by === role));
  }

  private select(kind: keyof Conversation['index'], { by, method }: Query): readonly Message[] {
    return this.index[kind].get(by && this.role(by), method);
  }

  /** What a side said, in a list that grows with the record; so are the others. */
  sent(by: 'subject' | 'peer'): readonly Message[] {
    return this.said[this.role(by)];
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

  /** Requests with the first reply each got. `by` is who asked. */
  exchanges(query: Query = {}): readonly Exchange[] {
    return this.memo(`exchanges ${query.by} ${query.method}`, () =>
      this.requests(query).map(request => {
        const [reply] = this.pairing.repliesTo(request);
        return { request, reply, deadline: this.deadlineOf(request) };
      }),
    );
  }

  repliesTo(request: Message): readonly Message[] {
    return this.pairing.repliesTo(request);
  }

  /** The request a reply belongs to; undefined when it answers nothing that was asked. */
  requestOf(reply: Message): Message | undefined {
    return this.pairing.requestOf(reply);
  }

  /** Whether a reply has the id of something the other side sent that was no message, such as a request without method. */
  answersNonMessage(reply: Message): boolean {
    return this.pairing.answersNonMessage(reply);
  }

  /** The first event after which the subject's end is our doing: input closed, a signal, an overflow, our leave. */
  get ending(): Event | undefined {
    const ours: readonly Event['kind'][] = ['input-closed', 'signal', 'overflow', 'closing'];
    return this.memo('ending', () => this.events.find(e => ours.includes(e.kind)));
  }

  /** Waits for an answer under the request's id that ended in vain. */
  deadlinesOf(request: Message): readonly Deadline[] {
    return this.memo('deadlines', deadlinesById).get(request.idKey) ?? none;
  }

  private deadlineOf(request: Message): Deadline | undefined {
    return this.deadlinesOf(request).find(d => d.seq > request.seq);
  }

  /** The initialize exchange, if there was one. */
  get handshake(): Exchange | undefined {
    return this.memo('handshake', handshakeOf);
  }

  /** The negotiated revision; the planned one when none was negotiated or it is unknown to us. */
  get revision(): Revision {
    return this.memo('revision', negotiated) ?? this.planned;
  }

  /** What a side declared in the handshake; undefined before. */
  capabilities(role: Role): JsonObject | undefined {
    if (!this.handshake) return undefined;
    const from = role === 'client' ? this.handshake.request.params : resultOf(this.handshake);
    return isObject(from?.capabilities) ? from.capabilities : undefined;
  }
}

const deadlinesById = (conversation: Conversation): ReadonlyMap<string, Deadline[]> =>
  grouped(
    conversation.eventsOf('deadline').filter(d => d.label === 'answer'),
    d => idKey(d.request),
  );

function handshakeOf(conversation: Conversation): Exchange | undefined {
  const all = conversation.exchanges({ method: 'initialize' }).filter(e => e.request.by === 'client');
  return all.find(e => e.reply?.kind === 'result') ?? all[0];
}

const negotiated = ({ handshake }: Conversation): Revision | undefined =>
  findRevision(handshake && resultOf(handshake)?.protocolVersion);

/** Whether a dotted path is declared: `tools.listChanged` needs `true` or an object there. */
export function declares(capabilities: JsonObject | undefined, path: string): boolean {
  let at: Json | undefined = capabilities;
  for (const part of path.split('.')) {
    if (!isObject(at)) return false;
    at = at[part];
  }
  return at === true || isObject(at);
}

/** All that was observed in one run, in order. */
export class History {
  readonly events: Event[] = [];
  readonly conversations = new Map<number, Conversation>();
  /** What nobody may read in the record. */
  readonly secrets = new Secrets();
  /** Which case has a link right now. */
  private readonly holder = new Map<number, number>();
  private links = 0;

  constructor(
    readonly party: Party,
    private readonly now: () => number = monotonic(),
    private readonly onEvent: (event: Event) => void = () => {},
  ) {}

  /** A number for a link that is about to open. */
  newLink(transport: TransportId, planned: Revision): number {
    const link = ++this.links;
    this.conversations.set(link, new Conversation(link, this.party, transport, planned));
    return link;
  }

  /** From now on events of the link belong to this case. */
  assign(link: number, caseNumber: number): void {
    this.holder.set(link, caseNumber);
  }

  record(link: number, event: NewEvent): { event: Event; messages: Message[] } {
    const placed = {
      seq: this.events.length + 1,
      at: Math.round(this.now() * 1000) / 1000,
      link,
      case: this.holder.get(link) ?? 0,
      ...this.secrets.hideIn(event),
    } as Event;
    this.events.push(placed);
    this.onEvent(placed);
    const messages = this.conversations.get(link)!.append(placed);
    return { event: placed, messages };
  }

  conversation(link: number): Conversation {
    return this.conversations.get(link)!;
  }

  /** Rebuilds a history from stored events. */
  static from(events: Iterable<Event>, party: Party): History {
    const history = new History(party);
    for (const event of events) {
      if (!history.conversations.has(event.link)) {
        const opened = event.kind === 'open' ? event : undefined;
        const planned = findRevision(opened?.revision) ?? latestRevision;
        const transport = (opened?.transport ?? 'stdio') as TransportId;
        history.conversations.set(event.link, new Conversation(event.link, party, transport, planned));
      }
      history.events.push(event);
      history.conversations.get(event.link)!.append(event);
    }
    return history;
  }
}

function monotonic(): () => number {
  const start = performance.now();
  return () => performance.now() - start;
}

export const describeId = (id: RequestId | Json | undefined): string => JSON.stringify(id) ?? 'no id';
