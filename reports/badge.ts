/** A small picture for a README, made locally: the verdict and the share of the requirements that were checked. */

import { atRunEnd, type RunResult } from './at-run-end.js';
import { html } from './html/markup.js';
import type { ReporterFactory } from './reporter.js';
import { amount } from './style.js';

export const badge: ReporterFactory = ({ out }) => atRunEnd(told => out.write(renderBadge(told)));

/** Width of a character of the font, in pixels. */
const CHARACTER = 6.6;

function renderBadge({ report, start }: RunResult): string {
  const { summary, runs, unjudged } = report;
  const failures = summary.violation + summary.error + (start.strict ? summary.warning : 0);
  const all = runs.reduce((n, run) => n + run.requirements.length, 0);
  const revision = [...new Set(runs.map(run => run.revision))].sort().at(-1);
  const left = `MCP ${revision ?? ''}`.trim();
  const [right, color] = unjudged
    ? ['not judged', '#666a74']
    : failures > 0
      ? [amount(failures, 'violation'), '#c22530']
      : [`${summary.requirementsJudged} of ${all} checked`, '#1c7a40'];
  const [a, b] = [left, right].map(text => Math.round(text.length * CHARACTER) + 14) as [number, number];
  const text = (x: number, words: string) =>
    html`<text x="${x}" y="14" textLength="${Math.round(words.length * CHARACTER)}">${words}</text>`;
  return html`<svg xmlns="http://www.w3.org/2000/svg" width="${a + b}" height="20" role="img" aria-label="${left}: ${right}"><title>${left}: ${right}</title><rect width="${a + b}" height="20" rx="3" fill="#3a3e46"/><path d="M${a} 0h${b - 3}a3 3 0 0 1 3 3v14a3 3 0 0 1-3 3H${a}z" fill="${color}"/><g fill="#fff" font-family="Verdana,DejaVu Sans,sans-serif" font-size="11">${text(7, left)}${text(a + 7, right)}</g></svg>
`.text;
}
