/**
 * The public API of mcp-conform.
 *
 * ```ts
 * import { run, spawn, suite } from 'mcp-conform';
 * for await (const event of run({ subject: spawn('node', ['server.js']), suite })) console.log(event.kind);
 * ```
 */

export { allFaults, allQuirks } from '../../mocks/all.js';
export type { ClientDeviation } from '../../mocks/client/fault.js';
export {
  type MockClient,
  type MockClientOptions,
  type MockClientTask,
  mockClient,
} from '../../mocks/client.js';
export type { Fault, Quirk } from '../../mocks/fault.js';
export { faults } from '../../mocks/faults/index.js';
export { type MockServer, type MockServerOptions, mockServer } from '../../mocks/server.js';
export { readRun } from '../../reports/jsonl.js';
export { type Reporter, reporters } from '../../reports/reporter.js';
export {
  type Clause,
  type Level,
  type Requirement,
  type RequirementId,
  requirements,
} from '../../spec/requirement.js';
export { type Revision, type RevisionId, revisions, type TransportId } from '../../spec/revisions.js';
export { suite } from '../../suites/index.js';
export { type ClientRunOptions, runClient } from '../client-run.js';
export type { ClientContext, ClientScenario } from '../client-scenario.js';
export { type ClientSubject, type ClientTask, inProcessClient, spawnClient } from '../client-subject.js';
export type { Event } from '../event.js';
export type { Finding, Judgement } from '../finding.js';
export { fail, inconclusive, pass } from '../finding.js';
export { Conversation, type Exchange, History, type Message } from '../history.js';
export type { HttpExchange, SseEvent } from '../http-exchange.js';
export { judgeConversation, judgeRun } from '../judge.js';
export { defaultTiming, type HttpAsk, type HttpControl, type Timing } from '../link.js';
export type { Suite } from '../plan.js';
export { rejudge } from '../rejudge.js';
export { type Rule, type RunRule, rule } from '../rule.js';
export { type RunOptions, run } from '../run.js';
export type { RunEvent } from '../run-event.js';
export { type Context, type HttpContext, type Scenario, scenario } from '../scenario.js';
export { parseScript, type Script, type Step } from '../script.js';
export { deliberately, held, pages, refuses, type Serve, silence } from '../serve.js';
export {
  type Endpoint,
  inProcess,
  type ProcessSubject,
  type Streams,
  type Subject,
  spawn,
  type UrlSubject,
  url,
} from '../subject.js';
export { type Report, Summary } from '../summary.js';
export { type Grade, gradeOf, type Verdict, worst } from '../verdict.js';
