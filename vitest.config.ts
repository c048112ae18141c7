import { defineConfig } from 'vitest/config';

/** Imports of the package by name in examples use the source, not the last build. */
const source = (path: string): string => new URL(path, import.meta.url).pathname;

export default defineConfig({
  resolve: {
    alias: [
      { find: /^mcp-conform\/msw$/, replacement: source('mocks/msw.ts') },
      { find: /^mcp-conform\/vitest$/, replacement: source('harness/entry/vitest.ts') },
      { find: /^mcp-conform\/generate$/, replacement: source('harness/generate/index.ts') },
      { find: /^mcp-conform$/, replacement: source('harness/entry/index.ts') },
    ],
  },
  test: {
    include: ['{spec,harness,mocks,suites,reports,action,docs}/**/*.test.ts'],
    testTimeout: 60_000,
  },
});
