/** A server that serves nothing while it waits for its client is slow, but tolerates what crosses a cancellation. */

import { expect, test } from 'vitest';
import { run } from '../../harness/run/server/run.js';
import { inProcess } from '../../harness/subject/subject.js';
import { onIncoming, onMessage, quirk } from '../../mocks/fault.js';
import { mockServer } from '../../mocks/server/server.js';
import { isObject, type Json, type JsonObject } from '../../spec/json-rpc.js';
import { latestRevision } from '../../spec/revisions.js';
import { suite } from '../index.js';
import { observe } from './run-mock.js';

const asks = () => ({ open: new Set<Json | undefined>(), held: [] as JsonObject[] });

const serial = quirk(
  'silent-while-it-asks',
  { what: 'The server sends no response while it waits for a response to sampling/createMessage.' },
  onMessage((message, context) => {
    const { open, held } = context.keep(asks);
    if (message.method === 'sampling/createMessage') open.add(message.id);
    if (message.method !== undefined || open.size === 0) return message;
    held.push(message);
    return undefined;
  }),
  onIncoming((message, context) => {
    const { open, held } = context.keep(asks);
    if (isObject(message) && open.delete(message.id))
      context.after(0, () => context.session.sendAll(held.splice(0)));
    return message;
  }),
);

test('a server that is silent until its question has a response is not said to stumble over a cancellation', async () => {
  const server = mockServer({ delayMs: 2, faults: [serial] });
  const { failed } = await observe(
    run({
      subject: inProcess(streams => server.serve(streams)),
      transport: 'stdio',
      suite,
      revision: latestRevision,
      fixtures: true,
      seed: 1,
      runs: 0,
      timing: { answer: 1_000, exit: 250, quiet: 20 },
      jobs: 16,
      selected: name => name.endsWith('server/cancellation/while-it-asks'),
    }),
  );
  expect([...failed.keys()]).toEqual([]);
});
