/**
 * Legal sequences of what a client may do, computed from the vocabulary, the capabilities of the server and what it is
 * known to have. Plain data: a scenario carries them out, and the rules say whether all went well.
 */

import fc from 'fast-check';
import { isObject, type JsonObject } from '../../spec/json-rpc.js';
import type { Revision } from '../../spec/revisions.js';
import { vocabularyOf } from '../../spec/vocabulary.js';
import { asksFor } from './requests.js';
import { sequence } from './sequence.js';

/** One request; the envelope is for the peer to add. */
export interface Ask {
  readonly method: string;
  readonly params?: JsonObject;
  /** Of a list: go on with the cursor for as long as there is one. */
  readonly follow?: true;
}

export type Command =
  /** Ask and wait for the answer. */
  | { readonly do: 'ask'; readonly ask: Ask }
  /** Ask, and give the request up, at once or when something has come back. */
  | { readonly do: 'cancel'; readonly ask: Ask; readonly when: 'at once' | 'later' }
  /** Ask all of these before any is answered. */
  | { readonly do: 'together'; readonly asks: readonly Ask[] };

/** What is known of the server. */
export interface Known {
  readonly tools: readonly JsonObject[];
  readonly prompts: readonly JsonObject[];
  readonly resources: readonly JsonObject[];
  readonly templates: readonly JsonObject[];
}

export interface CommandSetting {
  readonly revision: Revision;
  /** What the server declared. */
  readonly capabilities: JsonObject;
  readonly known: Known;
  /** Names of the tools that may be called; none by default. */
  readonly mayCall?: ReadonlySet<string>;
}

export interface CommandOptions {
  /** How long a sequence gets at most, 12 by default. */
  readonly maxCommands?: number;
}

/** Changes what later requests mean; never given up or run beside others, for then nobody knows what holds. */
const settles: ReadonlySet<string> = new Set([
  'resources/subscribe',
  'resources/unsubscribe',
  'logging/setLevel',
]);
/** Answered only when it is given up. */
const lasting: ReadonlySet<string> = new Set(['subscriptions/listen']);

/**
 * Sequences in which every command is legal where it stands; they shrink by leaving commands out and stay legal.
 * `unsupported` names the methods the server has and that are never asked, with the reason.
 */
export function commandsOf(
  setting: CommandSetting,
  { maxCommands = 12 }: CommandOptions = {},
): { arbitrary: fc.Arbitrary<readonly Command[]>; unsupported: readonly string[] } {
  const unsupported: string[] = [];
  const asks = new Map<string, fc.Arbitrary<Ask>>();
  for (const method of vocabularyOf(setting.revision).requests.client) {
    if (!isDeclared(method, setting)) continue;
    const { arbitrary, why } = asksFor(method, setting);
    for (const reason of why) unsupported.push(`${method}: ${reason}`);
    if (arbitrary) asks.set(method, arbitrary);
  }
  const of = (methods: string[]) => fc.oneof(...methods.map(method => asks.get(method)!));
  const all = [...asks.keys()];
  const brief = all.filter(method => !lasting.has(method));
  const free = brief.filter(method => !settles.has(method));
  const stoppable = all.filter(method => !settles.has(method));
  const kinds: fc.WeightedArbitrary<Command>[] = [];
  if (brief.length > 0) kinds.push({ weight: 6, arbitrary: of(brief).map(ask => ({ do: 'ask', ask })) });
  if (stoppable.length > 0)
    kinds.push({
      weight: 2,
      arbitrary: fc
        .tuple(of(stoppable), fc.constantFrom('at once' as const, 'later' as const))
        .map(([ask, when]) => ({ do: 'cancel', ask, when })),
    });
  if (free.length > 0)
    kinds.push({
      weight: 2,
      arbitrary: fc
        .array(of(free), { minLength: 2, maxLength: 5, size: 'max' })
        .map(together => ({ do: 'together', asks: together })),
    });
  if (kinds.length === 0) return { arbitrary: fc.constant([]), unsupported };
  return { arbitrary: sequence(fc.oneof(...kinds), maxCommands).map(legal), unsupported };
}

/** The commands that are legal where they stand: nothing is unsubscribed from that was not subscribed to. */
export function legal(commands: readonly Command[]): readonly Command[] {
  const watched = new Set<string>();
  return commands.filter(command => {
    if (command.do !== 'ask') return true;
    const { method, params } = command.ask;
    const uri = String(params?.uri);
    if (method === 'resources/subscribe') watched.add(uri);
    return method !== 'resources/unsubscribe' || watched.delete(uri);
  });
}

/** The capability behind the first word of a method; the others are always there. */
const needs: Readonly<Record<string, string>> = {
  completion: 'completions',
  logging: 'logging',
  prompts: 'prompts',
  resources: 'resources',
  tasks: 'tasks',
  tools: 'tools',
};

function isDeclared(method: string, { capabilities, revision }: CommandSetting): boolean {
  const capability = needs[method.split('/')[0]!];
  if (capability === undefined || revision.undeclarable.includes(capability)) return true;
  const declared = capabilities[capability];
  if (!isObject(declared)) return false;
  return /subscribe$/.test(method) ? declared.subscribe === true : true;
}
