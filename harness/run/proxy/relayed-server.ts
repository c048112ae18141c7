/** A server behind a recorded relay: the one behind a gateway, or one of which the network is tried. */

import { PassThrough } from 'node:stream';
import type { TransportId } from '../../../spec/revisions.js';
import type { Endpoint, Exit, ProcessSubject } from '../../subject/subject.js';
import type { Address } from '../../transports/link.js';
import { relayHttp } from './http.js';
import type { LinkRecorder } from './log.js';
import type { Network } from './network.js';
import { relay } from './stdio.js';
import { openStdioDoor } from './stdio-door.js';

/** A server on both transports. */
export interface ServerPlaces {
  readonly stdio: ProcessSubject;
  /** Listens on a free port. */
  listen(): Promise<{ readonly url: string; close(): Promise<void> }>;
}

interface RelayedServer {
  readonly address: Address;
  /** Ends all conversations. */
  close(): Promise<void>;
}

/** Milliseconds in which the server has to exit after its input was closed. */
const grace = 2_000;

/**
 * @param inThisProcess the program that connects runs in this process and needs no command
 * @param network what is between that program and the server; default: nothing fails
 */
export async function relayServer(
  recorder: LinkRecorder,
  server: ServerPlaces,
  transport: TransportId,
  inThisProcess: boolean,
  network?: Network,
): Promise<RelayedServer> {
  const between = network && { network };
  if (transport !== 'stdio') return overHttp(recorder, server, transport, between);
  return inThisProcess ? inMemory(recorder, server, between) : overStdio(recorder, server, between);
}

type Between = { readonly network: Network } | undefined;

async function overStdio(
  recorder: LinkRecorder,
  server: ServerPlaces,
  between: Between,
): Promise<RelayedServer> {
  const talks: Promise<unknown>[] = [];
  const door = await openStdioDoor(visit => {
    const talk = relay(recorder, { server: server.stdio, grace, ...between, ...visit });
    talks.push(talk);
    void talk.then(() => visit.leave(0));
  });
  return {
    address: { command: door.command },
    async close() {
      await door.close();
      await Promise.all(talks);
    },
  };
}

function inMemory(recorder: LinkRecorder, server: ServerPlaces, between: Between): RelayedServer {
  const talks: Promise<unknown>[] = [];
  const open: Endpoint[] = [];
  const connect = (): Endpoint => {
    const [stdin, stdout, stderr] = [new PassThrough(), new PassThrough(), new PassThrough()];
    let listener: (signal: string) => void = () => {};
    const talk = relay(recorder, {
      server: server.stdio,
      grace,
      ...between,
      input: stdin,
      output: stdout,
      errors: stderr,
      onSignal: given => {
        listener = given;
      },
    });
    talks.push(talk);
    const endpoint: Endpoint = {
      stdin,
      stdout,
      stderr,
      exited: talk.then((): Exit => {
        stdout.end();
        stderr.end();
        return { code: 0, signal: null };
      }),
      kill: signal => listener(signal),
      survivors: () => [],
    };
    open.push(endpoint);
    return endpoint;
  };
  return {
    address: { connect },
    async close() {
      for (const { stdin } of open) stdin.end();
      await Promise.all(talks);
    },
  };
}

async function overHttp(
  recorder: LinkRecorder,
  server: ServerPlaces,
  transport: TransportId,
  between: Between,
): Promise<RelayedServer> {
  const served = await server.listen();
  let finish: () => void = () => {};
  const until = new Promise<void>(resolve => {
    finish = resolve;
  });
  let relaying: Promise<unknown> = Promise.resolve();
  const url = await new Promise<string>((resolve, reject) => {
    relaying = relayHttp(recorder, {
      transport,
      url: served.url,
      port: 0,
      onListening: resolve,
      until,
      ...between,
    });
    relaying.catch(reject);
  });
  return {
    address: { url },
    async close() {
      finish();
      await relaying;
      await served.close();
    },
  };
}
