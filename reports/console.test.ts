import { describe, expect, it, vi } from 'vitest';
import type { RunEvent } from '../harness/report/run-event.js';
import { console as consoleReporter } from './console.js';
import { Progress } from './progress.js';
import type { ReporterOptions } from './reporter.js';
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

vi.mock('../spec/requirement.js', async importActual => {
  const { withTestRows } = await import('./samples.test.util.js');
  return withTestRows(await importActual<object>());
});

/** Adds a newline at both ends, so that inline snapshots look like the printed text. */
const shown = (events: readonly RunEvent[], options?: Partial<ReporterOptions>) =>
  `\n${written(consoleReporter, events, options)}`;

const ESC = '\x1b';
const noPersonSees = new RegExp(`${ESC}\\[[0-9;]*m`, 'g');

const afterProgress = (text: string) => `\n${text.slice(text.lastIndexOf(`${ESC}[2K`) + 4)}`;

describe('the console, without failures', () => {
  it('is short', () => {
    expect(shown(allWell())).toMatchInlineSnapshot(`
      "
      sample-server 1.0.0 · node my server.js · <revision> on stdio

      ✔ no violations · 3 of 4 requirements checked · <revision> on stdio
        4 requirements: 3 hold, 1 not tested (--verbose says why)
        3 checks · 1 case · 2 processes · 4.2 s · seed 42
      "
    `);
  });

  it('lists requirements that were not judged with --verbose', () => {
    const [start, ...rest] = allWell();
    const notApplicable = [
      { id: id('test.contested'), reason: 'the server does not declare resources' },
      { id: id('test.may'), reason: 'the server does not declare resources' },
    ];
    const events = [start!, ...rest.map(e => (e.kind === 'revision-start' ? { ...e, notApplicable } : e))];
    expect(shown(events, { verbose: true })).toMatchInlineSnapshot(`
      "
      sample-server 1.0.0 · node my server.js · <revision> on stdio

      not tested · <revision> on stdio
        it did not occur in this run (1)
          test.may
      does not apply · <revision> on stdio
        the server does not declare resources (1)
          test.contested

      ✔ no violations · 3 of 4 requirements checked · <revision> on stdio
        5 requirements: 3 hold, 1 not tested, 1 does not apply
        3 checks · 1 case · 2 processes · 4.2 s · seed 42
        waited only for: mcp-conform itself 4.2 s (--profile shows all)
      "
    `);
  });

  it('does not call a run well in which none of the selected cases applies', () => {
    const selected = allWell()
      .filter(({ kind }) => kind !== 'case-start' && kind !== 'case-end')
      .map(e => (e.kind === 'run-start' ? { ...e, partial: true as const } : e));
    expect(shown(selected)).toContain('? none of the selected cases applies · ');
  });

  it('names other revisions to judge', () => {
    const events = allWell().map(e => (e.kind === 'revision-start' ? { ...e, offers: [older, latest] } : e));
    expect(shown(events)).toContain(
      '  not judged: <earlier!>, which your server offers too (--revision all)\n',
    );
  });

  it('says that a run of a client for one older revision asks for no other', () => {
    const events = allWell().map(e =>
      e.kind === 'run-start' ? { ...e, revision: older, role: 'client' as const } : e,
    );
    expect(shown(events).replace(/\s+/g, ' ')).toContain(
      'was asked for; without --revision, the newest revision that your client supports is judged',
    );
  });

  it.each([
    [['npx', '-y', 'a-client'], 71, 'the program that npx starts'],
    [['npx', 'tsx', 'client.ts'], 71, 'the code that tsx translates'],
    [['node_modules/.bin/tsx', 'client.ts'], 71, 'the code that tsx translates'],
    [['npx', '-y', 'a-client'], 2, undefined],
    [['node', 'client.js', 'tsx'], 71, undefined],
  ])('reports slow starts: %j, started %i times', (command, processesStarted, what) => {
    const events = run(
      0,
      [caseStart(1, 'server/x'), finding('test.must', 1, { verdict: 'pass' }), caseEnd(1)],
      {
        subject: { command, url: null },
      },
    ).map(e => (e.kind === 'run-end' ? { ...e, processesStarted } : e));
    const [, said] = /started 71 times: quicker when (.+? (?:starts|translates))/.exec(shown(events)) ?? [];
    expect(said).toBe(what);
  });

  it('says what was used of a server, what failed each time, and what was not used', () => {
    const named = ['convert', 'forecast', 'east', 'west', 'north', 'south', 'test_error', 'save', 'drop'];
    const listed = named.map(name => ({ name }));
    const call = (seq: number, name: string, result: object) => [
      frame(seq, seq, 'client', JSON.stringify({ id: seq, method: 'tools/call', params: { name } })),
      frame(seq + 1, seq + 1, 'server', JSON.stringify({ id: seq, result })),
    ];
    const failed = { isError: true, content: [{ type: 'text', text: 'Output validation\nerror' }] };
    const lost = (name: string) => ({
      isError: true,
      content: [{ type: 'text', text: `${name} is lost` }],
    });
    const events = run(0, [
      wire(1, 0, { kind: 'open', transport: 'stdio', revision: latest, argv: ['x'] }),
      frame(2, 1, 'client', '{"id":1,"method":"tools/list"}'),
      frame(3, 1, 'server', JSON.stringify({ id: 1, result: { tools: listed } })),
      ...call(10, 'convert', {}),
      ...call(20, 'forecast', failed),
      ...call(30, 'forecast', failed),
      ...['east', 'west', 'north', 'south'].flatMap((name, n) => call(32 + 2 * n, name, lost(name))),
      ...call(40, 'test_error', failed),
      ...call(50, 'unknown', failed),
      wire(60, 60, {
        kind: 'frame',
        by: 'client',
        text: '{"id":60,"method":"tools/call","params":{"name":"save"}}',
        deliberate: true,
      }),
      finding('test.must', 0, { verdict: 'pass' }),
    ]);
    expect(shown(events)).toMatchInlineSnapshot(`
      "
      sample-server 1.0.0 · node my server.js · <revision> on stdio

      ✔ no violations · 1 of 4 requirements checked · <revision> on stdio
        4 requirements: 1 holds, 3 not tested (--verbose says why)
        used: 7 of 9 tools
        tool forecast failed in all 2 uses: isError "Output validation error"
        4 tools failed in each use (east, west, north, 1 more): isError "… is lost"
        tools not used (not marked readOnlyHint; see --call-tools all): save, drop
        1 check · 0 cases · 2 processes · 4.2 s · seed 42
      "
    `);
  });

  it('shows errors that begin alike as one, and the most frequent kinds of errors', () => {
    const errors = [
      ['convert', 'There appears to be a problem with your configuration, and with your host.'],
      ['forecast', 'There appears to be a problem with your configuration, and with your token.'],
      ...['east', 'west', 'north', 'south', 'up'].map((name, n) => [name, `Error number ${n}`]),
    ] as const;
    const call = (seq: number, name: string, text: string) => [
      frame(seq, seq, 'client', JSON.stringify({ id: seq, method: 'tools/call', params: { name } })),
      frame(
        seq + 1,
        seq + 1,
        'server',
        JSON.stringify({ id: seq, result: { isError: true, content: [{ type: 'text', text }] } }),
      ),
    ];
    const events = run(0, [
      wire(1, 0, { kind: 'open', transport: 'stdio', revision: latest, argv: ['x'] }),
      frame(2, 1, 'client', '{"id":1,"method":"tools/list"}'),
      frame(3, 1, 'server', JSON.stringify({ id: 1, result: { tools: errors.map(([name]) => ({ name })) } })),
      ...errors.flatMap(([name, text], n) => call(10 + 2 * n, name, text)),
      finding('test.must', 0, { verdict: 'pass' }),
    ]);
    const usage = (text: string) => text.split('\n').filter(line => line.includes('failed'));
    expect(usage(shown(events))).toMatchInlineSnapshot(`
      [
        "  2 tools failed in each use (convert, forecast): isError "There appears to be a",
        "  tool east failed in its only use: isError "Error number 0"",
        "  tool west failed in its only use: isError "Error number 1"",
        "  tool north failed in its only use: isError "Error number 2"",
        "  2 more tools failed in each use (--verbose)",
      ]
    `);
    expect(usage(shown(events, { verbose: true }))).toHaveLength(7);
  });

  it('is one line with --quiet', () => {
    expect(shown(allWell(), { quiet: true, isTTY: true })).toBe(
      '\n✔ no violations · 3 of 4 requirements checked · <revision> on stdio\n',
    );
  });

  it('is the same with colours', () => {
    const colored = shown(oneViolation(), { color: true });
    expect(colored).toContain(`${ESC}[31m✗ violation${ESC}[39m`);
    expect(colored.replace(noPersonSees, '')).toBe(shown(oneViolation()));
  });
});

describe('the console, with failures', () => {
  it('reports generated values in one line if the requirement also fails without them', () => {
    const again = generatedViolation({ path: null }).flatMap(e =>
      e.kind === 'finding' && e.finding.counterexample ? [{ ...e, finding: { ...e.finding, case: 2 } }] : [],
    );
    const generated = [caseStart(2, 'server/generated/x'), ...again, caseEnd(2)];
    const text = shown(oneViolation().flatMap(e => (e.kind === 'case-end' ? [e, ...generated] : [e])));
    expect(text).not.toContain('Generated');
    expect(text).toContain('  also in 1 other test case: server/generated/x\n');
    expect(text.match(/Reproduce/g)).toHaveLength(1);
  });

  it('reports a failure completely', () => {
    expect(shown(oneViolation())).toMatchInlineSnapshot(`
      "
      sample-server 1.0.0 · node my server.js · <revision> on stdio

      ✗ violation   test.must   MUST · <revision> · stdio
        A call to a tool that does not exist is answered with an error.
        https://modelcontextprotocol.io/specification/<revision>/server/tools#error-handling
        Expected  error -32602 or error -32601
          Actual  result {"content":[]}
          12  +0.000s  →  {"id":3,"method":"tools/call","params":{"name":"no-such-tool"}}
          13  +0.004s  ←  {"id":3,"result":{"content":[]}}
       Reproduce  mcp-conform server --run <revision>/stdio/server/tools/call-unknown-name --seed 42 -- node 'my server.js'

      ✗ 1 violation · 2 of 4 requirements checked
        4 requirements: 1 holds, 1 violated, 2 not tested (--verbose says why)
        2 checks · 1 case · 2 processes · 4.2 s · seed 42
            Next  mcp-conform explain test.must
      "
    `);
  });

  it('reports the same events once for several requirements, with the most complete group', () => {
    const fails = (name: string, number: number, evidence: number[], actual = 'a call') =>
      finding(name, number, { verdict: 'fail', expected: ['silence'], actual, evidence });
    const of = (...findings: RunEvent[]) =>
      shown(
        run(1, [
          caseStart(1, 'server/x'),
          caseStart(2, 'server/y'),
          frame(1, 0, 'client', '{"id":1}'),
          frame(2, 1, 'client', '{"id":2}'),
          ...findings,
          caseEnd(1),
          caseEnd(2),
        ]),
      );
    const both = of(
      fails('test.must', 1, [1]),
      fails('test.other-must', 1, [1]),
      fails('test.other-must', 2, [2]),
    );
    expect(both.match(/✗ violation {3}\S+/g)).toEqual(['✗ violation   test.other-must']);
    expect(both).toContain('      Also  test.must   A call to a tool that does not exist');
    expect(both).toContain('Next  mcp-conform explain test.other-must\n');
    expect(both).toContain('✗ 2 violations from 1 cause · 2 of 4 requirements checked\n');
    for (const apart of [fails('test.must', 1, [1], 'a word'), fails('test.must', 1, [3])])
      expect(of(apart, fails('test.other-must', 1, [1]))).not.toContain('Also');
  });

  it('shows the generated value that caused the failure, and the command that reproduces it', () => {
    const lines = (counterexample: object) =>
      shown(generatedViolation(counterexample))
        .split('\n')
        .filter(line => /Generated|Reproduce/.test(line))
        .map(line => line.trim().replace(/ --run \S+/, ''));
    expect(lines({ label: '/name: null' })).toEqual([
      'Generated  {"name":"\\u{202e}no-such-tool","id":2147483648} (/name: null)',
      "Reproduce  mcp-conform server --seed 42 --path 3:0:1 -- node 'my server.js'",
    ]);
    expect(lines({ path: null, label: null, value: [1] })).toEqual([
      'Generated  [1] (not shrunk)',
      "Reproduce  mcp-conform server --seed 42 -- node 'my server.js'",
    ]);
  });

  const cases = (n: number) => Array.from({ length: n }, (_, i) => i + 1);
  const many = () =>
    run(4, [
      ...cases(9).map(n => caseStart(n, `server/tools/case-${n}`)),
      frame(1, 0, 'client', '{"id":1}'),
      wire(2, 4000, { kind: 'deadline', label: 'answer', ms: 4000, request: 1 }),
      wire(3, 4001, { kind: 'stderr', text: 'one\ntwo\n' }),
      wire(4, 4002, { kind: 'exit', code: 1, signal: null }),
      finding('test.may', 1, { verdict: 'fail', expected: ['progress'], actual: 'none' }),
      ...cases(9).map(n =>
        finding('test.should', n, {
          verdict: 'fail',
          expected: ['error -32602'],
          actual: `error -3260${n} "${n}"`,
        }),
      ),
      finding('test.contested', 2, { verdict: 'error', message: 'TypeError: x\n    at y' }),
      finding('test.other-must', 2, {
        verdict: 'fail',
        expected: ['silence'],
        actual: 'a'.repeat(100),
        evidence: [1, 2, 3, 4],
      }),
      finding('test.other-must', 2, {
        verdict: 'fail',
        expected: ['silence'],
        actual: 'a'.repeat(100),
        evidence: [1],
      }),
      finding('test.must', 3, { verdict: 'fail', expected: ['silence'] }, 'issue 7'),
      finding('test.must', 3, { verdict: 'inconclusive', message: 'no reply' }),
    ]);

  it('sorts by importance, groups similar findings, shortens notes', () => {
    expect(afterProgress(shown(many(), { isTTY: true }))).toMatchInlineSnapshot(`
      "
      sample-server 1.0.0 · node my server.js · <revision> on stdio

      ✗ violation   test.other-must   MUST NOT · <revision> · stdio
        A server sends nothing after it was told to stop, and says so in one sentence
        that is longer than a line.
        https://modelcontextprotocol.io/specification/<revision>/server/tools#error-handling
        Expected  silence
          Actual  aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa
                  aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa
           1  +0.000s  →  {"id":1}
           2  +4.000s  ·  no response to request 1 within 4 s
           3  +4.001s  ·  stderr: one
                          stderr: two
           4  +4.002s  ·  exited with code 1
        2 times in this test case
       Reproduce  mcp-conform server --run <revision>/stdio/server/tools/case-2 --seed 42 -- node 'my server.js'

      ‼ error   test.contested   MUST · <revision> · stdio
        The text is silent here.
        https://modelcontextprotocol.io/specification/<revision>/server/tools#error-handling
          Detail  TypeError: x
                  at y
       Reproduce  mcp-conform server --run <revision>/stdio/server/tools/case-2 --seed 42 -- node 'my server.js'

      ! warning   test.should   SHOULD · <revision>
        The error has the code for invalid params.
        Expected  error -32602
          Actual  error -32601 "1"
       Reproduce  mcp-conform server --run <revision>/stdio/server/tools/case-1 --seed 42 -- node 'my server.js'

      · note: test.may

      ✗ 1 violation, 1 defect of mcp-conform, 1 warning · 5 of 5 requirements checked
        5 requirements: 1 violated, 1 with a defect of mcp-conform, 1 warning, 1 note,
          1 known to fail
        15 checks · 9 cases · 2 processes · 4.2 s · seed 42
            Next  an error is a defect of mcp-conform: report it with the file of
                  --reporter jsonl=run.jsonl
      "
    `);
  });

  it('shows failures that differ only in ids of sessions as one kind', () => {
    const ids = [
      ['4c22a9f0-1d2e-4abc-9f00-aabbccddeeff', 'b7e1d1aa-77f3-4d1d-8c0e-0123456789ab'],
      ['q7Zt0xKp-3VbNw9LrYcE2g', 'Xa_81mQdTzv4HuPoJ6sRbA'],
    ];
    for (const [one, other] of ids as [string, string][]) {
      const expected = (id: string) => ({ verdict: 'fail' as const, expected: [`Mcp-Session-Id: ${id}`] });
      const events = run(1, [
        ...cases(2).map(n => caseStart(n, `server/case-${n}`)),
        finding('test.must', 1, expected(one)),
        finding('test.must', 2, expected(other)),
      ]);
      expect(shown(events).match(/Expected/g)).toHaveLength(1);
    }
  });

  it('shows the first variant of the failures of one requirement', () => {
    const kinds = ['a', 'b', 'c', 'd', 'e'];
    const events = run(1, [
      ...cases(5).map(n => caseStart(n, `server/case-${n}`)),
      ...kinds.map((kind, i) =>
        finding('test.must', i + 1, { verdict: 'fail', expected: ['x'], actual: kind }),
      ),
      finding('test.must', 4, { verdict: 'fail', expected: ['x'], actual: 'e' }),
    ]);
    expect(shown(events)).toMatchInlineSnapshot(`
      "
      sample-server 1.0.0 · node my server.js · <revision> on stdio

      ✗ violation   test.must   MUST · <revision> · stdio
        A call to a tool that does not exist is answered with an error.
        https://modelcontextprotocol.io/specification/<revision>/server/tools#error-handling
        Expected  x
          Actual  a
        4 more variants (--verbose)
       Reproduce  mcp-conform server --run <revision>/stdio/server/case-1 --seed 42 -- node 'my server.js'

      ✗ 1 violation · 1 of 4 requirements checked
        4 requirements: 1 violated, 3 not tested (--verbose says why)
        6 checks · 5 cases · 2 processes · 4.2 s · seed 42
            Next  mcp-conform explain test.must
      "
    `);
    expect(shown(events, { verbose: true })).toContain(
      '    Actual  e\n  also in 1 other test case: server/case-4\n',
    );
  });

  it('leaves out a first attempt that was inconclusive where the case was run again and fails', () => {
    const text = shown(
      run(1, [
        caseStart(1, 'server/case-1'),
        caseStart(2, 'server/case-2'),
        finding('test.must', 1, { verdict: 'inconclusive', message: 'the process ended' }),
        finding('test.must', 1, { verdict: 'fail', expected: ['x'], actual: 'a' }),
        finding('test.other-must', 2, { verdict: 'inconclusive', message: 'the process ended' }),
      ]),
      { verbose: true },
    );
    expect(text).toContain('✗ violation   test.must');
    expect(text).not.toContain('? inconclusive   test.must');
    expect(text).toContain('? inconclusive   test.other-must');
  });

  const warnings = (n: number) =>
    cases(n).map(i => finding('test.should', i, { verdict: 'fail', expected: ['x'], actual: `${i}` }));

  it('begins with a table where several findings are told, and leaves out what is too long', () => {
    const rows = ['test.must', 'test.other-must', 'test.contested'] as const;
    const violations = rows
      .slice(0, 2)
      .map((row, i) =>
        finding(row, i + 1, { verdict: 'fail', expected: ['x'], actual: 'a\\n  b', evidence: [i + 1] }),
      );
    const text = (events: number) =>
      shown(
        run(1, [
          ...cases(9).map(n => caseStart(n, `server/case-${n}`)),
          ...cases(events).map(n => wire(n + 10, n, { kind: 'stderr', text: 'x\n' })),
          ...violations,
          finding('test.must', 1, {
            verdict: 'fail',
            expected: ['x'],
            actual: 'a\\n  b',
            evidence: cases(events).map(n => n + 10),
          }),
          ...warnings(1),
        ]),
      );
    expect(text(1)).toContain('! warning   test.should   SHOULD');
    expect(text(1)).not.toContain('\n✗ test.must');
    const many = shown(
      run(1, [
        ...cases(9).map(n => caseStart(n, `server/case-${n}`)),
        ...violations,
        finding('test.contested', 3, { verdict: 'error', message: Array(60).fill('at x').join('\n') }),
        ...warnings(2),
      ]),
    );
    expect(many).toContain('\n✗ test.must        a b\n✗ test.other-must  a b\n‼ test.contested   at x');
    expect(many).toContain('\n! test.should      1  2 cases\n');
    expect(many).not.toContain('! warning');
  });

  it('shows the method and the members of a long message, over at most three lines of a terminal', () => {
    const params = { name: 'x'.repeat(500), arguments: { list: Array(50).fill('item') }, cursor: 'made-up' };
    const long = JSON.stringify({ jsonrpc: '2.0', id: 37, method: 'tools/list', params });
    const events = run(1, [
      caseStart(1, 'server/x'),
      frame(1, 0, 'client', long),
      finding('test.must', 1, { verdict: 'fail', expected: ['x'], evidence: [1] }),
    ]);
    for (const columns of [60, 100]) {
      const lines = afterProgress(shown(events, { isTTY: true, columns })).split('\n');
      const at = lines.findIndex(line => line.includes('→'));
      const message = lines.slice(
        at,
        lines.findIndex(line => line.includes('Reproduce')),
      );
      expect(message.length).toBeLessThanOrEqual(3);
      expect(message.join('').replace(/\s+/g, '')).toMatch(
        /\{"id":37,"method":"tools\/list","params":\{"name":"x+…","arguments":.*"cursor":"made-up"/,
      );
    }
  });

  it('shows usual headers only where the finding names them', () => {
    const headers: [string, string][] = [
      ['Accept', 'text/event-stream'],
      ['X-Powered-By', 'Express'],
      ['Origin', 'http://evil.example'],
    ];
    const request = { kind: 'http-request', method: 'GET', url: 'http://h:1/mcp?a', headers } as const;
    const text = (expected: string) =>
      shown(
        run(
          1,
          [
            caseStart(1, 'server/x'),
            wire(1, 0, { ...request, exchange: 5 }),
            finding('test.must', 1, { verdict: 'fail', expected: [expected], evidence: [1] }),
          ],
          { subject: { command: null, url: 'http://h:1/mcp' } },
        ),
      );
    expect(text('status 403')).toContain('·  #5 GET /mcp?a  Origin: http://evil.example\n');
    expect(text('a refusal of the Accept header')).toContain('#5 GET /mcp?a  Accept: text/event-stream');
  });

  it('reports everything with --verbose', () => {
    const text = shown(many(), { verbose: true });
    expect(text).toContain('server/tools/case-7, server/tools/case-8, server/tools/case-9\n');
    expect(text).toContain('~ known   test.must   MUST');
    expect(text).toContain('     Known  issue 7\n');
    expect(text).toContain('? inconclusive   test.must   MUST');
    expect(text).toContain('· note   test.may   MAY');
  });

  it('shows inconclusive results under --fixtures', () => {
    const unclear = finding('test.must', 1, { verdict: 'inconclusive', message: 'no tool test_x' });
    const events = run(3, [caseStart(1, 'server/x'), unclear, caseEnd(1)], { fixtures: true });
    expect(shown(events)).toContain('\n? inconclusive   test.must   no tool test_x\n');
    expect(shown(events)).toContain(
      '\n? 1 requirement stayed inconclusive · 0 of 4 requirements checked · <revision> on stdio\n',
    );
  });

  it.each([
    [
      'a warning',
      [finding('test.should', 0, { verdict: 'fail' })],
      {},
      '✔ no violations · 1 of 4 requirements checked · 1 warning · <revision> on stdio',
    ],
    [
      'a warning under --strict',
      [finding('test.should', 0, { verdict: 'fail' })],
      { strict: true },
      '✗ 1 warning · 1 of 4 requirements checked',
    ],
    [
      'a known failure',
      [finding('test.must', 0, { verdict: 'fail' }, 'why')],
      {},
      '✔ no new failures (1 known) · 1 of 4 requirements checked · <revision> on stdio',
    ],
    [
      'few judged requirements',
      [finding('test.must', 0, { verdict: 'pass' })],
      { minJudged: '50%' },
      '✔ no violations · 1 of 4 requirements checked · <revision> on stdio\n? only 1 of 4 requirements checked (25%), fewer than --min-judged 50%',
    ],
    ['nothing', [], {}, '? nothing was judged · <revision> on stdio'],
  ])('has a verdict on %s', (_, findings, start, verdict) => {
    expect(shown(run(0, findings, start), { quiet: true })).toBe(`\n${verdict}\n`);
  });

  it('has a verdict for each revision', () => {
    const events = [
      runStart(),
      revisionStart({ offers: [latest, older] }),
      finding('test.must', 0, { verdict: 'fail', expected: ['x'] }),
      revisionEnd(),
      revisionStart({ revision: older, offers: [latest, older] }),
      finding('test.must', 0, { verdict: 'pass' }),
      revisionEnd(older),
      runEnd(1, { stale: ['line 3: a#b no longer fails; delete it'] }),
    ];
    expect(shown(events)).toMatchInlineSnapshot(`
      "
      sample-server 1.0.0 · node my server.js · <revision>, <earlier!> on stdio

      ✗ violation   test.must   MUST · <revision> · stdio
        A call to a tool that does not exist is answered with an error.
        https://modelcontextprotocol.io/specification/<revision>/server/tools#error-handling
        Expected  x
       Reproduce  mcp-conform server --seed 42 -- node 'my server.js'

      stale: line 3: a#b no longer fails; delete it

      ✗ 1 violation · 1 of 4 requirements checked · <revision> on stdio
      ✔ no violations · 1 of 4 requirements checked · <earlier!> on stdio
      ✗ 1 stale line in the known-failing file
        8 requirements: 1 holds, 1 violated, 6 not tested (--verbose says why)
        2 checks · 0 cases · 2 processes · 4.2 s · seed 42
            Next  mcp-conform explain test.must
      "
    `);
  });
});

describe('the console, when nothing was judged', () => {
  const unjudged = (details: string[]) => [
    runStart(),
    wire(1, 1, { kind: 'stderr', text: 'Error: Cannot find module\n    at x' }),
    runEnd(3, {
      unjudged: { reason: 'The server exited with code 1 before it answered initialize.', details },
    }),
  ];

  it('shows the reason, the command, the directory, and the last output', () => {
    expect(shown(unjudged([]))).toMatchInlineSnapshot(`
      "
      ✗ could not judge
        The server exited with code 1 before it answered initialize.
         Command  node 'my server.js'
       Directory  /home/me/server
        stderr: Error: Cannot find module
      "
    `);
  });

  it('does not repeat output quoted in the details', () => {
    const text = shown(unjudged(['stderr: Error: Cannot find module']));
    expect(text).toBe(shown(unjudged([])));
  });

  it('is one line with --quiet', () => {
    expect(shown(unjudged([]), { quiet: true })).toBe(
      '\n✗ could not judge: The server exited with code 1 before it answered initialize.\n',
    );
  });
});

describe('the progress line', () => {
  it('is rewritten in place and erased at the end', () => {
    const text = written(consoleReporter, allWell(), { isTTY: true });
    expect(text.startsWith(`\r${ESC}[2Kstarting    0 ms  <revision>/stdio/probe`)).toBe(true);
    expect(afterProgress(text)).toBe(shown(allWell()));
  });

  /** Ten seconds of a run, with an event at every opportunity. */
  function progress(isTTY: boolean, columns: number): string[] {
    vi.useFakeTimers();
    const said: string[] = [];
    const line = new Progress({
      out: { write: text => said.push(text) },
      columns,
      isTTY,
      color: false,
      count: grade => (grade === 'violation' ? 1 : 2),
      now: Date.now,
    });
    line.start(0, 'x/stdio/probe');
    line.plan(120, 'x/stdio');
    line.start(1, 'x/stdio/server/lifecycle/a-case-with-a-long-name');
    line.start(2, 'x/stdio/server/b');
    line.end(2);
    vi.advanceTimersByTime(31_000);
    line.stop();
    vi.useRealTimers();
    return said.map(text => text.replace(`\r${ESC}[2K`, ''));
  }

  it('names the longest running case and its duration, within the available columns', () => {
    expect(progress(true, 120).at(-2)).toBe(
      '┄┄┄┄┄┄┄┄┄┄┄┄┄┄┄┄    1/120    31 s  1 violation  2 warnings  server/lifecycle/a-case-with-a-long-name 31 s  x stdio',
    );
    expect(progress(true, 80).at(-2)).toBe(
      '  1/120    31 s  1 violation  2 warnings  server/lifecycle/a-case-with-a-long-…',
    );
    for (const columns of [20, 40, 80])
      for (const line of progress(true, columns)) expect(line.length).toBeLessThan(columns);
  });

  it('is a new line from time to time where rewriting is impossible', () => {
    expect(progress(false, 80)).toEqual([
      '… 1 of 120 cases, 15 s, 1 violation, 2 warnings, server/lifecycle/a-case-with-a-long-name 15 s, x stdio\n',
      '… 1 of 120 cases, 30 s, 1 violation, 2 warnings, server/lifecycle/a-case-with-a-long-name 30 s, x stdio\n',
    ]);
  });

  it('is erased when the run is aborted', () => {
    const text = written(consoleReporter, allWell().slice(0, -1), { isTTY: true });
    expect(text.endsWith(`\r${ESC}[2KThe run stopped before its end; no report was written.\n`)).toBe(true);
  });
});

describe('an attack by text', () => {
  const attack = `${ESC}[2J${ESC}]0;owned\x07\x9b31m\r\n✔ conforms\u202e\u200b\u{e0041}`;
  const events = () => [
    runStart({ subject: { command: ['node', attack], url: attack, cwd: attack } }),
    revisionStart({
      info: { name: attack, version: attack },
      notApplicable: [{ id: id('test.may'), reason: attack }],
    }),
    caseStart(1, `server/${attack}`),
    frame(1, 0, 'server', attack + 'x'.repeat(5000) + attack),
    wire(2, 1, { kind: 'stderr', text: attack }),
    wire(3, 1, { kind: 'open', transport: 'stdio', revision: latest, argv: ['node', attack] }),
    wire(4, 1, { kind: 'deadline', label: 'answer', ms: 1, request: attack }),
    finding('test.must', 1, {
      verdict: 'fail',
      expected: [attack],
      actual: attack,
      message: attack,
      evidence: [1, 2, 3, 4],
    }),
    finding('test.must', 0, { verdict: 'fail', expected: [attack], actual: attack }),
    finding('test.should', 1, { verdict: 'inconclusive', message: attack }),
    finding('test.may', 1, { verdict: 'fail', message: attack }),
    finding('test.contested', 1, { verdict: 'fail' }, attack),
    runEnd(1, { stale: [attack], unjudged: { reason: attack, details: [attack] } }),
  ];

  it.each([
    { isTTY: true, color: true, verbose: true },
    { isTTY: true, color: true, verbose: false },
    { isTTY: false, quiet: true },
  ])('has no effect on terminals: %j', options => {
    const ours = [noPersonSees, new RegExp(`\\r${ESC}\\[2K`, 'g')];
    const text = ours.reduce((t, sequence) => t.replace(sequence, ''), shown(events(), options));
    expect(text).not.toMatch(/[^\n\P{Cc}]|\p{Cf}/u);
    expect(text).not.toMatch(/^\s{0,8}✔ conforms/m);
  });

  it('is shown', () => {
    expect(shown(events())).toContain(
      String.raw`·  started node \x1b[2J\x1b]0;owned\x07\x9b31m\x0d\x0a✔ conforms\u{202e}\u{200b}\u{e0041}`,
    );
  });
});
