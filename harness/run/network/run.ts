/**
 * Faults of the network between a client and a server: many conversations, each with one fault at another byte. What
 * is found is searched again with smaller faults, and reported with the smallest one.
 */

import { Secrets } from '../../record/redaction.js';
import { ExitCode } from '../../report/exit-code.js';
import { hideInRunEvent } from '../../report/hide.js';
import type { RunEvent, SubjectPlace } from '../../report/run-event.js';
import { toolVersion } from '../../version.js';
import { CouldNotJudge } from '../could-not-judge.js';
import { eventQueue } from '../event-queue.js';
import { learnGiven } from '../given-secrets.js';
import { type NetworkFault, type NetworkKind, nameOfFault } from '../proxy/network.js';
import { chooseFault, kindsOver, type Traffic } from './faults.js';
import { assembled } from './record.js';
import { smallestFault } from './shrink.js';
import { keyOf, type NetworkPair, runTrial, type Trial } from './trial.js';

export interface NetworkOptions extends NetworkPair {
  readonly place: SubjectPlace;
  /** Kinds of faults; default: all that the transport can have. */
  readonly kinds?: readonly NetworkKind[];
  /** Faults to try in place of chosen ones. */
  readonly faults?: readonly NetworkFault[];
  /** Number of conversations with a fault; default 60. */
  readonly trials?: number;
  readonly seed: number;
  readonly strict?: boolean;
  /** Conversations at the same time; default 1. */
  readonly jobs?: number;
  /** Options to repeat when a finding is reproduced. */
  readonly options?: readonly string[];
  readonly interrupt?: AbortSignal;
  /** Called before and after each conversation. */
  readonly onProgress?: (progress: NetworkProgress) => void;
}

/** How far a run is. */
export interface NetworkProgress {
  /** Conversations that the run will have, as far as it knows. */
  readonly planned: number;
  readonly done: number;
  /** The conversation that begins; undefined when one has ended. */
  readonly begins?: string;
}

/** @returns the events of the run; the last is `run-end` */
export const runNetwork = (options: NetworkOptions): AsyncGenerator<RunEvent> =>
  eventQueue(push => new NetworkRun(options, push).run());

class NetworkRun {
  private readonly began = performance.now();
  private readonly exitCode = new ExitCode();
  private readonly secrets = new Secrets();
  private conversations = 0;
  private planned = 1;
  private done = 0;

  constructor(
    private readonly options: NetworkOptions,
    private readonly push: (event: RunEvent) => void,
  ) {
    if (options.env) learnGiven(this.secrets, { env: options.env });
  }

  private emit(event: RunEvent): void {
    const shown = event.kind === 'wire' ? event : hideInRunEvent(event, this.secrets);
    this.exitCode.add(shown);
    this.push(shown);
  }

  async run(): Promise<void> {
    const { place, seed, strict = false, options = [], interrupt } = this.options;
    this.emit({
      kind: 'run-start',
      tool: { name: 'mcp-conform', version: toolVersion },
      role: 'network',
      subject: place,
      startedAt: new Date().toISOString(),
      seed,
      strict,
      fixtures: false,
      options,
    });
    const found = await this.look();
    const unjudged = found instanceof CouldNotJudge ? found : undefined;
    if (!(found instanceof CouldNotJudge))
      for (const event of assembled(found, this.options.transport)) this.emit(event);
    const totals = {
      kind: 'run-end',
      durationMs: performance.now() - this.began,
      processesStarted: this.conversations,
      ...(unjudged && { unjudged: { reason: unjudged.message, details: unjudged.details } }),
      ...(interrupt?.aborted && { stopped: String(interrupt.reason) }),
    } as const;
    this.emit({ ...totals, exitCode: this.exitCode.at(totals) });
  }

  /** The conversation without a fault, and for each failure the one with its smallest fault. */
  private async look(): Promise<readonly Trial[] | CouldNotJudge> {
    const plain = await this.trial().catch((error: unknown) => {
      if (error instanceof CouldNotJudge) return error;
      throw error;
    });
    if (plain instanceof CouldNotJudge) return plain;
    if (!hasAnswer(plain))
      return new CouldNotJudge(
        'The client sent no request to the server, or the server did not respond to one.',
      );
    // a failure without a fault has another cause, and other commands report it
    const known = new Set(plain.failures.map(keyOf));
    const isNew = (trial: Trial) => trial.failures.filter(failure => !known.has(keyOf(failure)));
    const firstOf = new Map<string, NetworkFault>();
    let last: Trial | undefined;
    const faults = this.faults(trafficOf(plain));
    this.planned += faults.length;
    await this.each(faults, async fault => {
      const trial = await this.trial(fault);
      last = trial;
      for (const failure of isNew(trial))
        if (!firstOf.has(keyOf(failure))) firstOf.set(keyOf(failure), fault);
    });
    const smallest = new Map<string, Trial>();
    for (const [key, fault] of firstOf) {
      if (this.options.interrupt?.aborted) break;
      const shows = async (candidate: NetworkFault): Promise<Trial | undefined> => {
        const trial = await this.trial(candidate);
        return isNew(trial).some(failure => keyOf(failure) === key) ? trial : undefined;
      };
      let shown: Trial | undefined;
      await smallestFault(fault, async candidate => {
        const trial = await shows(candidate);
        shown = trial ?? shown;
        return trial !== undefined;
      });
      shown ??= await shows(fault);
      // a failure that the same fault does not show again depends on more than the network
      if (!shown) continue;
      const failures = isNew(shown);
      smallest.set(nameOfFault(shown.fault!), { ...shown, failures });
    }
    const trials = [...smallest.values()];
    return [
      { ...plain, failures: [] },
      ...(trials.length === 0 && last ? [{ ...last, failures: [] }] : trials),
    ];
  }

  private faults(traffic: Traffic): NetworkFault[] {
    const { faults, kinds, trials = 60, seed, transport } = this.options;
    if (faults) return [...faults];
    const possible = kindsOver(transport).filter(kind => kinds?.includes(kind) ?? true);
    const chosen = Array.from({ length: trials }, (_, number) =>
      chooseFault(traffic, possible, seed, number),
    );
    return chosen.filter(fault => fault !== undefined);
  }

  private async each(faults: readonly NetworkFault[], act: (fault: NetworkFault) => Promise<void>) {
    const left = faults.values();
    const work = async () => {
      for (const fault of left) {
        if (this.options.interrupt?.aborted) return;
        await act(fault);
      }
    };
    await Promise.all(Array.from({ length: this.options.jobs ?? 1 }, work));
  }

  private async trial(fault?: NetworkFault): Promise<Trial> {
    const number = ++this.conversations;
    this.planned = Math.max(this.planned, number);
    const { onProgress } = this.options;
    const { planned, done } = this;
    onProgress?.({ planned, done, begins: fault ? nameOfFault(fault) : 'without a fault' });
    const trial = await runTrial(this.options, fault, number);
    onProgress?.({ planned: this.planned, done: ++this.done });
    return trial;
  }
}

/** Whether the server responded to a request with a result: nothing can be lost otherwise. */
const hasAnswer = ({ history }: Trial): boolean =>
  [...history.conversations.values()].some(c => c.exchanges().some(({ reply }) => reply?.kind === 'result'));

const trafficOf = ({ network }: Trial): Traffic =>
  new Map([...network.traffic].map(([name, parts]) => [name, Buffer.concat(parts)]));
