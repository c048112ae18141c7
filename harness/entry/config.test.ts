/** The file with the subjects of a repository. */

import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { execa } from 'execa';
import { afterAll, describe, expect, test } from 'vitest';
import type { Json } from '../../spec/json-rpc.js';
import { programFile } from '../../suites/selftest/program.test.util.js';
import { readConfig } from './config.js';

const root = fileURLToPath(new URL('../..', import.meta.url));
const folder = mkdtempSync(join(tmpdir(), 'mcp-conform-config-'));
afterAll(() => rmSync(folder, { recursive: true }));

const schema = JSON.parse(readFileSync(join(root, 'harness/entry/config.schema.json'), 'utf8')) as object;
const isValid = new Ajv2020({ strict: false }).compile(schema);

const file = join(folder, 'x.json');
const read = (config: Json) => {
  writeFileSync(file, JSON.stringify(config));
  return readConfig(file);
};

const example: Json = {
  options: { revision: 'all', strict: true },
  subjects: {
    stdio: { command: ['node', 'server.js'], runs: 0 },
    http: { url: 'http://127.0.0.1:3000/mcp', strict: false, reporter: ['html=a.html', 'json=a.json'] },
    login: { mode: 'authorization-server', issuer: 'http://127.0.0.1:9000' },
  },
};

test('each subject is a command line', () => {
  expect(isValid(example)).toBe(true);
  expect(read(example).map(({ args }) => args.join(' '))).toEqual([
    'server --revision all --strict --runs 0 -- node server.js',
    'server --revision all --reporter html=a.html --reporter json=a.json --url http://127.0.0.1:3000/mcp',
    'authorization-server --revision all --strict --issuer http://127.0.0.1:9000',
  ]);
});

describe('refused, as the schema refuses it', () => {
  test.each<[Json, string]>([
    [[], 'the configuration is not an object'],
    [{}, 'subjects is not an object with at least one subject'],
    [{ subjects: {} }, 'subjects is not an object with at least one subject'],
    [{ subjects: { a: {} }, servers: {} }, 'there is no member "servers"'],
    [{ subjects: { a: { command: 'node server.js' } } }, 'subjects.a.command is not an array of words'],
    [{ subjects: { a: { mode: 'proxy' } } }, 'subjects.a.mode must be one of'],
    [{ subjects: { a: { env: { A: 'b' } } } }, 'subjects.a.env is neither a text'],
  ])('%j', (config, message) => {
    expect(() => read(config)).toThrow(`${file}: ${message}`);
    expect(isValid(config)).toBe(false);
  });
});

test('package.json has the key of the program', () => {
  const file = join(folder, 'package.json');
  writeFileSync(file, JSON.stringify({ name: 'x', 'mcp-conform': { subjects: { a: { command: ['x'] } } } }));
  expect(readConfig(file)).toEqual([{ name: 'a', args: ['server', '--', 'x'] }]);
});

test('the highest exit code of all subjects counts', async () => {
  const file = join(folder, 'mcp-conform.config.json');
  const tiny = join(root, 'suites/selftest/hostile/tiny-server.mjs');
  const subjects = {
    good: { command: [process.execPath, tiny], run: 'server/ping/*', quiet: true },
    absent: { command: ['no-such-program'], quiet: true },
  };
  writeFileSync(file, JSON.stringify({ subjects }));
  const words = [programFile, 'run', '--config', file];
  const { exitCode, stdout } = await execa(process.execPath, words, { reject: false, cwd: root });
  expect(stdout).toMatch(/── good ──[\s\S]*no violations[\s\S]*── absent ──[\s\S]*could not judge/);
  expect(exitCode).toBe(3);
  const unknown = await execa(process.execPath, [...words, 'other'], { reject: false, cwd: root });
  expect([unknown.exitCode, unknown.stderr]).toEqual([2, expect.stringContaining('good, absent')]);
});
