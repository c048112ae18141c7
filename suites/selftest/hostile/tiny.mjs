// A minimal server: responds to initialize and ping, and refuses the rest. Other fixtures add a misbehaviour.
import { createInterface } from 'node:readline';

export const send = message => process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);

export function answer({ id, method }) {
  if (id === undefined) return;
  if (method === 'initialize')
    send({
      id,
      result: {
        protocolVersion: '2025-06-18',
        capabilities: {},
        serverInfo: { name: 'tiny', version: '1' },
      },
    });
  else if (method === 'ping') send({ id, result: {} });
  else send({ id, error: { code: -32601, message: 'no such method' } });
}

/** Calls `handle` with every message; lines that are not messages are ignored. */
export function serve(handle = answer) {
  createInterface({ input: process.stdin }).on('line', line => {
    let message;
    try {
      message = JSON.parse(line);
    } catch {
      return;
    }
    if (message && message.jsonrpc === '2.0' && message.id !== null) handle(message);
  });
}
