/** Which cases share a conversation, and in which order: starting a subject costs more than anything else in a run. */

import type { JsonObject } from '../spec/json-rpc.js';
import { append, grouped } from './grouped.js';
import type { ServerCase } from './plan.js';

/** The cases of one conversation, in their order. Of those that are not `shared` there is one at most, at its end. */
export interface Sitting {
  /** What our end declares; the usual when undefined. */
  readonly declares: JsonObject | undefined;
  readonly cases: readonly ServerCase[];
  /** Tools are tried for roles here, and the sittings that need them wait. */
  readonly isHost?: boolean;
}

/**
 * Distributes cases, always in the same way.
 * @param apart where a conversation costs little: how many cases share that try generated values, while those that need the
 * same role have one each; with 0 the former are among the others, the latter together beside them
 * @returns the sittings, the first of which is that of the conversation which is open already, even if it has no cases
 */
export function sittings(cases: readonly ServerCase[], apart = 0): [Sitting, ...Sitting[]] {
  const isUsual = ({ scenario }: ServerCase) => scenario.isolation === 'shared' && !scenario.declares;
  const generated = apart > 0 ? cases.filter(c => c.scenario.generated && isUsual(c) && !isAside(c)) : [];
  const of = (...kinds: ServerCase['scenario']['isolation'][]) =>
    cases.filter(c => kinds.includes(c.scenario.isolation) && !generated.includes(c));
  const aside = of('shared', 'aside').filter(isAside);
  const [usual = [], ...others] = byDeclaration(of('shared').filter(c => !isAside(c)));
  const shared = [usual, ...others].map(some => ({
    declares: some[0]?.scenario.declares,
    cases: some,
  }));
  // the long ones first, so that none is left for the end
  const alone: Sitting[] = [...of('fresh'), ...of('raw')].map(alike);
  for (const last of of('last')) {
    const { declares } = last.scenario;
    const host = shared.find(s => !hasEnd(s) && (declares === undefined || same(declares, s.declares)));
    if (host) host.cases.push(last);
    else alone.push(alike(last));
  }
  const [first, ...rest] = shared;
  const dealt = Array.from({ length: apart }, (_, n) => generated.filter((_, at) => at % apart === n));
  const hosts = aside.filter(c => c.casting.length === 0);
  const split = apart > 0 && hosts.length > 0 && hosts.length < aside.length;
  const beside = split ? [hosts, ...byRole(aside), ...dealt] : [aside, ...dealt];
  const besides = beside
    .filter(cases => cases.length > 0)
    .map(cases => ({
      declares: undefined,
      cases,
      ...(split && cases === hosts && { isHost: true }),
    }));
  const all: Sitting[] = [...besides, ...rest, ...alone];
  if (!split) return [first!, ...all];
  // who would wait for a tool to be found takes no place from those who need none
  return [first!, ...all.filter(s => !waits(s)), ...all.filter(waits)];
}

const waits = ({ cases }: Sitting): boolean => cases[0]!.casting.length > 0;

/** The cases that need roles, those of the same roles together. */
const byRole = (cases: readonly ServerCase[]): ServerCase[][] => {
  const needy = cases.filter(c => c.casting.length > 0);
  return [...grouped(needy, ({ casting }) => [...casting].sort().join()).values()];
};

const isAside = ({ scenario, casting }: ServerCase): boolean =>
  scenario.isolation === 'aside' || (casting.length > 0 && !scenario.declares);

const alike = (planned: ServerCase): Sitting => ({ declares: planned.scenario.declares, cases: [planned] });

const hasEnd = ({ cases }: Sitting): boolean => cases.at(-1)?.scenario.isolation === 'last';

const same = (a: JsonObject | undefined, b: JsonObject | undefined): boolean =>
  JSON.stringify(a) === JSON.stringify(b);

/** Those that declare the usual come first, even if there are none. */
function byDeclaration(cases: readonly ServerCase[]): ServerCase[][] {
  const groups = new Map<string | undefined, ServerCase[]>([[undefined, []]]);
  for (const planned of cases) {
    const key = planned.scenario.declares && JSON.stringify(planned.scenario.declares);
    append(groups, key, planned);
  }
  return [...groups.values()];
}
