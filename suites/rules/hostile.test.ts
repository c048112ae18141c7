import fc from 'fast-check';
import { expect, it } from 'vitest';
import { judgeConversation } from '../../harness/judge/judge.js';
import type { Conversation } from '../../harness/record/conversation.js';
import type { Json } from '../../spec/json-rpc.js';
import { revisions } from '../../spec/revisions.js';
import { toExample } from './example.test.util.js';
import { examples } from './examples.test.util.js';
import { rules } from './index.js';
import { type Line, opened, record } from './record.test.util.js';

/** The same value with one of its parts replaced. */
function replaceAt(value: Json, at: { left: number }, by: Json): Json {
  if (at.left-- === 0) return by;
  if (Array.isArray(value)) return value.map(item => replaceAt(item, at, by));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, replaceAt(item, at, by)]));
}

const odd = fc.oneof(
  fc.constantFrom<Json>(null, true, 0, -1, 1.5, '', 'x', [], {}, [null], [[]], { type: null }, '__proto__'),
  fc.jsonValue() as fc.Arbitrary<Json>,
);
const all = Object.values(examples)
  .flatMap(e => [...e.good, ...(e.legal ?? []), ...e.bad])
  .map(toExample);

const troubles = (conversation: Conversation) =>
  judgeConversation(conversation, rules).filter(f => f.verdict === 'error');

it('no rule throws for any content of a message', () => {
  fc.assert(
    fc.property(
      fc.constantFrom(...all),
      fc.constantFrom(...revisions),
      fc.array(fc.tuple(fc.nat(), fc.nat(40), odd), { minLength: 1, maxLength: 3 }),
      (example, revision, changes) => {
        const lines = [...(typeof example.lines === 'function' ? example.lines(revision) : example.lines)];
        for (const [line, part, by] of changes) {
          const at = line % lines.length;
          const [who, json] = (Array.isArray(lines[at]) ? lines[at] : ['s', '{}']) as ['s', Json];
          if (typeof json !== 'string') lines[at] = [who, replaceAt(json, { left: part }, by)] as Line;
        }
        for (const subject of ['server', 'client'] as const)
          expect(troubles(record(revision, lines, { subject }))).toEqual([]);
      },
    ),
    { numRuns: Number(process.env.RUNS ?? 400) },
  );
});

it('no rule throws for deeply nested values', () => {
  const deep = `${'['.repeat(50_000)}${']'.repeat(50_000)}`;
  for (const member of ['structuredContent', '_meta', 'content', 'icons', 'tools', 'nextCursor'])
    for (const revision of revisions) {
      const lines = [
        ...opened([
          'c',
          {
            jsonrpc: '2.0',
            id: 1,
            method: member === 'tools' ? 'tools/list' : 'tools/call',
            params: { name: 'a' },
          },
        ])(revision),
        ['s', `{"jsonrpc":"2.0","id":1,"result":{"content":[],"${member}":${deep}}}`] as Line,
      ];
      expect(troubles(record(revision, lines)), member).toEqual([]);
    }
});
