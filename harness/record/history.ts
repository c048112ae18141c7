/** The record of a run: an append-only log of events, and the conversations in it. */

import type { Party } from '../../spec/json-rpc.js';
import {
  findDefinedRevision,
  latestRevision,
  type Revision,
  type TransportId,
} from '../../spec/revisions.js';
import { Conversation } from './conversation.js';
import type { Event, NewEvent, Stderr, Unplaced } from './event.js';
import type { Message } from './message.js';
import { Secrets } from './redaction.js';

/** Longer words (characters) in the output of a process are not held back. */
const longestWord = 4096;

/** All observations of one run, in order. */
export class History {
  readonly events: Event[] = [];
  readonly conversations = new Map<number, Conversation>();
  /** Values that are hidden in the record. */
  readonly secrets = new Secrets();
  /** The current case of each link. */
  private readonly holder = new Map<number, number>();
  /** The last words of the output of processes, while a later chunk may continue them. */
  private readonly heldOutput = new Map<string, Unplaced<Stderr> & { readonly link: number }>();
  private links = 0;
  /** A link that may not belong to the record, and the events before it. */
  private held: { readonly link: number; readonly before: number } | undefined;

  /** Times of the conversations that are not part of the record: begin and end, in milliseconds since the begin of the record. */
  readonly unrecorded: (readonly [from: number, to: number])[] = [];

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

  /** A conversation begins that is not part of the record. @returns to be called at its end */
  beginUnrecorded(): () => void {
    const from = this.now();
    return () => void this.unrecorded.push([from, this.now()]);
  }

  /** Passes no event of the newest link on until `keep` or `drop`; meanwhile no other link has events. */
  hold(link: number): void {
    this.held = { link, before: this.events.length };
  }

  /** The held link belongs to the record: its events are passed on. */
  keep(): void {
    const { before } = this.held!;
    this.held = undefined;
    for (const event of this.events.slice(before)) this.onEvent(event);
  }

  /** The held link does not belong to the record, as if it had never been. */
  drop(): void {
    const { link, before } = this.held!;
    this.held = undefined;
    this.events.length = before;
    this.conversations.delete(link);
    this.links--;
    for (const key of this.heldOutput.keys()) if (key.startsWith(`${link} `)) this.heldOutput.delete(key);
  }

  /** Assigns later events of the link to this case. */
  assign(link: number, caseNumber: number): void {
    this.holder.set(link, caseNumber);
  }

  record(link: number, event: NewEvent): { messages: Message[] } {
    if (event.kind === 'stderr' && !this.secrets.isEmpty) return this.recordOutput(link, event);
    if (event.kind === 'exit') this.releaseOutput(link);
    return this.place(link, event);
  }

  /**
   * Records output of a process without its last word, which may continue in the next chunk: a part of a secret is
   * not recognized.
   */
  private recordOutput(link: number, event: Unplaced<Stderr>): { messages: Message[] } {
    const { text, ...rest } = event;
    const key = `${link} ${rest.stdout ?? false}`;
    const all = (this.heldOutput.get(key)?.text ?? '') + text;
    const [word] = /[^\s"'<>`]*$/.exec(all.slice(-longestWord))!;
    const held = word.length < longestWord ? word : '';
    this.heldOutput.set(key, { ...event, link, text: held });
    const now = all.slice(0, all.length - held.length);
    return now === '' ? { messages: [] } : this.place(link, { ...rest, text: now });
  }

  /** The process has exited: its output is complete. */
  private releaseOutput(link: number): void {
    for (const [key, { link: owner, ...event }] of this.heldOutput)
      if (owner === link) {
        this.heldOutput.delete(key);
        if (event.text !== '') this.place(link, event);
      }
  }

  private place(link: number, event: NewEvent): { messages: Message[] } {
    const placed = {
      seq: this.events.length + 1,
      at: Math.round(this.now() * 1000) / 1000,
      link,
      case: this.holder.get(link) ?? 0,
      ...this.secrets.hideInEvent(event),
    } as Event;
    this.events.push(placed);
    if (link !== this.held?.link) this.onEvent(placed);
    const messages = this.conversations.get(link)!.append(placed);
    return { messages };
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
        const planned = findDefinedRevision(opened?.revision) ?? latestRevision;
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
