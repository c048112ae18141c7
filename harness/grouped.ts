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

/** The value of a key, which is made where the map has none. */
export function entry<K, V>(map: Map<K, V>, key: K, make: () => V): V {
  let value = map.get(key);
  if (value === undefined) {
    value = make();
    map.set(key, value);
  }
  return value;
}

/** Texts that `keptByText` keeps have at most this many characters. */
const longestKept = 10_000;

/**
 * Keeps the values of a pure function of a text: subjects send the same texts again and again.
 * @param compute its values are shared, and must not be changed
 * @param most number of values that are kept; after that, all are dropped
 */
export function keptByText<T>(compute: (text: string) => T, most = 500): (text: string) => T {
  const kept = new Map<string, T>();
  return text => {
    if (kept.has(text)) return kept.get(text)!;
    const value = compute(text);
    if (text.length > longestKept) return value;
    if (kept.size >= most) kept.clear();
    kept.set(text, value);
    return value;
  };
}
