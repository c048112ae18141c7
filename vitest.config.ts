import { availableParallelism } from 'node:os';
import { configDefaults, defineConfig } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** Imports of the package by name in examples use the source, not the last build. */
const source = (path: string): string => new URL(path, import.meta.url).pathname;

/** The slowest files, slowest first: they start first, so that no CPU is idle at the end. */
const longest = [
  'generated-only',
  'kills',
  'network',
  'hostile-client',
  'reference-client',
  'kills-http',
  'silence',
  'hostile',
  'protected',
  'gateway',
  'kills-client-auth',
  'kills-client',
  'cli',
  'reference',
  'matrix',
  'package',
  'vitest',
  'reference-http',
  'kills-client-http',
  'fuzz-records',
  'shuffle',
  'output',
  'mutants/live',
  'authorization-server',
  'action/run',
  'echoed-secrets',
  'client-starts',
  'invalid',
  'contested',
  'valid',
  'blame',
  'schema',
].map(name => `/${name}.test.ts`);

/** A run of the suite creates many short-lived objects. */
const nodeOptions = ['--max-semi-space-size=64'];

class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const place = ({ moduleId, project }: TestSpecification): number => {
      // a process is passed on to the next file only if this file shares processes too
      if (project.name === 'alone') return longest.length + 1;
      const at = longest.findIndex(name => moduleId.endsWith(name));
      return at < 0 ? longest.length : at;
    };
    return files.sort((a, b) => place(a) - place(b));
  }
}

/**
 * Files that `npm run test:quick` leaves out: the matrices of faults and quirks, many random samples, and tests that
 * mostly start programs.
 */
const notQuick = [
  'suites/selftest/{kills*,revision-differences,generated-only,authorization-server,protected,hostile*,reference-http,network,gateway,matrix}.test.ts',
  'suites/selftest/{silence,blame,both-eras,client-extensions,extensions,echoed-secrets,fuzz-records,shuffle}.test.ts',
  'suites/selftest/mutants/*.test.ts',
  'suites/selftest/{busy-machine,client-starts,contested,next-revision,real}.test.ts',
  'harness/entry/{cli,network,output,package,vitest}.test.ts',
  'action/run.test.ts',
];

/** Files that replace a module (`vi.mock`): each has a process of its own. */
const alone = ['reports/**/*.test.ts', 'harness/report/summary.test.ts', 'harness/time/clock.test.ts'];

/**
 * Our modules without the tests. Node loads them itself, with tsx: a module that Vitest has rewritten looks up each
 * imported name at each use, which takes 7 % of the time of a trial.
 */
const ownModules = new RegExp(
  `^${source('.').replaceAll(/[.+()[\]]/g, '\\$&')}(?:spec|harness|mocks|suites|reports|action|docs)/(?!.*\\.test\\.(?:util\\.)?ts$).*\\.ts$`,
);

// `vitest run --mode quick` excludes these files, and runs the reference once
export default defineConfig(({ mode }) => ({
  resolve: {
    alias: [
      { find: /^mcp-conform\/msw$/, replacement: source('mocks/msw.ts') },
      { find: /^mcp-conform\/vitest$/, replacement: source('harness/entry/vitest.ts') },
      { find: /^mcp-conform\/generate$/, replacement: source('harness/generate/index.ts') },
      { find: /^mcp-conform$/, replacement: source('harness/entry/index.ts') },
    ],
  },
  test: {
    projects: [
      {
        extends: true,
        test: {
          name: 'shared',
          include: ['{spec,harness,mocks,suites,action,docs}/**/*.test.ts'],
          exclude: [...configDefaults.exclude, ...alone, ...(mode === 'quick' ? notQuick : [])],
          globalSetup: 'suites/selftest/program.setup.mjs',
          // a process runs many files, one after the other: it reads and compiles the code of the project once
          isolate: false,
          execArgv: [...nodeOptions, '--import', 'tsx'],
          server: { deps: { external: [ownModules] } },
        },
      },
      { extends: true, test: { name: 'alone', include: alone } },
    ],
    ...(mode === 'quick' && { env: { MCP_CONFORM_QUICK: '1' } }),
    // far more than any test needs on a machine with nothing else to do
    testTimeout: 900_000,
    hookTimeout: 900_000,
    // a trial waits for a third of its time; with only one worker more than CPUs, a tenth of the CPU time was idle
    maxWorkers: availableParallelism() + 2,
    // concurrent tests of one file; most of a trial is waiting
    maxConcurrency: 5,
    execArgv: nodeOptions,
    sequence: { sequencer: LongestFirst },
  },
}));
