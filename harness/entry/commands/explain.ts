/** `mcp-conform explain`: all information about one requirement. */

import type { Command } from 'commander';
import { isShownByLists } from '../../../spec/extensions/index.js';
import { fixOf } from '../../../spec/fix.js';
import {
  basisIn,
  clauseIn,
  clauseUrl,
  facetText,
  type Requirement,
  requirements,
} from '../../../spec/requirement.js';
import { revisionIds } from '../../../spec/revisions.js';
import { sepsOf, sepUrl } from '../../../spec/sep.js';
import { fits } from '../../report/pattern.js';
import { unknownName } from '../arguments.js';
import { examples } from '../common.js';
import type { Outcome } from '../outcome.js';

export function explainCommand(program: Command, _outcome: Outcome): void {
  program
    .command('explain')
    .summary('explain one requirement: its text, its source, and how it is judged')
    .addHelpText(
      'before',
      examples(['mcp-conform explain tools.name-length', "mcp-conform explain 'tools.*'"]),
    )
    .argument('<requirement>', 'id of the requirement, as in reports; an area, a prefix or tools.* lists ids')
    .action(async (id: string) => {
      const rows = requirements();
      const row = rows.get(id as Requirement['id']);
      if (row) return console.log(await explain(row));
      const similar = [...rows.values()].filter(each => fits(`${id}*`, each.id));
      if (similar.length === 0)
        throw unknownName('requirement', id, [...rows.keys()], 'See: mcp-conform list requirements');
      const width = Math.max(...similar.map(each => each.id.length));
      for (const each of similar) console.log(`${each.id.padEnd(width)}  ${each.says}`);
    });
}

/** The description of one requirement, as plain text. */
async function explain(row: Requirement): Promise<string> {
  const { suite } = await import('../../../suites/index.js');
  const { allFaults, allQuirks } = await import('../../../mocks/all.js');
  const { gatewayFaults } = await import('../../../mocks/gateway/faults/index.js');
  const { gatewayComparison } = await import('../../../suites/gateway/comparison.js');
  const clauses = revisionIds.flatMap(revision => {
    const clause = clauseIn(row, revision);
    if (!clause) return [];
    const basis = basisIn(row, revision);
    const urls = new Set([clauseUrl(revision, clause), clauseUrl(revision, clause, 'streamable-http')]);
    return [...urls].map(
      url => `  ${revision}  ${clause.level.padEnd(10)}  ${url}${basis ? `  (${basis})` : ''}`,
    );
  });
  const scenarios = suite.scenarios
    .filter(s => s.verifies.includes(row.id))
    .map(s => `${s.name}  ${s.title}`);
  const rules = suite.rules
    .filter(r => r.requirement === row.id)
    .map(() => 'by a rule, on every recorded conversation');
  const compared = gatewayComparison.some(r => r.requirement === row.id)
    ? ['by mcp-conform gateway, which compares both sides of a gateway']
    : [];
  const fix = fixOf(row.id);
  const provers = [...allFaults, ...gatewayFaults]
    .filter(f => f.breaks.includes(row.id))
    .map(f => `${f.id}  ${f.what}`);
  return [
    row.id,
    `  ${row.says}`,
    '',
    `Binds ${row.binds}${row.needs ? `, when ${row.needs} is declared${isShownByLists(row.needs) ? ', or the lists show it' : ''}` : ''}${row.over ? `, over ${row.over.join(' and ')}` : ''}.`,
    ...clauses,
    ...sepsOf(row.id).map(number => `  SEP-${number}  ${sepUrl(number)}`),
    ...section('How to repair it', fix && [fix.fix, ...fix.example.split('\n')]),
    ...section('Contested', row.contested && [row.contested]),
    ...section('How it is judged', row.judging && [row.judging]),
    ...section('Breaches', facets(row, row.breaches, [...allFaults, ...gatewayFaults])),
    ...section('Legal, not reported', facets(row, row.legal, allQuirks)),
    ...section('Why it is not judged', why(row)),
    ...section('Judged', [...rules, ...scenarios, ...compared]),
    ...section('Faults of the mocks that break it', provers),
  ].join('\n');
}

/** The facets of a row, each with the faults or quirks that show it. */
const facets = (
  { id }: Requirement,
  of: Requirement['breaches'],
  deviations: readonly { readonly id: string; readonly shows?: readonly string[] }[],
): string[] =>
  Object.entries(of ?? {}).map(([name, facet]) => {
    const shown = deviations.filter(({ shows }) => shows?.includes(`${id}#${name}`));
    const by = shown.length > 0 ? `  (${shown.map(deviation => deviation.id).join(', ')})` : '';
    const not = typeof facet === 'object' && 'unproven' in facet ? `  (not proven: ${facet.unproven})` : '';
    return `${name}: ${facetText(facet)}${by}${not}`;
  });

const why = ({ unjudged }: Requirement): string[] =>
  typeof unjudged === 'object'
    ? Object.entries(unjudged).map(([role, reason]) => `For a ${role}: ${reason}`)
    : [unjudged ?? []].flat();

const section = (title: string, lines: readonly string[] | string | undefined): string[] =>
  !lines || lines.length === 0 ? [] : ['', title, ...[lines].flat().map(line => `  ${line}`)];
