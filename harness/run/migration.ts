/**
 * What changes for a subject between two revisions: the topics of `spec/topics.yaml` that a recorded run shows the
 * subject to use, with the requirements that begin and end.
 */

import { isObject, type Json, type JsonObject, type Role } from '../../spec/json-rpc.js';
import {
  clauseIn,
  clauseUrl,
  type Level,
  type Requirement,
  requirement,
  requirements,
} from '../../spec/requirement.js';
import { type RevisionId, revisionIds, type TransportId } from '../../spec/revisions.js';
import { type Sign, type Topic, topics, workOf } from '../../spec/topic.js';
import { grouped } from '../grouped.js';
import { type Conversation, declares } from '../record/conversation.js';
import type { Event } from '../record/event.js';
import { History } from '../record/history.js';
import type { HttpExchange } from '../record/http-exchange.js';
import { isReply, type Message } from '../record/message.js';
import type { RunEvent, SubjectPlace } from '../report/run-event.js';

/** A requirement in one of the two revisions. */
interface ClauseReport {
  readonly level: Level;
  readonly url: string;
}

/** A requirement that begins, ends, or changes its level. */
export interface RowChange {
  readonly id: Requirement['id'];
  readonly says: string;
  /** The clause in the older revision; null for a requirement that begins. */
  readonly from: ClauseReport | null;
  /** The clause in the newer revision; null for a requirement that ends. */
  readonly to: ClauseReport | null;
}

/** What the record shows of a sign: a use of the topic. */
export interface Use {
  /** In words: `sends sampling/createMessage`. */
  readonly what: string;
  readonly count: number;
  /** Numbers of the events of the first use. */
  readonly events: readonly number[];
}

export interface TopicReport {
  readonly id: string;
  readonly title: string;
  /** The revision that brings the change. */
  readonly revision: RevisionId;
  /** `used`: the record shows a use; `everyone`: the topic concerns every subject; `unused`: no use was seen. */
  readonly state: 'used' | 'everyone' | 'unused';
  readonly change: string;
  /** What the author of the subject does; null where the topic has no work for this role. */
  readonly work: string | null;
  readonly uses: readonly Use[];
  readonly begins: readonly RowChange[];
  readonly ends: readonly RowChange[];
}

/** The result of `mcp-conform migrate`, version 1. */
export interface Migration {
  readonly migrationVersion: 1;
  readonly role: Role;
  readonly from: RevisionId;
  readonly to: RevisionId;
  readonly transport: TransportId;
  readonly subject: SubjectPlace & { readonly info: Json };
  /** The subject already offers the newer revision. */
  readonly offersTarget: boolean;
  readonly topics: readonly TopicReport[];
  /** Requirements that hold in both revisions with different levels. */
  readonly levels: readonly RowChange[];
}

/**
 * Derives the migration from the events of a run.
 * @param role the side whose work is described; in a record of `watch` either side
 * @param from the revision of the run, older than `to`
 * @returns undefined when the record has no conversation of the revision
 */
export function migrationOf(
  events: readonly RunEvent[],
  role: Role,
  from: RevisionId,
  to: RevisionId,
): Migration | undefined {
  const start = events.find(e => e.kind === 'run-start');
  const wire: Event[] = events.flatMap(e => (e.kind === 'wire' ? [e.event] : []));
  const conversations = [...History.from(wire, role).conversations.values()].filter(
    // a subject that never sends a message shows nothing
    c => c.revision.id === from && c.messages.some(({ by }) => by === role),
  );
  const [first] = conversations;
  if (!start || !first) return undefined;
  const runs = events.filter(e => e.kind === 'revision-start');
  const run = runs.find(e => e.revision === from && (e.side ?? role) === role) ?? runs[0];
  const subject = new Subject(role, conversations);
  const about = topicsBetween(from, to).map(topic => reportTopic(topic, subject, from, to));
  return {
    migrationVersion: 1,
    role,
    from,
    to,
    transport: first.transport,
    subject: { ...start.subject, info: run?.info ?? null },
    offersTarget: run?.offers.includes(to) ?? false,
    topics: about.filter(({ begins, ends }) => begins.length + ends.length > 0),
    levels: [...requirements().values()]
      .filter(row => subject.isBound(row))
      .map(row => changeOf(row, from, to))
      .filter(change => change.from && change.to && change.from.level !== change.to.level),
  };
}

/** The topics of all revisions after `from` up to `to`, the newest revision first: its topics have most of the work. */
const topicsBetween = (from: RevisionId, to: RevisionId): Topic[] => {
  const steps = revisionIds.slice(revisionIds.indexOf(from) + 1, revisionIds.indexOf(to) + 1);
  return [...steps].reverse().flatMap(step => topics().filter(topic => topic.to === step));
};

function reportTopic(topic: Topic, subject: Subject, from: RevisionId, to: RevisionId): TopicReport {
  const changes = topic.rows
    .map(id => requirement(id))
    .filter(row => subject.isBound(row))
    .map(row => changeOf(row, from, to))
    .sort((a, b) => strictness(b) - strictness(a));
  const uses = joined((topic.seen ?? []).flatMap(sign => subject.uses(sign) ?? []));
  const { id, title, to: revision, change } = topic;
  return {
    id,
    title,
    revision,
    state: topic.seen === undefined ? 'everyone' : uses.length > 0 ? 'used' : 'unused',
    change,
    work: workOf(topic, subject.role) ?? null,
    uses,
    begins: changes.filter(row => !row.from && row.to),
    ends: changes.filter(row => row.from && !row.to),
  };
}

/** MUST before SHOULD before MAY. */
const strictness = ({ from, to }: RowChange): number =>
  ['MAY', 'SHOULD', 'MUST'].indexOf((to ?? from)!.level.replace(' NOT', ''));

/** Uses that the same message shows, such as several declared capabilities, are one. */
function joined(uses: readonly Use[]): Use[] {
  const byEvents = grouped(uses, ({ events }) => events.join());
  return [...byEvents.values()].map(([first, ...others]) => ({
    ...first!,
    what: [first!.what, ...others.map(({ what }) => what.replace(/^declares /, ''))].join(', '),
  }));
}

function changeOf(row: Requirement, from: RevisionId, to: RevisionId): RowChange {
  const clause = (revision: RevisionId): ClauseReport | null => {
    const found = clauseIn(row, revision);
    return found ? { level: found.level, url: clauseUrl(revision, found) } : null;
  };
  return { id: row.id, says: row.says, from: clause(from), to: clause(to) };
}

/** The subject, as far as the record shows it. */
class Subject {
  constructor(
    readonly role: Role,
    private readonly conversations: readonly Conversation[],
  ) {}

  /** Whether a requirement can bind the subject: its role, its transport, the capabilities that it declares. */
  isBound({ binds, over, needs }: Requirement): boolean {
    const { transport } = this.conversations[0]!;
    if (binds !== this.role && binds !== 'both') return false;
    if (over && !over.includes(transport)) return false;
    if (needs === undefined) return true;
    if (needs === 'authorization') return this.challenges().length > 0;
    const [, side = this.role, path] = /^(?:(client|server):)?(.*)$/.exec(needs)! as unknown as [
      string,
      Role | undefined,
      string,
    ];
    // the other side is the harness, which declares everything
    return side !== this.role || this.declaring(side, path).length > 0 || !this.hasCapabilities(side);
  }

  /** The uses that a sign shows; undefined for none. */
  uses(sign: Sign): Use | undefined {
    const use = (what: string, found: readonly (readonly number[])[]): Use | undefined =>
      found.length === 0 ? undefined : { what, count: found.length, events: found[0]! };
    if (sign.method !== undefined) return this.usesMethod(sign.method);
    if (sign.header !== undefined) {
      const named = this.http().filter(e => this.header(e, sign.header!) !== undefined);
      return use(`sends the header ${sign.header}`, named.map(seqOf));
    }
    if (sign.http !== undefined) {
      const used = this.http().filter(e => e.request?.method === sign.http && this.serves(e));
      return use(`${this.role === 'server' ? 'serves' : 'sends'} ${sign.http}`, used.map(seqOf));
    }
    if (sign.error !== undefined) {
      const sent = this.sent().filter(m => codeOf(m) === sign.error);
      return use(
        `sends error ${sign.error}`,
        sent.map(m => [m.seq]),
      );
    }
    if (sign.batch)
      return use(
        'sends batches',
        this.sent()
          .filter(m => m.batched)
          .map(m => [m.seq]),
      );
    if (sign.capability === 'authorization') return use('requires a token', this.challenges());
    const [side, path] = sign.capability!.split(':') as [Role, string];
    // what the harness declares is no use of the subject
    const [first] = side === this.role ? this.declaring(side, path) : [];
    return first && { what: `declares ${path}`, count: 1, events: openingOf(first, side) };
  }

  private usesMethod(method: string): Use | undefined {
    const asks = this.sent().filter(m => m.method === method);
    if (asks.length > 0) return { what: `sends ${method}`, count: asks.length, events: [asks[0]!.seq] };
    const served = this.conversations.flatMap(c =>
      c
        .exchanges({ by: 'peer', method })
        .filter(e => e.reply?.kind === 'result' && !e.request.frame.deliberate)
        .map(e => [e.request.seq, e.reply!.seq]),
    );
    const [first] = served;
    return first && { what: `answers ${method}`, count: served.length, events: first };
  }

  private sent(): Message[] {
    return this.conversations.flatMap(c => c.sent('subject'));
  }

  private http(): HttpExchange[] {
    return this.conversations.flatMap(c => c.http());
  }

  private header(exchange: HttpExchange, name: string): string | undefined {
    return this.role === 'server' ? exchange.header(name) : exchange.requestHeader(name);
  }

  /** Whether an HTTP request is one of the client under test, or one that the server accepts. */
  private serves(exchange: HttpExchange): boolean {
    const { status = 0 } = exchange;
    return this.role === 'client' || (status >= 200 && status < 300);
  }

  /** Refusals of requests without a valid token. */
  private challenges(): (readonly number[])[] {
    return this.http()
      .filter(e => e.status === 401)
      .map(seqOf);
  }

  private declaring(side: Role, path: string): Conversation[] {
    return this.conversations.filter(c => declares(c.capabilities(side), path));
  }

  private hasCapabilities(side: Role): boolean {
    return this.conversations.some(c => c.capabilities(side) !== undefined);
  }
}

const seqOf = (e: HttpExchange): number[] => e.ends.map(({ seq }) => seq);

/** The message with which a side declares its capabilities. */
function openingOf(conversation: Conversation, side: Role): number[] {
  const { request, reply } = conversation.opening ?? {};
  const message = side === 'client' ? request : reply;
  return message ? [message.seq] : [];
}

function codeOf(message: Message): Json | undefined {
  if (!isReply(message) || !isObject(message.json)) return undefined;
  const { error } = message.json as JsonObject;
  return isObject(error) ? error.code : undefined;
}
