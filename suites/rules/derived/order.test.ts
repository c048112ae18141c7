import { describe, expect, test } from 'vitest';
import type { Message } from '../../../harness/record/message.js';
import { newestFirst } from '../../../spec/revisions.js';
import { ask, end, event, ping } from '../http-events.test.util.js';
import { type Line, notification, type RecordOptions, record, request, result } from '../record.test.util.js';
import { onOneStream, saidBetween, surelyAfter } from './order.js';

const sse = 'text/event-stream';
const note = (name: string): ReturnType<typeof notification> => notification(`notifications/${name}`);
const revision = newestFirst().find(r => r.transports.includes('streamable-http'))!;
const call = (exchange: number) => ask(exchange, 'POST', request(exchange, 'ping'), 200, sse);
const get = (exchange: number, last?: string) =>
  ask(exchange, 'GET', undefined, 200, sse, { sent: last === undefined ? {} : { 'Last-Event-ID': last } });

const over = (lines: readonly Line[], options: RecordOptions = {}) => {
  const conversation = record(revision, lines, { transport: 'streamable-http', ...options });
  const named = (name: string): Message => conversation.messages.find(m => m.method?.endsWith(name))!;
  return { conversation, first: named('first'), second: named('second') };
};

describe('a message seen later is certainly sent later', () => {
  const late = (lines: readonly Line[], options?: RecordOptions) => {
    const { conversation, first, second } = over(lines, options);
    return surelyAfter(conversation, second, first);
  };

  test('not on another stream', () => {
    expect(late([...get(1), ...call(2), ...event(2, note('first')), ...event(1, note('second'))])).toBe(
      false,
    );
  });

  test('on the same stream, and on a resumption of the stream', () => {
    expect(late([...call(1), ...event(1, note('first')), ...event(1, note('second'))])).toBe(true);
    const broken = [...call(1), ...event(1, note('first'), { id: 'a' }), end(1, 'client')];
    expect(late([...broken, ...get(2, 'a'), ...event(2, note('second'), { id: 'b' })])).toBe(true);
  });

  test('in the response to a later request', () => {
    expect(late([...get(1), ...event(1, note('first')), ...call(2), ...event(2, note('second'))])).toBe(true);
  });

  test('with a request and its response in between', () => {
    const crossing = [...get(1), ...call(2), ...event(2, note('first'))];
    expect(late([...crossing, ...ping(3), ...event(1, note('second'))])).toBe(true);
    const asked = [...get(1), ...call(2), ...call(3), ...event(2, note('first'))];
    expect(late([...asked, ...event(3, result(3)), ...event(1, note('second'))])).toBe(false);
  });

  test('more than the crossing time later', () => {
    const lines = [...get(1), ...call(2), ...event(2, note('first')), ...event(1, note('second'))];
    expect(late(lines, { tick: 2_000 })).toBe(true);
  });

  test('over stdio, always', () => {
    expect(
      late(
        [
          ['s', note('first')],
          ['s', note('second')],
        ],
        { transport: 'stdio' },
      ),
    ).toBe(true);
  });
});

describe('over HTTP a message of a client is certainly sent later', () => {
  const post = (exchange: number, name: string, connection?: number): Line[] =>
    ask(exchange, 'POST', note(name), 202, undefined, { connection });
  const late = (lines: readonly Line[], options?: RecordOptions) => {
    const { conversation, first, second } = over(lines, { subject: 'client', ...options });
    return surelyAfter(conversation, second, first);
  };

  test('not on another connection, even with a request and its response in between', () => {
    expect(late([...post(1, 'first', 1), ...post(2, 'second', 2)])).toBe(false);
    expect(late([...post(1, 'first'), ...post(2, 'second')])).toBe(false);
    const answered: Line[] = [
      ['s', request('a', 'ping')],
      ['c', result('a')],
    ];
    expect(late([...post(1, 'first', 1), ...answered, ...post(2, 'second', 2)])).toBe(false);
  });

  test('on the same connection', () => {
    expect(late([...post(1, 'first', 1), ...post(2, 'second', 1)])).toBe(true);
  });

  test('more than the crossing time later', () => {
    expect(late([...post(1, 'first', 1), ...post(2, 'second', 2)], { tick: 2_000 })).toBe(true);
  });
});

test('two streams are distinguished', () => {
  const { conversation, first, second } = over([
    ...call(1),
    ...call(2),
    ...event(1, note('first')),
    ...event(2, note('second')),
  ]);
  expect(onOneStream(conversation, first, second)).toBe(false);
  expect(onOneStream(conversation, first, first)).toBe(true);
});

test('a notification that crosses the last of two messages is possibly sent between them', () => {
  const between = (lines: readonly Line[]) => {
    const { conversation } = over(lines);
    const [from, to] = conversation.replies({ by: 'subject' });
    return saidBetween(conversation, conversation.notifications({ by: 'subject' }), from!, to!);
  };
  const said = event(1, note('changed'), {}, 'get');
  expect(between([...get(1), ...ping(2), ...said, ...ping(3)])).toBe(true);
  expect(between([...get(1), ...ping(2), ...ping(3), ...said])).toBe(true);
  expect(between([...get(1), ...ping(2), ...ping(3), ...ping(4), ...said])).toBe(false);
  expect(between([...get(1), ...said, ...ping(2), ...ping(3)])).toBe(false);
});
