/** basic/authorization: what a client makes of the redirect that brings the user back, and of addresses from strangers. */

import { protectedScenario } from './protected-scenario.js';

const dangerous = {
  javascript: 'javascript:alert(1)',
  data: 'data:text/html,x',
  file: 'file:///etc/passwd',
  unknown: 'x-mcp-conform:open',
};

/** A host that is not there, and would not be on this one. */
const inTheClear = 'http://auth.test.invalid/az';

/** What no parser takes for an address. */
const unparsable = { 'without-host': 'http://', blank: 'http://ex ample/az', words: 'open me' };

export const scenarios = [
  ...(
    [
      ['altered', (back: URL) => back.searchParams.set('state', 'somebody-elses-state')],
      ['missing', (back: URL) => back.searchParams.delete('state')],
    ] as const
  ).map(([slug, change]) =>
    protectedScenario(`client/authorization/answers/state-${slug}`, {
      title: 'a client throws an answer away that has another state than it sent',
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
        expect.that(
          'auth.state-checked',
          used === undefined,
          'the code of that answer is not redeemed',
          [asked.exchange, used?.exchange],
          'it is redeemed',
        );
      },
    }),
  ),

  ...Object.entries(dangerous).map(([slug, address]) =>
    protectedScenario(`client/authorization/answers/scheme-${slug}`, {
      title: 'a client opens nothing but web addresses',
      verifies: ['auth.client-authorization-url-scheme'],
      protection: { authorities: { main: { metadata: () => ({ authorization_endpoint: address }) } } },
      judge({ scene, expect, main }) {
        const read = scene.oauthRequests.find(({ request }) => request.url.pathname === main.places[0]);
        const scheme = new URL(address).protocol;
        const opened = scene.opened.find(text => text.toLowerCase().startsWith(scheme));
        if (!read && opened === undefined) return;
        expect.that(
          'auth.client-authorization-url-scheme',
          opened === undefined,
          `no ${scheme} address is opened`,
          [read?.request.exchange],
          opened,
        );
      },
    }),
  ),

  ...Object.entries(unparsable).map(([slug, address]) =>
    protectedScenario(`client/authorization/answers/address-${slug}`, {
      title: 'a client opens nothing that is no address',
      verifies: ['auth.client-url-sanitised'],
      protection: { authorities: { main: { metadata: () => ({ authorization_endpoint: address }) } } },
      judge({ scene, expect, main }) {
        const read = scene.oauthRequests.find(({ request }) => request.url.pathname === main.places[0]);
        const opened = scene.opened.find(text => text.includes(address) && !URL.canParse(text));
        if (!read && opened === undefined) return;
        expect.that(
          'auth.client-url-sanitised',
          opened === undefined,
          `"${address}" is not opened`,
          [read?.request.exchange],
          opened,
        );
      },
    }),
  ),

  protectedScenario('client/authorization/answers/in-the-clear', {
    title: 'a client sends nobody to another host without encryption',
    verifies: ['auth.client-https-urls'],
    protection: { authorities: { main: { metadata: () => ({ authorization_endpoint: inTheClear }) } } },
    judge({ scene, expect, main }) {
      const read = scene.oauthRequests.find(({ request }) => request.url.pathname === main.places[0]);
      const opened = scene.opened.find(text => text.startsWith(inTheClear));
      if (!read && opened === undefined) return;
      expect.that(
        'auth.client-https-urls',
        opened === undefined,
        `${inTheClear} is not opened`,
        [read?.request.exchange],
        opened,
      );
    },
  }),

  protectedScenario('client/authorization/answers/shell', {
    title: 'a client opens an address without a shell',
    verifies: ['auth.client-no-shell'],
    protection: {
      authorities: {
        main: {
          metadata: (authority, { marker }) => ({
            // in the path, which nobody encodes anew
            authorization_endpoint: `${authority.at('authorization')}/$(touch$IFS${marker})`,
          }),
        },
      },
    },
    judge({ scene, expect, main }) {
      const read = scene.oauthRequests.find(({ request }) => request.url.pathname === main.places[0]);
      const marked = scene.takeInitialRequestMarker();
      if (!read) return;
      expect.that(
        'auth.client-no-shell',
        !marked,
        'what stands in the address is not done',
        [read.request.exchange, main.authorizations[0]?.exchange],
        'a command in the address was run',
      );
    },
  }),

  protectedScenario('client/authorization/answers/certificate', {
    title: 'a client says nothing to a server whose certificate nobody trusts',
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
    judge({ scene, expect }) {
      const { connections } = scene.authority('untrusted');
      const [asked] = scene.requests('untrusted');
      const last = scene.oauthRequests.at(-1)?.request.exchange;
      if (connections > 0)
        expect.that(
          'auth.tls-certificate-checked',
          asked === undefined,
          'the connection is broken off',
          [asked?.exchange ?? last],
          `${asked?.method} ${asked?.url.pathname}`,
        );
    },
  }),
];
