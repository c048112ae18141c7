/** Changes of what carries the messages: HTTP heads and streams, lines, the process. */

import type { Event, HttpRequest, HttpResponse, SseBlock } from '../../../harness/record/event.js';
import { endOf, inserted, replaced, withoutEvents } from './edits.js';
import type { Change } from './messages.js';
import type { Unit } from './records.js';

/** A change, and the kind of thing that is changed. */
interface CarrierChange extends Change {
  readonly subject: string;
}

const statuses = [200, 202, 204, 301, 400, 404, 405, 500];

export function carrierChanges(unit: Unit): CarrierChange[] {
  const { events, form } = unit;
  const found = events.flatMap(event => {
    if (form.party === 'server' && event.kind === 'http-response') return responseChanges(unit, event);
    if (form.party === 'server' && event.kind === 'sse') return blockChanges(unit, event);
    if (form.party === 'client' && event.kind === 'http-request') return requestChanges(unit, event);
    return [];
  });
  return [...found, ...(form.transport === 'stdio' ? processChanges(unit) : [])];
}

const requestOf = (events: readonly Event[], exchange: number): HttpRequest | undefined =>
  events.find((e): e is HttpRequest => e.kind === 'http-request' && e.exchange === exchange);

type Headed = HttpRequest | HttpResponse;

function headerChanges(unit: Unit, event: Headed, subject: string): CarrierChange[] {
  const { events } = unit;
  return event.headers.flatMap(([name, value], at) => {
    const label = name.toLowerCase();
    const withHeaders = (headers: Headed['headers']) => () => replaced(events, event, { ...event, headers });
    const to = (text: string) =>
      withHeaders(event.headers.map((header, n) => (n === at ? ([name, text] as const) : header)));
    const of = (operator: string, apply: () => Event[]): CarrierChange => ({
      subject: `${subject} ${label}`,
      operator,
      apply,
    });
    return [
      of('dropped', withHeaders(event.headers.filter((_, n) => n !== at))),
      of('emptied', to('')),
      of('altered', to(`${value}x`)),
      of('twice', withHeaders([...event.headers, [name, value]])),
      of('twice with another value', withHeaders([...event.headers, [name, `${value}x`]])),
      of('in upper case', to(value.toUpperCase())),
      of('other type', to('text/plain')),
      of('not ASCII', to(`${value}\u00e9`)),
    ];
  });
}

function responseChanges(unit: Unit, event: HttpResponse): CarrierChange[] {
  const { events } = unit;
  const asked = requestOf(events, event.exchange);
  if (asked?.endpoint) return [];
  const subject = `response ${event.status} to ${asked?.method ?? '?'}`;
  return [
    ...statuses
      .filter(status => status !== event.status)
      .map(status => ({
        subject,
        operator: `with status ${status}`,
        apply: () => replaced(events, event, { ...event, status }),
      })),
    ...headerChanges(unit, event, `${subject}, header`),
    {
      subject,
      operator: 'not sent',
      apply: () => withoutEvents(events, ofExchange(events, event.exchange, event)),
    },
  ];
}

/** What the other side sent in an exchange from an event on. */
const ofExchange = (events: readonly Event[], exchange: number, from: Event): Event[] =>
  events.filter(
    (event, at) => 'exchange' in event && event.exchange === exchange && at >= events.indexOf(from),
  );

function blockChanges(unit: Unit, event: SseBlock): CarrierChange[] {
  const { events } = unit;
  const kind = event.framed ? 'message' : event.event === 'endpoint' ? 'endpoint' : 'other block';
  const to = (operator: string, change: Partial<SseBlock>): CarrierChange => ({
    subject: `event (${kind})`,
    operator,
    apply: () => replaced(events, event, { ...event, ...change }),
  });
  const at = events.indexOf(event);
  const earlier = events.slice(0, at).findLast((e): e is SseBlock => e.kind === 'sse' && e.id !== undefined);
  const { id, event: type, ...rest } = event;
  return [
    to('of another type', { event: 'other' }),
    to('with an invalid retry', { retry: 'soon' }),
    to('with a retry', { retry: '10' }),
    to('with a comment', { comments: ['hello'] }),
    ...(event.data !== undefined ? [to('with other data', { data: 'hello' })] : []),
    ...(earlier?.id ? [to('with the id of an earlier one', { id: earlier.id })] : []),
    ...(id !== undefined
      ? [
          {
            subject: `event (${kind})`,
            operator: 'without id',
            apply: () =>
              replaced(events, event, { ...rest, ...(type !== undefined && { event: type }) } as SseBlock),
          },
          to('with an empty id', { id: '' }),
        ]
      : [to('with an id', { id: 'mutant' })]),
    ...(type !== undefined
      ? [
          {
            subject: `event (${kind})`,
            operator: 'without type',
            apply: () => replaced(events, event, { ...rest, ...(id !== undefined && { id }) } as SseBlock),
          },
        ]
      : []),
  ];
}

function requestChanges(unit: Unit, event: HttpRequest): CarrierChange[] {
  const { events } = unit;
  if (event.endpoint) return [];
  const subject = `${event.method} request`;
  const as = (operator: string, change: Partial<HttpRequest>): CarrierChange => ({
    subject,
    operator,
    apply: () => replaced(events, event, { ...event, ...change }),
  });
  return [
    ...['POST', 'GET', 'PUT', 'DELETE']
      .filter(method => method !== event.method)
      .map(method => as(`as ${method}`, { method })),
    as('to another path', { url: `${event.url}/other` }),
    as('with a query', { url: `${event.url}?x=1` }),
    ...headerChanges(unit, event, `${subject}, header`),
    {
      subject,
      operator: 'not sent',
      apply: () => withoutEvents(events, ofExchange(events, event.exchange, event)),
    },
  ];
}

function processChanges(unit: Unit): CarrierChange[] {
  const { events, form } = unit;
  const by = form.party;
  const subject = 'process';
  const end = endOf(events);
  const middle = events.findIndex((e, at) => e.kind === 'frame' && e.by === by && at > end / 2);
  if (middle < 0 || middle >= end) return [];
  const line = (operator: string, text: string): CarrierChange => ({
    subject: 'lines',
    operator,
    apply: () => inserted(events, middle, [{ kind: 'frame', by, text }]),
  });
  const exit = events.find(e => e.kind === 'exit');
  const found: CarrierChange[] = [
    line('a line of text', 'Server started.'),
    line('an empty line', ''),
    line('a line with a space', ' '),
    line('JSON that is no message', '{"level":"info"}'),
    line('a number', '7'),
    line('an empty batch', '[]'),
    line('an empty object', '{}'),
    {
      subject: 'lines',
      operator: 'a line break inside',
      apply: () => splitAt(events, middle),
    },
  ];
  if (by === 'server' && exit)
    found.push(
      {
        subject,
        operator: 'with another exit code',
        apply: () => replaced(events, exit, { ...exit, code: 3 }),
      },
      {
        subject,
        operator: 'exits early',
        apply: () =>
          inserted(
            events.filter((e, at) => at <= middle || e.kind === 'closing'),
            middle,
            [{ kind: 'output-closed' }, { kind: 'exit', code: 1, signal: null }],
          ),
      },
      {
        subject,
        operator: 'leaves a process',
        apply: () => inserted(events, events.indexOf(exit), [{ kind: 'left-behind', pids: [4242] }]),
      },
      {
        subject,
        operator: 'ends by SIGKILL only',
        apply: () =>
          inserted(
            replaced(events, exit, { ...exit, code: null, signal: 'SIGKILL' }),
            events.indexOf(exit) - 1,
            [
              { kind: 'deadline', label: 'exit-after-eof', ms: 1_000 },
              { kind: 'signal', signal: 'SIGTERM' },
              { kind: 'deadline', label: 'exit-after-sigterm', ms: 1_000 },
              { kind: 'signal', signal: 'SIGKILL' },
            ],
          ),
      },
      {
        subject,
        operator: 'ends by SIGTERM only',
        apply: () =>
          inserted(
            replaced(events, exit, { ...exit, code: null, signal: 'SIGTERM' }),
            events.indexOf(exit) - 1,
            [
              { kind: 'deadline', label: 'exit-after-eof', ms: 1_000 },
              { kind: 'signal', signal: 'SIGTERM' },
            ],
          ),
      },
    );
  return found;
}

function splitAt(events: readonly Event[], at: number): Event[] {
  const frame = events[at]!;
  if (frame.kind !== 'frame') return [...events];
  const half = frame.text.indexOf(',') + 1;
  return inserted(replaced(events, frame, { ...frame, text: frame.text.slice(0, half) }), at, [
    { kind: 'frame', by: frame.by, text: frame.text.slice(half) },
  ]);
}
