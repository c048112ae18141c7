/** The hostile programs: the behaviours of the tables beside this file, each in each of its places. */

import { fileURLToPath } from 'node:url';
import { latestRevision, latestStateless, revisions, type TransportId } from '../../../spec/revisions.js';
import { shows } from './shows.js';

/** What the tables say about a behaviour, besides its hooks. */
interface Behaviour {
  /** In the present tense, without its subject. */
  readonly what: string;
  /** Names of places. */
  readonly over: readonly string[];
  /** Further options of the command line. */
  readonly options?: readonly string[];
  /** What a report has to name. */
  readonly shows?: RegExp;
  /** Exit codes other than 0, 1 and 3. */
  readonly exits?: readonly number[];
  /** The other port of this host may get requests. */
  readonly hears?: boolean;
}

interface Place {
  readonly transport: TransportId;
  readonly era: string;
}

export interface HostileProgram extends Behaviour {
  /** `server/hangs/stdio` */
  readonly name: string;
  readonly role: 'server' | 'client' | 'authorization-server';
  readonly behaviour: string;
  readonly place: Place;
  /** The first place of its behaviour in its role. */
  readonly isFirst: boolean;
}

const legacy = latestRevision.id;
const newest = latestStateless.id;
const oldest = revisions[0]!.id;

const places: Readonly<Record<string, Place>> = {
  stdio: { transport: 'stdio', era: legacy },
  'stdio new': { transport: 'stdio', era: newest },
  http: { transport: 'streamable-http', era: legacy },
  'http new': { transport: 'streamable-http', era: newest },
  sse: { transport: 'http-sse', era: oldest },
  issuer: { transport: 'streamable-http', era: legacy },
};

/** The file of a program of this folder. */
export const file = (name: string): string => fileURLToPath(new URL(`./${name}`, import.meta.url));

async function behavioursOf(name: string, table: string): Promise<Record<string, Behaviour>> {
  const module = (await import(file(name))) as Record<string, Record<string, Behaviour>>;
  return module[table]!;
}

/** All hostile programs, in the order of the tables. */
export async function hostilePrograms(): Promise<HostileProgram[]> {
  const roles = [
    ['server', await behavioursOf('server-behaviours.mjs', 'serverBehaviours')],
    ['client', await behavioursOf('client-behaviours.mjs', 'clientBehaviours')],
  ] as const;
  return roles.flatMap(([role, behaviours]) =>
    Object.entries(behaviours).flatMap(([behaviour, facts]) =>
      facts.over.map((over, at) => {
        const place = places[over];
        if (!place) throw new Error(`${behaviour}: there is no place ${over}.`);
        const isAlone = over === 'issuer';
        const tested = isAlone ? ('authorization-server' as const) : role;
        const reason = at === 0 ? shows[`${tested}/${behaviour}`] : undefined;
        return {
          ...facts,
          ...(reason && { shows: reason }),
          role: tested,
          behaviour,
          place,
          isFirst: at === 0 || isAlone,
          name: `${tested}/${behaviour}/${over.replace(' ', '-')}`,
        };
      }),
    ),
  );
}
