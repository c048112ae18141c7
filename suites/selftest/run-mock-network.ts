/** Test support: conversations of the reference client with the reference server over a network with faults. */

import { networkSteps } from '../../harness/run/network/default-steps.js';
import { chooseFault, kindsOver } from '../../harness/run/network/faults.js';
import { keyOf, type NetworkPair, runTrial, type Trial } from '../../harness/run/network/trial.js';
import type { NetworkFault, NetworkKind } from '../../harness/run/proxy/network.js';
import type { ClientDeviation } from '../../mocks/client/fault.js';
import type { Deviation } from '../../mocks/fault.js';
import { referenceClient, referenceServer } from '../../mocks/network/references.js';
import {
  latestRevision,
  latestStateless,
  type Revision,
  type RevisionId,
  type TransportId,
} from '../../spec/revisions.js';
import { rules } from '../rules/index.js';

interface MockPair {
  readonly revision: RevisionId;
  readonly transport: TransportId;
  readonly serverFaults?: readonly Deviation[];
  readonly clientFaults?: readonly ClientDeviation[];
  /** Milliseconds that the client waits for a response. */
  readonly patienceMs?: number | undefined;
}

/** A pair in this process, with one server for all conversations. */
export async function mockPair(options: MockPair): Promise<NetworkPair & { close(): Promise<void> }> {
  const { revision, transport, serverFaults = [], clientFaults = [], patienceMs } = options;
  const { stdio, listen } = referenceServer(revision, serverFaults);
  const { url, close } = await listen();
  return {
    client: referenceClient(revision, clientFaults, { patienceMs }),
    server: { stdio, listen: async () => ({ url, close: async () => {} }) },
    transport,
    script: networkSteps,
    revision,
    rules,
    limitMs: 120_000,
    close,
  };
}

interface Shown {
  /** The failures that the conversation without a fault does not have, by side and requirement. */
  readonly found: Map<string, NetworkFault>;
  readonly tried: number;
  readonly hits: number;
  readonly trials: readonly Trial[];
}

/** Tries faults of the network. @param trials how many */
export async function tryNetwork(
  pair: NetworkPair,
  seed: number,
  trials: number,
  kinds: readonly NetworkKind[] = kindsOver(pair.transport),
): Promise<Shown> {
  const plain = await runTrial(pair);
  const known = new Set(plain.failures.map(keyOf));
  if (known.size > 0) throw new Error(`without a network fault: ${[...known].join(', ')}`);
  const traffic = new Map([...plain.network.traffic].map(([name, parts]) => [name, Buffer.concat(parts)]));
  const found = new Map<string, NetworkFault>();
  const kept: Trial[] = [];
  let [hits, tried] = [0, 0];
  const numbers = Array.from({ length: trials }, (_, number) => number).values();
  const work = async () => {
    for (const number of numbers) {
      const fault = chooseFault(traffic, kinds, seed, number);
      if (!fault) continue;
      const trial = await runTrial(pair, fault);
      tried++;
      if (trial.network.hit) hits++;
      if (trial.failures.length > 0) kept.push(trial);
      for (const failure of trial.failures) if (!found.has(keyOf(failure))) found.set(keyOf(failure), fault);
    }
  };
  await Promise.all(Array.from({ length: 8 }, work));
  return { found, tried, hits, trials: kept };
}

/** The kinds of network faults that show a fault of a mock, where `cut` does not. */
const kindsFor: Readonly<Record<string, NetworkKind>> = {
  'nw-cut-cancels': 'reset',
  'nw-chunk-is-line': 'split',
  'nw-decodes-chunks': 'split',
  'nw-answers-again': 'redeliver',
};

type NetworkDeviation = Pick<Deviation<object>, 'id' | 'role' | 'over' | 'breaks'>;

interface ShownBy {
  readonly kinds: readonly NetworkKind[];
  readonly revision: Revision;
  readonly transport: TransportId;
}

/** Where a fault of a mock shows: the newest revision with a handshake, unless its name has another one. */
export const shownBy = ({ id, over }: NetworkDeviation): ShownBy => ({
  kinds: [kindsFor[id] ?? 'cut'],
  revision: id.endsWith('-stateless') ? latestStateless : latestRevision,
  transport: over?.[0] ?? 'streamable-http',
});

/** On a busy machine, a client that waits as usual gives up before its server has shown what it does. */
const longPatience = 15_000;

/**
 * Tries faults of the network on the references, one of which has a fault; where that does not break all its rows,
 * again with a client that waits longer.
 */
export async function tryNetworkFault(fault: NetworkDeviation): Promise<Shown> {
  const shown = await tryOnce(fault);
  const isComplete = fault.breaks.every(row => shown.found.has(`${fault.role} ${row}`));
  return isComplete ? shown : tryOnce(fault, longPatience);
}

async function tryOnce(fault: NetworkDeviation, patienceMs?: number): Promise<Shown> {
  const { kinds, revision, transport } = shownBy(fault);
  const serverFaults = fault.role === 'client' ? [] : [fault as Deviation];
  const clientFaults = fault.role === 'client' ? [fault as ClientDeviation] : [];
  const pair = await mockPair({ revision: revision.id, transport, serverFaults, clientFaults, patienceMs });
  try {
    return await tryNetwork(pair, 2, 80, kinds);
  } finally {
    await pair.close();
  }
}
