/** A port for a program that needs its number beforehand. */

import { host } from '../../mocks/host.js';

/** @returns the number of a port on loopback that was free a moment before */
export async function freePort(): Promise<number> {
  const { origin, close } = await host(async () => new Response());
  await close();
  return Number(new URL(origin).port);
}
