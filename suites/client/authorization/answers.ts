/** basic/authorization: what a client makes of the redirect that brings the user back, and of addresses from strangers. */

import { guarded } from './guarded.js';

const dangerous = {
  javascript: 'javascript:alert(1)',
  data: 'data:text/html,x',
  file: 'file:///etc/passwd',
  unknown: 'x-mcp-conform:open',
};

export const scenarios = [
  ...(
    [
      ['altered', (back: URL) => back.searchParams.set('state', 'somebody-elses-state')],
      ['missing', (back: URL) => back.searchParams.delete('state')],
    ] as const
  ).map(([slug, change]) =>
    guarded(`client/authorization/answers/state-${slug}`, {
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
          expect.absent('auth.state-checked', 'the client sends no state');
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
    guarded(`client/authorization/answers/scheme-${slug}`, {
      title: 'a client opens nothing but web addresses',
      verifies: ['auth.client-authorization-url-scheme'],
      protection: { authorities: { main: { metadata: () => ({ authorization_endpoint: address }) } } },
      judge({ scene, expect, main }) {
        const read = scene.seen.find(({ request }) => request.url.pathname === main.places[0]);
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
];
