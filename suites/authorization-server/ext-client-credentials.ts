/** io.modelcontextprotocol/oauth-client-credentials, for authorization servers: tokens without a user. */

import type { KeyObject } from 'node:crypto';
import type { OAuth } from '../../harness/oauth/client.js';
import { publicPem, signJwt } from '../../harness/oauth/jwt.js';
import {
  anotherKey,
  assertionClaims,
  assertionHeader,
  assertionOf,
  assertionType,
  type MachineClient,
  requestAsMachine,
  type SigningKey,
} from '../../harness/oauth/machine-client.js';
import type { Expect } from '../../harness/scenario/expect.js';
import { scenario } from '../../harness/scenario/scenario.js';
import type { WebAnswer } from '../../harness/transports/http/side-request.js';
import { asText, type JsonObject, without } from '../../spec/json-rpc.js';
import { expectRefused, gotTokens, shown } from './token-answer.js';

const methodsIn = ({ metadata }: OAuth): unknown => metadata.document.token_endpoint_auth_methods_supported;
const has = (list: unknown, value: string): boolean => Array.isArray(list) && list.includes(value);

const byAssertion = (text: string) => ({ client_assertion_type: assertionType, client_assertion: text });

/** The values of aud that a server may expect: its issuer, and its token endpoint (RFC 7523 §3). */
const audiencesOf = ({ metadata }: OAuth): string[] => [
  ...new Set([asText(metadata.document.issuer), String(metadata.token)]),
];

/** Requests with correct credentials, in the order of the text, until one is granted. */
async function askCorrectly(oauth: OAuth, machine: MachineClient): Promise<WebAnswer[]> {
  const { id, secret, key } = machine;
  const answers: WebAnswer[] = [];
  const attempts = [
    ...(key
      ? audiencesOf(oauth).map(
          aud => () => requestAsMachine(oauth, byAssertion(assertionOf(machine, key, aud))),
        )
      : []),
    ...(secret === undefined
      ? []
      : [
          () => requestAsMachine(oauth, {}, { basic: [id, secret] }),
          () => requestAsMachine(oauth, { client_id: id, client_secret: secret }),
        ]),
  ];
  for (const attempt of attempts) {
    answers.push(await attempt());
    if (gotTokens(answers.at(-1)!)) break;
  }
  return answers;
}

const rows = {
  signature: 'ext-client-credentials.as-assertion-signature',
  key: 'ext-client-credentials.as-assertion-key',
  alg: 'ext-client-credentials.as-assertion-alg',
  iss: 'ext-client-credentials.as-assertion-iss',
  sub: 'ext-client-credentials.as-assertion-sub',
  aud: 'ext-client-credentials.as-assertion-aud',
  exp: 'ext-client-credentials.as-assertion-exp',
  nbf: 'ext-client-credentials.as-assertion-nbf',
} as const;

/** Assertions that are wrong in one point, each with what is wrong. */
function wrongAssertions(
  { id }: MachineClient,
  key: SigningKey,
  audience: string,
): { row: (typeof rows)[keyof typeof rows]; what: string; text: string }[] {
  const header = assertionHeader(key);
  const claims = () => assertionClaims(id, audience);
  const now = Number(claims().iat);
  const signed = (changed: JsonObject) => signJwt(header, changed, key.key);
  const changing = (changes: JsonObject) => signed({ ...claims(), ...changes });
  const [head, , signature] = signed(claims()).split('.');
  const [, body] = signed(claims()).split('.');
  const foreign = anotherKey(key);
  const jwk = publicJwk(foreign);
  return [
    {
      row: rows.signature,
      what: 'a payload that was changed after it was signed',
      text: `${head}.${body}.${signature}`,
    },
    { row: rows.signature, what: 'no signature', text: `${head}.${body}.` },
    { row: rows.key, what: 'the signature of another key', text: signJwt(header, claims(), foreign) },
    {
      row: rows.key,
      what: 'the signature of another key, which is in the header',
      text: signJwt({ ...without(header, 'kid'), jwk }, claims(), foreign),
    },
    { row: rows.alg, what: 'alg none', text: signJwt({ ...header, alg: 'none' }, claims(), '') },
    {
      row: rows.alg,
      what: 'alg HS256 with the public key as secret',
      text: signJwt({ ...header, alg: 'HS256' }, claims(), publicPem(key.key)),
    },
    { row: rows.iss, what: 'no iss', text: signed(without(claims(), 'iss')) },
    { row: rows.iss, what: 'the iss of another client', text: changing({ iss: 'mcp-conform-another' }) },
    { row: rows.sub, what: 'no sub', text: signed(without(claims(), 'sub')) },
    { row: rows.sub, what: 'the sub of an unknown client', text: changing({ sub: 'mcp-conform-another' }) },
    { row: rows.aud, what: 'no aud', text: signed(without(claims(), 'aud')) },
    { row: rows.aud, what: 'the aud of another server', text: changing({ aud: 'https://other.example' }) },
    { row: rows.exp, what: 'an exp an hour ago', text: changing({ iat: now - 7_200, exp: now - 3_600 }) },
    { row: rows.exp, what: 'no exp', text: signed(without(claims(), 'exp')) },
    { row: rows.nbf, what: 'an nbf in an hour', text: changing({ nbf: now + 3_600, exp: now + 7_200 }) },
  ];
}

const publicJwk = (key: KeyObject): JsonObject => {
  const { d: _, p: _p, q: _q, dp: _dp, dq: _dq, qi: _qi, ...open } = key.export({ format: 'jwk' });
  return open as JsonObject;
};

function judgeMetadata(
  oauth: OAuth,
  expect: Expect<
    | 'ext-client-credentials.as-auth-methods'
    | 'ext-client-credentials.as-signing-algs'
    | 'ext-client-credentials.as-signing-algs-none'
  >,
  answer: WebAnswer,
): void {
  const evidence = [answer.exchange];
  const methods = methodsIn(oauth);
  const { token_endpoint_auth_signing_alg_values_supported: algorithms } = oauth.metadata.document;
  expect.that('ext-client-credentials.as-auth-methods', {
    ok: has(methods, 'private_key_jwt') || has(methods, 'client_secret_basic'),
    expected: 'token_endpoint_auth_methods_supported with private_key_jwt or client_secret_basic',
    evidence,
    actual: methods === undefined ? 'no such member' : JSON.stringify(methods),
  });
  if (has(methods, 'private_key_jwt'))
    expect.that('ext-client-credentials.as-signing-algs', {
      ok: Array.isArray(algorithms) && algorithms.length > 0,
      expected: 'token_endpoint_auth_signing_alg_values_supported, because private_key_jwt is supported',
      evidence,
      actual: algorithms === undefined ? 'no such member' : JSON.stringify(algorithms),
    });
  else expect.notObserved('ext-client-credentials.as-signing-algs', 'private_key_jwt is not listed');
  if (Array.isArray(algorithms))
    expect.that('ext-client-credentials.as-signing-algs-none', {
      ok: !algorithms.includes('none'),
      expected: 'algorithms without none',
      evidence,
      actual: JSON.stringify(algorithms),
    });
  else expect.notObserved('ext-client-credentials.as-signing-algs-none', 'no algorithms are listed');
}

export const scenarios = [
  scenario.authorization('authorization-server/ext-client-credentials/metadata', {
    title: 'the metadata has what clients with credentials of their own need',
    verifies: [
      'ext-client-credentials.as-auth-methods',
      'ext-client-credentials.as-signing-algs',
      'ext-client-credentials.as-signing-algs-none',
    ],
    needs: ['endpoints', 'machine'],
    async run({ oauth, expect, candidates }) {
      const place = candidates.find(({ answer }) => answer.status === 200 && answer.json);
      if (!place) return;
      judgeMetadata(oauth, expect, await oauth.web.ask({ endpoint: 'metadata', url: place.url }));
    },
  }),

  scenario.authorization('authorization-server/ext-client-credentials/grant', {
    title: 'a client gets a token by its own credentials, without a refresh token',
    verifies: ['ext-client-credentials.as-grant', 'ext-client-credentials.as-no-refresh-token'],
    needs: ['endpoints', 'machine'],
    async run({ oauth, expect, machine }) {
      const answers = await askCorrectly(oauth, machine!);
      const evidence = answers.map(({ exchange }) => exchange);
      const last = answers.at(-1)!;
      expect.that('ext-client-credentials.as-grant', {
        ok: gotTokens(last),
        expected: 'an access token',
        evidence,
        actual: shown(last),
      });
      const row = 'ext-client-credentials.as-no-refresh-token';
      if (!gotTokens(last)) return expect.notObserved(row, 'the client gets no token');
      expect.that(row, {
        ok: last.json?.refresh_token === undefined,
        expected: 'no refresh_token',
        evidence: [last.exchange],
        actual: 'a refresh_token',
      });
    },
  }),

  scenario.authorization('authorization-server/ext-client-credentials/unauthenticated', {
    title: 'a client ID alone gets no token',
    verifies: ['ext-client-credentials.as-confidential'],
    needs: ['endpoints', 'machine'],
    async run({ oauth, expect, machine }) {
      const answer = await requestAsMachine(oauth, { client_id: machine!.id }, { deliberate: true });
      expectRefused(expect, 'ext-client-credentials.as-confidential', answer, 'an access token');
    },
  }),

  scenario.authorization('authorization-server/ext-client-credentials/wrong-secret', {
    title: 'a wrong client secret gets no token',
    verifies: ['ext-client-credentials.as-secret'],
    needs: ['endpoints', 'machine secret'],
    async run({ oauth, expect, machine }) {
      const [id, wrong] = [machine!.id, 'mcp-conform-wrong-secret'];
      for (const answer of [
        await requestAsMachine(oauth, {}, { basic: [id, wrong], deliberate: true }),
        await requestAsMachine(oauth, { client_id: id, client_secret: wrong }, { deliberate: true }),
      ])
        expectRefused(expect, 'ext-client-credentials.as-secret', answer, 'an access token');
    },
  }),

  scenario.authorization('authorization-server/ext-client-credentials/wrong-assertions', {
    title: 'an assertion that is wrong in one point gets no token',
    verifies: Object.values(rows),
    needs: ['endpoints', 'machine key'],
    async run({ oauth, expect, machine }) {
      const key = machine!.key!;
      let accepted: string | undefined;
      for (const audience of audiencesOf(oauth)) {
        const answer = await requestAsMachine(oauth, byAssertion(assertionOf(machine!, key, audience)));
        if (gotTokens(answer)) accepted ??= audience;
      }
      if (accepted === undefined) {
        for (const row of Object.values(rows))
          expect.inconclusive(row, 'the authorization server accepts no correct assertion');
        return;
      }
      for (const { row, what, text } of wrongAssertions(machine!, key, accepted)) {
        const answer = await requestAsMachine(oauth, byAssertion(text), { deliberate: true });
        expectRefused(expect, row, answer, `an access token for ${what}`);
      }
    },
  }),
];
