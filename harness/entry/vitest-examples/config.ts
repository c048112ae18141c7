/** Config for the files in this folder, which the normal tests of the project do not run. */

import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';

export default defineConfig({
  root: fileURLToPath(new URL('./', import.meta.url)),
  test: { include: ['faulty.ts', 'silent.ts'] },
});
