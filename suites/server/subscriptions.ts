/** basic/patterns/subscriptions: filters, ids, and the end of a subscription. */

import { NotObserved } from '../../harness/peer/deferred.js';
import { idKey, type Message } from '../../harness/record/message.js';
import { scenario } from '../../harness/scenario/scenario.js';
import { isObject, type RequestId } from '../../spec/json-rpc.js';
import { callEach, changesSince, quickTools, uris } from './beside-calls.js';
import { lastSeq } from './lists.js';

const rows = [
  'subscriptions.ack-first',
  'subscriptions.nothing-before-ack',
  'subscriptions.ack-subset',
  'subscriptions.stays-open',
  'subscriptions.notifications-tagged',
] as const;

/** Rows about notifications of subscriptions to an unknown server, which rules judge. */
const delivered = ['subscriptions.only-requested-types', 'tools.list-changed-opt-in'] as const;

/** Rows about the notifications that two subscriptions get, which rules judge. */
const triggered = [
  'subscriptions.only-requested-types',
  'tools.list-changed-opt-in',
  'prompts.list-changed-opt-in',
] as const;

const everything = {
  toolsListChanged: true,
  promptsListChanged: true,
  resourcesListChanged: true,
  resourceSubscriptions: ['test://watched-resource'],
};

const ids: readonly RequestId[] = [0, 'listen-7', '', '1000007'];

export const scenarios = [
  scenario('server/subscriptions/acknowledged', {
    title: 'a subscription begins with its acknowledgement, whatever its id and filter',
    verifies: [...rows, 'subscriptions.no-request-scoped'],
    era: 'modern',
    async run({ peer, expect }) {
      const tools = { toolsListChanged: true, promptsListChanged: false };
      for (const [at, filter] of [everything, tools, {}, {}].entries()) {
        const own = ids[at]!;
        const listening = await peer.listen(filter, peer.pending.isFresh(own) ? own : undefined);
        const { isAccepted, isIgnored = false } = listening;
        if (!isAccepted)
          expect.notObserved(
            [...rows, 'subscriptions.no-request-scoped'],
            isIgnored
              ? 'the server does not acknowledge the subscription'
              : 'the server refuses the subscription',
          );
        await listening.stop();
        if (isIgnored) return;
      }
      const agreed = peer.conversation
        .notifications({ by: 'subject', method: 'notifications/subscriptions/acknowledged' })
        .some(
          ({ params }) => isObject(params?.notifications) && Object.keys(params.notifications).length > 0,
        );
      if (!agreed)
        expect.notObserved('subscriptions.stays-open', 'the server acknowledges no kind of notification');
    },
  }),

  scenario('server/subscriptions/one-kind', {
    title: 'two subscriptions deliver the changes that each of them asks for, and no others',
    verifies: [
      'subscriptions.only-requested-types',
      'tools.list-changed-opt-in',
      'prompts.list-changed-opt-in',
      'resources.list-changed-opt-in',
    ],
    era: 'modern',
    fixtures: ['tool test_list_change'],
    async run({ peer, expect }) {
      const own = 'Listen-7';
      const tools = await peer.listen({ toolsListChanged: true });
      const listening = await peer.listen(
        { promptsListChanged: true, toolsListChanged: false },
        peer.pending.isFresh(own) ? own : undefined,
      );
      const change = () => peer.request('tools/call', { name: 'test_list_change', arguments: {} });
      const told = peer.expected.notification('notifications/prompts/list_changed', { isBrief: true });
      const call = await change();
      const evidence = [call.request, await told];
      await peer.barrier();
      expect.noViolation('subscriptions.only-requested-types', evidence);
      expect.noViolation('tools.list-changed-opt-in', evidence);
      expect.noViolation('prompts.list-changed-opt-in', evidence);
      expect.noViolation('resources.list-changed-opt-in', evidence);
      await change();
      await listening.stop();
      await tools.stop();
    },
  }),

  scenario('server/subscriptions/triggered', {
    title: 'subscriptions deliver the changes that the tools of the official suite announce, and no others',
    verifies: triggered,
    era: 'modern',
    fixtures: ['tool test_trigger_tool_change'],
    async run({ peer, expect, known }) {
      const tools = await peer.listen({ toolsListChanged: true });
      const prompts = await peer.listen({ promptsListChanged: true });
      const evidence: Message[] = [];
      for (const list of ['tool', 'prompt'] as const) {
        const name = `test_trigger_${list}_change`;
        if (!known.tools.some(tool => tool.name === name)) continue;
        const told = peer.expected.notification(`notifications/${list}s/list_changed`, { isBrief: true });
        const call = await peer.request('tools/call', { name, arguments: {} });
        evidence.push(call.request, ...[await told].filter(m => m !== undefined));
      }
      await peer.barrier();
      for (const row of triggered) expect.noViolation(row, evidence);
      await prompts.stop();
      await tools.stop();
    },
  }),

  scenario.stdio('server/subscriptions/end-of-input', {
    title: 'a server that exits ends its subscriptions with a result',
    verifies: ['subscriptions.graceful-end', 'cancellation.server-listen-teardown'],
    isolation: 'final',
    era: 'modern',
    async run({ peer, expect, stdio }) {
      const both = ['subscriptions.graceful-end', 'cancellation.server-listen-teardown'] as const;
      const listening = await peer.listen({ toolsListChanged: true });
      if (!listening.isAccepted) return expect.notObserved(both, 'the server refuses the subscription');
      stdio.closeInput();
      if (!(await stdio.exited('exit-after-eof')))
        return expect.notObserved(both, 'the process does not exit');
      const key = idKey(listening.id);
      const reply = peer.conversation.replies({ by: 'subject' }).find(m => m.idKey === key);
      const cancelled = peer.conversation
        .notifications({ by: 'subject', method: 'notifications/cancelled' })
        .find(m => idKey(m.params?.requestId) === key);
      const sign = reply ?? cancelled;
      // the text disagrees with itself: either signal is accepted
      for (const row of both)
        expect.that(row, {
          ok: sign !== undefined,
          expected: 'a result, or notifications/cancelled',
          evidence: [listening.shownBy, sign, peer.conversation.eventsOf('input-closed')[0]],
          actual: 'neither',
        });
    },
  }),

  scenario('server/subscriptions/beside-calls', {
    title:
      'while tools are called, each subscription gets the changes that it asks for, and none after its end',
    verifies: delivered,
    era: 'modern',
    async run({ peer, expect, known, waitUntilTried }) {
      await waitUntilTried();
      const tools = quickTools(known);
      if (tools.length === 0) throw new NotObserved('no tool may be called');
      const since = lastSeq(peer);
      const lists = await peer.listen({ toolsListChanged: true });
      const contents = await peer.listen({ resourceSubscriptions: uris(known) });
      // the newest subscription is not the one that asks for the contents
      const prompts = await peer.listen({ promptsListChanged: true });
      await callEach(peer, tools);
      await lists.stop();
      await prompts.stop();
      await peer.barrier();
      await callEach(peer, tools);
      await peer.barrier();
      const told = changesSince(peer, since);
      const [first] = told;
      await contents.stop();
      // a subscription to another resource gets no updates of the one that a tool changes
      const updated = told.find(m => m.method === 'notifications/resources/updated')?.params?.uri;
      const other = updated === undefined ? undefined : uris(known).find(uri => uri !== updated);
      if (other !== undefined) {
        const apart = await peer.listen({ resourceSubscriptions: [other] });
        // the end of the other subscription has been read
        await peer.barrier();
        await callEach(peer, tools);
        await peer.barrier();
        await apart.stop();
      }
      if (!first) throw new NotObserved('no tool changes a list or a resource');
      for (const row of delivered) expect.noViolation(row, [first]);
    },
  }),
];
