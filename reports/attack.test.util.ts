/** A run in which every text of the subject is an attack on the program that shows the report. */

import type { RunEvent } from '../harness/report/run-event.js';
import {
  caseEnd,
  caseStart,
  finding,
  frame,
  id,
  latest,
  revisionEnd,
  revisionStart,
  runEnd,
  runStart,
  wire,
} from './samples.test.util.js';

/** Control characters, markup, Markdown, runner commands: one text for all formats. */
const attack = [
  '\x1b[2J\x07\x9b31m\x00\ufffe\ud800\u202e\u200b',
  '</code></script><script>globalThis.owned=1</script><img src=x onerror="globalThis.owned=1">',
  ']]>&entity;--><b>bold</b>"\'onload=x',
  '```\n``` | **strong** [link](javascript:alert(1)) ![](http://evil.example/x.png) @everyone https://evil.example',
  '\n::error::injected\r\n##[error]injected\n::add-mask::a',
].join(' ');

export const attacked = (): RunEvent[] => [
  runStart({
    subject: { command: ['node', attack], url: attack, cwd: attack },
    strict: true,
    fixtures: true,
  }),
  revisionStart({
    info: { name: attack, version: attack },
    notApplicable: [{ id: id('test.contested'), reason: attack }],
  }),
  caseStart(1, `server/${attack}`),
  frame(1, 0, 'server', attack + 'x'.repeat(5000) + attack),
  frame(2, 1, 'client', JSON.stringify({ [attack]: attack.repeat(3) })),
  wire(3, 1, { kind: 'stderr', text: attack }),
  wire(4, 1, { kind: 'open', transport: 'stdio', revision: latest, argv: ['node', attack] }),
  finding('test.must', 1, {
    verdict: 'fail',
    expected: [attack],
    actual: attack,
    message: attack,
    evidence: [1, 2, 3, 4],
  }),
  finding('test.should', 1, { verdict: 'inconclusive', message: attack }),
  finding('test.may', 1, { verdict: 'fail', actual: attack }, attack),
  finding('test.other-must', 1, { verdict: 'error', message: `${attack}\n  at x` }),
  caseEnd(1),
  revisionEnd(),
  runEnd(4, { stale: [attack], unjudged: { reason: attack, details: [attack] } }),
];
