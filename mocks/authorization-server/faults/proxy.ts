/** What a careless proxy before a third party does, with a client ID there that is always the same. */

import type { HttpReply } from '../../server/http/reply.js';
import { type AuthorizationDeviation, authorizationFault as fault } from '../fault.js';
import type { Policy } from '../policy.js';

/** Changes the page that asks the user. */
const consentPage = (change: (reply: HttpReply, text: string) => HttpReply): Partial<Policy> => ({
  reply: (reply, endpoint) =>
    endpoint === 'authorization' && typeof reply.body === 'string' ? change(reply, reply.body) : reply,
});

/** The page does not say where the answer goes. */
export const redirectHidden = consentPage((reply, text) => ({
  ...reply,
  body: text.replace(/ You will be sent to .*?<\/p>/, '</p>'),
}));

/** In place of what keeps the page out of frames. */
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
      what: 'Users are sent on to the third party without being asked about the client.',
      breaks: ['auth.proxy-consent', 'auth.proxy-consent-registry'],
    },
    { asksUser: () => false },
  ),
  fault(
    'proxy-consent-for-all',
    {
      what: 'Who has let one client in has let in all of them.',
      breaks: ['auth.proxy-consent-registry'],
    },
    { consentSubject: () => 'anybody' },
  ),
  fault(
    'proxy-page-without-name',
    { what: 'The page does not name the client.', breaks: ['auth.proxy-consent-page'] },
    consentPage((reply, text) => ({ ...reply, body: text.replace(/<b>.*?<\/b> wants/, 'Somebody wants') })),
  ),
  fault(
    'proxy-page-without-redirect',
    {
      what: 'The page does not say where the answer goes.',
      breaks: ['auth.proxy-consent-page'],
    },
    redirectHidden,
  ),
  fault(
    'proxy-page-forgeable',
    { what: 'Any site can agree for the user.', breaks: ['auth.proxy-consent-page'] },
    { needsFormToken: () => false },
  ),
  fault(
    'proxy-page-framed',
    { what: 'Any site can frame the page.', breaks: ['auth.proxy-consent-framing'] },
    framed({}),
  ),
  fault(
    'proxy-page-framed-by-policy',
    { what: 'The page says that any site may frame it.', breaks: ['auth.proxy-consent-framing'] },
    framed({ 'Content-Security-Policy': 'frame-ancestors *' }),
  ),
  fault(
    'proxy-cookie-for-scripts',
    { what: 'Scripts can read the consent cookie.', breaks: ['auth.proxy-consent-cookie'] },
    { consentAttributes: () => 'Path=/; SameSite=Lax' },
  ),
  fault(
    'proxy-cookie-for-all-sites',
    { what: 'The consent cookie goes with requests of any site.', breaks: ['auth.proxy-consent-cookie'] },
    { consentAttributes: () => 'Path=/; HttpOnly' },
  ),
  fault(
    'proxy-cookie-unsigned',
    { what: 'Any value of the consent cookie will do.', breaks: ['auth.proxy-consent-cookie'] },
    { consentHolds: () => true },
  ),
  fault(
    'proxy-state-constant',
    { what: 'The state is the same for everybody.', breaks: ['auth.proxy-state'] },
    { newState: () => 'always-the-same-state' },
  ),
  fault(
    'proxy-state-reusable',
    { what: 'A state works more than once.', breaks: ['auth.proxy-state'] },
    { keepsStates: () => true },
  ),
  fault(
    'proxy-state-optional',
    { what: 'Who comes back without a state is let in.', breaks: ['auth.proxy-state'] },
    { stateOf: (given, known) => given ?? known.at(-1) },
  ),
  fault(
    'proxy-state-unread',
    { what: 'Who comes back with any state is let in.', breaks: ['auth.proxy-state'] },
    { stateOf: (given, known) => (given === null ? undefined : known.at(-1)) },
  ),
  fault(
    'proxy-state-in-any-browser',
    { what: 'A state works in another browser than its own.', breaks: ['auth.proxy-state'] },
    { isTraveller: () => true },
  ),
];
