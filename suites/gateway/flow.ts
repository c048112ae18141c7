/** What a gateway did with the order, the number and the addressees of messages. */

import { fail, type Judgement, pass } from '../../harness/judge/finding.js';
import type { Conversation } from '../../harness/record/conversation.js';
import { isReply } from '../../harness/record/message.js';
import type { Passage } from '../../harness/scenario/gateway.js';
import { canonicalJson, without } from '../../spec/json-rpc.js';
import {
  answered,
  exchangeOf,
  type Item,
  isAbout,
  isNote,
  pairsOf,
  resultIn,
  type Trip,
  tokenOf,
} from './pairs.js';

/** Cancelled requests that had reached the server and had no response yet. */
export function* cancellations(passage: Passage): Generator<Judgement> {
  for (const { sent, arrived } of pairsOf(passage).requests) {
    if (!arrived) continue;
    const given = cancelOf(sent);
    if (given === undefined) continue;
    const { reply } = exchangeOf(arrived);
    if (reply && reply.seq < given.seq) continue;
    const passed = cancelOf(arrived);
    const { ending } = sent.conversation;
    // a gateway that ends closes all its streams, whatever it did before
    if (passed && (!ending || passed.seq < ending.seq)) yield pass([given, passed]);
    else
      yield fail(
        'the cancellation on the side of the server',
        [sent.message, arrived.message, given],
        'none',
      );
  }
}

/** The event that cancels a request: a notification, or without a handshake the end of its stream. */
function cancelOf({ message, conversation }: Item): { readonly seq: number } | undefined {
  const told = conversation.messages.find(
    m =>
      m.by === 'client' &&
      m.method === 'notifications/cancelled' &&
      JSON.stringify(m.params?.requestId) === JSON.stringify(message.id),
  );
  if (told || !conversation.isStateless) return told;
  const { end } = conversation.httpOf(message) ?? {};
  const isOver = conversation.repliesTo(message).some(isReply);
  return end?.by === 'client' && !isOver ? end : undefined;
}

export function* progress(passage: Passage): Generator<Judgement> {
  const { requests, serverNotifications } = pairsOf(passage);
  const isProgress = isNote('notifications/progress');
  const all = requests.flatMap(t => t.arrived ?? []);
  for (const { sent, arrived } of requests) {
    const token = arrived && tokenOf(arrived.message);
    if (!arrived || token === undefined || tokenOf(sent.message) === undefined) continue;
    const own = serverNotifications.filter(t => isProgress(t) && isAbout(t.sent, arrived, all));
    const [first] = own;
    if (!first || cancelOf(sent)) continue;
    const passed = own.find(t => t.arrived);
    yield passed
      ? pass([passed.sent.message, passed.arrived!.message])
      : fail('notifications/progress for the client', [sent.message, first.sent.message], 'none');
  }
}

export function* order(passage: Passage): Generator<Judgement> {
  const { requests, serverNotifications } = pairsOf(passage);
  const all = requests.flatMap(t => t.arrived ?? []);
  for (const { sent, arrived } of requests) {
    if (!arrived || tokenOf(arrived.message) === undefined) continue;
    const reply = exchangeOf(sent).reply;
    const own = serverNotifications.flatMap(t =>
      t.arrived && t.sent.message.method === 'notifications/progress' && isAbout(t.sent, arrived, all)
        ? [t.arrived.message]
        : [],
    );
    // streams of their own may overtake each other
    const line = [...own, ...(reply ? [reply] : [])].filter(m => m.frame.exchange === own[0]?.frame.exchange);
    if (line.length < 2) continue;
    const wrong = line.findIndex((m, at) => at > 0 && m.seq < line[at - 1]!.seq);
    yield wrong === -1
      ? pass([line[0]])
      : fail('the order of the server', [sent.message, line[wrong], line[wrong - 1]], 'another order');
  }
}

export function* repeated(passage: Passage): Generator<Judgement> {
  const { requests, serverRequests, clientNotifications, serverNotifications } = pairsOf(passage);
  for (const trip of [...requests, ...serverRequests, ...clientNotifications, ...serverNotifications]) {
    if (!trip.arrived) continue;
    const [copy] = trip.copies;
    yield copy
      ? fail(
          'one copy',
          [trip.sent.message, trip.arrived.message, copy.message],
          `${trip.copies.length + 1} copies`,
        )
      : pass([trip.sent.message]);
  }
}

export function* clientsApart(passage: Passage): Generator<Judgement> {
  const { requests, serverNotifications } = pairsOf(passage);
  if (passage.front.length < 2) return;
  const trips = answered(requests);
  const ofOther = (conversation: Conversation, result: string) =>
    trips.find(t => t.sent.conversation !== conversation && canonicalJson(resultIn(t.far.reply)) === result);
  for (const { sent, near, far } of trips) {
    const [own, given] = [far, near].map(e => resultIn(e.reply));
    if (!own || !given || sent.message.method !== 'tools/call') continue;
    const other =
      canonicalJson(own) === canonicalJson(given)
        ? undefined
        : ofOther(sent.conversation, canonicalJson(given));
    yield other
      ? fail(
          'the response to its own request',
          [sent.message, near.reply, other.far.reply],
          'that of another client',
        )
      : pass([near.reply]);
  }
  for (const { sent, arrived } of serverNotifications) {
    const asked = sent.message.method === 'notifications/progress' && askerOf(sent, requests);
    if (!asked || !arrived) continue;
    yield asked.conversation === arrived.conversation
      ? pass([arrived.message])
      : fail(
          'progress for the client that asked',
          [sent.message, arrived.message],
          'it reached another client',
        );
  }
}

/** The request of the client that a progress notification of the server is about. */
function askerOf(note: Item, requests: readonly Trip[]): Item | undefined {
  const all = requests.flatMap(t => t.arrived ?? []);
  return requests.find(t => t.arrived && isAbout(note, t.arrived, all))?.sent;
}

/** A private result of one authorization context never answers a request of another one. */
export function* privateAnswers(passage: Passage): Generator<Judgement> {
  const { requests } = pairsOf(passage);
  for (const { sent, arrived } of requests) {
    const { reply } = exchangeOf(sent);
    const token = authorizationOf(sent);
    const result = resultIn(reply);
    if (token === undefined || !result || result.cacheScope !== 'private') continue;
    const origin = requests.find(
      t => t.arrived && t.sent !== sent && authorizationOf(t.sent) !== token && isSameAsk(t.sent, sent),
    );
    if (!origin) continue;
    yield arrived
      ? pass([sent.message, arrived.message])
      : fail(
          'a request of its own at the server',
          [origin.sent.message, sent.message, reply],
          'a private result without one',
        );
  }
}

const isSameAsk = (a: Item, b: Item): boolean =>
  a.message.method === b.message.method &&
  canonicalJson(without(a.message.params ?? {}, '_meta')) ===
    canonicalJson(without(b.message.params ?? {}, '_meta'));

const authorizationOf = ({ message, conversation }: Item): string | undefined =>
  conversation.httpOf(message)?.requestHeader('authorization');

/** Headers that repeat arguments, on both sides. */
export function* parameterHeaders(passage: Passage): Generator<Judgement> {
  for (const { sent, arrived } of pairsOf(passage).requests) {
    const [near, far] = [sent, arrived].map(item => item?.conversation.httpOf(item.message));
    if (!near || !far || !arrived) continue;
    const given = (near.request?.headers ?? []).filter(([name]) => /^mcp-param-/i.test(name));
    for (const [name, value] of given) {
      const passed = far.requestHeader(name.toLowerCase());
      yield passed === value
        ? pass([sent.message, arrived.message])
        : fail(
            `${name}: ${value}`,
            [near.request, far.request],
            passed === undefined ? 'no such header' : `${name}: ${passed}`,
          );
    }
  }
}

/** A request whose headers contradict its body, and that the gateway refuses by itself. */
export function* refusalStatus(passage: Passage): Generator<Judgement> {
  for (const { sent, arrived } of pairsOf(passage).requests) {
    if (arrived || !sent.message.frame.deliberate) continue;
    const exchange = sent.conversation.httpOf(sent.message);
    const status = exchange?.response?.status;
    if (status === undefined || exchange?.requestHeader('mcp-method') === sent.message.method) continue;
    yield status >= 400
      ? pass([exchange!.response])
      : fail(
          'status 400, or another error status',
          [exchange!.request, exchange!.response],
          `status ${status}`,
        );
  }
}
