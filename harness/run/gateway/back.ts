/** The server of the harness behind a gateway: a recorded relay before the reference server. */

import { PassThrough } from 'node:stream';
import type { TransportId } from '../../../spec/revisions.js';
import type { Endpoint, Exit, ProcessSubject } from '../../subject/subject.js';
import type { Address } from '../../transports/link.js';
import { relayHttp } from '../proxy/http.js';
import type { LinkRecorder } from '../proxy/log.js';
import { relay } from '../proxy/stdio.js';
import { openStdioDoor } from '../proxy/stdio-door.js';

/** A conforming server on both transports. */
export interface ReferenceServer {
  readonly stdio: ProcessSubject;
  /** Listens on a free port. */
  listen(): Promise<{ readonly url: string; close(): Promise<void> }>;
}

interface Back {
  readonly address: Address;
  /** Ends all conversations. */
  close(): Promise<void>;
}

/** Milliseconds in which the server has to exit after its input was closed. */
const grace = 2_000;

/** @param inThisProcess the gateway runs in this process and needs no command */
export async function openBack(
  recorder: LinkRecorder,
  server: ReferenceServer,
  transport: TransportId,
  inThisProcess: boolean,
): Promise<Back> {
  if (transport !== 'stdio') return overHttp(recorder, server, transport);
  return inThisProcess ? inMemory(recorder, server) : overStdio(recorder, server);
}

async function overStdio(recorder: LinkRecorder, server: ReferenceServer): Promise<Back> {
  const talks: Promise<unknown>[] = [];
  const door = await openStdioDoor(visit => {
    const talk = relay(recorder, { server: server.stdio, grace, ...visit });
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

function inMemory(recorder: LinkRecorder, server: ReferenceServer): Back {
  const talks: Promise<unknown>[] = [];
  const open: Endpoint[] = [];
  const connect = (): Endpoint => {
    const [stdin, stdout, stderr] = [new PassThrough(), new PassThrough(), new PassThrough()];
    let listener: (signal: string) => void = () => {};
    const talk = relay(recorder, {
      server: server.stdio,
      grace,
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
  server: ReferenceServer,
  transport: TransportId,
): Promise<Back> {
  const served = await server.listen();
  let finish: () => void = () => {};
  const until = new Promise<void>(resolve => {
    finish = resolve;
  });
  let relaying: Promise<unknown> = Promise.resolve();
  const url = await new Promise<string>((resolve, reject) => {
    relaying = relayHttp(recorder, { transport, url: served.url, port: 0, onListening: resolve, until });
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
