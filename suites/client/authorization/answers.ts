/** basic/authorization: the redirect back to the client, and untrusted URLs. */

import { protectedScenario } from './protected-scenario.js';

const dangerous = {
  javascript: 'javascript:alert(1)',
  data: 'data:text/html,x',
  file: 'file:///etc/passwd',
  unknown: 'x-mcp-conform:open',
};

/** A host that does not exist, and that would not be this host. */
const inTheClear = 'http://auth.test.invalid/az';

/** Texts that no parser accepts as a URL. */
const unparsable = { 'without-host': 'http://', blank: 'http://ex ample/az', words: 'open me' };

export const scenarios = [
  ...(
    [
      ['altered', (back: URL) => back.searchParams.set('state', 'somebody-elses-state')],
      ['missing', (back: URL) => back.searchParams.delete('state')],
    ] as const
  ).map(([slug, change]) =>
    protectedScenario(`client/authorization/answers/state-${slug}`, {
      title: 'a client discards an authorization response whose state differs from its request',
      verifies: ['auth.state-checked'],
      protection: {
        authorities: {
          main: {
            redirect(back) {
              change(back);
              return back;
            },
          },
        },
      },
      judge({ expect, main }) {
        const [asked] = main.authorizations;
        if (!asked) return;
        if (!asked.params.get('state')) {
          expect.notObserved('auth.state-checked', 'the client sends no state');
          return;
        }
        const used = main.tokenRequests.find(({ params }) => params.get('code') === asked.code);
        expect.that('auth.state-checked', {
          ok: used === undefined,
          expected: 'no token request with the code of this response',
          evidence: [asked.exchange, used?.exchange],
          actual: 'a token request with the code',
        });
      },
    }),
  ),

  ...Object.entries(dangerous).map(([slug, address]) =>
    protectedScenario(`client/authorization/answers/scheme-${slug}`, {
      title: 'a client opens web URLs only',
      verifies: ['auth.client-authorization-url-scheme'],
      protection: { authorities: { main: { metadata: () => ({ authorization_endpoint: address }) } } },
      judge({ protectedServer, expect, main }) {
        const read = protectedServer.oauthRequests.find(
          ({ request }) => request.url.pathname === main.places[0],
        );
        const scheme = new URL(address).protocol;
        const opened = protectedServer.opened.find(text => text.toLowerCase().startsWith(scheme));
        if (!read && opened === undefined) return;
        expect.that('auth.client-authorization-url-scheme', {
          ok: opened === undefined,
          expected: `no ${scheme} URL is opened`,
          evidence: [read?.request.exchange],
          actual: opened,
        });
      },
    }),
  ),

  ...Object.entries(unparsable).map(([slug, address]) =>
    protectedScenario(`client/authorization/answers/address-${slug}`, {
      title: 'a client does not open a URL that is invalid',
      verifies: ['auth.client-url-sanitised'],
      protection: { authorities: { main: { metadata: () => ({ authorization_endpoint: address }) } } },
      judge({ protectedServer, expect, main }) {
        const read = protectedServer.oauthRequests.find(
          ({ request }) => request.url.pathname === main.places[0],
        );
        const opened = protectedServer.opened.find(text => text.includes(address) && !URL.canParse(text));
        if (!read && opened === undefined) return;
        expect.that('auth.client-url-sanitised', {
          ok: opened === undefined,
          expected: `"${address}" is not opened`,
          evidence: [read?.request.exchange],
          actual: opened,
        });
      },
    }),
  ),

  protectedScenario('client/authorization/answers/in-the-clear', {
    title: 'a client opens no URL of another host without TLS',
    verifies: ['auth.client-https-urls'],
    protection: { authorities: { main: { metadata: () => ({ authorization_endpoint: inTheClear }) } } },
    judge({ protectedServer, expect, main }) {
      const read = protectedServer.oauthRequests.find(
        ({ request }) => request.url.pathname === main.places[0],
      );
      const opened = protectedServer.opened.find(text => text.startsWith(inTheClear));
      if (!read && opened === undefined) return;
      expect.that('auth.client-https-urls', {
        ok: opened === undefined,
        expected: `${inTheClear} is not opened`,
        evidence: [read?.request.exchange],
        actual: opened,
      });
    },
  }),

  protectedScenario('client/authorization/answers/shell', {
    title: 'a client opens a URL without a shell',
    verifies: ['auth.client-no-shell'],
    protection: {
      authorities: {
        main: {
          metadata: (authority, { marker }) => ({
            // in the path, which clients do not encode again
            authorization_endpoint: `${authority.at('authorization')}/$(touch$IFS${marker})`,
          }),
        },
      },
    },
    judge({ protectedServer, expect, main }) {
      const read = protectedServer.oauthRequests.find(
        ({ request }) => request.url.pathname === main.places[0],
      );
      const marked = protectedServer.takeInitialRequestMarker();
      if (!read) return;
      expect.that('auth.client-no-shell', {
        ok: !marked,
        expected: 'the command in the URL is not executed',
        evidence: [read.request.exchange, main.authorizations[0]?.exchange],
        actual: 'the command in the URL was executed',
      });
    },
  }),

  protectedScenario('client/authorization/answers/certificate', {
    title: 'a client sends no request to a server with an untrusted certificate',
    verifies: ['auth.tls-certificate-checked'],
    protection: {
      authorities: {
        main: {
          metadata: (_, protectedServer) => ({
            token_endpoint: protectedServer.authority('untrusted').at('token'),
            registration_endpoint: protectedServer.authority('untrusted').at('registration'),
          }),
        },
        untrusted: { untrusted: true },
      },
    },
    judge({ protectedServer, expect }) {
      const { connections } = protectedServer.authority('untrusted');
      const [asked] = protectedServer.requests('untrusted');
      const last = protectedServer.oauthRequests.at(-1)?.request.exchange;
      if (connections > 0)
        expect.that('auth.tls-certificate-checked', {
          ok: asked === undefined,
          expected: 'a closed connection without a request',
          evidence: [asked?.exchange ?? last],
          actual: `${asked?.method} ${asked?.url.pathname}`,
        });
      else
        expect.notObserved(
          'auth.tls-certificate-checked',
          'the client opens no connection to the endpoints with the untrusted certificate',
        );
    },
  }),
];
