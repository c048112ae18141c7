/**
 * A test runner for StrykerJS: the examples of the rules are its tests. They are loaded once, in the process that Stryker starts with
 * `--import tsx` in its copy of the project, and each mutant is judged by those examples that reach it.
 */

import { pathToFileURL } from 'node:url';
import { declareFactoryPlugin, PluginKind } from '@stryker-mutator/api/plugin';
import {
  DryRunStatus,
  determineHitLimitReached,
  TestStatus,
  toMutantRunResult,
} from '@stryker-mutator/api/test-runner';

globalThis.__stryker__ ??= {};
const stryker = globalThis.__stryker__;

class ExampleRunner {
  capabilities() {
    // modules that are imported cannot be loaded again
    return { reloadEnvironment: false };
  }

  async init() {
    const { shownExamples, outcomeOf } = await import(
      pathToFileURL(`${process.cwd()}/suites/rules/judge-example.test.util.ts`).href
    );
    this.outcomeOf = outcomeOf;
    this.tests = new Map(
      [...shownExamples()].map(one => [`${one.id}, ${one.kind} ${one.place}, ${one.revision.id}`, one]),
    );
  }

  async dryRun() {
    const tests = this.run([...this.tests.keys()], false);
    return { status: DryRunStatus.Complete, tests, mutantCoverage: stryker.mutantCoverage };
  }

  async mutantRun({ activeMutant, hitLimit, testFilter, disableBail }) {
    stryker.activeMutant = activeMutant.id;
    [stryker.hitCount, stryker.hitLimit] = [hitLimit === undefined ? undefined : 0, hitLimit];
    const tests = this.run(testFilter ?? [...this.tests.keys()], !disableBail);
    stryker.activeMutant = undefined;
    const late = determineHitLimitReached(stryker.hitCount, hitLimit);
    return toMutantRunResult(late ?? { status: DryRunStatus.Complete, tests });
  }

  /** Judges the examples, up to the first failure where that is enough. */
  run(names, bails) {
    const results = [];
    for (const name of names) {
      stryker.currentTestId = name;
      const result = this.judge(name);
      results.push(result);
      if (bails && result.status === TestStatus.Failed) break;
    }
    stryker.currentTestId = undefined;
    return results;
  }

  judge(name) {
    const began = performance.now();
    const result = { id: name, name };
    let flaw;
    try {
      const { reported, due } = this.outcomeOf(this.tests.get(name));
      if (reported.join() !== due.join()) flaw = `reported: ${reported.join(', ') || 'nothing'}`;
    } catch (error) {
      flaw = String(error);
    }
    const timeSpentMs = performance.now() - began;
    return flaw === undefined
      ? { ...result, status: TestStatus.Success, timeSpentMs }
      : { ...result, status: TestStatus.Failed, failureMessage: flaw, timeSpentMs };
  }
}

export const strykerPlugins = [
  declareFactoryPlugin(
    PluginKind.TestRunner,
    'examples',
    Object.assign(() => new ExampleRunner(), { inject: [] }),
  ),
];
