/** The dialects of an event stream: one stream of events, many texts (WHATWG HTML, server-sent events). */

export interface SseEvent {
  /** May contain several lines, which become several `data` fields. */
  readonly data: string;
  readonly event?: string;
  readonly id?: string;
  /** Milliseconds. */
  readonly retry?: number;
}

/** The style of a stream; all styles have the same meaning. */
export interface SseDialect {
  readonly lineEnd: '\n' | '\r\n' | '\r';
  /** A byte order mark at the beginning. */
  readonly bom: boolean;
  /** Positions of comment lines. */
  readonly comments: 'none' | 'between' | 'inside' | 'everywhere';
  /** The space after the colon. */
  readonly space: boolean;
  /** The fields at the beginning of an event. */
  readonly order: 'data-last' | 'data-first';
  /** Unknown fields, which readers ignore. */
  readonly unknownFields: boolean;
  /** More than one empty line between events. */
  readonly emptyLines: 0 | 1 | 2;
}

export const plainDialect: SseDialect = {
  lineEnd: '\n',
  bom: false,
  comments: 'none',
  space: true,
  order: 'data-last',
  unknownFields: false,
  emptyLines: 0,
};

const everyLine = /\r\n|\n|\r/;

/** The text of a stream of events in a dialect; a reader finds the same events in all dialects. */
export function sseText(events: readonly SseEvent[], dialect: Partial<SseDialect> = {}): string {
  const choices = { ...plainDialect, ...dialect };
  const { comments, lineEnd } = choices;
  const between = comments === 'between' || comments === 'everywhere';
  const lines = events.flatMap(event => [
    ...(between ? [':', ': nothing'] : []),
    ...eventLines(event, choices),
    ...Array.from({ length: choices.emptyLines + 1 }, () => ''),
  ]);
  return (choices.bom ? '\ufeff' : '') + lines.map(line => line + lineEnd).join('');
}

function eventLines(event: SseEvent, { space, comments, order, unknownFields }: SseDialect): string[] {
  const field = (name: string, value: string) =>
    // a leading space of a value would be read as the optional space after the colon
    `${name}:${space || value.startsWith(' ') ? ' ' : ''}${value}`;
  const data = event.data.split(everyLine).map(line => field('data', line));
  const others = [
    ...(event.event === undefined ? [] : [field('event', event.event)]),
    ...(event.id === undefined ? [] : [field('id', event.id)]),
    ...(event.retry === undefined ? [] : [field('retry', String(event.retry))]),
    ...(unknownFields ? [field('x-unknown', '1'), 'flag'] : []),
  ];
  const lines = order === 'data-last' ? [...others, ...data] : [...data, ...others];
  return comments === 'inside' || comments === 'everywhere' ? lines.flatMap(line => [line, ':']) : lines;
}
