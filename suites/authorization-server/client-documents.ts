/** basic/authorization: clients whose ID is the URL of a document about them. */

import { type PublishedDocument, unstored } from '../../harness/oauth/client-documents.js';
import { isLoopback, isPublished } from '../../harness/oauth/discovery.js';
import { wordsOf } from '../../harness/oauth/forms.js';
import { redirectUri } from '../../harness/run/authorization-server/discovery.js';
import { openTrap } from '../../harness/run/authorization-server/ssrf-canary.js';
import { scenario } from '../../harness/scenario/scenario.js';
import type { HttpAnswer } from '../../harness/transports/http/server/behaviour.js';
import { without } from '../../spec/json-rpc.js';
import type { RequirementId } from '../../spec/requirement.js';

/** What an answer about a client must not be accepted for, by what is wrong with it. */
type Flaws = Readonly<Record<string, (document: PublishedDocument) => HttpAnswer['body']>>;

const otherIds: Flaws = {
  'the client_id of another': ({ sound }) => ({ ...sound, client_id: 'https://other.example/client.json' }),
  'a slash more in its client_id': ({ sound, url }) => ({ ...sound, client_id: `${url}/` }),
  'a capital letter in its client_id': ({ sound, url }) => ({
    ...sound,
    client_id: url.replace('/client.json', '/Client.json'),
  }),
};

const invalid: Flaws = {
  'broken JSON': ({ sound }) => JSON.stringify(sound).slice(0, -1),
  'an array': ({ sound }) => [sound],
  'no client_id': ({ sound }) => without(sound, 'client_id'),
  'no redirect_uris': ({ sound }) => without(sound, 'redirect_uris'),
};

const nameless: Flaws = { 'no client_name': ({ sound }) => without(sound, 'client_name') };

/** A cache that is tempted. */
const cacheable = { 'Content-Type': 'application/json', 'Cache-Control': 'max-age=600' };

const broken: Readonly<Record<string, HttpAnswer>> = {
  'status 500': { status: 500, headers: cacheable, body: '{}' },
  'broken JSON': { status: 200, headers: cacheable, body: '{"client_id":' },
};

/** So long an authorization server may keep away from an address that has failed, in milliseconds. */
const backOff = 60_000;

/** No document with one of these flaws makes a client. */
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
        expect.that(row, code === undefined, 'a refusal', seen, `a code with ${what}`);
      }
    },
  });

export const scenarios = [
  scenario.authorization('authorization-server/client-documents/fetched', {
    title: 'a client ID that is a URL is looked up there',
    verifies: ['auth.cimd-as-fetches'],
    needs: ['endpoints', 'documents offered', 'document address'],
    async run({ oauth, expect, documents }) {
      const row = 'auth.cimd-as-fetches';
      const { client, fetches } = documents!.publish(redirectUri);
      const { code, evidence } = await oauth.authorize(client);
      if (fetches.length === 0 && code === undefined)
        return expect.notObserved(row, 'the client is refused unseen; that may be for want of trust');
      expect.that(row, fetches.length > 0, 'a request for the document', evidence, 'a code without one');
    },
  }),

  scenario.authorization('authorization-server/client-documents/announced', {
    title: 'an authorization server that takes client documents says so',
    verifies: ['auth.cimd-as-advertises'],
    needs: ['client documents'],
    async run({ expect, candidates }) {
      const published = candidates.filter(isPublished);
      const kind = published[0]?.kind;
      for (const { answer } of published.filter(c => c.kind === kind)) {
        const said = answer.json?.client_id_metadata_document_supported;
        const wanted = 'client_id_metadata_document_supported: true';
        const actual = JSON.stringify(said) ?? 'none, but a code for such a client';
        expect.that('auth.cimd-as-advertises', said === true, wanted, [answer.exchange], actual);
      }
    },
  }),

  refusing(
    'of-another',
    'a document that is about another URL makes no client',
    'auth.cimd-as-client-id',
    otherIds,
  ),
  refusing(
    'invalid',
    'a document that is none, or lacks what it needs, makes no client',
    'auth.cimd-as-document',
    invalid,
  ),
  refusing(
    'nameless',
    'a document without the name of the client makes none',
    'auth.cimd-as-client-name',
    nameless,
  ),

  scenario.authorization('authorization-server/client-documents/redirect-uri', {
    title: 'only the redirect URIs in the document get a code',
    verifies: ['auth.cimd-as-redirect'],
    needs: ['client documents', 'consent to attack'],
    async run({ oauth, expect, documents }) {
      const elsewhere = new URL('/elsewhere', redirectUri).href;
      for (const redirect_uri of ['https://evil.example/callback', elsewhere]) {
        const { client, fetches } = documents!.publish(redirectUri);
        const { code, evidence } = await oauth.authorize(client, { changes: { redirect_uri } });
        const actual = `a code for ${redirect_uri}`;
        expect.that(
          'auth.cimd-as-redirect',
          code === undefined,
          'a refusal',
          [...evidence, ...fetches],
          actual,
        );
      }
    },
  }),

  scenario.authorization('authorization-server/client-documents/kept', {
    title: 'a document with a lifetime is not asked for again at once',
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
      if (before === 0 || second.code === undefined) return expect.notObserved(row, 'it was not asked for');
      const kept = document.fetches.length === before;
      const actual = 'another request for it';
      expect.that(row, kept, 'the document from before', [...document.fetches, ...second.evidence], actual);
    },
  }),

  scenario.authorization('authorization-server/client-documents/failed-at-first', {
    title: 'an address that failed at first is asked again',
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
        if (before === 0) expect.notObserved(row, 'it was not asked for');
        else if (!asked && again.code !== undefined)
          expect.notObserved(row, `${what} was taken for a document`);
        else {
          const seen = [...document.fetches, ...again.evidence];
          expect.that(row, asked, 'another request for it', seen, `a refusal for ${what} of long ago`);
        }
      }
    },
  }),

  scenario.authorization('authorization-server/client-documents/redirect-host', {
    title: 'who is asked to agree sees the host that the answer goes to',
    verifies: ['auth.cimd-as-shows-redirect-host'],
    needs: ['client documents'],
    async run({ oauth, expect, documents }) {
      const row = 'auth.cimd-as-shows-redirect-host';
      const host = 'a-far-away-client.example';
      const document = documents!.publish(`https://${host}/callback`);
      const body = { ...document.sound, application_type: 'web' };
      document.serve({ status: 200, headers: unstored, body });
      const { code, visit } = await oauth.authorize(document.client);
      if (code === undefined) return expect.notObserved(row, `there is no code: ${visit.stuck}`);
      if (visit.pages.length === 0) return expect.notObserved(row, 'nobody was asked anything');
      const shown = visit.pages.some(({ answer }) => wordsOf(answer.text).includes(host));
      const pages = visit.pages.map(({ answer }) => answer.exchange);
      expect.that(row, shown, `a page with ${host}`, pages, 'pages without it');
    },
  }),

  scenario.authorization('authorization-server/client-documents/on-this-host', {
    title: 'no client ID makes it connect to its own host',
    verifies: ['auth.cimd-as-ssrf'],
    needs: ['endpoints', 'documents offered', 'consent to attack'],
    async run({ oauth, expect, documents, issuer }) {
      const row = 'auth.cimd-as-ssrf';
      if (!isLoopback(issuer)) return expect.notObserved(row, 'it is on another host, where nobody sees it');
      if (documents?.onThisHost)
        return expect.notObserved(row, 'it was made to take documents from this very host');
      const trap = await openTrap();
      try {
        for (const id of trap.urls) {
          const before = trap.connections;
          const client = { id, authMethod: 'none', redirectUri } as const;
          const { evidence } = await oauth.authorize(client, { changes: {} });
          const actual = `a connection to ${new URL(id).host}`;
          expect.that(row, trap.connections === before, 'no connection', evidence, actual);
        }
      } finally {
        await trap.close();
      }
    },
  }),
];
