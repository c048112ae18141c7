/** Streams that carry the response to a POST, and their end. */

import { isMessageEvent } from '../../../harness/framing/sse.js';
import { type Conversation, derived } from '../../../harness/record/conversation.js';
import type { HttpExchange } from '../../../harness/record/http-exchange.js';
import type { Message } from '../../../harness/record/message.js';
import { parseJson, parseObject } from '../../../spec/json-rpc.js';
import { isCancelled } from './conversation.js';
import { accepted, answers, asksOf, connectionsOf, method, receivedOn } from './http.js';

interface Ended {
  readonly post: HttpExchange;
  readonly ask: Message;
  readonly came: boolean;
}

/** Requests of POSTs whose stream the server ended, and whether the response arrived on the stream. */
export const ended = derived((conversation: Conversation): readonly Ended[] => [...findEnded(conversation)]);

function* findEnded(conversation: Conversation): Generator<Ended> {
  for (const post of accepted(conversation, 'POST').filter(e => e.isStream)) {
    if (bareJson(post) !== undefined) continue;
    const came = receivedOn(conversation, post);
    for (const ask of asksOf(post)) {
      const found = came.some(reply => answers(reply, ask, post));
      // a stream is open until the server has ended its last connection, resumptions included
      if (!found && (!mayBeOver(conversation, post, ask) || isOpen(conversation, post))) continue;
      const excused = () => isCancelled(conversation, ask) || idRepeated(conversation, ask);
      if (found || !excused()) yield { post, ask, came: found };
    }
  }
}

/** Whether a stream can be over without a response: not when the client or the network kept the response away. */
function mayBeOver(conversation: Conversation, post: HttpExchange, ask: Message): boolean {
  const connections = connectionsOf(conversation, post);
  const isLost = connections.some(({ lost }) => lost.some(({ data }) => parseObject(data)?.id === ask.id));
  return post.closedBy === 'server' || (post.closedBy === 'error' && !isLost);
}

/** Names the type of an event that holds a message, where readers take no message from events of this type. */
export function typeThatHides({ events }: HttpExchange): string | undefined {
  const hidden = events.find(e => !isMessageEvent(e) && parseObject(e.data)?.jsonrpc !== undefined);
  return (
    hidden &&
    `a message came in an event of the type ${JSON.stringify(hidden.event)}: readers take messages from events without a type, and of the type "message"`
  );
}

const idRepeated = (conversation: Conversation, ask: Message): boolean =>
  conversation.requests({ by: 'peer' }).filter(r => r.idKey === ask.idKey).length > 1;

/**
 * Whether the last connection of a stream was not ended by the server, or ended after the harness began to
 * disconnect or to end the session.
 */
function isOpen(conversation: Conversation, post: HttpExchange): boolean {
  const last = connectionsOf(conversation, post).at(-1)!;
  // without sessions DELETE ends nothing
  const deletion = conversation.isStateless
    ? undefined
    : conversation.http().find(e => method(e) === 'DELETE');
  const leaving = [conversation.eventsOf('closing')[0], deletion?.request].map(
    e => e?.seq ?? Number.POSITIVE_INFINITY,
  );
  return last.closedBy !== 'server' || last.end!.seq > Math.min(...leaving);
}

/**
 * The JSON in a response that contains no events although its media type is text/event-stream; undefined for
 * other responses.
 */
export function bareJson(e: HttpExchange): string | undefined {
  if (e.events.some(event => event.data !== undefined)) return undefined;
  const text = e.events
    .map(event => event.raw ?? '')
    .join('')
    .trim();
  return parseJson(text) === undefined ? undefined : text;
}

/** The methods whose stream a server may end without a response. */
const mayDrop: ReadonlySet<string> = new Set(['subscriptions/listen']);

/**
 * The POSTs without a handshake whose stream the server ended with neither a response nor an unreadable message, by
 * their request: no client resumes such a stream.
 */
export const unanswered = derived(
  (conversation: Conversation): ReadonlyMap<Message, HttpExchange> =>
    new Map(
      (conversation.isStateless ? ended(conversation) : [])
        .filter(({ ask, came }) => !came && !mayDrop.has(ask.method ?? ''))
        .filter(({ post }) => {
          const isTold = post.received.some(m => m.kind !== 'notification' && m.kind !== 'request');
          const isReadable = conversation
            .frames('subject')
            .every(frame => frame.exchange !== post.number || conversation.messagesOf(frame).length > 0);
          return !isTold && isReadable;
        })
        .map(({ post, ask }) => [ask, post]),
    ),
);
