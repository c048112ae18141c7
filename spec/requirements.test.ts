import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import {
  compileRequirements,
  isOneSentence,
  parseClause,
  readAllRows,
  readExtensionRows,
  readRows,
  type SourceRow,
  toRow,
} from './compile-requirements.js';
import { type Extension, extensions } from './extensions/index.js';
import { basisIn, clauseIn, clauseUrl, type Requirement, requirement, requirements } from './requirement.js';
import { type RevisionId, revisionIds } from './revisions.js';
import {
  type Exception,
  findKeywords,
  readExtensionPages,
  readPages,
  sections,
  slug,
  table,
  verify,
} from './verify.js';

const rows = readRows();
const clausesOf = (row: SourceRow) => Object.entries(row.clauses) as [RevisionId, { place: string }][];

describe('the rows', () => {
  it('are more than 1000, with ids that are unique and well-formed', () => {
    expect(rows.length).toBeGreaterThan(1000);
    expect(new Set(rows.map(row => row.id)).size).toBe(rows.length);
    for (const { id } of rows) expect(id).toMatch(/^[a-z0-9-]+\.[a-z0-9-]+$/);
  });

  it('have clauses of known revisions only, each with page and line', () => {
    for (const row of rows) {
      expect(Object.keys(row.clauses).length, row.id).toBeGreaterThan(0);
      for (const [revision, clause] of clausesOf(row)) {
        expect(revisionIds, row.id).toContain(revision);
        expect(clause.place, row.id).toMatch(/^[a-z][a-z0-9/-]*(#[\w-]+)?$/);
      }
      for (const clause of Object.values(row.clauses))
        for (const citation of clause.citations) expect(citation.lines.length, row.id).toBeGreaterThan(0);
    }
  });

  it('state one sentence, and either how they are judged or why they are not', () => {
    for (const row of rows) {
      expect(isOneSentence(row.says), `${row.id}: ${row.says}`).toBe(true);
      const isJudged = row.judging !== undefined || row.breaches !== undefined;
      expect(isJudged, row.id).toBe(typeof row.unjudged !== 'string');
    }
  });

  it('need no capability where the declaration itself is judged', () => {
    const declarations = rows.filter(row => row.id.endsWith('.capability-declared'));
    expect(declarations.length).toBeGreaterThan(7);
    for (const row of declarations) expect(row.needs, row.id).toBeUndefined();
  });

  it('quote the words because of which a MUST yields less: in contested, or in a comment beside the basis', () => {
    const here = new URL('./', import.meta.url);
    const files = readdirSync(here, { recursive: true, encoding: 'utf8' });
    const text = files
      .filter(name => /requirements[\\/][^\\/]*\.yaml$|requirements\.yaml$/.test(name))
      .map(name => readFileSync(new URL(name.replaceAll('\\', '/'), here), 'utf8'))
      .join('\n');
    const sources = new Map(
      text.split(/^(?=- id: )/m).map(source => [/^- id: (\S+)/.exec(source)?.[1], source]),
    );
    const reason = ({ id, contested }: Requirement): string =>
      contested ?? /^ {2,4}[a-z0-9-]+: prose #.*$/m.exec(sources.get(id) ?? '')?.[0] ?? '';
    const less = [...requirements().values()].filter(
      row =>
        row.contested !== 'The extension is a draft.' &&
        revisionIds.some(
          revision =>
            clauseIn(row, revision)?.level.startsWith('MUST') &&
            (row.contested !== undefined || basisIn(row, revision) === 'prose'),
        ),
    );
    expect(less.length).toBeGreaterThan(50);
    const silent = less.filter(row => !(typeof row.unjudged === 'string' ? /./ : /".+"/).test(reason(row)));
    expect(silent.map(({ id }) => id)).toEqual([]);
  });

  it('are compiled: "npm run spec" produces no change', () => {
    expect(() => compileRequirements({ check: true })).not.toThrow();
    expect(requirements().size).toBe(readAllRows().length);
  });
});

describe('the rows of extensions', () => {
  const extension = extensions.find(({ id }) => id === 'tasks/2026-07-28')!;
  const url = (revision: RevisionId) => {
    const row = requirements().get('ext-tasks.get-returns-task')!;
    return clauseUrl(revision, row.clauses[revision]!);
  };

  it('have clauses of the revisions of their extension, need it, and link to its repository', () => {
    for (const each of extensions)
      for (const row of readExtensionRows(each)) {
        expect(each.revisions).toEqual(expect.arrayContaining(Object.keys(row.clauses)));
        expect(row.needs).toContain(each.identifier);
      }
    expect(url('2026-07-28')).toMatch(
      /^https:\/\/github\.com\/modelcontextprotocol\/ext-tasks\/blob\/[0-9a-f]{40}\/specification\/2026-07-28\/tasks\.md#response$/,
    );
  });

  it('cannot be used with other revisions, nor without naming the extension', () => {
    const older: Extension = { ...extension, identifier: 'com.example/other', revisions: ['2025-11-25'] };
    expect(() => readExtensionRows(older)).toThrow(
      /ext-tasks\.only-if-declared: needs is .*, not extensions\/com\.example\/other\n.*a clause of 2026-07-28/,
    );
  });

  it('of a draft yield notes only', () => {
    for (const row of readExtensionRows({ ...extension, status: 'draft' }))
      expect(row.contested, row.id).toBeDefined();
  });

  it('are verified in a folder with the repositories', () => {
    expect(() => readExtensionPages(extension, '/nowhere')).toThrow(
      'check out modelcontextprotocol/ext-tasks at fb36f400',
    );
  });
});

describe('the form of a row', () => {
  const good = {
    id: 'tools.good',
    binds: 'server',
    says: 'A server is good.',
    clauses: { '2025-11-25': 'MUST server/tools#capabilities L38' },
    judging: 'A bad server.',
  };
  const problems = (change: Record<string, unknown>) => {
    const found: string[] = [];
    toRow({ ...good, ...change }, 'tools.yaml', problem => found.push(problem));
    return found;
  };

  it.each([
    ['nothing', {}, []],
    ['an unknown field', { observable: 'wire' }, ['there is no field "observable"']],
    ['a malformed id', { id: 'tools.Good' }, ['the id is not <area>.<kebab>']],
    ['an unknown party', { binds: 'sender' }, [expect.stringContaining('binds is "sender"')]],
    ['a malformed capability', { needs: 'our:tools' }, ['needs is "our:tools", not a dotted path']],
    ['an extension', { needs: 'client:extensions/com.example/a-b' }, []],
    ['an unknown transport', { over: ['http'] }, [expect.stringContaining('over is "http"')]],
    ['two sentences', { says: 'A server is good. It must be.' }, ['says is not one sentence']],
    [
      'judging and unjudged',
      { unjudged: 'No.' },
      ['exactly one of judging and unjudged is needed; breaches may stand for judging'],
    ],
    [
      'a facet without text',
      { breaches: { late: '' } },
      ['breaches: late is not text, is and unproven, or (legal) is and by: reference'],
    ],
    [
      'a breach by the references',
      { breaches: { late: { is: 'It.', by: 'reference' } } },
      ['breaches: late is not text, is and unproven, or (legal) is and by: reference'],
    ],
    [
      'a name of a facet',
      { legal: { 'Too Late': 'It.' } },
      ['legal: "Too Late" is not a name like over-http'],
    ],
    [
      'neither',
      { judging: undefined },
      ['exactly one of judging and unjudged is needed; breaches may stand for judging'],
    ],
    ['no clauses', { clauses: {} }, ['no clauses']],
    [
      'an unknown revision',
      { clauses: { '2025-01-01': 'MUST a L1' } },
      [expect.stringContaining('2025-01-01')],
    ],
    [
      'an unknown level',
      { clauses: { '2025-11-25': 'OUGHT a L1' } },
      [expect.stringContaining('OUGHT'), 'no clauses'],
    ],
    ['an unknown basis', { basis: 'hearsay' }, [expect.stringContaining('basis is "hearsay"')]],
    [
      'a basis without clause',
      { basis: { '2025-03-26': 'prose' } },
      [expect.stringContaining('has no clause')],
    ],
    ['a linked basis without document', { basis: 'linked' }, ['basis is linked, but see names no document']],
    ['a document without basis', { see: 'RFC 1' }, ['see names a document, but there is no basis']],
  ])('reports %s', (_, change, expected) => expect(problems(change)).toEqual(expected));

  it('splits a clause into level, place and cited lines', () => {
    expect(parseClause('SHOULD NOT server/tools#error-handling L12-L14 L20; schema#Tool L3')).toEqual({
      level: 'SHOULD NOT',
      place: 'server/tools#error-handling',
      citations: [
        {
          place: 'server/tools#error-handling',
          lines: [
            [12, 14],
            [20, 20],
          ],
        },
        { place: 'schema#Tool', lines: [[3, 3]] },
      ],
    });
    expect(parseClause('MUST basic/transports#stdio L1; basic/transports#streamable-http L2')).toMatchObject({
      place: 'basic/transports#stdio',
      placeOverHttp: 'basic/transports#streamable-http',
    });
    expect(parseClause('MUST server/tools.mdx#x L1')).toBeUndefined();
    expect(parseClause('MUST')).toBeUndefined();
  });
});

describe('lookups', () => {
  const row = {
    id: 'tools.unknown-tool-code',
    binds: 'server',
    says: 'x.',
    clauses: { '2025-11-25': { level: 'MUST', place: 'server/tools#error-handling' } },
    basis: { '2025-11-25': 'prose' },
  } as Requirement;

  it('give the clause and basis in force', () => {
    expect(clauseIn(row, '2025-11-25')?.level).toBe('MUST');
    expect(clauseIn(row, '2024-11-05')).toBeUndefined();
    expect(basisIn(row, '2025-11-25')).toBe('prose');
    expect(basisIn(row, '2024-11-05')).toBeUndefined();
    expect(basisIn({ ...row, basis: 'schema' }, '2024-11-05')).toBe('schema');
    expect(() => requirement('tools.nonsense' as never)).toThrow(
      'No requirement has the id "tools.nonsense".',
    );
  });

  const site = 'https://modelcontextprotocol.io/specification';
  it.each([
    ['2025-11-25', 'server/tools#error-handling', `${site}/2025-11-25/server/tools#error-handling`],
    ['2025-11-25', 'basic/index#meta', `${site}/2025-11-25/basic#meta`],
    ['2025-11-25', 'basic/lifecycle', `${site}/2025-11-25/basic/lifecycle`],
    ['2025-11-25', 'index#implementation-guidelines', `${site}/2025-11-25#implementation-guidelines`],
    ['2025-11-25', 'schema#CallToolResult', `${site}/2025-11-25/schema#calltoolresult`],
    ['2026-07-28', 'basic/authorization/index', `${site}/2026-07-28/basic/authorization`],
    [
      '2024-11-05',
      'schema#CallToolResult',
      'https://github.com/modelcontextprotocol/modelcontextprotocol/blob/main/schema/2024-11-05/schema.ts',
    ],
  ] as const)('link %s %s', (revision, place, url) =>
    expect(clauseUrl(revision, { level: 'MUST', place })).toBe(url),
  );

  it('link the section about the transport of a conversation', () => {
    const clause = clauseIn(requirement('batch.not-allowed'), '2025-11-25')!;
    expect(clauseUrl('2025-11-25', clause, 'stdio')).toMatch(/#stdio$/);
    expect(clauseUrl('2025-11-25', clause, 'streamable-http')).toMatch(/#sending-messages-to-the-server$/);
  });
});

describe('findKeywords', () => {
  const found = (text: string, types = false) =>
    findKeywords(text, types).map(
      ({ level, line, endLine }) => `${level} ${line}${endLine > line ? `-${endLine}` : ''}`,
    );

  it('finds bold and plain capitals, and their synonyms', () => {
    expect(found('It **MUST** and it SHOULD\nbut **MUST NOT**, and **SHALL** be REQUIRED')).toEqual([
      'MUST 1',
      'SHOULD 1',
      'MUST NOT 2',
      'MUST 2',
      'MUST 2',
    ]);
    expect(found('is **NOT RECOMMENDED**, **RECOMMENDED**, OPTIONAL')).toEqual([
      'SHOULD NOT 1',
      'SHOULD 1',
      'MAY 1',
    ]);
  });

  it('joins a keyword that is split over two lines', () => {
    expect(found('Servers **MUST\nNOT** do it')).toEqual(['MUST NOT 1-2']);
  });

  it('ignores code, the list of keywords, words in lower case and longer words', () => {
    expect(
      found('```ts\nMUST\n```\nThe key words "MUST", "SHOULD NOT" must be MUST-HAVE or MUSTARD'),
    ).toEqual([]);
  });

  it('reads only comments in type definitions', () => {
    expect(found('/**\n * This MUST be.\n */\nexport const MUST = 1; \n// SHOULD', true)).toEqual([
      'MUST 2',
      'SHOULD 5',
    ]);
  });
});

describe('anchors', () => {
  it.each([
    ['Error Handling', 'error-handling'],
    ['`_meta`', 'meta'],
    ['The [`Mcp-Name`](/x) Header: (values)', 'the-mcp-name-header-values'],
    ['Sampling & Tools', 'sampling--tools'],
  ])('of "%s"', (heading, anchor) => expect(slug(heading)).toBe(anchor));

  it('include the subsections of their section', () => {
    const spans = sections('# A\n\n## B\ntext\n```\n# no heading\n```\n### C\n\n## D\n');
    expect(Object.fromEntries(spans)).toEqual({
      a: [{ first: 1, last: 11 }],
      b: [{ first: 3, last: 9 }],
      c: [{ first: 8, last: 9 }],
      d: [{ first: 10, last: 11 }],
    });
  });

  it('of type definitions include the preceding comment', () => {
    const spans = sections('export type A = 1;\n/** About B. */\nexport interface B {\n}\n', true);
    expect(spans.get('B')).toEqual([{ first: 2, last: 5 }]);
  });
});

describe('verify', () => {
  const revision = '2025-11-25';
  const page = {
    revision,
    page: 'server/tools',
    text: '# Tools\n\nServers **MUST** list.\n\n## Names\n\nNames **SHOULD** be short.\n',
  } as const;
  const row = (id: string, clause: string, more: Partial<SourceRow> = {}) =>
    ({ id, file: 'tools.yaml', clauses: { [revision]: parseClause(clause) }, ...more }) as SourceRow;
  const list = row('tools.list', 'MUST server/tools#tools L3');
  const short = row('tools.short', 'SHOULD server/tools#names L7');
  const problems = (rows: SourceRow[], exceptions: Exception[] = []) =>
    verify([page], rows, exceptions).problems;

  it('accepts rows that cite every keyword, and counts them', () => {
    const result = verify([page], [list, short], []);
    expect(result.problems).toEqual([]);
    expect(table(result)).toMatch(/2025-11-25 +1\/1 +0\/0 +1\/1 +0\/0 +2\/2/);
  });

  it('reports a keyword that no row cites', () => {
    expect(problems([list])).toEqual(['2025-11-25 server/tools L7: this SHOULD is cited by no row']);
    expect(table(verify([page], [list], []))).toMatch(/2025-11-25 .* 1\/2$/m);
  });

  it('reports a keyword that only rows of another level cite, and such rows', () => {
    expect(problems([list, row('tools.short', 'MUST server/tools#names L7')])).toEqual([
      'tools.yaml: tools.short: 2025-11-25: the cited lines have no MUST, and the row states no basis',
      '2025-11-25 server/tools L7: this SHOULD is cited by tools.short (MUST) only',
    ]);
  });

  it('accepts a basis instead of the keyword', () => {
    expect(
      problems([list, short, row('tools.long', 'MUST server/tools#names L5', { basis: 'prose' })]),
    ).toEqual([]);
  });

  it('accepts listed keywords as not normative, and reports lists that are out of date', () => {
    expect(problems([list], [{ at: '2025-11-25 server/tools L7', reason: 'quoted' }])).toEqual([]);
    expect(problems([list], [{ at: '2025-11-25 server/tools', reason: 'a summary' }])).toEqual([]);
    expect(problems([list, short], [{ at: '2025-11-25 server/tools L7', reason: 'quoted' }])).toEqual([
      'not-normative.yaml: 2025-11-25 server/tools L7 has no uncited keyword',
    ]);
  });

  it.each([
    ['a missing page', 'MUST server/tolls#tools L3', 'there is no page server/tolls'],
    ['a missing anchor', 'MUST server/tools#tolls L3', 'server/tools has no anchor #tolls'],
    ['a line outside of the section', 'MUST server/tools#names L3', 'L3-L3 is not in server/tools#names'],
    ['a line after the end', 'MUST server/tools L3 L99', 'L99-L99 is not in server/tools'],
    ['no line', 'MUST server/tools#tools', 'server/tools#tools cites no line'],
  ])('reports %s', (_, clause, problem) =>
    expect(problems([list, short, row('tools.x', clause, { basis: 'prose' })])).toEqual([
      `tools.yaml: tools.x: 2025-11-25: ${problem}`,
    ]),
  );

  it('refuses a folder that is not a checkout', () => {
    expect(() => readPages('/nowhere')).toThrow('"/nowhere" is not a checkout of the specification');
  });
});
