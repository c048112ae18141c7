/**
 * Valid sequences of client requests, computed from the vocabulary, the capabilities of the server and its
 * lists. Plain data: a scenario executes the sequences, and the rules judge the result.
 */

import fc from 'fast-check';
import { asText, isObject } from '../../spec/json-rpc.js';
import { vocabularyOf } from '../../spec/vocabulary.js';
import { type Ask, asksFor, type CommandSetting } from './requests.js';
import { sequence } from './sequence.js';

export type Command =
  /** Send a request and wait for its response. */
  | { readonly do: 'ask'; readonly ask: Ask }
  /** Send a request and cancel it, immediately or after a first message. */
  | { readonly do: 'cancel'; readonly ask: Ask; readonly when: 'at once' | 'later' }
  /** Send all of these before the first response. */
  | { readonly do: 'together'; readonly asks: readonly Ask[] };

export interface CommandOptions {
  /** Largest number of commands in a sequence, 12 by default. */
  readonly maxCommands?: number;
}

/**
 * Methods that change the meaning of later requests; not cancelled and not run in parallel, because the
 * resulting state would be unknown.
 */
const settles: ReadonlySet<string> = new Set([
  'resources/subscribe',
  'resources/unsubscribe',
  'logging/setLevel',
]);
/** Methods whose response follows only the cancellation. */
const lasting: ReadonlySet<string> = new Set(['subscriptions/listen']);

/**
 * Sequences in which every command is valid at its place; they shrink by omitting commands and stay valid.
 * `unsupported` names the methods of the server that are never requested, with the reason.
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

/** The commands that are valid at their place: an unsubscribe without a subscribe is removed. */
function legal(commands: readonly Command[]): readonly Command[] {
  const watched = new Set<string>();
  return commands.filter(command => {
    if (command.do !== 'ask') return true;
    const { method, params } = command.ask;
    const uri = asText(params?.uri);
    if (method === 'resources/subscribe') watched.add(uri);
    return method !== 'resources/unsubscribe' || watched.delete(uri);
  });
}

/** The capability for the first part of a method; other methods need no capability. */
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
