/** SARIF 2.1.0, for code scanning and for tools that collect results from several sources. */

import { createHash } from 'node:crypto';
import { sentence } from '../harness/report/sentence.js';
import type { Report } from '../harness/report/summary.js';
import { facetText, type RequirementId, requirement } from '../spec/requirement.js';
import { atRunEnd, type RunResult } from './at-run-end.js';
import { type Cluster, clusterFindings, type Variant } from './cluster.js';
import { safeJson, visible } from './escape.js';
import { inOneLine } from './junit.js';
import { fileOf } from './location.js';
import type { ReporterFactory } from './reporter.js';

export const sarif: ReporterFactory = ({ out }) =>
  atRunEnd(told => out.write(`${safeJson(renderSarif(told), 2)}\n`));

const SCHEMA = 'https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json';

/** `level` is the severity of a failure, `kind` whether the result is a failure. */
const levels: Record<Cluster['grade'], { level: string; kind: string }> = {
  violation: { level: 'error', kind: 'fail' },
  error: { level: 'none', kind: 'review' },
  warning: { level: 'warning', kind: 'fail' },
  note: { level: 'note', kind: 'fail' },
  knownFailing: { level: 'note', kind: 'fail' },
  inconclusive: { level: 'none', kind: 'open' },
};

function renderSarif(told: RunResult): object {
  const { report, start } = told;
  const groups = report.runs.flatMap(run => clusterFindings({ ...report, runs: [run] }));
  const ids = [...new Set(groups.map(group => group.row.id))];
  const uri = fileOf(report) ?? 'subject';
  return {
    $schema: SCHEMA,
    version: '2.1.0',
    runs: [
      {
        tool: {
          driver: {
            name: report.tool.name,
            version: report.tool.version,
            informationUri: 'https://www.npmjs.com/package/mcp-conform',
            rules: ids.map(id => describeRule(id, groups.find(group => group.row.id === id)!)),
          },
        },
        invocations: [
          {
            executionSuccessful: report.unjudged === null && report.summary.error === 0,
            exitCode: report.exitCode,
            startTimeUtc: report.startedAt,
            endTimeUtc: new Date(Date.parse(report.startedAt) + report.durationMs).toISOString(),
            toolExecutionNotifications: notifications(report),
          },
        ],
        columnKind: 'unicodeCodePoints',
        properties: { role: report.role, subject: report.subject, seed: start.seed, summary: report.summary },
        results: groups.flatMap(group =>
          group.variants.map(variant => ({
            ...describeResult(group, variant, uri),
            ruleIndex: ids.indexOf(group.row.id),
          })),
        ),
      },
    ],
  };
}

function describeRule(id: RequirementId, { row, grade }: Cluster) {
  const { says, judging, breaches } = requirement(id);
  const forms = Object.values(breaches ?? {}).map(facetText);
  return {
    id,
    name: id.replace(/(^|[.-])(\w)/g, (_, _mark, letter: string) => letter.toUpperCase()),
    shortDescription: { text: says },
    fullDescription: { text: [...(judging ? [judging] : []), ...forms].join(' ') || says },
    helpUri: row.url,
    help: { text: `${says}\n${row.url}\nmcp-conform explain ${id}` },
    defaultConfiguration: { level: levels[grade].level },
    properties: { tags: ['mcp', id.split('.')[0]], level: row.level },
  };
}

function describeResult({ grade, row, run }: Cluster, { first, others }: Variant, uri: string) {
  const cases = [...new Set([first, ...others].map(finding => finding.case))];
  return {
    ruleId: row.id,
    ...levels[grade],
    message: { text: visible(`${requirement(row.id).says} ${sentence(inOneLine(first))}`) },
    locations: [
      {
        // Code scanning shows no result without a file; the bytes on the wire have no file, so the file of
        // the subject is used.
        physicalLocation: { artifactLocation: { uri }, region: { startLine: 1 } },
        logicalLocations: cases.map(name => ({ fullyQualifiedName: visible(name), kind: 'test' })),
      },
    ],
    partialFingerprints: {
      'mcpConform/v1': fingerprint([run.revision, run.transport, row.id, shapeOf(first)]),
    },
    ...(grade === 'knownFailing' && {
      suppressions: [{ kind: 'external', justification: visible(first.knownFailing ?? '') }],
    }),
    occurrenceCount: [first, ...others].reduce((n, finding) => n + finding.count, 0),
    properties: {
      revision: run.revision,
      transport: run.transport,
      expected: first.expected,
      actual: first.actual,
      detail: first.message,
      events: first.events,
      causedBy: first.causedBy,
      reproduce: first.reproduce,
      counterexample: first.counterexample,
    },
  };
}

/** The parts that are equal in the next run, although ids and counters differ. */
const shapeOf = (finding: Variant['first']): string =>
  [...finding.expected, finding.actual ?? ''].join('\n').replace(/[0-9a-f]{8,}|\d+/gi, '#');

const fingerprint = (parts: readonly string[]): string =>
  createHash('sha256').update(parts.join('\0')).digest('hex').slice(0, 32);

function notifications({ unjudged, stale }: Report) {
  const texts = [
    ...(unjudged ? [unjudged.reason, ...unjudged.details] : []),
    ...stale.map(l => `stale: ${l}`),
  ];
  return texts.map(text => ({ level: 'error', message: { text: visible(text) } }));
}
