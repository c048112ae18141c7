/** basic/authorization: clients whose ID is the URL of a metadata document. */

import { type PublishedDocument, unstored } from '../../harness/oauth/client-documents.js';
import { isLoopback, isPublished } from '../../harness/oauth/discovery.js';
import { redirectUri } from '../../harness/run/authorization-server/discovery.js';
import { openTrap } from '../../harness/run/authorization-server/ssrf-canary.js';
import { scenario } from '../../harness/scenario/scenario.js';
import type { HttpAnswer } from '../../harness/transports/http/server/behaviour.js';
import { without } from '../../spec/json-rpc.js';
import type { RequirementId } from '../../spec/requirement.js';
import { hasScript, shownOn } from './page.js';

/** Documents with one flaw that an authorization server has to refuse, by the description of the flaw. */
type Flaws = Readonly<Record<string, (document: PublishedDocument) => HttpAnswer['body']>>;

const otherIds: Flaws = {
  'the client_id of another client': ({ sound }) => ({
    ...sound,
    client_id: 'https://other.example/client.json',
  }),
  'an extra slash in client_id': ({ sound, url }) => ({ ...sound, client_id: `${url}/` }),
  'a capital letter in the path of client_id': ({ sound, url }) => ({
    ...sound,
    client_id: url.replace('/client.json', '/Client.json'),
  }),
};

const invalid: Flaws = {
  'broken JSON': ({ sound }) => JSON.stringify(sound).slice(0, -1),
  'an array': ({ sound }) => [sound],
  'no client_id': ({ sound }) => without(sound, 'client_id'),
  'no redirect_uris': ({ sound }) => without(sound, 'redirect_uris'),
  'a text as redirect_uris': ({ sound }) => ({ ...sound, redirect_uris: redirectUri }),
};

const nameless: Flaws = { 'no client_name': ({ sound }) => without(sound, 'client_name') };

/** Headers that permit a cache to store the response. */
const cacheable = { 'Content-Type': 'application/json', 'Cache-Control': 'max-age=600' };

const broken: Readonly<Record<string, HttpAnswer>> = {
  'status 500': { status: 500, headers: cacheable, body: '{}' },
  'broken JSON': { status: 200, headers: cacheable, body: '{"client_id":' },
};

/** Time (ms) for which an authorization server may avoid an address that has failed. */
const backOff = 60_000;

/** A document with one of these flaws is refused. */
const refusing = (slug: string, title: string, row: RequirementId, flaws: Flaws) =>
  scenario.authorization(`authorization-server/client-documents/${slug}`, {
    title,
    verifies: [row],
    needs: ['client documents'],
    async run({ oauth, expect, documents }) {
      for (const [what, body] of Object.entries(flaws)) {
        const document = documents!.publish(redirectUri);
        document.serve({ status: 200, headers: unstored, body: body(document)! });
        const { code, evidence } = await oauth.authorize(document.client, { changes: {} });
        const seen = [...evidence, ...document.fetches];
        expect.that(row, {
          ok: code === undefined,
          expected: `a client document with ${what} to be refused`,
          evidence: seen,
          actual: `a code with ${what}`,
        });
      }
    },
  });

export const scenarios = [
  scenario.authorization('authorization-server/client-documents/fetched', {
    title: 'the authorization server requests the document of a client ID that is a URL',
    verifies: ['auth.cimd-as-fetches'],
    needs: ['endpoints', 'documents offered', 'document address'],
    async run({ oauth, expect, documents }) {
      const row = 'auth.cimd-as-fetches';
      const { client, fetches } = documents!.publish(redirectUri);
      const { code, evidence } = await oauth.authorize(client);
      if (fetches.length === 0 && code === undefined)
        return expect.notObserved(
          row,
          'the client is refused without a request for its document; a trust policy may be the reason',
        );
      expect.that(row, {
        ok: fetches.length > 0,
        expected: 'a request for the document',
        evidence,
        actual: 'a code without a request',
      });
    },
  }),

  scenario.authorization('authorization-server/client-documents/announced', {
    title: 'an authorization server that accepts client ID metadata documents announces it in its metadata',
    verifies: ['auth.cimd-as-advertises'],
    needs: ['client documents'],
    async run({ expect, candidates }) {
      const published = candidates.filter(isPublished);
      const kind = published[0]?.kind;
      for (const { answer } of published.filter(c => c.kind === kind)) {
        const said = answer.json?.client_id_metadata_document_supported;
        const wanted = 'client_id_metadata_document_supported: true';
        const actual = JSON.stringify(said) ?? 'none, but a code for such a client';
        expect.that('auth.cimd-as-advertises', {
          ok: said === true,
          expected: wanted,
          evidence: [answer.exchange],
          actual,
        });
      }
    },
  }),

  refusing(
    'of-another',
    'a client ID metadata document with another client_id is refused',
    'auth.cimd-as-client-id',
    otherIds,
  ),
  refusing(
    'invalid',
    'a client ID metadata document that is invalid or incomplete is refused',
    'auth.cimd-as-document',
    invalid,
  ),
  refusing(
    'nameless',
    'a client ID metadata document without client_name is refused',
    'auth.cimd-as-client-name',
    nameless,
  ),

  scenario.authorization('authorization-server/client-documents/redirect-uri', {
    title: 'only redirect URIs of the client ID metadata document receive a code',
    verifies: ['auth.cimd-as-redirect'],
    needs: ['client documents', 'consent to attack'],
    async run({ oauth, expect, documents }) {
      const elsewhere = new URL('/elsewhere', redirectUri).href;
      for (const redirect_uri of ['https://evil.example/callback', elsewhere, `${redirectUri}/more`]) {
        const { client, fetches } = documents!.publish(redirectUri);
        const { code, evidence } = await oauth.authorize(client, { changes: { redirect_uri } });
        const actual = `a code for ${redirect_uri}`;
        expect.that('auth.cimd-as-redirect', {
          ok: code === undefined,
          expected: `redirect_uri ${redirect_uri} to be refused`,
          evidence: [...evidence, ...fetches],
          actual,
        });
      }
    },
  }),

  scenario.authorization('authorization-server/client-documents/kept', {
    title: 'a cacheable client ID metadata document is not requested again at once',
    verifies: ['auth.cimd-as-caches'],
    needs: ['client documents'],
    async run({ oauth, expect, documents }) {
      const row = 'auth.cimd-as-caches';
      const document = documents!.publish(redirectUri);
      document.serve({ status: 200, headers: cacheable, body: document.sound });
      const first = await oauth.authorize(document.client);
      await oauth.redeem(first);
      const before = document.fetches.length;
      const second = await oauth.authorize(document.client);
      if (before === 0 || second.code === undefined)
        return expect.notObserved(row, 'the document was not requested');
      const kept = document.fetches.length === before;
      const actual = 'another request for the document';
      expect.that(row, {
        ok: kept,
        expected: 'the cached document',
        evidence: [...document.fetches, ...second.evidence],
        actual,
      });
    },
  }),

  scenario.authorization('authorization-server/client-documents/failed-at-first', {
    title: 'a client ID metadata document is requested again after an invalid response',
    verifies: ['auth.cimd-as-no-error-cache'],
    needs: ['client documents'],
    async run({ oauth, expect, documents, pause }) {
      const row = 'auth.cimd-as-no-error-cache';
      for (const [what, answer] of Object.entries(broken)) {
        const document = documents!.publish(redirectUri);
        document.serve(answer);
        await oauth.authorize(document.client, { changes: {} });
        const before = document.fetches.length;
        document.serve({ status: 200, headers: unstored, body: document.sound });
        let again = await oauth.authorize(document.client);
        if (document.fetches.length === before && again.code === undefined) {
          await pause(backOff);
          again = await oauth.authorize(document.client);
        }
        const asked = document.fetches.length > before;
        if (before === 0) expect.notObserved(row, 'the document was not requested');
        else if (!asked && again.code !== undefined)
          expect.notObserved(row, `${what} was accepted as a document`);
        else {
          const seen = [...document.fetches, ...again.evidence];
          expect.that(row, {
            ok: asked,
            expected: 'another request for the document',
            evidence: seen,
            actual: `a refusal because of an earlier response: ${what}`,
          });
        }
      }
    },
  }),

  scenario.authorization('authorization-server/client-documents/redirect-host', {
    title: 'the consent page shows the host of the redirect URI',
    verifies: ['auth.cimd-as-shows-redirect-host'],
    needs: ['client documents'],
    async run({ oauth, expect, documents }) {
      const row = 'auth.cimd-as-shows-redirect-host';
      const host = 'a-far-away-client.example';
      const document = documents!.publish(`https://${host}/callback`);
      const body = { ...document.sound, application_type: 'web' };
      document.serve({ status: 200, headers: unstored, body });
      const { code, visit } = await oauth.authorize(document.client);
      if (code === undefined) return expect.notObserved(row, `no code was issued: ${visit.stuck}`);
      if (visit.pages.length === 0) return expect.notObserved(row, 'no page was shown to the user');
      const pages = visit.pages.map(({ answer }) => answer);
      const shown = pages.some(page => shownOn(page).includes(host));
      if (!shown && pages.some(hasScript))
        return expect.notObserved(row, 'a page has a script, which may show the host');
      expect.that(row, {
        ok: shown,
        expected: `a page with ${host}`,
        evidence: pages.map(({ exchange }) => exchange),
        actual: 'no page with this host',
      });
    },
  }),

  scenario.authorization('authorization-server/client-documents/on-this-host', {
    title: 'no client ID makes the authorization server connect to its own host',
    verifies: ['auth.cimd-as-ssrf'],
    needs: ['endpoints', 'documents offered', 'consent to attack'],
    async run({ oauth, expect, documents, issuer }) {
      const row = 'auth.cimd-as-ssrf';
      if (!isLoopback(issuer))
        return expect.notObserved(
          row,
          'the authorization server is on another host, where the harness cannot observe connections',
        );
      if (documents?.onThisHost)
        return expect.notObserved(
          row,
          'the authorization server is configured to accept documents from this host',
        );
      const trap = await openTrap();
      try {
        for (const id of trap.urls) {
          const before = trap.connections;
          const client = { id, authMethod: 'none', redirectUri } as const;
          const { evidence } = await oauth.authorize(client, { changes: {} });
          const actual = `a connection to ${new URL(id).host}`;
          expect.that(row, { ok: trap.connections === before, expected: 'no connection', evidence, actual });
        }
      } finally {
        await trap.close();
      }
    },
  }),
];
