import { expect, test } from 'vitest';
import { latestRevision } from '../../../spec/revisions.js';
import { NotObserved } from '../../peer/deferred.js';
import type { Peer } from '../../peer/peer.js';
import { History } from '../../record/history.js';
import type { ClientScenario } from '../../scenario/client.js';
import { scenario } from '../../scenario/scenario.js';
import { held } from '../../scenario/serve.js';
import { didTheSame, observeVisit, type PastConversations, showsDefault, Visits } from './visits.js';

const official = { name: 'initialize' };

/** A conversation that is over. @param methods of the messages of the client */
function peerOf(methods: readonly string[]): Peer {
  const history = new History('client');
  const link = history.newLink('stdio', latestRevision);
  for (const [id, method] of methods.entries())
    history.record(link, {
      kind: 'frame',
      by: 'client',
      text: JSON.stringify({ jsonrpc: '2.0', id, method }),
    } as never);
  return { conversation: history.conversation(link), ended: true, unused: () => 'x' } as never;
}

const visitOf = (...conversations: readonly (readonly string[])[]) => ({
  case: 0,
  official,
  peers: conversations.map(peerOf),
  reason: 'the client exited',
});

const made = (more: Partial<ClientScenario> = {}): ClientScenario => ({
  ...scenario.client('client/x/y', { title: 'x', verifies: [], does: [['connect']] }),
  ...more,
});

/** Whether a visit judges a scenario with these steps. */
const observes = (run: (past: PastConversations) => unknown) =>
  observeVisit(visitOf(['initialize', 'tools/list']), 'opened', async past => void (await run(past)));

test('a visit judges a scenario with the default server whose responses the client did not ask for', () => {
  const visits = new Visits();
  expect(visits.for(made())).toBeUndefined();
  const visit = visitOf(['initialize', 'tools/list']);
  visits.note(visit);
  expect(visits.for(made())).toBe(visit);
  expect(visits.for(made({ serve: { 'prompts/list': {} } }))).toBe(visit);
  expect(visits.for(made({ serve: { 'tools/list': {} } }))).toBeUndefined();
  expect(visits.for(made({ declares: {} }))).toBeUndefined();
  expect(visits.for(made({ official: { name: 'tools_call' } }))).toBeUndefined();
});

test('the cases that hold the response of a request of the client begin before those that may need no launch', () => {
  const visits = new Visits();
  visits.note(visitOf(['initialize', 'tools/list']));
  const kinds: Record<string, Partial<ClientScenario>> = {
    plain: { run: async () => {} },
    unasked: { serve: { 'prompts/list': held } },
    other: { http: {} },
    holding: { serve: { 'tools/list': held } },
    visit: {},
  };
  const cases = Object.entries(kinds).map(([name, more]) => ({ scenario: { ...made(more), name } }) as never);
  const names = visits.order(cases).map(({ scenario }) => scenario.name);
  expect(names).toEqual(['visit', 'holding', 'other', 'plain', 'unasked']);
});

test('a visit without a connection judges nothing', () => {
  const visits = new Visits();
  visits.note(visitOf());
  expect(visits.for(made())).toBeUndefined();
});

test('a scenario with a default server and without actions shows what a client does there', () => {
  expect(showsDefault(made())).toBe(true);
  expect(showsDefault(made({ run: async () => {} }))).toBe(false);
  expect(showsDefault(made({ serve: { 'prompts/list': {} } }))).toBe(false);
  expect(showsDefault(made({ http: {} }))).toBe(false);
});

test('a scenario that only observes is judged by the visit', async () => {
  expect(
    await observes(async ({ peer }) => {
      await peer!.caseOver();
      await peer!.pause();
      expect(peer!.unused('tool')).toBe('x');
      expect(await peer!.waitFor(m => m.method === 'prompts/list')).toBeUndefined();
      expect(await peer!.waitUntil(() => false)).toBe(false);
      expect(peer!.conversation.sent('subject')).toHaveLength(2);
      await expect(peer!.nextDeferred('prompts/list')).rejects.toThrow(NotObserved);
    }),
  ).toBe(true);
});

test('a scenario that sends, or waits for what the client sent, needs a launch', async () => {
  expect(await observes(({ peer }) => peer!.request('ping'))).toBe(false);
  expect(await observes(({ peer }) => peer!.link)).toBe(false);
  expect(await observes(({ peer }) => peer!.next(m => m.method === 'tools/list'))).toBe(false);
  expect(await observes(({ peer }) => peer!.waitUntilDeadline(() => true))).toBe(false);
  expect(await observes(({ peer }) => peer!.nextDeferred('tools/list'))).toBe(false);
  // an error that the scenario catches counts too
  expect(await observes(({ peer }) => peer!.barrier().catch(() => false))).toBe(false);
});

test('a scenario gets the conversations of a visit in their order', async () => {
  const visit = visitOf(['initialize'], ['tools/list']);
  const methods: unknown[] = [];
  await observeVisit(visit, 'started', async ({ peer, another }) => {
    expect(peer).toBeUndefined();
    for (let n = 0; n < 2; n++) methods.push((await another()).conversation.sent('subject')[0]?.method);
    await expect(another()).rejects.toThrow(NotObserved);
  });
  expect(methods).toEqual(['initialize', 'tools/list']);
});

test('two launches are the same where the client sent the same messages, and at least one', () => {
  const of = (...methods: readonly string[]) => [peerOf(methods).conversation];
  expect(didTheSame(of('initialize', 'tools/list'), of('initialize', 'tools/list'))).toBe(true);
  expect(didTheSame(of('initialize'), of('initialize', 'tools/list'))).toBe(false);
  expect(didTheSame([], [])).toBe(false);
  expect(didTheSame(of(), of())).toBe(false);
});
