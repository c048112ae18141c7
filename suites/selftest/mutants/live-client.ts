/**
 * Live mutants of clients: the reference client with one change in what it sends, in what it sees, or in how it decides,
 * for what only scenarios can see.
 */

import { hash } from '../../../harness/generate/hash.js';
import { grouped } from '../../../harness/grouped.js';
import { clientFault } from '../../../mocks/client/fault.js';
import { latestRevision, latestStateless, type Revision, type TransportId } from '../../../spec/revisions.js';
import type { Trial } from '../run-mock.js';
import { isHttpCase, tryMockClient } from '../run-mock-client.js';
import { type Decided, ofCaches, ofDecisions } from './live-client-behaviour.js';
import { ofHttp } from './live-client-http.js';
import { type Named, ofMessages } from './live-client-messages.js';
import { type ClientTraffic, observer } from './live-client-traffic.js';
import { watched } from './live-values.js';

/** A mutant of the reference client. */
interface LiveClientMutant {
  readonly name: string;
  /** Runs the suite against it. */
  readonly attempt: () => Promise<Trial>;
  /** Whether the change has made a difference. */
  readonly hasActed: () => boolean;
}

const ofHttpAlone = (name: string): boolean =>
  /^(icons|authorization)\.|offersTool|refreshesTools|renewsSession|triesOlder|repeatsLost|handlesAgain/.test(
    name,
  );

const ofAuthorization = (name: string): boolean => name.startsWith('authorization.');

interface Surroundings {
  readonly revision: Revision;
  readonly transport: TransportId;
  /** The cases; default: all. */
  readonly selected?: (name: string) => boolean;
  readonly mutants: (traffic: ClientTraffic) => readonly (Named | Decided)[];
}

/** The runs that mutants are tried in: what HTTP alone shows is tried there. */
const surroundings = (revision: Revision): Surroundings[] => [
  {
    revision,
    transport: 'stdio',
    mutants: traffic => [
      ...ofMessages(traffic),
      ...ofDecisions(traffic, name => !ofHttpAlone(name)),
      ...ofCaches,
    ],
  },
  {
    revision,
    transport: 'streamable-http',
    selected: isHttpCase,
    mutants: traffic => [
      ...ofHttp(traffic),
      ...ofDecisions(traffic, name => ofHttpAlone(name) && !ofAuthorization(name)),
    ],
  },
  {
    revision,
    transport: 'streamable-http',
    selected: name => name.includes('/client/authorization/'),
    mutants: traffic => ofDecisions(traffic, ofAuthorization),
  },
];

/** Over HTTP a run takes several times as long: one mutant of this many is tried. */
const oneOfOverHttp = 2;

async function mutantsIn({
  revision,
  transport,
  selected,
  mutants,
}: Surroundings): Promise<LiveClientMutant[]> {
  const { traffic, quirk } = observer();
  const options = { transport, ...(selected && { selected }) };
  await tryMockClient(revision, { ...options, quirks: [quirk] });
  const tried = mutants(traffic).filter(
    ([what]) => transport === 'stdio' || hash(what, 1) % oneOfOverHttp === 0,
  );
  return tried.map(([what, ...given]) => {
    const state = { acted: false };
    const noted = () => {
      state.acted = true;
    };
    const middleware = given.map(one => (typeof one === 'function' ? one(noted) : watched(one, noted)));
    const fault = {
      ...clientFault('live', { what, breaks: ['base.schema-valid'] }, ...middleware),
      breaks: [],
    };
    return {
      name: `${revision.id}: ${what}`,
      attempt: () => tryMockClient(revision, { ...options, faults: [fault] }),
      hasActed: () => state.acted,
    };
  });
}

/** All mutants of clients, in the newest revision of each era; one that both eras have is tried in one of them, by turns. */
export async function allLiveClientMutants(
  over: readonly TransportId[] = ['stdio', 'streamable-http'],
): Promise<LiveClientMutant[]> {
  const found: LiveClientMutant[] = [];
  const runs = [latestRevision, latestStateless]
    .flatMap(surroundings)
    .filter(({ transport }) => over.includes(transport));
  for (const run of runs) found.push(...(await mutantsIn(run)));
  const whatOf = ({ name }: LiveClientMutant): string => name.slice(name.indexOf(': ') + 2);
  const kinds = grouped(found, whatOf);
  return found.filter(mutant => {
    const both = kinds.get(whatOf(mutant))!;
    return both[hash(whatOf(mutant)) % both.length] === mutant;
  });
}
