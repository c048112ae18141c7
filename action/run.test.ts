import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { execa } from 'execa';
import { afterAll, describe, expect, it } from 'vitest';
import { parse } from 'yaml';

const root = fileURLToPath(new URL('..', import.meta.url));
const folder = mkdtempSync(join(tmpdir(), 'mcp-conform-action-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

interface Definition {
  inputs: Record<string, { default?: string; description: string }>;
  outputs: Record<string, { value: string }>;
  runs: { steps: { id?: string; env?: Record<string, string>; run?: string; uses?: string }[] };
}
const definition = parse(readFileSync(join(root, 'action.yml'), 'utf8')) as Definition;
const stepOf = (wanted: string) => definition.runs.steps.find(({ id }) => id === wanted)!;

let count = 0;

/**
 * Simulates the runner: inputs become environment variables as action.yml defines, and files collect the
 * outputs.
 */
async function act(
  inputs: Record<string, string>,
  actionPath = root,
  path = process.env.PATH,
  more: Record<string, string> = {},
  id = 'run',
) {
  const step = stepOf(id);
  const work = join(folder, String(count++));
  mkdirSync(work);
  const files = { GITHUB_OUTPUT: join(work, 'output'), GITHUB_STEP_SUMMARY: join(work, 'summary') };
  for (const file of Object.values(files)) writeFileSync(file, '');
  const given = (name: string) => inputs[name] ?? definition.inputs[name]?.default ?? '';
  const env = Object.fromEntries(
    Object.entries(step.env!).map(([name, text]) => [
      name,
      text.replace(/\$\{\{ (?:inputs\.([\w-]+)|github\.action_path) \}\}/g, (_, input?: string) =>
        input ? given(input) : actionPath,
      ),
    ]),
  );
  const { exitCode, stdout, stderr } = await execa('bash', ['-e', '-c', step.run!], {
    cwd: root,
    reject: false,
    extendEnv: false,
    env: { PATH: path, HOME: process.env.HOME, RUNNER_TEMP: work, CI: 'true', ...more, ...files, ...env },
  });
  const outputs = Object.fromEntries(
    [...readFileSync(files.GITHUB_OUTPUT, 'utf8').matchAll(/^([\w-]+)<<(.+)\n([\s\S]*?)\n\2$/gm)].map(
      found => [found[1], found[3]],
    ),
  );
  return { exitCode, stdout, stderr, outputs, summary: readFileSync(files.GITHUB_STEP_SUMMARY, 'utf8') };
}

/** Lines that the runner executes as commands. */
function obeyed(stdout: string): string[] {
  let token: string | undefined;
  return stdout.split('\n').filter(line => {
    const stop = /^::stop-commands::(.+)$/.exec(line)?.[1];
    if (token !== undefined) {
      if (line === `::${token}::`) token = undefined;
      return false;
    }
    if (stop) token = stop;
    return !stop && line.trimStart().startsWith('::');
  });
}

describe('action.yml', () => {
  it('passes every input in the environment, and only there', () => {
    const used = Object.values(stepOf('run').env!).join(' ');
    const upload = ['artifact', 'node-version'];
    expect(Object.keys(definition.inputs).filter(name => !used.includes(`inputs.${name} `))).toEqual(
      upload.sort(
        (a, b) => Object.keys(definition.inputs).indexOf(a) - Object.keys(definition.inputs).indexOf(b),
      ),
    );
    for (const { run = '' } of definition.runs.steps) expect(run).not.toContain('${{');
  });

  it('passes on every output of the script', () => {
    for (const [name, { value }] of Object.entries(definition.outputs))
      expect(value).toBe(`\${{ steps.run.outputs.${name} }}`);
  });
});

describe('the command line', () => {
  const fake = join(folder, 'fake');
  mkdirSync(join(fake, 'dist/harness/entry'), { recursive: true });
  cpSync(join(root, 'action'), join(fake, 'action'), { recursive: true });
  writeFileSync(join(fake, 'package.json'), '{"version":"0.0.0"}');
  writeFileSync(
    join(fake, 'dist/harness/entry/bin.js'),
    'console.log(JSON.stringify(process.argv.slice(2)), "::error::injected"); console.log("::add-mask::a")',
  );

  async function words(inputs: Record<string, string>): Promise<string[]> {
    const { stdout } = await act({ version: 'checkout', ...inputs }, fake);
    const line = stdout.split('\n').find(text => text.startsWith('['))!;
    const all = JSON.parse(line.slice(0, line.lastIndexOf(']') + 1)) as string[];
    return all.filter((word, i) => word !== '--reporter' && all[i - 1] !== '--reporter');
  }

  it.each([
    [
      { command: 'node "my server.js" --x' },
      ['server', '--revision', 'latest', '--', 'node', 'my server.js', '--x'],
    ],
    [
      {
        url: 'http://localhost:3000/mcp',
        'expected-failures': 'expected.yml',
        suite: 'active',
        scenario: 'tools-list',
        timeout: '30000',
        verbose: 'true',
      },
      [
        ...['server', '--revision', 'latest', '--expected-failures', 'expected.yml', '--verbose'],
        ...['--run', 'official:tools-list', '--timeout', '30', '--url', 'http://localhost:3000/mcp'],
      ],
    ],
    [
      { command: '["node", "a b", "$(id)"]' },
      ['server', '--revision', 'latest', '--', 'node', 'a b', '$(id)'],
    ],
    [
      { command: "echo $(touch /tmp/owned); `id` '$HOME' \\* && x" },
      [
        'server',
        '--revision',
        'latest',
        '--',
        'echo',
        '$(touch',
        '/tmp/owned);',
        '`id`',
        '$HOME',
        '*',
        '&&',
        'x',
      ],
    ],
    [
      {
        url: 'http://localhost:3000/mcp',
        command: 'go run .',
        transport: 'streamable-http',
        strict: 'true',
        fixtures: 'true',
      },
      [
        'server',
        '--revision',
        'latest',
        '--transport',
        'streamable-http',
        '--fixtures',
        '--strict',
        '--url',
        'http://localhost:3000/mcp',
        '--',
        'go',
        'run',
        '.',
      ],
    ],
    [
      { mode: 'client', command: 'python client.py', 'extra-args': "--skip 'client/tools/**'" },
      ['client', '--revision', 'latest', '--skip', 'client/tools/**', '--', 'python', 'client.py'],
    ],
    [
      { mode: 'authorization-server', url: 'https://as.example' },
      ['authorization-server', '--revision', 'latest', '--issuer', 'https://as.example'],
    ],
  ])('of %j', async (inputs, expected) => {
    expect(await words(inputs)).toEqual(expected);
    expect(existsSync('/tmp/owned')).toBe(false);
  });

  it.each([
    [{}, 'mode server needs command or url.'],
    [{ mode: 'x', command: 'a' }, 'mode must be one of server, client, authorization-server, not "x".'],
    [{ command: "a 'b" }, "command has a ' that is not closed."],
    [{ command: '[1]' }, 'command must be a JSON array of strings.'],
    [{ command: 'a', strict: 'yes' }, 'strict must be true or false, not "yes".'],
    [{ command: 'a', timeout: '30s' }, 'timeout takes milliseconds, not "30s".'],
    [{ command: 'a', version: '../x; id' }, 'version must be a version of npm, not "../x; id".'],
  ])('is refused: %j', async (inputs, message) => {
    const { exitCode, stdout, outputs } = await act({ version: 'checkout', ...inputs }, fake);
    expect(stdout).toBe(`::error title=MCP conformance::${message}`);
    expect([exitCode, outputs]).toEqual([2, { 'exit-code': '2' }]);
  });

  describe('while npm does not have the version', () => {
    const bin = join(folder, 'no-npm');
    const tools = join(folder, 'tools');
    const path = `${bin}:${process.env.PATH}`;
    const entry = 'node_modules/mcp-conform/dist/harness/entry';
    mkdirSync(bin);
    writeFileSync(
      join(bin, 'npm'),
      [
        '#!/bin/sh',
        'echo "npm $1" >&2',
        'case "$1" in',
        '  view) exit 1 ;;',
        '  pack) touch "$4/mcp-conform-0.0.0.tgz" ;;',
        `  install) mkdir -p "$3/${entry}" && cp "${fake}/dist/harness/entry/bin.js" "$3/${entry}/bin.js" ;;`,
        'esac',
        '',
      ].join('\n'),
      { mode: 0o755 },
    );

    it('the source of the action is built once, and kept', async () => {
      const first = await act({ command: 'a' }, fake, path, { RUNNER_TOOL_CACHE: tools });
      expect([first.exitCode, first.stdout.split('\n')[0]]).toEqual([
        0,
        expect.stringMatching(/its source is built\.$/),
      ]);
      expect(first.stderr.match(/npm \w+/g)).toEqual(['npm ci', 'npm pack', 'npm install']);
      const again = await act({ command: 'a' }, fake, path, { RUNNER_TOOL_CACHE: tools });
      expect(again.stdout.split('\n')[0]).toMatch(/its source comes from the cache\.$/);
      expect(again.stderr).toBe('');
      const [kept, ...others] = readdirSync(tools);
      expect([kept, others]).toEqual([expect.stringMatching(/^mcp-conform-0\.0\.0-[0-9a-f]{16}$/), []]);
      const { outputs } = await act({ version: 'v0.0.0' }, fake, path, { RUNNER_TOOL_CACHE: tools }, 'plan');
      expect(outputs).toEqual({ 'cache-key': kept, 'cache-folder': join(tools, kept!) });
    });

    it('another version is refused, with what to do', async () => {
      const { exitCode, stdout } = await act({ command: 'a', version: '9.9.9' }, fake, path);
      expect([exitCode, stdout]).toEqual([
        3,
        expect.stringContaining('npm does not have mcp-conform@9.9.9. Leave'),
      ]);
      const planned = await act({ command: 'a', version: '9.9.9' }, fake, path, {}, 'plan');
      expect([planned.exitCode, planned.outputs]).toEqual([0, { 'cache-key': '', 'cache-folder': '' }]);
    });
  });

  it('protects printed text from execution as runner commands', async () => {
    expect(obeyed((await act({ version: 'checkout', command: 'a' }, fake)).stdout)).toEqual([]);
  });
});

const built = existsSync(join(root, 'dist/harness/entry/bin.js'));
if (!built) console.warn('The action is not tested against subjects: npm run build first.');

const words = (...mock: string[]) => JSON.stringify(['node', 'dist/harness/entry/bin.js', 'mock', ...mock]);
const withFaults = (faults: string[]) => faults.flatMap(fault => ['--fault', fault]);

describe.skipIf(!built).each([
  {
    mode: 'server',
    mock: (...faults: string[]) => ({
      command: words('server', ...withFaults(faults)),
      'extra-args': '--run server/base/** --run server/tools/list',
    }),
    fault: 'answer-notification',
    breaks: 'jsonrpc.notification-not-answered',
    cases: 'server/base/**',
  },
  {
    mode: 'client',
    mock: (...faults: string[]) => ({
      command: words('client', '--revisions', '2025-11-25', ...withFaults(faults)),
      'extra-args': '--run client/ping/** --run client/lifecycle/handshake',
    }),
    fault: 'client-ping-refused',
    breaks: 'ping.answered-empty',
    cases: 'client/ping/**',
  },
])('mode $mode', ({ mode, mock, fault, breaks, cases }) => {
  const judge = (inputs: Record<string, string>) => act({ version: 'checkout', mode, ...inputs });

  it('passes', async () => {
    const { exitCode, stdout, outputs, summary } = await judge(mock());
    expect([exitCode, outputs['exit-code'], outputs.violation]).toEqual([0, '0', '0']);
    expect(Number(outputs.pass)).toBeGreaterThan(10);
    expect(obeyed(stdout).filter(line => line.startsWith('::error'))).toEqual([]);
    expect(summary).toContain('✅');
    for (const file of ['report.json', 'run.jsonl', 'report.html', 'junit.xml', 'report.sarif'])
      expect(existsSync(join(outputs['report-directory']!, file)), file).toBe(true);
  });

  it('annotates a violation', async () => {
    const { exitCode, stdout, outputs, summary } = await judge(mock(fault));
    expect([exitCode, outputs.violation]).toEqual([1, '1']);
    expect(obeyed(stdout)[0]).toMatch(
      /^::error file=dist\/harness\/entry\/bin\.js,line=1,title=MCP violation/,
    );
    expect(obeyed(stdout)[0]).toContain(`title=MCP violation%3A ${breaks}::`);
    expect(summary).toContain('❌ violation');
  });

  it('accepts known failures', async () => {
    const known = join(folder, `known-${mode}.txt`);
    writeFileSync(known, `${cases}#${breaks}   see #12\n`);
    const { exitCode, outputs } = await judge({ ...mock(fault), 'known-failing': known });
    expect([exitCode, outputs.violation, outputs['known-failing']]).toEqual([0, '0', '1']);
  });

  it('annotates input that mcp-conform refuses', async () => {
    const { exitCode, stdout } = await judge({ ...mock(), 'known-failing': 'none.txt' });
    expect([exitCode, obeyed(stdout)]).toEqual([
      2,
      ['::error title=MCP conformance::the file "none.txt" does not exist.'],
    ]);
  });

  it('reports a run without a verdict', async () => {
    const { exitCode, stdout, outputs } = await judge({ command: 'node no-such-program.js' });
    expect([exitCode, outputs['exit-code']]).toEqual([3, '3']);
    expect(obeyed(stdout)[0]).toMatch(/^::error title=MCP could not judge::/);
  });
});
