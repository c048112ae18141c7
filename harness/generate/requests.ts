/** For each method of a client, requests that are valid and meaningful for this server. */

import fc from 'fast-check';
import { asText, isObject, type Json, type JsonObject } from '../../spec/json-rpc.js';
import type { Revision } from '../../spec/revisions.js';
import { CannotGenerate } from './cannot-generate.js';
import { message } from './message.js';
import { arbitraryOf } from './schema.js';
import { anyCharacter } from './text.js';

interface Asks {
  /** Undefined when there is no request to generate. */
  readonly arbitrary: fc.Arbitrary<Ask> | undefined;
  /** Omitted parts, with the reasons. */
  readonly why: readonly string[];
}

type Maker = (setting: CommandSetting, method: string) => Asks;

export const asksFor = (method: string, setting: CommandSetting): Asks =>
  makers[method]?.(setting, method) ?? {
    arbitrary: undefined,
    why: ['no parameters are known for this method'],
  };

const ask = (arbitrary: fc.Arbitrary<JsonObject>, method: string): Asks => ({
  arbitrary: arbitrary.map(params => ({ method, params })),
  why: [],
});
const nothing = (...why: string[]): Asks => ({ arbitrary: undefined, why });
const oneOf = <T>(list: readonly fc.Arbitrary<T>[]): fc.Arbitrary<T> | undefined =>
  list.length > 0 ? fc.oneof(...list) : undefined;

const plain: Maker = (_, method) => ({ arbitrary: fc.constant({ method }), why: [] });

const list: Maker = (_, method) => ({
  arbitrary: fc.constantFrom<Ask>({ method }, { method, follow: true }),
  why: [],
});

const byUri: Maker = ({ known }, method) => {
  const uris = known.resources.flatMap(({ uri }) => (typeof uri === 'string' ? [uri] : []));
  return uris.length > 0
    ? ask(
        fc.constantFrom(...uris).map(uri => ({ uri })),
        method,
      )
    : nothing('the server lists no resource');
};

const makers: Readonly<Record<string, Maker>> = {
  initialize: () => nothing(), // sent only to open the conversation
  ping: plain,
  'server/discover': plain,
  'tools/list': list,
  'prompts/list': list,
  'resources/list': list,
  'resources/templates/list': list,
  'resources/read': byUri,
  'resources/subscribe': byUri,
  'resources/unsubscribe': byUri,
  'tools/call': calls,
  'prompts/get': prompts,
  'completion/complete': completions,
  'logging/setLevel': ({ revision }, method) =>
    ask(
      message(revision, 'LoggingLevel').map(level => ({ level })),
      method,
    ),
  'subscriptions/listen': ({ known }, method) => {
    const uris = known.resources.flatMap(({ uri }) => (typeof uri === 'string' ? [uri] : []));
    const filter = fc.record(
      {
        toolsListChanged: fc.boolean(),
        promptsListChanged: fc.boolean(),
        resourcesListChanged: fc.boolean(),
        resourceSubscriptions: fc.subarray(uris),
      },
      { requiredKeys: [], noNullPrototype: true },
    );
    return ask(
      filter.map(notifications => ({ notifications })),
      method,
    );
  },
};

function calls({ known, mayCall = new Set() }: CommandSetting, method: string): Asks {
  const why: string[] = [];
  const each = known.tools.flatMap(({ name, inputSchema }) => {
    if (typeof name !== 'string' || !mayCall.has(name)) return [];
    try {
      const schema = isObject(inputSchema) ? inputSchema : {};
      const { arbitrary, unsupported } = arbitraryOf({ type: 'object', ...schema });
      for (const reason of unsupported) why.push(`"${name}": ${reason}`);
      return [arbitrary.map((args): JsonObject => ({ name, arguments: args }))];
    } catch (error) {
      if (!(error instanceof CannotGenerate)) throw error;
      why.push(`"${name}" is never called: ${error.message}`);
      return [];
    }
  });
  const arbitrary = oneOf(each);
  return arbitrary ? { ...ask(arbitrary, method), why } : nothing(...why, 'no tool is allowed to be called');
}

const named = (json: Json | undefined): JsonObject[] =>
  Array.isArray(json) ? json.filter(isObject).filter(({ name }) => typeof name === 'string') : [];

const words = fc.oneof(
  fc.constantFrom('', 'a', 'caf\u00e9', '\u{1f600}'),
  fc.string({ unit: anyCharacter, maxLength: 12 }),
);

function prompts({ known }: CommandSetting, method: string): Asks {
  const each = named([...known.prompts]).map(prompt => {
    const wanted = named(prompt.arguments);
    const values = Object.fromEntries(wanted.map(({ name }) => [name as string, words]));
    const required = wanted.filter(argument => argument.required === true).map(({ name }) => name as string);
    return fc
      .record(values, { requiredKeys: required, noNullPrototype: true })
      .map((args): JsonObject => ({ name: prompt.name!, ...(wanted.length > 0 ? { arguments: args } : {}) }));
  });
  const arbitrary = oneOf(each);
  return arbitrary ? ask(arbitrary, method) : nothing('the server lists no prompt');
}

function completions({ known }: CommandSetting, method: string): Asks {
  const ofPrompts = named([...known.prompts]).flatMap(prompt =>
    named(prompt.arguments).map(({ name }) => ({
      ref: { type: 'ref/prompt', name: prompt.name! },
      argument: name as string,
    })),
  );
  const ofTemplates = known.templates.flatMap(({ uriTemplate }) =>
    variablesOf(uriTemplate).map(argument => ({
      ref: { type: 'ref/resource', uri: uriTemplate! },
      argument,
    })),
  );
  const all = [...ofPrompts, ...ofTemplates];
  if (all.length === 0) return nothing('the server lists no argument to complete');
  return ask(
    fc
      .tuple(fc.constantFrom(...all), words)
      .map(([{ ref, argument }, value]): JsonObject => ({ ref, argument: { name: argument, value } })),
    method,
  );
}

/** The variables of a URI template (RFC 6570). */
const variablesOf = (template: Json | undefined): string[] =>
  [...asText(template ?? '').matchAll(/\{[+#./;?&]?([^}]*)\}/g)].flatMap(([, inside]) =>
    inside!.split(',').map(variable => variable.replace(/:\d+$|\*$/, '')),
  );

/** One request; the peer adds the envelope. */
export interface Ask {
  readonly method: string;
  readonly params?: JsonObject;
  /** For a list: follow the cursor to the last page. */
  readonly follow?: true;
}

/** Data known about the server. */
export interface Known {
  readonly tools: readonly JsonObject[];
  readonly prompts: readonly JsonObject[];
  readonly resources: readonly JsonObject[];
  readonly templates: readonly JsonObject[];
}

export interface CommandSetting {
  readonly revision: Revision;
  /** The capabilities declared by the server. */
  readonly capabilities: JsonObject;
  readonly known: Known;
  /** Names of the tools that may be called; none by default. */
  readonly mayCall?: ReadonlySet<string>;
}
