/** Test support: histories written by hand, in a few lines each. */

import type { Judgement } from '../../harness/judge/finding.js';
import type { Rule } from '../../harness/judge/rule.js';
import type { Conversation } from '../../harness/record/conversation.js';
import type { NewEvent } from '../../harness/record/event.js';
import { History } from '../../harness/record/history.js';
import type { Json, Party, Role } from '../../spec/json-rpc.js';
import type { Revision, TransportId } from '../../spec/revisions.js';

/**
 * One line of a record. Either the sender (`c` client, `s` server; `!` marks a deliberate violation) and the
 * message, where a string is the text of the frame; or any other event.
 */
export type Line = readonly ['c' | 's' | 'c!' | 's!', Json] | NewEvent;

export interface RecordOptions {
  readonly subject?: Party;
  readonly transport?: TransportId;
  /** The URL of the server. */
  readonly url?: string;
  readonly attempt?: number;
  /** Milliseconds between two lines; default 10. */
  readonly tick?: number;
}

const toEvent = (line: Line): NewEvent => {
  if (!Array.isArray(line)) return line as NewEvent;
  const [who, json] = line as [string, Json];
  const text = typeof json === 'string' ? json : JSON.stringify(json);
  const by: Role = who.startsWith('c') ? 'client' : 'server';
  return { kind: 'frame', by, text, ...(who.endsWith('!') && { deliberate: true }) };
};

/** A further conversation of a run. */
export interface Other {
  readonly lines: readonly Line[];
  /** How many lines of the first conversation come before it; default: all. */
  readonly after?: number;
  /** The number of its case; default: 0, as in the first conversation. */
  readonly case?: number;
}

/** A conversation with these lines; a `quiet` event first advances the clock by its duration. */
export const record = (
  revision: Revision,
  lines: readonly Line[],
  options: RecordOptions = {},
): Conversation => recordRun(revision, lines, [], options)[0]!;

/** The conversations of a run: one with these lines, and the others. */
export function recordRun(
  revision: Revision,
  lines: readonly Line[],
  others: readonly Other[],
  options: RecordOptions = {},
): Conversation[] {
  const { subject = 'server', transport = 'stdio', attempt, url, tick = 10 } = options;
  let time = 0;
  const history = new History(subject, () => (time += tick));
  const opens: NewEvent = {
    kind: 'open',
    transport,
    revision: revision.id,
    ...(url && { url }),
    ...(attempt && { attempt }),
  };
  const add = (link: number, ...added: readonly Line[]): void => {
    for (const line of added) {
      const event = toEvent(line);
      if (event.kind === 'quiet') time += event.ms;
      history.record(link, event);
    }
  };
  const first = history.newLink(transport, revision);
  const further = others.map(other => ({
    after: lines.length,
    ...other,
    link: history.newLink(transport, revision),
  }));
  for (const other of further) history.assign(other.link, other.case ?? 0);
  add(first, opens);
  for (let at = 0; at <= lines.length; at++) {
    for (const other of further) if (other.after === at) add(other.link, opens, ...other.lines);
    add(first, ...lines.slice(at, at + 1));
  }
  return [first, ...further.map(({ link }) => link)].map(link => history.conversation(link));
}

export function judgements(rule: Rule, conversation: Conversation): Judgement[] {
  const found: Judgement[] = [];
  rule.judge(conversation, judgement => found.push(judgement));
  return found;
}

export const request = (id: Json, method: string, params?: Json): Json => ({
  jsonrpc: '2.0',
  id,
  method,
  ...(params !== undefined && { params }),
});
export const notification = (method: string, params?: Json): Json => ({
  jsonrpc: '2.0',
  method,
  ...(params !== undefined && { params }),
});
export const result = (id: Json, value: Json = {}): Json => ({ jsonrpc: '2.0', id, result: value });
export const error = (id: Json, code: Json = -32603, message: Json = 'no'): Json => ({
  jsonrpc: '2.0',
  id,
  error: { code, message },
});

/** The handshake, with the capabilities of each side. */
export const handshake = (revision: Revision, server: Json = {}, client: Json = {}): Line[] => [
  [
    'c',
    request('init', 'initialize', {
      protocolVersion: revision.id,
      capabilities: client,
      clientInfo: { name: 'c', version: '1' },
    }),
  ],
  [
    's',
    result('init', {
      protocolVersion: revision.id,
      capabilities: server,
      serverInfo: { name: 's', version: '1' },
    }),
  ],
  ['c', notification('notifications/initialized')],
];

/** The client sends initialize again, under the same id, before the response to the first. */
export function initializedTwice(revision: Revision): Line[] {
  const [ask, answer, ...rest] = handshake(revision);
  return [ask!, ask!, answer!, answer!, ...rest];
}

/** Lines after a handshake in which both sides declare all capabilities. */
export const opened =
  (...lines: Line[]) =>
  (revision: Revision): Line[] => [...handshake(revision, everything, everythingOfClient), ...lines];

export const asked = (id: Json, method: string, params: Json | undefined, answer: Json): Line[] => [
  ['c', request(id, method, params)],
  ['s', result(id, answer)],
];

export const everything: Json = {
  tools: { listChanged: true },
  prompts: { listChanged: true },
  resources: { listChanged: true, subscribe: true },
  logging: {},
  completions: {},
};
export const everythingOfClient: Json = {
  roots: { listChanged: true },
  sampling: { tools: {}, context: {} },
  elicitation: { form: {}, url: {} },
  tasks: { requests: { sampling: { createMessage: {} }, elicitation: { create: {} } } },
};
