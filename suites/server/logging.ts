/** server/utilities/logging. */

import { minimalObject } from '../../harness/generate/minimal.js';
import { NotObserved } from '../../harness/peer/deferred.js';
import type { Peer } from '../../harness/peer/peer.js';
import { declares } from '../../harness/record/conversation.js';
import { envelopeKeys } from '../../harness/record/envelope.js';
import { scenario } from '../../harness/scenario/scenario.js';
import type { Json, JsonObject } from '../../spec/json-rpc.js';

const levels = ['debug', 'info', 'notice', 'warning', 'error', 'critical', 'alert', 'emergency'];

/** The log messages during a call with this level. */
async function logged(peer: Peer, level: string, call: JsonObject) {
  const options = await peer.logAt(level);
  const query = { by: 'subject', method: 'notifications/message' } as const;
  const before = peer.conversation.notifications(query).length;
  await peer.request('tools/call', call, options);
  await peer.barrier();
  return peer.conversation.notifications(query).slice(before);
}

export const scenarios = [
  scenario('server/logging/every-level', {
    title: 'logging/setLevel accepts each of the eight levels',
    verifies: ['logging.set-level-answered'],
    async run({ peer }) {
      await Promise.all(levels.map(level => peer.request('logging/setLevel', { level })));
      await peer.request('logging/setLevel', { level: 'info' });
    },
  }),

  scenario('server/logging/unknown-level', {
    title: 'logging/setLevel with an unknown level gets error -32602',
    verifies: ['logging.invalid-level-error'],
    async run({ peer, expect }) {
      for (const params of [{ level: 'verbose' }, { level: 'ERROR' }, { level: 3 }, {}]) {
        const exchange = await peer.request('logging/setLevel', params, { deliberate: true });
        expect('logging.invalid-level-error', exchange).error(-32602);
      }
    },
    era: 'legacy',
  }),

  scenario('server/logging/unknown-level-in-metadata', {
    title: 'a request with an unknown log level in its metadata gets error -32602',
    verifies: ['logging.invalid-level-error'],
    era: 'modern',
    async run({ peer, expect }) {
      for (const level of ['verbose', 'ERROR', 3]) {
        const options = { meta: { [envelopeKeys.logLevel]: level }, deliberate: true };
        const exchange = await peer.harmless(undefined, options);
        expect('logging.invalid-level-error', exchange).error(-32602);
      }
    },
  }),

  scenario('server/logging/filter', {
    title: 'log messages at or above the level arrive, log messages below it do not',
    verifies: ['logging.no-messages-below-level', 'logging.messages-at-or-above-level'],
    fixtures: ['role logging'],
    async run({ peer, expect, tool, known }) {
      // the well-known tool sends three log messages
      const role = known.toolsByRole.get('logging');
      const least = role?.arguments ? 1 : 3;
      const all = await logged(peer, 'debug', tool('logging'));
      const call = peer.conversation.requests({ by: 'peer', method: 'tools/call' }).at(-1);
      const row = 'logging.messages-at-or-above-level';
      // a JSON response may leave no way to send log messages
      if (all.length === 0 && call && peer.conversation.httpOf(call)?.isStream === false)
        expect.notObserved(row, 'calls get JSON responses, without log messages');
      else if (all.length === 0 && role?.isDiscovered)
        expect.notObserved(row, 'the tool sends no log messages in this call');
      else
        expect.that(row, {
          ok: all.length >= least,
          expected: `${least} or more log messages`,
          evidence: [call, ...all],
          actual: `${all.length}`,
        });
      await logged(peer, 'error', tool('logging'));
      expect.noViolation('logging.no-messages-below-level', [call]);
      await peer.logAt('info');
    },
  }),

  scenario.http('server/logging/level-of-another-session', {
    title: 'logging/setLevel of one session has no effect on the log messages of another session',
    verifies: ['logging.no-messages-below-level'],
    era: 'legacy',
    fixtures: ['role logging'],
    async run({ peer, http, newConversation, expect, tool }) {
      const row = 'logging.no-messages-below-level';
      if (http.sessionId === undefined) throw new NotObserved('the server assigns no session IDs');
      const other = await newConversation();
      await other.open({ capabilities: {} });
      await peer.logAt('error');
      await other.logAt('debug');
      const call = await peer.request('tools/call', tool('logging'));
      await peer.barrier();
      expect.noViolation(row, [call]);
    },
  }),

  scenario.http('server/logging/levels-at-once', {
    title:
      'calls in parallel each get the log messages of their own level, and a subscription beside them gets none',
    verifies: ['logging.no-messages-below-level', 'logging.own-response-stream-only'],
    era: 'modern',
    isolation: 'shared',
    fixtures: ['role logging'],
    async run({ peer, expect, tool }) {
      const listening = await peer.listen({ toolsListChanged: true });
      const call = async (level: string) =>
        peer.request('tools/call', tool('logging'), await peer.logAt(level));
      const calls = await Promise.all(['debug', 'error', 'debug'].map(call));
      await listening.stop();
      expect.noViolation('logging.no-messages-below-level', calls);
      if (listening.isAccepted) expect.noViolation('logging.own-response-stream-only', calls);
      else expect.notObserved('logging.own-response-stream-only', 'the server accepts no subscription');
    },
  }),

  scenario('server/logging/undeclared', {
    title: 'a tools/call with a log level gets no log messages of a server that does not declare logging',
    verifies: ['logging.capability-declared'],
    era: 'modern',
    fixtures: ['tool test_tool_with_logging'],
    async run({ peer, expect }) {
      const row = 'logging.capability-declared';
      if (declares(peer.declared, 'logging')) throw new NotObserved('the server declares logging');
      const messages = await logged(peer, 'debug', { name: 'test_tool_with_logging', arguments: {} });
      if (messages.length === 0) throw new NotObserved('the tool sends no log messages');
      expect.noViolation(row, messages);
    },
  }),

  scenario('server/logging/level-of-another-request', {
    title: 'a tools/call without a log level gets no log messages, although an earlier one stated a level',
    verifies: ['logging.no-log-level-no-messages'],
    era: 'modern',
    fixtures: ['role logging'],
    async run({ peer, expect, tool }) {
      const row = 'logging.no-log-level-no-messages';
      const messages = await logged(peer, 'debug', tool('logging'));
      if (messages.length === 0) throw new NotObserved('the tool sends no log messages');
      const plain = await peer.request('tools/call', tool('logging'));
      await peer.barrier();
      expect.noViolation(row, [messages[0], plain]);
    },
  }),

  scenario('server/logging/secrets', {
    title: 'a password in tool arguments does not appear in log messages',
    verifies: ['logging.no-credentials', 'logging.remove-sensitive'],
    fixtures: ['role logging'],
    async run({ peer, expect, tool }) {
      const call = tool('logging');
      const args = { ...(call.arguments as JsonObject), password: 'mcp-conform-hunter2' };
      // what a server logs about arguments may have the least severe level
      const options = await peer.logAt('debug');
      const exchange = await peer.request('tools/call', { ...call, arguments: args }, options);
      await peer.barrier();
      await peer.logAt('info');
      expect.noViolation('logging.no-credentials', [exchange]);
      expect.noViolation('logging.remove-sensitive', [exchange]);
    },
  }),

  scenario('server/logging/personal-data', {
    title: 'user input in a form does not appear in log messages',
    verifies: ['logging.no-personal-data'],
    fixtures: ['role elicitation'],
    async run({ peer, expect, tool }) {
      const person = (value: Json) => (value === 'text' ? 'ada.lovelace@example.com' : value);
      const restore = peer.handle('elicitation/create', params => {
        const plain = minimalObject((params?.requestedSchema ?? {}) as JsonObject);
        const filled = Object.entries(plain).map(([name, value]) => [name, person(value)]);
        return { action: 'accept', content: Object.fromEntries(filled) };
      });
      const options = await peer.logAt('debug');
      const call = tool('elicitation', { message: 'Who are you?' });
      const exchange = await peer.request('tools/call', call, options);
      await peer.barrier();
      await peer.logAt('info');
      restore();
      expect.noViolation('logging.no-personal-data', [exchange]);
    },
  }),

  scenario('server/logging/filter-every-level', {
    title: 'of log messages of all levels, only those at or above the level arrive',
    verifies: ['logging.messages-at-or-above-level', 'logging.no-messages-below-level'],
    fixtures: ['tool test_log_levels'],
    async run({ peer, expect }) {
      const found = (await logged(peer, 'warning', { name: 'test_log_levels', arguments: {} })).map(
        m => m.params?.level,
      );
      const wanted = levels.slice(levels.indexOf('warning'));
      const call = peer.conversation.requests({ by: 'peer', method: 'tools/call' }).at(-1);
      const complete = wanted.every(level => found.includes(level));
      expect.that('logging.messages-at-or-above-level', {
        ok: complete,
        expected: wanted.join(', '),
        evidence: [call],
        actual: found.join(', '),
      });
      expect.noViolation('logging.no-messages-below-level', [call]);
      await peer.logAt('info');
    },
  }),
];
