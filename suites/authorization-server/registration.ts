/** basic/authorization: dynamic client registration (RFC 7591). */

import { registrationOf } from '../../harness/oauth/client.js';
import { scenario } from '../../harness/scenario/scenario.js';
import type { WebAnswer } from '../../harness/transports/http/side-request.js';

const good = registrationOf('mcp-conform', 'http://127.0.0.1:33418/callback');

/** Whether an invalid value was registered. */
const took = ({ json, status = 0 }: WebAnswer, value: string): boolean =>
  status < 300 && JSON.stringify(json?.redirect_uris ?? '').includes(JSON.stringify(value));

export const scenarios = [
  scenario.authorization('authorization-server/registration/public-client', {
    title: 'the response to the registration of a native public client contains the registered metadata',
    verifies: ['auth.dcr-response'],
    needs: ['registration'],
    async run({ oauth, expect }) {
      const { status = 0 } = await oauth.register({ ...good, x_unknown: { nested: [1] } });
      if (status >= 300)
        expect.notObserved('auth.dcr-response', `the registration is refused with ${status}`);
    },
  }),

  scenario.authorization('authorization-server/registration/confidential-client', {
    title: 'the response to the registration of a confidential client contains a secret and its expiry',
    verifies: ['auth.dcr-response'],
    needs: ['registration'],
    async run({ oauth, expect }) {
      const { status = 0 } = await oauth.register({
        ...good,
        token_endpoint_auth_method: 'client_secret_basic',
      });
      if (status >= 300)
        expect.notObserved('auth.dcr-response', `the registration is refused with ${status}`);
    },
  }),

  scenario.authorization('authorization-server/registration/unusable-redirect-uris', {
    title: 'a registration with invalid redirect URIs is refused with an error code',
    verifies: ['auth.dcr-error'],
    needs: ['registration'],
    async run({ oauth, expect }) {
      for (const uri of ['not a uri', 'https://client.example/callback#fragment']) {
        const answer = await oauth.register({ ...good, redirect_uris: [uri] }, true);
        const actual = `${answer.status} with ${uri}`;
        expect.that('auth.dcr-error', {
          ok: !took(answer, uri),
          expected: `a registration with redirect_uris ${uri} to be refused`,
          evidence: [answer.exchange],
          actual,
        });
      }
      const odd = await oauth.register({ ...good, redirect_uris: 7 }, true);
      const refused = odd.status !== undefined && odd.status >= 400;
      expect.that('auth.dcr-error', {
        ok: refused,
        expected: 'a registration with redirect_uris 7 to be refused (400)',
        evidence: [odd.exchange],
        actual: `${odd.status ?? odd.failure}`,
      });
    },
  }),

  scenario.authorization('authorization-server/registration/dangerous-redirect-uris', {
    title: 'a registration with redirect URIs that run scripts or open files is refused',
    verifies: ['auth.as-redirect-uri-form'],
    needs: ['registration'],
    async run({ oauth, expect }) {
      for (const uri of ['javascript:alert(1)', 'data:text/html,hello', 'file:///etc/hostname']) {
        const answer = await oauth.register({ ...good, redirect_uris: [uri] }, true);
        const actual = `registered ${uri}`;
        expect.that('auth.as-redirect-uri-form', {
          ok: !took(answer, uri),
          expected: `a registration with redirect_uris ${uri} to be refused`,
          evidence: [answer.exchange],
          actual,
        });
      }
    },
  }),
];
