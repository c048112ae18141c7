import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { AxeResults } from 'axe-core';
import { type Browser, chromium, type Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import type { RunEvent } from '../harness/report/run-event.js';
import { attacked } from './attack.test.util.js';
import { html } from './html.js';
import {
  allWell,
  caseEnd,
  caseStart,
  finding,
  frame,
  generatedViolation,
  id,
  latest,
  older,
  oneViolation,
  revisionEnd,
  revisionStart,
  run,
  runEnd,
  runStart,
  wire,
  written,
} from './samples.test.util.js';

vi.mock('../spec/requirement.js', async actual => {
  const { testRows } = await import('./samples.test.util.js');
  const must = testRows.get('test.must')!;
  const many = Array.from({ length: 2000 }, (_, i) => `area-${i % 40}.row-${i}`);
  const rows = new Map([...testRows, ...many.map(name => [name, { ...must, id: name }] as const)]);
  return {
    ...(await actual<object>()),
    requirements: () => rows,
    requirement: (name: string) => rows.get(name),
  };
});

const page = (events: readonly RunEvent[]) => written(html, events);

describe('the HTML report', () => {
  it('is one file that loads nothing', () => {
    const text = page(oneViolation());
    expect(text).toMatch(/^<!doctype html>/);
    expect(text).toContain(`content="default-src 'none'; script-src 'sha256-`);
    expect(text).not.toMatch(/ (src|style|on\w+)=|@import|url\(/);
  });

  it('reports a failure in full', () => {
    const text = page(oneViolation()).replace(/<[^>]+>/g, '');
    for (const part of [
      'A call to a tool that does not exist is answered with an error.',
      '/server/tools#error-handling',
      'error -32602',
      'result {&quot;content&quot;:[]}',
      '+0.004 s',
      'mcp-conform server --run',
    ])
      expect(text).toContain(part);
  });

  it('names the side of a failure, and of each column, where both sides are judged', () => {
    const sides = oneViolation().map(
      (event): RunEvent => (event.kind === 'revision-start' ? { ...event, side: 'client' } : event),
    );
    expect(page(sides)).toMatch(/class="places">MUST · <revision> on stdio, client</);
    expect(page(oneViolation())).toMatch(/class="places">MUST · <revision> on stdio</);
  });

  it('shows the cases with the same failure', () => {
    const events = [1, 2, 3].flatMap(n => [
      caseStart(n, `server/case-${n}`),
      finding('test.must', n, { verdict: 'fail', expected: ['x'], actual: String(n) }),
      caseEnd(n),
    ]);
    const text = page(run(1, events));
    expect(text).toContain('also in 2 other test cases');
    expect(text).toContain('server/case-3');
  });

  it('shows the whole case in two lanes, with the evidence marked', () => {
    const [, lanes = ''] = /<details class="lanes">(.*?)<\/ol>/s.exec(page(oneViolation())) ?? [];
    expect(lanes.match(/<li class="(right|left)/g)!.length).toBeGreaterThan(1);
    expect(lanes).toMatch(/from the client: <\/span><b>tools\/call/);
    expect(lanes).toMatch(/<li class="left is-proof">.*result · tools\/call/s);
  });

  it('opens the first finding only', () => {
    expect(page(attacked()).match(/<details class="finding[^>]* open>/g)).toHaveLength(1);
  });

  it('gives the reason for a run without a verdict, and nothing else', () => {
    const unjudged = { reason: 'It exited.', details: ['stderr: no'] };
    const said = wire(1, 1, { kind: 'stderr', text: 'Error: no\nno' });
    const text = page([runStart(), said, runEnd(3, { unjudged })]);
    expect(text).toContain('could not judge</h1>');
    expect(text.match(/stderr: \w+(: no)?/g)).toEqual(['stderr: Error: no', 'stderr: no']);
    expect(text).not.toContain('<section');
  });

  it('writes nothing for an aborted run', () => expect(page(oneViolation().slice(0, -1))).toBe(''));

  it('contains no control character and no markup of the subject', () => {
    const text = page(attacked());
    expect(text).not.toMatch(/[^\n\P{Cc}]|\p{Cf}|\p{Cs}|<img|<b>bold/u);
    expect(text.match(/<script/g)).toHaveLength(1);
  });
});

/** Many rows under two revisions, one row in `every` violated. */
function large(length = 2000, every = 100): RunEvent[] {
  const rows = Array.from({ length }, (_, i) => id(`area-${i % 40}.row-${i}`));
  const under = (revision: typeof latest, first: number) => [
    revisionStart({ revision, offers: [latest, older], requirements: rows, planned: 1 }),
    caseStart(first, 'server/x', revision),
    frame(first * 2, 0, 'server', '{"jsonrpc":"2.0","id":1,"result":{}}'),
    ...rows.map((row, i) =>
      finding(
        row,
        first,
        i % every === 0
          ? { verdict: 'fail', expected: ['x'], actual: 'y', evidence: [first * 2] }
          : { verdict: 'pass' },
      ),
    ),
    caseEnd(first),
    revisionEnd(revision),
  ];
  return [runStart(), ...under(latest, 1), ...under(older, 2), runEnd(1)];
}

const executablePath = process.env.CHROMIUM ?? '/usr/bin/chromium';
const absent = !existsSync(executablePath);
if (absent)
  console.warn(
    `The HTML report is not tested in a browser: ${executablePath} is missing (apt-get install chromium).`,
  );

describe.skipIf(absent)('the HTML report in Chromium', () => {
  const folder = mkdtempSync(join(tmpdir(), 'mcp-conform-html-'));
  let browser: Browser;
  beforeAll(async () => {
    const quiet = ['background-networking', 'component-update', 'sync'].map(what => `--disable-${what}`);
    const args = ['--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run', ...quiet];
    browser = await chromium.launch({ executablePath, args });
  });
  afterAll(async () => {
    await browser?.close();
    rmSync(folder, { recursive: true, force: true });
  });

  /** Opens a report; any error of the page fails the test. */
  async function open(events: readonly RunEvent[], options: Parameters<Browser['newPage']>[0] = {}) {
    const file = join(folder, `${Math.random()}.html`);
    writeFileSync(file, page(events));
    const tab = await browser.newPage(options);
    const complaints: string[] = [];
    tab.on('pageerror', error => complaints.push(error.message));
    tab.on('console', message => complaints.push(message.text()));
    tab.on('request', request => {
      if (!request.url().startsWith('file:')) complaints.push(request.url());
    });
    await tab.goto(pathToFileURL(file).href);
    return { tab, complaints };
  }

  const visibleRows = (tab: Page) => tab.locator('#requirements tr.row:visible').count();

  it('complies with its own content security policy', async () => {
    const { tab, complaints } = await open(oneViolation());
    expect(await tab.locator('.replay button').count()).toBe(1);
    expect(await tab.locator('h1').textContent()).toContain('1 violation');
    expect(complaints).toEqual([]);
  });

  it('shows the generated value', async () => {
    const { tab, complaints } = await open(generatedViolation());
    expect(await tab.locator('.counterexample').textContent()).toContain('"id": 2147483648');
    expect(await tab.locator('.variant').textContent()).toContain('/name: type changed from string to null');
    expect(await tab.locator('.replay').textContent()).toContain('--path 3:0:1');
    expect(complaints).toEqual([]);
  });

  it('executes nothing from the subject', async () => {
    const { tab, complaints } = await open(attacked());
    expect(await tab.evaluate('globalThis.owned')).toBeUndefined();
    expect(await tab.locator('img, b:text-is("bold"), script').count()).toBe(1);
    expect(complaints).toEqual([]);
  });

  it('works with the keyboard', async () => {
    const { tab } = await open(oneViolation());
    await tab.keyboard.press('Tab');
    expect(await tab.evaluate('document.activeElement.textContent')).toBe('To the findings');
    await tab.keyboard.press('j');
    expect(await tab.evaluate('document.activeElement.closest(".finding").id')).toBe('violation-test.must');
    await tab.keyboard.press('/');
    await tab.keyboard.type('progress');
    // the page filters after a pause in the input, which may fall between two letters
    await expect.poll(() => tab.locator('.finding:visible').count()).toBe(0);
    await expect.poll(() => tab.locator('#shown').textContent()).toBe('1 of 4 requirements shown');
    await tab.keyboard.press('Escape');
    await expect.poll(() => tab.locator('.finding:visible').count()).toBe(1);
  });

  it('filters by grade, and links from the grid to the finding', async () => {
    const { tab } = await open(oneViolation());
    await tab.click('button[data-grade="violation"]');
    expect(await visibleRows(tab)).toBe(1);
    await tab.click('#requirements td.run a');
    expect(await tab.evaluate('location.hash')).toBe('#violation-test.must');
    await expect
      .poll(() => tab.evaluate('document.querySelector(".finding").getBoundingClientRect().top'))
      .toBeLessThan(200);
  });

  it('stays fast and narrow with 2,000 rows', async () => {
    const { tab, complaints } = await open(large(), { viewport: { width: 400, height: 800 } });
    await tab.click('button[data-grade="violation"]');
    expect(await visibleRows(tab)).toBe(20);
    expect(await tab.locator('.finding').count()).toBe(20);
    // CPU time of the page: other work of the machine does not count
    const session = await tab.context().newCDPSession(tab);
    await session.send('Performance.enable');
    const { metrics } = await session.send('Performance.getMetrics');
    const cpuS = metrics.find(({ name }) => name === 'ProcessTime')?.value;
    expect(cpuS).toBeLessThan(2);
    expect(await tab.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(400);
    expect(complaints).toEqual([]);
  });

  it.each(['light', 'dark'] as const)('has enough contrast: %s', async colorScheme => {
    const { tab } = await open(oneViolation(), { colorScheme });
    const ratios = (await tab.evaluate(contrasts)) as { what: string; ratio: number }[];
    expect(ratios.filter(({ ratio }) => ratio < 4.5)).toEqual([]);
    expect(ratios.length).toBeGreaterThan(10);
  });

  const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
  const states: [string, () => RunEvent[]][] = [
    ['without findings', allWell],
    ['with one finding', oneViolation],
    ['with 40 findings', () => large(120, 3)],
  ];

  it.each(states.flatMap(([what, events]) => [400, 1280].map(width => ({ what, events, width }))))(
    'has no remark of axe-core: $what, $width px',
    async ({ events, width }) => {
      const { tab } = await open(events(), { viewport: { width, height: 800 } });
      await tab.evaluate(axe);
      await tab.evaluate("document.querySelectorAll('details').forEach(d => { d.open = true; })");
      const { violations } = (await tab.evaluate('axe.run()')) as AxeResults;
      expect(violations.map(({ id, nodes }) => [id, nodes[0]!.html])).toEqual([]);
    },
  );

  it('prints', async () => {
    const { tab } = await open(allWell());
    expect((await tab.pdf({ format: 'A4' })).length).toBeGreaterThan(1000);
    await tab.emulateMedia({ media: 'print' });
    expect(await tab.locator('.top').isVisible()).toBe(false);
  });
});

/** Runs in the page: the contrast of each kind of text with its background (WCAG 2). */
const contrasts = `(() => {
  const channels = color => (color.match(/[\\d.]+/g) || []).map(Number);
  const light = color => {
    const [r, g, b] = channels(color).map(c => (c /= 255) <= 0.03928 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4);
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const behind = element => {
    const { backgroundColor } = getComputedStyle(element || document.body);
    return element && channels(backgroundColor)[3] === 0 ? behind(element.parentElement) : backgroundColor;
  };
  return [...document.querySelectorAll('main *')].flatMap(element => {
    const own = [...element.childNodes].some(node => node.nodeType === 3 && node.textContent.trim() !== '');
    if (!own || element.closest('.sr') || !element.offsetParent) return [];
    const [a, b] = [light(getComputedStyle(element).color), light(behind(element))];
    const ratio = (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
    return [{ what: element.tagName + '.' + element.className, ratio: Math.round(ratio * 100) / 100 }];
  });
})()`;
