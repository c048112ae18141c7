/**
 * Plays a recorded server again over standard streams: each message of the client gets what the recorded server sent
 * after the same, or the most similar, message.
 */

import { LineSplitter } from '../../harness/framing/lines.js';
import type { Event } from '../../harness/record/event.js';
import type { Streams } from '../../harness/subject/subject.js';
import { isObject, type Json, type JsonObject, parseJson } from '../../spec/json-rpc.js';

/** A message of the client, with everything that the server sent because of it. */
interface Entry {
  /** The recorded connection, and the position in the record. */
  readonly link: number;
  readonly at: number;
  readonly message: Json | undefined;
  readonly answers: string[];
  /** The server exited after this message, without being asked to. */
  exit?: number;
}

/** What a recorded server did. */
export interface ServerRecord {
  /** Sent before the first message of the client. */
  readonly greeting: readonly string[];
  readonly entries: readonly Entry[];
  /** The server had to be terminated after the end of its input. */
  readonly staysAfterInput: boolean;
}

const keyOf = (id: Json | undefined): string => JSON.stringify(id) ?? '';

const isResponse = (message: Json | undefined): message is JsonObject =>
  isObject(message) && !('method' in message) && 'id' in message;

/** A response, with or without an id. */
const isAnswer = (message: Json | undefined): message is JsonObject =>
  isObject(message) && !('method' in message) && ('result' in message || 'error' in message);

const kindOf = (message: Json | undefined): string =>
  isObject(message) && 'method' in message && !('id' in message) ? 'notification' : 'other';

const tokenOf = (message: Json | undefined): Json | undefined => {
  const params = isObject(message) && isObject(message.params) ? message.params : undefined;
  return isObject(params?._meta) ? params._meta.progressToken : undefined;
};

/** Reads the conversations of a run against a server. */
export function recordOf(events: Iterable<Event>): ServerRecord {
  const entries: Entry[] = [];
  const greetings = new Map<number, string[]>();
  const links = new Map<number, LinkReader>();
  let ended = 0;
  let signalled = 0;
  for (const event of events) {
    let link = links.get(event.link);
    if (!link) {
      const greeting: string[] = [];
      greetings.set(event.link, greeting);
      link = new LinkReader(event.link, entries, greeting);
      links.set(event.link, link);
    }
    if (event.kind === 'frame') link[event.by](event.text);
    else if (event.kind === 'closing' || event.kind === 'input-closed') {
      if (event.kind === 'input-closed') ended++;
      link.isClosing = true;
    } else if (event.kind === 'signal') {
      if (link.isClosing && event.signal === 'SIGTERM') signalled++;
    } else if (event.kind === 'exit') link.exit(event.code);
  }
  return {
    greeting: [...greetings.values()].find(texts => texts.length > 0) ?? [],
    entries,
    staysAfterInput: signalled > ended / 2,
  };
}

/** Assigns the messages of a server to the messages of its client, on one connection. */
class LinkReader {
  isClosing = false;
  private readonly open = new Map<string, Entry>();
  private last: Entry | undefined;
  /** The last message that may get a response, as long as no response without a known id has come. */
  private unanswered: Entry | undefined;

  constructor(
    private readonly link: number,
    private readonly entries: Entry[],
    private readonly greeting: string[],
  ) {}

  client(text: string): void {
    const message = parseJson(text);
    const entry: Entry = { link: this.link, at: this.entries.length, message, answers: [] };
    this.entries.push(entry);
    this.last = entry;
    if (kindOf(message) !== 'notification' && !isResponse(message)) this.unanswered = entry;
    if (isObject(message) && 'method' in message && 'id' in message) this.open.set(keyOf(message.id), entry);
  }

  server(text: string): void {
    const message = parseJson(text);
    const entry = isAnswer(message) ? this.answered(message) : this.byToken(message);
    (entry ?? this.last)?.answers.push(text);
    if (!entry && !this.last) this.greeting.push(text);
  }

  /** A response without a known id belongs to the last message that may get one. */
  private answered(message: JsonObject): Entry | undefined {
    const key = keyOf(message.id);
    const entry = this.open.get(key) ?? this.unanswered;
    this.open.delete(key);
    if (entry === this.unanswered) this.unanswered = undefined;
    return entry;
  }

  exit(code: number | null): void {
    if (!this.isClosing && this.last) this.last.exit = code ?? 1;
  }

  /** The request for whose progress a notification is. */
  private byToken(message: Json | undefined): Entry | undefined {
    const params = isObject(message) && isObject(message.params) ? message.params : undefined;
    if (params?.progressToken === undefined) return undefined;
    const token = keyOf(params.progressToken);
    return [...this.open.values()].find(entry => keyOf(tokenOf(entry.message)) === token);
  }
}

/** Members of params that name what a request is about. */
const selectors = ['name', 'uri', 'protocolVersion', 'cursor', 'level', 'ref', 'argument', 'taskId'] as const;

const methodOf = (message: Json | undefined): string | undefined =>
  isObject(message) && typeof message.method === 'string' ? message.method : undefined;

function paramsOf(message: Json | undefined): JsonObject {
  const { _meta, ...params } = isObject(message) && isObject(message.params) ? message.params : {};
  return params;
}

const selectorOf = (message: Json | undefined): string =>
  JSON.stringify(selectors.map(name => paramsOf(message)[name] ?? null));

/** Finds the recorded message that is most similar to a new one; the same message gets the recorded answers in turn. */
class Finder {
  private readonly exact = new Map<string, Entry[]>();
  private readonly about = new Map<string, Entry[]>();
  private readonly byMethod = new Map<string, Entry[]>();
  private readonly used = new Map<Entry[], number>();
  private played: Entry | undefined;

  constructor(entries: readonly Entry[]) {
    const add = (map: Map<string, Entry[]>, key: string, entry: Entry) =>
      map.get(key)?.push(entry) ?? map.set(key, [entry]);
    for (const entry of entries) {
      const { exact, about, method } = this.keys(entry.message);
      add(this.exact, exact, entry);
      add(this.about, about, entry);
      add(this.byMethod, method, entry);
    }
  }

  find(message: Json | undefined): Entry | undefined {
    const { exact, about, method } = this.keys(message);
    const same = this.exact.get(exact) ?? this.about.get(about);
    if (same) return this.next(same);
    const others = this.byMethod.get(method) ?? [];
    // an unknown tool or resource is refused, as the recorded unknown ones were
    const refused = others.filter(entry => entry.answers.some(text => /"error"\s*:/.test(text)));
    return refused[0] ?? others[0];
  }

  private keys(message: Json | undefined): { exact: string; about: string; method: string } {
    const method =
      methodOf(message) ??
      (message === undefined ? 'unreadable' : isResponse(message) ? 'a response' : 'invalid');
    const kind = `${method} ${isObject(message) && 'id' in message}`;
    return {
      exact: `${kind} ${method === 'invalid' ? JSON.stringify(message) : JSON.stringify(paramsOf(message))}`,
      about: `${kind} ${selectorOf(message)}`,
      method: kind,
    };
  }

  /** The next one of the connection that was played last; else in the order of the record, the last one again and again. */
  private next(entries: Entry[]): Entry {
    const used = this.used.get(entries) ?? 0;
    this.used.set(entries, used + 1);
    const { link, at } = this.played ?? {};
    const found =
      entries.find(entry => entry.link === link && entry.at > at!) ??
      entries[Math.min(used, entries.length - 1)]!;
    this.played = found;
    return found;
  }
}

/**
 * Serves until the input ends or the process receives SIGTERM.
 * @returns the exit code
 */
export function serveRecord(streams: Streams, record: ServerRecord): Promise<number> {
  return new Promise(resolve => new Replay(streams, record, resolve).start());
}

class Replay {
  private readonly finder: Finder;
  private readonly splitter = new LineSplitter(line => this.take(line.text));
  /** Requests of the server that wait for a response of the client. */
  private readonly asked = new Map<string, () => void>();
  /** The recorded connection of each id of the server's requests. */
  private readonly ids = new Map<string, number>();
  private renamed = 0;
  private over = false;
  private keepAlive: NodeJS.Timeout | undefined;

  constructor(
    private readonly streams: Streams,
    private readonly record: ServerRecord,
    private readonly resolve: (code: number) => void,
  ) {
    this.finder = new Finder(record.entries);
  }

  start(): void {
    const { stdin, stdout, signal } = this.streams;
    stdout.on('error', () => {});
    stdin.on('error', () => {});
    for (const text of this.record.greeting) this.write(text);
    stdin.on('data', (chunk: Buffer) => this.splitter.push(chunk));
    stdin.once('end', () => this.endInput());
    if (signal.aborted) this.exit(0);
    else signal.addEventListener('abort', () => this.exit(0), { once: true });
  }

  private take(line: string): void {
    if (this.over || line.trim() === '') return;
    const message = parseJson(line);
    if (isResponse(message)) {
      this.asked.get(keyOf(message.id))?.();
      this.asked.delete(keyOf(message.id));
    }
    const entry = this.finder.find(message);
    if (entry) void this.play(entry, message);
    else if (methodOf(message) !== undefined && isObject(message) && 'id' in message)
      this.write(
        JSON.stringify({
          jsonrpc: '2.0',
          id: message.id!,
          error: { code: -32601, message: 'The record has no such request' },
        }),
      );
  }

  private async play(entry: Entry, message: Json | undefined): Promise<void> {
    for (const text of entry.answers) {
      const answer = parseJson(text);
      let adapted = adapt(text, answer, entry.message, message);
      let answered: Promise<void> | undefined;
      if (isObject(answer) && methodOf(answer) !== undefined && 'id' in answer) {
        const id = this.ownId(answer.id!, entry.link);
        if (id !== answer.id) adapted = JSON.stringify({ ...answer, id });
        answered = new Promise<void>(done => this.asked.set(keyOf(id), done));
      }
      this.write(adapted);
      if (answered) await answered;
    }
    if (entry.exit !== undefined) this.exit(entry.exit);
  }

  /** The recorded id; another one if this process has sent it for another recorded connection. */
  private ownId(id: Json, link: number): Json {
    const key = keyOf(id);
    const of = this.ids.get(key) ?? link;
    this.ids.set(key, of);
    return of === link ? id : `replay-${++this.renamed}`;
  }

  private endInput(): void {
    if (!this.record.staysAfterInput) this.exit(0);
    else if (!this.over) this.keepAlive ??= setInterval(() => {}, 1_000);
  }

  private write(text: string): void {
    if (!this.over && !this.streams.stdout.writableEnded) this.streams.stdout.write(`${text}\n`);
  }

  private exit(code: number): void {
    if (this.over) return;
    this.over = true;
    clearInterval(this.keepAlive);
    this.resolve(code);
  }
}

/** The recorded text with the id and the progress token of the new message, deviations of the id included. */
function adapt(text: string, answer: Json | undefined, old: Json | undefined, now: Json | undefined): string {
  if (!isObject(answer) || !isObject(old) || !isObject(now)) return text;
  const changed: JsonObject = {};
  if (isResponse(answer) && 'id' in old && 'id' in now) {
    if (keyOf(answer.id) === keyOf(old.id)) changed.id = now.id!;
    else if (String(answer.id) === String(old.id))
      changed.id = typeof answer.id === 'string' ? String(now.id) : Number(now.id);
  }
  const params = isObject(answer.params) ? answer.params : undefined;
  const token = tokenOf(now);
  if (params && token !== undefined && keyOf(params.progressToken) === keyOf(tokenOf(old)))
    changed.params = { ...params, progressToken: token };
  const isSame = Object.entries(changed).every(([name, value]) => keyOf(answer[name]) === keyOf(value));
  return isSame ? text : JSON.stringify({ ...answer, ...changed });
}
