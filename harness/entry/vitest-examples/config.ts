/** For the files beside this one, which the tests of the project must not run by themselves. */

import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';

export default defineConfig({
  root: fileURLToPath(new URL('./', import.meta.url)),
  test: { include: ['faulty.ts', 'silent.ts'] },
});
