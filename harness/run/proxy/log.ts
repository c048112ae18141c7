/**
 * The record of a conversation between a real client and a real server, and the judgement of both sides at
 * its end.
 */

import { latestRevision, type TransportId } from '../../../spec/revisions.js';
import type { Rule, RunRule } from '../../judge/rule.js';
import type { Conversation } from '../../record/conversation.js';
import { History } from '../../record/history.js';
import type { Secrets } from '../../record/redaction.js';
import type { Tap } from '../../record/tap.js';
import { hideInRunEvent } from '../../report/hide.js';
import type { RunEvent, RunStart } from '../../report/run-event.js';
import { Summary } from '../../report/summary.js';
import { toolVersion } from '../../version.js';
import { CouldNotJudge } from '../could-not-judge.js';
import { learnGiven } from '../given-secrets.js';
import { judgeBoth } from '../judge-both.js';

export interface ProxyRecorderOptions {
  readonly rules: readonly (Rule | RunRule)[];
  readonly transport: TransportId;
  readonly strict?: boolean;
  /** Options to repeat in `reproduce`. */
  readonly options?: readonly string[];
  /** Programs whose variables may be secrets. */
  readonly programs?: readonly { readonly env: Readonly<Record<string, string>> }[];
}

/** Where a relay records its conversations. */
export interface LinkRecorder {
  /** Values that are hidden in the record. */
  readonly secrets: Secrets;
  /** Opens a record for another conversation. */
  newLink(transport?: TransportId): { readonly tap: Tap; readonly conversation: Conversation };
}

export class ProxyRecorder implements LinkRecorder {
  private readonly began = performance.now();
  private readonly summary = new Summary();
  private readonly history: History;

  constructor(
    private readonly options: ProxyRecorderOptions,
    private readonly listener: (event: RunEvent) => void,
  ) {
    this.history = new History(
      'server',
      () => performance.now() - this.began,
      event => this.emit({ kind: 'wire', event }),
    );
    for (const program of options.programs ?? []) learnGiven(this.secrets, program);
  }

  /** Values that are hidden in the record. */
  get secrets(): Secrets {
    return this.history.secrets;
  }

  private emit(event: RunEvent): void {
    const shown = event.kind === 'wire' ? event : hideInRunEvent(event, this.history.secrets);
    this.summary.add(shown);
    this.listener(shown);
  }

  start(subject: RunStart['subject']): void {
    this.emit({
      kind: 'run-start',
      tool: { name: 'mcp-conform', version: toolVersion },
      role: 'watch',
      subject,
      startedAt: new Date().toISOString(),
      seed: 0,
      strict: this.options.strict ?? false,
      fixtures: false,
      options: this.options.options ?? [],
    });
  }

  /** Opens a record for another conversation. */
  newLink(transport: TransportId = this.options.transport): { tap: Tap; conversation: Conversation } {
    const link = this.history.newLink(transport, latestRevision);
    return {
      tap: event =>
        this.history.record(link, event.kind === 'open' ? { ...event, unplanned: true } : event).messages,
      conversation: this.history.conversation(link),
    };
  }

  /** Judges the recorded conversations, and reports the end of the run. */
  end(processesStarted: number, unjudged?: CouldNotJudge): void {
    let isJudged = false;
    for (const event of judgeBoth(this.history, this.options.rules)) {
      isJudged = true;
      this.emit(event);
    }
    unjudged ??= isJudged ? undefined : new CouldNotJudge(this.whyNothing());
    const totals = {
      kind: 'run-end',
      durationMs: performance.now() - this.began,
      processesStarted,
      ...(unjudged && { unjudged: { reason: unjudged.message, details: unjudged.details } }),
    } as const;
    this.emit({ ...totals, exitCode: this.summary.exitCodeAt(totals) });
  }

  private whyNothing(): string {
    const conversations = [...this.history.conversations.values()];
    return conversations.some(c => c.messages.some(message => message.by === 'client'))
      ? 'The client only asked for the revisions of the server.'
      : 'No message came from a client. On stdio, a client starts this command in place of its server.';
  }
}
