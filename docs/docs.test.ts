import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { aboutRole, roles } from '../harness/scenario/tool-roles.js';
import { wellKnown } from '../suites/shared/fixtures.js';

const read = (path: string) => readFileSync(new URL(path, import.meta.url), 'utf8');

interface Workflow {
  on: Record<string, unknown>;
  permissions: Record<string, string>;
  jobs: Record<string, { steps: { uses?: string; with?: Record<string, unknown> }[] }>;
}
const { inputs } = parse(read('../action.yml')) as { inputs: Record<string, unknown> };

describe('example workflows', () => {
  const all = readdirSync(new URL('workflows', import.meta.url));
  // the parts of a matrix are put together by the program itself
  const files = all.filter(file => file !== 'matrix.yml');

  it('of a matrix runs each part once, and merges them', () => {
    const { jobs, permissions } = parse(read('workflows/matrix.yml')) as Workflow & {
      jobs: { part: { strategy: { matrix: { part: number[] } } } };
    };
    expect(permissions).toEqual({ contents: 'read' });
    const parts = jobs.part.strategy.matrix.part;
    expect(parts).toEqual([...parts.keys()].map(at => at + 1));
    expect(read('workflows/matrix.yml')).toContain(`--shard \${{ matrix.part }}/${parts.length} `);
    expect(read('matrix.md')).toContain('(workflows/matrix.yml)');
  });

  it('exist for five languages', () => {
    expect(files).toEqual(['go.yml', 'java.yml', 'python.yml', 'rust.yml', 'typescript.yml']);
  });

  it.each(files)('%s uses the action without changes, with read-only permissions', file => {
    const workflow = parse(read(`workflows/${file}`)) as Workflow;
    expect(Object.keys(workflow.on)).toEqual(['push', 'pull_request']);
    expect(workflow.permissions).toEqual({ contents: 'read' });
    const steps = Object.values(workflow.jobs).flatMap(job => job.steps);
    const ours = steps.filter(step => step.uses?.startsWith('OWNER/mcp-conform@'));
    expect(ours).toHaveLength(1);
    for (const name of Object.keys(ours[0]!.with ?? {})) expect(inputs).toHaveProperty(name);
    expect(read('github-action.md')).toContain(`(workflows/${file})`);
  });
});

describe('the page about the action', () => {
  it.each(Object.keys(inputs))('describes the input %s', name => {
    expect(read('github-action.md')).toMatch(new RegExp(`^\\| \`${name}\` +\\|`, 'm'));
  });
});

describe('examples', () => {
  it.each([
    ['generate.md', 'generate.test.ts'],
    ['msw.md', 'msw.test.ts'],
    ['vitest.md', 'in-process.test.ts'],
  ])('%s shows the tested code of %s', (page, example) => {
    expect(read(page)).toContain(`\`\`\`ts\n${read(`examples/${example}`)}\`\`\``);
  });
});

describe('the page about fixtures', () => {
  it.each(roles)('describes the role %s as the program does', role => {
    const row = new RegExp(`^\\| \`${role}\` +\\| ${aboutRole[role]} +\\| \`${wellKnown[role]}\` +\\|$`, 'm');
    expect(read('fixtures.md')).toMatch(row);
  });
});
