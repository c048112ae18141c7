import { expect, test } from 'vitest';
import { latestRevision } from '../../../spec/revisions.js';
import { History } from '../../record/history.js';
import { TimeBudget } from '../../time/budget.js';
import type { Sender } from './in-process.js';
import { Web } from './side-request.js';

function web(agent: Sender) {
  const history = new History('client');
  const link = history.newLink('streamable-http', latestRevision);
  const budget = new TimeBudget({ answer: 60_000, subject: 'server' });
  let exchanges = 0;
  return {
    budget,
    web: new Web({
      agent,
      budget,
      answer: 60_000,
      secrets: history.secrets,
      conversation: history.conversation(link),
      tap: event => history.record(link, event).messages,
      next: () => ++exchanges,
    }),
  };
}
const ask = { endpoint: 'metadata', url: 'http://a.example/' } as const;

test('a request that still waits for a connection ends with the run', async () => {
  const opened = web({ dispatch: () => true } as Sender);
  const answer = opened.web.ask(ask);
  opened.budget.end('the limit of the test');
  expect(await answer).toMatchObject({ status: undefined, failure: 'the limit of the test' });
});

test('after the end of the run nothing is sent', async () => {
  let sent = 0;
  const opened = web({ dispatch: () => Boolean(++sent) } as Sender);
  opened.budget.end('the limit of the test');
  const { exchange, failure } = await opened.web.ask(ask);
  expect(failure).toBe('the limit of the test');
  expect(exchange.end).toMatchObject({ by: 'client', reason: 'the limit of the test' });
  expect(sent).toBe(0);
});
