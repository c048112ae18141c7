/** Live mutants of clients: one decision of the reference client is another one, or the one that it made before. */

import { isDeepStrictEqual } from 'node:util';
import { type ClientMiddleware, onBehaviour } from '../../../mocks/client/fault.js';
import { type ClientTraffic, type Decision, eachDecision } from './live-client-traffic.js';
import { isPlain } from './live-values.js';

/** A mutant of a decision; it notes when the decision that differs is asked for. */
export type Decided = readonly [name: string, make: (note: () => void) => ClientMiddleware];

type Change = (value: unknown, before: unknown) => unknown;

/** Changes of a value, by what they do. @param samples values that were seen at this place */
function changesOf(samples: readonly unknown[]): Record<string, Change> {
  const changes: Record<string, Change> = {};
  const some = (test: (value: unknown) => boolean): boolean => samples.some(test);
  if (some(value => typeof value === 'boolean')) {
    changes['always true'] = () => true;
    changes['always false'] = () => false;
  }
  if (some(value => typeof value === 'number')) {
    changes['0'] = value => (typeof value === 'number' ? 0 : value);
  }
  if (some(value => typeof value === 'string')) {
    changes.altered = value => (typeof value === 'string' ? `${value}x` : value);
  }
  if (some(value => typeof value === 'string' || isPlain(value) || value instanceof URL))
    changes.nothing = () => undefined;
  if (some(Array.isArray)) {
    changes['an empty list'] = value => (Array.isArray(value) ? [] : value);
    changes['the first only'] = value => (Array.isArray(value) ? value.slice(0, 1) : value);
    changes['the last only'] = value => (Array.isArray(value) ? value.slice(-1) : value);
    changes.reversed = value => (Array.isArray(value) ? value.toReversed() : value);
  }
  for (const name of new Set(samples.filter(isPlain).flatMap(value => Object.keys(value)))) {
    if (name === 'url' || name === 'method') continue;
    changes[`without ${name}`] = value => {
      if (!isPlain(value) || !(name in value)) return value;
      const { [name]: _, ...rest } = value;
      return rest;
    };
  }
  for (const name of new Set(samples.flatMap(value => [...(searchOf(value)?.keys() ?? [])]))) {
    changes[`parameter ${name} not sent`] = value => withSearch(value, search => search.delete(name));
    changes[`parameter ${name} altered`] = value =>
      withSearch(value, search => {
        if (search.has(name)) search.set(name, `${search.get(name)}x`);
      });
  }
  return changes;
}

/** The parameters of an address, or of a form. */
const searchOf = (value: unknown): URLSearchParams | undefined => {
  if (value instanceof URL) return value.searchParams;
  return isPlain(value) && value.params instanceof URLSearchParams ? value.params : undefined;
};

function withSearch(value: unknown, change: (search: URLSearchParams) => void): unknown {
  const own = searchOf(value);
  if (!own) return value;
  const search = new URLSearchParams(own);
  change(search);
  if (search.toString() === own.toString()) return value;
  if (!(value instanceof URL)) return { ...(value as object), params: search };
  const other = new URL(value);
  other.search = search.toString();
  return other;
}

/** The mutants of each decision. */
export const ofDecisions = ({ decisions }: ClientTraffic, isOurs: (path: string) => boolean): Decided[] =>
  [...decisions].filter(([name]) => isOurs(name)).flatMap(([name, decision]) => ofDecision(name, decision));

function ofDecision(name: string, { isFunction, samples }: Decision): Decided[] {
  const changes = changesOf(samples);
  if (isFunction) changes['as before'] = (value, before) => before ?? value;
  return Object.entries(changes).map(
    ([what, change]): Decided => [`decision ${name}: ${what}`, note => decidedOtherwise(name, change, note)],
  );
}

const decidedOtherwise = (name: string, change: Change, note: () => void): ClientMiddleware =>
  onBehaviour((habits, context) => {
    const state = context.keep<{ last: unknown }>(() => ({ last: undefined }));
    const otherThan = (value: unknown): unknown => {
      const other = change(value, state.last);
      state.last = value;
      if (!isDeepStrictEqual(other, value)) note();
      return other;
    };
    eachDecision(habits, (owner, member, path) => {
      if (path.join('.') !== name) return;
      const own = owner[member];
      if (typeof own !== 'function') owner[member] = otherThan(own);
      else
        owner[member] = function (this: unknown, ...given: unknown[]) {
          const out: unknown = Reflect.apply(own, this, given);
          return out instanceof Promise ? out.then(otherThan) : otherThan(out);
        };
    });
  });

type KeyOf = (method: string, params: string) => string | undefined;

/** The keys under which results are kept and used again. */
const keys: Readonly<Record<string, KeyOf>> = {
  'results are used again for all requests of a method': method => method,
  'results are used again for the same request': (method, params) => method + params,
  'lists are used again': (method, params) => (method.endsWith('/list') ? method + params : undefined),
  'resources are used again': (method, params) => (method === 'resources/read' ? params : undefined),
};

/** Results that are kept, whatever their cache hints are, and after a change or not. */
export const ofCaches: Decided[] = Object.entries(keys).flatMap(([name, keyOf]) =>
  [true, false].map(
    (dropsStale): Decided => [
      dropsStale ? name : `${name}, after a change too`,
      note =>
        onBehaviour(habits => {
          habits.dropsStale = dropsStale;
          habits.cacheKey = (method, params) => {
            note();
            return keyOf(method, JSON.stringify(params) ?? '');
          };
        }),
    ],
  ),
);
