/** Changes of a list of events that keep the numbers and times in order. */

import type { Event, NewEvent } from '../../../harness/record/event.js';

/** Numbers and times in the order of the list; the events themselves move. */
const renumbered = (events: readonly Event[], order: readonly Event[]): Event[] =>
  order.map((event, at) => ({ ...event, seq: events[at]!.seq, at: events[at]!.at }));

export const replaced = (events: readonly Event[], old: Event, changed: Event): Event[] =>
  events.map(event => (event === old ? changed : event));

export const withoutEvents = (events: readonly Event[], group: readonly Event[]): Event[] =>
  events.filter(event => !group.includes(event));

/** New events after the one at an index. Their numbers are fractions, so that no other event changes its own. */
export function inserted(events: readonly Event[], after: number, added: readonly NewEvent[]): Event[] {
  const { seq, at, link, case: number } = events[after]!;
  const placed = added.map(
    (event, n) =>
      ({ ...event, seq: seq + (n + 1) / (added.length + 1), at, link, case: number }) as unknown as Event,
  );
  return [...events.slice(0, after + 1), ...placed, ...events.slice(after + 1)];
}

/** The group stands before the event at the index, or at the end. */
export function moved(events: readonly Event[], group: readonly Event[], before: number): Event[] {
  const rest = (part: readonly Event[]) => part.filter(event => !group.includes(event));
  return renumbered(events, [...rest(events.slice(0, before)), ...group, ...rest(events.slice(before))]);
}

/** The index of the first event of the end of a conversation. */
export function endOf(events: readonly Event[]): number {
  const at = events.findIndex(
    ({ kind }) => kind === 'closing' || kind === 'input-closed' || kind === 'signal' || kind === 'exit',
  );
  return at < 0 ? events.length : at;
}
