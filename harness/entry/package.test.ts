import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { execa } from 'execa';
import { publint } from 'publint';
import { formatMessage } from 'publint/utils';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { reporters } from '../../reports/reporters.js';
import { reporterHelp } from './arguments.js';

const root = fileURLToPath(new URL('../..', import.meta.url));
const manifest = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
const readme = readFileSync(join(root, 'README.md'), 'utf8');
const built = existsSync(join(root, 'dist/harness/entry/vitest.js'));
if (!built) console.warn('The package is not tested: npm run build first.');

it('--help names all existing reporters', () => {
  expect(reporterHelp).toBe(`${Object.keys(reporters).join(', ')} (repeatable)`);
});

describe.skipIf(!built)('the package', () => {
  it('has exports without publint messages', async () => {
    const { messages } = await publint({ pkgDir: root, strict: true, pack: false });
    expect(messages.map(message => formatMessage(message, manifest))).toEqual([]);
  });

  it('has types and a module for every entry', () => {
    for (const target of Object.values(manifest.exports) as (string | Record<string, string>)[])
      for (const file of typeof target === 'string' ? [target] : Object.values(target))
        expect(existsSync(join(root, file)), file).toBe(true);
  });

  describe('packed, and installed in an empty folder', () => {
    const folder = mkdtempSync(join(tmpdir(), 'mcp-conform-pack-'));
    afterAll(() => rmSync(folder, { recursive: true, force: true }));
    let packed: { readonly size: number; readonly names: readonly string[] };

    beforeAll(async () => {
      const pack = ['pack', '--json', '--ignore-scripts', '--pack-destination', folder];
      const { stdout } = await execa('npm', pack, { cwd: root });
      const [{ filename, files, size }] = JSON.parse(stdout);
      packed = { size, names: (files as { path: string }[]).map(file => file.path) };
      writeFileSync(join(folder, 'package.json'), '{"private":true}');
      const install = ['install', '--prefer-offline', '--no-audit', '--no-fund', join(folder, filename)];
      await execa('npm', install, { cwd: folder });
    });

    /** Runs a command line as typed by a user; no registry is needed. */
    const type = (line: string) =>
      execa(line.replaceAll('npx mcp-conform', 'npx --no-install mcp-conform'), {
        cwd: folder,
        shell: true,
        reject: false,
        preferLocal: true,
        localDir: folder,
      });

    it('is small and complete', () => {
      const { names, size } = packed;
      // README links the workflows
      const unwanted = /\.test\.|selftest|^(?!docs\/workflows\/).*\.ya?ml$|(?<!\.d)\.ts$/;
      expect(names.filter(name => unwanted.test(name))).toEqual([]);
      for (const name of [
        'README.md',
        'LICENSE',
        'CHANGELOG.md',
        'dist/spec/requirements.json',
        'dist/reports/report.schema.json',
      ])
        expect(names).toContain(name);
      expect(size).toBeLessThan(2_000_000);
    });

    it('gives the result of the first example in the README', async () => {
      const [, main] = /^npm ci && (npx mcp-conform .*?) +#/m.exec(readme)!;
      const { exitCode, stdout } = await type(main!);
      expect(stdout).toMatch(/^✔ no violations · .* · 2026-07-28 on stdio$/m);
      expect(exitCode).toBe(0);
    });

    it('gives the finding of the sample report in the README', async () => {
      const [, sample, finding] = /^\$ (npx mcp-conform .*)\n[\s\S]*?\n(✗ violation .*)$/m.exec(readme)!;
      const { exitCode, stdout } = await type(sample!);
      expect(stdout.split('\n')).toContain(finding);
      expect(exitCode).toBe(1);
    });

    // the examples of the README start it with npx, which takes longer than the program itself
    const mock = 'mcp-conform mock';
    it.each([
      [`mcp-conform server --run 'server/tools/*' --reporter html=report.html -- ${mock} server`, 0],
      [`mcp-conform server --run 'server/tools/*' --reporter jsonl=run.jsonl -- ${mock} server`, 0],
      ['mcp-conform judge run.jsonl', 0],
      ['mcp-conform report run.jsonl --reporter markdown', 0],
      [`mcp-conform client --run 'client/tools/*' -- ${mock} client`, 0],
      [
        `mcp-conform client --run 'client/ping/*' -- ${mock} client --revisions 2025-11-25 --fault client-ping-null`,
        1,
      ],
      [`${mock} client -- mcp-conform watch --reporter json=watched.json -- ${mock} server`, 0],
      ['mcp-conform explain jsonrpc.result-object', 0],
    ])('%s', async (line, code) => {
      const { exitCode, stdout, stderr } = await type(line);
      expect([exitCode, exitCode === code ? '' : stdout + stderr]).toEqual([code, '']);
    });

    it('writes the requested reports', () => {
      for (const name of ['report.html', 'run.jsonl', 'watched.json'])
        expect(existsSync(join(folder, name)), name).toBe(true);
    });

    it('is importable', async () => {
      const use = `
        import { run } from 'mcp-conform';
        import { arbitraryOf } from 'mcp-conform/generate';
        import requirements from 'mcp-conform/requirements.json' with { type: 'json' };
        console.log(typeof run, typeof arbitraryOf, typeof requirements);`;
      const { stdout } = await execa('node', ['--no-warnings', '--input-type=module', '-e', use], {
        cwd: folder,
      });
      expect(stdout).toBe('function function object');
    });
  });
});
