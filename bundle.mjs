/**
 * Bundles the program and the entries of the package into a few files: Node needs more time to find and read some 250 modules than to run them.
 */

import { chmodSync, readFileSync } from 'node:fs';
import { join, relative, resolve } from 'node:path';
import { build } from 'esbuild';

/** `import.meta.url` in a bundled module gives its original location, because data files are next to it. */
const ownPlaces = folder => ({
  name: 'own places',
  setup({ onLoad }) {
    onLoad({ filter: /\.m?[jt]s$/, namespace: 'file' }, ({ path }) => {
      const text = readFileSync(path, 'utf8');
      if (!text.includes('import.meta.url')) return undefined;
      const place = JSON.stringify(relative(resolve(folder), path));
      const contents = text.replaceAll('import.meta.url', `new URL(${place}, import.meta.url).href`);
      return { contents, loader: path.endsWith('ts') ? 'ts' : 'js' };
    });
  },
});

/**
 * @param entries the modules, in TypeScript or JavaScript, by the names of their bundled files; `bin` is the program
 * @param folder where the bundled files are written
 * @param chunks folder of what they share, at the same depth, so that relative paths are valid from both
 */
export async function bundle(entries, folder, chunks) {
  await build({
    entryPoints: entries,
    outdir: folder,
    allowOverwrite: true,
    chunkNames: `${relative(folder, chunks)}/[name]-[hash]`,
    bundle: true,
    splitting: true,
    packages: 'external',
    platform: 'node',
    format: 'esm',
    target: 'node20',
    logLevel: 'warning',
    plugins: [ownPlaces(chunks)],
  });
  chmodSync(join(folder, 'bin.js'), 0o755);
}
