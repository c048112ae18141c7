/** basic/authorization: the authorization endpoint (OAuth 2.1 §4.1). */

import { clientIn, type OAuth, type OAuthClient, pkce, registrationOf } from '../../harness/oauth/client.js';
import { isLoopback } from '../../harness/oauth/discovery.js';
import type { Visit } from '../../harness/oauth/user-agent.js';
import { scenario } from '../../harness/scenario/scenario.js';
import { shown, unreachable } from './token-answer.js';

const registered = 'https://client.example/callback';

/** Alterations of the registered redirect URI that an incomplete comparison accepts. */
const altered = [
  'https://evil.example/callback',
  'https://client.example/callback/more',
  'https://client.example/callback?next=https://evil.example',
  'https://client.example/callback/',
  'https://client.example/CALLBACK',
  'https://client.example@evil.example/callback',
  'http://client.example/callback',
  // only loopback addresses have a free choice of the port
  'https://client.example:8443/callback',
  'https://client.example/callback/../elsewhere',
];

/** Whether a URL has a host from above; the harness never contacts these hosts. */
const isExample = (url: URL): boolean => url.hostname.endsWith('.example');

const hops = (visit: Visit) => visit.hops.map(hop => hop.exchange);

/**
 * A client with a redirect URI on a remote host; undefined where the registration of such a client is not
 * possible.
 */
async function webClient(oauth: OAuth): Promise<OAuthClient | undefined> {
  const metadata = { ...registrationOf('mcp-conform', registered), application_type: 'web' };
  return clientIn((await oauth.register(metadata)).json, registered);
}

export const scenarios = [
  scenario.authorization('authorization-server/authorize/s256', {
    title: 'an authorization request with a code challenge of method S256 leads to tokens',
    verifies: ['auth.as-pkce-s256', 'auth.as-token-response', 'auth.as-short-lived'],
    needs: ['client'],
    async run({ oauth, expect, clients }) {
      const row = 'auth.as-pkce-s256';
      const granted = await oauth.authorize(clients[0]!);
      const answer = granted.code === undefined ? undefined : await oauth.redeem(granted);
      if (answer?.json?.access_token) return expect.noViolation(row, [...granted.evidence, answer.exchange]);
      expect.notObserved('auth.as-token-response', 'no tokens were issued');
      expect.notObserved('auth.as-short-lived', 'no tokens were issued');
      const { verifier: code_challenge } = pkce();
      const changes = { code_challenge, code_challenge_method: 'plain' };
      const plain = await oauth.authorize(clients[0]!, { changes });
      const why = granted.error ?? granted.visit.stuck ?? `status ${answer?.status}`;
      if (plain.code === undefined) return expect.inconclusive(row, why);
      expect.that(row, {
        ok: false,
        expected: 'tokens',
        evidence: [...granted.evidence, ...plain.evidence],
        actual: `${why}, but method plain leads to a code`,
      });
    },
  }),

  scenario.authorization('authorization-server/authorize/state', {
    title: 'the redirect contains the state unchanged, with any characters in it',
    verifies: ['auth.as-state-returned', 'auth.as-no-307'],
    needs: ['code'],
    async run({ oauth, expect, clients }) {
      const state = `a b+c%d&e=f~ü-${'x'.repeat(480)}`;
      const agent = oauth.newAgent();
      const granted = await oauth.authorize(clients[0]!, { changes: { state }, deliberate: false, agent });
      const forms = granted.visit.hops.some(h => h.exchange.request?.method === 'POST');
      if (!forms) expect.notObserved('auth.as-no-307', 'no form was submitted before the redirect');
    },
  }),

  scenario.authorization('authorization-server/authorize/issuer', {
    title: 'authorization responses contain the issuer, as the metadata announces',
    verifies: ['auth.as-iss', 'auth.as-iss-advertised', 'auth.as-iss-value'],
    needs: ['code'],
    async run({ oauth, expect, clients }) {
      const { issuer, authorization_response_iss_parameter_supported: supported } = oauth.metadata.document;
      const noChallenge = { code_challenge: null, code_challenge_method: null };
      const visits = [
        await oauth.authorize(clients[0]!),
        await oauth.authorize(clients[0]!, { changes: noChallenge }),
      ];
      const announced = supported === true;
      const values = visits
        .filter(({ visit }) => visit.callback)
        .map(({ answer, evidence }) => ({ iss: answer.get('iss'), evidence }));
      for (const { iss, evidence } of values) {
        // a missing iss that was announced is a breach of auth.as-iss-value
        if (iss !== null || !announced)
          expect.that('auth.as-iss', {
            ok: iss !== null,
            expected: 'iss in the authorization response',
            evidence,
            actual: 'none',
          });
        if (iss !== null || announced)
          expect.that('auth.as-iss-value', {
            ok: iss === issuer,
            expected: `iss=${issuer}`,
            evidence,
            actual: iss === null ? 'no iss, although the metadata announces it' : `iss=${iss}`,
          });
      }
      const sent = values.find(({ iss }) => iss !== null);
      if (!sent) expect.notObserved('auth.as-iss-advertised', 'no authorization response contains iss');
      else
        expect.that('auth.as-iss-advertised', {
          ok: announced,
          expected: 'authorization_response_iss_parameter_supported: true in the metadata',
          evidence: sent.evidence,
          actual: supported === undefined ? 'no such member' : JSON.stringify(supported),
        });
      const row = 'auth.as-iss-value';
      if (!sent && !announced) expect.notObserved(row, 'iss is neither announced nor sent');
      if (values.every(({ iss }) => iss === null) && announced)
        expect.notObserved('auth.as-iss', 'auth.as-iss-value judges the missing iss');
    },
  }),

  scenario.authorization('authorization-server/authorize/unknown-parameters', {
    title: 'unknown parameters in authorization and token requests are ignored',
    verifies: ['auth.as-unknown-parameters'],
    needs: ['code'],
    async run({ oauth, expect, clients }) {
      const row = 'auth.as-unknown-parameters';
      const granted = await oauth.authorize(clients[0]!, { changes: { x_unknown: '1' }, deliberate: false });
      const actual = granted.error ?? granted.visit.stuck;
      expect.that(row, {
        ok: granted.code !== undefined,
        expected: 'a code',
        evidence: granted.evidence,
        actual,
      });
      if (granted.code === undefined) return;
      const answer = await oauth.redeem(granted, { x_unknown: '1' });
      if (answer.status === undefined) return expect.inconclusive(row, unreachable(answer));
      const without = answer.status === 200 ? answer : await oauth.redeem(await oauth.authorize(clients[0]!));
      if (without.status !== 200)
        return expect.inconclusive(row, `a token request without unknown parameters: ${shown(without)}`);
      expect.that(row, {
        ok: answer.status === 200,
        expected: 'tokens',
        evidence: [answer.exchange],
        actual: `status ${answer.status}`,
      });
    },
  }),

  scenario.authorization('authorization-server/authorize/without-challenge', {
    title: 'an authorization request of a public client without a code challenge is refused',
    verifies: ['auth.as-pkce-required'],
    needs: ['code'],
    async run({ oauth, expect, clients }) {
      const client = clients[0]!;
      if (client.authMethod !== 'none')
        return expect.notObserved('auth.as-pkce-required', 'the client is confidential');
      const changes = { code_challenge: null, code_challenge_method: null };
      const granted = await oauth.authorize(client, { changes });
      expect.that('auth.as-pkce-required', {
        ok: granted.code === undefined,
        expected: 'the request without code_challenge to be refused',
        evidence: granted.evidence,
        actual: 'a code',
      });
    },
  }),

  scenario.authorization('authorization-server/authorize/altered-redirect-uri', {
    title: 'only the exact redirect URI that is registered receives a code',
    verifies: ['auth.as-redirect-exact', 'auth.as-no-redirect-on-bad-uri'],
    needs: ['registration', 'code', 'consent to attack'],
    async run({ oauth, expect }) {
      const client = await webClient(oauth);
      if (!client) {
        const why = `${registered} is not accepted at registration`;
        expect.notObserved('auth.as-redirect-exact', why);
        return expect.notObserved('auth.as-no-redirect-on-bad-uri', why);
      }
      for (const redirect_uri of altered) {
        const asked = { changes: { redirect_uri }, isCallback: isExample };
        const { code, visit, evidence } = await oauth.authorize(client, asked);
        const actual = `a code for ${redirect_uri}`;
        expect.that('auth.as-redirect-exact', {
          ok: code === undefined,
          expected: 'no code',
          evidence,
          actual,
        });
        const sent = visit.callback && code === undefined;
        const where = `a redirect to ${redirect_uri}`;
        expect.that('auth.as-no-redirect-on-bad-uri', {
          ok: !sent,
          expected: 'no redirect to this URI',
          evidence: hops(visit),
          actual: where,
        });
      }
    },
  }),

  scenario.authorization('authorization-server/authorize/unknown-client', {
    title: 'an authorization request of an unknown client causes no redirect',
    verifies: ['auth.as-no-redirect-on-bad-uri'],
    needs: ['client', 'consent to attack'],
    async run({ oauth, expect, clients }) {
      const changes = {
        client_id: 'mcp-conform-no-such-client',
        redirect_uri: 'https://evil.example/callback',
      };
      const { visit } = await oauth.authorize(clients[0]!, { changes, isCallback: isExample });
      const actual = `a redirect to ${visit.callback?.origin}`;
      expect.that('auth.as-no-redirect-on-bad-uri', {
        ok: !visit.callback,
        expected: 'no redirect',
        evidence: hops(visit),
        actual,
      });
    },
  }),

  scenario.authorization('authorization-server/authorize/altered-loopback-uri', {
    title: 'a loopback redirect URI with another path or query receives no code',
    verifies: ['auth.as-redirect-exact'],
    needs: ['code', 'consent to attack'],
    async run({ oauth, expect, clients }) {
      const row = 'auth.as-redirect-exact';
      const own = new URL(clients[0]!.redirectUri);
      if (!isLoopback(own)) return expect.notObserved(row, 'the redirect URI is not a loopback address');
      for (const redirect_uri of [`${own.origin}/elsewhere`, `${own.origin}${own.pathname}?next=elsewhere`]) {
        const isCallback = (url: URL) => url.host === own.host;
        const { code, evidence } = await oauth.authorize(clients[0]!, {
          changes: { redirect_uri },
          isCallback,
        });
        const actual = `a code for ${redirect_uri}`;
        expect.that(row, { ok: code === undefined, expected: 'no code', evidence, actual });
      }
    },
  }),

  scenario.authorization('authorization-server/authorize/another-loopback-port', {
    title: 'a loopback redirect URI is accepted with any port',
    verifies: ['auth.as-loopback-port'],
    needs: ['code'],
    async run({ oauth, expect, clients }) {
      const client = clients[0]!;
      const other = new URL(client.redirectUri);
      if (other.hostname !== '127.0.0.1' && other.hostname !== '[::1]')
        return expect.notObserved('auth.as-loopback-port', 'the redirect URI is not a loopback address');
      other.port = String(Number(other.port || 80) + 1);
      const changes = { redirect_uri: other.href };
      const granted = await oauth.authorize(client, { changes, deliberate: false });
      const actual = granted.error ?? granted.visit.stuck;
      expect.that('auth.as-loopback-port', {
        ok: granted.code !== undefined,
        expected: 'a code',
        evidence: granted.evidence,
        actual,
      });
    },
  }),

  scenario.authorization('authorization-server/authorize/scripts-of-other-sites', {
    title: 'the authorization endpoint sends no Access-Control-Allow-Origin header',
    verifies: ['auth.as-no-cors-authorize'],
    needs: ['client'],
    async run({ oauth, clients }) {
      const { url } = oauth.request(clients[0]!);
      const headers = { Origin: 'https://evil.example' };
      await oauth.web.ask({ endpoint: 'authorization', url, headers, deliberate: true });
      const preflight = { ...headers, 'Access-Control-Request-Method': 'GET' };
      await oauth.web.ask({
        endpoint: 'authorization',
        url,
        method: 'OPTIONS',
        headers: preflight,
        deliberate: true,
      });
    },
  }),

  scenario.authorization('authorization-server/authorize/open-redirector', {
    title: 'an invalid request of a client without consent causes no immediate redirect',
    verifies: ['auth.as-open-redirect'],
    needs: ['registration', 'consent to attack'],
    async run({ oauth, expect }) {
      const client = await webClient(oauth);
      if (!client)
        return expect.notObserved('auth.as-open-redirect', `${registered} is not accepted at registration`);
      for (const changes of [{ response_type: 'nonsense' }, { scope: 'no such scope' }, { prompt: 'none' }]) {
        const asked = { changes, agent: oauth.newAgent(), manner: 'stop', isCallback: isExample } as const;
        const { visit } = await oauth.authorize(client, asked);
        const [what] = Object.entries(changes).map(pair => pair.join('='));
        const actual = `an immediate redirect to ${visit.callback?.host} for ${what}`;
        expect.that('auth.as-open-redirect', {
          ok: !visit.callback,
          expected: 'a page first',
          evidence: hops(visit),
          actual,
        });
      }
    },
  }),
];
