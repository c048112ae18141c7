import { describe, expect, it, vi } from 'vitest';
import { attacked } from './attack.test.util.js';
import { markdown } from './markdown.js';
import { code, plain } from './markdown-escape.js';
import { allWell, oneViolation, written } from './samples.test.util.js';

vi.mock('../spec/requirement.js', async actual =>
  (await import('./samples.test.util.js')).withTestRows(await actual<object>()),
);

/** Lines outside fenced blocks, and whether every fence was closed. */
function outside(text: string): { lines: string[]; closed: boolean } {
  const lines: string[] = [];
  let fence = '';
  for (const line of text.split('\n')) {
    const found = /^(`{3,})/.exec(line)?.[1];
    if (fence !== '') fence = line === fence ? '' : fence;
    else if (found) fence = found;
    else lines.push(line);
  }
  return { lines, closed: fence === '' };
}

/**
 * Removes code spans as CommonMark defines them: a run of backticks up to the next run of the same length.
 */
const withoutCode = (line: string): string => line.replace(/(?<!`)(`+)(?!`)(.*?)(?<!`)\1(?!`)/g, '');

describe('Markdown', () => {
  it('is short without failures', () => {
    expect(written(markdown, allWell())).toMatchInlineSnapshot(`
      "## MCP conformance: \`node my server.js\`

      ✅ no violations · 3 of 4 requirements checked · <revision> on stdio

      | Revision | Transport | Conforms | Violations | Warnings | Notes | Known | Inconclusive | Not tested | Do not apply | Time |
      | --- | --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: |
      | <revision> | stdio | 3 | 0 | 0 | 0 | 0 | 0 | 1 | 0 | 4.1 s |
      "
    `);
  });

  it('places each failure in a collapsed section below the table', () => {
    expect(written(markdown, oneViolation())).toMatchInlineSnapshot(`
      "## MCP conformance: \`node my server.js\`

      ❌ 1 violation · 2 of 4 requirements checked

      | Revision | Transport | Conforms | Violations | Warnings | Notes | Known | Inconclusive | Not tested | Do not apply | Time |
      | --- | --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: |
      | <revision> | stdio | 1 | 1 | 0 | 0 | 0 | 0 | 2 | 0 | 4.1 s |

      | | Requirement | Actual | Cases |
      | --- | --- | --- | ---: |
      | ❌ violation | [test.must](https://modelcontextprotocol.io/specification/<revision>/server/tools#error-handling) (MUST) | \`expected error -32602 or error -32601, got result {"content":[]}\` | 1 |

      <details><summary>❌ violation <code>test.must</code> A call to a tool that does not exist is answered with an error.</summary>

      \`\`\`text
      ✗ violation   test.must   MUST · <revision> · stdio
        A call to a tool that does not exist is answered with an error.
        https://modelcontextprotocol.io/specification/<revision>/server/tools#error-handling
        Expected  error -32602 or error -32601
          Actual  result {"content":[]}
          12  +0.000s  →  {"id":3,"method":"tools/call","params":{"name":"no-such-tool"}}
          13  +0.004s  ←  {"id":3,"result":{"content":[]}}
       Reproduce  mcp-conform server --run <revision>/stdio/server/tools/call-unknown-name --seed 42 -- node 'my server.js'
      \`\`\`

      [MUST in <revision>](https://modelcontextprotocol.io/specification/<revision>/server/tools#error-handling)

      </details>
      "
    `);
  });

  it('all rows have the same number of cells as the head', () => {
    const rows = outside(written(markdown, attacked()).replaceAll('<revision>', 'dated'))
      .lines.filter(line => line.startsWith('|'))
      .map(line => line.replaceAll('\\|', '').split('|').length);
    expect(new Set(rows)).toEqual(new Set([13, 6]));
  });

  it('shows text of the subject as code', () => {
    const { lines, closed } = outside(written(markdown, attacked()).replaceAll('<revision>', 'dated'));
    expect(closed).toBe(true);
    const rest = lines.map(withoutCode).join('\n');
    expect(rest).not.toMatch(/evil|script|everyone|injected|onerror|strong/);
    expect(rest.match(/<\/?\w+/g)?.every(tag => /details|summary|code/.test(tag))).toBe(true);
  });

  it.each([
    ['a`b', '``a`b``'],
    ['`', '`` ` ``'],
    ['a|b', '`a\\|b`'],
    ['', '*empty*'],
    ['a\nb', '`a\\x0ab`'],
  ])('puts %j in a code span', (text, span) => expect(code(text)).toBe(span));

  it('has no markup in plain text', () => {
    expect(plain('a *b* <i> [c](d) @e https://f')).toBe(
      'a \\*b\\* &lt;i&gt; \\[c\\](d) &#64;e https&#58;//f',
    );
  });

  it('stays below the size limit of GitHub', () => {
    const long = attacked().map(event =>
      event.kind === 'finding'
        ? { ...event, finding: { ...event.finding, message: 'y'.repeat(2e6) } }
        : event,
    );
    expect(Buffer.byteLength(written(markdown, long, { verbose: true }))).toBeLessThan(1024 * 1024);
  });
});
