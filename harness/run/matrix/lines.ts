/** The conversation of a cell as lines for a report; the record has every byte. */

import type { Event } from '../../record/event.js';
import type { ConversationLine } from '../../report/matrix-report.js';

/** Characters of a line, and number of lines of a cell. */
const longest = 600;
const most = 400;

/** @returns the lines, and the line of an event by its number */
export function linesOf(events: readonly Event[]): {
  readonly lines: readonly ConversationLine[];
  readonly lineOf: (seq: number) => number | undefined;
} {
  const lines: ConversationLine[] = [];
  const places = new Map<number, number>();
  const zero = events[0]?.at ?? 0;
  for (const event of events) {
    const line = lineFor(event);
    if (!line || lines.length > most) continue;
    places.set(event.seq, lines.length);
    lines.push(
      lines.length === most
        ? [Math.round(event.at - zero), '', 'further events are in the record only']
        : [Math.round(event.at - zero), line[0], shortened(line[1])],
    );
  }
  return { lines, lineOf: seq => places.get(seq) };
}

const shortened = (text: string): string =>
  text.length <= longest
    ? text
    : `${text.slice(0, longest - 120)}…(${text.length} characters)…${text.slice(-100)}`;

function lineFor(event: Event): readonly ['client' | 'server' | '', string] | undefined {
  switch (event.kind) {
    case 'frame':
      return [event.by, event.text];
    case 'open':
      return [
        '',
        event.argv ? `server started: ${event.argv.join(' ')}` : `connection over ${event.transport}`,
      ];
    case 'http-request':
      return event.method === 'POST'
        ? undefined
        : ['client', `${event.method} ${new URL(event.url).pathname}`];
    case 'http-response':
      return event.status >= 300 ? ['server', `HTTP status ${event.status}`] : undefined;
    case 'http-body':
      return [event.of === 'request' ? 'client' : 'server', event.text];
    case 'exit':
      return ['', `server ended: ${event.signal ?? `code ${event.code}`}`];
    case 'input-closed':
      return ['client', 'closes the input of the server'];
    case 'signal':
      return ['client', `sends ${event.signal}`];
    case 'stderr':
      return ['', `output of the server: ${event.text.trim()}`];
    default:
      return undefined;
  }
}
