/**
 * The second half of `npm run build`, after the compiler: copies files that are not modules, and bundles the
 * program into a few files. Node needs more time to find and read some 250 modules than to run them.
 */

import { chmodSync, cpSync, readFileSync, rmSync, statSync } from 'node:fs';
import { dirname, relative, resolve } from 'node:path';
import { build } from 'esbuild';

const program = 'dist/harness/entry/bin.js';
const chunks = 'dist/harness/chunks';

/** `import.meta.url` in a bundled module gives its original location, because data files are next to it. */
const ownPlaces = {
  name: 'own places',
  setup({ onLoad }) {
    onLoad({ filter: /\.m?js$/, namespace: 'file' }, ({ path }) => {
      const text = readFileSync(path, 'utf8');
      if (!text.includes('import.meta.url')) return undefined;
      const place = JSON.stringify(relative(resolve(chunks), path));
      return { contents: text.replaceAll('import.meta.url', `new URL(${place}, import.meta.url).href`) };
    });
  },
};

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
await build({
  entryPoints: [program],
  outdir: dirname(program),
  allowOverwrite: true,
  // at the same depth as the program, so that relative paths are valid from both
  chunkNames: '../chunks/[name]-[hash]',
  bundle: true,
  splitting: true,
  packages: 'external',
  platform: 'node',
  format: 'esm',
  target: 'node20',
  // the package has the modules in a readable form too
  minifyWhitespace: true,
  minifySyntax: true,
  logLevel: 'warning',
  plugins: [ownPlaces],
});
chmodSync(program, 0o755);
