/** Judges a stored run again: the record and the scenarios' expectations stay, the rules' findings are made anew. */

import type { Event } from './event.js';
import { History } from './history.js';
import { judgeConversation, judgeRun } from './judge.js';
import type { Rule, RunRule } from './rule.js';
import type { RunEvent } from './run-event.js';
import { Summary } from './summary.js';

/** The events of the run with today's findings, each revision's before its end. */
export function* rejudge(
  events: readonly RunEvent[],
  rules: readonly (Rule | RunRule)[],
): Generator<RunEvent> {
  const summary = new Summary();
  const subject = events.some(e => e.kind === 'run-start' && e.role === 'client') ? 'client' : 'server';
  const pass = function* (event: RunEvent) {
    summary.add(event);
    yield event;
  };
  let wire: Event[] = [];
  for (const event of events) {
    if (event.kind === 'finding' && event.finding.source === 'rule') continue;
    if (event.kind === 'run-end') {
      yield* flush();
      summary.add(event);
      yield { ...event, exitCode: summary.exitCode };
      continue;
    }
    if (event.kind === 'wire') wire.push(event.event);
    if (event.kind === 'revision-end') yield* flush();
    yield* pass(event);
  }

  function* flush() {
    const conversations = [...History.from(wire, subject).conversations.values()];
    for (const conversation of conversations)
      for (const finding of judgeConversation(conversation, rules)) yield* pass({ kind: 'finding', finding });
    for (const finding of judgeRun(conversations, rules)) yield* pass({ kind: 'finding', finding });
    wire = [];
  }
}
