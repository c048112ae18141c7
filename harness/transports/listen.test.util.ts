/** Test support: a listener with a record, and a minimal server on its links. */

import { latestRevision, type TransportId } from '../../spec/revisions.js';
import type { Conversation } from '../record/conversation.js';
import { History } from '../record/history.js';
import type { Message } from '../record/message.js';
import type { Timing } from '../time/timing.js';
import type { HttpListenOptions } from './http/server/behaviour.js';
import type { Link, StdioListenOptions } from './link.js';
import { listen } from './listener.js';

const quick: Timing = { answer: 5_000, exit: 2_000, quiet: 20 };

interface Met {
  readonly link: Link;
  readonly conversation: Conversation;
  /** Messages of the client, as delivered by the link. */
  readonly got: Message[];
  readonly ended: Promise<void>;
  /** The first matching message, already received or future. */
  message(fits: (message: Message) => boolean): Promise<Message>;
}

type Answer = (message: Message, met: Met) => object | undefined;

/** Results of a plain server; undefined when another part responds. */
export const plain: Answer = ({ method, params }) => {
  if (method === 'initialize')
    return {
      protocolVersion: params!.protocolVersion,
      capabilities: { tools: {} },
      serverInfo: { name: 'test', version: '1' },
    };
  if (method === 'tools/list') return { tools: [{ name: 'echo', inputSchema: { type: 'object' } }] };
  if (method === 'tools/call') return { content: [{ type: 'text', text: 'done' }] };
  return method === 'ping' ? {} : undefined;
};

export interface TestOptions {
  readonly http?: HttpListenOptions;
  readonly stdio?: StdioListenOptions;
  readonly timing?: Timing;
  readonly answer?: Answer;
  readonly stateless?: boolean;
}

export async function listening(transport: TransportId, options: TestOptions = {}) {
  const history = new History('client');
  const links: Met[] = [];
  const waiting = new Set<() => void>();
  const wake = () => {
    for (const look of [...waiting]) look();
  };
  const eventually = <T>(find: () => T | undefined): Promise<T> =>
    new Promise(resolve => {
      const look = () => {
        const found = find();
        if (found === undefined) return;
        waiting.delete(look);
        resolve(found);
      };
      waiting.add(look);
      look();
    });
  const listener = await listen(transport, {
    newLink: spoken => {
      const number = history.newLink(spoken, latestRevision);
      const tap = (event: Parameters<History['record']>[1]) => {
        const { messages } = history.record(number, event);
        queueMicrotask(wake);
        return messages;
      };
      return { tap, conversation: history.conversation(number) };
    },
    timing: options.timing ?? quick,
    secrets: history.secrets,
    ...(options.http && { http: options.http }),
    ...(options.stateless && { stateless: true }),
    ...(options.stdio && { stdio: options.stdio }),
  });
  listener.onLink((link, conversation) => {
    const got: Message[] = [];
    const met: Met = {
      link,
      conversation,
      got,
      ended: new Promise(resolve => link.onEnd(resolve)),
      message: fits => eventually(() => got.find(fits)),
    };
    links.push(met);
    link.onMessage(message => {
      got.push(message);
      const result = message.kind === 'request' ? (options.answer ?? plain)(message, met) : undefined;
      if (result) link.send({ text: JSON.stringify({ jsonrpc: '2.0', id: message.id, result }) });
      wake();
    });
    wake();
  });
  return {
    listener,
    history,
    links,
    /** Waits until a value is found in the record. */
    eventually,
    link: (index = 0) => eventually(() => links[index]),
    url: () => ('url' in listener.address ? listener.address.url : ''),
    command: () => ('command' in listener.address ? listener.address.command : []),
    kinds: (met: Met) => met.conversation.events.map(e => e.kind),
    close: () => listener.close(),
  };
}
