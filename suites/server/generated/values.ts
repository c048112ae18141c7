/**
 * Parts of generated requests: texts that programs often handle incorrectly, and requests that a server has
 * to serve.
 */

import fc from 'fast-check';
import { chunked, insideCharacters } from '../../../harness/generate/bytes.js';
import type { Ask } from '../../../harness/generate/requests.js';
import { sequence } from '../../../harness/generate/sequence.js';
import type { Peer } from '../../../harness/peer/peer.js';
import { declares } from '../../../harness/record/conversation.js';
import { resultOf } from '../../../harness/record/message.js';
import type { Known } from '../../../harness/scenario/scenario.js';
import { asText, isObject, type Json, type JsonObject } from '../../../spec/json-rpc.js';
import { pagedLists } from '../lists.js';

/** A character of any plane, all of them equally likely; surrogates are excluded. */
export const anyCharacter: fc.Arbitrary<string> = fc
  .tuple(fc.nat(0x10), fc.nat(0xfffd))
  .map(([plane, at]) => plane * 0x10000 + at)
  .map(point => (point >= 0xd800 && point < 0xe000 ? point - 0xd800 : point))
  .map(point => (point === 0 ? 'a' : String.fromCodePoint(point)));

/** Texts of up to eight such characters; each character can be removed when they shrink. */
const textOf = (character: fc.Arbitrary<string>): fc.Arbitrary<string> =>
  sequence(character, 8).map(characters => characters.join(''));

const ascii = fc.string({ unit: 'binary-ascii', minLength: 1, maxLength: 1 });

/** Names that every object inherits in some languages. */
export const inherited = ['__proto__', 'constructor', 'toString', 'hasOwnProperty'] as const;

/**
 * Short texts: characters of every plane, control characters, white space, and texts that look like another
 * value.
 */
export const texts: fc.Arbitrary<string> = fc.oneof(
  { withCrossShrink: true },
  { weight: 1, arbitrary: fc.constantFrom('a', 'A') },
  { weight: 3, arbitrary: textOf(anyCharacter) },
  { weight: 3, arbitrary: textOf(ascii) },
  { weight: 2, arbitrary: fc.constantFrom(...inherited) },
  { weight: 3, arbitrary: fc.constantFrom('"', '\\', '\\u0041', "'", '\\"') },
  { weight: 2, arbitrary: fc.constantFrom('0', '-0', '007', '1e3', 'null', 'true', 'undefined', 'NaN') },
  { weight: 2, arbitrary: fc.constantFrom(' ', ' a', 'a ', '\t', '\n', '\u00a0', '\ufeffa', '\u0000') },
  { weight: 2, arbitrary: fc.constantFrom('(', '[', '*', '%', '%zz', '{', '$&', '../a') },
);

/** Unexpected JSON: small values of every type. */
const anything: fc.Arbitrary<Json> = fc.oneof(
  { withCrossShrink: true },
  fc.constantFrom<Json>(null, true, 0, -1, 0.5, ''),
  texts,
  fc.array(fc.constantFrom<Json>(null, 1, 'a'), { maxLength: 2 }),
  fc.dictionary(texts, fc.constantFrom<Json>(null, 1, 'a'), { maxKeys: 2, noNullPrototype: true }),
);

/** Objects of up to three members; each member can be removed when they shrink. */
export const membersOf = (names: fc.Arbitrary<string>): fc.Arbitrary<JsonObject> =>
  sequence(fc.tuple(names, anything), 3).map(pairs => Object.fromEntries(pairs));

/** Values for all required arguments of a prompt. */
export const argumentsOf = (prompt: JsonObject): JsonObject =>
  Object.fromEntries(
    (Array.isArray(prompt.arguments) ? prompt.arguments : [])
      .filter(isObject)
      .filter(({ required }) => required === true)
      .map(({ name }) => [asText(name), 'x']),
  );

/** Positions where bytes are cut into pieces; a position beyond the end is taken modulo the length. */
type Cuts = 'nowhere' | 'everywhere' | 'inside characters' | readonly number[];

/** Cuts for texts of any length; they shrink to no cut, or to all. */
export const cuts: fc.Arbitrary<Cuts> = fc.oneof(
  { withCrossShrink: true },
  { weight: 1, arbitrary: fc.constant<Cuts>('nowhere') },
  {
    weight: 8,
    arbitrary: fc.oneof(
      { withCrossShrink: true },
      { weight: 3, arbitrary: fc.constant<Cuts>('everywhere') },
      { weight: 2, arbitrary: fc.constant<Cuts>('inside characters') },
      { weight: 3, arbitrary: sequence(fc.nat(500), 5) },
    ),
  },
);

/** Cuts of one text at most: the requests of some servers are long. */
const mostCuts = 5_000;

/** A text in UTF-8, in pieces. */
export function piecesOf(text: string, cuts: Cuts): Buffer[] {
  const bytes = Buffer.from(text);
  const places = {
    nowhere: () => [],
    everywhere: () => [...bytes.subarray(0, mostCuts).keys()],
    'inside characters': () => insideCharacters(bytes).slice(0, mostCuts),
  };
  const at = typeof cuts === 'string' ? places[cuts]() : cuts.map(place => place % bytes.length);
  return chunked(bytes, at).map(piece => Buffer.from(piece));
}

/** Names that can be completed: arguments of prompts, and simple variables of templates. */
export function completable({ prompts, templates }: Known): { ref: JsonObject; argument: string }[] {
  const ofPrompts = prompts.flatMap(({ name, arguments: list }) =>
    (Array.isArray(list) ? list : [])
      .filter(isObject)
      .map(argument => ({ ref: { type: 'ref/prompt', name: name! }, argument: asText(argument.name) })),
  );
  const ofTemplates = templates.flatMap(({ uriTemplate }) =>
    [...asText(uriTemplate).matchAll(/\{(\w+)\}/g)].map(([, argument]) => ({
      ref: { type: 'ref/resource', uri: uriTemplate! },
      argument: argument!,
    })),
  );
  return [...ofPrompts, ...ofTemplates];
}

/** A request with a unique id. @param id the prefix of the id */
export function requestOf(peer: Peer, { method, params: plain }: Ask, id = ''): JsonObject {
  const params = peer.era.dress(peer, plain);
  return { jsonrpc: '2.0', id: `${id}${peer.nextId()}`, method, ...(params && { params }) };
}

/** One request of each kind that the server supports; none of them changes anything. */
export function plainAsks(peer: Peer, known: Known): [Ask, ...Ask[]] {
  const asks: [Ask, ...Ask[]] = [peer.era.harmless(peer)];
  for (const { method } of pagedLists(peer)) asks.push({ method, params: {} });
  const [prompt] = known.prompts;
  if (prompt)
    asks.push({ method: 'prompts/get', params: { name: prompt.name!, arguments: argumentsOf(prompt) } });
  const [resource] = known.resources;
  if (resource) asks.push({ method: 'resources/read', params: { uri: resource.uri! } });
  const [first] = declares(peer.declared, 'completions') ? completable(known) : [];
  if (first) {
    const argument = { name: first.argument, value: '' };
    asks.push({ method: 'completion/complete', params: { ref: first.ref, argument } });
  }
  return asks;
}

const served = new WeakMap<Peer, Map<string, boolean>>();

/** Whether a request gets a result from this subject; each request is sent once in a conversation. */
export async function isServed(peer: Peer, { method, params }: Ask): Promise<boolean> {
  const known = served.get(peer) ?? new Map<string, boolean>();
  served.set(peer, known);
  const key = JSON.stringify([method, params]);
  const answer = known.get(key) ?? resultOf(await peer.request(method, params)) !== undefined;
  known.set(key, answer);
  return answer;
}
