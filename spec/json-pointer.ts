/** JSON pointers (RFC 6901): `/tools/0/a~1b` leads to the member `a/b` of the first item of `tools`. */

import type { Json } from './json-rpc.js';

/** One step of a pointer, with the slash before it. @param key of a member, or the number of an item */
export const pointerStep = (key: string | number): string =>
  `/${String(key).replaceAll('~', '~0').replaceAll('/', '~1')}`;

/** The keys of a pointer; none for the whole document. */
export const pointerKeys = (pointer: string): string[] =>
  pointer
    .split('/')
    .slice(1)
    .map(key => key.replaceAll('~1', '/').replaceAll('~0', '~'));

/** The value that a pointer leads to; undefined where there is none. */
export const atPointer = (document: Json, pointer: string): Json | undefined =>
  pointerKeys(pointer).reduce<Json | undefined>(
    (value, key) =>
      typeof value === 'object' && value !== null && Object.hasOwn(value, key)
        ? (value as Record<string, Json>)[key]
        : undefined,
    document,
  );
