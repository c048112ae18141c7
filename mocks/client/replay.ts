/**
 * Plays a recorded client again: it sends what the recorded client sent, each message after everything that the
 * recorded client had received before it.
 */

import { LineSplitter } from '../../harness/framing/lines.js';
import { SseReader } from '../../harness/framing/sse.js';
import type { Event, HttpRequest } from '../../harness/record/event.js';
import type { RunEvent } from '../../harness/report/run-event.js';
import { isObject, type Json, type JsonObject, parseJson } from '../../spec/json-rpc.js';
import { startServer } from './carriers/stdio.js';

/** A message or an HTTP request of the client. */
interface Sent {
  readonly by: 'client';
  readonly case: number;
  text: string | undefined;
  readonly request: HttpRequest | undefined;
}

/** A message or the head of an HTTP response of the server. */
interface Received {
  readonly by: 'server';
  readonly case: number;
  readonly text: string | undefined;
  readonly head: { readonly exchange: number; readonly headers: HttpRequest['headers'] } | undefined;
}

type Step = Sent | Received;

/** What a client did on one connection. */
interface Talk {
  readonly transport: string;
  readonly revision: string;
  readonly steps: Step[];
  /** The reason why the record does not suffice. */
  lacks: string | undefined;
}

/** What a recorded client did. */
interface ClientRecord {
  readonly talks: readonly Talk[];
  /** Numbers of the cases by the name of their scenario. */
  readonly cases: ReadonlyMap<string, readonly number[]>;
}

const scenarioOf = (caseName: string): string => caseName.split('/').slice(2).join('/');

/** Reads the conversations of a run in which a client was tested or observed. */
export function clientRecordOf(events: Iterable<RunEvent>): ClientRecord {
  const talks = new Map<number, Talk>();
  const cases = new Map<string, number[]>();
  for (const event of events) {
    if (event.kind === 'case-start') {
      const scenario = scenarioOf(event.name);
      cases.set(scenario, [...(cases.get(scenario) ?? []), event.case]);
    }
    if (event.kind !== 'wire') continue;
    const { event: wire } = event;
    if (wire.kind === 'open')
      talks.set(wire.link, {
        transport: wire.transport,
        revision: wire.revision,
        steps: [],
        lacks: undefined,
      });
    else read(talks.get(wire.link), wire);
  }
  for (const talk of talks.values()) leaveOutOthers(talk);
  const spoken = [...talks.values()].filter(({ steps }) => steps.some(step => step.by === 'client'));
  return { talks: spoken, cases };
}

/** Leaves out requests that do not go to the endpoint, such as for an icon or for metadata, and their responses. */
function leaveOutOthers({ steps }: Talk): void {
  const pathOf = ({ url }: HttpRequest) => url.replace(/^\w+:\/\/[^/]*/, '').replace(/[?#].*/, '');
  const requests = steps.flatMap(step => (step.by === 'client' && step.request ? [step.request] : []));
  const endpoint = requests.find(({ method }) => method === 'POST');
  if (!endpoint) return;
  const others = requests.filter(request => pathOf(request) !== pathOf(endpoint)).map(r => r.exchange);
  const isOther = (step: Step) =>
    others.includes((step.by === 'client' ? step.request : step.head)?.exchange ?? 0);
  steps.splice(0, steps.length, ...steps.filter(step => !isOther(step)));
}

function read(talk: Talk | undefined, event: Event): void {
  if (!talk) return;
  const own = { case: event.case } as const;
  const { steps } = talk;
  const ofExchange = (exchange: number | undefined): Sent | undefined =>
    steps.findLast(
      (s): s is Sent => s.by === 'client' && exchange !== undefined && s.request?.exchange === exchange,
    );
  if (event.kind === 'http-request') {
    if (event.endpoint) talk.lacks = 'an authorization flow, whose secrets are not in a record';
    if (event.headers.some(([name]) => name.toLowerCase() === 'authorization'))
      talk.lacks = 'a token, which is not in a record';
    steps.push({ by: 'client', ...own, text: undefined, request: event });
  } else if (event.kind === 'http-response')
    steps.push({ by: 'server', ...own, text: undefined, head: event });
  else if (event.kind === 'http-body' && event.of === 'request') {
    const sent = ofExchange(event.exchange);
    if (sent) sent.text = event.text;
  } else if (event.kind === 'frame') {
    if (event.by === 'server') steps.push({ by: 'server', ...own, text: event.text, head: undefined });
    else {
      if (event.cutFrom !== undefined) talk.lacks = 'a message of which only the beginning was kept';
      const sent = ofExchange(event.exchange);
      if (sent) sent.text = event.text;
      else steps.push({ by: 'client', ...own, text: event.text, request: undefined });
    }
  }
}

const methodOf = (text: string | undefined): string | undefined => {
  const message = text === undefined ? undefined : parseJson(text);
  return isObject(message) && typeof message.method === 'string' ? message.method : undefined;
};

/** The part of a conversation before its first case, up to notifications/initialized. */
function opening({ steps }: Talk): readonly Step[] {
  const end = steps.findIndex(
    step => step.by === 'client' && methodOf(step.text) === 'notifications/initialized',
  );
  return end === -1 ? [] : steps.slice(0, end + 1);
}

/**
 * The conversations to play: those of the scenario, or, without a recorded one of that name, the first in the revision.
 * @returns undefined where the record does not have the scenario
 */
export function talksFor(
  { talks, cases }: ClientRecord,
  scenario: string | undefined,
  revision: string | undefined,
): readonly Talk[] | undefined {
  const numbers = scenario === undefined ? undefined : cases.get(scenario);
  if (numbers) {
    const found = talks.flatMap(talk => {
      const own = talk.steps.filter(step => numbers.includes(step.case));
      if (!own.some(step => step.by === 'client') || (revision && talk.revision !== revision)) return [];
      const before = opening(talk).filter(step => !own.includes(step));
      return [{ ...talk, steps: [...before, ...own] }];
    });
    return found.length > 0 ? found : undefined;
  }
  if (scenario !== undefined && scenario !== 'probe') return undefined;
  const usual = (talk: Talk) =>
    talk.steps.some(s => s.by === 'client' && !['server/discover', undefined].includes(methodOf(s.text)));
  const fitting = talks.filter(talk => usual(talk) && talk.lacks === undefined);
  const first = fitting.find(talk => talk.revision === revision) ?? fitting[0] ?? talks[0];
  return first && [first];
}

type ReplayAddress = { readonly url: string } | { readonly command: readonly string[] };

/** Why a conversation cannot be played at an address; undefined if it can. */
export function lackOf({ transport, lacks }: Talk, address: ReplayAddress): string | undefined {
  if (lacks !== undefined) return `the record has ${lacks}`;
  if (transport === 'http-sse') return 'a client over HTTP with SSE cannot be played again';
  const needs = 'url' in address ? 'streamable-http' : 'stdio';
  return transport === needs ? undefined : `the client was recorded over ${transport}, not over ${needs}`;
}

/** Longest wait for a message that the recorded client had received, in milliseconds. */
const patienceMs = 5_000;

/** Plays a conversation to its end. */
export async function playTalk(talk: Talk, address: ReplayAddress): Promise<void> {
  const end = new AbortController();
  const player = new Player(patienceMs);
  const carry =
    'url' in address ? overHttp(address.url, player, end.signal) : overStdio(address.command, player);
  for (const step of talk.steps) {
    if (step.by === 'server') await player.expect(step);
    else await carry.send(player.adapt(step.text), step.request);
  }
  await carry.close();
  end.abort();
}

/** Knows what has arrived, and which values of the server differ from the recorded ones. */
class Player {
  private readonly arrived = new Map<string, (Json | undefined)[]>();
  private readonly waiting = new Map<string, (() => void)[]>();
  private readonly read = new Map<string, number>();
  private readonly values = new Map<string, Json>();
  private readonly ids = new Map<string, Json>();

  constructor(private readonly patience: number) {}

  receive(text: string): void {
    const json = parseJson(text);
    for (const message of Array.isArray(json) ? json : [json]) this.arrive(keyOf(message), message);
  }

  /** No response to this message comes. */
  refuse(text: string | undefined): void {
    const json = text === undefined ? undefined : parseJson(text);
    for (const message of Array.isArray(json) ? json : [json])
      if (isObject(message) && 'id' in message)
        this.arrive(`response ${JSON.stringify(message.id)}`, undefined);
  }

  arrive(key: string, value: Json | undefined): void {
    this.arrived.set(key, [...(this.arrived.get(key) ?? []), value]);
    for (const go of this.waiting.get(key)?.splice(0) ?? []) go();
  }

  /** Waits for the counterpart of a recorded message or response head. */
  async expect({ text, head }: Received): Promise<void> {
    if (head) return this.pair(`http ${head.exchange}`, sessionIn(lower(head.headers)));
    const json = parseJson(text!);
    for (const message of Array.isArray(json) ? json : [json]) await this.pair(keyOf(message), message);
  }

  private async pair(key: string, recorded: Json | undefined): Promise<void> {
    const at = this.read.get(key) ?? 0;
    const deadline = performance.now() + this.patience;
    while ((this.arrived.get(key)?.length ?? 0) <= at) {
      const left = deadline - performance.now();
      if (left <= 0) return;
      await new Promise<void>(resolve => {
        const timer = setTimeout(resolve, left);
        this.waiting.set(key, [
          ...(this.waiting.get(key) ?? []),
          () => {
            clearTimeout(timer);
            resolve();
          },
        ]);
      });
    }
    this.read.set(key, at + 1);
    const now = this.arrived.get(key)![at];
    if (isObject(recorded) && isObject(now) && 'method' in recorded && 'id' in recorded)
      this.ids.set(JSON.stringify(recorded.id), now.id!);
    this.learn(recorded, now);
  }

  private learn(recorded: Json | undefined, now: Json | undefined): void {
    if (typeof recorded === 'string' && typeof now === 'string') {
      if (recorded !== now && recorded.length > 3) this.values.set(recorded, now);
    } else if (Array.isArray(recorded) && Array.isArray(now))
      for (const [index, one] of recorded.entries()) this.learn(one, now[index]);
    else if (isObject(recorded) && isObject(now))
      for (const [name, one] of Object.entries(recorded)) {
        if (name === 'progressToken') this.ids.set(`token ${JSON.stringify(one)}`, now[name] ?? one);
        this.learn(one, Object.hasOwn(now, name) ? now[name] : undefined);
      }
  }

  /** The text with the ids and values of the server as they are now. */
  adapt(text: string | undefined): string | undefined {
    const json = text === undefined ? undefined : parseJson(text);
    if (json === undefined) return text;
    const changed = Array.isArray(json) ? json.map(one => this.adaptMessage(one)) : this.adaptMessage(json);
    const now = JSON.stringify(changed);
    return now === JSON.stringify(json) ? text : now;
  }

  private adaptMessage(message: Json): Json {
    if (!isObject(message)) return message;
    const changed = this.adaptValue(message) as JsonObject;
    const id = 'method' in message ? undefined : this.ids.get(JSON.stringify(message.id));
    if (id !== undefined) return { ...changed, id };
    const token =
      message.method === 'notifications/progress' && isObject(message.params)
        ? this.ids.get(`token ${JSON.stringify(message.params.progressToken)}`)
        : undefined;
    return token === undefined
      ? changed
      : { ...changed, params: { ...(changed.params as JsonObject), progressToken: token } };
  }

  adaptValue(value: Json): Json {
    if (typeof value === 'string') return this.values.get(value) ?? value;
    if (Array.isArray(value)) return value.map(one => this.adaptValue(one));
    if (!isObject(value)) return value;
    return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, this.adaptValue(one)]));
  }
}

const keyOf = (message: Json | undefined): string => {
  if (!isObject(message)) return 'unreadable';
  return typeof message.method === 'string'
    ? `method ${message.method}`
    : `response ${JSON.stringify(message.id)}`;
};

const lower = (headers: HttpRequest['headers']): [string, string][] =>
  headers.map(([name, value]) => [name.toLowerCase(), value]);

/** The only header of a response that a client sends back. */
const sessionIn = (headers: readonly [string, string][]): Json =>
  headers.find(([name]) => name === 'mcp-session-id')?.[1] ?? null;

interface Carry {
  send(text: string | undefined, request: HttpRequest | undefined): Promise<void>;
  close(): Promise<void>;
}

function overStdio(command: readonly string[], player: Player): Carry {
  const server = startServer(command);
  const splitter = new LineSplitter(({ text }) => player.receive(text));
  server.stdout.on('data', (chunk: Buffer) => splitter.push(chunk));
  for (const stream of [server.stdin, server.stdout, server.stderr]) stream.on('error', () => {});
  server.stderr.resume();
  return {
    send: async text => {
      if (server.stdin.writable) server.stdin.write(`${text}\n`);
    },
    close: async () => {
      server.stdin.end();
      const timer = setTimeout(() => server.kill('SIGTERM'), patienceMs);
      await server.exited;
      clearTimeout(timer);
    },
  };
}

/** Headers that belong to a connection, not to the message. */
const ofConnection = new Set([
  'host',
  'connection',
  'content-length',
  'transfer-encoding',
  'accept-encoding',
  'keep-alive',
  'upgrade',
]);

function overHttp(url: string, player: Player, signal: AbortSignal): Carry {
  const open = new Set<Promise<void>>();
  const ask = async (text: string | undefined, request: HttpRequest): Promise<void> => {
    const { method, exchange } = request;
    const headers = lower(request.headers)
      .filter(([name]) => !ofConnection.has(name))
      .map(([name, value]): [string, string] => [name, String(player.adaptValue(value))]);
    const body = text !== undefined && method !== 'GET' ? { body: text } : {};
    const response = await fetch(url, { method, headers, signal, redirect: 'manual', ...body });
    player.arrive(`http ${exchange}`, sessionIn([...response.headers]));
    // a refused request gets no response: nothing waits for one
    if (!response.ok) player.refuse(text);
    const isStream = /text\/event-stream/.test(response.headers.get('content-type') ?? '');
    const reader = new SseReader(({ data }) => {
      if (data) player.receive(data);
    });
    const parts: Buffer[] = [];
    for await (const chunk of response.body ?? [])
      if (isStream) reader.push(Buffer.from(chunk));
      else parts.push(Buffer.from(chunk));
    const whole = Buffer.concat(parts).toString();
    if (whole.trim() !== '') player.receive(whole);
  };
  return {
    send: async (text, request) => {
      if (!request) return;
      // a broken connection shows as a message that does not arrive
      const asking = ask(text, request).catch(() => {});
      open.add(asking);
      void asking.then(() => open.delete(asking));
    },
    // what is still open after the last step was open at the end of the recorded conversation
    close: async () => {},
  };
}
