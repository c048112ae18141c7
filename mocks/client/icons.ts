/** Icon requests of the reference client (basic/index#icons): only the requests matter, no icon is shown. */

import { isObject, type Json } from '../../spec/json-rpc.js';

export interface IconHabits {
  /** Whether the client requests this icon. */
  fits: (icon: URL, server: URL) => boolean;
  /** Headers of the requests. */
  headers: Record<string, string>;
  /** Whether the client follows redirects. */
  follows: boolean;
}

export const iconHabits = (): IconHabits => ({
  fits: (icon, server) => icon.origin === server.origin,
  headers: {},
  follows: false,
});

/** Fetches the icons of the items of a list. @param server the source of the list */
export async function fetchIcons(items: readonly Json[], server: URL, habits: IconHabits): Promise<void> {
  const sources = items.filter(isObject).flatMap(({ icons }) => (Array.isArray(icons) ? icons : []));
  for (const icon of sources.filter(isObject)) {
    const src = String(icon.src);
    if (!URL.canParse(src) || !habits.fits(new URL(src), server)) continue;
    // requests without an image are ignored
    await fetchOne(src.replace(/^ws:/, 'http:'), habits).catch(() => {});
  }
}

async function fetchOne(src: string, { headers, follows }: IconHabits): Promise<void> {
  const answer = await fetch(src, { headers, redirect: follows ? 'follow' : 'manual' });
  await answer.arrayBuffer();
}
