/** Servers that lose or double something only where the network fails. */

import { isObject } from '../../spec/json-rpc.js';
import { type Fault, fault, onBlock, onChunk, onHttp, onHttpRequest } from '../fault.js';
import { onGone } from '../server/faults/streamable-http.js';
import { messageOf } from '../server/faults/streams.js';
import { type Block, type Incoming, isStreaming } from '../server/http/reply.js';

const over = ['streamable-http'] as const;

const lastEventId = (ask: Incoming): string | undefined => ask.headers.get('last-event-id');
const sessionOf = (ask: Incoming): string => ask.headers.get('mcp-session-id') ?? '';

const isReply = (block: Block): boolean => {
  const message = messageOf(block);
  return isObject(message) && !('method' in message);
};

const isMessage = (block: Block): boolean => messageOf(block) !== undefined;

const withId = (block: Block, id: string): Block => ({ ...(block as object), id });

export const networkServerFaults: readonly Fault[] = [
  fault(
    'nw-replay-from-start',
    {
      what: 'A resumed stream begins with the first message of the stream, whatever Last-Event-ID is.',
      breaks: ['streamable-http.replay-once'],
      over,
    },
    onHttpRequest(ask => {
      const id = lastEventId(ask);
      if (id === undefined) return ask;
      return { ...ask, headers: new Map(ask.headers).set('last-event-id', id.replace(/\d+$/, '0')) };
    }),
  ),

  fault(
    'nw-replay-of-former-stream',
    {
      what: 'A resumed stream begins with the last response of another stream.',
      breaks: ['streamable-http.no-cross-stream-replay', 'jsonrpc.request-answered-once'],
      over,
    },
    onBlock((block, ask, context) => {
      const { replies, begun } = context.keep(() => ({
        replies: new Map<string, Block>(),
        begun: new Set<Incoming>(),
      }));
      if (ask.method === 'POST' && isReply(block) && !replies.has(sessionOf(ask)))
        replies.set(sessionOf(ask), withId(block, 'former'));
      const former = replies.get(sessionOf(ask));
      if (lastEventId(ask) === undefined || begun.has(ask) || !isMessage(block) || !former) return block;
      begun.add(ask);
      return [former, block];
    }),
  ),

  fault(
    'nw-executes-again',
    {
      what: 'A request is executed again when its stream is resumed, and both responses are sent.',
      breaks: ['jsonrpc.request-answered-once'],
      over,
    },
    onBlock((block, ask) => {
      if (lastEventId(ask) === undefined || !isReply(block)) return block;
      return [block, withId(block, `${(block as { id?: string }).id}-again`)];
    }),
  ),

  fault(
    'nw-cut-cancels',
    {
      what: 'A request is cancelled when its connection breaks, and the resumed stream has no response.',
      breaks: ['streamable-http.sse-response-arrives'],
      over,
    },
    onHttp((reply, ask, context) => {
      const running = () => [...(context.sessionOf(ask)?.running.values() ?? [])];
      const cancel = () => {
        for (const call of running()) if (ask.body.includes(`"id":${JSON.stringify(call.id)}`)) call.cancel();
      };
      // the client may resume the stream before the end of its connection is known
      if (lastEventId(ask)?.startsWith('post')) for (const call of running()) call.cancel();
      return ask.method === 'POST' ? onGone(cancel)(reply) : reply;
    }),
  ),

  fault(
    'nw-resumed-empty',
    {
      what: 'A stream that is resumed ends at once.',
      breaks: ['streamable-http.replay-complete', 'streamable-http.sse-response-arrives'],
      over,
    },
    onHttp((reply, ask) => {
      if (lastEventId(ask) === undefined || !isStreaming(reply.body)) return reply;
      return {
        ...reply,
        body: {
          start: writer => {
            writer.close();
            return () => {};
          },
        },
      };
    }),
  ),

  fault(
    'nw-chunk-is-line',
    {
      what: 'The server takes a chunk with the beginning of prompts/get for a whole line.',
      breaks: ['jsonrpc.response-id-matches'],
      over: ['stdio'],
    },
    onChunk(bytes =>
      bytes.includes('"prompts/get"') && bytes.at(-1) !== 0x0a
        ? Buffer.concat([bytes, Buffer.from('\n')])
        : bytes,
    ),
  ),

  fault(
    'nw-decodes-chunks',
    {
      what: 'The server decodes each chunk of its input on its own.',
      breaks: ['transport.utf8'],
      over: ['stdio'],
    },
    onChunk(bytes => Buffer.from(bytes.toString('utf8'))),
  ),
];
