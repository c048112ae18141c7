/** Changes of whole messages: their order, their number, their kind, their bytes, their stream. */

import type { Event, Frame, NewEvent, SseBlock } from '../../../harness/record/event.js';
import { isReply, type Message } from '../../../harness/record/message.js';
import { isObject, type RequestId } from '../../../spec/json-rpc.js';
import { endOf, inserted, moved, replaced, withoutEvents } from './edits.js';
import type { Unit } from './records.js';

export interface Change {
  readonly operator: string;
  readonly apply: () => Event[];
}

/** The events of one message: its frame, and the block of a stream that contains it. */
function groupOf(events: readonly Event[], frame: Frame): Event[] {
  const before = events[events.indexOf(frame) - 1];
  const isBlock = before?.kind === 'sse' && before.framed && before.exchange === frame.exchange;
  return isBlock ? [before, frame] : [frame];
}

const textual: readonly (readonly [operator: string, (text: string) => Partial<Frame>])[] = [
  ['cut', text => ({ text: text.slice(0, -1) })],
  ['in a batch', text => ({ text: `[${text}]` })],
  ['twice in a batch', text => ({ text: `[${text},${text}]` })],
  ['with a byte order mark', text => ({ text: `\ufeff${text}` })],
  ['not UTF-8', text => ({ text: text.replace(/"jsonrpc"/, '"\ufffd":1,"jsonrpc"'), invalidUtf8: true })],
  ['with NaN', text => ({ text: text.replace(/\}$/, ',"x":NaN}') })],
  ['with a member twice', text => ({ text: text.replace(/\}$/, ',"jsonrpc":"2.0"}') })],
  ['with another version twice', text => ({ text: text.replace(/\}$/, ',"jsonrpc":"1.0"}') })],
  ['with spaces', text => ({ text: `  ${text.replace(/\{/, '{ ')}  ` })],
];

export function changesOfMessage(unit: Unit, message: Message): Change[] {
  const { events, conversation } = unit;
  const { frame, json } = message;
  const group = groupOf(events, frame);
  const changes: Change[] = [];
  const add = (operator: string, apply: () => Event[]): void => void changes.push({ operator, apply });
  const withText = (text: string) => replaced(events, frame, { ...frame, text });

  for (const [operator, change] of textual)
    add(operator, () => replaced(events, frame, { ...frame, ...change(frame.text) }));
  add('not sent', () => notSent(unit, message, group));
  if (isObject(json)) {
    const { result, error, ...rest } = json;
    if (message.kind === 'result')
      add('as an error', () =>
        withText(JSON.stringify({ ...rest, error: { code: -32603, message: 'Internal error' } })),
      );
    if (message.kind === 'result')
      add('with an error too', () =>
        withText(JSON.stringify({ ...json, error: { code: -32603, message: 'Internal error' } })),
      );
    if (message.kind === 'error') add('as a result', () => withText(JSON.stringify({ ...rest, result: {} })));
    if (message.kind === 'request') {
      const { id, ...notification } = json;
      add('as a notification', () => withText(JSON.stringify(notification)));
    }
    if (message.kind === 'notification')
      add('as a request', () => withText(JSON.stringify({ ...json, id: 'mutant' })));
  }
  const isStream = group.length > 1;
  if (frame.exchange !== undefined && !isStream) return changes;
  const at = events.indexOf(frame);
  const end = endOf(events);
  if (at >= end) return changes;
  add('sent twice', () => inserted(events, at, copyOf(group)));
  add('sent again at the end', () => inserted(events, Math.max(at, end - 1), copyOf(group)));
  const isOwn = (event: Event): boolean =>
    event.kind === 'frame' && event.by === frame.by && event.exchange === frame.exchange;
  const next = events.findIndex((event, index) => index > at && index < end && isOwn(event));
  if (next > 0) add('after the next message', () => moved(events, group, next + 1));
  add('at the end', () => moved(events, group, end));
  if (isReply(message)) {
    const asked = conversation.requestOf(message);
    const start = asked ? events.indexOf(asked.frame) : -1;
    if (start >= 0 && !isStream) add('before its request', () => moved(events, group, start));
  }
  if (isStream) for (const change of streamChanges(unit, frame, group)) changes.push(change);
  return changes;
}

/** Another block has another event id. */
const copyOf = (group: readonly Event[]): NewEvent[] =>
  group.map(event => (event.kind === 'sse' && event.id ? { ...event, id: `${event.id}-again` } : event));

/** A message that was not sent, and the wait for it. */
function notSent({ events, conversation }: Unit, message: Message, group: readonly Event[]): Event[] {
  const rest = withoutEvents(events, group);
  const asked = isReply(message) ? conversation.requestOf(message) : undefined;
  if (!asked) return rest;
  return inserted(rest, endOf(rest) - 1, [
    { kind: 'deadline', label: 'answer', ms: 10_000, request: asked.id as RequestId },
  ]);
}

/** The message on another stream that is open at the same time. */
function streamChanges({ events }: Unit, frame: Frame, group: readonly Event[]): Change[] {
  const at = events.indexOf(frame);
  const openStreams = new Map<number, string | undefined>();
  for (const event of events.slice(0, at)) {
    if (event.kind === 'http-response' && isStreamHead(event.headers))
      openStreams.set(event.exchange, streamOf(events, event.exchange));
    if (event.kind === 'http-end') openStreams.delete(event.exchange);
  }
  openStreams.delete(frame.exchange!);
  return (['get', 'post'] as const).flatMap(stream => {
    const other = [...openStreams].findLast(([, kind]) => kind === stream);
    if (!other) return [];
    const [exchange] = other;
    const apply = () =>
      events.map(event => {
        if (event === frame) return { ...frame, exchange, stream };
        return group.includes(event) ? ({ ...event, exchange, id: 'moved' } as SseBlock) : event;
      });
    return [{ operator: `on a stream of another ${stream.toUpperCase()}`, apply }];
  });
}

const isStreamHead = (headers: readonly (readonly [string, string])[]): boolean =>
  headers.some(([name, value]) => name.toLowerCase() === 'content-type' && value.includes('event-stream'));

const streamOf = (events: readonly Event[], exchange: number): string | undefined => {
  const request = events.find(event => event.kind === 'http-request' && event.exchange === exchange);
  return request?.kind === 'http-request' ? request.stream : undefined;
};
