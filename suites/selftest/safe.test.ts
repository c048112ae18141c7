/** What `--safe` sends: valid messages that read, and nothing else. */

import { describe, expect, test } from 'vitest';
import { isSafe } from '../../harness/entry/safe.js';
import type { Event } from '../../harness/record/event.js';
import { run } from '../../harness/run/server/run.js';
import { inProcess, url } from '../../harness/subject/subject.js';
import { mockServer } from '../../mocks/server/server.js';
import { isObject, parseJson } from '../../spec/json-rpc.js';
import { findDefinedRevision } from '../../spec/revisions.js';
import { serverSuite } from '../server/index.js';
import { textOf } from './source-files.js';

const reading =
  /^(initialize|server\/discover|ping|(tools|prompts|resources|resources\/templates)\/list|prompts\/get|resources\/read|completion\/complete|notifications\/initialized)$/;

test('each name is that of a scenario', () => {
  const listed = textOf('harness/entry/safe.ts').match(/^ {2}'server\/[^']+'/gm)!.length;
  expect(serverSuite.scenarios.filter(({ name }) => isSafe(`a/b/${name}`)).length).toBe(listed);
});

describe.each(['2025-11-25', '2026-07-28'])('in %s', id => {
  const revision = findDefinedRevision(id)!;
  const server = mockServer({ revisions: [revision.id] });

  test.each([
    ['stdio', () => inProcess(streams => server.serve(streams))],
    ['streamable-http', () => url('http://localhost/mcp', { fetch: server.http({ path: '/mcp' }).fetch })],
  ])('over %s no message is invalid on purpose, calls a tool or changes something', async (_, subject) => {
    const sent: Event[] = [];
    const options = { suite: serverSuite, revision, callTools: 'none', runs: 0, selected: isSafe } as const;
    for await (const event of run({ ...options, subject: subject() }))
      if (event.kind === 'wire') sent.push(event.event);
    const methods = sent.flatMap(event => {
      if (event.kind === 'http-request') return event.deliberate ? ['an invalid HTTP request'] : [];
      if (event.kind !== 'frame' || event.by !== 'client') return [];
      const message = parseJson(event.text);
      if (event.deliberate) return ['an invalid message'];
      return isObject(message) && typeof message.method === 'string' ? [message.method] : ['no method'];
    });
    expect(methods.length).toBeGreaterThan(10);
    expect([...new Set(methods)].filter(method => !reading.test(method))).toEqual([]);
  });
});
