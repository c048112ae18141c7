/** Where implementers and the text disagree, or the text is silent: no failure, and a note says why it is only that. */

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
  /** What is noted; nothing where the text is silent. */
  readonly notes?: readonly RequirementId[];
}

const http = { transport: 'streamable-http' } as const;

/** Each way of behaving that somebody calls wrong; the reference shows the other one. */
const points: readonly Point[] = [
  {
    point: 'an unknown tool is a result with isError',
    quirks: ['unknown-tool-as-result'],
    notes: ['tools.unknown-tool-protocol-error'],
  },
  { point: 'batches are answered where there are none', quirks: ['batches-answered-anyway'] },
  { point: 'garbage is not answered', quirks: ['silent-on-garbage'] },
  {
    ...http,
    point: 'a missing version header is refused',
    quirks: ['version-header-insisted-on'],
    notes: ['streamable-http.server-default-version'],
  },
  { ...http, point: 'DELETE is answered with 200', quirks: ['delete-with-body'] },
  { ...http, point: 'DELETE is not offered', quirks: ['delete-not-offered'] },
  { ...http, point: 'any content type is taken', quirks: ['any-content-type-taken'] },
  {
    point: 'whatever is out of order, a second initialize too, has a code of its own',
    quirks: ['second-handshake-refused-otherwise'],
  },
  { point: 'lines end in CRLF', faults: ['carriage-returns'], notes: ['stdio.lines-end-in-lf'] },
  { ...http, point: 'refusals have no JSON', quirks: ['refusals-in-plain-text'] },
  {
    point: 'progress crosses the answer',
    faults: ['progress-after-response'],
    notes: ['progress.stops-before-answer'],
  },
  { ...http, point: 'events have no name', quirks: ['events-without-name'] },
  { point: 'nothing is answered before initialized', quirks: ['refused-until-initialized'] },
];

const newest = (of: Revision[]): Revision => newestFirst().find(r => of.includes(r))!;

test.concurrent.each(points)(
  '$point',
  { timeout: 120_000 },
  async ({ transport, quirks: odd = [], faults = [], notes = [] }) => {
    const shows = revisions.filter(r => odd.every(id => quirks.find(q => q.id === id)!.where?.(r) ?? true));
    const revision = newest([...shows]);
    const { report, findings } = await tryMock(revision, {
      quirks: odd,
      faults,
      fixtures: false,
      ...(transport && { transport }),
    });
    const failed = report.runs.flatMap(r => r.findings).filter(f => f.grade !== 'inconclusive');
    expect([...new Set(failed.map(f => `${f.grade} ${f.requirement}`))]).toEqual(
      notes.map(id => `note ${id}`),
    );
    for (const id of notes) expect(whyMild({ id, level: 'MUST' }, 'note')).toMatch(/contested\. \w+/);
    expect(findings.length).toBeGreaterThan(100);
  },
);
