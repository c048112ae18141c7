/** The tools, prompts and resources of a server: which ones a run used, how often, and the result. */

import { asText, isObject, type JsonObject, parseJson } from '../../spec/json-rpc.js';
import { isReadOnly } from '../record/capabilities.js';
import type { Event, Frame } from '../record/event.js';
import { idKey } from '../record/message.js';
import type { UsageReport } from './report.js';
import type { RunStart } from './run-event.js';

const kinds = ['tools', 'prompts', 'resources'] as const;
type Kind = (typeof kinds)[number];

/** One tool, prompt or resource. */
interface Item {
  readonly readOnly: boolean;
  uses: number;
  failures: number;
  failure: string | null;
}

/** The method that uses an item, and the parameter with its name. */
const uses: Readonly<Record<string, readonly [Kind, member: string]>> = {
  'tools/call': ['tools', 'name'],
  'prompts/get': ['prompts', 'name'],
  'resources/read': ['resources', 'uri'],
};
/** The method that lists items, and their member with the name. */
const lists: Readonly<Record<string, readonly [Kind, member: string]>> = {
  'tools/list': ['tools', 'name'],
  'prompts/list': ['prompts', 'name'],
  'resources/list': ['resources', 'uri'],
};
const interesting =
  /"(?:notifications\/cancelled|tools\/call|prompts\/get|resources\/read|(?:tools|prompts|resources)\/list)"/;

/** Longer texts of a subject are shortened. */
const LONGEST = 300;

type Items = Readonly<Record<Kind, Map<string, Item>>>;
const noItems = (): Items => ({ tools: new Map(), prompts: new Map(), resources: new Map() });

/** Follows the messages of a run. Invalid requests of the harness do not count as uses. */
export class Usage {
  private readonly runs = new Map<string, Items>();
  private readonly runOfLink = new Map<number, Items>();
  /** Requests without a response so far, by link and id. */
  private readonly pending = new Map<number, Map<string, (reply: JsonObject) => void>>();

  add(event: Event): void {
    if (event.kind === 'open') {
      const key = `${event.revision}/${event.transport}`;
      const items = this.runs.get(key) ?? noItems();
      this.runs.set(key, items);
      this.runOfLink.set(event.link, items);
    } else if (event.kind === 'frame') this.addFrame(event);
  }

  private addFrame(frame: Frame): void {
    const { link, by, text, deliberate } = frame;
    const items = this.runOfLink.get(link);
    if (!items) return;
    const pending = this.pending.get(link);
    const relevant = by === 'client' ? !deliberate && interesting.test(text) : (pending?.size ?? 0) > 0;
    if (!relevant) return;
    const json = parseJson(text);
    for (const message of Array.isArray(json) ? json : [json]) {
      if (!isObject(message)) continue;
      if (by === 'client' && isObject(message.params) && message.method === 'notifications/cancelled') {
        // an error in response to the cancellation is no failure of the item
        pending?.delete(idKey(message.params.requestId));
      }
      if (message.id === undefined) continue;
      const key = idKey(message.id);
      if (by === 'server') {
        pending!.get(key)?.(message);
        pending!.delete(key);
        continue;
      }
      const settle = request(items, message);
      if (!settle) continue;
      const open = pending ?? new Map<string, (reply: JsonObject) => void>();
      this.pending.set(link, open.set(key, settle));
    }
  }

  /** @returns undefined where the run saw no tool, prompt or resource */
  report(revision: string, transport: string, start: RunStart): UsageReport | undefined {
    const items = this.runs.get(`${revision}/${transport}`);
    if (!items || kinds.every(kind => items[kind].size === 0)) return undefined;
    const of = (kind: Kind) =>
      [...items[kind]].map(([name, { readOnly, ...item }]) => ({
        name,
        ...item,
        unused: item.uses > 0 ? null : whyUnused(kind, readOnly, start),
      }));
    return { tools: of('tools'), prompts: of('prompts'), resources: of('resources') };
  }
}

/** Counts a use. @returns what the response to the request shows; undefined for requests without information about items */
function request(items: Items, { method, params }: JsonObject): ((reply: JsonObject) => void) | undefined {
  if (typeof method !== 'string') return undefined;
  if (Object.hasOwn(lists, method)) {
    const [kind, member] = lists[method]!;
    return reply => addList(items[kind], kind, member, reply);
  }
  if (!Object.hasOwn(uses, method) || !isObject(params)) return undefined;
  const [kind, member] = uses[method]!;
  const item = items[kind].get(asText(params[member]));
  if (!item) return undefined;
  // over HTTP the end of a connection may cancel a request, and no response follows
  item.uses++;
  return reply => {
    const failure = failureIn(reply);
    if (failure === undefined) return;
    item.failures++;
    item.failure ??= failure.slice(0, LONGEST);
  };
}

function addList(known: Map<string, Item>, kind: Kind, member: string, { result }: JsonObject): void {
  const listed = isObject(result) && Array.isArray(result[kind]) ? result[kind] : [];
  for (const one of listed) {
    const name = isObject(one) ? one[member] : undefined;
    if (!isObject(one) || typeof name !== 'string' || known.has(name)) continue;
    known.set(name, { readOnly: isReadOnly(one), uses: 0, failures: 0, failure: null });
  }
}

/** The error of a response, or the text of a result with isError; undefined for a success. */
function failureIn({ error, result }: JsonObject): string | undefined {
  if (error !== undefined)
    return isObject(error) ? `error ${asText(error.code)} ${JSON.stringify(error.message)}` : 'error';
  if (!isObject(result) || result.isError !== true) return undefined;
  const [content] = Array.isArray(result.content) ? result.content : [];
  const text = isObject(content) && typeof content.text === 'string' ? content.text : '';
  return `isError ${JSON.stringify(text)}`;
}

function whyUnused(kind: Kind, readOnly: boolean, { options, partial, shard, role }: RunStart): string {
  if (role === 'watch') return 'the client did not use it';
  if (kind === 'tools') {
    const policy = options[options.indexOf('--call-tools') + 1];
    const allowed = options.includes('--call-tools') ? policy : 'read-only';
    if (allowed === 'none' || allowed === 'fixtures') return `--call-tools ${allowed}`;
    if (allowed === 'read-only' && !readOnly) return 'not marked readOnlyHint; see --call-tools all';
  }
  return partial || shard ? 'no selected case uses it' : `the cases use only some of the ${kind}`;
}
