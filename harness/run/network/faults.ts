/** The choice of faults: the same for the same seed and the same traffic. */

import type { TransportId } from '../../../spec/revisions.js';
import { hash } from '../../generate/hash.js';
import { isWhole, type NetworkFault, type NetworkKind, networkKinds } from '../proxy/network.js';

/** The kinds that a transport can have. */
export const kindsOver = (transport: TransportId): NetworkKind[] =>
  (Object.keys(networkKinds) as NetworkKind[]).filter(kind =>
    (networkKinds[kind] as readonly TransportId[]).includes(transport),
  );

/** The bytes of each stream of a conversation without faults, by its name and number. */
export type Traffic = ReadonlyMap<string, Buffer>;

/** Streams whose loss shows nothing: the client has left. */
const isChoosable = (name: string): boolean => !name.startsWith('DELETE.');

/**
 * Chooses one fault.
 * @param number of the choice: the others for the same seed are independent of it
 * @returns undefined when the traffic offers no place for a fault of these kinds
 */
export function chooseFault(
  traffic: Traffic,
  kinds: readonly NetworkKind[],
  seed: number,
  number: number,
): NetworkFault | undefined {
  const draw = (what: string, below: number) => hash(`${what} ${number}`, seed) % below;
  const kind = kinds[draw('kind', kinds.length)];
  if (kind === undefined) return undefined;
  const names = [...traffic.keys()].filter(
    name => isChoosable(name) && (isWhole(kind) || traffic.get(name)!.length > 0),
  );
  const name = names[draw('stream', names.length || 1)];
  if (name === undefined) return undefined;
  const dot = name.lastIndexOf('.');
  const place = { kind, stream: name.slice(0, dot), nth: Number(name.slice(dot + 1)) };
  if (isWhole(kind)) return { ...place, byte: 0 };
  const bytes = traffic.get(name)!;
  const all = placesIn(bytes);
  const [places, way] = [all[draw('places', all.length)]!, draw('place', 1 << 30)];
  const byte = places.length > 0 ? places[way % places.length]! : way % bytes.length;
  return { ...place, byte: Math.min(byte, bytes.length - 1) };
}

/** Ways to choose a byte: around the ends of messages, in the middle of a character, anywhere. */
function placesIn(bytes: Buffer): readonly (readonly number[])[] {
  const ends: number[] = [];
  const inside: number[] = [];
  for (const [at, byte] of bytes.entries()) {
    if (byte === 0x0a) ends.push(at, at + 1, at + 2);
    if ((byte & 0xc0) === 0x80) inside.push(at);
  }
  return [ends, inside, []];
}
