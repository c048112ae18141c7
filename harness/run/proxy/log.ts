/** The record of a conversation between a real client and a real server, and the judgement of both at its end. */

import { isObject, type Json, type JsonObject, type Role } from '../../../spec/json-rpc.js';
import type { RequirementId } from '../../../spec/requirement.js';
import { requirement } from '../../../spec/requirement.js';
import { latestRevision, type RevisionId, type TransportId } from '../../../spec/revisions.js';
import { bindsIn, judgeConversation, judgeRun } from '../../judge/judge.js';
import type { Rule, RunRule } from '../../judge/rule.js';
import type { Conversation } from '../../record/conversation.js';
import { History } from '../../record/history.js';
import { resultOf } from '../../record/message.js';
import type { RevisionStart, RunEvent, RunStart } from '../../report/run-event.js';
import { Summary } from '../../report/summary.js';
import type { Tap } from '../../transports/link.js';
import { toolVersion } from '../../version.js';
import type { Unjudgeable } from '../server/probe.js';

export interface WatchLogOptions {
  readonly rules: readonly (Rule | RunRule)[];
  readonly transport: TransportId;
  readonly strict?: boolean;
  /** Options to repeat when it is watched again. */
  readonly options?: readonly string[];
}

/** The ends, in the order they are reported. */
const sides: readonly Role[] = ['server', 'client'];

export class WatchLog {
  private readonly began = performance.now();
  private readonly summary = new Summary();
  private readonly history: History;

  constructor(
    private readonly options: WatchLogOptions,
    private readonly listener: (event: RunEvent) => void,
  ) {
    this.history = new History(
      'server',
      () => performance.now() - this.began,
      event => this.emit({ kind: 'wire', event }),
    );
  }

  private emit(event: RunEvent): void {
    const shown = event.kind === 'wire' ? event : this.history.secrets.hideIn(event);
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

  /** A place where another conversation is recorded. */
  newLink(transport: TransportId = this.options.transport): { tap: Tap; conversation: Conversation } {
    const link = this.history.newLink(transport, latestRevision);
    return {
      tap: event => this.history.record(link, event).messages,
      conversation: this.history.conversation(link),
    };
  }

  /** Judges what was seen, and tells that it is over. */
  end(processesStarted: number, unjudged?: Unjudgeable): void {
    for (const event of judgeBoth(this.history, this.options.rules)) this.emit(event);
    const totals = {
      kind: 'run-end',
      durationMs: performance.now() - this.began,
      processesStarted,
      ...(unjudged && { unjudged: { reason: unjudged.message, details: unjudged.details } }),
    } as const;
    this.emit({ ...totals, exitCode: this.summary.exitCodeAt(totals) });
  }
}

/** What each end did wrong, for every revision that was spoken. */
export function* judgeBoth(history: History, rules: readonly (Rule | RunRule)[]): Generator<RunEvent> {
  for (const side of sides) {
    const conversations = [...History.from(history.events, side).conversations.values()].filter(
      c => c.opened?.transport === c.transport && c.messages.length > 0,
    );
    for (const revision of [...new Set(conversations.map(c => c.revision.id))])
      yield* judgeSide(
        side,
        revision,
        conversations.filter(c => c.revision.id === revision),
        rules,
      );
  }
}

function* judgeSide(
  side: Role,
  revision: RevisionId,
  conversations: readonly Conversation[],
  rules: readonly (Rule | RunRule)[],
): Generator<RunEvent> {
  const [first] = conversations as [Conversation];
  const binding = rules.map(r => r.requirement).filter(id => bindsIn(requirement(id), first));
  yield {
    ...unplanned,
    kind: 'revision-start',
    revision,
    transport: first.transport,
    side,
    info: infoOf(first, side),
    capabilities: first.capabilities(side) ?? {},
    offers: [revision],
    requirements: [...new Set<RequirementId>(binding)].sort(),
  };
  for (const conversation of conversations)
    for (const finding of judgeConversation(conversation, rules)) yield { kind: 'finding', finding };
  for (const finding of judgeRun(conversations, rules)) yield { kind: 'finding', finding };
  yield { kind: 'revision-end', revision, transport: first.transport, durationMs: 0 };
}

const unplanned: Pick<RevisionStart, 'planned' | 'notApplicable'> = { planned: 0, notApplicable: [] };

/** What an end says about itself. */
function infoOf({ handshake }: Conversation, side: Role): Json {
  const from: JsonObject | undefined =
    side === 'client' ? handshake?.request.params : handshake && resultOf(handshake);
  const info = from?.[`${side}Info`];
  return isObject(info) ? info : null;
}
