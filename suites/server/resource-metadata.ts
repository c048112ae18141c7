/**
 * basic/authorization: the metadata of a protected server, and the discovery of its authorization servers.
 */

import { bearerParam } from '../../harness/oauth/challenge.js';
import { lookForMetadata, namesServer, webAddress } from '../../harness/oauth/discovery.js';
import { NotObserved } from '../../harness/peer/deferred.js';
import { scenario } from '../../harness/scenario/scenario.js';
import type { Web, WebAnswer } from '../../harness/transports/http/side-request.js';
import { asText } from '../../spec/json-rpc.js';
import { challengesOf } from '../rules/server/authorization.js';
import { requestWithToken } from './authorization.js';

const name = '/.well-known/oauth-protected-resource';
/** Listed authorization servers that are asked at most: the server chooses how many requests go where. */
const mostServers = 5;
const withoutAccess = { isolation: 'uninitialized', withoutAccess: true } as const;

/** The well-known URLs for a server, in the order of a client. */
function places(url: string): string[] {
  const { origin, pathname } = new URL(url);
  const path = pathname.replace(/\/$/, '');
  return [...new Set([`${origin}${name}${path}`, `${origin}${name}`])];
}

const get = (web: Web, url: string): Promise<WebAnswer> =>
  web.ask({ endpoint: 'resource-metadata', url, headers: { Accept: 'application/json' } });

const isThere = ({ status, json }: WebAnswer): boolean => status === 200 && json !== undefined;
const outcome = ({ status, failure }: WebAnswer): string => `${status ?? failure}`;

const textIn = (value: unknown): string[] =>
  Array.isArray(value) ? value.filter((one): one is string => typeof one === 'string') : [];

export const scenarios = [
  scenario.http('server/resource-metadata/found', {
    title: 'the metadata is at the URL of the challenge or at a well-known URL, and names the server',
    verifies: [
      'auth.prm-served',
      'auth.prm-discoverable',
      'auth.challenge-metadata-url-works',
      'auth.prm-format',
      'auth.prm-resource',
      'auth.prm-authorization-servers',
      'auth.prm-issuer-form',
      'auth.resource-trailing-slash',
    ],
    ...withoutAccess,
    async run(at) {
      const { expect, access, http } = at;
      const refusal = await requestWithToken(at, null);
      const challenges = challengesOf(refusal);
      const named = bearerParam(challenges, 'resource_metadata');
      const usable = named !== undefined && URL.canParse(named) ? named : undefined;
      const answers: WebAnswer[] = [];
      for (const url of new Set([...(usable ? [usable] : []), ...places(http.url)]))
        answers.push(await get(access.web, url));
      const evidence = [refusal, ...answers.map(a => a.exchange)];
      const seen = answers.map(a => `${outcome(a)} at ${a.url.pathname}`).join(', ');
      const found = answers.some(isThere);
      expect.that('auth.prm-served', { ok: found, expected: 'a metadata document', evidence, actual: seen });
      const discoverable = usable !== undefined || found;
      expect.that('auth.prm-discoverable', {
        ok: discoverable,
        expected: 'a metadata URL in the challenge, or metadata at a well-known URL',
        evidence,
        actual: seen,
      });
      const row = 'auth.challenge-metadata-url-works';
      if (named === undefined) expect.notObserved(row, 'the challenge has no metadata URL');
      else if (!usable && challenges.flaw !== undefined)
        expect.notObserved(row, 'auth.challenge-syntax judges the challenge');
      else if (!usable)
        expect.that(row, {
          ok: false,
          expected: 'resource_metadata with an absolute URL',
          evidence: [refusal],
          actual: named,
        });
      else
        expect.that(row, {
          ok: isThere(answers[0]!),
          expected: `metadata at ${usable}`,
          evidence: evidence.slice(0, 2),
          actual: outcome(answers[0]!),
        });
      if (found) {
        if (http.url.endsWith('/'))
          expect.notObserved(
            'auth.resource-trailing-slash',
            'the URL of the server itself ends with a slash',
          );
        const servers = textIn(answers.find(isThere)?.json?.authorization_servers);
        if (servers.length === 0)
          expect.notObserved('auth.prm-issuer-form', 'the metadata lists no authorization server');
        return;
      }
      const about = ['auth.prm-format', 'auth.prm-resource', 'auth.prm-authorization-servers'] as const;
      expect.notObserved(about, 'the server has no metadata');
      expect.notObserved(
        ['auth.prm-issuer-form', 'auth.resource-trailing-slash'],
        'the server has no metadata',
      );
    },
  }),

  scenario.http('server/resource-metadata/at-the-well-known-place', {
    title: 'the metadata is also at the well-known URL of its resource identifier',
    verifies: ['auth.prm-well-known'],
    ...withoutAccess,
    async run(at) {
      const { expect, access, http } = at;
      const refusal = await requestWithToken(at, null);
      const named = bearerParam(challengesOf(refusal), 'resource_metadata');
      const first = named !== undefined && URL.canParse(named) ? await get(access.web, named) : undefined;
      const resource = first?.json?.resource;
      const url = namesServer(resource, new URL(http.url)) ? asText(resource) : http.url;
      const answer = await get(access.web, places(url)[0]!);
      const right = isThere(answer);
      const where = `metadata at ${answer.url.href}`;
      expect.that('auth.prm-well-known', {
        ok: right,
        expected: where,
        evidence: [refusal, answer.exchange],
        actual: outcome(answer),
      });
    },
  }),

  scenario.http('server/resource-metadata/authorization-servers', {
    title: 'authorization servers listed in the metadata publish metadata with the listed issuer',
    verifies: ['auth.prm-issuer-resolves'],
    ...withoutAccess,
    async run(at) {
      const { expect, access, http } = at;
      const row = 'auth.prm-issuer-resolves';
      const named = bearerParam(challengesOf(await requestWithToken(at, null)), 'resource_metadata');
      const urls = [...(named !== undefined && URL.canParse(named) ? [named] : []), ...places(http.url)];
      let document: WebAnswer | undefined;
      for (const url of urls) if (!document || !isThere(document)) document = await get(access.web, url);
      const servers = textIn(document?.json?.authorization_servers).filter(one => webAddress(one));
      if (servers.length === 0) throw new NotObserved('the metadata lists no authorization server');
      const seen: string[] = [];
      const evidence = [document!.exchange];
      let found = false;
      for (const server of servers.slice(0, mostServers)) {
        if (found) break;
        const candidates = await lookForMetadata(access.web, new URL(server));
        const issuers = candidates.flatMap(c => (c.answer.status === 200 ? [c.answer.json?.issuer] : []));
        found ||= issuers.some(issuer => same(issuer, server));
        evidence.push(...candidates.map(c => c.answer.exchange));
        seen.push(`${server}: ${issuers.length > 0 ? `issuer ${issuers.join(', ')}` : 'no metadata'}`);
      }
      if (!found && servers.length > mostServers)
        return expect.inconclusive(row, `only ${mostServers} of ${servers.length} listed servers were asked`);
      expect.that(row, {
        ok: found,
        expected: 'metadata with the issuer as listed',
        evidence,
        actual: seen.join('; '),
      });
    },
  }),
];

/** A trailing slash is ignored, because the specification writes issuers with and without it. */
const same = (issuer: unknown, listed: string): boolean =>
  typeof issuer === 'string' && issuer.replace(/\/$/, '') === listed.replace(/\/$/, '');
