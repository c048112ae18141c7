/** Mutants of a record: the record with one thing changed in what the subject authored. */

import { hash } from '../../../harness/generate/hash.js';
import type { Event } from '../../../harness/record/event.js';
import { isReply, type Message } from '../../../harness/record/message.js';
import { isObject, type Json } from '../../../spec/json-rpc.js';
import { carrierChanges } from './carrier.js';
import { replaced } from './edits.js';
import { changesOfMessage } from './messages.js';
import type { Unit } from './records.js';
import { changed, changesOf, type Node, nodesOf } from './values.js';

export interface Mutant {
  readonly unit: Unit;
  /** The kind of message, or of its carrier: `result tools/list`. */
  readonly subject: string;
  /** What is changed there: a path; empty for the whole. */
  readonly place: string;
  readonly operator: string;
  /** Number of the frame whose message has one value changed. */
  readonly seq?: number;
  readonly apply: () => Event[];
}

/** The same for mutants of the same kind in all records. */
export const kindOfMutant = ({ unit, subject, place, operator }: Mutant): string =>
  [unit.form.party, subject, place, operator].filter(text => text !== '').join(' ');

/** Items with the same key, of which those with the smallest hash stay. */
class Chosen<T> {
  private readonly kept = new Map<string, { readonly rank: number; readonly item: T }[]>();

  constructor(
    private readonly most: number,
    private readonly seed: number,
  ) {}

  offer(key: string, which: string, item: () => T): void {
    const kept = this.kept.get(key) ?? [];
    if (kept.length === 0) this.kept.set(key, kept);
    const rank = hash(`${key} ${which}`, this.seed);
    if (kept.length === this.most && rank >= kept.at(-1)!.rank) return;
    kept.push({ rank, item: item() });
    kept.sort((a, b) => a.rank - b.rank);
    kept.length = Math.min(kept.length, this.most);
  }

  *[Symbol.iterator](): Generator<readonly [key: string, item: T]> {
    for (const [key, kept] of this.kept) for (const { item } of kept) yield [key, item];
  }
}

/** Values seen at a place, those of one unit apart: an id of another conversation is no legal neighbour. */
class Pool {
  private readonly seen = new Map<string, { readonly unit: Unit; readonly text: string }[]>();

  add(key: string, unit: Unit, value: Json): void {
    const all = this.seen.get(key) ?? [];
    if (all.length === 0) this.seen.set(key, all);
    if (all.length > 400) return;
    const text = JSON.stringify(value);
    if (!all.some(one => one.unit === unit && one.text === text)) all.push({ unit, text });
  }

  other(key: string, unit: Unit, value: Json): Json | undefined {
    const text = JSON.stringify(value);
    const different = (this.seen.get(key) ?? []).filter(one => one.text !== text);
    const found = different.find(one => one.unit === unit) ?? different[0];
    return found && (JSON.parse(found.text) as Json);
  }
}

interface MutantOptions {
  readonly seed: number;
  /** Messages that are changed at each place with each operator. */
  readonly most: number;
}

/** Each kind of change at each place, in some of the messages chosen by the seed. */
export function mutantsOf(units: readonly Unit[], { seed, most }: MutantOptions): Mutant[] {
  const nodes = new Chosen<{ unit: Unit; subject: string; message: Message; node: Node }>(most, seed);
  const wholes = new Chosen<Mutant>(most, seed);
  const pool = new Pool();
  for (const [number, unit] of units.entries()) {
    for (const message of messagesOf(unit)) {
      const subject = subjectOf(unit, message);
      const which = `${number} ${message.seq}`;
      for (const node of nodesOf(message.json)) {
        const key = `${subject} ${node.place}`;
        pool.add(key, unit, node.value);
        nodes.offer(key, `${which} ${node.path.join('/')}`, () => ({ unit, subject, message, node }));
      }
      for (const { operator, apply } of changesOfMessage(unit, message))
        wholes.offer(`${subject} ${operator}`, which, () => ({ unit, subject, place: '', operator, apply }));
    }
    for (const [at, { subject, operator, apply }] of carrierChanges(unit).entries())
      wholes.offer(`${subject} ${operator}`, `${number} ${at}`, () => ({
        unit,
        subject,
        place: '',
        operator,
        apply,
      }));
  }
  const mutants = [...wholes].map(([, mutant]) => mutant);
  for (const [key, { unit, subject, message, node }] of nodes)
    for (const change of changesOf(node, pool.other(key, unit, node.value)))
      mutants.push({
        unit,
        subject,
        place: node.place,
        operator: change.operator,
        seq: message.seq,
        apply: () =>
          replaced(unit.events, message.frame, {
            ...message.frame,
            text: JSON.stringify(changed(message.json, node.path, change)),
          }),
      });
  return mutants;
}

/** Messages of the subject that stand alone in their frame. */
const messagesOf = ({ conversation }: Unit): readonly Message[] =>
  conversation.sent('subject').filter(message => !message.batched && isObject(message.json));

function subjectOf({ conversation }: Unit, message: Message): string {
  const method = isReply(message) ? conversation.requestOf(message)?.method : message.method;
  return `${message.kind ?? 'other'} ${method ?? '?'}`;
}
