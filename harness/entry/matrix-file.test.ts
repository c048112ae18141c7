import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { planCells } from '../run/matrix/plan.js';
import { readMatrix } from './matrix-file.js';

const folder = mkdtempSync(join(tmpdir(), 'mcp-conform-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** The message without the path of the file. */
function problemOf(text: string): string {
  const file = join(folder, 'matrix.yaml');
  writeFileSync(file, text);
  try {
    readMatrix(file);
    return '';
  } catch (error) {
    return (error as Error).message.replace(`${folder}/`, '');
  }
}

const clients = 'clients: { c: { command: [c], transports: [stdio], revisions: [2025-11-25] } }';
const servers = 'servers: { s: { stdio: [s], revisions: [2025-11-25] } }';

test.each([
  ['servers: {\n', /^matrix\.yaml:2:1: /],
  [`${servers}\n`, 'matrix.yaml:1:1: the file lacks the member "clients".'],
  [
    `${servers}\n${clients}\nclient: 1`,
    'matrix.yaml:3:1: the file has no member "client"; did you mean "clients"?',
  ],
  [
    `servers:\n  s:\n    revisions: [2025-11-25]\n    stdoi: [s]\n${clients}`,
    'matrix.yaml:4:5: servers.s has no member "stdoi"; did you mean "stdio"?',
  ],
  [
    `servers:\n  s:\n    revisions: [2025-11-26]\n    stdio: [s]\n${clients}`,
    'matrix.yaml:3:17: there is no revision "2025-11-26"; did you mean "2025-11-25"?',
  ],
  [
    `servers:\n  s:\n    revisions: [2025-11-25]\n${clients}`,
    'matrix.yaml:2:3: servers.s lacks a way to start it: write stdio, streamable-http or http-sse.',
  ],
  [
    `${servers}\nclients:\n  c:\n    command: [c]\n    transports: [http]\n    revisions: [2025-11-25]`,
    'matrix.yaml:5:18: clients.c.transports.0 is not one of stdio, streamable-http, http-sse.',
  ],
  [
    `${servers}\n${clients}\nsteps:\n  - [connect]\n  - [lisst, tools]`,
    'matrix.yaml:5:5: Step 2 has an unknown verb: ["lisst","tools"].',
  ],
  [`${servers}\n${servers}\n${clients}`, /^matrix\.yaml:2:1: .*unique/],
  [
    `servers:\n  s: { stdio: [s], revisions: [2025-11-25], cwd: nowhere }\n${clients}`,
    'matrix.yaml:2:50: the folder "nowhere" does not exist.',
  ],
  [
    `{ "servers": { "s": { "streamable-http": { "url": "ftp://a" }, "revisions": ["2025-11-25"] } }, ${JSON.stringify(
      'clients',
    )}: {} }`,
    /^matrix\.yaml:1:\d+: /,
  ],
])('the place of a mistake is named: %j', (text, expected) => {
  if (typeof expected === 'string') expect(problemOf(text)).toBe(expected);
  else expect(problemOf(text)).toMatch(expected);
});

test('cells are the transports and revisions that both offer', () => {
  const file = join(folder, 'good.yaml');
  const both = 'revisions: [2024-11-05, 2025-11-25, 2026-07-28]';
  writeFileSync(
    file,
    `servers:
  all: { stdio: [s], streamable-http: { url: 'http://127.0.0.1:1/mcp' }, http-sse: { url: 'http://127.0.0.1:1/sse' }, ${both} }
  old: { stdio: [s], revisions: [2024-11-05] }
clients:
  all: { command: [c], transports: [http-sse, streamable-http, stdio], ${both} }
  http: { command: [c], transports: [streamable-http], revisions: [2025-11-25] }
`,
  );
  expect(planCells(readMatrix(file)).map(cell => cell.name)).toEqual([
    'all/all/stdio/2024-11-05',
    'all/all/stdio/2025-11-25',
    'all/all/stdio/2026-07-28',
    'all/all/streamable-http/2025-11-25',
    'all/all/streamable-http/2026-07-28',
    'all/all/http-sse/2024-11-05',
    'all/http/streamable-http/2025-11-25',
    'old/all/stdio/2024-11-05',
    'old/http',
  ]);
});
