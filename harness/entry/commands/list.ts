/** `mcp-conform list`: the contents of the package as a table, or as JSON with `--json`. */

import type { Command } from 'commander';
import { requirements } from '../../../spec/requirement.js';
import { revisions } from '../../../spec/revisions.js';
import { unknownName } from '../arguments.js';
import type { Outcome } from '../cli.js';

interface Row {
  readonly id: string;
  readonly about: string;
}

const lists: Record<string, () => Promise<readonly (Row & object)[]>> = {
  async scenarios() {
    const { suite } = await import('../../../suites/index.js');
    return suite.scenarios.map(({ name, title, verifies, ...scenario }) => ({
      id: name,
      about: title,
      role: scenario.role,
      verifies,
      ...(scenario.role === 'server' && { isolation: scenario.isolation, fixtures: scenario.fixtures }),
    }));
  },
  async requirements() {
    return [...requirements().values()].map(row => ({ ...row, about: row.says }));
  },
  async faults() {
    const { allFaults } = await import('../../../mocks/all.js');
    return allFaults.map(({ id, what, role, breaks }) => ({ id, about: what, role, breaks }));
  },
  async quirks() {
    const { allQuirks } = await import('../../../mocks/all.js');
    return allQuirks.map(({ id, what, role }) => ({ id, about: what, role }));
  },
  async revisions() {
    return revisions.map(r => ({ ...r, about: `${r.era}, ${r.transports.join(' and ')}` }));
  },
};

export function listCommand(program: Command, _outcome: Outcome): void {
  program
    .command('list')
    .summary(`list ${Object.keys(lists).join('|')}`)
    .argument('<what>', Object.keys(lists).join(', '))
    .option('--json', 'as JSON')
    .action(async (what: string, { json }: { json?: boolean }) => {
      const rows = await (lists[what] ?? refuse(what))();
      if (json) console.log(JSON.stringify(rows, null, 2));
      else printTable(rows);
    });
}

function refuse(what: string): never {
  throw unknownName('list of', what, Object.keys(lists));
}

function printTable(rows: readonly Row[]): void {
  const width = Math.min(48, Math.max(...rows.map(row => row.id.length)));
  for (const { id, about } of rows) console.log(`${id.padEnd(width)}  ${about}`);
}
