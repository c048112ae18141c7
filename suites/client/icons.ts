/** basic/index#icons: requests of a client for icons that a server names, if there are any. */

import type { HttpExchange } from '../../harness/record/http-exchange.js';
import { scenario } from '../../harness/scenario/scenario.js';
import { held } from '../../harness/scenario/serve.js';
import type { HttpAnswer, HttpServer } from '../../harness/transports/http/server/behaviour.js';
import { says, tool } from './world.js';

const rows = ['icons.security-precautions', 'icons.unsafe-schemes-rejected', 'icons.same-origin'] as const;

/** One pixel. */
const picture: HttpAnswer = {
  status: 200,
  headers: { 'Content-Type': 'image/gif' },
  body: Buffer.from('R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7', 'base64'),
};

/** Headers that no request for an icon contains. */
const credentials = ['authorization', 'cookie', 'proxy-authorization'];

const pathOf = ({ request }: HttpExchange): string => new URL(request!.url).pathname;

/**
 * Icons on the harness, and on a second host. @returns the second host, and all later requests for icons to
 * both
 */
async function hang(http: HttpServer): Promise<{ other: string; fetched: HttpExchange[] }> {
  const fetched: HttpExchange[] = [];
  const other = await http.addHost({
    endpointOf: () => 'elsewhere',
    answer({ exchange }) {
      fetched.push(exchange);
      return picture;
    },
  });
  http.behave({
    intercept({ url, exchange }) {
      if (!url.pathname.startsWith('/icons/')) return undefined;
      fetched.push(exchange);
      const moved = url.pathname === '/icons/moved.gif';
      return moved ? { status: 302, headers: { Location: `${other}/behind.gif` } } : picture;
    },
  });
  return { other, fetched };
}

export const scenarios = [
  scenario.client.http('client/icons/fetched', {
    title:
      'a client fetches icons without credentials, without redirects to another host, and only from the server',
    verifies: rows,
    serve: { 'tools/list': held, 'tools/call': says('Done.') },
    does: [['connect'], ['list', 'tools'], ['call', 'own'], ['close']],
    async run({ peer, expect, http }) {
      const { other, fetched } = await hang(http);
      const icons = (...sources: string[]) => ({
        icons: sources.map(src => ({ src, mimeType: 'image/gif' })),
      });
      const own = { ...tool('own'), ...icons(`${http.origin}/icons/own.gif`) };
      const moved = { ...tool('moved'), ...icons(`${http.origin}/icons/moved.gif`) };
      const foreign = { ...tool('foreign'), ...icons(`${other}/foreign.gif`) };
      const socket = `${other.replace('http:', 'ws:')}/socket.gif`;
      const unsafe = { ...tool('unsafe'), ...icons(socket, 'javascript:0', 'file:///no-such-picture.gif') };
      const listing = await peer.nextDeferred('tools/list');
      listing.answer({ tools: [own, moved, foreign, unsafe] }, { deliberate: true });
      await peer.caseOver();
      if (fetched.length === 0) return expect.notObserved(rows, 'the client fetches no icons');
      for (const e of fetched) {
        const told = credentials.filter(name => e.requestHeader(name) !== undefined);
        expect.that('icons.security-precautions', {
          ok: told.length === 0,
          expected: 'no credentials',
          evidence: [e],
          actual: told.join(),
        });
      }
      const at = (...paths: string[]) => fetched.find(e => paths.includes(pathOf(e)));
      const [led, stranger] = [at('/behind.gif', '/socket.gif'), at('/foreign.gif')];
      const safely = 'no request to the target of a redirect or of another scheme';
      expect.that('icons.unsafe-schemes-rejected', {
        ok: !led,
        expected: safely,
        evidence: [led ?? fetched[0]],
        actual: led && pathOf(led),
      });
      expect.that('icons.same-origin', {
        ok: !stranger,
        expected: 'requests to the host of the server only',
        evidence: [stranger ?? fetched[0]],
        actual: other,
      });
    },
  }),
];
