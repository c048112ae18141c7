/** Helpers for scenarios about clients of a protected server. */

import { NotObserved } from '../../../harness/peer/deferred.js';
import type { Authority, AuthorizationRequest } from '../../../harness/protected-server/authority.js';
import type { Protection, Served } from '../../../harness/protected-server/script.js';
import type { ProtectedServer } from '../../../harness/protected-server/server.js';
import type { HttpExchange } from '../../../harness/record/http-exchange.js';
import type { ClientScenario } from '../../../harness/scenario/client.js';
import type { Expect } from '../../../harness/scenario/expect.js';
import { scenario } from '../../../harness/scenario/scenario.js';
import type { Script } from '../../../harness/scenario/script.js';
import { pages, type Serve } from '../../../harness/scenario/serve.js';
import type { HttpIncoming } from '../../../harness/transports/http/server/behaviour.js';
import { asText, isObject, type JsonObject } from '../../../spec/json-rpc.js';
import type { RequirementId } from '../../../spec/requirement.js';
import { says, tool } from '../world.js';

/** A tool that requires more scope in some scenarios; clients of the official suite call no other tool. */
export const privileged = 'test-tool';

const names = ['test_simple_text', privileged];

const served: Serve = {
  'tools/list': pages([names.map(name => tool(name))]),
  'tools/call': ({ name }) => says(`The text of ${asText(name)}.`),
};

export interface Outcome<Id extends RequirementId> {
  readonly protectedServer: ProtectedServer;
  readonly expect: Expect<Id>;
  /** The authorization server that issues the tokens. */
  readonly main: Authority;
  /** The client follows scripts, so it also reads the other inputs of the harness. */
  readonly scripted: boolean;
}

interface Definition<Ids extends readonly RequirementId[]> {
  readonly title: string;
  readonly verifies: Ids;
  readonly protection: Protection;
  readonly does?: Script;
  /** Responses in place of the usual ones. */
  readonly serve?: Serve;
  /** Milliseconds beyond the actions of the script. */
  readonly lasts?: number;
  /** The nearest scenario of the official suite. */
  readonly official?: string;
  /** Judges the outcome after the client has exited; rules judge as well. */
  readonly judge?: (outcome: Outcome<Ids[number]>) => void | Promise<void>;
  readonly judgesProcess?: true;
}

/** Enough to get access; scenarios about calls have their own script. */
const plainScript: Script = [['connect'], ['close']];

/** A scenario with a protected server. @param name as in other scenarios, below `client/authorization/` */
export const protectedScenario = <const Ids extends readonly RequirementId[]>(
  name: string,
  {
    protection,
    does = plainScript,
    official = 'auth/metadata-default',
    judge,
    serve,
    ...rest
  }: Definition<Ids>,
): ClientScenario =>
  scenario.client.http(name, {
    ...rest,
    protection,
    does,
    official,
    serve: { ...served, ...serve },
    // other scenarios cover streams; scenarios that only need access have no sessions
    http: { answers: 'json', getStream: false, sessions: does !== plainScript },
    begins: 'started',
    async run({ protectedServer, expect, scripted }) {
      await protectedServer.over;
      // a client that no 401 asked for a token has no reason to get one
      const isAsked = protectedServer.mcpRequests.some(({ refusal }) => refusal !== undefined);
      if (!isAsked && !protectedServer.reacted)
        throw new NotObserved('the client sent no request that needs a token');
      await judge?.({
        protectedServer,
        expect: expect as Expect<Ids[number]>,
        main: protectedServer.authority(),
        scripted,
      });
    },
  });

/** Requests of the client to an authorization server, except for its published documents. */
export const uses = (authority: Authority): HttpExchange[] =>
  [...authority.registrations, ...authority.authorizations, ...authority.tokenRequests].map(
    ({ exchange }) => exchange,
  );

/** The response of a URL that has no document, with a status other than 404. */
export const refused = (status: number): Served => ({
  answer: { status, headers: { 'Content-Type': 'application/json' }, body: '{"error":"refused"}' },
});

/** The exchanges of requests, as evidence. */
export const exchangesOf = (requests: readonly HttpIncoming[]): HttpExchange[] =>
  requests.map(({ exchange }) => exchange);

/** The last request of the client: the point where it stopped. */
export function lastSeen(protectedServer: ProtectedServer): HttpExchange[] {
  const last =
    protectedServer.oauthRequests.at(-1)?.request.exchange ?? protectedServer.mcpRequests.at(-1)?.exchange;
  return last ? [last] : [];
}

/** The last step of a flow, as a text. */
export function howFar(protectedServer: ProtectedServer): string {
  const used = protectedServer.admitted.length > 0;
  if (used) return 'the client got access';
  const main = protectedServer.authority();
  const last = main.tokenRequests.at(-1) ?? main.authorizations.at(-1) ?? main.registrations.at(-1);
  const kind =
    last === undefined
      ? undefined
      : 'code' in last
        ? 'authorization'
        : 'params' in last
          ? 'token'
          : 'registration';
  if (kind !== undefined) return `the last step of the client was the ${kind} request`;
  const { host, request } = protectedServer.oauthRequests.at(-1) ?? {};
  return request
    ? `the last request of the client was ${request.method} ${request.url.pathname} at ${host}`
    : 'the client requested no metadata, authorization or token';
}

/** Expects access with a token of the main authorization server. */
export function expectEntry<Id extends RequirementId>(
  { protectedServer, expect }: Outcome<Id>,
  id: Id,
  what = 'the client gets a token and uses it',
): void {
  const [entry] = protectedServer.admitted;
  if (!entry && protectedServer.awaitsUser)
    expect.inconclusive(
      id,
      'the client waits for its user, and neither opened nor printed the address of the authorization request',
    );
  else
    expect.that(id, {
      ok: entry !== undefined,
      expected: what,
      evidence: entry?.exchange ? [entry.exchange] : lastSeen(protectedServer),
      actual: howFar(protectedServer),
    });
}

/** Expects no use of an authorization server after the client has read a document that excludes it. */
export function expectNoUse<Id extends RequirementId>(
  { expect }: Outcome<Id>,
  id: Id,
  authority: Authority,
  { seen, what }: { readonly seen: readonly HttpIncoming[]; readonly what: string },
): void {
  // a request to a guessed endpoint is no use of the document
  const [use] = uses(authority).filter(({ request }) => request?.url.includes('/x7/'));
  if (use)
    expect.that(id, {
      ok: false,
      expected: what,
      evidence: [...exchangesOf(seen), use],
      actual: `${use.request?.method} ${use.request?.url}`,
    });
  // a client that did not read the document has refused nothing
  else if (seen.length > 0) expect.noViolation(id, exchangesOf(seen));
}

/** The scopes of an authorization request. */
export const scopesOf = ({ params }: AuthorizationRequest): string[] =>
  (params.get('scope') ?? '').split(' ').filter(value => value !== '');

/** The name of the tool in a tools/call. */
export const calledTool = (message: JsonObject | undefined): string | undefined =>
  message?.method === 'tools/call' && isObject(message.params) ? asText(message.params.name) : undefined;
