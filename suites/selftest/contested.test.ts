/**
 * Points on which implementers and the specification disagree, or the specification is silent: no failure,
 * and a note with the reason.
 */

import { expect, test } from 'vitest';
import { quirks } from '../../mocks/server/quirks/index.js';
import { whyMild } from '../../reports/obligation.js';
import type { RequirementId } from '../../spec/requirement.js';
import { newestFirst, type Revision, revisions, type TransportId } from '../../spec/revisions.js';
import { tryMock } from './run-mock.js';

interface Point {
  readonly point: string;
  readonly transport?: TransportId;
  readonly quirks?: readonly string[];
  readonly faults?: readonly string[];
  /** The rows with a note; none where the specification is silent. */
  readonly notes?: readonly RequirementId[];
}

const http = { transport: 'streamable-http' } as const;

/** Each behaviour that some implementers call invalid; the reference shows the opposite behaviour. */
const points: readonly Point[] = [
  {
    point: 'an unknown tool is a result with isError',
    quirks: ['unknown-tool-as-result'],
    notes: ['tools.unknown-tool-protocol-error'],
  },
  { point: 'batches get responses in a revision without batches', quirks: ['batches-answered-anyway'] },
  { point: 'an invalid line gets no response', quirks: ['silent-on-garbage'] },
  {
    ...http,
    point: 'a missing version header is refused',
    quirks: ['version-header-insisted-on'],
    notes: ['streamable-http.server-default-version'],
  },
  { ...http, point: 'DELETE gets status 200', quirks: ['delete-with-body'] },
  { ...http, point: 'DELETE is not offered', quirks: ['delete-not-offered'] },
  { ...http, point: 'any content type is accepted', quirks: ['any-content-type-taken'] },
  {
    point: 'messages out of order, also a second initialize, get an error code of another kind',
    quirks: ['second-handshake-refused-otherwise'],
  },
  { point: 'lines end in CRLF', faults: ['carriage-returns'], notes: ['stdio.lines-end-in-lf'] },
  { ...http, point: 'refusals have no JSON body', quirks: ['refusals-in-plain-text'] },
  {
    ...http,
    point: 'progress arrives on another stream after the response',
    faults: ['progress-late-on-get-stream'],
    notes: ['progress.stops-before-answer'],
  },
  {
    ...http,
    point: 'a second GET gets status 409',
    faults: ['get-once-only'],
    notes: ['streamable-http.second-get-stream'],
  },
  { ...http, point: 'events have no name', quirks: ['events-without-name'] },
  { point: 'no request gets a response before initialized', quirks: ['refused-until-initialized'] },
  { point: 'the process ends when ping comes before initialize', quirks: ['ends-when-ping-comes-first'] },
];

const newest = (of: Revision[]): Revision => newestFirst().find(r => of.includes(r))!;

test.concurrent.each(points)('$point', async ({ transport, quirks: odd = [], faults = [], notes = [] }) => {
  const shows = revisions.filter(r => odd.every(id => quirks.find(q => q.id === id)!.where?.(r) ?? true));
  const revision = newest([...shows]);
  const { report, findings } = await tryMock(revision, {
    quirks: odd,
    faults,
    fixtures: false,
    ...(transport && { transport }),
  });
  const failed = report.runs.flatMap(r => r.findings).filter(f => f.grade !== 'inconclusive');
  expect([...new Set(failed.map(f => `${f.grade} ${f.requirement}`))]).toEqual(notes.map(id => `note ${id}`));
  for (const id of notes) expect(whyMild({ id, level: 'MUST' }, 'note')).toMatch(/the text is silent\. \w+/);
  expect(findings.length).toBeGreaterThan(100);
});
