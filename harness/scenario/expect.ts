/** Matchers for the expectations of a scenario, each giving one finding. No matcher throws. */

import { isObject, type JsonObject } from '../../spec/json-rpc.js';
import type { RequirementId } from '../../spec/requirement.js';
import type { Judgement } from '../judge/finding.js';
import { fail, inconclusive, pass } from '../judge/finding.js';
import type { Conversation } from '../record/conversation.js';
import { HttpExchange } from '../record/http-exchange.js';
import { type Exchange, errorOf, type Message, resultOf } from '../record/message.js';
import { isNetworkFailure } from '../record/network-failure.js';

/** Records a judgement on a requirement that the scenario cites. */
export type Report = (requirement: RequirementId, judgement: Judgement) => void;

interface Matchers {
  /** Expects an error response; with one of these codes, if any are given. */
  error(...codes: number[]): void;
  /** Expects a result; `check` returns a description of the violation, or undefined. */
  result(check?: (result: JsonObject) => string | undefined): void;
  /** Expects no response. To be called after a barrier. */
  noResponse(): void;
}

/** A place in the record. */
type Place = { seq: number };

/** What shows that an expectation holds or fails; undefined items are left out. */
type Evidence = readonly (Message | Exchange | Place | undefined)[];

/** An expectation that no matcher covers. */
export interface Expectation {
  readonly ok: boolean;
  /** The expected behaviour, as in "Expected …". */
  readonly expected: string;
  readonly evidence: Evidence;
  /** The actual behaviour; undefined stands for none. */
  readonly actual: string | undefined;
}

interface HttpMatchers {
  /** Expects one of these statuses. */
  status(...codes: number[]): void;
}

export interface Expect<Id extends RequirementId = RequirementId> {
  (requirement: Id, exchange: Exchange): Matchers;
  (requirement: Id, exchange: HttpExchange): HttpMatchers;
  /** Any other expectation. */
  that(requirement: Id, expectation: Expectation): void;
  /**
   * No violation was observed although the situation occurred: passes, unless a rule finds a violation. For
   * prohibitions, whose violations only a rule detects.
   */
  noViolation(requirement: Id, evidence: Evidence): void;
  /** The subject has no feature that shows this requirement: not observed, not an error of the scenario. */
  notObserved(requirements: Id | readonly Id[], why: string): void;
  /** Inconclusive, with the reason. */
  inconclusive(requirement: Id, why: string): void;
}

/**
 * @param conversation conversation of the requests, where HTTP may refuse a request without a JSON-RPC error
 */
export function makeExpect(report: Report, conversation?: Conversation): Expect {
  const ofMessages = (requirement: RequirementId, exchange: Exchange): Matchers => ({
    error: (...codes) =>
      report(requirement, judgeError(exchange, codes, refusedBy(conversation, exchange.request))),
    result: check =>
      report(requirement, judgeResult(exchange, check, refusedBy(conversation, exchange.request))),
    noResponse: () => report(requirement, judgeSilence(exchange)),
  });
  const ofHttp = (requirement: RequirementId, exchange: HttpExchange): HttpMatchers => ({
    status: (...codes) => report(requirement, judgeStatus(exchange, codes)),
  });
  function expect(requirement: RequirementId, exchange: Exchange): Matchers;
  function expect(requirement: RequirementId, exchange: HttpExchange): HttpMatchers;
  function expect(requirement: RequirementId, exchange: Exchange | HttpExchange): Matchers | HttpMatchers {
    return exchange instanceof HttpExchange
      ? ofHttp(requirement, exchange)
      : ofMessages(requirement, exchange);
  }
  return Object.assign(expect, {
    that: (requirement: RequirementId, { ok, expected, evidence, actual }: Expectation) => {
      const events = evidence.flatMap(flatten);
      report(requirement, ok ? pass(events) : fail(expected, events, actual));
    },
    noViolation: (requirement: RequirementId, evidence: Evidence) =>
      report(requirement, pass(evidence.flatMap(flatten))),
    notObserved: (requirements: RequirementId | readonly RequirementId[], why: string) => {
      for (const requirement of [requirements].flat() as RequirementId[])
        report(requirement, { verdict: 'none', message: why, evidence: [] });
    },
    inconclusive: (requirement: RequirementId, why: string) => report(requirement, inconclusive(why)),
  });
}

const flatten = (e: Message | Exchange | HttpExchange | Place | undefined): Place[] =>
  !e ? [] : e instanceof HttpExchange ? [...e.ends] : 'seq' in e ? [e] : evidenceOf(e);

const evidenceOf = ({ request, reply, deadline }: Exchange): Place[] =>
  [request, reply, deadline].filter(e => e !== undefined);

/** The exchange in which HTTP refused a request. */
function refusedBy(conversation: Conversation | undefined, request: Message): HttpExchange | undefined {
  const post = conversation?.httpOf(request);
  return post?.hasErrorStatus ? post : undefined;
}

/** A missing response is reported once, by the rule that every request gets a response. */
const noReply = (exchange: Exchange, refused: HttpExchange | undefined): Judgement =>
  refused
    ? inconclusive(describeRefusal(refused), [exchange.request, ...refused.ends])
    : inconclusive(
        exchange.deadline
          ? 'no reply, see jsonrpc.request-answered-once'
          : 'no reply, and no wait for a reply: the stream or the connection had ended',
        evidenceOf(exchange),
      );

/** The status with which HTTP refused a request, and the error of the body, which does not name the request. */
function describeRefusal({ status, refusal }: HttpExchange): string {
  const why = refusal ? ` and ${shorten(describeError(refusal))} without the id of the request` : '';
  return `refused by HTTP with status ${status}${why}`;
}

/** Judges the refusal of a request by HTTP, without a JSON-RPC error or with one that does not name the request. */
function judgeRefusal(request: Message, refused: HttpExchange, codes: readonly number[]): Judgement {
  const evidence = [request, ...refused.ends];
  if (codes.length === 0 || codes.includes(refused.refusal?.code as number)) return pass(evidence);
  // the error may be about another part of the message, such as a header
  if (refused.refusal) return inconclusive(describeRefusal(refused), evidence);
  return fail(
    codes.map(code => `error ${code}`),
    evidence,
    `status ${refused.status} without a JSON-RPC error`,
  );
}

/** An error of the network behind the subject, where the subject itself has to respond otherwise: not observed. */
const offline = (exchange: Exchange): Judgement | undefined =>
  exchange.reply?.kind === 'error' && isNetworkFailure(exchange)
    ? {
        verdict: 'none',
        message: 'not judged: the subject could not reach the network',
        evidence: evidenceOf(exchange).map(({ seq }) => seq),
      }
    : undefined;

function judgeError(
  exchange: Exchange,
  codes: readonly number[],
  refused: HttpExchange | undefined,
): Judgement {
  if (!exchange.reply) {
    return refused?.refusesContent
      ? judgeRefusal(exchange.request, refused, codes)
      : noReply(exchange, refused);
  }
  const error = errorOf(exchange);
  const evidence = evidenceOf(exchange);
  if (error && (codes.length === 0 || codes.includes(error.code as number))) return pass(evidence);
  const unreached = offline(exchange);
  if (unreached) return unreached;
  return fail(
    codes.length > 0 ? codes.map(code => `error ${code}`) : 'an error',
    evidence,
    describe(exchange),
  );
}

function judgeResult(
  exchange: Exchange,
  check: ((result: JsonObject) => string | undefined) | undefined,
  refused: HttpExchange | undefined,
): Judgement {
  if (!exchange.reply) return noReply(exchange, refused);
  const result = resultOf(exchange);
  const evidence = evidenceOf(exchange);
  const expected = exchange.reply.kind === 'result' ? 'a result that is an object' : 'a result';
  if (!result) return offline(exchange) ?? fail(expected, evidence, describe(exchange));
  const wrong = check?.(result);
  return wrong === undefined ? pass(evidence) : fail(wrong, evidence, describe(exchange));
}

function judgeSilence(exchange: Exchange): Judgement {
  const evidence = evidenceOf(exchange);
  return exchange.reply ? fail('no response', evidence, describe(exchange)) : pass(evidence);
}

function judgeStatus(exchange: HttpExchange, codes: readonly number[]): Judgement {
  const evidence = [...exchange.ends];
  if (codes.some(code => code === exchange.status)) return pass(evidence);
  // the server may have ended for a reason of its own
  if (exchange.status === undefined && exchange.closedBy === 'error')
    return inconclusive(`the connection broke before any status: ${exchange.outcome}`, evidence);
  return fail(
    codes.map(code => `status ${code}`),
    evidence,
    exchange.outcome,
  );
}

/** Short form of a reply: `error -32602 "Unknown tool"`, `result {"content":[]}`. */
export function describe({ reply }: Exchange): string {
  if (!reply) return 'no reply';
  const body = reply.json as JsonObject;
  if (reply.kind === 'error') {
    if (!isObject(body.error)) return `error ${shorten(JSON.stringify(body.error))}`;
    return describeError(body.error);
  }
  return `result ${shorten(JSON.stringify(body.result))}`;
}

const describeError = ({ code, message }: JsonObject): string =>
  ['error', JSON.stringify(code), JSON.stringify(message)].filter(Boolean).join(' ');

/** Shortens a text to one line of a report. */
const shorten = (text: string | undefined, length = 200): string =>
  text === undefined ? 'nothing' : text.length > length ? `${text.slice(0, length)}…` : text;
