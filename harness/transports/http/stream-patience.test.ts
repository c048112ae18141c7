import { expect, test } from 'vitest';
import { latestRevision } from '../../../spec/revisions.js';
import { dialerTo, quick, rawServer } from './links.test.util.js';

test('a GET without a response gets the whole timeout once; later ones, also of other connections, get a fifth', async () => {
  const silent = await rawServer(() => {});
  const dialer = dialerTo(silent.address, 'streamable-http', { ...quick, answer: 100 });
  for (const expected of [{ ms: 100 }, { ms: 20, hurried: true }, { ms: 20, hurried: true }]) {
    const { conversation, link } = dialer.dial(latestRevision);
    const get = await link.http!.openGet();
    expect(get.status).toBeUndefined();
    expect(conversation.eventsOf('deadline')).toMatchObject([
      { label: 'http', exchange: get.number, ...expected },
    ]);
  }
  await dialer.end();
  await silent.close();
});
