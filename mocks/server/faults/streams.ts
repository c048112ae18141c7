/**
 * basic/transports#listening-for-messages-from-the-server and the following sections: the stream of each
 * message.
 */

import { isObject, type Json, parseJson } from '../../../spec/json-rpc.js';
import { type Fault, fault, type Middleware, onBlock, onHttp, onHttpRequest } from '../../fault.js';
import { featuresOf } from '../features.js';
import type { HttpContext } from '../http/context.js';
import { type Block, type Incoming, isStreaming, type StreamWriter } from '../http/reply.js';
import { hasHandshake, isStateless } from './shared.js';
import { onGone } from './streamable-http.js';

export const messageOf = (block: Block): Json | undefined => {
  if (typeof block !== 'object' || !('data' in block) || !block.data) return undefined;
  return parseJson(String(block.data));
};

const isReply = (block: Block): boolean => {
  const message = messageOf(block);
  return isObject(message) && !('method' in message);
};

/** The response to a call that closes its own connection. */
const cameBack = (block: Block): boolean => JSON.stringify(messageOf(block)).includes('The client came back');

const isProgress = (block: Block): boolean => {
  const message = messageOf(block);
  return isObject(message) && message.method === 'notifications/progress';
};

const idOf = (block: Block): string | undefined =>
  typeof block === 'object' && 'id' in block ? block.id : undefined;

const listens = (ask: Incoming): boolean => ask.method === 'GET' && !ask.headers.has('last-event-id');
const sessionIn = (ask: Incoming): string => ask.headers.get('mcp-session-id') ?? '';

/** The progress token of a request, in its original notation. */
const tokenIn = (ask: Incoming): string | undefined => /"progressToken":("[^"]*"|\d+)/.exec(ask.body)?.[1];

/** Delayed progress of each session, by the token of the open call. */
const heldIn = (ask: Incoming, context: HttpContext): Map<string, Block[]> => {
  const sessions = context.keep(() => new Map<string, Map<string, Block[]>>());
  const held = sessions.get(sessionIn(ask)) ?? new Map<string, Block[]>();
  sessions.set(sessionIn(ask), held);
  return held;
};

/** Remembers the GET stream of each session, for faults that write to it. */
function onBeside(
  act: (block: Block, ask: Incoming, beside: StreamWriter | undefined) => Block | Block[] | undefined,
): Middleware[] {
  const listeners = new WeakMap<object, Map<string, StreamWriter>>();
  const of = (context: object) => {
    const map = listeners.get(context) ?? new Map<string, StreamWriter>();
    listeners.set(context, map);
    return map;
  };
  return [
    onHttp((reply, ask, context) => {
      const { body } = reply;
      if (!listens(ask) || !isStreaming(body)) return reply;
      const start: typeof body.start = writer => {
        of(context).set(sessionIn(ask), writer);
        return body.start(writer);
      };
      return { ...reply, body: { start } };
    }),
    onBlock((block, ask, context) =>
      listens(ask) ? block : act(block, ask, of(context).get(sessionIn(ask))),
    ),
  ];
}

/** A copy without an event id. */
const copy = (block: Block): Block => ({ event: 'message', data: JSON.stringify(messageOf(block)) });

/** The first message of each connection that resumes a stream is changed. */
const onFirstReplayed = (change: (block: Block) => Block | Block[] | undefined) => {
  const begun = new WeakSet<Incoming>();
  return onBlock((block, ask) => {
    if (!ask.headers.has('last-event-id') || begun.has(ask) || messageOf(block) === undefined) return block;
    begun.add(ask);
    return change(block);
  });
};

export const streamFaults: readonly Fault[] = [
  fault(
    'stream-ends-unanswered',
    {
      what: 'The stream for completion/complete ends before the response and has no event ids for resumption.',
      breaks: ['streamable-http.sse-response-arrives', 'streamable-http.sse-not-closed-early'],
      shows: ['streamable-http.sse-not-closed-early#ends', 'streamable-http.sse-response-arrives#ends'],
    },
    onBlock((block, ask, _context, writer) => {
      if (!ask.body.includes('"completion/complete"')) return block;
      if (isReply(block)) writer.close();
      // without an event id no client resumes the stream
      return idOf(block) === undefined ? block : undefined;
    }),
  ),

  fault(
    'stream-ends-unanswered-without-resumption',
    {
      what: 'The stream for completion/complete ends before the response, without a way to resume it.',
      breaks: ['jsonrpc.request-answered-once'],
      shows: ['jsonrpc.request-answered-once#stream-ends'],
      over: ['streamable-http'],
      where: isStateless,
    },
    onBlock((block, ask, _context, writer) => {
      if (ask.body.includes('"completion/complete"') && isReply(block)) {
        writer.close();
        return undefined;
      }
      return block;
    }),
  ),

  fault(
    'event-not-json',
    {
      what: 'The stream for completion/complete has an event whose data is a part of a message.',
      breaks: ['base.jsonrpc-2-0'],
      shows: ['base.jsonrpc-2-0#event-not-json'],
      over: ['streamable-http'],
    },
    onBlock((block, ask) => {
      if (!ask.body.includes('"completion/complete"') || !isReply(block)) return block;
      return [{ event: 'message', data: '{"jsonrpc":"2.0","method":"notifications/message"' }, block];
    }),
  ),

  fault(
    'stream-stays-open',
    {
      what: 'The stream for ping stays open after the response.',
      breaks: ['streamable-http.sse-closed-after-response'],
      shows: ['streamable-http.sse-closed-after-response#stays-open'],
      where: hasHandshake,
    },
    onHttp((reply, ask) => {
      const { body } = reply;
      if (!ask.body.includes('"ping"') || !isStreaming(body)) return reply;
      return { ...reply, body: { start: writer => body.start({ ...writer, close: () => {} }) } };
    }),
  ),

  fault(
    'stream-of-a-call-stays-open',
    {
      what: 'The streams of tools/call stay open after the response.',
      breaks: ['streamable-http.sse-closed-after-response'],
      shows: ['streamable-http.sse-closed-after-response#stays-open'],
    },
    onHttp((reply, ask) => {
      const { body } = reply;
      // a client resumes the stream of this tool when the connection is closed
      const isPolled = ask.body.includes('test_reconnection');
      if (!ask.body.includes('"tools/call"') || isPolled || !isStreaming(body)) return reply;
      return { ...reply, body: { start: writer => body.start({ ...writer, close: () => {} }) } };
    }),
  ),

  fault(
    'no-prime-event',
    {
      what: 'A resumable stream for a request begins with a message instead of an event id.',
      breaks: ['streamable-http.sse-prime-event'],
      shows: ['streamable-http.sse-prime-event#none'],
    },
    onBlock((block, ask) => {
      const primes = ask.method === 'POST' && typeof block === 'object' && 'data' in block && !block.data;
      // where the connection is closed at once, the client needs the id to resume
      return primes && !ask.body.includes('test_reconnection') ? undefined : block;
    }),
  ),

  fault(
    'event-ids-per-stream',
    {
      what: 'Each stream for ping counts its event ids from zero.',
      breaks: ['streamable-http.event-id-unique'],
      shows: ['streamable-http.event-id-unique#per-stream'],
    },
    onBlock((block, ask) => {
      const id = ask.body.includes('"ping"') ? idOf(block) : undefined;
      return id ? { ...(block as object), id: id.replace(/^.*_/, '') } : block;
    }),
  ),

  fault(
    'response-on-get-stream',
    {
      what: 'The response to prompts/list is also sent on the GET stream.',
      breaks: ['streamable-http.get-no-responses', 'jsonrpc.request-answered-once'],
      shows: ['jsonrpc.request-answered-once#two-responses', 'streamable-http.get-no-responses#response'],
    },
    ...onBeside((block, ask, beside) => {
      if (ask.body.includes('"prompts/list"') && isReply(block)) beside?.write(copy(block));
      return block;
    }),
  ),

  fault(
    'progress-on-get-stream',
    {
      what: 'notifications/progress is sent on the GET stream instead of the stream of its request.',
      breaks: ['streamable-http.get-unrelated-messages'],
      shows: ['streamable-http.get-unrelated-messages#progress'],
    },
    ...onBeside((block, ask, beside) => {
      if (!beside || !isProgress(block)) return block;
      // messages repeated by a resumed stream have been sent before
      if (ask.method === 'POST') beside.write(copy(block));
      return undefined;
    }),
  ),

  fault(
    'questions-on-get-stream',
    {
      what: 'sampling/createMessage of a tool is sent on the GET stream instead of the stream of tools/call.',
      breaks: ['streamable-http.get-unrelated-messages'],
      shows: ['streamable-http.get-unrelated-messages#question'],
    },
    ...onBeside((block, ask, beside) => {
      const message = messageOf(block);
      const question = isObject(message) && message.method === 'sampling/createMessage';
      if (!beside || !question || ask.method !== 'POST') return block;
      beside.write(copy(block));
      return undefined;
    }),
  ),

  fault(
    'log-on-both-streams',
    {
      what: 'notifications/message of a call is also sent on the GET stream.',
      breaks: ['streamable-http.one-stream-per-message', 'streamable-http.no-broadcast'],
      shows: [
        'streamable-http.no-broadcast#both-streams',
        'streamable-http.one-stream-per-message#both-streams',
      ],
    },
    ...onBeside((block, _ask, beside) => {
      const message = messageOf(block);
      const log = isObject(message) && message.method === 'notifications/message';
      if (log) beside?.write(copy(block));
      return block;
    }),
  ),

  fault(
    'disconnect-cancels',
    {
      what: 'tools/call is cancelled when its connection breaks.',
      breaks: ['streamable-http.disconnect-not-cancel'],
      shows: ['streamable-http.disconnect-not-cancel#cancelled'],
    },
    onHttp((reply, ask, context) => {
      const cancel = () => {
        for (const call of context.sessionOf(ask)?.running.values() ?? [])
          if (ask.body.includes(`"id":${JSON.stringify(call.id)}`)) call.cancel();
      };
      // a connection closed by the mock is not broken
      const breaks = ask.body.includes('"tools/call"') && !ask.body.includes('test_reconnection');
      return breaks ? onGone(cancel)(reply) : reply;
    }),
  ),

  fault(
    'polled-answer-lost',
    {
      what: 'The response to tools/call is lost when it is sent while the connection is closed.',
      breaks: ['jsonrpc.request-answered-once'],
      shows: ['jsonrpc.request-answered-once#no-response'],
      where: revision => featuresOf(revision).polling,
    },
    onHttp((reply, ask) => {
      const { body } = reply;
      if (!ask.headers.has('last-event-id') || !isStreaming(body)) return reply;
      const start = (writer: StreamWriter) => {
        let lost = false;
        return body.start({
          ...writer,
          write(block) {
            lost ||= isReply(block) && cameBack(block);
            if (!lost) writer.write(block);
          },
          close: () => (lost ? undefined : writer.close()),
        });
      };
      return { ...reply, body: { start } };
    }),
  ),

  fault(
    'foreign-stream-replayed',
    {
      what: 'A resumed stream also returns responses of other streams.',
      breaks: ['streamable-http.no-cross-stream-replay', 'jsonrpc.request-answered-once'],
      shows: [
        'jsonrpc.request-answered-once#no-response',
        'streamable-http.no-cross-stream-replay#other-stream',
      ],
    },
    onBlock((block, ask, context) => {
      const said = context.keep(() => new Map<string, Block>());
      const session = sessionIn(ask);
      if (ask.method === 'POST' && isReply(block)) said.set(session, copy(block));
      const foreign = said.get(session);
      return ask.headers.has('last-event-id') && foreign ? [foreign, block] : block;
    }),
  ),

  fault(
    'foreign-session-replayed',
    {
      what: 'A GET with an event id of another session as Last-Event-ID returns events of that session.',
      breaks: ['streamable-http.no-cross-stream-replay'],
      shows: ['streamable-http.no-cross-stream-replay#other-session'],
      where: revision => revision.transports.includes('streamable-http'),
    },
    onBlock((block, ask, context) => {
      const id = idOf(block);
      const owners = context.keep(() => new Map<string, Set<string>>());
      if (id) owners.set(id, (owners.get(id) ?? new Set()).add(sessionIn(ask)));
      return block;
    }),
    onHttpRequest((ask, context) => {
      const owners = context
        .keep(() => new Map<string, Set<string>>())
        .get(ask.headers.get('last-event-id') ?? '');
      const [owner] = owners ?? [];
      return owner === undefined || owners!.has(sessionIn(ask))
        ? ask
        : { ...ask, headers: new Map(ask.headers).set('mcp-session-id', owner) };
    }),
  ),

  fault(
    'no-retry-before-close',
    {
      what: 'The stream of tools/call is closed without a retry value.',
      breaks: ['streamable-http.sse-retry-before-close'],
      shows: ['streamable-http.sse-retry-before-close#none'],
    },
    onBlock(block =>
      typeof block === 'object' && 'retry' in block && block.retry !== undefined ? undefined : block,
    ),
  ),

  fault(
    'progress-on-another-call',
    {
      what: 'notifications/progress of a call is sent on the stream of the next call.',
      breaks: ['streamable-http.sse-related-messages'],
      shows: ['streamable-http.sse-related-messages#progress-of-another'],
    },
    onHttp((reply, ask, context) => {
      const own = tokenIn(ask);
      if (own !== undefined && isStreaming(reply.body)) heldIn(ask, context).set(own, []);
      return reply;
    }),
    onBlock((block, ask, context) => {
      const own = tokenIn(ask);
      const held = heldIn(ask, context);
      const mine = own === undefined ? undefined : held.get(own);
      if (!mine) return block;
      if (isReply(block)) {
        held.delete(own!);
        // no other call came to carry the rest
        return [...mine, block];
      }
      if (!isProgress(block)) return block;
      const foreign = [...held.values()].flatMap(blocks => (blocks === mine ? [] : blocks.splice(0)));
      if (foreign.length > 0 || held.size < 2) return [...foreign, ...mine.splice(0), block];
      mine.push(block);
      return undefined;
    }),
  ),

  fault(
    'replay-skips-first',
    {
      what: 'A resumed stream leaves out its first message, unless it is the response.',
      breaks: ['streamable-http.replay-complete'],
      shows: ['streamable-http.replay-complete#skips'],
    },
    onFirstReplayed(block => (isReply(block) ? block : undefined)),
  ),

  fault(
    'replay-repeats-last',
    {
      what: 'A resumed stream begins with the event of Last-Event-ID, which the client has received.',
      breaks: ['streamable-http.replay-once'],
      shows: ['streamable-http.replay-once#repeats'],
    },
    onHttpRequest(ask => {
      const id = ask.headers.get('last-event-id');
      if (id === undefined || /_0$/.test(id)) return ask;
      const before = id.replace(/\d+$/, number => String(Number(number) - 1));
      return { ...ask, headers: new Map(ask.headers).set('last-event-id', before) };
    }),
  ),
];
