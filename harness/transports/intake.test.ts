import { describe, expect, test, vi } from 'vitest';
import type { Event } from '../record/event.js';
import { History } from '../record/history.js';
import { beginning, Intake, intakeLimits } from './intake.js';
import { LineReader } from './stdio/line-reader.js';

function reading(intake: Intake) {
  const history = new History('server');
  const link = history.newLink('stdio', { id: '2025-06-18' } as never);
  const onOverflow = vi.fn();
  const reader = new LineReader({
    by: 'server',
    tap: event => history.record(link, event).messages,
    onMessages: () => {},
    onOverflow,
    intake,
  });
  const shown = (kinds: readonly Event['kind'][]) => history.events.filter(e => kinds.includes(e.kind));
  return { reader, onOverflow, shown };
}

const ping = '{"jsonrpc":"2.0","id":1,"method":"ping"}';

describe('the input of a run', () => {
  test('a line without an end is given up at the limit, and its beginning is kept', () => {
    const { reader, onOverflow, shown } = reading(new Intake({ messageBytes: 10_000 }));
    for (let n = 0; n < 100; n++) reader.push(Buffer.alloc(1_000, '['));
    expect(onOverflow).toHaveBeenCalledOnce();
    expect(shown(['frame', 'overflow'])).toMatchObject([
      { kind: 'frame', unterminated: true, cutFrom: 11_000, text: '['.repeat(4_096) },
      { kind: 'overflow', what: 'line', amount: 10_000 },
    ]);
  });

  test('a whole line above the limit is not read as a message', () => {
    const { reader, shown } = reading(new Intake({ messageBytes: 10_000 }));
    reader.push(Buffer.from(`{"a":"${'x'.repeat(20_000)}"}\n${ping}\n`));
    expect(shown(['frame', 'overflow'])).toMatchObject([{ cutFrom: 20_008 }, { what: 'line' }]);
  });

  test.each([
    ['values', `[${'{},'.repeat(intakeLimits.values)}{}]`],
    ['depth', `{"text":"\\"]]","deep":${'['.repeat(intakeLimits.depth)}${']'.repeat(intakeLimits.depth)}}`],
    ['batch', `[${Array(intakeLimits.batch + 1).fill(ping)}]`],
  ] as const)('a message above the limit of %s is not parsed', (what, text) => {
    const { reader, shown } = reading(new Intake({ messageBytes: 2 ** 24 }));
    reader.push(Buffer.from(`${text}\n`));
    expect(shown(['frame', 'overflow'])).toMatchObject([
      { cutFrom: text.length, text: text.slice(0, what === 'depth' ? intakeLimits.depth : 4_096) },
      { what, amount: intakeLimits[what] },
    ]);
  });

  test.each([
    ['depth', `{"id":1,"result":${'['.repeat(intakeLimits.depth - 1)}${']'.repeat(intakeLimits.depth - 1)}}`],
    ['brackets in a text', `{"id":1,"result":"${'[{\\"'.repeat(intakeLimits.depth)}"}`],
  ])('a message at the limit of %s is read', (_, text) => {
    const { reader, shown } = reading(new Intake());
    reader.push(Buffer.from(`${text}\n`));
    expect(shown(['overflow'])).toEqual([]);
  });

  test('a batch at the limit is read', () => {
    const { reader, shown } = reading(new Intake());
    reader.push(Buffer.from(`[${Array(intakeLimits.batch).fill(ping)}]\n`));
    expect(shown(['overflow'])).toEqual([]);
  });

  test('all connections count together, incomplete messages too; all stop at the limit', () => {
    const onFull = vi.fn();
    const intake = new Intake({ messageBytes: 10_000, onFull });
    const readers = Array.from({ length: 50 }, () => reading(intake));
    for (const { reader } of readers) reader.push(Buffer.alloc(9_000, '['));
    expect(onFull).toHaveBeenCalledExactlyOnceWith(expect.stringContaining('--max-message'));
    for (const { reader } of readers) reader.push(Buffer.from(ping));
    expect(readers.every(({ onOverflow }) => onOverflow.mock.calls.length === 1)).toBe(true);
  });

  test('messages that are complete are no longer counted as incomplete', () => {
    const intake = new Intake({ messageBytes: 1_000_000 });
    const { reader, shown } = reading(intake);
    for (let n = 0; n < 500; n++) reader.push(Buffer.from(`${ping}\n${ping.slice(0, 5)}`.concat('')));
    reader.end();
    expect(intake.isFull).toBe(false);
    expect(shown(['overflow'])).toEqual([]);
  });

  test('exchanges of HTTP and connections count, also without a message', () => {
    const head = { headers: [] as const, link: 1, t: 0 };
    const filled = (event: object, times: number) => {
      const intake = new Intake({ messageBytes: 10_000 });
      for (let n = 0; n < times; n++) intake.keepEvent(event as never, 'server');
      return intake.isFull;
    };
    const request = { kind: 'http-request', exchange: 1, method: 'GET', url: '/', ...head };
    expect(filled(request, 50)).toBe(false);
    expect(filled(request, 51)).toBe(true);
    expect(filled({ kind: 'open', transport: 'http', revision: '2025-11-25' }, 21)).toBe(true);
    expect(filled({ kind: 'http-response', exchange: 1, status: 200, ...head }, 1_000)).toBe(false);
  });

  test('each revision of a run has its share', () => {
    const intake = new Intake({ messageBytes: 10_000 });
    intake.allowRevisions(2);
    expect(intake.totalBytes).toBe(400_000);
    intake.hold(200_000);
    expect(intake.isHalfFull).toBe(false);
    intake.hold(100_000);
    expect([intake.isHalfFull, intake.isFull]).toEqual([true, false]);
    intake.hold(100_001);
    expect(intake.isFull).toBe(true);
  });

  test('a beginning is a text of its own', () => {
    expect(beginning('abcdef', 3)).toBe('abc');
  });
});
