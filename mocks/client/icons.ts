/** How the reference client fetches icons (basic/index#icons): only to have done so, for it shows them to nobody. */

import { isObject, type Json } from '../../spec/json-rpc.js';

export interface IconHabits {
  /** It asks for this one. */
  fits: (icon: URL, server: URL) => boolean;
  /** Headers it asks with. */
  headers: Record<string, string>;
  /** It goes where it is sent. */
  follows: boolean;
}

export const iconHabits = (): IconHabits => ({
  fits: (icon, server) => icon.origin === server.origin,
  headers: {},
  follows: false,
});

/** Fetches what items of a list name as their icons. @param server where the list came from */
export async function fetchIcons(items: readonly Json[], server: URL, habits: IconHabits): Promise<void> {
  const sources = items.filter(isObject).flatMap(({ icons }) => (Array.isArray(icons) ? icons : []));
  for (const icon of sources.filter(isObject)) {
    const src = String(icon.src);
    if (!URL.canParse(src) || !habits.fits(new URL(src), server)) continue;
    // what no picture comes of is left out
    await fetchOne(src.replace(/^ws:/, 'http:'), habits).catch(() => {});
  }
}

async function fetchOne(src: string, { headers, follows }: IconHabits): Promise<void> {
  const answer = await fetch(src, { headers, redirect: follows ? 'follow' : 'manual' });
  await answer.arrayBuffer();
}
