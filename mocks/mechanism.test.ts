/** Middleware acts at its own level and nowhere else. */

import { expect, test } from 'vitest';
import {
  asking,
  type Middleware,
  notification,
  onBytes,
  onError,
  onIncoming,
  onInputEnd,
  onLine,
  onMessage,
  onReply,
  onRequest,
  onResult,
  onSignal,
  onStart,
  onWorld,
  quirk,
} from './fault.js';
import { faults } from './server/faults/index.js';
import { findDeviation } from './server/lookup.js';
import { quirks } from './server/quirks/index.js';
import { mockServer } from './server/server.js';
import { TestConnection } from './server/test-connection.test.util.js';

const odd = (...middleware: Middleware[]) =>
  TestConnection.with({ quirks: [quirk('odd', { what: 'Odd.' }, ...middleware)] });

test('start and bytes write raw output', async () => {
  const talk = odd(
    onStart(context => context.write('hello\n')),
    onBytes(text => text.toUpperCase()),
  );
  await talk.ask('ping');
  expect(talk.lines).toEqual(['hello', '{"JSONRPC":"2.0","ID":1,"RESULT":{}}']);
});

test('line and incoming hooks change and drop input', async () => {
  const talk = odd(
    onLine(text => (text === 'noise' ? undefined : text)),
    onIncoming(message => ({ ...(message as object), method: 'ping' })),
  );
  talk.write('noise');
  expect(await talk.ask('anything')).toMatchObject({ result: {} });
  expect(talk.lines).toHaveLength(1);
});

test('a request hook changes or drops a request', async () => {
  const talk = odd(
    onRequest('lost', () => undefined),
    onRequest('ping2', ask => ({ ...ask, method: 'ping' })),
  );
  talk.send(asking(7, 'lost'));
  expect(await talk.ask('ping2')).toMatchObject({ result: {} });
  expect(talk.messages).toHaveLength(1);
});

test('a reply hook changes, duplicates, drops and delays a response', async () => {
  const talk = odd(
    onReply('ping', (reply, _ask, context) => {
      const held = context.keep(() => [] as object[]);
      if (context.count() === 1) {
        held.push(reply);
        return undefined;
      }
      return [reply, ...(held.splice(0) as (typeof reply)[])];
    }),
    onResult('ping', body => ({ ...body, changed: true })),
    onError('*', error => ({ ...error, code: 5 })),
  );
  talk.send(asking('first', 'ping'));
  expect(await talk.ask('ping')).toMatchObject({ result: { changed: true } });
  expect(talk.messages.map(m => m.id)).toEqual([1, 'first']);
  expect(await talk.ask('nothing')).toMatchObject({ error: { code: 5 } });
});

test('a message hook changes responses and notifications', async () => {
  const talk = odd(
    onReply('ping', reply => [notification('notifications/x'), reply]),
    onMessage(message => ({ ...message, seen: true })),
  );
  await talk.ask('ping');
  expect(talk.messages).toEqual([
    { jsonrpc: '2.0', method: 'notifications/x', seen: true },
    { jsonrpc: '2.0', id: 1, result: {}, seen: true },
  ]);
});

test('a world hook changes the fixtures', async () => {
  const talk = odd(
    onWorld(world => {
      world.capabilities = {};
    }),
  );
  expect(await talk.open()).toMatchObject({ result: { capabilities: {} } });
  expect(await talk.ask('tools/list')).toMatchObject({ error: { code: -32601 } });
});

test('inputEnd and signal hooks control when the process exits', async () => {
  const plain = TestConnection.with({});
  plain.end();
  expect(await plain.exited).toBe(0);
  const stubborn = odd(
    onInputEnd(() => 'stay'),
    onSignal(() => undefined),
    onRequest('die', (ask, context) => {
      context.exit(3);
      return ask;
    }),
  );
  stubborn.end();
  expect(await Promise.race([stubborn.exited, new Promise(r => setTimeout(r, 20, 'alive'))])).toBe('alive');
  stubborn.signal();
  expect(await stubborn.exited).toBe(0);
  const mortal = odd(onRequest('ping', (_ask, context) => context.exit(3) as undefined));
  mortal.send(asking(1, 'ping'));
  expect(await mortal.exited).toBe(3);
});

test('a deviation keeps its state for one connection', async () => {
  const counting = quirk(
    'count',
    { what: 'Counts.' },
    onResult('ping', (_b, _a, c) => ({ count: c.count() })),
  );
  const [one, two] = [
    TestConnection.with({ quirks: [counting] }),
    TestConnection.with({ quirks: [counting] }),
  ];
  await one.ask('ping');
  expect(await one.ask('ping')).toMatchObject({ result: { count: 2 } });
  expect(await two.ask('ping')).toMatchObject({ result: { count: 1 } });
});

test('ids are unique, and every deviation has a one-sentence description', () => {
  const all = [...faults, ...quirks];
  expect(new Set(all.map(d => d.id)).size).toBe(all.length);
  for (const { id, what } of all) {
    expect(id).toMatch(/^[a-z0-9]+(-[a-z0-9]+)*$/);
    expect(what).toMatch(/^\S.* .*\.$/);
  }
});

test('an unknown fault or revision is named in the error, with similar ids', () => {
  expect(() => mockServer({ faults: ['id-retype'] })).toThrow(/no fault "id-retype"; near it: .*id-retyped/);
  expect(() => mockServer({ revisions: [] })).toThrow(/offers .*, not "nothing"/);
  expect(findDeviation('quirk', 'one-page').id).toBe('one-page');
});
