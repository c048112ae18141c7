/** Faults of a proxy that always uses the same client ID at a third party. */

import type { HttpReply } from '../../server/http/reply.js';
import { type AuthorizationDeviation, authorizationFault as fault } from '../fault.js';
import type { Policy } from '../policy.js';

/** Changes the consent page. */
const consentPage = (change: (reply: HttpReply, text: string) => HttpReply): Partial<Policy> => ({
  reply: (reply, endpoint) =>
    endpoint === 'authorization' && typeof reply.body === 'string' ? change(reply, reply.body) : reply,
});

/** Removes the host of the redirect URI from the consent page. */
export const redirectHidden = consentPage((reply, text) => ({
  ...reply,
  body: text.replace(/ You will be sent to .*?<\/p>/, '</p>'),
}));

/** Replaces the headers that forbid frames. */
const framed = (headers: HttpReply['headers']): Partial<Policy> =>
  consentPage(reply => {
    const { 'X-Frame-Options': _, 'Content-Security-Policy': __, ...others } = reply.headers;
    return { ...reply, headers: { ...others, ...headers } };
  });

/** All faults of the mock as a proxy. */
export const proxyFaults: readonly AuthorizationDeviation[] = [
  fault(
    'proxy-asks-nobody',
    {
      what: 'Users are redirected to the third party without a consent page for the client.',
      breaks: ['auth.proxy-consent', 'auth.proxy-consent-registry'],
      shows: ['auth.proxy-consent#no-page', 'auth.proxy-consent-registry#no-page'],
    },
    { asksUser: () => false },
  ),
  fault(
    'proxy-consent-for-all',
    {
      what: 'The consent of a user for one client applies to all clients.',
      breaks: ['auth.proxy-consent-registry'],
      shows: ['auth.proxy-consent-registry#for-all'],
    },
    { consentSubject: () => 'anybody' },
  ),
  fault(
    'proxy-page-without-name',
    {
      what: 'The consent page does not name the client.',
      breaks: ['auth.proxy-consent-page'],
      shows: ['auth.proxy-consent-page#no-name'],
    },
    consentPage((reply, text) => ({ ...reply, body: text.replace(/<b>.*?<\/b> wants/, 'Somebody wants') })),
  ),
  fault(
    'proxy-page-without-redirect',
    {
      what: 'The consent page does not show the host of the redirect URI.',
      breaks: ['auth.proxy-consent-page'],
      shows: ['auth.proxy-consent-page#no-redirect'],
    },
    redirectHidden,
  ),
  fault(
    'proxy-page-forgeable',
    {
      what: 'A consent form without its token is accepted, so that any site sends it for the user.',
      breaks: ['auth.proxy-consent-page'],
      shows: ['auth.proxy-consent-page#forgeable'],
    },
    { needsFormToken: () => false },
  ),
  fault(
    'proxy-page-framed',
    {
      what: 'The consent page has no header that forbids frames.',
      breaks: ['auth.proxy-consent-framing'],
      shows: ['auth.proxy-consent-framing#no-header'],
    },
    framed({}),
  ),
  fault(
    'proxy-page-framed-by-policy',
    {
      what: 'The consent page has a Content-Security-Policy header that allows any site to frame the page.',
      breaks: ['auth.proxy-consent-framing'],
      shows: ['auth.proxy-consent-framing#any-site'],
    },
    framed({ 'Content-Security-Policy': 'frame-ancestors *' }),
  ),
  fault(
    'proxy-cookie-for-scripts',
    {
      what: 'The consent cookie has no HttpOnly attribute.',
      breaks: ['auth.proxy-consent-cookie'],
      shows: ['auth.proxy-consent-cookie#scripts'],
    },
    { consentAttributes: () => 'Path=/; SameSite=Lax' },
  ),
  fault(
    'proxy-cookie-for-all-sites',
    {
      what: 'The consent cookie has no SameSite attribute.',
      breaks: ['auth.proxy-consent-cookie'],
      shows: ['auth.proxy-consent-cookie#all-sites'],
    },
    { consentAttributes: () => 'Path=/; HttpOnly' },
  ),
  fault(
    'proxy-cookie-unsigned',
    {
      what: 'A consent cookie with any value is accepted.',
      breaks: ['auth.proxy-consent-cookie'],
      shows: ['auth.proxy-consent-cookie#unsigned'],
    },
    { consentHolds: () => true },
  ),
  fault(
    'proxy-state-constant',
    {
      what: 'The state in the redirect to the third party is the same for all users.',
      breaks: ['auth.proxy-state'],
      shows: ['auth.proxy-state#constant'],
    },
    { newState: () => 'always-the-same-state' },
  ),
  fault(
    'proxy-state-reusable',
    {
      what: 'A callback from the third party with a used state is accepted.',
      breaks: ['auth.proxy-state'],
      shows: ['auth.proxy-state#reusable'],
    },
    { keepsStates: () => true },
  ),
  fault(
    'proxy-state-optional',
    {
      what: 'A callback from the third party without a state is accepted.',
      breaks: ['auth.proxy-state'],
      shows: ['auth.proxy-state#optional'],
    },
    { stateOf: (given, known) => given ?? known.at(-1) },
  ),
  fault(
    'proxy-state-unread',
    {
      what: 'A callback from the third party with any state is accepted.',
      breaks: ['auth.proxy-state'],
      shows: ['auth.proxy-state#unread'],
    },
    { stateOf: (given, known) => (given === null ? undefined : known.at(-1)) },
  ),
  fault(
    'proxy-state-in-any-browser',
    {
      what: 'A callback from the third party is accepted in another browser than the one of its state.',
      breaks: ['auth.proxy-state'],
      shows: ['auth.proxy-state#any-browser'],
    },
    { isTraveller: () => true },
  ),
];
