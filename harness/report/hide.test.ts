import { expect, test } from 'vitest';
import { Secrets } from '../record/redaction.js';
import { hideInRunEvent } from './hide.js';
import type { RunEvent } from './run-event.js';

test('a secret that occurs in the id of a requirement changes the texts and not the id', () => {
  const secrets = new Secrets();
  secrets.learn('invalid-token');
  const finding = {
    requirement: 'auth.401-invalid-token',
    verdict: 'fail',
    source: 'rule',
    case: 1,
    evidence: [1],
    actual: 'Bearer invalid-token',
  } as const;
  const hidden = hideInRunEvent({ kind: 'finding', finding } as RunEvent, secrets);
  expect(hidden).toMatchObject({ finding: { requirement: 'auth.401-invalid-token', case: 1 } });
  expect(JSON.stringify(hidden)).not.toContain('Bearer invalid-token');
});

test('a secret that is the name of a kind of event leaves the record readable', () => {
  const secrets = new Secrets();
  secrets.learn('http-request');
  const event = { kind: 'http-request', method: 'POST', url: 'http://x/?token=http-request' };
  expect(secrets.hideInEvent(event)).toMatchObject({ kind: 'http-request' });
  expect(secrets.hideInEvent(event).url).not.toContain('http-request');
});
