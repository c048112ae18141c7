/** Compiles `topics.yaml`: the patterns of each topic become the ids of its requirements. */

import type { Requirement } from './requirement.js';
import { type RevisionId, revisionIds } from './revisions.js';
import type { Topic } from './topic.js';

type SourceTopic = Omit<Topic, 'id' | 'rows'> & { readonly rows: readonly string[] };
interface Row extends Pick<Requirement, 'clauses' | 'needs'> {
  readonly id: string;
}

/** The topic of rows without one. */
const furtherTexts = { title: 'Further changes', change: 'Smaller changes that belong to no topic above.' };

const fields = ['to', 'title', 'seen', 'change', 'server', 'client', 'rows'];
const signs = ['method', 'header', 'http', 'error', 'capability', 'batch'];

const form = (pattern: string): RegExp =>
  new RegExp(`^${pattern.replaceAll('.', '\\.').replaceAll('*', '.*')}$`);

/**
 * The topics with the ids of their rows. The first topic of a revision that fits takes a row that begins or ends there.
 * @throws {Error} for an unknown member, revision or sign, and for a pattern that takes no row
 */
export function resolveTopics(
  source: Readonly<Record<string, SourceTopic>>,
  rows: readonly Row[],
): (Omit<Topic, 'rows'> & { readonly rows: readonly string[] })[] {
  const taken = new Map<string, Set<string>>();
  const changing = (to: RevisionId): string[] => {
    const before = revisionIds[revisionIds.indexOf(to) - 1];
    if (before === undefined) throw new Error(`topics.yaml: no revision comes before ${to}`);
    return rows
      .filter(({ needs }) => !needs?.startsWith('extensions/'))
      .filter(({ clauses }) => (clauses[before] === undefined) !== (clauses[to] === undefined))
      .map(({ id }) => id)
      .sort();
  };
  const resolved = Object.entries(source).map(([id, topic]) => {
    check(id, topic);
    const used = taken.get(topic.to) ?? new Set();
    taken.set(topic.to, used);
    const own = topic.rows.flatMap(pattern => {
      const found = changing(topic.to).filter(row => !used.has(row) && form(pattern).test(row));
      if (found.length === 0) throw new Error(`topics.yaml: ${id}: ${pattern} takes no row`);
      for (const row of found) used.add(row);
      return found;
    });
    return { id, ...topic, rows: own.sort() };
  });
  // a new revision has no topics yet
  const further = revisionIds.slice(1).flatMap(to => {
    const left = changing(to).filter(row => !taken.get(to)?.has(row));
    return left.length > 0 ? [{ id: `further-${to}`, to, ...furtherTexts, rows: left }] : [];
  });
  return [...resolved, ...further];
}

function check(id: string, topic: SourceTopic): void {
  const complain = (what: string): never => {
    throw new Error(`topics.yaml: ${id}: ${what}`);
  };
  for (const name of Object.keys(topic)) if (!fields.includes(name)) complain(`there is no member ${name}`);
  for (const name of ['to', 'title', 'change', 'rows'] as const)
    if (topic[name] === undefined) complain(`${name} is missing`);
  if (!revisionIds.includes(topic.to)) complain(`there is no revision ${topic.to}`);
  for (const sign of topic.seen ?? [])
    if (Object.keys(sign).length !== 1 || !signs.includes(Object.keys(sign)[0]!))
      complain(`a sign has one of ${signs.join(', ')}`);
}
