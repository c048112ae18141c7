/** Helpers for the scenarios of several pages. */

import { type Deferred, NotObserved } from '../../harness/peer/deferred.js';
import type { Peer } from '../../harness/peer/peer.js';
import type { Conversation } from '../../harness/record/conversation.js';
import { idKey, type Message } from '../../harness/record/message.js';
import type { Expect } from '../../harness/scenario/expect.js';
import type { Step } from '../../harness/scenario/script.js';
import { asText, type JsonObject } from '../../spec/json-rpc.js';
import { tool } from './world.js';

/** The tool that a script calls last. */
export const lastTool = 'test-tool';

/** Milliseconds that a client may let pass before it repeats a request after a result without questions, as in the TypeScript SDK. */
export const pauseOfRetry = 250;

/** The last step of a script, whose request shows that the client goes on: a library may have no prompts and no resources. */
export const goesOn: Step = ['call', lastTool];

/** Whether a message is the request of that step. */
export const isLastCall = ({ method, params }: Message): boolean =>
  method === 'tools/call' && params?.name === lastTool;

/** What a wait for the client brings; undefined when the client disconnects, or exits, without it. */
export async function orNone<T>(next: Promise<T>): Promise<T | undefined> {
  try {
    return await next;
  } catch (error) {
    if (error instanceof NotObserved) return undefined;
    throw error;
  }
}

/** The next request whose response is deferred; undefined when the client disconnects without one. */
export const heldOrNone = (peer: Peer, method: string): Promise<Deferred | undefined> =>
  orNone(peer.nextDeferred(method));

/**
 * The next tools/list with a cursor: only such a request shows that the client follows pages. Requests without a cursor
 * begin the list anew, and get a single page. Undefined when the client disconnects without a request with a cursor.
 */
export async function nextPage(peer: Peer): Promise<Deferred | undefined> {
  let next = await heldOrNone(peer, 'tools/list');
  while (next && (next.params.cursor ?? undefined) === undefined) {
    next.answer({ tools: [] });
    next = await heldOrNone(peer, 'tools/list');
  }
  return next;
}

/** The first request for a further page. @throws NotObserved when the client follows no page */
export async function secondPage(peer: Peer): Promise<Deferred> {
  const next = await nextPage(peer);
  if (!next) throw new NotObserved('the client requests no further page');
  return next;
}

/**
 * Answers the second page of tools/list with these members.
 * @returns the requests for the second and the third page, as far as the client sends them
 */
export async function answerSecondPage(
  peer: Peer,
  members: JsonObject,
): Promise<readonly (Deferred | undefined)[]> {
  const first = await peer.nextDeferred('tools/list');
  first.answer({ tools: [tool('one')], nextCursor: 'second' });
  const second = await nextPage(peer);
  if (!second) return [];
  second.answer({ tools: [tool('two')], nextCursor: 'third', ...members }, { deliberate: true });
  const third = await nextPage(peer);
  third?.answer({ tools: [] });
  return [second, third];
}

/** Whether the client has sent notifications/cancelled with the id of a request. */
export const isWithdrawn = (peer: Peer, { idKey: key }: Message): boolean =>
  peer.conversation
    .notifications({ by: 'subject', method: 'notifications/cancelled' })
    .some(m => idKey(m.params?.requestId) === key);

/** Whether the client has closed the response stream of a request. */
export const isClosed = (peer: Peer, request: Message): boolean =>
  peer.conversation.httpOf(request)?.end?.by === 'client';

/** Whether the client has cancelled a request as its transport prescribes. */
export const isCancelled = (peer: Peer, request: Message): boolean =>
  peer.link.httpServer ? isClosed(peer, request) : isWithdrawn(peer, request);

/**
 * How a request was not cancelled, for a finding: the cancellation that was sent does not count on its transport, has an id of
 * its own, or names another id. @param otherwise the words when there is none @param next a later request
 */
export function uncancelled(peer: Peer, request: Message, otherwise: string, next?: Message) {
  const isAttempt = (m: Message) => asText(m.params?.requestId) === asText(request.id);
  const which = { by: 'subject', method: 'notifications/cancelled' } as const;
  const attempt =
    peer.conversation.notifications(which).find(isAttempt) ??
    peer.conversation.requests(which).find(isAttempt);
  const actual = attempt ? `${which.method} ${flawOf(attempt, request)}` : otherwise;
  return { actual, evidence: [request, attempt, next] } as const;
}

/** What is wrong with a cancellation that is meant for a request. */
function flawOf({ kind, params }: Message, request: Message): string {
  if (kind === 'request') return 'with an id, as a request';
  if (idKey(params?.requestId) === request.idKey) return 'while the response stream stays open';
  return `for the id ${JSON.stringify(params?.requestId)}, not ${JSON.stringify(request.id)}`;
}

/**
 * Waits for an action that a client owes, and that comes before its next request: a client whose own timeout closes the
 * stream of a request much later has not cancelled it. @param owes whether its next request, which it has sent, is deferred, so
 * that only the action is missing; a client that owes nothing is given a quiet window
 */
export const owed = (peer: Peer, owes: boolean, holds: () => boolean): Promise<boolean> =>
  owes ? peer.waitUntilDeadline(holds, 1 / 5) : peer.waitUntil(holds);

/** The rows about the timeouts that a client sets. */
export const timeoutRows = ['timeouts.established', 'tools.client-timeouts'] as const;

/**
 * A client sets a timeout for each request: the next one shows that it gave up the previous one.
 * @param requests in their order @param isEach whether the last one of the script arrived
 * @param evidence what shows the first of the rows
 */
export function expectTimeouts(
  expect: Expect<(typeof timeoutRows)[number]>,
  requests: readonly Message[],
  isEach: boolean,
  evidence: readonly (Message | undefined)[],
): void {
  const call = requests.find(m => m.method === 'tools/call');
  expect.that('timeouts.established', {
    ok: isEach,
    expected: 'a timeout for each request',
    evidence,
    actual: `${requests.at(-1)?.method} waits`,
  });
  if (call)
    expect.that('tools.client-timeouts', {
      ok: isEach,
      expected: 'a timeout for the request',
      evidence: [call],
      actual: `${requests.at(-1)?.method} waits`,
    });
  else expect.notObserved('tools.client-timeouts', 'the client called no tool');
}

/** The requests of a script whose steps give up one after another; the last one gets a response. */
const inTurn = ['resources/read', 'prompts/get', 'tools/call'] as const;
export const lastInTurn = 'prompts/list';

/**
 * The requests of such a script, as far as they arrive, in the order of the script. Over HTTP a request can arrive after
 * the next one, and one that was given up before it was sent does not arrive.
 */
export async function requestsInTurn(peer: Peer): Promise<Message[]> {
  const seen = (method: string) => peer.conversation.requests({ by: 'subject', method })[0];
  const methods = [...inTurn, lastInTurn];
  for (const method of methods) {
    if (seen(lastInTurn)) break;
    if (!seen(method) && !(await peer.waitFor(m => m.method === method || m.method === lastInTurn))) break;
  }
  return methods.flatMap(method => seen(method) ?? []);
}

/**
 * Whether the client has timeouts of its own and does not follow the script: it gives up no request, or it may still give up the
 * last one, for which the harness waited hardly longer than the client had waited for an earlier one.
 */
export function setsOwnTimeouts(conversation: Conversation, requests: readonly Message[]): boolean {
  const last = requests.at(-1);
  if (!last || requests.length < 2) return true;
  if (last.method === lastInTurn) return false;
  const sent = requests.map(m => m.frame.at);
  const longest = Math.max(...sent.slice(1).map((at, i) => at - sent[i]!));
  const waitEnd = conversation.eventsOf('deadline').findLast(d => d.seq > last.seq)?.at;
  return waitEnd !== undefined && waitEnd - last.frame.at < 1.25 * longest;
}

/** Sends the ordinary response to every further request of a method that is deferred. */
export async function releaseFurther(peer: Peer, method: string): Promise<void> {
  let deferred = await heldOrNone(peer, method);
  while (deferred) {
    deferred.release();
    deferred = await heldOrNone(peer, method);
  }
}

/** Sends a deliberately unusual text to the place where the response to an open request is expected. */
export function beside(peer: Peer, { request }: Deferred, text: string): void {
  const exchange = peer.conversation.httpOf(request);
  if (exchange?.isStream) peer.link.httpServer?.write(exchange, { event: 'message', data: text });
  else peer.sendRaw(text);
}

/** The result of initialize. */
export const introduction = (peer: Peer): JsonObject => ({
  protocolVersion: peer.revision.id,
  capabilities: peer.era.capabilities(peer),
  serverInfo: { name: 'mcp-conform', version: peer.version },
});
