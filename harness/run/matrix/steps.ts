/** What became of each step of the script, from the record and from the reports of the driver. */

import { createHash } from 'node:crypto';
import {
  asText,
  canonicalJson,
  isObject,
  type Json,
  type JsonObject,
  parseJson,
} from '../../../spec/json-rpc.js';
import type { Conversation } from '../../record/conversation.js';
import { discoveryMethod, errorCodes, namedVersion } from '../../record/envelope.js';
import { handshakeMethods } from '../../record/handshake.js';
import { type Exchange, errorOf, type Message, resultOf } from '../../record/message.js';
import type { StepOutcome, StepReport } from '../../report/matrix-report.js';
import type { Script, Step } from '../../scenario/script.js';

/** A request of the client in its conversation. */
export interface Sent {
  readonly conversation: Conversation;
  readonly exchange: Exchange;
}

/** What the driver said about a step: nothing more for a success, the text of an error otherwise. */
type Told = ReadonlyMap<number, string | undefined>;

/** Requests of the client, in the order of sending. */
export const sentIn = (conversations: readonly Conversation[]): readonly Sent[] =>
  conversations
    .flatMap(conversation =>
      conversation.exchanges({ by: 'peer' }).map(exchange => ({ conversation, exchange })),
    )
    .sort((a, b) => a.exchange.request.seq - b.exchange.request.seq);

/** Reads lines of a driver such as `{"step":2,"ok":true}` and `{"step":3,"error":"…"}`; ignores other lines. */
export function toldSteps(lines: readonly string[]): Told {
  const told = new Map<number, string | undefined>();
  for (const line of lines) {
    const json = line.startsWith('{') ? parseJson(line) : undefined;
    if (!isObject(json) || typeof json.step !== 'number') continue;
    told.set(json.step, typeof json.error === 'string' ? json.error : undefined);
  }
  return told;
}

/** The method of a step, and how its request is recognized. */
interface Wanted {
  readonly methods: readonly string[];
  readonly fits?: (params: JsonObject | undefined) => boolean;
}

const lists: Readonly<Record<string, string>> = {
  tools: 'tools/list',
  prompts: 'prompts/list',
  resources: 'resources/list',
  templates: 'resources/templates/list',
  tasks: 'tasks/list',
};

/** Requests with which a client opens a conversation. */
export const openings: readonly string[] = [handshakeMethods.request, discoveryMethod];
const listening = 'subscriptions/listen';

function wantedOf(step: Step): Wanted | undefined {
  switch (step[0]) {
    case 'connect':
      return { methods: openings };
    case 'list':
      return { methods: [lists[step[1]]!], fits: params => params?.cursor === undefined };
    case 'call':
      return { methods: ['tools/call'], fits: params => params?.name === step[1] };
    case 'read':
      return { methods: ['resources/read'], fits: params => params?.uri === step[1] };
    case 'get':
      return { methods: ['prompts/get'], fits: params => params?.name === step[1] };
    case 'complete':
      return { methods: ['completion/complete'] };
    case 'subscribe':
      return step[2] === false
        ? { methods: ['resources/unsubscribe'] }
        : { methods: ['resources/subscribe', listening] };
    default:
      return undefined;
  }
}

const nameOf = (step: Step): string => {
  if (step[0] === 'subscribe' && step[2] === false) return `unsubscribe ${step[1]}`;
  if (step[0] === 'complete') return `complete ${asText(step[1].name ?? step[1].uri)}`;
  return typeof step[1] === 'string' ? `${step[0]} ${step[1]}` : step[0];
};

/** A step, and the request that it is about. */
export interface PlacedStep {
  readonly report: StepReport;
  readonly exchange?: Exchange;
}

/** The steps that show in requests, each with its outcome. */
export function stepReports(steps: Script, sent: readonly Sent[], told: Told): PlacedStep[] {
  let from = 0;
  return steps.flatMap((step, index): PlacedStep[] => {
    const wanted = wantedOf(step);
    if (!wanted) return [];
    const at = find(sent, wanted, from);
    const number = index + 1;
    const report = told.has(number) ? told.get(number) : null;
    const base = {
      step: number,
      name: nameOf(step),
      ...(report !== null && {
        reported: report === undefined ? { ok: true as const } : { error: report.slice(0, 600) },
      }),
    };
    // without a handshake the end of a stream ends a subscription
    if (at === -1 && step[0] === 'subscribe' && step[2] === false && sent.at(-1)?.conversation.isStateless)
      return [];
    if (at === -1) return [{ report: { ...base, ...absent(step, sent, from) } }];
    const last = lastRound(sent, step[0] === 'connect' ? lastOpening(sent, at) : at);
    from = last + 1;
    const { exchange } = sent[last]!;
    return [{ report: { ...base, ...outcomeOf(step, sent[last]!, sent) }, exchange }];
  });
}

const find = (sent: readonly Sent[], { methods, fits }: Wanted, from: number): number =>
  sent.findIndex(
    ({ exchange: { request } }, at) =>
      at >= from && methods.includes(request.method!) && (fits?.(request.params) ?? true),
  );

/** A client may ask for the newer era first, and begin a session after a refusal. */
function lastOpening(sent: readonly Sent[], at: number): number {
  let last = at;
  for (let next = at + 1; next < sent.length; next++) {
    if (resultOf(sent[last]!.exchange)) break;
    if (!openings.includes(sent[next]!.exchange.request.method!)) break;
    last = next;
  }
  return last;
}

/** Where the server needs input of the client, the request is sent again. */
function lastRound(sent: readonly Sent[], at: number): number {
  const { request } = sent[at]!.exchange;
  if (resultOf(sent[at]!.exchange)?.resultType !== 'input_required') return at;
  const next = find(
    sent,
    {
      methods: [request.method!],
      fits: params => params?.name === request.params?.name && params?.uri === request.params?.uri,
    },
    at + 1,
  );
  return next === -1 ? at : lastRound(sent, next);
}

/** A step without a request: the client or the server does not offer it. */
function absent(step: Step, sent: readonly Sent[], from: number): Pick<StepReport, 'outcome'> {
  // without a handshake a client may connect without a message of its own
  if (step[0] === 'connect') {
    const next = sent[from]?.exchange.request;
    return { outcome: next && namedVersion(next) !== undefined ? 'done' : 'left-out' };
  }
  if (!isOffered(step, sent)) return { outcome: 'not-offered' };
  return { outcome: isImpatient(step) ? 'not-awaited' : 'left-out' };
}

const notFound = -32_601;
/** The usual code for an item that does not exist. */
const invalidParams = -32_602;

function outcomeOf(
  step: Step,
  { conversation, exchange }: Sent,
  sent: readonly Sent[],
): Omit<StepReport, 'step' | 'name'> {
  const { request, reply } = exchange;
  // how a subscription ends says nothing about its begin
  if (request.method === listening && isAcknowledged(conversation, request.seq)) return { outcome: 'done' };
  // a client that cancels a call which it awaits has waited too long
  const isGivenUp = request.method === listening || (isImpatient(step) && isCancelled(conversation, request));
  if (isGivenUp && reply?.kind !== 'result') return { outcome: 'not-awaited' };
  if (reply === undefined) {
    const http = conversation.httpOf(request)?.response;
    if (http && http.status >= 400) return { outcome: 'error', error: `HTTP status ${http.status}` };
    return { outcome: isImpatient(step) ? 'not-awaited' : 'unanswered' };
  }
  const error = errorOf(exchange);
  if (error)
    return {
      outcome: isImpatient(step) ? 'not-awaited' : outcomeOfError(step, error, sent),
      error: `${error.code}: ${asText(error.message).slice(0, 200)}`,
    };
  const result = resultOf(exchange) ?? {};
  const isList = step[0] === 'list';
  const seen = isList ? namesIn(pagesFrom(exchange, sent)) : result;
  return {
    outcome: isImpatient(step) ? 'not-awaited' : result.isError === true ? 'tool-error' : 'done',
    ...(step[0] !== 'connect' && { result: brief(seen, isList ? 4_000 : 160) }),
  };
}

function outcomeOfError(step: Step, { code }: JsonObject, sent: readonly Sent[]): StepOutcome {
  if (code === errorCodes.missingCapability) return 'needs-capability';
  const isUnknown = code === notFound || (code === invalidParams && !hasCatalogue(step, sent));
  return isUnknown || !isOffered(step, sent) ? 'not-offered' : 'error';
}

const isImpatient = (step: Step): boolean =>
  step.some(part => isObject(part as Json) && (part as JsonObject).wait === false);

const isCancelled = (conversation: Conversation, request: Message): boolean =>
  conversation
    .notifications({ by: 'peer', method: 'notifications/cancelled' })
    .some(({ params }) => params?.requestId === request.id);

const isAcknowledged = (conversation: Conversation, seq: number): boolean =>
  conversation
    .notifications({ by: 'subject', method: 'notifications/subscriptions/acknowledged' })
    .some(message => message.seq > seq);

/** The lists that name the subjects of a verb, and the member of an item that is the name. */
const catalogues: Readonly<Record<string, { readonly methods: readonly string[]; readonly member: string }>> =
  {
    call: { methods: ['tools/list'], member: 'name' },
    get: { methods: ['prompts/list'], member: 'name' },
    read: { methods: ['resources/list'], member: 'uri' },
    subscribe: { methods: ['resources/list'], member: 'uri' },
  };

/** Whether the client has listed the items of a verb; true for verbs without a list. */
const hasCatalogue = (step: Step, sent: readonly Sent[]): boolean =>
  !catalogues[step[0]] ||
  sent.some(({ exchange }) => catalogues[step[0]]!.methods.includes(exchange.request.method!));

/** Whether the server lists what a step is about; true where no list shows it. */
function isOffered(step: Step, sent: readonly Sent[]): boolean {
  const catalogue = catalogues[step[0]];
  if (!catalogue) return isDeclared(step, sent);
  const pages = sent.filter(({ exchange }) => catalogue.methods.includes(exchange.request.method!));
  const items = pages.flatMap(({ exchange }) => itemsIn(resultOf(exchange)));
  if (items.length === 0) return isDeclared(step, sent);
  const isTemplated =
    step[0] === 'read' && sent.some(({ exchange }) => exchange.request.method === lists.templates);
  return (
    items.some(item => item[catalogue.member] === step[1]) ||
    (isTemplated && matchesTemplate(asText(step[1]), sent))
  );
}

const matchesTemplate = (uri: string, sent: readonly Sent[]): boolean =>
  sent
    .filter(({ exchange }) => exchange.request.method === lists.templates)
    .flatMap(({ exchange }) => itemsIn(resultOf(exchange)))
    .some(({ uriTemplate }) => {
      const parts = asText(uriTemplate).split(/\{[^}]*\}/);
      return parts.length > 1 && uri.startsWith(parts[0]!) && uri.endsWith(parts.at(-1)!);
    });

/** The capability of each verb. */
const capabilities: Readonly<Record<string, string>> = {
  call: 'tools',
  get: 'prompts',
  read: 'resources',
  subscribe: 'resources',
  complete: 'completions',
};

function isDeclared(step: Step, sent: readonly Sent[]): boolean {
  const name = step[0] === 'list' ? (step[1] === 'templates' ? 'resources' : step[1]) : capabilities[step[0]];
  const declared = sent
    .map(({ conversation }) => conversation.capabilities('server'))
    .find(c => c !== undefined);
  if (name === undefined || declared === undefined) return true;
  const own = declared[name];
  return step[0] === 'subscribe' ? isObject(own) && own.subscribe === true : own !== undefined;
}

const itemsIn = (result: JsonObject | undefined): JsonObject[] =>
  Object.values(result ?? {})
    .filter(Array.isArray)
    .flat()
    .filter(isObject);

/** The results of a list: the first page and those that its cursors lead to. */
function pagesFrom(first: Exchange, sent: readonly Sent[]): JsonObject[] {
  const pages: JsonObject[] = [];
  for (let at: Exchange | undefined = first; at && pages.length < 1_000; ) {
    const result = resultOf(at);
    if (!result) break;
    pages.push(result);
    const { method, seq }: Message = at.request;
    const cursor = result.nextCursor;
    at =
      cursor === undefined
        ? undefined
        : sent.find(
            ({ exchange: { request } }) =>
              request.seq > seq && request.method === method && request.params?.cursor === cursor,
          )?.exchange;
  }
  return pages;
}

const namesIn = (pages: readonly JsonObject[]): Json =>
  pages
    .flatMap(itemsIn)
    .map(item => item.uri ?? item.uriTemplate ?? item.name ?? null)
    .sort();

/** Members that are about the message, not about its content. */
const aboutMessage = new Set(['_meta', 'resultType', 'ttlMs', 'cacheScope']);

/** Equal values have equal texts: the beginning of the value, and a hash where it is longer. */
function brief(value: Json, most: number): string {
  const text = canonicalJson(value, counts);
  if (text.length <= most) return text;
  return `${text.slice(0, most - 20)}… #${createHash('sha256').update(text).digest('hex').slice(0, 8)}`;
}

/** What counts of a result: members about the message do not, and `isError: false` says the same as its absence. */
const counts = (name: string, member: Json): boolean =>
  !aboutMessage.has(name) && !(name === 'isError' && member === false);
