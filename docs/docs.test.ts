import { existsSync, readdirSync, readFileSync } from 'node:fs';
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
  // the parts of a run are put together by the program itself
  const files = all.filter(file => !['matrix.yml', 'shards.yml'].includes(file));

  it.each([
    ['matrix.yml', 'matrix.md'],
    ['shards.yml', 'configuration.md'],
  ])('%s runs each part once, and merges them', (file, page) => {
    const { jobs, permissions } = parse(read(`workflows/${file}`)) as Workflow & {
      jobs: { part: { strategy: { matrix: { part: number[] } } } };
    };
    expect(permissions).toEqual({ contents: 'read' });
    const parts = jobs.part.strategy.matrix.part;
    expect(parts).toEqual([...parts.keys()].map(at => at + 1));
    expect(read(`workflows/${file}`).replaceAll(/\n\s+/g, ' ')).toContain(
      `--shard \${{ matrix.part }}/${parts.length} `,
    );
    expect(read(page)).toContain(`(workflows/${file})`);
  });

  it('exist for five languages', () => {
    expect(files).toEqual(['go.yml', 'java.yml', 'python.yml', 'rust.yml', 'typescript.yml']);
  });

  it.each(files)('%s uses the action without changes, with read-only permissions', file => {
    const workflow = parse(read(`workflows/${file}`)) as Workflow;
    expect(Object.keys(workflow.on)).toEqual(['push', 'pull_request']);
    expect(workflow.permissions).toEqual({ contents: 'read' });
    const steps = Object.values(workflow.jobs).flatMap(job => job.steps);
    const ours = steps.filter(step => /^[\w.-]+\/mcp-conform@/.test(step.uses ?? ''));
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

describe('links', () => {
  const root = new URL('../', import.meta.url);
  const isForeign = (folder: string) =>
    /(^|\/)(node_modules|dist|\.git|coverage|matrix\/build)\/$/.test(folder);
  const pagesIn = (folder: string): string[] =>
    readdirSync(new URL(folder, root), { withFileTypes: true }).flatMap(entry => {
      const path = folder + entry.name;
      if (entry.isDirectory()) return isForeign(`${path}/`) ? [] : pagesIn(`${path}/`);
      return path.endsWith('.md') ? [path] : [];
    });
  const pages = pagesIn('');
  /** Headings as GitHub makes anchors of them. */
  const anchors = (text: string) =>
    [...text.matchAll(/^#+ (.+)$/gm)].map(([, heading]) =>
      heading!
        .toLowerCase()
        .replace(/[^\p{L}\p{N} _-]/gu, '')
        .replaceAll(' ', '-'),
    );

  it('are found', () => {
    expect(pages).toContain('README.md');
    expect(pages.length).toBeGreaterThan(30);
  });

  it.each(pages)('of %s lead to files and headings that exist', page => {
    const at = new URL(page, root);
    const text = readFileSync(at, 'utf8')
      .replace(/^```[\s\S]*?^```/gm, '')
      .replace(/`[^`\n]*`/g, '');
    const targets = [...text.matchAll(/\]\(([^)\s]+)\)/g)].map(([, target]) => target!);
    const dead = targets.filter(target => {
      if (/^[a-z]+:/.test(target)) return false;
      const url = new URL(target, at);
      const anchor = url.hash.slice(1);
      url.hash = '';
      if (!existsSync(url)) return true;
      return (
        anchor !== '' && url.pathname.endsWith('.md') && !anchors(readFileSync(url, 'utf8')).includes(anchor)
      );
    });
    expect(dead).toEqual([]);
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
