/** Records of the references without deviations, as small conversations that conform each on its own. */

import { grouped } from '../../../harness/grouped.js';
import { judgeConversation } from '../../../harness/judge/judge.js';
import type { Conversation } from '../../../harness/record/conversation.js';
import type { Event } from '../../../harness/record/event.js';
import { History } from '../../../harness/record/history.js';
import { definedRevisions, type Revision, type TransportId } from '../../../spec/revisions.js';
import { suite } from '../../index.js';
import { tryMock } from '../run-mock.js';
import { tryMockClient } from '../run-mock-client.js';

/** A recorded run against a reference. */
export interface Form {
  readonly party: 'server' | 'client';
  readonly revision: Revision;
  readonly transport: TransportId;
}

/** Every revision over every transport, in both roles. */
export const forms: readonly Form[] = (['server', 'client'] as const).flatMap(party =>
  definedRevisions.flatMap(revision =>
    revision.transports.map(transport => ({ party, revision, transport })),
  ),
);

export const nameOf = ({ party, revision, transport }: Form): string =>
  `${party}, ${revision.id} on ${transport}`;

/** A part of a record that conforms on its own: one conversation, or the beginning of one with one of its cases. */
export interface Unit {
  readonly form: Form;
  readonly events: readonly Event[];
  readonly conversation: Conversation;
}

/** The end of a conversation belongs to each of its parts. */
const ends: ReadonlySet<Event['kind']> = new Set([
  'closing',
  'input-closed',
  'output-closed',
  'signal',
  'exit',
]);

/** Longer conversations are split by case. */
const longest = 250;

export const conversationOf = (events: readonly Event[], { party }: Form): Conversation =>
  [...History.from(events, party).conversations.values()][0]!;

/** Runs the whole suite against the reference. */
export async function record(form: Form): Promise<Unit[]> {
  const { party, revision, transport } = form;
  const { wire } = await (party === 'server' ? tryMock : tryMockClient)(revision, { transport });
  return [...grouped(wire, event => event.link).values()].flatMap(events => unitsOf(events, form));
}

function unitsOf(events: readonly Event[], form: Form): Unit[] {
  if (events.length <= longest) return usable([events], form);
  const first = events[0]!.case;
  const opening = events.slice(
    0,
    events.findIndex(event => event.case !== first),
  );
  const end = events.filter(({ kind }) => ends.has(kind));
  const parts = [...grouped(events, event => event.case)]
    .filter(([number]) => number !== first)
    .map(([, own]) => [...new Set([...opening, ...own, ...end])].sort((a, b) => a.seq - b.seq));
  return usable([opening, ...parts], form);
}

/** A part that lacks its context may seem to break a rule. */
const usable = (parts: readonly (readonly Event[])[], form: Form): Unit[] =>
  parts
    .map(events => ({ form, events, conversation: conversationOf(events, form) }))
    .filter(
      ({ conversation }) => !judgeConversation(conversation, suite.rules).some(f => f.verdict === 'fail'),
    );
