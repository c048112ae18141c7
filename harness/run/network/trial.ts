/** One conversation of a client and a server over a network with one fault, recorded and judged. */

import type { Json, Role } from '../../../spec/json-rpc.js';
import { latestRevision, type RevisionId, type TransportId } from '../../../spec/revisions.js';
import type { Finding } from '../../judge/finding.js';
import type { Rule, RunRule } from '../../judge/rule.js';
import { History } from '../../record/history.js';
import type { Tap } from '../../record/tap.js';
import { hideInRunEvent } from '../../report/hide.js';
import type { RevisionStart, RunEvent } from '../../report/run-event.js';
import type { ClientTask } from '../../scenario/client-task.js';
import type { Script } from '../../scenario/script.js';
import type { Endpoint } from '../../subject/subject.js';
import { Clock, waitFor } from '../../time/clock.js';
import { learnGiven } from '../given-secrets.js';
import { judgeBoth } from '../judge-both.js';
import { Network, type NetworkFault } from '../proxy/network.js';
import { relayServer, type ServerPlaces } from '../proxy/relayed-server.js';

/** A client and a server, and what the client does. */
export interface NetworkPair {
  readonly client: { start(task: ClientTask): Endpoint; readonly inThisProcess?: boolean };
  readonly server: ServerPlaces;
  readonly transport: TransportId;
  readonly script: Script;
  /** Proposed to a client that takes it from its environment. */
  readonly revision: RevisionId;
  readonly rules: readonly (Rule | RunRule)[];
  /** Variables of the programs: secrets in them are hidden. */
  readonly env?: Readonly<Record<string, string>>;
  /** The longest time for the client, in milliseconds. */
  readonly limitMs: number;
}

/** A finding that a rule calls a failure, and the side that it is about. */
interface Failure {
  readonly side: Role;
  readonly finding: Finding;
}

export interface Trial {
  readonly fault: NetworkFault | undefined;
  readonly history: History;
  readonly network: Network;
  /** The judgement of both sides, for each revision in use. */
  readonly judged: readonly RunEvent[];
  readonly failures: readonly Failure[];
}

export async function runTrial(pair: NetworkPair, fault?: NetworkFault, caseNumber = 0): Promise<Trial> {
  const { client, server, transport, script, revision, rules, env, limitMs } = pair;
  const history = new History('server');
  if (env) learnGiven(history.secrets, { env });
  const network = new Network(fault, fault === undefined);
  let isOver = false;
  const taps: Tap[] = [];
  const recorder = {
    secrets: history.secrets,
    newLink: (of: TransportId = transport) => {
      const link = history.newLink(of, latestRevision);
      history.assign(link, caseNumber);
      const tap: Tap = event =>
        // what arrives after the end was on its way when the network failed
        isOver
          ? []
          : history.record(link, event.kind === 'open' ? { ...event, unplanned: true } : event).messages;
      taps.push(tap);
      return { tap, conversation: history.conversation(link) };
    },
  };
  const relayed = await relayServer(recorder, server, transport, client.inThisProcess ?? false, network);
  const endpoint = client.start({
    address: relayed.address,
    transport,
    scenario: 'network',
    script: script as unknown as Json,
    official: { name: '' },
    revision,
  });
  endpoint.stdin.on('error', () => {}).end();
  for (const stream of [endpoint.stdout, endpoint.stderr]) stream.on('error', () => {}).resume();
  const clock = new Clock(endpoint);
  const began = performance.now();
  await waitFor(endpoint.exited, limitMs, clock);
  const delay = clock.schedulingDelaySince(began);
  endpoint.kill('SIGKILL');
  await endpoint.exited;
  await relayed.close();
  if (delay > 0) for (const tap of taps) tap({ kind: 'lag', ms: delay });
  isOver = true;
  const judged = [...judgeBoth(history, rules)].map(event => hideInRunEvent(event, history.secrets));
  return { fault, history, network, judged, failures: [...failuresIn(judged)] };
}

function* failuresIn(events: readonly RunEvent[]): Generator<Failure> {
  let start: RevisionStart | undefined;
  for (const event of events) {
    if (event.kind === 'revision-start') start = event;
    if (event.kind === 'finding' && event.finding.verdict === 'fail' && start?.side)
      yield { side: start.side as Role, finding: event.finding };
  }
}

/** Failures with the same key are the same defect, wherever they show. */
export const keyOf = ({ side, finding }: Failure): string => `${side} ${finding.requirement}`;
