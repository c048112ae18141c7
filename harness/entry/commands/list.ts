/** `mcp-conform list`: the contents of the package as a table, or as JSON with `--json`. */

import type { Command } from 'commander';
import {
  type Requirement,
  type RequirementId,
  requirement,
  requirements,
} from '../../../spec/requirement.js';
import { definedRevisions, type EraId, type Revision, revisionIds } from '../../../spec/revisions.js';
import { seps } from '../../../spec/sep.js';
import { UsageError } from '../../report/pattern.js';
import type { Fixture } from '../../scenario/scenario.js';
import { parseChoice, unknownName } from '../arguments.js';
import { examples } from '../common.js';
import type { Outcome } from '../outcome.js';
import { judgedBy, traceability } from '../traceability.js';

interface Row {
  readonly id: string;
  readonly about: string;
  /** The party under test, for scenarios, faults and quirks. */
  readonly role?: string;
  readonly binds?: string;
  readonly clauses?: Requirement['clauses'];
  /** What a scenario judges, and what a fault breaks. */
  readonly verifies?: readonly RequirementId[];
  readonly breaks?: readonly RequirementId[];
  /** Default: both. */
  readonly era?: EraId;
  /** Where a fault is visible; default: wherever what it breaks is in force. */
  readonly where?: ((revision: Revision) => boolean) | undefined;
}

interface ListOptions {
  readonly json?: boolean;
  readonly grep?: string;
  readonly area?: string;
  readonly role?: string;
  readonly level?: string;
  readonly revision?: string;
  readonly traceability?: boolean;
}

const parties = ['server', 'client', 'authorization-server'] as const;

/** The lists whose entries are requirements, or name them. */
const aboutRows = ['requirements', 'scenarios', 'faults'];

const lists: Record<string, () => Promise<readonly (Row & object)[]>> = {
  async scenarios() {
    const { suite } = await import('../../../suites/index.js');
    return suite.scenarios.map(({ name, title, verifies, ...scenario }) => ({
      id: name,
      about: title,
      role: scenario.role,
      ...('era' in scenario && scenario.era && { era: scenario.era }),
      verifies,
      ...(scenario.role === 'server' && { isolation: scenario.isolation, fixtures: scenario.fixtures }),
    }));
  },
  async requirements() {
    return [...requirements().values()].map(row => ({ ...row, about: row.says }));
  },
  async faults() {
    const { allFaults } = await import('../../../mocks/all.js');
    const { gatewayFaults } = await import('../../../mocks/gateway/faults/index.js');
    const all = [...allFaults, ...gatewayFaults];
    return all.map(({ id, what, role, breaks, where }) => ({ id, about: what, role, breaks, where }));
  },
  async quirks() {
    const { allQuirks } = await import('../../../mocks/all.js');
    const { gatewayQuirks } = await import('../../../mocks/gateway/quirks/index.js');
    const all = [...allQuirks, ...gatewayQuirks];
    return all.map(({ id, what, role }) => ({ id, about: what, role }));
  },
  async fixtures() {
    const { suite } = await import('../../../suites/index.js');
    const { aboutRole, roles } = await import('../../scenario/tool-roles.js');
    const users = (fixture: Fixture): string => {
      const names = suite.scenarios.filter(s => s.role === 'server' && s.fixtures.includes(fixture));
      return count(names.length, 'scenario');
    };
    const ofRoles = roles.map(role => ({
      id: `role ${role}`,
      about: `${aboutRole[role]} (${users(`role ${role}`)}; well-known: ${suite.wellKnown?.[role]})`,
    }));
    const needed = new Set(suite.scenarios.flatMap(s => (s.role === 'server' ? s.fixtures : [])));
    const others = [...needed].filter(f => !f.startsWith('role ')).sort();
    return [
      ...ofRoles,
      ...others.map(id => ({
        id,
        about: `${users(id)}${suite.claimed?.has(id) ? ', required by --fixtures' : ''}`,
      })),
    ];
  },
  async seps() {
    const { suite } = await import('../../../suites/index.js');
    const judged = judgedBy(suite);
    return [...seps()].map(([number, sep]) => {
      const rest = sep.rows.map(requirement).filter(({ id }) => !judged.has(id));
      const permissions = rest.filter(({ unjudged }) => unjudged === undefined).length;
      const counts = [
        count(sep.rows.length, 'requirement'),
        `${sep.rows.length - rest.length} judged`,
        ...(permissions > 0 ? [count(permissions, 'permission')] : []),
        ...(rest.length > permissions ? [`${rest.length - permissions} not observable`] : []),
      ];
      return { ...sep, id: `SEP-${number}`, about: `${sep.title} (${sep.revision}): ${counts.join(', ')}` };
    });
  },
  async revisions() {
    return definedRevisions.map(r => ({ ...r, about: `${r.era}, ${r.transports.join(' and ')}` }));
  },
};

const count = (n: number, noun: string): string => `${n} ${noun}${n === 1 ? '' : 's'}`;

export function listCommand(program: Command, _outcome: Outcome): void {
  program
    .command('list')
    .summary(`list ${Object.keys(lists).join('|')}`)
    .addHelpText(
      'before',
      examples([
        'mcp-conform list requirements --area tools --level MUST',
        'mcp-conform list scenarios --grep cancel',
        'mcp-conform list fixtures',
      ]),
    )
    .argument('[what]', Object.keys(lists).join(', '))
    .option('--json', 'as JSON')
    .option('--grep <text>', 'only entries whose id or description contains this text')
    .option('--area <name>', 'only entries of this area: the first part of the id')
    .option('--role <party>', `only entries for one party: ${parties.join(', ')}`)
    .option(
      '--level <level>',
      'requirements, scenarios, faults: only this level in the newest revision: MUST, SHOULD, MAY …',
    )
    .option('--revision <date>', 'requirements, scenarios, faults: only those in force in this revision')
    .option('--traceability', 'seps: in the form of traceability.json of the official suite')
    .action(async (what: string | undefined, options: ListOptions) => {
      if (options.traceability) {
        if (what !== 'seps') throw new UsageError('--traceability is for: mcp-conform list seps');
        const { suite } = await import('../../../suites/index.js');
        return console.log(JSON.stringify(traceability(suite), null, 2));
      }
      const all = lists[what ?? ''] ?? refuse(what);
      const ofRows = options.level ? '--level' : options.revision ? '--revision' : undefined;
      if (ofRows && !aboutRows.includes(what!))
        throw new UsageError(`${ofRows} is for the lists of ${aboutRows.join(', ')}.`);
      const rows = (await all()).filter(chosenBy(options));
      if (options.json) console.log(JSON.stringify(rows, null, 2));
      else if (rows.length === 0)
        throw new UsageError(`the list of ${what} has no entry with these options.`);
      else printTable(rows);
      if (what === 'fixtures' && !options.json)
        console.log('\nA tool of your server takes a role with --fixture, as in --fixture slow=my_report.');
    });
}

function refuse(what: string | undefined): never {
  const names = Object.keys(lists);
  if (what === undefined) throw new UsageError(`list takes one of: ${names.join(', ')}.`);
  throw unknownName('list of', what, names);
}

/** @throws UsageError for a filter with an invalid value */
function chosenBy({ grep, area, role, level, revision: named }: ListOptions): (row: Row) => boolean {
  const party = role === undefined ? undefined : parseChoice('--role', role, parties);
  const date = named === undefined ? undefined : parseChoice('--revision', named, revisionIds);
  const wanted = grep?.toLowerCase();
  const revision = definedRevisions.find(r => r.id === date);
  const isOf = (clauses: Requirement['clauses']): boolean =>
    (date === undefined || clauses[date] !== undefined) &&
    (level === undefined ||
      (date ? clauses[date] : Object.values(clauses).at(-1))?.level === level.toUpperCase());
  const clausesOf = ({ clauses, verifies, breaks }: Row): readonly Requirement['clauses'][] =>
    clauses ? [clauses] : (verifies ?? breaks ?? []).map(row => requirement(row).clauses);
  const isNamed = ({ id, about, role: of, binds }: Row): boolean =>
    (wanted === undefined || `${id} ${about}`.toLowerCase().includes(wanted)) &&
    (area === undefined || (id.includes('/') ? id.split('/')[1] : id.split('.')[0]) === area) &&
    (party === undefined ||
      of === party ||
      binds === party ||
      (binds === 'both' && party !== 'authorization-server'));
  return row =>
    isNamed(row) &&
    ((date === undefined && level === undefined) || clausesOf(row).some(isOf)) &&
    (!revision || ((row.era ?? revision.era) === revision.era && (row.where?.(revision) ?? true)));
}

function printTable(rows: readonly Row[]): void {
  const width = Math.min(48, Math.max(...rows.map(row => row.id.length)));
  for (const { id, about } of rows) console.log(`${id.padEnd(width)}  ${about}`);
}
