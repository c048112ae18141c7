/** What a gateway did with the messages between its client and its server. */

import { fail, type Judgement, pass } from '../../harness/judge/finding.js';
import type { Conversation } from '../../harness/record/conversation.js';
import { envelopeKeys } from '../../harness/record/envelope.js';
import { type Exchange, errorOf, type Message, resultOf } from '../../harness/record/message.js';
import { type GatewayRule, gatewayRule, type Passage } from '../../harness/scenario/gateway.js';
import { canonicalJson, isObject, type Json, type JsonObject, without } from '../../spec/json-rpc.js';
import { declared, withoutDefaults, withoutEmpty, withoutMode } from './defaults.js';
import {
  cancellations,
  clientsApart,
  order,
  parameterHeaders,
  privateAnswers,
  progress,
  refusalStatus,
  repeated,
} from './flow.js';
import { answered, difference, exchangeOf, type Item, isNote, metaIn, pairsOf, type Trip } from './pairs.js';

/** Methods whose results are lists, with the member that names an item. */
const lists: Readonly<Record<string, { readonly member: string; readonly key: string }>> = {
  'tools/list': { member: 'tools', key: 'name' },
  'prompts/list': { member: 'prompts', key: 'name' },
  'resources/list': { member: 'resources', key: 'uri' },
  'resources/templates/list': { member: 'resourceTemplates', key: 'uriTemplate' },
};

/** Members about the message, which one era has and the other has not. */
const ofTheEra = ['_meta', 'resultType', 'ttlMs', 'cacheScope'];

/** Members of the envelope, in which a gateway may speak for itself. */
const envelope: ReadonlySet<string> = new Set(Object.values(envelopeKeys));

const isList = ({ message: { method } }: Item): boolean => Object.hasOwn(lists, method ?? '');

const label = ({ method, params }: Message): string =>
  `${method}${params?.name === undefined ? '' : ` of ${JSON.stringify(params.name)}`}`;

/** Judges whether messages arrived. */
function* arrivals(trips: readonly Trip[], whereTo: string): Generator<Judgement> {
  for (const { sent, arrived } of trips)
    yield arrived
      ? pass([sent.message, arrived.message])
      : fail(`${label(sent.message)} on the side of the ${whereTo}`, [sent.message], 'no such message');
}

/** Whether the gateway may have answered by itself: from a cache that is fresh, or by a list that it fetched. */
const isFresh = ({ sent }: Trip, passage: Passage): boolean => {
  const { reply } = exchangeOf(sent);
  if (reply?.kind !== 'result' || !isObject(reply.json) || !isObject(reply.json.result)) return false;
  const { result } = reply.json;
  if (typeof result.ttlMs === 'number' && result.ttlMs > 0) return true;
  // a list that the gateway fetched for itself is as good
  return isList(sent) && passage.back.some(c => c.exchanges({ method: sent.message.method! }).length > 0);
};

/** @param isOwnState the state of the server comes back under the name that the gateway gave it */
function* sameParams(
  trips: readonly Trip[],
  names: readonly string[],
  isOwnState: (trip: Trip) => boolean = () => false,
): Generator<Judgement> {
  for (const trip of trips) {
    const { sent, arrived } = trip;
    if (!arrived) continue;
    const left = isOwnState(trip) ? [...names, 'requestState'] : names;
    const [from, to] = [sent, arrived].map(({ message }) =>
      withoutMode(without(message.params ?? {}, ...left)),
    );
    const found = difference(from, to);
    yield found === undefined
      ? pass([sent.message, arrived.message])
      : fail('the parameters as they were sent', [sent.message, arrived.message], found);
  }
}

/** Whether the state in a request is the one of the server, for which the gateway gave its client another name. */
function ownStates(requests: readonly Trip[]): (trip: Trip) => boolean {
  const named = new Map(
    answered(requests).flatMap(({ near, far }) => {
      const [given, own] = [near, far].map(e => resultOf(e)?.requestState);
      return typeof given === 'string' && typeof own === 'string' ? [[given, own] as const] : [];
    }),
  );
  return ({ sent, arrived }) => {
    const given = sent.message.params?.requestState;
    return typeof given === 'string' && named.get(given) === arrived?.message.params?.requestState;
  };
}

/** Members of `_meta` that are lost or changed on the way. */
function lostMeta(from: JsonObject, to: JsonObject): string | undefined {
  for (const [name, value] of Object.entries(from)) {
    if (envelope.has(name)) continue;
    if (
      name === 'progressToken'
        ? to.progressToken !== undefined
        : canonicalJson(to[name]) === canonicalJson(value)
    )
      continue;
    return `_meta/${name} is ${JSON.stringify(to[name]) ?? 'absent'} instead of ${JSON.stringify(value)}`;
  }
  return undefined;
}

function* sameReplies(trips: ReturnType<typeof answered>, names: readonly string[]): Generator<Judgement> {
  for (const { near, far, sent, arrived } of trips) {
    // `near` is the side that asked, `far` the side that answered
    if (!far.reply || !near.reply) continue;
    if (far.reply.kind === 'error' && near.reply.kind === 'error') continue;
    if (far.reply.kind !== near.reply.kind) {
      yield fail(
        `the ${far.reply.kind} of the other side`,
        [sent.message, arrived.message, far.reply, near.reply],
        canonicalJson(near.reply.json),
      );
      continue;
    }
    const results = [far, near].map(e => resultOf(e) ?? {});
    // what the client sends back of it is compared with the requests
    const isNamed = results.every(({ requestState }) => typeof requestState === 'string');
    const left = isNamed ? [...names, 'requestState'] : names;
    const [from, to] = results.map(result => withoutDefaults(without(result, ...left)));
    const found = difference(from, to);
    yield found === undefined
      ? pass([far.reply, near.reply])
      : fail('the result as it was sent', [arrived.message, far.reply, near.reply], found);
  }
}

/** Items of a list in all results of one side, by name. */
function itemsIn(conversations: readonly Conversation[], method: string) {
  const { member, key } = lists[method]!;
  const items = new Map<string, { readonly item: JsonObject; readonly reply: Message }[]>();
  for (const conversation of conversations)
    for (const exchange of conversation.exchanges({ method })) {
      const listed = resultOf(exchange)?.[member];
      for (const item of Array.isArray(listed) ? listed.filter(isObject) : [])
        items.set(String(item[key]), [
          ...(items.get(String(item[key])) ?? []),
          { item, reply: exchange.reply! },
        ]);
    }
  return items;
}

/** The first difference of two items of a list: what is lost or changed, and further members outside of `_meta`. */
function itemDifference(source: JsonObject, item: JsonObject, sameEra: boolean): string | undefined {
  // the older era declares with a tool whether it runs as a task
  const left = sameEra ? ['_meta'] : ['_meta', 'execution'];
  const [from, to] = [source, item].map(one => withoutEmpty(without(one, ...left)));
  return difference(from, to) ?? lostMeta(metaIn(source), metaIn(item));
}

function* sameLists(passage: Passage): Generator<Judgement> {
  const { front, back } = passage;
  const { sameEra } = pairsOf(passage);
  for (const method of Object.keys(lists)) {
    const [near, far] = [itemsIn(front, method), itemsIn(back, method)];
    if (far.size === 0 || !front.some(c => c.exchanges({ method }).length > 0)) continue;
    const lost = [...far].filter(([name]) => !near.has(name));
    const invented = [...near].filter(([name]) => !far.has(name));
    if (lost.length > 0 || invented.length > 0) {
      const named = (word: string, items: typeof lost) => {
        const names = items.slice(0, 5).map(([name]) => JSON.stringify(name));
        return names.length > 0 ? [`${word} ${names.join(', ')}`] : [];
      };
      const words = [...named('without', lost), ...named('with', invented)];
      const evidence = [...lost, ...invented].slice(0, 2).map(([, [first]]) => first?.reply);
      yield fail(`${method} with the items of the server`, evidence, words.join(', and '));
      continue;
    }
    const changed = [...near].flatMap(([name, seen]) =>
      seen.flatMap(({ item, reply }) => {
        const sources = far.get(name)!;
        const found = sources.map(source => itemDifference(source.item, item, sameEra));
        if (found.includes(undefined)) return [];
        return [{ name, reply, source: sources[0]!, found: found[0] }];
      }),
    );
    const [first] = changed;
    const replies = [...near.values()][0]!;
    yield first
      ? fail(
          `the item ${JSON.stringify(first.name)} as the server lists it`,
          [first.source.reply, first.reply],
          first.found ?? 'another value',
        )
      : pass([replies[0]!.reply]);
  }
}

/** The codes for an unknown resource, one for each era. */
const unknownResource: ReadonlySet<unknown> = new Set([-32_002, -32_602]);

function* sameErrors(trips: ReturnType<typeof answered>, sameEra = true): Generator<Judgement> {
  for (const { near, far, arrived } of trips) {
    const [from, to] = [errorOf(far), errorOf(near)];
    if (!from || !to) continue;
    const isTranslated = !sameEra && [from, to].every(({ code }) => unknownResource.has(code));
    const found = difference(
      isTranslated ? without(from, 'code') : from,
      isTranslated ? without(to, 'code') : to,
    );
    yield found === undefined
      ? pass([far.reply, near.reply])
      : fail('the error as it was sent', [arrived.message, far.reply, near.reply], found);
  }
}

const openingOf = ({ opening }: Conversation): Message | undefined => opening?.reply;

function* serverCapabilities({ front, back }: Passage): Generator<Judgement> {
  for (const conversation of front) {
    const behind = back.find(c => c.revision === conversation.revision && c.capabilities('server'));
    const [from, to] = [behind?.capabilities('server'), conversation.capabilities('server')];
    if (!from || !to) continue;
    const found = difference(declared(from), declared(to));
    const evidence = [openingOf(behind!), openingOf(conversation)];
    yield found === undefined ? pass(evidence) : fail('the capabilities of the server', evidence, found);
  }
}

function* clientCapabilities(passage: Passage): Generator<Judgement> {
  const [first] = passage.front;
  if (first?.isStateless) return yield* envelopeCapabilities(passage);
  // a gateway may try the server out first, in its own name
  const used = new Set(pairsOf(passage).requests.map(t => t.arrived?.conversation));
  for (const conversation of passage.back.filter(c => used.has(c) || used.size === 0)) {
    if (!first || conversation.revision !== first.revision) continue;
    const [from, to] = [first.capabilities('client'), conversation.capabilities('client')];
    if (!from || !to) continue;
    const found = difference(declared(from), declared(to));
    const evidence = [first, conversation].map(c => c.messages.find(m => m.by === 'client'));
    yield found === undefined ? pass(evidence) : fail('the capabilities of the client', evidence, found);
  }
}

/** Without a handshake each request declares: those that the gateway passed on are compared. */
function* envelopeCapabilities(passage: Passage): Generator<Judgement> {
  for (const { sent, arrived } of pairsOf(passage).requests) {
    if (!arrived?.conversation.isStateless) continue;
    const [from, to] = [sent, arrived].map(
      ({ message }) => metaIn(message.params)[envelopeKeys.clientCapabilities],
    );
    if (!isObject(from) || !isObject(to)) continue;
    const found = difference(declared(from), declared(to));
    const evidence = [sent.message, arrived.message];
    yield found === undefined ? pass(evidence) : fail('the capabilities of the client', evidence, found);
  }
}

function* cacheFields(passage: Passage): Generator<Judgement> {
  if (!pairsOf(passage).sameEra) return;
  for (const { near, far } of answered(pairsOf(passage).requests)) {
    const [from, to] = [resultOf(far), resultOf(near)];
    if (!from || !to || from.cacheScope === undefined) continue;
    const isSame =
      to.cacheScope === from.cacheScope &&
      typeof to.ttlMs === 'number' &&
      typeof from.ttlMs === 'number' &&
      to.ttlMs <= from.ttlMs;
    const shown = (r: JsonObject) =>
      `ttlMs ${JSON.stringify(r.ttlMs)}, cacheScope ${JSON.stringify(r.cacheScope)}`;
    yield isSame ? pass([near.reply]) : fail(shown(from), [far.reply, near.reply], shown(to));
  }
}

export const gatewayComparison: readonly GatewayRule[] = [
  gatewayRule('gateway.requests-forwarded', function* (passage) {
    for (const trip of pairsOf(passage).requests) {
      if (trip.sent.message.frame.deliberate || (!trip.arrived && isFresh(trip, passage))) continue;
      yield* arrivals([trip], 'server');
    }
  }),
  gatewayRule('gateway.requests-unchanged', passage => {
    const { requests } = pairsOf(passage);
    return sameParams(
      requests.filter(t => !isList(t.sent)),
      ['_meta'],
      ownStates(requests),
    );
  }),
  gatewayRule('gateway.request-meta-kept', function* (passage) {
    for (const { sent, arrived } of pairsOf(passage).requests) {
      const from = metaIn(sent.message.params);
      if (!arrived || Object.keys(from).every(name => envelope.has(name))) continue;
      const found = lostMeta(from, metaIn(arrived.message.params));
      yield found === undefined
        ? pass([sent.message, arrived.message])
        : fail('_meta as it was sent', [sent.message, arrived.message], found);
    }
  }),
  gatewayRule('gateway.results-unchanged', passage => {
    const { requests, sameEra } = pairsOf(passage);
    const names = sameEra ? ['_meta', 'ttlMs', 'cacheScope'] : ofTheEra;
    const trips = answered(requests.filter(t => !isList(t.sent)));
    // one era asks within the result, the other by a request of the server
    const isQuestion = (e: Exchange) => resultOf(e)?.resultType === 'input_required';
    const compared = sameEra ? trips : trips.filter(({ near, far }) => !isQuestion(near) && !isQuestion(far));
    return sameReplies(compared, names);
  }),
  gatewayRule('gateway.result-meta-kept', function* (passage) {
    for (const { far, near, sent } of answered(pairsOf(passage).requests)) {
      const [from, to] = [resultOf(far), resultOf(near)].map(result =>
        metaIn(result && { _meta: result._meta as Json }),
      );
      if (!resultOf(near) || isList(sent) || Object.keys(from!).every(name => envelope.has(name))) continue;
      const found = lostMeta(from!, to!);
      yield found === undefined
        ? pass([far.reply, near.reply])
        : fail('_meta as it was sent', [far.reply, near.reply], found);
    }
  }),
  gatewayRule('gateway.lists-unchanged', sameLists),
  gatewayRule('gateway.errors-unchanged', passage => {
    const { requests, sameEra } = pairsOf(passage);
    return sameErrors(answered(requests), sameEra);
  }),
  gatewayRule('gateway.client-notifications-forwarded', passage =>
    arrivals(
      pairsOf(passage).clientNotifications.filter(
        isNote('notifications/progress', 'notifications/roots/list_changed'),
      ),
      'server',
    ),
  ),
  gatewayRule('gateway.cancellations-forwarded', cancellations),
  gatewayRule('gateway.server-notifications-forwarded', function* (passage) {
    const { serverNotifications } = pairsOf(passage);
    for (const trip of serverNotifications) {
      const { method = '' } = trip.sent.message;
      const isChange = /list_changed$/.test(method);
      const isOne = isChange && serverNotifications.some(t => t.arrived && t.sent.message.method === method);
      if (isChange || /message$|resources\/updated$/.test(method))
        if (trip.arrived || !isOne) yield* arrivals([trip], 'client');
    }
  }),
  gatewayRule('gateway.progress-forwarded', progress),
  gatewayRule('gateway.server-requests-forwarded', passage =>
    arrivals(pairsOf(passage).serverRequests, 'client'),
  ),
  gatewayRule('gateway.server-requests-unchanged', passage =>
    sameParams(pairsOf(passage).serverRequests, []),
  ),
  gatewayRule('gateway.answers-unchanged', function* (passage) {
    const trips = answered(pairsOf(passage).serverRequests);
    yield* sameReplies(trips, []);
    yield* sameErrors(trips);
  }),
  gatewayRule('gateway.order-kept', order),
  gatewayRule('gateway.nothing-repeated', repeated),
  gatewayRule('gateway.nothing-added', function* (passage) {
    const { added, requests } = pairsOf(passage);
    for (const { message } of added) yield fail('a message with a source', [message], label(message));
    for (const { sent, arrived } of requests) if (arrived) yield pass([sent.message]);
  }),
  gatewayRule('gateway.capabilities-kept', serverCapabilities),
  gatewayRule('gateway.client-capabilities-kept', clientCapabilities),
  gatewayRule('gateway.clients-apart', clientsApart),
  gatewayRule('gateway.cache-fields-kept', cacheFields),
  gatewayRule('caching.private-not-shared', privateAnswers),
  gatewayRule('http-headers.intermediary-forwards', passage =>
    // revisions with a handshake have no such headers
    pairsOf(passage).sameEra ? parameterHeaders(passage) : [],
  ),
  gatewayRule('http-headers.intermediary-error-status', refusalStatus),
];
