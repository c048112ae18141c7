/**
 * Bundles the program into a few files: Node needs more time to find and read some 250 modules than to run them.
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
 * @param entry the module of the program, in TypeScript or JavaScript
 * @param program where the bundled program is written
 * @param chunks folder of the other files, at the same depth as the program, so that relative paths are valid from both
 */
export async function bundle(entry, program, chunks) {
  const folder = join(program, '..');
  await build({
    entryPoints: [{ in: entry, out: 'bin' }],
    outdir: folder,
    allowOverwrite: true,
    chunkNames: `${relative(folder, chunks)}/[name]-[hash]`,
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
    plugins: [ownPlaces(chunks)],
  });
  chmodSync(program, 0o755);
}
