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
} from '../spec/json-rpc.js';
import { findRevision, latestRevision, type Revision, type TransportId } from '../spec/revisions.js';
import type { Deadline, Event, Exited, Frame, LinkOpened, NewEvent } from './event.js';
import { append, grouped } from './grouped.js';
import { type HttpExchange, HttpLog } from './http-exchange.js';
import { Secrets } from './secrets.js';

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

/** Ids are compared with their JSON type: `1` is not `"1"`. Strings and numbers, as ids are, need no JSON for that. */
export function idKey(id: Json | undefined): string {
  if (typeof id === 'string') return `string:${id}`;
  return typeof id === 'number' ? `number:${id}` : `${typeof id}:${JSON.stringify(id)}`;
}

/** A request anybody must be able to answer: right envelope, whatever its params are. */
export const isWellFormedRequest = (m: Message): boolean =>
  m.kind === 'request' &&
  isObject(m.json) &&
  m.json.jsonrpc === '2.0' &&
  typeof m.method === 'string' &&
  (typeof m.id === 'string' || Number.isInteger(m.id)) &&
  (m.params !== undefined || m.json.params === undefined);

const none: readonly Message[] = [];

function toMessages(frame: Frame): Message[] {
  if (frame.cutFrom !== undefined) return [];
  const json = parseJson(frame.text);
  if (json === undefined) return [];
  return Array.isArray(json)
    ? json.map(item => toMessage(item, frame, true))
    : [toMessage(json, frame, false)];
}

function toMessage(json: Json, frame: Frame, batched: boolean): Message {
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
  };
}

/** What messages stand for, by method; without a method, that of any. */
class ByMethod<T> {
  private readonly all: T[] = [];
  private readonly lists = new Map<string, T[]>();

  add({ method }: Message, item: T): void {
    this.all.push(item);
    if (method !== undefined) append(this.lists, method, item);
  }

  get(method: string | undefined): T[] {
    return method === undefined ? this.all : (this.lists.get(method) ?? []);
  }
}

/** The same by who said them, too. */
class Index<T> {
  private readonly all = new ByMethod<T>();
  private readonly by = { client: new ByMethod<T>(), server: new ByMethod<T>() };

  add(message: Message, item: T): void {
    this.all.add(message, item);
    this.by[message.by].add(message, item);
  }

  get(by: Role | undefined, method: string | undefined): T[] {
    return (by ? this.by[by] : this.all).get(method);
  }
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
  private readonly byFrame = new Map<number, readonly Message[]>();
  private readonly cache = new Map<string, unknown>();
  private pairs: ReturnType<typeof pair> | undefined;
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
    if (this.cache.size > 0) this.cache.clear();
    this.pairs = undefined;
    const found = event.kind === 'frame' ? toMessages(event) : [];
    const replay = event.kind === 'frame' && event.replay === true;
    if (found.length > 0 && !replay) {
      for (const message of found) this.messages.push(message);
      this.byFrame.set(event.seq, found);
    }
    this.httpLog.add(event, found);
    return found;
  }

  /** A derived value, computed once per state of the record. */
  memo<T>(key: string, make: () => T): T {
    const known = this.cache.get(key);
    if (known !== undefined || this.cache.has(key)) return known as T;
    const made = make();
    this.cache.set(key, made);
    return made;
  }

  get opened(): LinkOpened | undefined {
    return this.eventsOf('open')[0];
  }

  get exit(): Exited | undefined {
    return this.eventsOf('exit')[0];
  }

  eventsOf<K extends Event['kind']>(kind: K): Extract<Event, { kind: K }>[] {
    return this.memo(`events ${kind}`, () =>
      this.events.filter((e): e is Extract<Event, { kind: K }> => e.kind === kind),
    );
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

  private select(kind: 'request' | 'notification', { by, method }: Query): Message[] {
    const of = this.memo(kind, () => {
      const index = new Index<Message>();
      for (const m of this.messages) if (m.kind === kind) index.add(m, m);
      return index;
    });
    return of.get(by && this.role(by), method);
  }

  /** The messages of one frame; none in a replay, which says them again. */
  messagesOf(frame: { readonly seq: number }): readonly Message[] {
    return this.byFrame.get(frame.seq) ?? none;
  }

  /** Frames of one side, or of both. */
  frames(by?: 'subject' | 'peer'): Frame[] {
    const role = by && this.role(by);
    return this.memo(`frames ${by ?? ''}`, () => this.eventsOf('frame').filter(f => !role || f.by === role));
  }

  sent(by: 'subject' | 'peer'): Message[] {
    const role = this.role(by);
    return this.memo(`sent ${by}`, () => this.messages.filter(m => m.by === role));
  }

  requests(query: Query = {}): Message[] {
    return this.select('request', query);
  }

  notifications(query: Query = {}): Message[] {
    return this.select('notification', query);
  }

  /** Results and errors. */
  replies(query: { by?: 'subject' | 'peer' } = {}): Message[] {
    const role = query.by && this.role(query.by);
    return this.memo(`replies ${query.by ?? ''}`, () =>
      this.messages.filter(m => (m.kind === 'result' || m.kind === 'error') && (!role || m.by === role)),
    );
  }

  /** Requests with the first reply each got. `by` is who asked. */
  exchanges(query: Query = {}): Exchange[] {
    const of = this.memo('exchanges', () => {
      const index = new Index<Exchange>();
      for (const request of this.requests()) {
        const reply = this.pairing.replies.get(request)?.[0];
        index.add(request, { request, reply, deadline: this.deadlineOf(request) });
      }
      return index;
    });
    return of.get(query.by && this.role(query.by), query.method);
  }

  repliesTo(request: Message): readonly Message[] {
    return this.pairing.replies.get(request) ?? [];
  }

  /** The request a reply belongs to; undefined when it answers nothing that was asked. */
  requestOf(reply: Message): Message | undefined {
    return this.pairing.requests.get(reply);
  }

  /** Whether a reply has the id of something the other side sent that was no message, such as a request without method. */
  answersNonMessage(reply: Message): boolean {
    const ids = this.memo(`ids of non-messages to ${reply.by}`, () =>
      idsOfNonMessages(this.messages, otherRole(reply.by)),
    );
    return ids.has(reply.idKey);
  }

  /** The first event after which the subject's end is our doing: input closed, a signal, an overflow, our leave. */
  get ending(): Event | undefined {
    const ours: readonly Event['kind'][] = ['input-closed', 'signal', 'overflow', 'closing'];
    return this.memo('ending', () => this.events.find(e => ours.includes(e.kind)));
  }

  /** Waits for an answer under the request's id that ended in vain. */
  deadlinesOf(request: Message): readonly Deadline[] {
    const byId = this.memo('deadlines', () =>
      grouped(
        this.eventsOf('deadline').filter(d => d.label === 'answer'),
        d => idKey(d.request),
      ),
    );
    return byId.get(request.idKey) ?? [];
  }

  private deadlineOf(request: Message): Deadline | undefined {
    return this.deadlinesOf(request).find(d => d.seq > request.seq);
  }

  private get pairing() {
    this.pairs ??= pair(this.messages);
    return this.pairs;
  }

  /** The initialize exchange, if there was one. */
  get handshake(): Exchange | undefined {
    return this.memo('handshake', () => {
      const all = this.exchanges({ method: 'initialize' }).filter(e => e.request.by === 'client');
      return all.find(e => e.reply?.kind === 'result') ?? all[0];
    });
  }

  /** The negotiated revision; the planned one when none was negotiated or it is unknown to us. */
  get revision(): Revision {
    return this.memo('revision', () => {
      const answer = this.handshake && resultOf(this.handshake)?.protocolVersion;
      return findRevision(answer) ?? this.planned;
    });
  }

  /** What a side declared in the handshake; undefined before. */
  capabilities(role: Role): JsonObject | undefined {
    if (!this.handshake) return undefined;
    const from = role === 'client' ? this.handshake.request.params : resultOf(this.handshake);
    return isObject(from?.capabilities) ? from.capabilities : undefined;
  }
}

/** Whether a dotted path is declared: `tools.listChanged` needs `true` or an object there. */
export function declares(capabilities: JsonObject | undefined, path: string): boolean {
  let at: Json | undefined = capabilities;
  for (const part of path.split('.')) {
    if (!isObject(at)) return false;
    at = at[part];
  }
  return at === true || isObject(at);
}

/**
 * Which reply belongs to which request. Strictly by id and type; a reply nobody waits for under that very id goes to the
 * open request whose id reads the same, or to the only open one, so that one wrong id is blamed once and not as silence.
 */
function pair(messages: readonly Message[]) {
  const replies = new Map<Message, Message[]>();
  const requests = new Map<Message, Message>();
  const latest: Record<Role, Map<string, Message>> = { client: new Map(), server: new Map() };
  const open: Record<Role, Set<Message>> = { client: new Set(), server: new Set() };
  const nonMessages = {
    client: idsOfNonMessages(messages, 'client'),
    server: idsOfNonMessages(messages, 'server'),
  };
  for (const m of messages) {
    if (m.kind === 'request') {
      latest[m.by].set(m.idKey, m);
      open[m.by].add(m);
    } else if (m.kind === 'result' || m.kind === 'error') {
      const asker = otherRole(m.by);
      const strict = latest[asker].get(m.idKey);
      // what our end answers under a wrong id on purpose is no answer
      if (!strict && (m.frame.deliberate || nonMessages[asker].has(m.idKey))) continue;
      const request = strict ?? looseMatch(m.id, [...open[asker]]);
      if (!request) continue;
      open[asker].delete(request);
      requests.set(m, request);
      append(replies, request, m);
    }
  }
  return { replies, requests };
}

/** Ids that stand in what one side sent and is none of the four kinds. */
const idsOfNonMessages = (messages: readonly Message[], by: Role): Set<string> =>
  new Set(messages.filter(m => m.kind === undefined && m.by === by && m.id !== undefined).map(m => m.idKey));

/** The request a reply with a wrong id was most likely meant for; none for the null id of "could not read your id". */
export function looseMatch(id: Json | undefined, open: readonly Message[]): Message | undefined {
  if (id === null || id === undefined) return undefined;
  const same = open.find(r => String(r.id) === String(id));
  return same ?? (open.length === 1 && !open[0]!.frame.deliberate ? open[0] : undefined);
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
