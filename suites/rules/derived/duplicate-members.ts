/** Member names that occur twice in one object of a JSON text, which parsers do not show. */

const token = /"(?:\\.|[^"\\])*"|[{}[\],:]|[^\s{}[\],:"]+/g;

interface Level {
  /** The member that holds this object or array. */
  readonly name: string | undefined;
  readonly isObject: boolean;
  readonly names: Set<string>;
  /** The last member name. */
  last: string | undefined;
}

/** The first name that occurs twice directly below a member with the given name; undefined when none does. */
export function duplicateBelow(member: string, text: string): string | undefined {
  const levels: Level[] = [];
  let expectsName = false;
  for (const [part] of text.matchAll(token)) {
    const level = levels.at(-1);
    if (part === '{' || part === '[') {
      levels.push({ name: level?.last, isObject: part === '{', names: new Set(), last: undefined });
      expectsName = part === '{';
    } else if (part === '}' || part === ']') {
      levels.pop();
      expectsName = false;
    } else if (part === ',') expectsName = level?.isObject === true;
    else if (part === ':') expectsName = false;
    else if (expectsName && level && part.startsWith('"')) {
      const name = JSON.parse(part) as string;
      if (level.name === member && level.names.has(name)) return name;
      level.names.add(name);
      level.last = name;
    }
  }
  return undefined;
}
