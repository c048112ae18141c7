/** JUnit XML, for the dashboards of CI systems: a suite for each revision and transport, a test for each requirement. */

import type { FindingReport, RequirementReport, RunReport } from '../harness/report/summary.js';
import { atRunEnd, plainView, type RunResult } from './at-run-end.js';
import { type Cluster, clusterFindings } from './cluster.js';
import { renderFailure, type View } from './console-failure.js';
import { visible } from './escape.js';
import { inOneLine as withoutBreaks } from './json-text.js';
import { locationOf, transportOf } from './location.js';
import type { ReporterFactory } from './reporter.js';

/** Requirements that do not apply are tests only with --verbose: in dashboards they hide the others. */
export const junit: ReporterFactory = ({ out, verbose }) =>
  atRunEnd(told => out.write(renderJunit(told, verbose)));

const entities: Record<string, string> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&apos;',
};

/** For text whose characters are already visible: XML 1.0 has no notation for other characters. */
const escapeXml = (text: string): string =>
  text.replace(/[\ufffe\uffff]/g, '\ufffd').replace(/[&<>"']/g, char => entities[char]!);

const attributes = (values: Record<string, string | number>): string =>
  Object.entries(values)
    .map(([name, value]) => ` ${name}="${escapeXml(visible(String(value)))}"`)
    .join('');

/** @param body lines of text that are already visible */
function element(
  name: string,
  values: Record<string, string | number>,
  body: readonly string[] = [],
): string {
  const head = `<${name}${attributes(values)}`;
  return body.length === 0 ? `${head}/>` : `${head}>${escapeXml(body.join('\n'))}</${name}>`;
}

type Outcome = 'passed' | 'failure' | 'error' | 'skipped';

interface Test {
  readonly outcome: Outcome;
  readonly xml: string;
}

function test(names: Record<string, string>, outcome: Outcome, inside = ''): Test {
  const head = `    <testcase${attributes(names)}`;
  return { outcome, xml: inside === '' ? `${head}/>` : `${head}>${inside}</testcase>` };
}

function countsOf(tests: readonly Test[]) {
  const count = (outcome: Outcome) => tests.filter(t => t.outcome === outcome).length;
  return {
    tests: tests.length,
    failures: count('failure'),
    errors: count('error'),
    skipped: count('skipped'),
  };
}

interface TestSuite {
  readonly name: string;
  readonly more: Record<string, string | number>;
  readonly tests: readonly Test[];
}

const renderSuite = ({ name, more, tests }: TestSuite): string =>
  [
    `  <testsuite${attributes({ name, ...countsOf(tests), ...more })}>`,
    ...tests.map(t => t.xml),
    '  </testsuite>',
  ].join('\n');

function renderJunit(told: RunResult, verbose: boolean): string {
  const { report } = told;
  const { stale, unjudged } = report;
  const seconds = (ms: number) => (ms / 1000).toFixed(3);
  const suites: TestSuite[] = report.runs.map(run => ({
    name: locationOf(run),
    more: { time: seconds(run.durationMs), timestamp: report.startedAt },
    tests: testsOf(run, told, verbose),
  }));
  if (unjudged) {
    const inside = element(
      'error',
      { message: unjudged.reason, type: 'could-not-judge' },
      [unjudged.reason, ...unjudged.details].map(visible),
    );
    const tests = [test({ classname: 'run', name: 'can be judged' }, 'error', inside)];
    suites.push({ name: 'the run', more: {}, tests });
  }
  if (stale.length > 0)
    suites.push({
      name: 'known failures',
      more: {},
      tests: stale.map(line =>
        test(
          { classname: 'known-failing', name: line },
          'failure',
          element('failure', { message: `stale: ${line}`, type: 'stale' }),
        ),
      ),
    });
  const total = {
    name: `${report.tool.name} ${report.role}`,
    ...countsOf(suites.flatMap(({ tests }) => tests)),
    time: seconds(report.durationMs),
  };
  return [
    '<?xml version="1.0" encoding="UTF-8"?>',
    `<testsuites${attributes(total)}>`,
    ...suites.map(renderSuite),
    '</testsuites>\n',
  ].join('\n');
}

function testsOf(run: RunReport, told: RunResult, verbose: boolean): Test[] {
  const groups = clusterFindings({ ...told.report, runs: [run] });
  const view = plainView(told);
  const names = (id: string) => ({
    classname: `${run.revision} ${transportOf(run)}.${id.split('.')[0]}`,
    name: id,
  });
  return [
    ...run.requirements.map(row => {
      const found = groups.filter(group => group.row.id === row.id);
      const [outcome, inside] = tell(row, found, told, view);
      return test(names(row.id), outcome, inside);
    }),
    ...(verbose ? run.notApplicable : []).map(({ id, reason }) =>
      test(names(id), 'skipped', element('skipped', { message: `does not apply: ${reason}` })),
    ),
  ];
}

/**
 * The outcome of a requirement. A failure that does not fail the run is reported in the output of a passed
 * test.
 */
function tell(
  row: RequirementReport,
  groups: readonly Cluster[],
  { start }: RunResult,
  view: View,
): [Outcome, string] {
  const body = () => groups.flatMap((group, i) => [...(i > 0 ? [''] : []), ...renderFailure(group, view)]);
  const first = groups.find(group => group.grade === row.grade)?.variants[0]?.first;
  const message = first ? inOneLine(first) : '';
  const type = `${row.grade} of a ${row.level}`;
  switch (row.grade) {
    case 'violation':
      return ['failure', element('failure', { message, type }, body())];
    case 'error':
      return ['error', element('error', { message, type: 'defect of mcp-conform' }, body())];
    case 'warning':
      return start.strict
        ? ['failure', element('failure', { message, type }, body())]
        : ['passed', element('system-out', {}, body())];
    case 'note':
      return ['passed', element('system-out', {}, body())];
    case 'inconclusive':
      // With promised fixtures, an inconclusive result is an error, not a skipped test.
      return start.fixtures
        ? ['error', element('error', { message, type: 'inconclusive' }, body())]
        : ['skipped', element('skipped', { message: `inconclusive: ${message}` })];
    case 'knownFailing':
      return ['skipped', element('skipped', { message: `known failure: ${first?.knownFailing ?? ''}` })];
    case 'notObserved':
      return ['skipped', element('skipped', { message: `not tested: ${row.reason ?? 'it never occurred'}` })];
    case 'pass':
      return ['passed', ''];
  }
}

/** A failure without its evidence. */
export function inOneLine({ requirement: id, expected, actual, message }: FindingReport): string {
  const wanted = expected.length > 0 ? `expected ${expected.join(' or ')}` : '';
  const parts = [wanted, actual === null ? '' : `got ${withoutBreaks(actual)}`].filter(part => part !== '');
  return parts.length > 0 ? parts.join(', ') : (message ?? `broken: ${id}`);
}
