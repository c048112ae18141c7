/** The gateway on standard streams: one client, whose server is reached over stdio or HTTP. */

import { LineSplitter } from '../../harness/framing/lines.js';
import type { Streams } from '../../harness/subject/subject.js';
import type { Address } from '../../harness/transports/link.js';
import { type Json, parseJson } from '../../spec/json-rpc.js';
import { openBack } from './back.js';
import { type Chain, Flow } from './flow.js';

/** Serves until the client closes the input or the server ends. @returns the exit code */
export async function serveStdioFront(address: Address, chain: Chain, streams: Streams): Promise<number> {
  const { stdin, stdout, signal } = streams;
  let finish: () => void = () => {};
  const finished = new Promise<void>(resolve => {
    finish = resolve;
  });
  const flow = new Flow(chain, 'stdio', {
    toServer: message => back.send(message),
    toClient: message => write(message),
  });
  const write = (json: Json) => {
    for (const piece of chain.pieces(`${JSON.stringify(json)}\n`, 'client'))
      if (!stdout.writableEnded) stdout.write(piece);
  };
  const back = openBack(address, {
    chain,
    onMessage: json => flow.fromServer(json).forEach(write),
    onEnd: finish,
  });
  const splitter = new LineSplitter(({ text }) => {
    const json = parseJson(text);
    if (json !== undefined) for (const message of flow.fromClient(json)) back.send(message);
  });
  stdin.on('error', finish);
  stdout.on('error', finish);
  stdin.on('data', (chunk: Buffer) => splitter.push(chunk));
  stdin.once('end', finish);
  signal.addEventListener('abort', finish, { once: true });
  await finished;
  await back.close();
  return 0;
}
