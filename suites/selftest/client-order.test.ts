/** Over HTTP the POST requests of a client may cross: the reference client waits where the order counts. */

import { expect, test } from 'vitest';
import { newestFirst } from '../../spec/revisions.js';
import { explainFindings } from './run-mock.js';
import { tryMockClient } from './run-mock-client.js';

const revision = newestFirst().find(r => r.era === 'legacy' && r.transports.includes('streamable-http'))!;

test('progress that takes long on the wire reaches the server before the end of its task', async () => {
  const { failed, wire } = await tryMockClient(revision, {
    quirks: ['posts-progress-slowly'],
    transport: 'streamable-http',
    selected: name => /client\/tasks\/(at-work|cancelled)/.test(name),
  });
  expect(explainFindings(failed.values())).toBe('');
  const steps = wire.flatMap(e => {
    const [, step] = (e.kind === 'frame' && /"(progress":\d|completed|cancelled)/.exec(e.text)) || [];
    return step === undefined || !('by' in e) || e.by !== 'client' ? [] : [step.replace(/\d/, '')];
  });
  const firstEnd = steps.findIndex(step => !step.startsWith('progress'));
  expect(firstEnd).toBe(5);
  expect(steps.indexOf('completed')).toBe(5);
  expect(steps.lastIndexOf('progress":')).toBeLessThan(steps.indexOf('cancelled'));
});
