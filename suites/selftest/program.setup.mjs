/**
 * Test support: bundles the sources of the program once for all tests that start it, so that no build is needed, and no
 * start has to compile TypeScript. `program.test.util.ts` has the words that start the program.
 */

import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { bundle } from '../../bundle.mjs';

const root = fileURLToPath(new URL('../..', import.meta.url));

export default async function setup(project) {
  // below the root, so that the program finds the packages
  const cache = join(root, 'node_modules/.cache');
  mkdirSync(cache, { recursive: true });
  const folder = mkdtempSync(join(cache, 'mcp-conform-test-'));
  const write = () =>
    bundle({ bin: join(root, 'harness/entry/bin.ts') }, join(folder, 'program'), join(folder, 'chunks'));
  await write();
  project.provide('program', join(folder, 'program/bin.js'));
  project.onTestsRerun(write);
  return () => rmSync(folder, { recursive: true });
}
