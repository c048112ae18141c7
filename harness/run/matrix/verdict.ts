/** The verdict of a cell, from its record. */

import { asText, type Role } from '../../../spec/json-rpc.js';
import type { Conversation } from '../../record/conversation.js';
import { namedVersion } from '../../record/envelope.js';
import { History } from '../../record/history.js';
import { type Exchange, errorOf, resultOf } from '../../record/message.js';
import { notStartedInWords } from '../../record/not-started.js';
import type { CellFinding, CellReport, CellVerdict, StepReport } from '../../report/matrix-report.js';
import type { RunEvent } from '../../report/run-event.js';
import { Summary } from '../../report/summary.js';
import { declined, type Script } from '../../scenario/script.js';
import type { Exit } from '../../subject/subject.js';
import { isOnlyProbe } from '../judge-both.js';
import type { CellRun } from './cell.js';
import { linesOf } from './lines.js';
import { openings, type PlacedStep, type Sent, sentIn, stepReports, toldSteps } from './steps.js';

type Judged = Pick<
  CellReport,
  'verdict' | 'whose' | 'reason' | 'negotiated' | 'steps' | 'findings' | 'conversation' | 'output'
>;

interface Decision {
  readonly verdict: CellVerdict;
  readonly whose: readonly Role[];
  readonly reason: string | null;
  /** What did not go on: a violation that shows there may be the cause. Without it, any violation may be. */
  readonly stuck?: readonly Exchange[];
}

export function judgeCell(run: CellRun, script: Script): Judged {
  const wire = run.events.flatMap(event => (event.kind === 'wire' ? [event.event] : []));
  const all = [...History.from(wire, 'server').conversations.values()];
  const conversations = all.filter(c => c.messages.length > 0 && !isOnlyProbe(c));
  const sent = sentIn(conversations.length > 0 ? conversations : all);
  const placed = stepReports(script, sent, toldSteps(run.said));
  const steps = placed.map(({ report }) => report);
  const { lines, lineOf } = linesOf(wire);
  const { findings, evidence } = findingsIn(run.events, lineOf);
  const decision =
    impossible(run, all) ??
    (run.late ? hanging(sent, conversations) : undefined) ??
    refusal(run, conversations, all, steps) ??
    breakage(run, conversations, placed) ??
    agreement(findings);
  return {
    ...blamed(decision, findings, evidence),
    negotiated: conversations.map(inUse).findLast(revision => revision !== null) ?? null,
    steps,
    findings,
    conversation: lines,
    output: run.output,
  };
}

/** A failure on one side may have its cause in violations of the other side, where they are of the messages that failed. */
function blamed(
  { stuck, ...decision }: Decision,
  findings: readonly CellFinding[],
  evidence: ReadonlyMap<CellFinding, readonly number[]>,
): Decision {
  if (!['refuses', 'breaks', 'hangs'].includes(decision.verdict)) return decision;
  const own = stuck?.flatMap(({ request, reply }) => [request.seq, ...(reply ? [reply.seq] : [])]);
  const mayBeCause = (finding: CellFinding) =>
    own === undefined || (evidence.get(finding) ?? []).some(seq => own.includes(seq));
  const violations = findings.filter(finding => finding.grade === 'violation' && mayBeCause(finding));
  const sides = new Set(violations.map(({ side }) => side));
  const [side] = sides;
  if (sides.size !== 1 || decision.whose.includes(side!)) return decision;
  const rows = [...new Set(violations.map(f => f.requirement))].join(', ');
  return { ...decision, whose: [side!], reason: `${decision.reason} The ${side} violates ${rows}.` };
}

const impossibleCell = (reason: string): Decision => ({ verdict: 'cannot-be-tried', whose: [], reason });

function impossible(
  { impossible: reason, exit, output, late }: CellRun,
  all: readonly Conversation[],
): Decision | undefined {
  if (reason !== undefined) return impossibleCell(withOutput(reason, output.server));
  if (exit?.problem !== undefined) return impossibleCell(`${notStartedInWords(exit.problem, 'The client')}.`);
  if (all.some(c => c.messages.length > 0) || late) return undefined;
  if (exit?.code === declined)
    return impossibleCell(
      withOutput('The client does not support these steps (exit code 127).', output.client),
    );
  if (all.some(c => c.http().length > 0)) return undefined;
  return impossibleCell(withOutput(`The client sent no message: it ${ended(exit)}.`, output.client));
}

/** Quotes the line of an output that most likely says why. */
function withOutput(reason: string, output: readonly string[]): string {
  const line =
    output.findLast(text => /error|exception|cannot|not found|unknown|invalid/i.test(text)) ?? output.at(-1);
  return line === undefined ? reason : `${reason} Its output: ${line.trim().slice(0, 300)}`;
}

const ended = (exit: Exit | undefined): string =>
  exit?.signal ? `was terminated by ${exit.signal}` : `exited with code ${exit?.code ?? 'unknown'}`;

function hanging(sent: readonly Sent[], conversations: readonly Conversation[]): Decision {
  const open = sent.find(
    ({ exchange: { request, reply } }) => !reply && request.method !== 'subscriptions/listen',
  );
  const question = openQuestion(conversations);
  if (open && !question)
    return {
      verdict: 'hangs',
      whose: ['server'],
      reason: `The server did not respond to ${open.exchange.request.method} within the time limit.`,
      stuck: [open.exchange],
    };
  if (question)
    return {
      verdict: 'hangs',
      whose: ['client'],
      reason: `The client did not respond to ${question.request.method} within the time limit.`,
      stuck: [question],
    };
  const silent = withoutHead(conversations);
  return silent
    ? {
        verdict: 'hangs',
        whose: [],
        reason: `The client did not exit within the time limit. No response to JSON-RPC is missing, and the server has not begun its response to ${silent}.`,
        stuck: [],
      }
    : {
        verdict: 'hangs',
        whose: ['client'],
        reason: 'The client did not exit within the time limit, although no response was missing.',
        stuck: [],
      };
}

/**
 * The HTTP method of a request of the last conversation whose response had no head after the client had sent its last
 * one: the client may wait for the head, and a server need not hurry.
 */
function withoutHead(conversations: readonly Conversation[]): string | undefined {
  const exchanges = conversations.at(-1)?.http() ?? [];
  const last = Math.max(...exchanges.map(({ request }) => request?.seq ?? 0));
  // the stream of a client that is terminated ends then
  return exchanges.find(({ response, end }) => !response && (!end || end.seq > last))?.request?.method;
}

/** A request of the server without a response: a server that waits for it cannot respond either. */
const openQuestion = (conversations: readonly Conversation[]): Exchange | undefined =>
  conversations.flatMap(c => c.exchanges({ by: 'subject' })).find(({ reply }) => !reply);

const isOpened = (conversation: Conversation): boolean =>
  conversation.isStateless
    ? conversation.exchanges({ by: 'peer' }).some(({ reply }) => reply?.kind === 'result')
    : conversation.handshake?.reply?.kind === 'result';

/** Whether the client goes on after the opening. */
const goesOn = (conversation: Conversation): boolean =>
  conversation.messages.some(
    ({ by, method }) => by === 'client' && method !== undefined && !openings.includes(method),
  );

function refusal(
  run: CellRun,
  conversations: readonly Conversation[],
  all: readonly Conversation[],
  steps: readonly StepReport[],
): Decision | undefined {
  const opened = conversations.filter(isOpened);
  if (opened.some(goesOn)) return undefined;
  const told = steps.find(({ name }) => name === 'connect')?.reported;
  const why = told && 'error' in told ? ` It reports: ${told.error}` : '';
  if (opened.length > 0)
    return {
      verdict: 'refuses',
      whose: ['client'],
      reason:
        why === ''
          ? withOutput(
              'The client ended the conversation after the response of the server to its first request.',
              run.output.client,
            )
          : `The client ended the conversation after the response of the server to its first request.${why}`,
    };
  if (run.died !== undefined || conversations.some(c => exitsEarly(c))) return undefined;
  const refused = (conversations.length > 0 ? conversations : all)
    .flatMap(c =>
      c.exchanges({ by: 'peer' }).map(exchange => ({ exchange, http: c.httpOf(exchange.request)?.response })),
    )
    .map(({ exchange, http }) => {
      const error = errorOf(exchange);
      if (error)
        return `The server responded to ${exchange.request.method} with error ${error.code}: ${asText(error.message).slice(0, 200)}`;
      return http && http.status >= 400
        ? `The server responded to ${exchange.request.method} with HTTP status ${http.status}.`
        : undefined;
    })
    .findLast(text => text !== undefined);
  if (refused) return { verdict: 'refuses', whose: ['server'], reason: refused };
  const status = all
    .flatMap(c => c.http())
    .map(e => e.response?.status ?? 0)
    .findLast(code => code >= 400);
  if (status !== undefined)
    return {
      verdict: 'refuses',
      whose: ['server'],
      reason: `The server responded with HTTP status ${status}.`,
    };
  return {
    verdict: 'breaks',
    whose: [],
    reason: withOutput(`No conversation began, and the client ${ended(run.exit)}.`, run.output.client),
  };
}

/** The server exits although the client has neither closed its input nor sent a signal. */
function exitsEarly({ exit, ending }: Conversation): boolean {
  return exit !== undefined && (ending === undefined || ending.seq > exit.seq);
}

function breakage(
  run: CellRun,
  conversations: readonly Conversation[],
  placed: readonly PlacedStep[],
): Decision | undefined {
  const dead = conversations.find(exitsEarly)?.exit;
  if (dead || run.died !== undefined)
    return {
      verdict: 'breaks',
      whose: ['server'],
      reason: withOutput(
        `The server ${dead ? ended(dead) : run.died} during the conversation.`,
        run.output.server,
      ),
    };
  const atStep = ({ exchange }: PlacedStep) => (exchange ? { stuck: [exchange] } : {});
  const failed = placed.find(({ report: { outcome } }) => outcome === 'unanswered' || outcome === 'error');
  const broken = failed?.report;
  const question = broken?.outcome === 'unanswered' ? openQuestion(conversations) : undefined;
  if (question)
    return {
      verdict: 'breaks',
      whose: ['client'],
      reason: `${broken!.name}: the client did not respond to ${question.request.method}, and the server did not respond to the call.`,
      stuck: [question],
    };
  if (broken)
    return {
      verdict: 'breaks',
      whose: ['server'],
      reason: `${broken.name}: the server ${broken.outcome === 'error' ? `responded with ${broken.error}` : 'did not respond'}.`,
      ...atStep(failed!),
    };
  const lost = placed.find(
    ({ report: { outcome, reported } }) => outcome === 'done' && reported && 'error' in reported,
  );
  if (lost)
    return {
      verdict: 'breaks',
      whose: ['client'],
      reason: `${lost.report.name}: the server responded with a result, and the client reports: ${(lost.report.reported as { error: string }).error}`,
      ...atStep(lost),
    };
  if (run.exit?.signal || (run.exit?.code ?? 0) !== 0)
    return {
      verdict: 'breaks',
      whose: ['client'],
      reason: withOutput(`The client ${ended(run.exit)}.`, run.output.client),
    };
  return undefined;
}

function agreement(findings: readonly CellFinding[]): Decision {
  const violations = findings.filter(({ grade }) => grade === 'violation');
  const whose = (['server', 'client'] as const).filter(side => violations.some(f => f.side === side));
  if (whose.length === 0) return { verdict: 'works', whose, reason: null };
  const rows = [...new Set(violations.map(f => f.requirement))];
  return {
    verdict: 'works-with-violations',
    whose,
    reason: `Violations of the ${whose.join(' and the ')}: ${rows.join(', ')}.`,
  };
}

/** The revision in use: of the handshake, or of the last request with an envelope. */
function inUse(conversation: Conversation): string | null {
  const version = conversation.isStateless
    ? conversation
        .requests({ by: 'peer' })
        .map(namedVersion)
        .findLast(v => v !== undefined)
    : conversation.handshake && resultOf(conversation.handshake)?.protocolVersion;
  return typeof version === 'string' ? version : null;
}

/** The violations and warnings that tell their own cause. */
function findingsIn(events: readonly RunEvent[], lineOf: (seq: number) => number | undefined) {
  const evidence = new Map<CellFinding, readonly number[]>();
  if (!events.some(({ kind }) => kind === 'run-start')) return { findings: [], evidence };
  const summary = new Summary();
  for (const event of events) summary.add(event);
  const found = summary.report().runs.flatMap(({ side: judged, requirements, findings }) => {
    const side = judged === 'client' ? 'client' : 'server';
    const urls = new Map(requirements.map(({ id, url }) => [id, url]));
    return findings.flatMap((f): CellFinding[] => {
      if ((f.grade !== 'violation' && f.grade !== 'warning') || f.causedBy) return [];
      const lines = f.events.map(lineOf).filter(line => line !== undefined);
      const { requirement, grade, expected, actual, count } = f;
      const text = actual === null ? null : actual.slice(0, 600);
      const own: CellFinding = {
        side,
        requirement,
        grade,
        url: urls.get(requirement) ?? '',
        expected,
        actual: text,
        count,
        lines: [...new Set(lines)].slice(0, 20),
      };
      evidence.set(own, f.events);
      return [own];
    });
  });
  return { findings: found, evidence };
}
