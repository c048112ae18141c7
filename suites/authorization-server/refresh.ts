/** basic/authorization: refresh tokens (OAuth 2.1 §4.3). */

import { scenario } from '../../harness/scenario/scenario.js';
import type { WebAnswer } from '../../harness/transports/http/side-request.js';
import { expectRefused, gotTokens } from './token-answer.js';

const refreshToken = ({ json }: WebAnswer): string => String(json?.refresh_token ?? '');

/** Time (ms) after which no client can still use the old refresh token because of crossing requests. */
const grace = 60_000;

export const scenarios = [
  scenario.authorization('authorization-server/refresh/rotation', {
    title: 'the refresh token of a public client is valid once, and is replaced by a new one',
    verifies: ['auth.as-refresh-rotation'],
    needs: ['refresh token'],
    async run({ oauth, expect, clients, pause }) {
      const row = 'auth.as-refresh-rotation';
      const client = clients[0]!;
      if (client.authMethod !== 'none') return expect.notObserved(row, 'the client is confidential');
      const first = await oauth.redeem(await oauth.authorize(client));
      const second = await oauth.refresh(client, refreshToken(first));
      const evidence = [first.exchange, second.exchange];
      if (!gotTokens(second))
        return expect.inconclusive(
          row,
          `the refresh token is refused with ${second.status ?? second.failure}`,
        );
      const renewed = refreshToken(second);
      if (renewed === '' || renewed === refreshToken(first))
        return expect.that(row, {
          ok: false,
          expected: 'a new refresh token',
          evidence,
          actual: renewed ? 'the same' : 'none',
        });
      let again = await oauth.refresh(client, refreshToken(first), true);
      if (gotTokens(again)) {
        // two requests may have crossed; after this wait the old token is no longer excused
        await pause(grace);
        again = await oauth.refresh(client, refreshToken(first), true);
      }
      expectRefused(expect, row, again, 'tokens for the old refresh token', [...evidence, again.exchange]);
    },
  }),

  scenario.authorization('authorization-server/refresh/token-of-another', {
    title: 'a refresh token is valid for its own client only',
    verifies: ['auth.as-refresh-client-bound'],
    needs: ['refresh token', 'two clients'],
    async run({ oauth, expect, clients }) {
      const [client, other] = clients;
      const tokens = await oauth.redeem(await oauth.authorize(client!));
      const answer = await oauth.refresh(other!, refreshToken(tokens), true);
      const evidence = [tokens.exchange, answer.exchange];
      expectRefused(expect, 'auth.as-refresh-client-bound', answer, 'tokens', evidence);
    },
  }),
];
