/**
 * What has no order on the wire is shuffled in records of the references: the streams and POST requests of HTTP, and
 * the two directions of stdio. No rule may find a breach. `MCP_CONFORM_SHUFFLES` sets the number of ways for each
 * conversation.
 */

import { createHash } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { judgeConversation, judgeRun } from '../../harness/judge/judge.js';
import type { Event } from '../../harness/record/event.js';
import { History } from '../../harness/record/history.js';
import { type Message, toMessages } from '../../harness/record/message.js';
import type { Json, Party } from '../../spec/json-rpc.js';
import { suite } from '../index.js';
import { links, sources } from './recorded.js';

const ways = Number(process.env.MCP_CONFORM_SHUFFLES ?? 8);

/** What is further apart in time (ms) has an order. */
const sameTime = 20;

/** Events that arrive together: a message with its HTTP head, or a block of a stream with its message. */
interface Unit {
  readonly events: readonly Event[];
  /** The sender; undefined for what the harness notes about time and processes, which nothing passes. */
  readonly by: 'subject' | 'harness' | undefined;
  readonly exchange: number | undefined;
  /** Milliseconds since the run began. */
  readonly at: number;
  /** Texts that were in no unit before: only a sender that has read this unit can repeat them. */
  readonly news: readonly string[];
}

function senderOf(event: Event, party: Party): Unit['by'] {
  const of = (role: 'client' | 'server') => (role === party ? 'subject' : 'harness');
  switch (event.kind) {
    case 'frame':
      return of(event.by);
    case 'http-request':
      return of('client');
    case 'http-body':
      return of(event.of === 'request' ? 'client' : 'server');
    case 'http-response':
    case 'sse':
      return of('server');
    case 'http-end':
      return event.by === 'error' ? undefined : of(event.by);
    default:
      return undefined;
  }
}

function units(events: readonly Event[], party: Party): Unit[] {
  const found: { events: Event[]; by: Unit['by']; exchange: number | undefined }[] = [];
  const known = new Set<string>();
  for (const event of events) {
    const by = senderOf(event, party);
    const exchange = 'exchange' in event ? event.exchange : undefined;
    const last = found.at(-1);
    const isEnd = event.kind === 'http-response' || event.kind === 'http-end';
    // a POST of a client, and the status that it gets at once, move together
    const together =
      exchange !== undefined &&
      last?.exchange === exchange &&
      (last.by === by || (party === 'client' && last.by === 'subject' && isEnd));
    if (together) last!.events.push(event);
    else found.push({ events: [event], by, exchange });
  }
  return found.map(unit => {
    const texts = textsOf(unit.events);
    const news = texts.filter(text => !known.has(text));
    for (const text of texts) known.add(text);
    return { ...unit, at: unit.events[0]!.at, news };
  });
}

const messagesOf = (unit: Unit): Message[] =>
  unit.events.flatMap(event => (event.kind === 'frame' ? toMessages(event) : []));

const isReply = ({ kind }: Message): boolean => kind === 'result' || kind === 'error';

/** Texts in the messages of a unit, and ids of events: cursors, names, URIs. */
function textsOf(events: readonly Event[]): string[] {
  const found: string[] = [];
  const visit = (node: Json): void => {
    if (typeof node === 'string' && node.length > 2) found.push(node);
    else if (typeof node === 'object' && node !== null) for (const item of Object.values(node)) visit(item);
  };
  for (const event of events) {
    if (event.kind === 'sse' && event.id) found.push(event.id);
    if (event.kind === 'frame') for (const { json } of toMessages(event)) visit(json);
  }
  return found;
}

const written = (unit: Unit): string => JSON.stringify(unit.events);

const connectionOf = (unit: Unit): number | undefined =>
  unit.events.flatMap(event => (event.kind === 'http-request' ? (event.connection ?? []) : []))[0];

/** Whether two requests of a client were sent over one connection, which keeps their order. */
const onOneConnection = (a: Unit, b: Unit): boolean =>
  connectionOf(a) !== undefined && connectionOf(a) === connectionOf(b);

/** Whether the order of two neighbours is an accident: the later one does not follow from the earlier one. */
function mayPass(earlier: Unit, later: Unit, party: Party): boolean {
  if (!earlier.by || !later.by) return false;
  const isHttp = earlier.exchange !== undefined && later.exchange !== undefined;
  if (isHttp ? earlier.exchange === later.exchange : earlier.by === later.by) return false;
  if (earlier.by === later.by) return earlier.by === 'subject' && !onOneConnection(earlier, later);
  // what the harness sends may have caused what the subject sends next
  if (earlier.by === 'harness') return false;
  const [before, after] = [messagesOf(earlier), messagesOf(later)];
  // a server's head of a response to another POST causes nothing
  if (after.length === 0) return party === 'client' && isHttp;
  // the harness waits for most responses before it sends the next request
  if (before.length === 0 || before.some(isReply)) {
    if (!after.every(m => m.kind === 'notification' && m.method === 'notifications/cancelled')) return false;
  }
  const asked = new Set(before.filter(m => m.kind === 'request').map(m => m.idKey));
  if (after.some(m => isReply(m) && asked.has(m.idKey))) return false;
  const text = written(later);
  return !earlier.news.some(word => text.includes(JSON.stringify(word).slice(1, -1)));
}

/** Numbers from 0 to 1, the same for the same seed. */
function numbers(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}

interface Shuffled {
  readonly events: readonly Event[];
  readonly moves: number;
  /** The same for the same order. */
  readonly order: string;
}

/** The events with some of the subject's moved behind later ones; the times stay in order. */
function shuffled(events: readonly Event[], party: Party, seed: number): Shuffled {
  const random = numbers(seed);
  const order = units(events, party);
  const share = random();
  let moves = 0;
  for (let at = order.length - 2; at >= 0; at--) {
    if (order[at]!.by !== 'subject' || random() > share) continue;
    const most = 1 + Math.floor(20 * random());
    const passed = new Set<string>();
    for (let to = at; to < Math.min(order.length - 1, at + most); to++) {
      const [earlier, later] = [order[to]!, order[to + 1]!];
      if (!mayPass(earlier, later, party) || later.at - order[to]!.at > sameTime) break;
      // no message takes longer than a round trip beside it
      const messages = messagesOf(later);
      if (messages.some(m => isReply(m) && passed.has(m.idKey))) break;
      if (later.by === 'harness') for (const m of messages) if (m.kind === 'request') passed.add(m.idKey);
      order.splice(to, 2, later, earlier);
      moves++;
    }
  }
  const moved = order
    .flatMap(unit => unit.events)
    .map((event, at) => ({ ...event, seq: events[at]!.seq, at: events[at]!.at }));
  const numbersInOrder = order.map(unit => unit.events[0]!.seq).join(' ');
  return { events: moved, moves, order: createHash('sha256').update(numbersInOrder).digest('base64') };
}

describe('a record whose unordered events are shuffled', () => {
  test.each(sources)('$name: no rule finds a breach', async ({ name, party, record }) => {
    const conversations = links(await record());
    const breaches = new Map<string, string>();
    const orders = new Set<string>();
    let changed = 0;
    for (let way = 1; way <= ways; way++) {
      const all = conversations.map((events, at) => shuffled(events, party, way * 10_007 + at));
      const moved = all.filter(({ moves }) => moves > 0);
      changed += moved.length;
      for (const { order } of moved) orders.add(order);
      const wire = all.flatMap(({ events }) => events).sort((a, b) => a.seq - b.seq);
      const history = [...History.from(wire, party).conversations.values()];
      const found = [
        ...history.flatMap(c => judgeConversation(c, suite.rules)),
        ...judgeRun(history, suite.rules),
      ];
      for (const { verdict, requirement, expected, actual, evidence } of found)
        if ((verdict === 'fail' || verdict === 'error') && !breaches.has(requirement))
          breaches.set(
            requirement,
            `way ${way}: expected ${expected?.join(', ')}, got ${actual}; events ${evidence.map(String).join(', ')}, link ${all.findIndex(({ events }) => events.some(e => e.seq === evidence[0])) + 1}`,
          );
    }
    if (process.env.MCP_CONFORM_SHUFFLES)
      process.stderr.write(`${name}: ${changed} shuffled conversations, ${orders.size} different orders\n`);
    expect(Object.fromEntries(breaches)).toEqual({});
    expect(changed).toBeGreaterThan(0);
  });
});
