/**
 * The script of the GitHub Action. Plain JavaScript, because it runs before mcp-conform is installed.
 * `node run.mjs plan` outputs the folder and the key of the cached build, if the source has to be built; it never
 * fails. `node run.mjs` installs the program, runs it without a shell, and outputs counts and reports.
 */

import { spawn, spawnSync } from 'node:child_process';
import { createHash, randomUUID } from 'node:crypto';
import { once } from 'node:events';
import {
  appendFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, relative, resolve } from 'node:path';
import { splitWords } from './words.mjs';

const { env } = process;
const isWindows = process.platform === 'win32';
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

const program = 'node_modules/mcp-conform/dist/harness/entry/bin.js';
const temporary = name => mkdtempSync(join(env.RUNNER_TEMP ?? tmpdir(), name));

/**
 * Where the program comes from: npm, or the source of the action. A tag of the action names one version; while npm
 * does not have this version, the source at this tag is built.
 */
function plan(actionPath) {
  const own = JSON.parse(readFileSync(join(actionPath, 'package.json'), 'utf8')).version;
  const chosen = input('version').replace(/^v(?=\d)/, '');
  const version = chosen || own;
  if (!/^[\w.^~-]+$/.test(version)) throw new Refused(`version must be a version of npm, not "${version}".`);
  const inPlace = join(actionPath, 'dist/harness/entry/bin.js');
  if (version === 'checkout' && existsSync(inPlace)) return { inPlace };
  if (version !== 'checkout' && isOnNpm(version)) return { version };
  if (version !== own && version !== 'checkout')
    throw new Error(
      `npm does not have mcp-conform@${version}. Leave version empty, and the source of the action (${own}) is built; or use the action at the tag of that version.`,
    );
  const key = `mcp-conform-${own}-${sourceHash(actionPath)}`;
  return { key, folder: join(env.RUNNER_TOOL_CACHE ?? tmpdir(), key), isUnpublished: version === own };
}

/** Words for npm, which is started by a shell on Windows. A quote would end the quoted word there. */
const quotedForShell = args => (isWindows ? args.map(word => `"${word.replaceAll('"', '')}"`) : args);

function isOnNpm(version) {
  const args = ['view', `mcp-conform@${version}`, 'version', '--json', '--fetch-retries=0'];
  const { status, stdout } = spawnSync('npm', quotedForShell(args), {
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'ignore'],
    shell: isWindows,
  });
  return status === 0 && stdout.trim() !== '';
}

/** Of all that the build reads; folders that it makes do not count. */
function sourceHash(actionPath) {
  const hash = createHash('sha256');
  const made = new Set(['.git', 'dist', 'node_modules']);
  const add = folder => {
    for (const entry of readdirSync(folder, { withFileTypes: true }).sort((a, b) =>
      a.name < b.name ? -1 : 1,
    )) {
      const path = join(folder, entry.name);
      if (made.has(entry.name)) continue;
      if (entry.isDirectory()) add(path);
      else if (entry.isFile())
        hash.update(relative(actionPath, path)).update('\0').update(readFileSync(path));
    }
  };
  add(actionPath);
  return hash.digest('hex').slice(0, 16);
}

/** The path of the program. */
function install(actionPath) {
  const { inPlace, version, folder = temporary('mcp-conform-'), isUnpublished } = plan(actionPath);
  if (inPlace) return inPlace;
  const installed = join(folder, program);
  if (version !== undefined) {
    npm(['install', '--prefix', folder, ...quietly, `mcp-conform@${version}`], folder);
    return installed;
  }
  const what = isUnpublished
    ? 'npm does not have the version of the action yet: its source'
    : 'the source of the action';
  const how = existsSync(installed) ? 'comes from the cache' : 'is built';
  process.stdout.write(`::notice title=MCP conformance::${what} ${how}.\n`);
  if (!existsSync(installed)) build(actionPath, folder);
  return installed;
}

const quietly = ['--no-audit', '--no-fund', '--no-save'];

/** Makes the folder as npm would install the package: a cache holds no tools of the build, and no half of one. */
function build(actionPath, folder) {
  const packed = temporary('mcp-conform-pack-');
  // `npm ci` builds (script `prepare`); `npm pack` would build again
  npm(['ci', '--include=dev', '--no-audit', '--no-fund'], actionPath);
  npm(['pack', '--ignore-scripts', '--pack-destination', packed], actionPath);
  const [tarball] = readdirSync(packed);
  mkdirSync(dirname(folder), { recursive: true });
  const unfinished = mkdtempSync(`${folder}-`);
  npm(['install', '--prefix', unfinished, ...quietly, join(packed, tarball)], unfinished);
  rmSync(folder, { recursive: true, force: true });
  renameSync(unfinished, folder);
}

function npm(args, cwd) {
  // output of npm goes to stderr, because stdout is for the report
  const { status, error } = spawnSync('npm', quotedForShell([...args, '--loglevel=error']), {
    cwd,
    stdio: ['ignore', 2, 2],
    shell: isWindows, // npm is a .cmd file there
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

function noticeSuite() {
  if (input('suite') !== '')
    process.stdout.write(
      '::notice title=MCP conformance::suite has no effect: all cases that apply run; choose with scenario or extra-args.\n',
    );
}

function output(values) {
  const lines = Object.entries(values).map(([name, value]) => {
    const mark = randomUUID();
    return `${name}<<${mark}\n${value}\n${mark}\n`;
  });
  if (env.GITHUB_OUTPUT) appendFileSync(env.GITHUB_OUTPUT, lines.join(''));
}

function complain(message) {
  const text = message.replaceAll('%', '%25').replaceAll('\r', '%0D').replaceAll('\n', '%0A');
  process.stdout.write(`::error title=MCP conformance::${text}\n`);
}

async function main() {
  const [mode, ...rest] = commandLine();
  noticeSuite();
  const reports = resolve(input('report-directory') || temporary('mcp-reports-'));
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
  const bin = install(ownFolder);
  // The output includes text of the subject; no line of it may act as a command of the runner.
  const token = randomUUID();
  process.stdout.write(`::stop-commands::${token}\n`);
  const program = spawn(process.execPath, [bin, mode, ...reporters, ...rest], {
    cwd: resolve(input('working-directory') || '.'),
    // commands in reports are for a machine that does not have the folders of this job
    env: { ...env, MCP_CONFORM_PROGRAM: 'npx mcp-conform' },
    stdio: ['ignore', 'inherit', 'pipe'],
  });
  let said = '';
  program.stderr.on('data', part => {
    process.stderr.write(part);
    said = `${said}${part}`.slice(-2000);
  });
  const [status, signal] = await once(program, 'close');
  process.stdout.write(`\n::${token}::\n`);
  const exitCode = status ?? 4;
  if (signal) complain(`terminated by ${signal}`);
  if (status === 2) complain(said.trim().replace(/^mcp-conform: /, ''));
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

const ownFolder = env.ACTION_PATH ?? resolve(import.meta.dirname, '..');

/** The second step reports what is wrong with the inputs. */
function planStep() {
  try {
    const { key = '', folder = '' } = plan(ownFolder);
    output({ 'cache-key': key, 'cache-folder': folder });
  } catch {
    output({ 'cache-key': '', 'cache-folder': '' });
  }
}

try {
  if (process.argv[2] === 'plan') planStep();
  else await main();
} catch (error) {
  complain(String(error.message));
  output({ 'exit-code': error instanceof Refused ? 2 : 3 });
  process.exitCode = error instanceof Refused ? 2 : 3;
}
