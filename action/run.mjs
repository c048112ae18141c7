/**
 * The script of the GitHub Action. Plain JavaScript, because it runs before mcp-conform is installed: it
 * reads the inputs from the environment, installs the program, runs it without a shell, and outputs counts
 * and reports.
 */

import { spawnSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { appendFileSync, existsSync, mkdirSync, mkdtempSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { splitWords } from './words.mjs';

const { env } = process;
const input = name => (env[`INPUT_${name.toUpperCase().replaceAll('-', '_')}`] ?? '').trim();

/** Thrown for invalid inputs; the step ends as for an invalid command line. */
class Refused extends Error {}

function flag(name) {
  const text = input(name).toLowerCase();
  if (!['', 'true', 'false'].includes(text))
    throw new Refused(`${name} must be true or false, not "${text}".`);
  return text === 'true' ? [`--${name}`] : [];
}

function words(name) {
  try {
    return splitWords(input(name), name);
  } catch (error) {
    throw new Refused(error.message);
  }
}

const option = name => (input(name) === '' ? [] : [`--${name}`, input(name)]);

/** The program and its first arguments. */
function install(actionPath) {
  const checkout = join(actionPath, 'dist/harness/entry/bin.js');
  const build = () => {
    if (!existsSync(checkout)) npm(['ci'], actionPath);
    return checkout;
  };
  const chosen = input('version');
  const version = chosen || JSON.parse(readFileSync(join(actionPath, 'package.json'), 'utf8')).version;
  if (version === 'checkout') return build();
  if (!/^[\w.^~-]+$/.test(version)) throw new Refused(`version must be a version of npm, not "${version}".`);
  const folder = mkdtempSync(join(env.RUNNER_TEMP ?? tmpdir(), 'mcp-conform-'));
  try {
    npm(
      ['install', '--prefix', folder, '--no-audit', '--no-fund', '--no-save', `mcp-conform@${version}`],
      folder,
    );
  } catch (error) {
    if (chosen) throw error;
    process.stdout.write(
      `::notice title=MCP conformance::npm does not have mcp-conform@${version}: the source of the action is built instead.\n`,
    );
    return build();
  }
  return join(folder, 'node_modules/mcp-conform/dist/harness/entry/bin.js');
}

function npm(args, cwd) {
  // output of npm goes to stderr, because stdout is for the report
  const { status, error } = spawnSync('npm', args, {
    cwd,
    stdio: ['ignore', 2, 2],
    shell: process.platform === 'win32',
  });
  if (status !== 0)
    throw new Error(`npm ${args[0]} failed${error ? `: ${error.message}` : ` with code ${status}`}.`);
}

/** Milliseconds, as in the action of the official suite; the program takes seconds. */
function timeout() {
  const text = input('timeout');
  if (text === '') return [];
  if (!/^[1-9]\d*$/.test(text)) throw new Refused(`timeout takes milliseconds, not "${text}".`);
  return ['--timeout', String(Number(text) / 1000)];
}

const modes = ['server', 'client', 'authorization-server'];

/** The arguments of mcp-conform, without its reports. */
function commandLine() {
  const mode = input('mode') || 'server';
  if (!modes.includes(mode)) throw new Refused(`mode must be one of ${modes.join(', ')}, not "${mode}".`);
  const command = words('command');
  const url = input('url');
  if (mode === 'authorization-server' ? url === '' : command.length === 0 && url === '')
    throw new Refused(`mode ${mode} needs ${mode === 'authorization-server' ? 'url' : 'command or url'}.`);
  const target = mode === 'authorization-server' ? '--issuer' : '--url';
  const options = ['revision', 'transport', 'known-failing', 'expected-failures'].flatMap(option);
  const flags = ['fixtures', 'strict', 'verbose'].flatMap(flag);
  const scenario = input('scenario') === '' ? [] : ['--run', `official:${input('scenario')}`];
  if (input('suite') !== '')
    process.stdout.write(
      '::notice title=MCP conformance::suite has no effect: all cases that apply run; choose with scenario or extra-args.\n',
    );
  const where = url === '' ? [] : [target, url];
  return [
    mode,
    ...options,
    ...flags,
    ...scenario,
    ...timeout(),
    ...words('extra-args'),
    ...where,
    ...(command.length > 0 ? ['--', ...command] : []),
  ];
}

function output(values) {
  const lines = Object.entries(values).map(([name, value]) => {
    const mark = randomUUID();
    return `${name}<<${mark}\n${value}\n${mark}\n`;
  });
  if (env.GITHUB_OUTPUT) appendFileSync(env.GITHUB_OUTPUT, lines.join(''));
}

function main() {
  const [mode, ...rest] = commandLine();
  const reports = resolve(
    input('report-directory') || mkdtempSync(join(env.RUNNER_TEMP ?? tmpdir(), 'mcp-reports-')),
  );
  mkdirSync(reports, { recursive: true });
  const names = {
    json: 'report.json',
    jsonl: 'run.jsonl',
    html: 'report.html',
    junit: 'junit.xml',
    sarif: 'report.sarif',
  };
  const annotations = join(reports, 'annotations.txt');
  const reporters = Object.entries({ ...names, github: 'annotations.txt' }).flatMap(([name, file]) => [
    '--reporter',
    `${name}=${join(reports, file)}`,
  ]);
  const bin = install(env.ACTION_PATH ?? resolve(import.meta.dirname, '..'));
  // The output includes text of the subject; no line of it may act as a command of the runner.
  const token = randomUUID();
  process.stdout.write(`::stop-commands::${token}\n`);
  const { status, signal } = spawnSync(process.execPath, [bin, mode, ...reporters, ...rest], {
    cwd: resolve(input('working-directory') || '.'),
    // commands in reports are for a machine that does not have the folders of this job
    env: { ...env, MCP_CONFORM_PROGRAM: 'npx mcp-conform' },
    stdio: ['ignore', 'inherit', 'inherit'],
  });
  process.stdout.write(`\n::${token}::\n`);
  const exitCode = status ?? 4;
  if (signal) process.stdout.write(`::error title=MCP conformance::terminated by ${signal}\n`);
  if (existsSync(annotations)) process.stdout.write(readFileSync(annotations, 'utf8'));
  const file = join(reports, names.json);
  const text = existsSync(file) ? readFileSync(file, 'utf8') : '';
  const summary = text === '' ? {} : JSON.parse(text).summary;
  const {
    pass = 0,
    violation = 0,
    warning = 0,
    note = 0,
    inconclusive = 0,
    knownFailing = 0,
    stale = 0,
  } = summary;
  output({
    'exit-code': exitCode,
    pass,
    violation,
    warning,
    note,
    inconclusive,
    'known-failing': knownFailing,
    stale,
    'report-directory': reports,
  });
  process.exitCode = exitCode;
}

try {
  main();
} catch (error) {
  const text = String(error.message).replaceAll('%', '%25').replaceAll('\r', '%0D').replaceAll('\n', '%0A');
  process.stdout.write(`::error title=MCP conformance::${text}\n`);
  output({ 'exit-code': error instanceof Refused ? 2 : 3 });
  process.exitCode = error instanceof Refused ? 2 : 3;
}
