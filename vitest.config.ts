import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: { include: ['{spec,harness,mocks,suites,reports,action,docs}/**/*.test.ts'], testTimeout: 60_000 },
});
