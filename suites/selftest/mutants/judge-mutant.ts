/** The findings of all rules about a mutant. */

import { judgeConversation, judgeRun } from '../../../harness/judge/judge.js';
import { type Grade, gradeOf } from '../../../harness/judge/verdict.js';
import type { Conversation } from '../../../harness/record/conversation.js';
import { requirement } from '../../../spec/requirement.js';
import { suite } from '../../index.js';
import { problemsIn } from '../../rules/both/schema.js';
import type { Mutant } from './mutants.js';
import { conversationOf, type Unit } from './records.js';

export interface Judged {
  readonly mutant: Mutant;
  /** The failed rows, each with its grade. */
  readonly rows: ReadonlyMap<string, Grade>;
  /** The message does not fit its definition, formats aside: that is a violation, whatever the row. */
  readonly isInvalid: boolean;
  /** Rules that failed themselves. */
  readonly errors: readonly string[];
}

export const isNoticed = ({ rows }: Judged): boolean => rows.size > 0;

/** The schema forbids the message, and no row calls it a violation. */
export const isTooMild = ({ rows, isInvalid }: Judged): boolean =>
  isInvalid && ![...rows.values()].includes('violation');

/** @param beside other conversations of the same run, for rules that compare several */
export function judgeMutant(mutant: Mutant, beside: readonly Conversation[]): Judged {
  const { form } = mutant.unit;
  const conversation = conversationOf(mutant.apply(), form);
  const found = [
    ...judgeConversation(conversation, suite.rules),
    ...judgeRun([...beside, conversation], suite.rules),
  ];
  const failed = found.filter(({ verdict }) => verdict === 'fail');
  return {
    mutant,
    rows: new Map(
      failed.map(f => [f.requirement, gradeOf(requirement(f.requirement), form.revision.id, 'fail')]),
    ),
    isInvalid: mutant.seq !== undefined && isInvalidAt(conversation, mutant.seq),
    errors: found.filter(({ verdict }) => verdict === 'error').map(f => `${f.requirement}: ${f.message}`),
  };
}

function isInvalidAt(conversation: Conversation, seq: number): boolean {
  return conversation.messagesOf({ seq }).some(message => {
    const request = message.kind === 'result' ? conversation.requestOf(message) : undefined;
    const vocabulary = conversation.vocabularyFor(message);
    return problemsIn(vocabulary, message, request)?.some(problem => !problem.isFormat) ?? false;
  });
}

/** Other conversations of the run in which the unit was recorded. */
export function neighbours(units: readonly Unit[]): (unit: Unit) => readonly Conversation[] {
  const byLink = new Map(units.map(({ conversation }) => [conversation.link, conversation]));
  const all = [...byLink.values()].sort((a, b) => a.events.length - b.events.length);
  return ({ conversation: { link } }) => all.filter(other => other.link !== link).slice(0, most);
}

/** Conversations beside a mutant. */
const most = 2;
