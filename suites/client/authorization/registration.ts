/** basic/authorization: the client ID of a client, and its authentication. */

import type { ProtectedServerState } from '../../../harness/protected-server/script.js';
import { asText, type JsonObject, parseObject } from '../../../spec/json-rpc.js';
import { clauseIn, requirement } from '../../../spec/requirement.js';
import { samePlace } from '../../rules/derived/oauth-client.js';
import { howFar, lastSeen, protectedScenario, uses } from './protected-scenario.js';
import { calls, expiring } from './tokens.js';

const secret = 'ct_sec_a1b2c3d4e5f6';

/** A secret with characters that form encoding changes. */
const special = 'ct%20sec+/a:b';

/** A form-encoded text; undefined when it is not valid. */
function formDecoded(text: string): string | undefined {
  try {
    return decodeURIComponent(text.replaceAll('+', ' '));
  } catch {
    return undefined;
  }
}

const isUrl = (id: string | null): boolean => /^https?:/i.test(id ?? '');

const documentRows = [
  'auth.cimd-hosted-https',
  'auth.cimd-document-fields',
  'auth.cimd-document-client-id',
  'auth.redirect-uri-registered',
] as const;

const isTextList = (value: unknown): boolean =>
  Array.isArray(value) && value.length > 0 && value.every(one => typeof one === 'string');

/** What a document says about a shared secret. */
function sharedSecretIn(document: JsonObject): string | undefined {
  const member = ['client_secret', 'client_secret_expires_at'].find(name => document[name] !== undefined);
  const { token_endpoint_auth_method: how } = document;
  return member ?? (/^client_secret_/.test(asText(how ?? '')) ? `the method ${asText(how)}` : undefined);
}

const unaware = 'it is unknown whether the client reads MCP_CONFORMANCE_CONTEXT';
/** Whether the registration names a method with a secret. */
const namesSecret = (slug: string): boolean => slug === 'basic' || slug === 'post';

const arranged = { client_id: 'pre-registered-client', client_secret: 'pre-registered-secret' };

/** The arranged credentials with their issuer, which some libraries demand for a client ID that they did not register. */
const arrangedWithIssuer = (protectedServer: ProtectedServerState): JsonObject => ({
  ...arranged,
  issuer: protectedServer.authority().issuer,
});

const noAuthorization = 'the client sends no authorization request';

export const scenarios = [
  ...(
    [
      ['public', {}, ['none']],
      [
        'basic',
        { client_secret: secret, token_endpoint_auth_method: 'client_secret_basic' },
        ['client_secret_basic'],
      ],
      [
        'post',
        { client_secret: secret, token_endpoint_auth_method: 'client_secret_post' },
        ['client_secret_post'],
      ],
      // client_secret_basic is the default, and client_secret_post is common
      ['unstated', { client_secret: secret }, ['client_secret_basic', 'client_secret_post']],
    ] as const satisfies readonly (readonly [string, JsonObject, readonly string[]])[]
  ).map(([slug, changes, methods]) =>
    protectedScenario(`client/authorization/registration/${slug}`, {
      title: 'a client authenticates with the method of its registration',
      verifies: [
        'auth.client-authenticates-as-registered',
        'auth.redirect-uri-registered',
        'auth.dcr-client',
      ],
      official: `auth/token-endpoint-auth-${slug === 'public' || slug === 'unstated' ? 'none' : slug}`,
      // a refresh is authenticated as well
      ...(namesSecret(slug) && { does: calls(2) }),
      protection: {
        ...(namesSecret(slug) && expiring),
        authorities: {
          main: {
            register({ token_endpoint_auth_method: plain, ...answer }) {
              const stated = slug === 'unstated' ? {} : { token_endpoint_auth_method: plain! };
              const never = 'client_secret' in changes ? { client_secret_expires_at: 0 } : {};
              return { ...answer, ...stated, ...never, ...changes };
            },
            ...(namesSecret(slug)
              ? { metadata: () => ({ token_endpoint_auth_methods_supported: [`client_secret_${slug}`] }) }
              : {}),
          },
        },
      },
      judge({ protectedServer, expect, main }) {
        const { level } = clauseIn(requirement('auth.dcr-client'), protectedServer.revision.id) ?? {};
        // later revisions do not demand registration
        if (level === 'SHOULD' && main.authorizations.length > 0)
          expect.that('auth.dcr-client', {
            ok: main.registrations.length > 0,
            expected: 'a registration',
            evidence: uses(main),
            actual: 'none, with a registration endpoint and without a known client ID',
          });
        else if (level !== 'SHOULD')
          expect.notObserved('auth.dcr-client', 'registration is optional in this revision');
        const [first] = main.registrations;
        for (const { clientId, method, secret: said, exchange, params } of main.tokenRequests) {
          const registered = main.clients.get(clientId ?? '');
          // a client_id from before the first registration was stored in an earlier run, at the same port
          if (!first || exchange.seq < first.exchange.seq || isUrl(params.get('client_id'))) continue;
          const right = registered?.client_secret;
          const flaw = !registered
            ? `client_id ${clientId ?? 'none'}`
            : !(methods as readonly string[]).includes(method)
              ? method
              : method !== 'none' && said !== right
                ? 'another secret'
                : undefined;
          expect.that('auth.client-authenticates-as-registered', {
            ok: flaw === undefined,
            expected: `the registered client_id, and ${methods.join(' or ')}`,
            evidence: [main.registrations.at(-1)?.exchange, exchange],
            actual: flaw,
          });
        }
      },
    }),
  ),

  protectedScenario('client/authorization/registration/encoded', {
    title: 'a client form-encodes the secret that it sends with HTTP Basic',
    verifies: ['auth.client-basic-form-encoded'],
    official: 'auth/token-endpoint-auth-basic',
    protection: {
      authorities: {
        main: {
          register: answer => ({
            ...answer,
            client_secret: special,
            client_secret_expires_at: 0,
            token_endpoint_auth_method: 'client_secret_basic',
          }),
          metadata: () => ({ token_endpoint_auth_methods_supported: ['client_secret_basic'] }),
        },
      },
    },
    judge({ expect, main }) {
      for (const { method, secret: said = '', exchange } of main.tokenRequests) {
        // another row judges the method
        if (method !== 'client_secret_basic') continue;
        expect.that('auth.client-basic-form-encoded', {
          ok: formDecoded(said) === special,
          expected: 'the secret, form-encoded, behind the colon',
          evidence: [main.registrations.at(-1)?.exchange, exchange],
          actual: said === special ? 'the secret as it is' : 'another text',
        });
      }
    },
  }),

  protectedScenario('client/authorization/registration/arranged', {
    title: 'a client uses its preregistered client ID',
    verifies: ['auth.preregistered-client'],
    official: 'auth/pre-registration',
    protection: {
      authorities: { main: { metadata: () => ({ registration_endpoint: undefined }) } },
      context: arrangedWithIssuer,
    },
    judge({ protectedServer, expect, main, scripted }) {
      const [asked] = main.authorizations;
      const id = asked?.params.get('client_id');
      // other ways to configure a client ID exist, and this run does not try them
      if (!scripted && id !== arranged.client_id) {
        expect.notObserved('auth.preregistered-client', unaware);
        return;
      }
      expect.that('auth.preregistered-client', {
        ok: id === arranged.client_id,
        expected: `client_id=${arranged.client_id}, from MCP_CONFORMANCE_CONTEXT`,
        evidence: asked ? [asked.exchange] : lastSeen(protectedServer),
        actual: asked ? `client_id=${id}` : howFar(protectedServer),
      });
    },
  }),

  protectedScenario('client/authorization/registration/arranged-first', {
    title: 'a client prefers its preregistered client ID',
    verifies: ['auth.registration-priority'],
    official: 'auth/pre-registration',
    protection: {
      authorities: { main: { metadata: () => ({ client_id_metadata_document_supported: true }) } },
      context: arrangedWithIssuer,
    },
    judge({ expect, main, scripted }) {
      const [asked] = main.authorizations;
      if (!asked) return expect.notObserved('auth.registration-priority', noAuthorization);
      if (!scripted && asked.params.get('client_id') !== arranged.client_id) {
        expect.notObserved('auth.registration-priority', unaware);
        return;
      }
      expect.that('auth.registration-priority', {
        ok: asked.params.get('client_id') === arranged.client_id,
        expected: `client_id=${arranged.client_id}, from MCP_CONFORMANCE_CONTEXT`,
        evidence: [asked.exchange],
        actual: `client_id=${asked.params.get('client_id')}`,
      });
    },
  }),

  protectedScenario('client/authorization/registration/document', {
    title: 'a client uses the URL of its metadata document as client_id when no other way remains',
    verifies: [
      'auth.cimd-client',
      'auth.cimd-url-form',
      'auth.cimd-url-clean',
      'auth.cimd-no-shared-secret',
      ...documentRows,
    ],
    official: 'auth/basic-cimd',
    protection: {
      authorities: {
        main: {
          metadata: () => ({ registration_endpoint: undefined, client_id_metadata_document_supported: true }),
        },
      },
    },
    async judge({ protectedServer, expect, main }) {
      const [asked] = main.authorizations;
      expect.that('auth.cimd-client', {
        ok: asked !== undefined && isUrl(asked.params.get('client_id')),
        expected: 'an authorization request with a URL as client_id',
        evidence: asked ? [asked.exchange] : lastSeen(protectedServer),
        actual: asked ? `client_id=${asked.params.get('client_id')}` : howFar(protectedServer),
      });
      // an empty secret is none (RFC 6749 section 2.3.1): some libraries try HTTP Basic first
      const withSecret = main.tokenRequests.find(
        request => isUrl(request.authorization?.params.get('client_id') ?? null) && request.secret,
      );
      if (withSecret)
        expect.that('auth.cimd-no-shared-secret', {
          ok: false,
          expected: 'no shared secret',
          evidence: [withSecret.authorization?.exchange, withSecret.exchange],
          actual: withSecret.method,
        });
      const id = asked?.params.get('client_id') ?? '';
      if (!protectedServer.getDocument || !asked || !id.startsWith('https:')) {
        expect.notObserved(
          documentRows,
          'the document was not fetched: allow requests to other hosts with --allow-external',
        );
        return;
      }
      const found = await protectedServer.getDocument(id).catch((error: Error) => error);
      const document = found instanceof Error || found.status !== 200 ? undefined : parseObject(found.text);
      expect.that('auth.cimd-hosted-https', {
        ok: document !== undefined,
        expected: `a JSON document at ${id}`,
        evidence: [asked.exchange],
        actual: found instanceof Error ? found.message : `status ${found.status}, ${found.type}`,
      });
      if (!document)
        return expect.notObserved(documentRows.slice(1), 'the client metadata document is not available');
      const { client_id: own, client_name: name, redirect_uris: uris } = document;
      const complete = typeof own === 'string' && typeof name === 'string' && isTextList(uris);
      expect.that('auth.cimd-document-fields', {
        ok: complete,
        expected: 'client_id, client_name and redirect_uris',
        evidence: [asked.exchange],
        actual: Object.keys(document).join(', '),
      });
      if (typeof own === 'string')
        expect.that('auth.cimd-document-client-id', {
          ok: own === id,
          expected: id,
          evidence: [asked.exchange],
          actual: own,
        });
      const shared = sharedSecretIn(document);
      expect.that('auth.cimd-no-shared-secret', {
        ok: shared === undefined,
        expected: 'a document without a shared secret',
        evidence: [asked.exchange],
        actual: shared,
      });
      const used = asked.params.get('redirect_uri');
      if (used === null || !Array.isArray(uris))
        return expect.notObserved('auth.redirect-uri-registered', 'no redirect URI to compare');
      expect.that('auth.redirect-uri-registered', {
        ok: uris.some(uri => typeof uri === 'string' && samePlace(uri, used)),
        expected: 'a redirect_uri of the document',
        evidence: [asked.exchange],
        actual: `${used}, and redirect_uris ${JSON.stringify(uris).slice(0, 200)}`,
      });
    },
  }),

  protectedScenario('client/authorization/registration/no-documents', {
    title:
      'a client uses no URL as client_id when the metadata does not declare support for client documents',
    verifies: ['auth.cimd-capability-check'],
    protection: {
      authorities: { main: { metadata: () => ({ client_id_metadata_document_supported: undefined }) } },
    },
    judge(outcome) {
      const { expect, main } = outcome;
      const [asked] = main.authorizations;
      if (!asked) return expect.notObserved('auth.cimd-capability-check', noAuthorization);
      expect.that('auth.cimd-capability-check', {
        ok: !isUrl(asked.params.get('client_id')),
        expected: 'a client_id that is not a URL',
        evidence: [asked.exchange],
        actual: `client_id=${asked.params.get('client_id')}`,
      });
    },
  }),

  protectedScenario('client/authorization/registration/request', {
    title: 'a client registers with a JSON object that contains its redirect URIs',
    verifies: ['auth.dcr-request'],
    protection: {},
    judge(outcome) {
      if (outcome.main.registrations.length === 0)
        outcome.expect.notObserved('auth.dcr-request', 'the client does not register itself');
    },
  }),

  protectedScenario('client/authorization/registration/refused', {
    title: 'a client whose registration is refused stops or changes its request, and reports the refusal',
    verifies: ['auth.dcr-rejection-handled', 'auth.dcr-rejection-reported'],
    judgesProcess: true,
    protection: {
      authorities: {
        main: {
          register: () => ({
            answer: {
              status: 400,
              headers: { 'Content-Type': 'application/json', 'Cache-Control': 'no-store' },
              body: JSON.stringify({
                error: 'invalid_redirect_uri',
                error_description: 'This application_type allows no such redirect URI.',
              }),
            },
          }),
        },
      },
    },
    judge({ protectedServer, expect, main }) {
      const { registrations, authorizations } = main;
      const [first] = registrations;
      if (!first) return;
      const evidence = registrations.map(({ exchange }) => exchange);
      const same = registrations.filter(
        ({ metadata }) => JSON.stringify(metadata) === JSON.stringify(first.metadata),
      );
      const invented = authorizations.find(({ params }) => !isUrl(params.get('client_id')));
      expect.that('auth.dcr-rejection-handled', {
        ok: same.length <= 3 && invented === undefined,
        expected: 'an error for the user, a different registration, or another way to get a client ID',
        evidence: [...evidence, invented?.exchange],
        actual: invented
          ? `an authorization request with client_id=${invented.params.get('client_id')}, which no server issued`
          : `the same registration request ${same.length} times`,
      });
      const { exitCode, wasInactive, said } = protectedServer;
      const goesOn = authorizations.length > 0 || said.trim() !== '';
      if (wasInactive || (exitCode === undefined && !goesOn))
        return expect.notObserved('auth.dcr-rejection-reported', 'the client did not exit by itself');
      expect.that('auth.dcr-rejection-reported', {
        ok: goesOn || exitCode !== 0,
        expected: 'a message on stdout or stderr, or an exit code other than 0',
        evidence,
        actual: 'exit code 0 without any output',
      });
    },
  }),
];
