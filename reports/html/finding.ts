/**
 * One complete failure: the sentence, its source, the expected and the actual value, the wire, the command
 * that reproduces it.
 */

import type { Counterexample } from '../../harness/judge/counterexample.js';
import type { FindingReport, Report } from '../../harness/report/summary.js';
import { type RequirementId, requirement } from '../../spec/requirement.js';
import type { RunResult } from '../at-run-end.js';
import { type Cluster, casesOf, causeOf, type Variant } from '../cluster.js';
import { fixFor } from '../fix.js';
import { inOneLine } from '../junit.js';
import { locationOf } from '../location.js';
import { obligationOf, whyMild } from '../obligation.js';
import { amount } from '../style.js';
import { shorten, subjectRole } from '../wire.js';
import { badge, symbol } from './grade-style.js';
import { renderLanes } from './lanes.js';
import { type Html, html, withCode } from './markup.js';
import { indentedJson, renderWire } from './wire.js';

/** Number of events, kinds of failure and cases shown for one finding. */
const MOST = { events: 24, variants: 8, cases: 200 };
/** Characters shown of one text of the subject. */
const LONGEST = 4000;

/** Anchor of the finding of a requirement with a grade. */
export const findingAnchor = (grade: string, id: RequirementId): string => `${grade}-${id}`;

/** A finding, collapsed to one line unless it is open. */
export function renderFinding(group: Cluster, told: RunResult, open: boolean): Html {
  const { grade, row } = group;
  const mild = whyMild(row, grade);
  const places = placesOf(group, told.report);
  const { first } = group.variants[0]!;
  return html`<details class="finding g-${grade} row" id="${findingAnchor(grade, row.id)}" data-g="${grade}"${open && html` open`}>
<summary><span class="title">${badge(grade)} <h3>${row.id}</h3> <span class="places">${row.level} · ${places.join(' · ')}</span></span>
<span class="brief">${shorten(inOneLine(first), 300)}</span></summary>
<p class="sentence">${obligationOf(row.id)}</p>${mild && html`<p class="mild">${mild}</p>`}
${causeOf(group) && html`<p class="mild">Same cause as ${causeOf(group)!}: both are about the same event.</p>`}
<p class="source"><a href="${row.url}" rel="noreferrer">${row.url.replace(/^https:\/\//, '')}</a></p>
${group.variants.slice(0, MOST.variants).map((variant, i) => renderVariant(variant, told, i === 0))}${
  group.variants.length > MOST.variants &&
  html`<p class="more">${amount(group.variants.length - MOST.variants, 'more variant')} in run.jsonl</p>`
}
</details>
`;
}

/** All revisions and transports of the finding, and the side where a run judges several. */
function placesOf({ grade, row, variants }: Cluster, { runs }: Report): string[] {
  const sides = runs.filter(
    run => run.side && run.findings.some(f => f.grade === grade && f.requirement === row.id),
  );
  const places =
    sides.length > 0
      ? sides.map(locationOf)
      : casesOf(variants).map(name => name.split('/').slice(0, 2).join(' on '));
  return [...new Set(places)];
}

function renderVariant({ first, others }: Variant, told: RunResult, isFirst: boolean): Html {
  const events = told.wire.pick(first.events.slice(0, MOST.events));
  const left = first.events.length - Math.min(first.events.length, MOST.events);
  const cases = casesOf([{ first, others }]);
  return html`<div class="variant">
<dl class="compare">
${first.expected.map((text, i) => html`<div class="expected"><dt>${i === 0 ? 'Expected' : 'or'}</dt><dd>${shorten(text, LONGEST)}</dd></div>\n`)}${
  first.actual !== null &&
  html`<div class="actual"><dt>Actual</dt><dd>${shorten(first.actual, LONGEST)}</dd></div>\n`
}${first.message !== null && html`<div><dt>Detail</dt><dd>${messageLines(first)}</dd></div>\n`}${
  first.knownFailing !== null &&
  html`<div><dt>Known</dt><dd>${shorten(first.knownFailing, LONGEST)}</dd></div>\n`
}</dl>
${events.length > 0 && renderWire(events, subjectRole(told.report.role))}${
  left > 0 && html`<p class="more">${amount(left, 'more event')} in run.jsonl</p>`
}${first.counterexample !== null && renderCounterexample(first.counterexample)}
${isFirst && renderLanes(told.wire.ofCase(first.events), new Set(first.events))}${isFirst && renderFix(first)}${renderCases(cases, told)}
<h4>Replay</h4>
<pre class="replay"><code>${first.reproduce}</code></pre>
</div>`;
}

function renderFix(finding: FindingReport): Html | undefined {
  const fix = fixFor(finding);
  return (
    fix &&
    html`<h4>How to repair it</h4><p class="fix">${withCode(fix.fix)}</p>${fix.sdk && html`<p class="mild">${fix.sdk}</p>`}<pre class="example">${
      fix.example.startsWith('{') ? indentedJson(JSON.parse(fix.example)) : fix.example
    }</pre>`
  );
}

/**
 * The message is also among the events; it is repeated where the value alone does not show the sent bytes.
 */
const renderCounterexample = ({ value, label, path, message }: Counterexample): Html =>
  html`<h4>Generated value${path === null ? ', not shrunk' : ', shrunk to the minimum'}</h4>${
    label !== null && html`<p class="brief">${shorten(label, LONGEST)}</p>`
  }
<pre class="counterexample">${indentedJson(value)}</pre>${
    message !== null && html`<p class="brief">sent as <code>${shorten(message, LONGEST)}</code></p>`
  }`;

/** Line breaks in the message of a defect come from the harness. */
const messageLines = ({ grade, message }: FindingReport): Html[] =>
  (grade === 'error' ? message!.split('\n') : [message!]).map(
    line => html`<div>${shorten(line, LONGEST)}</div>`,
  );

function renderCases(cases: readonly string[], { titles }: RunResult): Html {
  const [first = '', ...others] = cases;
  const shown = others.slice(0, MOST.cases);
  const line = (name: string) => html`<code>${name}</code> ${titles.get(name)}`;
  return html`<p class="case">${line(first)}</p>${
    others.length > 0 &&
    html`<details class="cases"><summary>also in ${amount(others.length, 'other test case')}</summary><ul>${shown.map(
      name => html`<li>${line(name)}</li>`,
    )}${others.length > shown.length && html`<li>…</li>`}</ul></details>`
  }`;
}

/** The list at the top: one line for each finding, with a link. */
export const renderIndex = (groups: readonly Cluster[]): Html =>
  html`<ol class="index">${groups.map(
    ({ grade, row, variants }) =>
      html`<li class="row" data-g="${grade}"><a href="#${findingAnchor(grade, row.id)}">${symbol(grade)} <b>${row.id}</b></a><span>${requirement(row.id).says}</span><small>${amount(casesOf(variants).length, 'case')}</small></li>\n`,
  )}</ol>`;
