/** Duration of whole processes against servers that are not the mock in its own process: real ones, and slow ones. */

import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { bin } from './mock.js';
import { cacheFolder, installOfficial, secondsOf, whyNoOfficial } from './official.js';
import { median, type Part, type Sheet } from './results-table.js';

const rounds = 3;

const slowed = fileURLToPath(new URL('slowed.js', import.meta.url));
const mock = [process.execPath, bin, 'mock', 'server'];

/** The mock behind a program that slows it down. */
const slow = (start: number, delay: number, silent = ''): string[] => [
  process.execPath,
  slowed,
  String(start),
  String(delay),
  silent,
  ...mock,
];

const fastmcp = '4.1.0';

const program = `from fastmcp import FastMCP

server = FastMCP("bench")


@server.tool
def add(a: int, b: int) -> int:
    """Adds two numbers."""
    return a + b


@server.resource("bench://text")
def text() -> str:
    return "text"


@server.prompt
def ask(subject: str) -> str:
    return f"What is {subject}?"


server.run(show_banner=False)
`;

/** @returns the command of a FastMCP server; undefined without Python or PyPI */
function installFastMcp(): string[] | undefined {
  const folder = join(cacheFolder, `fastmcp-${fastmcp}`);
  const python = join(folder, 'bin', 'python');
  const isThere = () => existsSync(join(folder, 'installed'));
  if (!isThere()) {
    mkdirSync(folder, { recursive: true });
    spawnSync('python3', ['-m', 'venv', folder], { timeout: 60_000 });
    const pip = ['-m', 'pip', 'install', '--quiet', `fastmcp==${fastmcp}`];
    if (spawnSync(python, pip, { timeout: 300_000 }).status === 0)
      writeFileSync(join(folder, 'installed'), '');
  }
  if (!isThere()) return undefined;
  const file = join(folder, 'server.py');
  writeFileSync(file, program);
  return [python, file];
}

export const real: Part = sheet => {
  const official = installOfficial('legacy');
  if (official)
    measure(sheet, 'server-everything', [process.execPath, official.everything, 'stdio'], { atMost: 2.5 });
  else sheet.skip('server-everything', whyNoOfficial('legacy'));
  const python = installFastMcp();
  if (python) measure(sheet, 'a FastMCP server', python, { atMost: 3 });
  else sheet.skip('a FastMCP server', `fastmcp ${fastmcp} could not be installed from PyPI`);
  measure(sheet, 'the mock, started after 1 s', slow(1_000, 0), { atMost: 6 });
  measure(sheet, 'the mock, 300 ms later with each message', slow(0, 300));
  const unanswered = 'resources/list,prompts/list,completion/complete';
  measure(sheet, 'the mock, three methods without a response', slow(0, 0, unanswered), { atMost: 35 });
};

function measure(
  sheet: Sheet,
  what: string,
  command: readonly string[],
  target?: { readonly atMost: number },
): void {
  const times = Array.from({ length: rounds }, () =>
    secondsOf(process.execPath, [bin, 'server', '--quiet', '--seed', '1', '--', ...command]),
  );
  sheet.add(`${what}, s`, median(times), target);
}
