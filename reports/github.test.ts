import { describe, expect, it, vi } from 'vitest';
import type { RunEvent } from '../harness/report/run-event.js';
import { attacked } from './attack.test.util.js';
import { github } from './github.js';
import { caseStart, finding, generatedViolation, oneViolation, run, written } from './samples.test.util.js';

vi.mock('../spec/requirement.js', async actual =>
  (await import('./samples.test.util.js')).withTestRows(await actual<object>()),
);

/** Simulates the runner: commands are stopped from one token to the next occurrence of the same token. */
function commands(text: string): string[] {
  const found: string[] = [];
  let token: string | undefined;
  for (const line of text.split('\n')) {
    const stop = /^::stop-commands::(.+)$/.exec(line)?.[1];
    if (token !== undefined) token = line === `::${token}::` ? undefined : token;
    else if (stop) token = stop;
    else if (line.trimStart().startsWith('::') || line.includes('##[')) found.push(line);
  }
  expect(token).toBeUndefined();
  return found;
}

const said = (events: readonly RunEvent[]) => commands(written(github, events));

describe('GitHub', () => {
  it('annotates a failure', () => {
    expect(said(oneViolation())).toEqual([
      '::error title=MCP violation%3A test.must::' +
        'A call to a tool that does not exist is answered with an error.%0A' +
        'MUST in <revision> on stdio%0A' +
        'expected error -32602 or error -32601, got result {"content":[]}%0A' +
        'https://modelcontextprotocol.io/specification/<revision>/server/tools#error-handling%0A' +
        "Reproduce: mcp-conform server --run <revision>/stdio/server/tools/call-unknown-name --seed 42 -- node 'my server.js'",
    ]);
  });

  it('annotates a failure with the generated value', () => {
    expect(said(generatedViolation({ value: { n: 1 } }))[0]).toContain(
      '%0AGenerated: {"n":1} (/name: type changed from string to null)%0A',
    );
  });

  it('uses the same grades as the run', () => {
    const events = [caseStart(1, 'server/x'), finding('test.should', 1, { verdict: 'fail', actual: 'y' })];
    expect(said(run(0, events))[0]).toMatch(/^::warning /);
    expect(said(run(1, events, { strict: true }))[0]).toMatch(/^::error /);
  });

  it('text of a subject contains no runner commands', () => {
    const lines = said(attacked());
    expect(lines.filter(line => !/^::(error|warning|notice) title=MCP [^:,]*::/.test(line))).toEqual([]);
    expect(lines.join('\n')).not.toMatch(/[^\n\P{Cc}]/u);
  });

  it('stops runner commands from the first event on, and resumes them when the run is aborted', () => {
    const text = written(github, oneViolation().slice(0, -1));
    expect(text).toMatch(/^::stop-commands::([\w-]+)\n::\1::\n$/);
  });

  it('writes the job summary if a summary file is given', () => {
    let summary = '';
    const stepSummary = {
      write(text: string) {
        summary += text;
      },
    };
    written(github, oneViolation(), { stepSummary });
    expect(summary).toMatch(/^## MCP conformance: `node my server\.js`\n/);
    expect(summary).toContain('❌ violation');
  });
});
