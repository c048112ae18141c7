/** Objects: the choice of members, and their values. Shrinks by omitting members, then by their values. */

import fc from 'fast-check';
import type { Json, JsonObject } from '../../spec/json-rpc.js';

export interface Member {
  readonly name: string;
  readonly required: boolean;
  readonly value: fc.Arbitrary<Json>;
}

export type Pairs = readonly (readonly [name: string, value: Json])[];

interface MembersOptions {
  readonly minProperties: number;
  readonly maxProperties: number;
}

/** Described members, and unknown members. */
export const members = (
  known: readonly Member[],
  others: fc.Arbitrary<Pairs> | undefined,
  options: MembersOptions,
): fc.Arbitrary<JsonObject> => new Members(known, others, options);

interface Context {
  readonly known: ReadonlyMap<Member, fc.Value<Json>>;
  readonly others: fc.Value<Pairs> | undefined;
}

class Members extends fc.Arbitrary<JsonObject> {
  readonly #required: number;

  constructor(
    readonly known: readonly Member[],
    readonly others: fc.Arbitrary<Pairs> | undefined,
    readonly options: MembersOptions,
  ) {
    super();
    this.#required = known.filter(member => member.required).length;
  }

  override generate(random: fc.Random, bias: number | undefined): fc.Value<JsonObject> {
    const mode = random.nextInt(0, 9);
    const wanted = this.#choose(random, mode);
    const known = new Map<Member, fc.Value<Json>>();
    for (const member of this.known)
      if (wanted.has(member)) known.set(member, member.value.generate(random, bias));
    const room = wanted.size < this.options.maxProperties;
    const needed = wanted.size < this.options.minProperties;
    const others =
      this.others && ((mode % 2 > 0 && room) || needed) ? this.others.generate(random, bias) : undefined;
    return made({ known, others });
  }

  /**
   * One object in ten has no optional member, two in ten have all of them; every second object has unknown
   * members.
   */
  #choose(random: fc.Random, mode: number): Set<Member> {
    const { minProperties, maxProperties } = this.options;
    const chosen = new Set<Member>();
    let count = this.#required;
    const left: Member[] = [];
    for (const member of this.known) {
      const take = member.required || (mode > 2 ? random.nextInt(0, 1) === 1 : mode > 0) ? chosen : undefined;
      if (member.required) chosen.add(member);
      else if (take) {
        chosen.add(member);
        count++;
      } else left.push(member);
    }
    while (count < minProperties && left.length > 0) {
      chosen.add(left.splice(random.nextInt(0, left.length - 1), 1)[0]!);
      count++;
    }
    const spare = [...chosen].filter(member => !member.required);
    while (count > maxProperties && spare.length > 0) {
      chosen.delete(spare.splice(random.nextInt(0, spare.length - 1), 1)[0]!);
      count--;
    }
    return chosen;
  }

  override canShrinkWithoutContext(_value: unknown): _value is JsonObject {
    return false;
  }

  override shrink(_value: JsonObject, context: unknown): fc.Stream<fc.Value<JsonObject>> {
    return new fc.Stream(this.#smaller(context as Context));
  }

  *#smaller(context: Context): IterableIterator<fc.Value<JsonObject>> {
    const { known, others } = context;
    const optional = [...known.keys()].filter(member => !member.required);
    if (optional.length > 1 || (optional.length > 0 && others))
      yield made({ known: without(known, optional), others: undefined });
    if (others) yield made({ known, others: undefined });
    for (const member of optional) yield made({ known: without(known, [member]), others });
    if (others)
      for (const smaller of this.others!.shrink(others.value_, others.context))
        yield made({ known, others: smaller });
    for (const [member, value] of known)
      for (const smaller of member.value.shrink(value.value_, value.context))
        yield made({ known: new Map(known).set(member, smaller), others });
  }
}

const without = (known: Context['known'], left: readonly Member[]): Context['known'] =>
  new Map([...known].filter(([member]) => !left.includes(member)));

function made(context: Context): fc.Value<JsonObject> {
  const value: JsonObject = {};
  for (const [name, json] of context.others?.value_ ?? []) put(value, name, json);
  for (const [{ name }, json] of context.known) put(value, name, json.value_);
  return new fc.Value(value, context);
}

/** `__proto__` is an ordinary member. */
function put(object: JsonObject, name: string, value: Json): void {
  if (name === '__proto__')
    Object.defineProperty(object, name, { value, enumerable: true, configurable: true, writable: true });
  else object[name] = value;
}
