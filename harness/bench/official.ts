/**
 * Third-party programs for comparison: installed from npm into a cache; absent without a connection to npm.
 */

import { spawnSync } from 'node:child_process';
import { copyFileSync, existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { EraId } from '../../spec/revisions.js';

interface Release {
  readonly version: string;
  /** The packages that it is compared on. */
  readonly beside: readonly string[];
}

/** The releases of the official suite by the era that they judge. */
const releases: Readonly<Record<EraId, Release>> = {
  legacy: { version: '0.1.16', beside: ['@modelcontextprotocol/server-everything'] },
  modern: { version: '0.2.0-alpha.12', beside: ['@modelcontextprotocol/client@2.4.0'] },
};

export interface Official {
  readonly version: string;
  /** Runs the official suite, which needs a newer Node than this project. @returns seconds */
  run(args: readonly string[]): number;
  /** The Node for the official suite: compared programs run on the same Node. */
  readonly node: string;
  /** A driver around the client of the SDK, supplied with the suite, and its command. */
  readonly sdkClient: readonly string[];
  /** File of `server-everything`, also installed from npm; for the older era. */
  readonly everything: string;
}

export const whyNoOfficial = (era: EraId): string =>
  `@modelcontextprotocol/conformance@${releases[era].version} could not be installed from npm`;

const root = fileURLToPath(new URL('../../..', import.meta.url));

/** Where third-party programs are installed. */
export const cacheFolder = join(root, 'node_modules', '.cache', 'mcp-conform');

/** @returns undefined when the installation fails */
export function installOfficial(era: EraId): Official | undefined {
  const { version, beside } = releases[era];
  const folder = join(cacheFolder, `official-${version}`);
  const modules = join(folder, 'node_modules');
  const bin = join(modules, '@modelcontextprotocol', 'conformance', 'dist', 'index.js');
  const everything = join(modules, '@modelcontextprotocol', 'server-everything', 'dist', 'index.js');
  const node = join(modules, 'node', 'bin', 'node');
  const packageOf = (name: string) => join(modules, name.replace(/(?<=.)@[^/]*$/, ''));
  const isThere = () => [bin, node, ...beside.map(packageOf)].every(file => existsSync(file));
  if (!isThere()) {
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, 'package.json'), '{"private":true,"type":"module"}');
    const packages = [`@modelcontextprotocol/conformance@${version}`, ...beside, 'node@22'];
    const quiet = ['--no-audit', '--no-fund', '--loglevel=error'];
    spawnSync('npm', ['install', ...quiet, ...packages], { cwd: folder, timeout: 120_000 });
  }
  if (!isThere()) return undefined;
  const driver = join(folder, 'sdk-client.mjs');
  copyFileSync(join(root, 'mocks', 'drivers', 'sdk-client.mjs'), driver);
  return {
    version,
    run: args => secondsOf(node, [bin, ...args], folder),
    node,
    sdkClient: [process.execPath, driver],
    everything,
  };
}

/** Seconds that a command takes, with any exit code. */
export function secondsOf(command: string, args: readonly string[], cwd?: string): number {
  const start = performance.now();
  const { error } = spawnSync(command, args, { ...(cwd && { cwd }), timeout: 300_000, maxBuffer: 1e9 });
  if (error) throw error;
  return (performance.now() - start) / 1000;
}
