/** Appends an item to the list of a key. */
export function append<K, T>(lists: Map<K, T[]>, key: K, item: T): void {
  const list = lists.get(key);
  if (list) list.push(item);
  else lists.set(key, [item]);
}

/** Items grouped by the key that `keyOf` returns, in order. */
export function grouped<K, T>(items: Iterable<T>, keyOf: (item: T) => K): Map<K, T[]> {
  const lists = new Map<K, T[]>();
  for (const item of items) append(lists, keyOf(item), item);
  return lists;
}
