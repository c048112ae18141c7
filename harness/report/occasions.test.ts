import { expect, test } from 'vitest';
import { requirements } from '../../spec/requirement.js';
import type { Event } from '../record/event.js';
import { isOccasionOf, occasionsOf } from './occasion.js';
import { Occasions, unexercised, withFailedRow } from './occasions.js';

const rows = [...requirements().values()];
const run = { revision: rows[0] && Object.keys(rows[0].clauses)[0], transport: 'stdio' } as const;

/** The reason of a row, when the server has sent some messages. */
function reasonOf(id: string, sent: readonly string[], reason?: string): string | undefined {
  const occasions = new Occasions();
  const observed = { seq: 1, at: 0, link: 1, case: 0 };
  const add = (event: object) => occasions.add({ ...observed, ...event } as Event, 'server');
  add({ kind: 'open', ...run });
  add({ kind: 'frame', by: 'client', text: '{"jsonrpc":"2.0","id":1,"method":"elicitation/create"}' });
  for (const text of sent) add({ kind: 'frame', by: 'server', text });
  const row = { id, level: 'MUST', grade: 'notObserved', examined: 0, url: '', reason };
  return occasions.explain(row as never, run as never, 'server').reason;
}

test('each pattern names a row that binds the party', () => {
  for (const side of ['server', 'client'] as const)
    for (const { rows: patterns, ...rest } of occasionsOf(side))
      for (const pattern of patterns.split(' ')) {
        const one = { rows: pattern, ...rest };
        expect(
          rows.filter(row => isOccasionOf(one, row.id)),
          pattern,
        ).not.toEqual([]);
      }
});

test('a row without a judgement says what the server did not send', () => {
  const missing = 'the server sent no elicitation/create';
  expect(reasonOf('elicitation.form-parameters', [])).toBe(missing);
  expect(reasonOf('elicitation.form-parameters', [], unexercised)).toBe(missing);
  expect(reasonOf('elicitation.form-parameters', [], 'another reason')).toBe('another reason');
});

test('a message that was sent is no reason, in any form of JSON', () => {
  for (const name of ['"elicitation/create"', '"elicitation\\/create"'])
    expect(reasonOf('elicitation.form-parameters', [`{"id": 1, "method": ${name}}`])).toBeUndefined();
  const note = '{"method":"notifications/progress","params":{"id":1,"progressToken":2}}';
  expect(reasonOf('progress.token-type', [note])).toBe('the server sent no request with a progressToken');
  const ask = '{"method":"roots/list","id":1,"params":{"_meta":{"progressToken":2}}}';
  expect(reasonOf('progress.token-type', [`[${ask}]`])).toBeUndefined();
});

test('an inconclusive finding of a test that went another way says what the client did not send', () => {
  const occasions = new Occasions();
  const observed = { seq: 1, at: 0, link: 1, case: 0 };
  occasions.add({ ...observed, kind: 'open', ...run } as Event, 'client');
  const messageOf = (grade: string, message: string) => {
    const finding = { requirement: 'cancellation.request-id-given', grade, message };
    return occasions.explainFinding(finding as never, run as never, 'client').message;
  };
  expect(messageOf('inconclusive', unexercised)).toBe('the client sent no notifications/cancelled');
  expect(messageOf('inconclusive', 'another reason')).toBe('another reason');
  expect(messageOf('warning', unexercised)).toBe(unexercised);
});

test('a case that went another way names the row that failed in it, if no other reason is known', () => {
  const judged = [
    new Map([['ping.answered-empty', { pass: 2 }]]),
    new Map([['base.schema-valid', { pass: 1, fail: 1 }]]),
  ] as never[];
  expect(withFailedRow(unexercised, judged)).toBe(
    `${unexercised}; see base.schema-valid, which fails in the same case`,
  );
  expect(withFailedRow('another reason', judged)).toBe('another reason');
  expect(withFailedRow(unexercised, [])).toBe(unexercised);
  const cases = (passed: number) =>
    new Map(Array.from({ length: 3 + passed }, (_, n) => [n, n < 3 ? judged[1] : new Map()])) as never;
  expect(withFailedRow(unexercised, judged, cases(1))).toBe(unexercised);
  expect(withFailedRow(unexercised, judged, cases(3))).toContain('; see base.schema-valid');
  expect(withFailedRow(unexercised, judged, cases(0))).toContain('; see base.schema-valid');
  const both = new Map([...judged[1]!, ['jsonrpc.invalid-request', { fail: 1 }]]) as never;
  const last = new Map([...(cases(4) as Map<number, never>), [9, both]]);
  expect(withFailedRow(unexercised, [both], last)).toContain('; see jsonrpc.invalid-request');
});
