/** What the reference client sends, receives and decides in a conforming run: live mutants of clients are made from it. */

import type { ClientBehaviour } from '../../../mocks/client/behaviour.js';
import { type ClientMiddleware, clientQuirk } from '../../../mocks/client/fault.js';
import type { HttpAsk } from '../../../mocks/client/http-message.js';
import { isObject, type Json, type JsonObject, parseJson } from '../../../spec/json-rpc.js';
import { definedRevisions } from '../../../spec/revisions.js';
import { vocabularyOf } from '../../../spec/vocabulary.js';
import { nodesOf } from './values.js';

export type Path = readonly (string | number)[];

/** A place in messages, with the values that stood there, as JSON. */
interface Place {
  readonly path: Path;
  readonly values: Set<string>;
}

export type Places = ReadonlyMap<string, Place>;

/** What is known about a decision of the client. */
export interface Decision {
  /** Where it stands in the behaviour. */
  readonly path: readonly string[];
  /** Values that it had or returned. */
  readonly samples: unknown[];
  readonly isFunction: boolean;
}

/** The traffic of one run. */
export interface ClientTraffic {
  /** Requests and notifications of the client, by method. */
  readonly asks: Map<string, Map<string, Place>>;
  readonly notices: Map<string, Map<string, Place>>;
  /** Results of the client, by method, and the codes of its errors. */
  readonly answers: Map<string, Map<string, Place>>;
  readonly codes: Map<string, Set<number>>;
  /** Results of the server that the client uses, and requests and notifications of the server. */
  readonly results: Map<string, Map<string, Place>>;
  readonly heard: Map<string, Map<string, Place>>;
  /** Codes of errors of the server. */
  readonly refusals: Set<number>;
  /** Headers of HTTP requests, by kind of request. */
  readonly headers: Map<string, Set<string>>;
  /** Values of each header. */
  readonly values: Map<string, Set<string>>;
  readonly heads: Set<string>;
  readonly decisions: Map<string, Decision>;
}

/** Values deeper than this belong to a fixture or to the answers that a scenario prescribes. */
const deepest = 4;

/** Members whose content the scenario decides. */
const ofScenario = ['arguments', 'content', 'metadata', 'data', 'inputResponses', '_meta'];

/** Values of one place that are kept. */
const mostValues = 5;

function note(places: Map<string, Map<string, Place>>, key: string, json: Json | undefined): void {
  if (!isKnown(key)) return;
  const known = places.get(key) ?? new Map<string, Place>();
  places.set(key, known);
  for (const { path, value } of nodesOf(json ?? {})) {
    const open = path.findIndex(name => ofScenario.includes(String(name)));
    const isEnvelope = path[open] === '_meta';
    const isDeep = path.length > deepest || (open >= 0 && !isEnvelope && path.length > open + 1);
    if (isDeep || path.some(name => typeof name === 'number' && name > 0)) continue;
    const place = known.get(path.join('.')) ?? { path, values: new Set() };
    known.set(path.join('.'), place);
    if (place.values.size < mostValues) place.values.add(JSON.stringify(value));
  }
}

/** Methods that no revision has belong to one scenario. */
const isKnown = (method: string): boolean =>
  definedRevisions.some(revision => {
    const { requests, notifications } = vocabularyOf(revision);
    return [requests, notifications].some(({ client, server }) => client.has(method) || server.has(method));
  }) || method.includes('tasks/');

/** The kind of an HTTP request: its HTTP method, or the kind of its message. */
export function kindOfAsk({ method, body }: HttpAsk): string {
  const message = method === 'POST' && body !== undefined ? parseJson(body) : undefined;
  if (!isObject(message)) return method;
  if (typeof message.method !== 'string') return 'a response';
  if (message.id === undefined) return 'a notification';
  const own = ['initialize', 'tools/call', 'prompts/get', 'resources/read', 'subscriptions/listen'];
  return own.includes(message.method) ? message.method : 'another request';
}

/** Parts of the behaviour that contain decisions of their own. */
const nested = ['icons', 'longTasks', 'authorization', 'dpop'];

/** Decisions that belong to the machine, not to the protocol. */
const ofMachine = ['fetch', 'publish', 'opener', 'document', 'reportsFailures', 'newKey', 'info'];

/** Calls a function for each decision in the behaviour. */
export function eachDecision(
  habits: ClientBehaviour,
  visit: (owner: Record<string, unknown>, name: string, path: readonly string[]) => void,
): void {
  const walk = (owner: Record<string, unknown>, path: readonly string[]): void => {
    for (const [name, value] of Object.entries(owner)) {
      if (ofMachine.includes(name)) continue;
      if (nested.includes(name)) walk(value as Record<string, unknown>, [...path, name]);
      else visit(owner, name, [...path, name]);
    }
  };
  walk(habits as unknown as Record<string, unknown>, []);
}

const mostSamples = 40;

/** A deviation that changes nothing, and notes what passes. */
export function observer(): {
  readonly traffic: ClientTraffic;
  readonly quirk: ReturnType<typeof clientQuirk>;
} {
  const traffic: ClientTraffic = {
    asks: new Map(),
    notices: new Map(),
    answers: new Map(),
    codes: new Map(),
    results: new Map(),
    heard: new Map(),
    refusals: new Set(),
    headers: new Map(),
    values: new Map(),
    heads: new Set(),
    decisions: new Map(),
  };
  const hooks: ClientMiddleware = {
    habits: habits =>
      eachDecision(habits, (owner, name, path) => {
        const own = owner[name];
        const isFunction = typeof own === 'function';
        const decision = traffic.decisions.get(path.join('.')) ?? {
          path,
          isFunction,
          samples: isFunction ? [] : [own],
        };
        traffic.decisions.set(path.join('.'), decision);
        if (!isFunction) return;
        owner[name] = function (this: unknown, ...given: unknown[]) {
          const out: unknown = Reflect.apply(own, this, given);
          const keep = (value: unknown) => {
            if (decision.samples.length < mostSamples) decision.samples.push(value);
          };
          if (out instanceof Promise) out.then(keep, () => {});
          else keep(out);
          return out;
        };
      }),
    message: message => {
      const { method, id, params } = message;
      if (typeof method === 'string')
        note(id === undefined ? traffic.notices : traffic.asks, method, params ?? {});
      return message;
    },
    reply: (reply, { method }) => {
      const name = String(method);
      const { result, error } = reply as JsonObject;
      if (result !== undefined) note(traffic.answers, name, result);
      if (!isKnown(name)) return reply;
      const codes = traffic.codes.get(name) ?? new Set<number>();
      traffic.codes.set(name, codes);
      if (isObject(error) && typeof error.code === 'number') codes.add(error.code);
      return reply;
    },
    incoming: message => {
      if (!isObject(message)) return message;
      if (typeof message.method === 'string') note(traffic.heard, message.method, message.params ?? {});
      const { error } = message;
      if (isObject(error) && typeof error.code === 'number') traffic.refusals.add(error.code);
      return message;
    },
    result: (result, { method }) => {
      note(traffic.results, String(method), result);
      return result;
    },
    http: ask => {
      const kind = kindOfAsk(ask);
      const names = traffic.headers.get(kind) ?? new Set<string>();
      traffic.headers.set(kind, names);
      for (const [name, value] of Object.entries(ask.headers)) {
        names.add(name);
        traffic.values.set(name, (traffic.values.get(name) ?? new Set()).add(value));
      }
      return ask;
    },
    httpHead: head => {
      for (const name of head.headers.keys()) traffic.heads.add(name);
      return head;
    },
  };
  return { traffic, quirk: clientQuirk('observed', { what: 'Nothing differs.' }, hooks) };
}
