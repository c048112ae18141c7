/** The members of stored events that judging and reporting need. A record may be damaged, or made by hand. */

import type { Event } from '../harness/record/event.js';
import { asText, isDeep, isObject, type Json, type JsonObject } from '../spec/json-rpc.js';

type Check = (value: unknown) => boolean;

const isText: Check = value => typeof value === 'string';
const isNumber: Check = value => Number.isFinite(value);
const isCount: Check = value => Number.isSafeInteger(value) && (value as number) >= 0;
const isFlag: Check = value => typeof value === 'boolean';
const isList =
  (check: Check): Check =>
  value =>
    Array.isArray(value) && value.every(check);
const isOneOf =
  (...values: readonly unknown[]): Check =>
  value =>
    values.includes(value);
const optional =
  (check: Check): Check =>
  value =>
    value === undefined || check(value);
const isNothingOr =
  (check: Check): Check =>
  value =>
    value === null || check(value);

const isRole = isOneOf('client', 'server');
const isStream = isOneOf('post', 'get', 'sse');
const isHeader: Check = value => Array.isArray(value) && value.length === 2 && value.every(isText);

type Shape = Readonly<Record<string, Check>>;

const placed: Shape = { seq: isCount, at: isNumber, link: isCount, case: isCount };
const waited: Shape = { ms: isNumber, starved: optional(isObject as Check) };
const inExchange: Shape = { exchange: isCount };

const wireShapes: Readonly<Record<Event['kind'], Shape>> = {
  frame: {
    by: isRole,
    text: isText,
    deliberate: optional(isFlag),
    invalidUtf8: optional(isFlag),
    cutFrom: optional(isCount),
    unterminated: optional(isFlag),
    replay: optional(isFlag),
    behind: optional(isFlag),
    exchange: optional(isCount),
    stream: optional(isStream),
  },
  open: {
    transport: isText,
    revision: isText,
    argv: optional(isList(isText)),
    url: optional(isText),
    pid: optional(isCount),
    attempt: optional(isCount),
  },
  'http-request': {
    ...inExchange,
    method: isText,
    url: value => isText(value) && URL.canParse(value as string),
    headers: isList(isHeader),
    stream: optional(isStream),
    resumes: optional(isCount),
    connection: optional(isCount),
    deliberate: optional(isFlag),
    endpoint: optional(isText),
  },
  'http-response': {
    ...inExchange,
    status: isCount,
    reason: optional(isText),
    headers: isList(isHeader),
  },
  'http-body': { ...inExchange, of: optional(isText), text: isText, cutFrom: optional(isCount) },
  sse: {
    ...inExchange,
    id: optional(isText),
    event: optional(isText),
    retry: optional(isText),
    comments: optional(isList(isText)),
    data: optional(isText),
    framed: optional(isFlag),
    raw: optional(isText),
  },
  'http-end': { ...inExchange, by: isText, code: optional(isText), reason: optional(isText) },
  closing: {},
  'input-closed': {},
  'output-closed': {},
  signal: { signal: isText, within: optional(isNumber) },
  exit: { code: isNothingOr(isNumber), signal: isNothingOr(isText) },
  'left-behind': { pids: isList(isCount) },
  reach: { address: isText, accepted: isFlag },
  stderr: { text: isText, stdout: optional(isFlag) },
  deadline: {
    ...waited,
    label: isText,
    request: optional(value => isText(value) || isNumber(value)),
    exchange: optional(isCount),
    hurried: optional(isFlag),
  },
  quiet: waited,
  lag: { ms: isNumber },
  overflow: { what: isText, amount: isNumber },
};

const findingShape: Shape = {
  requirement: isText,
  verdict: isOneOf('pass', 'fail', 'none', 'inconclusive', 'error'),
  source: isOneOf('rule', 'scenario', 'suite'),
  case: isCount,
  evidence: isList(isCount),
  expected: optional(isList(isText)),
  actual: optional(isText),
  message: optional(isText),
  counterexample: optional(isObject as Check),
  times: optional(isCount),
};

/** The first member of an object without the expected value; undefined when there is none. */
const misfit = (object: JsonObject, shape: Shape): string | undefined =>
  Object.keys(shape).find(name => !shape[name]!(object[name]));

/** The reason why a recorded observation cannot be used; undefined when it can. */
export function flawOfWireEvent(event: Json | undefined): string | undefined {
  if (!isObject(event)) return 'the event is not an object';
  const kind = asText(event.kind);
  if (!Object.hasOwn(wireShapes, kind)) return `the kind of event "${kind.slice(0, 40)}" is unknown`;
  const wrong = misfit(event, { ...placed, ...wireShapes[kind as Event['kind']] });
  if (wrong !== undefined) return `"${wrong}" of the event "${kind}" is missing or invalid`;
  if (kind === 'frame' && isDeep(event.text as string)) return 'the message is nested too deep';
  return undefined;
}

/** The reason why a stored finding cannot be used; undefined when it can. */
export function flawOfFinding(finding: Json | undefined): string | undefined {
  if (!isObject(finding)) return 'the finding is not an object';
  const wrong = misfit(finding, findingShape);
  return wrong === undefined ? undefined : `"${wrong}" of the finding is missing or invalid`;
}

const cellShape: Shape = { revision: isText, transport: isText };

/** Members of other events whose elements the reports read. */
const innerShapes: Readonly<Record<string, Shape>> = {
  'run-start': {
    role: isOneOf('server', 'client', 'authorization-server', 'watch', 'gateway', 'network', 'judge'),
    tool: value => isObject(value as Json) && isText((value as JsonObject).name),
    subject: value =>
      isObject(value as Json) &&
      isNothingOr(isList(isText))((value as JsonObject).command) &&
      isNothingOr(isText)((value as JsonObject).url),
    options: isList(isText),
    program: optional(isList(isText)),
    revision: optional(isText),
    minJudged: optional(isText),
    pending: optional(isFlag),
    shard: optional(
      value =>
        isObject(value as Json) && isCount((value as JsonObject).at) && isCount((value as JsonObject).of),
    ),
    startedAt: value => isText(value) && !Number.isNaN(Date.parse(value as string)),
  },
  'revision-start': {
    ...cellShape,
    offers: isList(isText),
    requirements: isList(isText),
    notApplicable: isList(
      value =>
        isObject(value as Json) && isText((value as JsonObject).id) && isText((value as JsonObject).reason),
    ),
    subject: optional(value => isObject(value as Json)),
    side: optional(isOneOf('server', 'client', 'intermediary')),
    pass: optional(isText),
  },
  'case-start': { case: isCount, name: isText },
  'case-end': { case: isCount, declined: optional(isList(isText)) },
  confirmation: { case: isCount, beside: isList(isText) },
  'revision-end': cellShape,
  'run-end': {
    exitCode: isCount,
    unjudged: optional(
      value =>
        isObject(value as Json) &&
        isText((value as JsonObject).reason) &&
        isList(isText)((value as JsonObject).details),
    ),
    stopped: optional(isText),
    stale: optional(isList(isText)),
  },
};

/** The reason why another event cannot be used; undefined when it can. */
export function flawOfRunEvent(event: JsonObject): string | undefined {
  const shape = innerShapes[String(event.kind)];
  const wrong = shape && misfit(event, shape);
  return wrong === undefined ? undefined : `"${wrong}" of the event "${event.kind}" is missing or invalid`;
}
