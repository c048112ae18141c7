/**
 * Discovery of an authorization server, before the run is planned: its features, and the result of the flow
 * without a browser window.
 */

import type { AuthorizationFacts } from '../../../spec/revisions.js';
import { type Authorization, clientIn, OAuth, type OAuthClient, registrationOf } from '../../oauth/client.js';
import type { ClientDocuments, DocumentPlace } from '../../oauth/client-documents.js';
import {
  type Candidate,
  endpointsFrom,
  isLoopback,
  lookForMetadata,
  type ServerMetadata,
} from '../../oauth/discovery.js';
import { dpopExtension } from '../../oauth/dpop.js';
import type { IdentityProvider, MachineClient } from '../../oauth/machine-client.js';
import { type Login, UserAgent } from '../../oauth/user-agent.js';
import type { Need } from '../../scenario/scenario.js';
import type { Web, WebAnswer } from '../../transports/http/side-request.js';

/** An authorization server, with options from the user. */
export interface AuthorizationServerSubject {
  readonly issuer: URL;
  /** Clients known to the server; default: clients that the harness registers. */
  readonly clients?: readonly OAuthClient[];
  readonly login?: Login;
  /** A client that gets tokens by its own credentials; default: none, and nothing is asked about such clients. */
  readonly machine?: MachineClient;
  /** An identity provider that the server trusts; default: none, and nothing is asked about ID-JAGs. */
  readonly identityProvider?: IdentityProvider;
  /** Identifiers of extensions that the server has, beside those that its metadata shows. */
  readonly extensions?: readonly string[];
  /** Resource of the requested tokens; default: one at the origin of the issuer. */
  readonly resource?: string;
  readonly scope?: string;
  /** Addresses at which the server can fetch client metadata documents of the harness. */
  readonly documents?: DocumentPlace;
  /**
   * The server is a proxy for the authorization server at this address, where all clients of the proxy share
   * one client ID.
   */
  readonly thirdParty?: URL;
  /** Attacks are allowed even if the server is not on this host. */
  readonly mayAttack?: boolean;
  /** Requests go to private, link-local and loopback addresses that the server names. */
  readonly allowExternal?: boolean;
  /** Checks that take many minutes are allowed. */
  readonly long?: boolean;
}

export interface Acquaintance {
  readonly candidates: readonly Candidate[];
  readonly metadata: ServerMetadata | undefined;
  readonly clients: readonly OAuthClient[];
  readonly agent: UserAgent;
  readonly resource: string | undefined;
  readonly scope: string | undefined;
  readonly lacks: ReadonlyMap<Need, Lack>;
}

/** The reason why a precondition is not met. */
export interface Lack {
  readonly why: string;
  /** True if the server may meet the precondition, but the harness could not find out. */
  readonly unclear: boolean;
}

/** No process listens on this address: the user agent stops before the redirect. */
export const redirectUri = 'http://127.0.0.1:33418/callback';

export async function discoverIssuer(
  subject: AuthorizationServerSubject,
  facts: AuthorizationFacts,
  web: Web,
  documents?: ClientDocuments,
): Promise<Acquaintance> {
  const { issuer, login = {} } = subject;
  const lacks = new Map<Need, Lack>();
  const lack = (need: Need, why: string, unclear = false) =>
    lacks.has(need) || lacks.set(need, { why, unclear });
  const candidates = await lookForMetadata(web, issuer);
  const metadata = endpointsFrom(candidates, issuer, facts);
  const agent = new UserAgent(web, login);
  const scope = subject.scope ?? usualScope(metadata);
  let resource = facts.resourceMetadata
    ? (subject.resource ?? new URL('/mcp', issuer.origin).href)
    : undefined;
  const oauth = () => new OAuth({ web, metadata: metadata ?? nowhere, login, agent, resource, scope });

  if (!isLoopback(issuer) && !subject.mayAttack)
    lack('consent to attack', 'the authorization server is not on this host, and --as-active is not given');
  const { machine } = subject;
  const noMachine = 'no client is named that gets tokens by its own credentials; give --credentials-client';
  if (!machine) lack('machine', noMachine);
  if (machine?.secret === undefined)
    lack('machine secret', machine ? 'the client has no secret; give --credentials-secret' : noMachine);
  if (!subject.identityProvider)
    lack('identity provider', 'no identity provider is named that the server trusts; give --idp-issuer');
  if (!machine?.key)
    lack('machine key', machine ? 'the client has no key; give --credentials-key' : noMachine);
  const showsDpop = metadata?.document.dpop_signing_alg_values_supported !== undefined;
  if (!showsDpop && !subject.extensions?.includes(dpopExtension))
    lack('dpop', `the metadata lists no algorithms for proofs; give --extension ${dpopExtension}`);
  if (!subject.long) lack('patience', 'the check takes many minutes, and --long is not given');
  if (!subject.thirdParty)
    lack(
      'third party',
      'the authorization server is not declared as a proxy for a third party; give --third-party',
    );
  if (metadata?.document.client_id_metadata_document_supported !== true)
    lack('documents offered', 'the authorization server does not offer client ID metadata documents');
  if (!documents)
    lack('document address', 'there is no https address to serve documents from; give --cimd-base-url');

  if (!metadata)
    for (const need of ['endpoints', 'registration', 'client'] as const)
      lack(need, 'no metadata was found', true);
  const clients = metadata ? await findClients(subject, oauth(), lack) : [];
  if (!metadata?.authorization || !metadata.token)
    lack('endpoints', 'the metadata of the authorization server lacks an endpoint', true);
  if (clients.length === 0)
    lack('client', lacks.get('registration')?.why ?? 'no client is known to the authorization server', true);
  if (clients.length < 2)
    lack('two clients', 'only one client is known to the authorization server; give --client-id twice', true);

  let granted: Authorization | undefined;
  if (clients[0] && !lacks.has('endpoints')) {
    granted = await oauth().authorize(clients[0]);
    if (granted.error === 'invalid_target' && !subject.resource) {
      resource = undefined;
      granted = await oauth().authorize(clients[0]);
    }
  }
  const tokens = granted?.code ? await oauth().redeem(granted) : undefined;
  const why = whyNoTokens(granted, tokens);
  if (!granted?.code) lack('code', why, true);
  if (!tokens?.json?.access_token) lack('refresh token', why, true);
  else if (typeof tokens.json.refresh_token !== 'string')
    lack('refresh token', 'the authorization server issues no refresh tokens');
  const refusal = await whyNoDocuments(lacks, oauth(), documents);
  if (refusal !== undefined) lack('client documents', refusal);
  return { candidates, metadata, clients, agent, resource, scope, lacks };
}

/** The reason why a client with a valid document gets no code; a server may trust only some addresses. */
async function whyNoDocuments(
  lacks: ReadonlyMap<Need, Lack>,
  oauth: OAuth,
  documents: ClientDocuments | undefined,
): Promise<string | undefined> {
  const missing = lacks.get('document address') ?? lacks.get('endpoints');
  if (missing || !documents) return missing?.why;
  const { code, error, visit } = await oauth.authorize(documents.publish(redirectUri).client);
  if (code !== undefined) return undefined;
  const offered = lacks.get('documents offered')?.why;
  return (
    offered ?? `the authorization server does not accept a valid document: ${visit.stuck ?? `error=${error}`}`
  );
}

const nowhere: ServerMetadata = {
  document: {},
  authorization: undefined,
  token: undefined,
  registration: undefined,
  byDefault: true,
};

async function findClients(
  { clients }: AuthorizationServerSubject,
  oauth: OAuth,
  lack: (need: Need, why: string, unclear?: boolean) => void,
): Promise<readonly OAuthClient[]> {
  if (!oauth.metadata.registration) {
    lack('registration', 'the authorization server offers no registration; give --client-id');
    return clients ?? [];
  }
  if (clients) {
    lack('registration', 'clients are given with --client-id');
    return clients;
  }
  const found: OAuthClient[] = [];
  for (const name of ['mcp-conform A', 'mcp-conform B']) {
    const answer = await oauth.register(registrationOf(name, redirectUri));
    const client =
      answer.status !== undefined && answer.status < 300 ? clientIn(answer.json, redirectUri) : undefined;
    if (client) found.push(client);
    else
      lack(
        'registration',
        `registration is refused with ${answer.status ?? answer.failure}; give --client-id`,
      );
  }
  return found;
}

/** Scopes for a refresh token, where scopes decide about it, and one other scope of the server. */
function usualScope(metadata: ServerMetadata | undefined): string | undefined {
  const known = metadata?.document.scopes_supported;
  if (!Array.isArray(known)) return undefined;
  const texts = known.filter((s): s is string => typeof s === 'string');
  const special = ['openid', 'offline_access'];
  const wanted = texts.includes('offline_access') ? special.filter(s => texts.includes(s)) : [];
  const own = texts.find(s => !special.includes(s));
  return [...wanted, ...(own ? [own] : [])].join(' ') || undefined;
}

function whyNoTokens(granted: Authorization | undefined, tokens: WebAnswer | undefined): string {
  if (!granted) return 'no authorization flow could be started';
  if (granted.visit.stuck) return granted.visit.stuck;
  if (!granted.code) return `the authorization server returned error=${granted.error}`;
  return `the response to the token request: ${tokens?.status ?? tokens?.failure}`;
}
