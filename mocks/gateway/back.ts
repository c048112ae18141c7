/** The gateway as a client of its server: over stdio, or over Streamable HTTP. */

import { LineSplitter } from '../../harness/framing/lines.js';
import { beginsHandshake } from '../../harness/record/handshake.js';
import { History } from '../../harness/record/history.js';
import { idKey, type Message } from '../../harness/record/message.js';
import { type Endpoint, url } from '../../harness/subject/subject.js';
import { waitFor } from '../../harness/time/clock.js';
import { defaultTiming } from '../../harness/time/timing.js';
import { transportClient } from '../../harness/transports/connector.js';
import type { Address, Link } from '../../harness/transports/link.js';
import { isObject, type Json, type JsonObject, parseJson } from '../../spec/json-rpc.js';
import { findDefinedRevision, latestRevision, latestStateless, type Revision } from '../../spec/revisions.js';
import { startServer } from '../client/carriers/stdio.js';
import type { Chain } from './flow.js';
import type { Back } from './interfaces.js';
import { Translator } from './translation.js';

interface BackOptions {
  readonly chain: Chain;
  readonly onMessage: (json: Json) => void;
  readonly onEnd: () => void;
}

/** Milliseconds for the exit of the server after its input was closed. */
const graceMs = 2_000;

export function openBack(address: Address, options: BackOptions): Back {
  const open = (own: BackOptions): Back =>
    'url' in address ? new HttpBack(address.url, own) : new StdioBack(address, own);
  const { translation } = options.chain;
  if (!translation) return open(options);
  const back = open({ ...options, onMessage: json => translator.receive(json) });
  const translator = new Translator(back, options.onMessage, translation);
  return translator;
}

class StdioBack implements Back {
  private readonly server: Pick<Endpoint, 'stdin' | 'stdout' | 'stderr' | 'exited' | 'kill'>;

  constructor(
    address: Exclude<Address, { url: string }>,
    private readonly options: BackOptions,
  ) {
    const server =
      'connect' in address
        ? address.connect()
        : (startServer(address.command) as Pick<Endpoint, 'stdin' | 'stdout' | 'stderr' | 'exited' | 'kill'>);
    this.server = server;
    const splitter = new LineSplitter(({ text }) => {
      const json = parseJson(text);
      if (json !== undefined) options.onMessage(json);
    });
    server.stdin.on('error', () => {});
    server.stdout.on('error', () => {}).on('data', (chunk: Buffer) => splitter.push(chunk));
    server.stderr.on('error', () => {}).resume();
    server.stdout.once('close', options.onEnd);
    void server.exited.then(options.onEnd);
  }

  send(json: Json): void {
    for (const piece of this.options.chain.pieces(`${JSON.stringify(json)}\n`, 'server'))
      if (this.server.stdin.writable) this.server.stdin.write(piece);
  }

  hangUp(id: Json | undefined): void {
    if (id === undefined) return;
    const params = { requestId: id, reason: 'The client closed the stream.' };
    this.send({ jsonrpc: '2.0', method: 'notifications/cancelled', params });
  }

  async close(): Promise<void> {
    const { server } = this;
    server.stdin.end();
    if (await waitFor(server.exited, graceMs)) return;
    server.kill('SIGTERM');
    if (!(await waitFor(server.exited, graceMs))) server.kill('SIGKILL');
  }
}

/** Dials with the first message, which shows the era. */
class HttpBack implements Back {
  private link: Link | undefined;
  private readonly sent = new Map<string, Message>();
  private readonly history = new History('server');
  private connector: ReturnType<typeof transportClient> | undefined;
  private revision: Revision = latestRevision;

  constructor(
    private readonly url: string,
    private readonly options: BackOptions,
  ) {}

  private dial(json: Json): Link {
    this.revision = revisionOf(json);
    const newTap = () => () => [];
    this.connector = transportClient(url(this.url), 'streamable-http', defaultTiming, newTap);
    const number = this.history.newLink('streamable-http', this.revision);
    const link = this.connector.dial({
      tap: event => this.history.record(number, event).messages,
      conversation: this.history.conversation(number),
      revision: this.revision.id,
      timing: defaultTiming,
      secrets: this.history.secrets,
      inputSchemas: new Map(),
    });
    link.onMessage(({ json: message }) => this.options.onMessage(message));
    link.onEnd(this.options.onEnd);
    link.onUnanswerable?.(({ id, idKey: key }) => {
      if (!this.sent.delete(key)) return;
      const error = { code: -32_603, message: 'The response of the server was lost.' };
      this.options.onMessage({ jsonrpc: '2.0', id: id ?? null, error });
    });
    return link;
  }

  send(json: Json): void {
    this.link ??= this.dial(json);
    const isModern = this.revision.era === 'modern';
    if (isModern && isObject(json) && json.method === 'notifications/cancelled') {
      this.hangUp(isObject(json.params) ? json.params.requestId : undefined);
      return;
    }
    for (const message of this.link.send({ text: JSON.stringify(json) }))
      if (message.kind === 'request') this.sent.set(message.idKey, message);
  }

  hangUp(id: Json | undefined): void {
    const request = this.sent.get(idKey(id));
    const exchange = request && this.history.conversation(1).httpOf(request);
    this.sent.delete(idKey(id));
    if (exchange) this.link?.http?.drop(exchange, { resume: false });
  }

  async close(): Promise<void> {
    await this.link?.close();
    await this.connector?.end();
  }
}

/** The revision of a first message: the one that it names. */
function revisionOf(json: Json): Revision {
  if (!isObject(json)) return latestRevision;
  const params: JsonObject = isObject(json.params) ? json.params : {};
  if (beginsHandshake(json)) return findDefinedRevision(params.protocolVersion) ?? latestRevision;
  return latestStateless;
}
