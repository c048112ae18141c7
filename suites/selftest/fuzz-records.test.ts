/**
 * The rules over records of the mocks in which one value of the subject is replaced: a rule may find a breach,
 * but it never fails itself. `MCP_CONFORM_FUZZ_RUNS` sets the number of samples for each record.
 */

import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { judgeConversation, judgeRun } from '../../harness/judge/judge.js';
import type { Event } from '../../harness/record/event.js';
import { History } from '../../harness/record/history.js';
import type { Json, Party } from '../../spec/json-rpc.js';
import { suite } from '../index.js';
import { links, sources } from './recorded.js';
import type { Trial } from './run-mock.js';

const numRuns = Number(process.env.MCP_CONFORM_FUZZ_RUNS ?? 100);
const mostEvents = 1_500;

const nested = (depth: number): string => `${'['.repeat(depth)}1${']'.repeat(depth)}`;

/** JSON texts that a careless reader does not survive. */
const hostile: readonly string[] = [
  ...['null', 'true', '0', '-1', '1e308', '1e999', '9007199254740993', '""', '"x"', '[]', '{}'],
  ...['{"toString":1}', '{"toJSON":1,"valueOf":2,"length":-1}', '[null]', '[[]]', '[{"toString":null}]'],
  ...['{"__proto__":{"x":1}}', '{"constructor":1,"hasOwnProperty":2}', '"constructor"', '"__proto__"'],
  ...['"\\ud800"', '"\\u0000"', '"%zz"', '"http://["', '"file:///x"', '"//x"', '{"$ref":"#"}'],
  ...[nested(50), nested(4_000), `"${'a'.repeat(20_000)}"`, '{"type":{"toString":1}}', '[1,2,3]'],
];

/** A change of one event, chosen by three numbers. */
type Change = readonly [event: number, place: number, value: number];

/** A text with one value of its JSON replaced; a text that is not JSON loses a character. */
function replaced(text: string, place: number, value: string): string {
  let json: Json;
  try {
    json = JSON.parse(text);
  } catch {
    return text.slice(0, place % (text.length + 1)) + text.slice((place % (text.length + 1)) + 1);
  }
  const paths: (readonly (string | number)[])[] = [];
  const visit = (node: Json, path: readonly (string | number)[]): void => {
    paths.push(path);
    if (typeof node === 'object' && node !== null)
      for (const [name, item] of Object.entries(node)) visit(item, [...path, name]);
  };
  visit(json, []);
  const marker = '\u0001replaced\u0001';
  const path = paths[place % paths.length]!;
  if (path.length === 0) return value;
  // biome-ignore lint/suspicious/noExplicitAny: any JSON
  let at: any = json;
  for (const name of path.slice(0, -1)) at = at[name];
  at[path.at(-1)!] = marker;
  return JSON.stringify(json).replace(JSON.stringify(marker), () => value);
}

/** The conversation with one value changed in what the subject sent. */
function changed(events: readonly Event[], party: Party, [which, place, value]: Change): Event[] {
  const own = events.filter(e => isOfSubject(e, party));
  const chosen = own[which % Math.max(1, own.length)];
  const text = hostile[value % hostile.length]!;
  return events.map(event => {
    if (event !== chosen) return event;
    if (event.kind === 'frame' || event.kind === 'http-body')
      return { ...event, text: replaced(event.text, place, text) };
    if (event.kind === 'sse') {
      const field = (['id', 'event', 'retry', 'data'] as const)[place % 4]!;
      return { ...event, [field]: text };
    }
    if (event.kind !== 'http-request' && event.kind !== 'http-response') return event;
    if (event.kind === 'http-response' && place % 3 === 0)
      return { ...event, status: [0, 99, 204, 302, 999][value % 5]! };
    const headers = event.headers.map((header, at) =>
      at === place % event.headers.length ? ([header[0], text] as const) : header,
    );
    return { ...event, headers };
  });
}

function isOfSubject(event: Event, party: Party): boolean {
  if (event.kind === 'frame') return event.by === party;
  if (event.kind === 'http-request') return party === 'client';
  return ['http-response', 'http-body', 'sse'].includes(event.kind) && party === 'server';
}

/** Longer conversations repeat the same kinds of messages. */
const short = (trial: Trial): Event[][] => links(trial).filter(events => events.length <= mostEvents);

describe('a record with a hostile value', () => {
  test.each(sources)('$name: no rule fails itself', async ({ party, record }) => {
    const conversations = short(await record());
    expect(conversations.length).toBeGreaterThan(0);
    // a long conversation is chosen as often as it has events
    const byEvent = conversations.flatMap(events => events.map(() => events));
    const change = fc.tuple(fc.nat(10_000), fc.nat(10_000), fc.nat(10_000));
    fc.assert(
      fc.property(fc.nat(1_000_000), change, (link, one) => {
        const events = changed(byEvent[link % byEvent.length]!, party, one);
        const history = [...History.from(events, party).conversations.values()];
        const found = [
          ...history.flatMap(c => judgeConversation(c, suite.rules)),
          ...judgeRun(history, suite.rules),
        ];
        const errors = found.filter(f => f.verdict === 'error');
        if (errors.length > 0) throw new Error(`${errors[0]!.requirement}: ${errors[0]!.message}`);
      }),
      { numRuns, seed: Number(process.env.MCP_CONFORM_FUZZ_SEED ?? 1), endOnFailure: true },
    );
  });
});
