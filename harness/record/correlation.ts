/**
 * Indexes the messages of a conversation as they arrive: by sender, by method, and requests with their
 * replies.
 */

import { isObject, otherRole, parseJson, type Role } from '../../spec/json-rpc.js';
import { append } from '../grouped.js';
import type { Frame } from './event.js';
import { endsHandshake } from './handshake.js';
import { idKey, idText, type Message, type Placed } from './message.js';

/** Messages by method; without a method, all. */
class ByMethod {
  private readonly all: Message[] = [];
  private readonly lists = new Map<string, Message[]>();

  add(message: Message): void {
    this.all.push(message);
    if (message.method !== undefined) append(this.lists, message.method, message);
  }

  get(method: string | undefined): readonly Message[] {
    return method === undefined ? this.all : (this.lists.get(method) ?? none);
  }
}

const none: readonly Message[] = [];

/** Characters of a frame without a message in which an id is sought. */
const mostSearched = 1_000;

/** Messages by sender and by method; an undefined value matches all. */
export class MessageIndex {
  private readonly all = new ByMethod();
  private readonly by = { client: new ByMethod(), server: new ByMethod() };

  add(message: Message): void {
    this.all.add(message);
    this.by[message.by].add(message);
  }

  get(by: Role | undefined, method: string | undefined): readonly Message[] {
    return (by ? this.by[by] : this.all).get(method);
  }
}

/** Requests of one side. */
class Asked {
  /** The last request under each id. */
  readonly latest = new Map<string, Placed>();
  /** Requests without a reply, by the text of their id. */
  readonly open = new Map<string, Set<Placed>>();
  openCount = 0;
  /** Ids in JSON that is none of the four kinds, and in frames without a message. */
  readonly nonMessages = new Set<string>();
  /** Lines and JSON that are no message and have not got an error about them. */
  unreadable = 0;
  /** Notifications after the last request that got its own response: an error may be about one of them. */
  notes: Placed[] = [];
  /** Earlier ones without an error: a receiver that works on several messages at once may refuse them later. */
  earlierNotes: Placed[] = [];

  add(request: Placed): void {
    this.latest.set(request.idKey, request);
    const same = this.open.get(idText(request)) ?? new Set();
    this.open.set(idText(request), same.add(request));
    this.openCount++;
  }

  answered(request: Placed): void {
    const same = this.open.get(idText(request));
    if (!same?.delete(request)) return;
    this.openCount--;
    if (same.size === 0) this.open.delete(idText(request));
  }

  /** A request got a response under its own id: its receiver has read everything before it. */
  read(request: Placed): void {
    const later: Placed[] = [];
    for (const note of this.notes) (note.seq > request.seq ? later : this.earlierNotes).push(note);
    this.notes = later;
  }

  isOpen(request: Placed): boolean {
    return this.open.get(idText(request))?.has(request) ?? false;
  }

  /** The open requests that a reply with an invalid id may be meant for: few, also where many are open. */
  candidates(reply: Placed): Placed[] {
    if (this.openCount === 1) return [...this.open.values()].flatMap(same => [...same]);
    return [...(this.open.get(idText(reply)) ?? [])];
  }
}

/**
 * Matches replies to requests. Strictly by id and type; a reply whose exact id matches no request goes to the
 * open request whose id has the same text, or to the only open request, so that one invalid id is reported
 * once and not also as a missing response. An error that a message cannot be read is about the line that the harness
 * broke, if there is one. An error with an id that nobody used is about a notification, if one was sent after the last
 * request that got its own response: a notification has no id to copy. The body of an HTTP response belongs to the
 * requests of its POST, whatever its id is: another open request may have the same id by accident.
 */
export class Pairing {
  private readonly asked = { client: new Asked(), server: new Asked() };
  /** Errors about what could not be read, with the id of no request. */
  private readonly aboutUnreadable = new Set<Message>();
  /** Errors about a notification, with the id of no request. */
  private readonly aboutNote = new Map<Message, Placed>();
  /** The ids of these errors: a receiver that made up an id once uses it again. */
  private readonly madeUpIds = new Set<string>();

  /** A frame without a message. A lenient reader may find a message in it, such as the first one of two. */
  addUnreadable({ by, text }: Frame): void {
    const asked = this.asked[by];
    asked.unreadable++;
    const [, id] = /"id"\s*:\s*("(?:[^"\\]|\\.)*"|-?\d+)/.exec(text.slice(0, mostSearched)) ?? [];
    const json = id === undefined ? undefined : parseJson(id);
    if (json !== undefined) asked.nonMessages.add(idKey(json));
  }

  /**
   * Expects messages in the order of their sending.
   * @param posted the messages of the POST whose response body contains this message
   */
  add(m: Placed, posted?: readonly Message[]): void {
    const own = this.asked[m.by];
    if (m.kind === 'request') {
      own.add(m);
    } else if (m.kind === undefined) {
      own.unreadable++;
      if (m.id !== undefined) own.nonMessages.add(m.idKey);
    } else if (m.kind !== 'notification') this.addReply(m, posted);
    // the end of a handshake is often followed by the first request at once
    else if (!endsHandshake(m)) own.notes.push(m);
  }

  private addReply(m: Placed, posted: readonly Message[] | undefined): void {
    const asked = this.asked[otherRole(m.by)];
    const own = posted?.filter((sent): sent is Placed => sent.kind === 'request');
    const strict = own ? own.find(r => r.idKey === m.idKey) : asked.latest.get(m.idKey);
    if (!strict && !own && asked.unreadable > 0 && !asked.open.has(idText(m)) && refusesMessage(m)) {
      asked.unreadable--;
      this.aboutUnreadable.add(m);
      return;
    }
    // a reply of the harness with a deliberately invalid id matches no request
    if (!strict && (m.frame.deliberate || this.answersNonMessage(m))) return;
    if (!strict && !own && this.refusesNote(m, asked)) return;
    const request = strict ?? looseMatch(m, own?.filter(r => asked.isOpen(r)) ?? asked.candidates(m));
    if (!request) return;
    asked.answered(request);
    if (strict) asked.read(strict);
    m.request = request;
    if (request.replies) request.replies.push(m);
    else request.replies = [m];
  }

  /** Whether an error with an id that nobody used is taken for one about a notification. */
  private refusesNote(m: Placed, asked: Asked): boolean {
    const hasEarlier = this.madeUpIds.has(m.idKey) && asked.earlierNotes.length > 0;
    const notes = hasEarlier ? asked.earlierNotes : asked.notes;
    const [note] = notes;
    const hasOddId = m.id !== null && m.id !== undefined && !asked.open.has(idText(m));
    // over HTTP the exchange of a response names its request
    if (!note || m.kind !== 'error' || !hasOddId || m.frame.exchange !== undefined) return false;
    notes.shift();
    this.madeUpIds.add(m.idKey);
    this.aboutNote.set(m, note);
    return true;
  }

  repliesTo(request: Message): readonly Message[] {
    return (request as Placed).replies ?? none;
  }

  requestOf(reply: Message): Message | undefined {
    return (reply as Placed).request;
  }

  /** Whether a reply is about something else than a request: a line or JSON that is no message, a notification. */
  answersNonMessage(reply: Message): boolean {
    return this.aboutUnreadable.has(reply) || this.aboutNote.has(reply) || this.hasIdOfNonMessage(reply);
  }

  noteOf(reply: Message): Message | undefined {
    return this.aboutNote.get(reply);
  }

  hasIdOfNonMessage(reply: Message): boolean {
    return this.asked[otherRole(reply.by)].nonMessages.has(reply.idKey);
  }
}

/** Whether an error says that a line or a message could not be read. */
function refusesMessage({ kind, json }: Message): boolean {
  if (kind !== 'error' || !isObject(json) || !isObject(json.error)) return false;
  return json.error.code === -32700 || json.error.code === -32600;
}

/**
 * The most likely request of a reply with an invalid id; none for the null id, which means "could not read
 * your id".
 */
export function looseMatch<M extends Message>(reply: Message, open: readonly M[]): M | undefined {
  if (reply.id === null || reply.id === undefined) return undefined;
  const same = open.find(r => idText(r) === idText(reply));
  return same ?? (open.length === 1 && !open[0]!.frame.deliberate ? open[0] : undefined);
}
