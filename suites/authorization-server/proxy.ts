/**
 * basic/authorization, confused deputies: a proxy that has one client ID at a third party for all its
 * clients.
 */

import { clientIn, isAt, type OAuth, type OAuthClient, registrationOf } from '../../harness/oauth/client.js';
import { isLoopback } from '../../harness/oauth/discovery.js';
import { formsOf } from '../../harness/oauth/forms.js';
import type { UserAgent, Visit } from '../../harness/oauth/user-agent.js';
import type { HttpExchange } from '../../harness/record/http-exchange.js';
import { redirectUri } from '../../harness/run/authorization-server/discovery.js';
import type { Expect } from '../../harness/scenario/expect.js';
import { scenario } from '../../harness/scenario/scenario.js';
import type { WebAnswer } from '../../harness/transports/http/side-request.js';
import { hasScript, shownOn } from './page.js';

const needs = ['registration', 'code', 'third party', 'consent to attack'] as const;

/** Whether a URL asks the third party to authorize the proxy. */
const goesOnTo =
  ({ origin }: URL) =>
  (url: URL): boolean =>
    url.origin === origin && url.searchParams.has('client_id');

async function freshClient(oauth: OAuth, name: string): Promise<OAuthClient> {
  const answer = await oauth.register(registrationOf(name, redirectUri));
  return clientIn(answer.json, redirectUri) ?? { id: 'none', authMethod: 'none', redirectUri };
}

const seen = (visit: Visit): HttpExchange[] => visit.hops.map(hop => hop.exchange);

/** The redirects and pages that the request of a client causes, at most up to the third party. */
const send = async (
  oauth: OAuth,
  client: OAuthClient,
  thirdParty: URL,
  agent: UserAgent,
  manner: 'agree' | 'stop' = 'agree',
): Promise<Visit> =>
  (await oauth.authorize(client, { agent, manner, isCallback: goesOnTo(thirdParty) })).visit;

/** The browser of a user who has given consent for a client. */
async function convinced(oauth: OAuth, client: OAuthClient): Promise<UserAgent | undefined> {
  const agent = oauth.newAgent();
  const { code } = await oauth.authorize(client, { agent });
  return code === undefined ? undefined : agent;
}

const asksForPassword = ({ text, url }: WebAnswer): boolean =>
  formsOf(text, url).some(form => form.fields.some(({ type }) => type === 'password'));

/** Whether a page forbids other sites to show it in a frame. */
function refusesFrames(page: WebAnswer): boolean {
  const policy = page.headers('content-security-policy').join(';');
  const [, ancestors] = /frame-ancestors([^;]*)/i.exec(policy) ?? [];
  if (ancestors !== undefined)
    return !ancestors.split(/\s+/).some(one => ['*', 'http:', 'https:'].includes(one));
  return /^(deny|sameorigin)$/i.test(page.header('x-frame-options')?.trim() ?? '');
}

/**
 * The attribute that a consent cookie lacks. `Secure` and `__Host-` are not required on loopback, where http
 * does not permit them.
 */
function flawOfCookie(line: string, secure: boolean): string | undefined {
  const attributes = line.split(';').map(part => part.trim().toLowerCase());
  const has = (pattern: RegExp) => attributes.slice(1).some(one => pattern.test(one));
  if (!has(/^httponly$/)) return 'HttpOnly';
  if (!has(/^samesite=(lax|strict)$/)) return 'SameSite=Lax';
  if (!secure) return undefined;
  if (!has(/^secure$/)) return 'Secure';
  return line.startsWith('__Host-') ? undefined : 'the prefix __Host- in its name';
}

export const scenarios = [
  scenario.authorization('authorization-server/proxy/consent-first', {
    title: 'no user is sent to the third party before a consent page about the client',
    verifies: ['auth.proxy-consent'],
    needs,
    async run({ oauth, expect, thirdParty }) {
      const row = 'auth.proxy-consent';
      const visits: Visit[] = [];
      for (const name of ['mcp-conform C', 'mcp-conform D'])
        visits.push(await send(oauth, await freshClient(oauth, name), thirdParty!, oauth.newAgent()));
      const ids = visits.map(({ callback }) => callback?.searchParams.get('client_id'));
      if (new Set(ids).size > 1)
        return expect.notObserved(row, 'each client has an ID of its own at the third party');
      const asked = visits.every(({ pages }) => pages.length > 0);
      const actual = `an immediate redirect to ${thirdParty!.host}, as ${ids[0]}`;
      expect.that(row, {
        ok: asked,
        expected: 'a consent page before the redirect',
        evidence: visits.flatMap(seen),
        actual,
      });
    },
  }),

  scenario.authorization('authorization-server/proxy/consent-for-each', {
    title: 'consent for one client is not valid for another client',
    verifies: ['auth.proxy-consent-registry'],
    needs,
    async run({ oauth, expect, thirdParty }) {
      const row = 'auth.proxy-consent-registry';
      const agent = await convinced(oauth, await freshClient(oauth, 'mcp-conform E'));
      if (!agent) return expect.inconclusive(row, 'a registered client gets no code');
      const another = await freshClient(oauth, 'mcp-conform F');
      const visit = await send(oauth, another, thirdParty!, agent, 'stop');
      const actual = `an immediate redirect to ${thirdParty!.host}`;
      expect.that(row, {
        ok: visit.callback === undefined,
        expected: 'a consent page before the redirect',
        evidence: seen(visit),
        actual,
      });
    },
  }),

  scenario.authorization('authorization-server/proxy/page', {
    title: 'the consent page names the client and the redirect host, and forbids frames of other sites',
    verifies: ['auth.proxy-consent-page', 'auth.proxy-consent-framing'],
    needs,
    async run({ oauth, expect, thirdParty }) {
      const rows = ['auth.proxy-consent-page', 'auth.proxy-consent-framing'] as const;
      const name = 'Somebody Unheard Of';
      const visit = await send(oauth, await freshClient(oauth, name), thirdParty!, oauth.newAgent());
      const pages = visit.pages.map(({ answer }) => answer).filter(page => !asksForPassword(page));
      const page = pages.find(one => shownOn(one).includes(name)) ?? pages.at(-1);
      if (!visit.callback || !page) return expect.notObserved(rows, 'the visit led to no consent page');
      for (const what of [name, new URL(redirectUri).host]) {
        const isShown = shownOn(page).includes(what);
        if (!isShown && pages.some(hasScript))
          expect.notObserved(rows[0], `a page has a script, which may show "${what}"`);
        else
          expect.that(rows[0], {
            ok: isShown,
            expected: `a page with "${what}"`,
            evidence: [page.exchange],
            actual: 'none',
          });
      }
      const headers = ['content-security-policy', 'x-frame-options'].flatMap(header => page.headers(header));
      const actual = headers.join(', ') || 'neither';
      const wanted = 'frame-ancestors, or X-Frame-Options: DENY';
      expect.that(rows[1], { ok: refusesFrames(page), expected: wanted, evidence: [page.exchange], actual });
    },
  }),

  scenario.authorization('authorization-server/proxy/forged-consent', {
    title: 'a consent form submitted by another site is refused',
    verifies: ['auth.proxy-consent-page'],
    needs,
    async run({ oauth, expect, thirdParty }) {
      const row = 'auth.proxy-consent-page';
      const client = await freshClient(oauth, 'mcp-conform G');
      const [user, attacker] = [oauth.newAgent(), oauth.newAgent()];
      await send(oauth, client, thirdParty!, user, 'stop');
      const [first] = (await send(oauth, client, thirdParty!, attacker, 'stop')).pages;
      if (!first || asksForPassword(first.answer))
        return expect.notObserved(row, 'the first page is not a consent page');
      const options = { isCallback: goesOnTo(thirdParty!), deliberate: true };
      const visit = await user.lure(first.answer, 'https://evil.example', options);
      const actual = `on to ${thirdParty!.host}`;
      expect.that(row, {
        ok: visit.callback === undefined,
        expected: 'the consent from another site to be refused',
        evidence: seen(visit),
        actual,
      });
    },
  }),

  scenario.authorization('authorization-server/proxy/consent-cookie', {
    title: 'a consent cookie is protected from scripts and other sites, and an altered cookie is refused',
    verifies: ['auth.proxy-consent-cookie'],
    needs,
    async run({ oauth, expect, issuer, thirdParty }) {
      const row = 'auth.proxy-consent-cookie';
      const client = await freshClient(oauth, 'mcp-conform H');
      const agent = oauth.newAgent();
      const { visit } = await oauth.authorize(client, { agent });
      const isAsked = async (value: (name: string, value: string) => string | undefined) => {
        const jar = agent.cookies.copy(cookie => value(cookie.name, cookie.value));
        return (await send(oauth, client, thirdParty!, oauth.newAgent(jar), 'stop')).callback === undefined;
      };
      if (await isAsked((_, value) => value))
        return expect.notObserved(row, 'the user is asked in each request');
      const isOwn = ({ url }: WebAnswer) => url.origin === issuer.origin;
      const page = visit.pages.findLast(({ answer }) => isOwn(answer))?.answer;
      const own = page ? visit.hops.slice(visit.hops.indexOf(page) + 1).filter(isOwn) : [];
      const lines = own.flatMap(hop => hop.headers('set-cookie').map(line => ({ hop, line })));
      let found = false;
      for (const { hop, line } of lines) {
        const [, name = ''] = /^([^=]*)=/.exec(line) ?? [];
        if (!(await isAsked((other, value) => (other === name ? undefined : value)))) continue;
        found = true;
        const flaw = flawOfCookie(line, issuer.protocol === 'https:' && !isLoopback(issuer));
        expect.that(row, {
          ok: flaw === undefined,
          expected: `${flaw}`,
          evidence: [hop.exchange],
          actual: `${name} without it`,
        });
        const altered = await isAsked((other, value) => (other === name ? flipped(value) : value));
        expect.that(row, {
          ok: altered,
          expected: 'a consent page for an altered value',
          evidence: [hop.exchange],
          actual: 'none',
        });
      }
      if (!found) expect.notObserved(row, 'no single cookie stores the consent');
    },
  }),

  scenario.authorization('authorization-server/proxy/state', {
    title: 'the state of the proxy is valid once, and only in the browser that received it',
    verifies: ['auth.proxy-state'],
    needs,
    async run({ oauth, expect, thirdParty }) {
      const row = 'auth.proxy-state';
      const client = await freshClient(oauth, 'mcp-conform I');
      const journey = new Journey(oauth, client, thirdParty!, expect);
      await journey.expectRefusal('no state', url => url.searchParams.delete('state'));
      await journey.expectRefusal('an invented state', url => {
        url.searchParams.set('state', 'mcp-conform-made-this-up');
      });
      await journey.expectRefusal('the state of another browser', () => {}, oauth.newAgent());
      await journey.expectOnce();
      const fresh = new Set(journey.states).size === journey.states.length && !journey.states.includes('');
      const actual = journey.states.includes('') ? 'none' : 'the same state again';
      expect.that(row, {
        ok: fresh,
        expected: 'a new state in each request',
        evidence: journey.evidence,
        actual,
      });
    },
  }),
];

/** A series of authorizations through the third party. */
class Journey {
  readonly states: string[] = [];
  readonly evidence: HttpExchange[] = [];
  private readonly agent: UserAgent;

  constructor(
    private readonly oauth: OAuth,
    private readonly client: OAuthClient,
    private readonly thirdParty: URL,
    private readonly expect: Expect<'auth.proxy-state'>,
  ) {
    this.agent = oauth.newAgent();
  }

  /** The visit up to the redirect to the third party; undefined without such a redirect. */
  private async begin(): Promise<URL | undefined> {
    const { callback, hops } = await send(this.oauth, this.client, this.thirdParty, this.agent);
    if (!callback) return undefined;
    this.states.push(callback.searchParams.get('state') ?? '');
    this.evidence.push(hops.at(-1)!.exchange);
    return callback;
  }

  /** The visit to the third party, up to the redirect back to the proxy. */
  private async pass(there: URL): Promise<URL | undefined> {
    const home = this.oauth.metadata.authorization?.origin;
    const isCallback = (url: URL) => url.origin === home;
    return (await this.agent.visit(there, { isCallback, endpoint: 'page' })).callback;
  }

  /** The return to the proxy: whether the client gets a code. */
  private async arrive(back: URL, agent: UserAgent, deliberate: boolean) {
    const isCallback = isAt(this.client.redirectUri);
    const { callback, hops } = await agent.visit(back, { isCallback, endpoint: 'page', deliberate });
    return { accepted: callback?.searchParams.has('code') === true, evidence: hops.map(hop => hop.exchange) };
  }

  async expectRefusal(what: string, change: (back: URL) => void, agent = this.agent): Promise<void> {
    const there = await this.begin();
    const back = there && (await this.pass(there));
    if (!back)
      return this.expect.inconclusive(
        'auth.proxy-state',
        'the third party did not redirect back to the proxy',
      );
    change(back);
    const { accepted, evidence } = await this.arrive(back, agent, true);
    this.expect.that('auth.proxy-state', {
      ok: !accepted,
      expected: `a callback with ${what} to be refused`,
      evidence,
      actual: `a code with ${what}`,
    });
  }

  /** A state is accepted once and refused the second time, although the third party has agreed again. */
  async expectOnce(): Promise<void> {
    const there = await this.begin();
    const back = there && (await this.pass(there));
    const first = back && (await this.arrive(back, this.agent, false));
    if (!first?.accepted) return this.expect.inconclusive('auth.proxy-state', 'no code was issued');
    const again = await this.pass(there!);
    const second = again && (await this.arrive(again, this.agent, true));
    if (second)
      this.expect.that('auth.proxy-state', {
        ok: !second.accepted,
        expected: 'a callback with a used state to be refused',
        evidence: second.evidence,
        actual: 'a code with a used state',
      });
  }
}

/** The same text with another last character. */
const flipped = (text: string): string => text.slice(0, -1) + (text.endsWith('A') ? 'B' : 'A');
