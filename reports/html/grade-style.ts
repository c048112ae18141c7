/** Display of grades: a symbol that is clear without colour, a word, a bar of proportions. */

import type { Grade } from '../../harness/judge/verdict.js';
import { thousands } from '../style.js';
import { type Html, html } from './markup.js';

/** Displayed grades of a requirement, the worst first. */
export type Shown = Grade | 'notApplicable';

export const gradeStyle: Record<Shown, readonly [symbol: string, name: string, plural: string]> = {
  error: ['‼', 'defect of mcp-conform', 'defects of mcp-conform'],
  violation: ['✗', 'violation', 'violations'],
  warning: ['!', 'warning', 'warnings'],
  note: ['·', 'note', 'notes'],
  knownFailing: ['~', 'known failure', 'known failures'],
  inconclusive: ['?', 'inconclusive', 'inconclusive'],
  pass: ['✓', 'holds', 'hold'],
  notObserved: ['–', 'not tested', 'not tested'],
  notApplicable: ['∅', 'does not apply', 'do not apply'],
};

export const shownGrades = Object.keys(gradeStyle) as Shown[];

export const rank = (grade: Shown): number => shownGrades.indexOf(grade);

/** The symbol in the colour of its grade, with its name for screen readers. */
export const symbol = (grade: Shown): Html =>
  html`<span class="mark g-${grade}" aria-hidden="true">${gradeStyle[grade][0]}</span><span class="sr">${gradeStyle[grade][1]}</span>`;

export const badge = (grade: Shown): Html =>
  html`<span class="badge g-${grade}"><span aria-hidden="true">${gradeStyle[grade][0]} </span>${gradeStyle[grade][1]}</span>`;

export type Counts = ReadonlyMap<Shown, number>;

export function countGrades(grades: Iterable<Shown>): Counts {
  const counts = new Map<Shown, number>();
  for (const grade of grades) counts.set(grade, (counts.get(grade) ?? 0) + 1);
  return counts;
}

/**
 * Proportions as a bar. Drawn as SVG, because a style attribute would need a weaker content security policy.
 */
export function bar(counts: Counts): Html {
  const total = [...counts.values()].reduce((a, b) => a + b, 0);
  let x = 0;
  const parts = shownGrades.flatMap(grade => {
    const n = counts.get(grade) ?? 0;
    if (n === 0) return [];
    // minimum width, so that rare grades stay visible
    const width = Math.max((n / total) * 1000, 8);
    const part = html`<rect class="g-${grade}" x="${x.toFixed(1)}" y="0" width="${width.toFixed(1)}" height="10"/>`;
    x += width;
    return [part];
  });
  return html`<svg class="bar" viewBox="0 0 ${Math.ceil(x)} 10" preserveAspectRatio="none" aria-hidden="true">${parts}</svg>`;
}

/** `2 violations, 1 warning, 210 conform`. */
export const inWords = (counts: Counts): string =>
  shownGrades
    .flatMap(grade => {
      const n = counts.get(grade) ?? 0;
      return n === 0 ? [] : [`${thousands(n)} ${gradeStyle[grade][n === 1 ? 1 : 2]}`];
    })
    .join(', ');
