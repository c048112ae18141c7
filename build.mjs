/** The second half of `npm run build`, after the compiler: copies files that are not modules, and bundles what the package has. */

import { cpSync, rmSync, statSync } from 'node:fs';
import { bundle } from './bundle.mjs';

const entry = 'dist/harness/entry';
const chunks = 'dist/harness/chunks';

for (const folder of ['spec', 'reports'])
  cpSync(folder, `dist/${folder}`, {
    recursive: true,
    filter: file => statSync(file).isDirectory() || /\.(json|mjs)$/.test(file),
  });
for (const file of [
  'harness/entry/config.schema.json',
  'harness/entry/matrix.schema.json',
  'harness/transports/stdio/shim.mjs',
  'harness/protected-server/browser.mjs',
  'mocks/drivers',
])
  cpSync(file, `dist/${file}`, { recursive: true });

rmSync(chunks, { recursive: true, force: true });
const entries = {
  bin: `${entry}/bin.js`,
  index: `${entry}/index.js`,
  vitest: `${entry}/vitest.js`,
  msw: 'dist/mocks/msw.js',
  generate: 'dist/harness/generate/index.js',
};
await bundle(entries, entry, chunks);
