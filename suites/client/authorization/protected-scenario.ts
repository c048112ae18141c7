/** Scenarios for clients that come to a protected server: what all of them have in common. */

import type { Authority, AuthorizationRequest } from '../../../harness/protected-server/authority.js';
import type { Protection } from '../../../harness/protected-server/script.js';
import type { ProtectedServer } from '../../../harness/protected-server/server.js';
import type { HttpExchange } from '../../../harness/record/http-exchange.js';
import type { ClientScenario } from '../../../harness/scenario/client.js';
import type { Expect } from '../../../harness/scenario/expect.js';
import { scenario } from '../../../harness/scenario/scenario.js';
import type { Script } from '../../../harness/scenario/script.js';
import { pages, type Serve } from '../../../harness/scenario/serve.js';
import type { HttpIncoming } from '../../../harness/transports/http/server/behaviour.js';
import { isObject, type JsonObject } from '../../../spec/json-rpc.js';
import type { RequirementId } from '../../../spec/requirement.js';
import { says, tool } from '../world.js';

/** A tool that takes more than others, in some scenarios; clients of the official suite call no other one. */
export const privileged = 'test-tool';

const names = ['test_simple_text', privileged];

const served: Serve = {
  'tools/list': pages([names.map(name => tool(name))]),
  'tools/call': ({ name }) => says(`The text of ${String(name)}.`),
};

export interface Outcome<Id extends RequirementId> {
  readonly scene: ProtectedServer;
  readonly expect: Expect<Id>;
  /** The authorization server that tokens are to be had from. */
  readonly main: Authority;
  /** The client does what scripts say, so it knows what it is told in other ways as well. */
  readonly scripted: boolean;
}

interface Definition<Ids extends readonly RequirementId[]> {
  readonly title: string;
  readonly verifies: Ids;
  readonly protection: Protection;
  readonly does?: Script;
  /** The nearest scenario of the official suite. */
  readonly official?: string;
  /** What is to be said when the client is gone; rules judge besides. */
  readonly judge?: (outcome: Outcome<Ids[number]>) => void | Promise<void>;
}

/** Enough to get in: what is about calls says so. */
const plainScript: Script = [['connect'], ['close']];

/** A scenario before a protected server. @param name as everywhere, below `client/authorization/` */
export const protectedScenario = <const Ids extends readonly RequirementId[]>(
  name: string,
  { protection, does = plainScript, official = 'auth/metadata-default', judge, ...rest }: Definition<Ids>,
): ClientScenario =>
  scenario.client.http(name, {
    ...rest,
    protection,
    does,
    official,
    serve: served,
    // what is about streams is for others, and so are sessions for those that only get in
    http: { answers: 'json', getStream: false, sessions: does !== plainScript },
    begins: 'started',
    async run({ scene, expect, scripted }) {
      await scene.over;
      await judge?.({ scene, expect: expect as Expect<Ids[number]>, main: scene.authority(), scripted });
    },
  });

/** What the client went on to do with an authorization server, beyond reading what it publishes. */
export const uses = (authority: Authority): HttpExchange[] =>
  [...authority.registrations, ...authority.authorizations, ...authority.tokenRequests].map(
    ({ exchange }) => exchange,
  );

/** The exchanges of requests, as evidence. */
export const exchangesOf = (requests: readonly HttpIncoming[]): HttpExchange[] =>
  requests.map(({ exchange }) => exchange);

/** The last thing that was seen of the client: where it stopped. */
export function lastSeen(protectedServer: ProtectedServer): HttpExchange[] {
  const last =
    protectedServer.oauthRequests.at(-1)?.request.exchange ?? protectedServer.mcpRequests.at(-1)?.exchange;
  return last ? [last] : [];
}

/** What became of a flow, in words. */
export function howFar(protectedServer: ProtectedServer): string {
  const used = protectedServer.admitted.length > 0;
  if (used) return 'it got in';
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
  if (kind !== undefined) return `it came as far as the ${kind} request`;
  const { host, request } = protectedServer.oauthRequests.at(-1) ?? {};
  return request
    ? `its last request was ${request.method} ${request.url.pathname} at ${host}`
    : 'it asked for nothing';
}

/** The client got in by a token of the main authorization server. */
export function expectEntry<Id extends RequirementId>(
  { scene, expect }: Outcome<Id>,
  id: Id,
  what = 'the client gets a token and uses it',
): void {
  const [entry] = scene.admitted;
  expect.that(
    id,
    entry !== undefined,
    what,
    entry?.exchange ? [entry.exchange] : lastSeen(scene),
    howFar(scene),
  );
}

/** Nothing was done with an authorization server although the client had read what speaks against it. */
export function expectNoUse<Id extends RequirementId>(
  { expect }: Outcome<Id>,
  id: Id,
  authority: Authority,
  { seen, what }: { readonly seen: readonly HttpIncoming[]; readonly what: string },
): void {
  // what was guessed is no use of the document
  const [use] = uses(authority).filter(({ request }) => request?.url.includes('/x7/'));
  if (use)
    expect.that(id, false, what, [...exchangesOf(seen), use], `${use.request?.method} ${use.request?.url}`);
  // who was not there has refused nothing
  else if (seen.length > 0) expect.that(id, true, what, exchangesOf(seen));
}

/** The scopes an authorization request asks for. */
export const scopesOf = ({ params }: AuthorizationRequest): string[] =>
  (params.get('scope') ?? '').split(' ').filter(value => value !== '');

/** The name of a tool in a call. */
export const calledTool = (message: JsonObject | undefined): string | undefined =>
  message?.method === 'tools/call' && isObject(message.params) ? String(message.params.name) : undefined;
