import { configDefaults, defineConfig } from 'vitest/config';

/** Not shown exact yet on every fault; run with `npm run test:http` until they are, then delete this. */
const unproven = ['suites/selftest/kills-http.test.ts', 'suites/selftest/reference-http.test.ts'];

export default defineConfig({
  test: {
    include: ['{spec,harness,mocks,suites,reports,action,docs}/**/*.test.ts'],
    exclude: [...configDefaults.exclude, ...(process.env.MCP_CONFORM_HTTP ? [] : unproven)],
    testTimeout: 60_000,
  },
});
