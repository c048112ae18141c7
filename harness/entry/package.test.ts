import { execFileSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { execa } from 'execa';
import { publint } from 'publint';
import { formatMessage } from 'publint/utils';
import { describe, expect, it } from 'vitest';
import { reporters } from '../../reports/reporter.js';
import { reporterHelp } from './arguments.js';

const root = fileURLToPath(new URL('../..', import.meta.url));
const manifest = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
const built = existsSync(join(root, 'dist/harness/entry/vitest.js'));
if (!built) console.warn('The package is not tested: npm run build first.');

it('--help names the reporters there are', () => {
  expect(reporterHelp).toBe(`${Object.keys(reporters).join(', ')} (repeatable)`);
});

describe.skipIf(!built)('the package', { timeout: 240_000 }, () => {
  it('has exports that publint finds nothing wrong with', async () => {
    const { messages } = await publint({ pkgDir: root, strict: true, pack: false });
    expect(messages.map(message => formatMessage(message, manifest))).toEqual([]);
  });

  it('has types and a module behind every entry', () => {
    for (const target of Object.values(manifest.exports) as (string | Record<string, string>)[])
      for (const file of typeof target === 'string' ? [target] : Object.values(target))
        expect(existsSync(join(root, file)), file).toBe(true);
  });

  it('is small and complete, and runs from an empty folder', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'mcp-conform-pack-'));
    try {
      const pack = ['pack', '--json', '--ignore-scripts', '--pack-destination', folder];
      const [{ filename, files, size }] = JSON.parse(
        execFileSync('npm', pack, { cwd: root, encoding: 'utf8' }),
      );
      const names = (files as { path: string }[]).map(file => file.path);
      expect(names.filter(name => /\.test\.|selftest|\.ya?ml$|(?<!\.d)\.ts$/.test(name))).toEqual([]);
      for (const name of [
        'README.md',
        'LICENSE',
        'CHANGELOG.md',
        'dist/spec/requirements.json',
        'dist/reports/report.schema.json',
      ])
        expect(names).toContain(name);
      expect(size).toBeLessThan(2_000_000);

      writeFileSync(join(folder, 'package.json'), '{"private":true}');
      const install = ['install', '--prefer-offline', '--no-audit', '--no-fund', join(folder, filename)];
      await execa('npm', install, { cwd: folder });
      const npx = ['--no-install', 'mcp-conform'];
      const { exitCode, stdout } = await execa(
        'npx',
        [
          ...npx,
          'server',
          '--run',
          'server/base/**',
          '--reporter',
          'html=report.html',
          '--',
          'npx',
          ...npx,
          'mock',
          'server',
        ],
        { cwd: folder, reject: false },
      );
      expect(stdout).toContain('✔ nothing wrong in');
      expect(exitCode).toBe(0);
      expect(existsSync(join(folder, 'report.html'))).toBe(true);
      const use =
        "import { run } from 'mcp-conform'; import 'mcp-conform/requirements.json' with { type: 'json' }; console.log(typeof run)";
      const { stdout: type } = await execa('node', ['--no-warnings', '--input-type=module', '-e', use], {
        cwd: folder,
      });
      expect(type).toBe('function');
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  });
});
