/**
 * The public API of mcp-conform.
 *
 * ```ts
 * import { run, spawn, suite } from 'mcp-conform';
 * for await (const event of run({ subject: spawn('node', ['server.js']), suite })) console.log(event.kind);
 * ```
 */

export { allFaults, allQuirks } from '../../mocks/all.js';
export {
  type MockClient,
  type MockClientOptions,
  type MockClientTask,
  mockClient,
} from '../../mocks/client/client.js';
export type { ClientDeviation } from '../../mocks/client/fault.js';
export type { Fault, Quirk } from '../../mocks/fault.js';
export { faults } from '../../mocks/server/faults/index.js';
export { type MockServer, type MockServerOptions, mockServer } from '../../mocks/server/server.js';
export { readRun } from '../../reports/jsonl.js';
export type { Reporter } from '../../reports/reporter.js';
export { reporters } from '../../reports/reporters.js';
export {
  type Clause,
  type Level,
  type Requirement,
  type RequirementId,
  requirements,
} from '../../spec/requirement.js';
export { type Revision, type RevisionId, revisions, type TransportId } from '../../spec/revisions.js';
export { suite } from '../../suites/index.js';
export type { Finding, Judgement } from '../judge/finding.js';
export { fail, inconclusive, pass } from '../judge/finding.js';
export { judgeConversation, judgeRun } from '../judge/judge.js';
export { type Rule, type RunRule, rule } from '../judge/rule.js';
export { type Grade, gradeOf, type Verdict, worst } from '../judge/verdict.js';
export { Conversation } from '../record/conversation.js';
export type { Event } from '../record/event.js';
export { History } from '../record/history.js';
export type { HttpExchange, SseEvent } from '../record/http-exchange.js';
export type { Exchange, Message } from '../record/message.js';
export type { RunEvent } from '../report/run-event.js';
export { type Report, Summary } from '../report/summary.js';
export { type ClientRunOptions, runClient } from '../run/client/run.js';
export { type ClientSubject, inProcessClient, spawnClient } from '../run/client/subject.js';
export type { Suite } from '../run/plan.js';
export { rejudge } from '../run/rejudge.js';
export type { RunOptions } from '../run/server/options.js';
export { run } from '../run/server/run.js';
export type { ClientContext, ClientScenario } from '../scenario/client.js';
export type { ClientTask } from '../scenario/client-task.js';
export { type Context, type HttpContext, type Scenario, scenario } from '../scenario/scenario.js';
export { parseScript, type Script, type Step } from '../scenario/script.js';
export { deliberately, held, pages, refuses, type Serve, silence } from '../scenario/serve.js';
export {
  type Endpoint,
  inProcess,
  type ProcessSubject,
  type Streams,
  type Subject,
  spawn,
  type UrlOptions,
  type UrlSubject,
  url,
} from '../subject/subject.js';
export { defaultTiming, type Timing } from '../time/timing.js';
export type { HttpAsk, HttpControl } from '../transports/link.js';
