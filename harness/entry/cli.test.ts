/** The command line: exit codes, and a one-line error with the remedy for every kind of invalid input. */

import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { execa } from 'execa';
import { afterAll, describe, expect, test } from 'vitest';
import { latestRevision } from '../../spec/revisions.js';
import { program, programFile } from '../../suites/selftest/program.test.util.js';
import type { Report } from '../report/summary.js';
import { steadySeed } from '../scenario/generation.js';

const root = fileURLToPath(new URL('../..', import.meta.url));
const tiny = join(root, 'suites/selftest/hostile/tiny-server.mjs');
const folder = mkdtempSync(join(tmpdir(), 'mcp-conform-'));
afterAll(() => rmSync(folder, { recursive: true }));

async function cli(...args: string[]) {
  const { exitCode, stdout, stderr } = await execa(process.execPath, [programFile, ...args], {
    reject: false,
    cwd: root,
    env: { NO_COLOR: '1', NODE_NO_WARNINGS: '1' },
  });
  return { exitCode, stdout, stderr };
}

/** A killed process can stay a zombie until its parent waits for it. */
function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return !/\) Z /.test(readFileSync(`/proc/${pid}/stat`, 'latin1'));
  } catch {
    return false;
  }
}

describe('invalid input gets one line with the remedy, and exit code 2', () => {
  const file = (name: string, text: string) => {
    writeFileSync(join(folder, name), text);
    return join(folder, name);
  };
  test.concurrent.each<[string, string[], RegExp]>([
    ['no command', ['server'], /Write the server command after --/],
    ['an unknown option', ['server', '--revison', 'all', '--', 'x'], /Did you mean --revision\?/],
    ['an unknown command', ['serve'], /Did you mean server\?/],
    [
      'an unknown revision',
      ['server', '--revision', '2025-03-25', '--', 'x'],
      /there is no revision "2025-03-25"\. Choose one of: latest, all, 2024-11-05/,
    ],
    [
      'an unknown option of a command below another',
      ['mock', 'server', '--foo'],
      /unknown option '--foo'\. See: mcp-conform mock server --help/,
    ],
    [
      'an invalid choice',
      ['server', '--call-tools', 'some', '--', 'x'],
      /--call-tools must be one of fixtures, read-only, all, none, not "some"/,
    ],
    ['a list without a name', ['list'], /list takes one of: scenarios, requirements, /],
    ['a list without entries', ['list', 'faults', '--grep', 'no such'], /no entry with these options/],
    [
      'a pattern that matches nothing',
      ['server', '--run', 'server/tool/**', '--', 'x'],
      /no scenario that --run matches/,
    ],
    [
      'a word instead of a number',
      ['server', '--timeout', 'soon', '--', 'x'],
      /--timeout takes a number above 0, not "soon"/,
    ],
    ['milliseconds', ['server', '--timeout', '3000', '--', 'x'], /--timeout is in seconds: with 3000,/],
    [
      'a folder that does not exist',
      ['server', '--cwd', '/no/such', '--', 'x'],
      /--cwd: the folder "\/no\/such" does not exist/,
    ],
    [
      'an unknown reporter',
      ['server', '--reporter', 'jsn', '--', 'x'],
      /there is no reporter "jsn"\. Did you mean "json"\?/,
    ],
    [
      'a file that does not exist',
      ['server', '--known-failing', 'no.txt', '--', 'x'],
      /the file "no\.txt" does not exist/,
    ],
    [
      'a known failure without a reason',
      ['server', '--known-failing', file('bare.txt', '**#ping.answered-empty\n'), '--', 'x'],
      /bare\.txt:1: a reason is missing/,
    ],
    ['an unknown fault', ['mock', 'server', '--fault', 'nope'], /there is no fault "nope"/],
    ['an unknown fault of a client', ['mock', 'client', '--fault', 'nope'], /there is no fault "nope"/],
    ['a client without a server', ['mock', 'client'], /no server given/],
    ['a URL as the command', ['server', 'http://127.0.0.1:1/mcp'], /is a URL: .* --url/],
    ['a command in quotes', ['client', '--', 'node client.js'], /without quotes, as in: -- node client\.js/],
    [
      'a value of an option without values',
      ['server', '--profile', 'out.json', '--', 'node', 'server.js'],
      /there is no program "out\.json"\. Write only options and their values before --/,
    ],
    [
      'a waiting time together with a command',
      ['client', '--for', '5', '--', 'x'],
      /leave out the command, or the option/,
    ],
    [
      'a choice of scenarios without a client command',
      ['client', '--run', 'client/ping/**'],
      /need the command of a client/,
    ],
    [
      'an unknown requirement',
      ['explain', 'tools.unknwon-tool-code'],
      /Did you mean "tools\.unknown-tool-code"\?/,
    ],
    ['--traceability of another list', ['list', 'faults', '--traceability'], /is for: mcp-conform list seps/],
    ['a list that does not exist', ['list', 'scenario'], /Did you mean "scenarios"\?/],
    ['a truncated run', ['report', file('cut.jsonl', '')], /empty/],
    ['a path without its seed', ['server', '--path', '3:0', '--', 'x'], /--path needs the --seed/],
    ['an invalid path', ['server', '--seed', '1', '--path', 'a', '--', 'x'], /as in 3:0:1, not "a"/],
    ['an invalid pair', ['server', '--env', '=value', '--', 'x'], /--env takes NAME=value/],
    [
      'a variable that is not set',
      ['server', '--env', 'MCP_CONFORM_NOWHERE', '--', 'x'],
      /MCP_CONFORM_NOWHERE: this variable is not set here; write --env MCP_CONFORM_NOWHERE=value/,
    ],
  ])('%s', async (_, args, message) => {
    const { exitCode, stdout, stderr } = await cli(...args);
    expect(stderr).toMatch(message);
    expect(stderr.trim().split('\n')).toHaveLength(1);
    expect(stdout).toBe('');
    expect(exitCode).toBe(2);
  });
});

test('--fixture with a tool that the server does not have: exit 2, with the tools of the server', async () => {
  const { exitCode, stderr } = await cli('server', '--fixture', 'slow=wiat', '--', process.execPath, tiny);
  expect(stderr).toMatch(/--fixture slow=wiat: the server has no tool "wiat"\. Its tools: /);
  expect(exitCode).toBe(2);
});

describe('--run', () => {
  const names = async (text: string) => {
    const { stdout } = await cli(
      'server',
      '--run',
      text,
      '--runs',
      '0',
      '--reporter',
      'jsonl',
      '--',
      process.execPath,
      tiny,
    );
    const cases = stdout
      .split('\n')
      .flatMap(line => (line.startsWith('{"kind":"case-start"') ? [JSON.parse(line)] : []));
    return cases.map(event => event.name as string);
  };

  test.concurrent.each([
    ['an area', 'ping', /^[^/]+\/stdio\/server\/ping\//],
    ['a requirement that scenarios verify', 'ping.answered-*', /\/server\/(ping|base|lifecycle)\//],
    ['a requirement that only rules judge', 'tools.name-length', /^[^/]+\/stdio\/server\/tools\//],
  ])('takes %s', async (_, text, expected) => {
    const found = await names(text);
    expect(found.length).toBeGreaterThan(0);
    for (const name of found) expect(name).toMatch(expected);
  });
});

test('--run takes a case of a revision without a handshake, as the commands under Reproduce have it', async () => {
  const name = '2026-07-28/stdio/server/versioning/unsupported';
  const mock = [...program, 'mock', 'server'];
  const selected = ['--revision', '2026-07-28', '--run', name];
  const { exitCode, stdout } = await cli('server', ...selected, '--', ...mock, '--revisions', '2026-07-28');
  expect(stdout).toMatch(/no violations in 1 case · .* · 2026-07-28 on stdio/);
  expect(exitCode).toBe(0);
});

describe('a run', () => {
  test('conforms: exit 0; the stored run gives the same report and the same judgement', async () => {
    const [jsonl, json, again] = ['run.jsonl', 'report.json', 'again.json'].map(name => join(folder, name));
    const first = await cli(
      'server',
      '--reporter',
      `jsonl=${jsonl}`,
      '--reporter',
      `json=${json}`,
      '--',
      process.execPath,
      tiny,
    );
    expect(first.stdout).toContain('✔ no violations');
    expect(first.exitCode).toBe(0);
    const second = await cli('judge', jsonl!, '--reporter', `json=${again}`);
    expect(second.exitCode).toBe(0);
    const [before, after] = [json!, again!].map(path => JSON.parse(readFileSync(path, 'utf8')).runs);
    expect(after[0].requirements).toEqual(before[0].requirements);
    expect((await cli('report', jsonl!)).stdout).toBe(first.stdout.replace(/\n +Report .*$/, ''));
  });

  test('a client: each violation with the command that reproduces it', async () => {
    const mock = [...program, 'mock', 'client', '--revisions', '2025-11-25'];
    const args = ['client', '--run', 'client/ping/*', '--'];
    const sound = await cli(...args, ...mock);
    expect(sound.stdout).toContain('✔ no violations in');
    expect(sound.exitCode).toBe(0);
    const { stdout, exitCode } = await cli(...args, ...mock, '--fault', 'client-ping-refused');
    expect(stdout).toMatch(/✗ violation {3}ping\.answered-empty/);
    expect(stdout).toMatch(
      /Reproduce {2}node \S+ client --transport streamable-http --run \S+\/during-a-call /,
    );
    expect(exitCode).toBe(1);
  });

  test('a client that does not connect: exit 3, and its output', async () => {
    const { stdout, exitCode } = await cli(
      'client',
      '--',
      process.execPath,
      '-e',
      'console.error("no key"); process.exit(2)',
    );
    expect(stdout).toMatch(/did not connect: the client exited with code 2/);
    expect(stdout).toContain('no key');
    expect(exitCode).toBe(3);
  });

  test('with machine output on stdout, the console report is written to stderr', async () => {
    const { stdout, stderr } = await cli(
      'server',
      '--reporter',
      'json',
      '--run',
      'server/ping/**',
      '--',
      process.execPath,
      tiny,
    );
    expect(JSON.parse(stdout).reportVersion).toBe(1);
    expect(stderr).toContain('no violations in');
  });

  test('a violation: exit 1, and the printed command replays the violation', async () => {
    const mock = [...program, 'mock', 'server', '--revisions', '2025-11-25', '--fault', 'result-null'];
    const { exitCode, stdout } = await cli('server', '--run', 'server/ping/*', '--', ...mock);
    expect(exitCode).toBe(1);
    expect(stdout).toMatch(/✗ violation {3}jsonrpc\.result-object/);
    const replay = /Reproduce {2}node \S+ (server --run \S+)/.exec(stdout)![1]!.split(' ');
    expect((await cli(...replay, '--', ...mock)).stdout).toMatch(/✗ violation {3}jsonrpc\.result-object/);
  });

  test('variables: a name alone takes its value here, and values are not printed', async () => {
    const name = 'MCP_CONFORM_TEST_VARIABLE';
    const node = ['--', process.execPath, '-e'];
    process.env[name] = 'of-here';
    const passed = await cli('server', '--env', name, ...node, `console.error(process.env.${name}.length)`);
    delete process.env[name];
    expect(passed.stdout).toContain('stderr: 7');

    const record = join(folder, 'variables.jsonl');
    const options = ['--run', 'server/ping/*', '--env', `${name}=hidden-value`, '--reporter', 'console'];
    const mock = ['--', ...program, 'mock'];
    const faulty = [...mock, 'server', '--revisions', '2025-11-25', '--fault', 'result-null'];
    const { stdout } = await cli('server', ...options, '--reporter', `jsonl=${record}`, ...faulty);
    expect(stdout).toMatch(new RegExp(`Reproduce  .* --env ${name} `));
    for (const text of [stdout, readFileSync(record, 'utf8')]) expect(text).not.toContain('hidden-value');
  });

  test('the seed: constant with a list of known failures, written or read, unless random is requested', async () => {
    const list = join(folder, 'none-known.txt');
    const seed = async (...args: string[]) => {
      const { stdout } = await cli('server', '--run', 'server/ping/**', '--reporter', 'json', ...args);
      return (JSON.parse(stdout) as Report).seed;
    };
    const tail = ['--', process.execPath, tiny];
    expect(await seed('--write-known-failing', list, ...tail)).toBe(steadySeed);
    expect(await seed('--known-failing', list, '--seed', 'random', ...tail)).not.toBe(steadySeed);
  });

  test('a generated value that fails: the printed command reproduces the smallest value', async () => {
    const mock = [...program, 'mock', 'server'];
    const faulty = [...mock, '--fault', 'id-wraps-at-31-bits'];
    const shown = async (...args: string[]) => {
      const file = join(folder, 'generated.json');
      const { stdout } = await cli('server', ...args, '--reporter', `json=${file}`, '--', ...faulty);
      const { runs } = JSON.parse(readFileSync(file, 'utf8')) as Report;
      return { stdout, findings: runs[0]!.findings.map(f => [f.requirement, f.counterexample?.value]) };
    };
    const first = await shown('--run', 'server/generated/ids/*', '--timeout', '100', '--seed', '1');
    expect(first.findings).toEqual([['jsonrpc.response-id-matches', [{ id: 2 ** 31, of: 'result' }]]]);
    const replay = /Reproduce {2}node \S+ server (--run \S+ .*--path \S+) -- /.exec(first.stdout)!;
    expect((await shown(...replay[1]!.split(' '))).findings).toEqual(first.findings);
  });

  test('terminated while it shrinks a failure, the program exits and leaves no process', async () => {
    const file = join(folder, 'pids');
    writeFileSync(file, '');
    const pids = () => readFileSync(file, 'utf8').split('\n').filter(Boolean).map(Number);
    const hanging = join(root, 'suites/selftest/hostile/hangs-on-strangers.mjs');
    const child = execa(
      process.execPath,
      [
        ...[programFile, 'server', '--timeout', '2'],
        ...['--run', 'server/generated/methods/requests', '--', process.execPath, hanging, file],
      ],
      { reject: false, cwd: root },
    );
    // the failure was found in the first process; a second process means that the failure is being retried
    await expect.poll(() => pids().length, { timeout: 50_000 }).toBeGreaterThan(1);
    child.kill('SIGTERM');
    expect((await child).exitCode).toBe(143);
    await expect.poll(() => pids().filter(isAlive)).toEqual([]);
  });

  test('a listed failure does not fail the run; a listed failure that no longer occurs does', async () => {
    const list = join(folder, 'known.txt');
    writeFileSync(list, '**#jsonrpc.result-object https://example.com/12\n');
    const mock = [...program, 'mock', 'server'];
    const args = ['server', '--revision', '2025-11-25', '--run', 'server/ping/*', '--known-failing', list];
    const known = await cli(...args, '--', ...mock, '--fault', 'result-null');
    expect([known.exitCode, known.stdout]).toEqual([0, expect.stringContaining('(1 known)')]);
    const stale = await cli('server', '--known-failing', list, '--', process.execPath, tiny);
    expect(stale.exitCode).toBe(1);
    expect(stale.stdout + stale.stderr).toMatch(/line 1: .* delete it/);
  });

  test('the same for a client', async () => {
    const list = join(folder, 'known-client.txt');
    writeFileSync(list, 'client/ping/*#jsonrpc.result-object https://example.com/13\n');
    const mock = [...program, 'mock', 'client', '--revisions', '2025-11-25'];
    const args = ['client', '--run', 'client/ping/*', '--known-failing', list, '--'];
    const known = await cli(...args, ...mock, '--fault', 'client-ping-null');
    expect(known.exitCode, known.stdout).toBe(0);
    const stale = await cli(...args, ...mock);
    expect(stale.exitCode).toBe(1);
    expect(stale.stdout + stale.stderr).toMatch(/line 1: .* delete it/);
  });

  test('a revision that is not offered: exit 3, and the list of offered revisions', async () => {
    const { exitCode, stdout } = await cli(
      'server',
      '--revision',
      latestRevision.id,
      '--',
      process.execPath,
      tiny,
    );
    expect(exitCode).toBe(3);
    expect(stdout).toMatch(/does not offer .* It offers /);
  });
});

describe('wrong command lines get the next step', () => {
  test.each([
    [['watch'], 'mcp-conform watch -- node server.js'],
    [['mock', 'server', '--fault', 'rs-refuses-good-tokens'], 'it needs --auth and --port <n>'],
    [['mock', 'server', '--fault', 'as-tokens-without-type'], 'mcp-conform mock authorization-server'],
    [['server', '--transport', 'http', '--', 'x'], '--transport streamable-http needs the --url'],
    [['server', '--', './nosuch-program'], '"./nosuch-program" does not exist'],
    [['server', '--', 'nosuch-program'], '"nosuch-program" is not in PATH'],
  ])('%j', async (args, text) => {
    const { stdout, stderr } = await cli(...args);
    expect(`${stdout}${stderr}`.replace(/\s+/g, ' ')).toContain(text);
  });
});

test.concurrent.each<[string, string[], RegExp]>([
  [
    'does not exist',
    ['/no/such/gateway'],
    /: The command could not be started: the file "\/no\/such\/gateway"/,
  ],
  [
    'exits',
    [process.execPath, '-e', 'process.exit(3)'],
    /: The gateway exited with code 3 before it answered server\/discover/,
  ],
  [
    'is silent',
    [process.execPath, '-e', 'setInterval(() => {}, 1e6)'],
    /: The gateway did not answer server\/discover within 1 s\./,
  ],
])('a gateway that %s: exit code 3, and the reason', async (_, command, reason) => {
  const { exitCode, stdout } = await cli('gateway', '--timeout', '1', '--', ...command);
  expect(stdout.replace(/\s+/g, ' ')).toMatch(reason);
  expect(exitCode).toBe(3);
});
