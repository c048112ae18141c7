/** JUnit XML, for the dashboards of CI systems: a suite for each revision and transport, a test for each requirement. */

import type { FindingReport, RequirementReport, RunReport } from '../harness/report/summary.js';
import { atRunEnd, plainView, type RunResult } from './at-run-end.js';
import { type Cluster, clusterFindings } from './cluster.js';
import { renderFailure, type View } from './console-failure.js';
import { visible } from './escape.js';
import { locationOf, transportOf } from './location.js';
import type { ReporterFactory } from './reporter.js';

export const junit: ReporterFactory = ({ out }) => atRunEnd(told => out.write(renderJunit(told)));

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
  const head = `    <testcase${attributes({ ...names, time: '0' })}`;
  return { outcome, xml: inside === '' ? `${head}/>` : `${head}>${inside}</testcase>` };
}

function suite(name: string, more: Record<string, string | number>, tests: readonly Test[]): string {
  const count = (outcome: Outcome) => tests.filter(t => t.outcome === outcome).length;
  const counts = {
    tests: tests.length,
    failures: count('failure'),
    errors: count('error'),
    skipped: count('skipped'),
  };
  return [
    `  <testsuite${attributes({ name, ...counts, ...more })}>`,
    ...tests.map(t => t.xml),
    '  </testsuite>',
  ].join('\n');
}

function renderJunit(told: RunResult): string {
  const { report } = told;
  const { stale, unjudged } = report;
  const seconds = (ms: number) => (ms / 1000).toFixed(3);
  const suites = report.runs.map(run =>
    suite(
      locationOf(run),
      { time: seconds(run.durationMs), timestamp: report.startedAt },
      testsOf(run, told),
    ),
  );
  if (unjudged) {
    const inside = element(
      'error',
      { message: unjudged.reason, type: 'could-not-judge' },
      [unjudged.reason, ...unjudged.details].map(visible),
    );
    suites.push(suite('the run', {}, [test({ classname: 'run', name: 'can be judged' }, 'error', inside)]));
  }
  if (stale.length > 0)
    suites.push(
      suite(
        'known failures',
        {},
        stale.map(line =>
          test(
            { classname: 'known-failing', name: line },
            'failure',
            element('failure', { message: `stale: ${line}`, type: 'stale' }),
          ),
        ),
      ),
    );
  const total = { name: `${report.tool.name} ${report.role}`, time: seconds(report.durationMs) };
  return [
    '<?xml version="1.0" encoding="UTF-8"?>',
    `<testsuites${attributes(total)}>`,
    ...suites,
    '</testsuites>\n',
  ].join('\n');
}

function testsOf(run: RunReport, told: RunResult): Test[] {
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
    ...run.notApplicable.map(({ id, reason }) =>
      test(names(id), 'skipped', element('skipped', { message: `not applicable: ${reason}` })),
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
      return ['skipped', element('skipped', { message: 'not observed' })];
    case 'pass':
      return ['passed', ''];
  }
}

/** A failure without its evidence. */
export function inOneLine({ requirement: id, expected, actual, message }: FindingReport): string {
  const wanted = expected.length > 0 ? `expected ${expected.join(' or ')}` : '';
  const parts = [wanted, actual === null ? '' : `got ${actual}`].filter(part => part !== '');
  return parts.length > 0 ? parts.join(', ') : (message ?? `broken: ${id}`);
}
