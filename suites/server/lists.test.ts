import { expect, test } from 'vitest';
import { run } from '../../harness/run/server/run.js';
import { inProcess } from '../../harness/subject/subject.js';
import { onMessage, quirk } from '../../mocks/fault.js';
import { mockServer } from '../../mocks/server/server.js';
import { latestRevision } from '../../spec/revisions.js';
import { suite } from '../index.js';
import { observe } from '../selftest/run-mock.js';

const results = ['content', 'contents', 'messages'];

const refusing = quirk(
  'each-use-refused',
  { what: 'Tools, prompts and resources are listed, and each use of one gets an error.' },
  onMessage(message =>
    results.some(key => Object.hasOwn(Object(message.result), key))
      ? { jsonrpc: '2.0', id: message.id!, error: { code: -32600, message: 'Log in first' } }
      : message,
  ),
);

const uses = [
  'prompts/get-completed',
  'prompts/get-listed',
  'resources/read-listed',
  'tools/call-what-may-be-called',
];

test('where each use of what is listed gets an error, the reason names the error', async () => {
  const server = mockServer({ delayMs: 2, faults: [refusing] });
  const { findings } = await observe(
    run({
      subject: inProcess(streams => server.serve(streams)),
      transport: 'stdio',
      suite,
      revision: latestRevision,
      seed: 1,
      runs: 0,
      timing: { answer: 1_000, exit: 250, quiet: 20 },
      selected: name => uses.some(use => name.endsWith(`server/${use}`)),
    }),
  );
  const unjudged = findings.filter(f => f.requirement === 'base.schema-valid' && f.source !== 'rule');
  expect(unjudged.map(({ verdict, message }) => `${verdict}: ${message}`).sort()).toEqual(
    ['prompts/get', 'prompts/get', 'resources/read', 'tools/call'].map(
      method => `none: each ${method} gets an error; the first is error -32600 "Log in first"`,
    ),
  );
});
