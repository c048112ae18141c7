/** Installs a real subject from its registry into a cache, once for each set of pinned versions. */

import { createHash } from 'node:crypto';
import { cpSync, existsSync, mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { execa } from 'execa';
import type { Install } from './subject.js';

/** The folder of this file: drivers of clients are in it. */
export const here = fileURLToPath(new URL('.', import.meta.url));

const cache = join(process.env.XDG_CACHE_HOME ?? join(homedir(), '.cache'), 'mcp-conform', 'subjects');

/** The longest installation, in milliseconds: a cold build of a Rust or Go program takes minutes. */
const installTimeoutMs = 15 * 60_000;

interface Installed {
  /** The folder in the cache. */
  readonly folder: string;
  /** The folder of the programs. */
  readonly bin: string;
}

const binOf = (install: Install): string => (install.npm ? 'node_modules/.bin' : 'bin');

/**
 * Installs a subject unless the cache has it.
 * @throws {Error} with the last output of the package manager when it fails
 */
export async function install(wanted: Install): Promise<Installed> {
  const key = createHash('sha256').update(JSON.stringify(wanted)).digest('hex').slice(0, 12);
  const folder = join(cache, `${Object.keys(wanted)[0]}-${key}`);
  const done = { folder, bin: join(folder, binOf(wanted)) };
  const filling = underWay.get(folder) ?? fillOnce(wanted, folder);
  underWay.set(folder, filling);
  await filling;
  return done;
}

/** Installations of this run: subjects that run at the same time may share a folder. */
const underWay = new Map<string, Promise<void>>();

async function fillOnce(wanted: Install, folder: string): Promise<void> {
  if (existsSync(join(folder, '.installed'))) return;
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  await fill(wanted, folder);
  writeFileSync(join(folder, '.installed'), '');
}

async function fill({ npm, pypi, go, cargo, crate, maven }: Install, folder: string): Promise<void> {
  const run = (file: string, args: readonly string[], env: Record<string, string> = {}) =>
    execa(file, args, { cwd: folder, env, timeout: installTimeoutMs, all: true }).catch(error => {
      const last = String(error.all ?? error.message)
        .trim()
        .split('\n')
        .slice(-5)
        .join('\n');
      throw new Error(`${file} ${args.join(' ')} failed:\n${last}`);
    });
  if (npm) {
    writeFileSync(join(folder, 'package.json'), '{"private":true,"type":"module"}');
    await run('npm', ['install', '--no-audit', '--no-fund', '--loglevel=error', ...npm]);
  }
  if (pypi) {
    // a virtual environment contains its own path, so it is created in place
    await run('python3', ['-m', 'venv', '--without-pip', '.']);
    await run('python3', ['-m', 'pip', '--python', join(folder, 'bin', 'python'), 'install', '-q', ...pypi]);
  }
  if (go) await run('go', ['install', go], { GOBIN: join(folder, 'bin') });
  if (cargo) {
    await run('cargo', ['install', '--root', '.', '--target-dir', 'target', ...cargo]);
    rmSync(join(folder, 'target'), { recursive: true, force: true });
  }
  if (crate) {
    cpSync(join(here, crate), join(folder, 'project'), { recursive: true });
    await run('cargo', ['install', '--debug', '--root', '.', '--target-dir', 'target', '--path', 'project']);
    rmSync(join(folder, 'target'), { recursive: true, force: true });
  }
  if (maven) {
    cpSync(join(here, maven), join(folder, 'project'), { recursive: true });
    await run('mvn', ['-q', '-f', 'project/pom.xml', 'package']);
    renameSync(join(folder, 'project', 'target'), join(folder, 'bin'));
  }
}
