/** basic/utilities/progress. */

import { scenario } from '../../harness/scenario/scenario.js';
import { asText } from '../../spec/json-rpc.js';
import { stillResponds } from '../shared/probe.js';

/** Rows that only progress notifications show. */
const aboutReports = [
  'progress.token-of-active-request',
  'progress.fields',
  'progress.increases',
  'progress.stops-at-completion',
  'progress.stops-before-answer',
] as const;

export const scenarios = [
  scenario('server/progress/every-kind-of-token', {
    title: 'notifications/progress has the progress token of its request, whatever its value and type',
    verifies: [...aboutReports, 'progress.optional'],
    fixtures: ['role progress'],
    async run({ peer, expect, tool: play }) {
      const tool = play('progress');
      const tokens = [0, '', 1, -1, Number.MAX_SAFE_INTEGER, 'é漢🎉'];
      const calls = tokens.map(progressToken =>
        peer.request('tools/call', tool, { meta: { progressToken } }),
      );
      const exchanges = await Promise.all(calls);
      await peer.barrier();
      // a server that reports progress for one token and not for another has treated a valid token as missing
      const since = exchanges[0]!.request.seq;
      const reports = peer.conversation
        .notifications({ by: 'subject', method: 'notifications/progress' })
        .filter(m => m.seq > since);
      const twins = [0, '0', 1, '1'].map(progressToken =>
        peer.request('tools/call', tool, { meta: { progressToken } }),
      );
      await Promise.all(twins);
      // another row judges a changed token
      const reported = new Set(reports.map(m => asText(m.params?.progressToken)));
      const told = tokens.filter(token => reported.has(asText(token)));
      if (reports.length === 0) {
        // a JSON response may leave no way to report progress
        const isJson = exchanges.every(e => peer.conversation.httpOf(e.request)?.isStream === false);
        for (const row of aboutReports)
          if (isJson) expect.notObserved(row, 'calls get JSON responses, without progress');
          else
            expect.inconclusive(
              row,
              `the tool ${asText(tool.name)} sends no progress for its progress token`,
            );
      }
      const forgotten = tokens.findIndex(token => !told.includes(token));
      if (told.length === 0 || reported.size > told.length)
        expect.notObserved('progress.optional', 'no progress tokens to compare');
      else
        expect.that('progress.optional', {
          ok: forgotten < 0,
          expected: 'progress for this token as for the others',
          evidence: [exchanges[forgotten]],
          actual: 'no progress',
        });
    },
  }),

  scenario('server/progress/without-token', {
    title: 'a tools/call without a progress token gets no progress',
    verifies: ['progress.token-of-active-request'],
    fixtures: ['role progress'],
    async run({ peer, expect, tool: play }) {
      const tool = play('progress');
      const call = await peer.request('tools/call', tool);
      await peer.request('tools/call', tool, { meta: {} });
      await peer.barrier();
      expect.noViolation('progress.token-of-active-request', [call]);
    },
  }),

  scenario('server/progress/of-unknown-tokens', {
    title: 'notifications/progress with an unknown token leaves the server usable',
    verifies: ['progress.tokens-tracked'],
    async run({ peer, expect }) {
      for (const progressToken of ['nobody-gave-this', 7]) {
        const [note] = peer.notify(
          'notifications/progress',
          { progressToken, progress: 0.5 },
          { deliberate: true },
        );
        expect.that('progress.tokens-tracked', stillResponds(peer, await peer.barrier(), [note]));
      }
    },
  }),
];
