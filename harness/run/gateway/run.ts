/**
 * `mcp-conform gateway`: the harness is the client before a gateway and the server behind it, records both sides, judges
 * each of them, and compares them.
 */

import { latestRevision, type Revision, type TransportId } from '../../../spec/revisions.js';
import type { Rule, RunRule } from '../../judge/rule.js';
import { describeFailure, outputOf } from '../../peer/failure.js';
import { Peer } from '../../peer/peer.js';
import { History } from '../../record/history.js';
import { type Exchange, resultOf } from '../../record/message.js';
import type { Tap } from '../../record/tap.js';
import { ExitCode } from '../../report/exit-code.js';
import { hideInRunEvent } from '../../report/hide.js';
import type { RunEvent, SubjectPlace } from '../../report/run-event.js';
import type { GatewayRule, GatewayStep, Passage } from '../../scenario/gateway.js';
import type { Subject } from '../../subject/subject.js';
import { defaultTiming, type Timing } from '../../time/timing.js';
import { transportClient } from '../../transports/connector.js';
import type { Address } from '../../transports/link.js';
import { toolVersion } from '../../version.js';
import { CouldNotJudge } from '../could-not-judge.js';
import { Channel } from '../event-queue.js';
import { relayServer, type ServerPlaces } from '../proxy/relayed-server.js';
import { type CaseRun, judgePassage, passageOf } from './judge.js';

export interface GatewayOptions {
  readonly rules: readonly (Rule | RunRule)[];
  readonly steps: readonly GatewayStep[];
  readonly comparison: readonly GatewayRule[];
  /** The gateway, for the address of the server of the harness; called once for each revision. */
  readonly gateway: (server: Address) => Subject;
  /** The gateway runs in this process: the server on stdio has no command. */
  readonly inThisProcess?: boolean;
  readonly server: ServerPlaces;
  readonly front: TransportId;
  readonly back: TransportId;
  /** Tried one after the other; those that the gateway does not speak are left out. */
  readonly revisions: readonly Revision[];
  readonly place: SubjectPlace;
  readonly strict?: boolean;
  readonly timing?: Timing;
  /** Selects steps by the full name of their case. */
  readonly selected?: (caseName: string) => boolean;
  /** Options to repeat when a finding is reproduced. */
  readonly options?: readonly string[];
  readonly interrupt?: AbortSignal;
}

/** @returns the events of the run; the last is `run-end` */
export async function* runGateway(options: GatewayOptions): AsyncGenerator<RunEvent> {
  const channel = new Channel<RunEvent>();
  void new GatewayRun(options, event => channel.push(event)).run().then(
    () => channel.end(),
    (error: unknown) => channel.end({ error }),
  );
  yield* channel;
}

/** A pass through the gateway, to be judged. */
interface Judged {
  readonly passage: Passage;
  readonly revision: Revision;
  readonly cases: readonly CaseRun[];
}

/** Conversations that a step ended are opened again so often. */
const mostReopened = 5;

class GatewayRun {
  private readonly began = performance.now();
  private readonly exitCode = new ExitCode();
  private readonly history: History;
  private readonly timing: Timing;
  /** The cases of the current pass. */
  private caseRuns: CaseRun[] = [];
  private cases = 0;
  private current = 0;
  private started = 0;

  constructor(
    private readonly options: GatewayOptions,
    private readonly listener: (event: RunEvent) => void,
  ) {
    this.timing = options.timing ?? defaultTiming;
    this.history = new History(
      'server',
      () => performance.now() - this.began,
      event => this.emit({ kind: 'wire', event }),
    );
  }

  private emit(event: RunEvent): void {
    const shown = event.kind === 'wire' ? event : hideInRunEvent(event, this.history.secrets);
    this.exitCode.add(shown);
    this.listener(shown);
  }

  async run(): Promise<void> {
    const { place, strict = false, options = [], revisions } = this.options;
    this.emit({
      kind: 'run-start',
      tool: { name: 'mcp-conform', version: toolVersion },
      role: 'gateway',
      subject: place,
      startedAt: new Date().toISOString(),
      seed: 0,
      strict,
      fixtures: false,
      options,
    });
    const reasons: CouldNotJudge[] = [];
    // a gateway that reaches the server in another revision is judged in this one too
    const withoutServer: Judged[] = [];
    let judged = 0;
    const judge = ({ passage, revision, cases }: Judged) => {
      judged++;
      for (const event of judgePassage(passage, revision.id, cases, this.options)) this.emit(event);
    };
    for (const revision of revisions) {
      if (this.options.interrupt?.aborted) break;
      const result = await this.pass(revision);
      if (result instanceof CouldNotJudge) {
        reasons.push(result);
        continue;
      }
      const pass = { passage: result, revision, cases: this.caseRuns };
      if (result.back.length === 0) withoutServer.push(pass);
      else judge(pass);
    }
    if (judged > 0) withoutServer.forEach(judge);
    else reasons.unshift(...withoutServer.map(({ revision }) => this.nothingArrived(revision)));
    const stopped = this.options.interrupt?.aborted ? String(this.options.interrupt.reason) : undefined;
    const unjudged = judged === 0 ? unjudgedFor(reasons) : undefined;
    const totals = {
      kind: 'run-end',
      durationMs: performance.now() - this.began,
      processesStarted: this.started,
      ...(unjudged && { unjudged }),
      ...(stopped !== undefined && { stopped }),
    } as const;
    this.emit({ ...totals, exitCode: this.exitCode.at(totals) });
  }

  /** The gateway answered its client, and sent no message to the server of the harness. */
  private nothingArrived({ id }: Revision): CouldNotJudge {
    return new CouldNotJudge(
      `${id}: The gateway answered its client, but no message arrived at the server behind it. Give it the address: ` +
        '{server} in its command, or the variables MCP_CONFORM_URL and MCP_CONFORM_COMMAND.',
      outputOf(this.history.events),
    );
  }

  private tapOf(link: number): Tap {
    return event => {
      this.history.assign(link, this.current);
      return this.history.record(link, event).messages;
    };
  }

  /** Sends the messages of all steps in one revision. @returns the reason why there is nothing to judge */
  private async pass(revision: Revision): Promise<Passage | CouldNotJudge> {
    const { front, back: behind, server, gateway, inThisProcess = false } = this.options;
    if (!revision.transports.includes(front))
      return new CouldNotJudge(`Revision ${revision.id} has no ${front}.`);
    this.current = 0;
    this.caseRuns = [];
    const backLinks: number[] = [];
    const recorder = {
      secrets: this.history.secrets,
      newLink: (transport: TransportId = behind) => {
        const link = this.history.newLink(transport, latestRevision);
        backLinks.push(link);
        const tap = this.tapOf(link);
        const behindTap: Tap = event => {
          if (event.kind === 'open') return tap({ ...event, unplanned: true });
          return tap(event.kind === 'frame' ? { ...event, behind: true } : event);
        };
        return { tap: behindTap, conversation: this.history.conversation(link) };
      },
    };
    const back = await relayServer(recorder, server, behind, inThisProcess);
    const subject = gateway(back.address);
    const frontLinks: number[] = [];
    const newTap = () => this.tapOf(this.history.newLink(front, latestRevision));
    const connector = transportClient(subject, front, this.timing, newTap);
    const inputSchemas = new Map();
    const connect = async (): Promise<Peer | CouldNotJudge> => {
      const link = this.history.newLink(front, revision);
      frontLinks.push(link);
      const tap = this.tapOf(link);
      const conversation = this.history.conversation(link);
      const { timing } = this;
      const dialled = connector.dial({
        tap,
        conversation,
        revision: revision.id,
        timing,
        secrets: this.history.secrets,
        inputSchemas,
      });
      const peer = new Peer({ link: dialled, tap, conversation, revision, timing });
      const exchange = await peer.open();
      if (resultOf(exchange) && conversation.revision.era === revision.era) return peer;
      const why = whyNot(peer, exchange);
      await dialled.close();
      return why;
    };
    const open: Peer[] = [];
    try {
      const first = await connect();
      if (first instanceof CouldNotJudge) return first;
      open.push(first);
      await this.takeSteps(revision, first, connect, open);
    } finally {
      await Promise.all(open.map(peer => peer.link.close()));
      this.started += connector.started;
      await connector.end();
      await back.close();
    }
    return (
      passageOf(this.history.events, new Set([...frontLinks, ...backLinks])) ??
      new CouldNotJudge('Nothing was recorded.')
    );
  }

  private async takeSteps(
    revision: Revision,
    first: Peer,
    connect: () => Promise<Peer | CouldNotJudge>,
    open: Peer[],
  ): Promise<void> {
    const { front, back: behind, steps, selected = () => true, interrupt } = this.options;
    let peer = first;
    let second: Peer | undefined;
    let reopened = 0;
    const again = async (): Promise<Peer> => {
      const next = await connect();
      if (next instanceof CouldNotJudge) throw next;
      open.push(next);
      return next;
    };
    for (const step of steps) {
      if (interrupt?.aborted) return;
      const name = `${revision.id}/${front}/${step.name}`;
      const isPossible = (step.era ?? revision.era) === revision.era && (step.over?.includes(front) ?? true);
      if (!isPossible || !selected(name)) continue;
      this.current = ++this.cases;
      const began = performance.now();
      try {
        if (peer.ended) {
          if (++reopened > mostReopened) return;
          peer = await again();
        }
        await step.run({
          peer,
          behind,
          another: async () => {
            if (!second || second.ended) second = await again();
            return second;
          },
        });
        if (!peer.ended) await peer.barrier();
      } catch (error) {
        // another client is not served: what has been recorded is judged
        if (!(error instanceof CouldNotJudge)) throw error;
      }
      const durationMs = Math.round(performance.now() - began);
      this.caseRuns.push({ number: this.current, step: step.name, title: step.title, durationMs });
    }
    // what is on its way arrives before the judgement
    if (!peer.ended) await peer.quietWindow();
    this.current = 0;
  }
}

/** Why a gateway cannot be judged in the revision of a conversation that just began. */
function whyNot(peer: Peer, exchange: Exchange): CouldNotJudge {
  const { revision } = peer;
  const result = resultOf(exchange);
  const [reason, details] = result
    ? [
        `The gateway answered ${peer.era.opensWith} with a result that does not fit: ${JSON.stringify(result).slice(0, 200)}.`,
        [],
      ]
    : describeFailure(peer, 'gateway');
  return new CouldNotJudge(`${revision.id}: ${reason}`, details);
}

/** The first reason, and the others as details. */
function unjudgedFor(reasons: readonly CouldNotJudge[]): { reason: string; details: readonly string[] } {
  const [first = new CouldNotJudge('Nothing was judged.'), ...others] = reasons;
  const details = others.flatMap(other => [other.message, ...other.details]);
  return { reason: first.message, details: [...first.details, ...details] };
}
