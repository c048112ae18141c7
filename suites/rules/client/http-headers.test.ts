import { expect, test } from 'vitest';
import { definedRevisions } from '../../../spec/revisions.js';
import { ask } from '../http-events.test.util.js';
import { judgements, record } from '../record.test.util.js';
import { enveloped } from '../stateless.test.util.js';
import { rules } from './http-headers.js';

const methodHeader = rules.flat().find(rule => rule.requirement === 'http-headers.method-header')!;

test.each([
  [{}, 'none'],
  [{ 'Mcp-Method': '' }, 'an empty value'],
  [{ 'Mcp-Method': 'tools/call' }, 'tools/call'],
])('a finding about the headers %j names %j', (sent, actual) => {
  const lines = ask(1, 'POST', enveloped(1, 'tools/list'), 200, 'application/json', { sent });
  const conversation = record(definedRevisions.at(-1)!, lines, {
    subject: 'client',
    transport: 'streamable-http',
  });
  expect(judgements(methodHeader, conversation)).toMatchObject([{ verdict: 'fail', actual }]);
});
