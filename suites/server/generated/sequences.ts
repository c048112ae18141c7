/** All requests of a client, in any order; rules judge the conversation. */

import { type Command, commandsOf } from '../../../harness/generate/commands.js';
import type { Ask } from '../../../harness/generate/requests.js';
import type { Peer } from '../../../harness/peer/peer.js';
import { resultOf } from '../../../harness/record/message.js';
import { scenario } from '../../../harness/scenario/scenario.js';

async function ask(peer: Peer, { method, params, follow }: Ask): Promise<void> {
  let exchange = await peer.request(method, params);
  for (let page = 0; follow && page < 5; page++) {
    const cursor = resultOf(exchange)?.nextCursor;
    if (typeof cursor !== 'string') return;
    exchange = await peer.request(method, { ...params, cursor });
  }
}

async function carryOut(peer: Peer, command: Command): Promise<void> {
  if (command.do === 'ask') return ask(peer, command.ask);
  if (command.do === 'together') {
    await Promise.all(command.asks.map(each => ask(peer, each)));
    return;
  }
  const pending = peer.start(command.ask.method, command.ask.params);
  if (command.when === 'later') await peer.harmless();
  peer.cancel(pending);
}

export const scenarios = [
  scenario('server/generated/sequences/commands', {
    title:
      'a client that sends requests in any order, in parallel and with cancellations, gets its responses',
    verifies: ['jsonrpc.request-answered-once', 'base.schema-valid'],
    generated: true,
    async run({ peer, known, property }) {
      const { arbitrary } = commandsOf(
        { revision: peer.revision, capabilities: peer.declared ?? {}, known },
        { maxCommands: 8 },
      );
      await property(arbitrary, async (commands, { peer }) => {
        for (const command of commands) await carryOut(peer, command);
        await peer.barrier();
      });
    },
  }),
];
