/** What the program loads before it is of use. */

import { execa } from 'execa';
import { expect, test } from 'vitest';
import { program } from '../../suites/selftest/program.test.util.js';

/** Prints the name of each package whose modules Node loads. */
const hooks = `export async function load(url, context, next) {
  const name = /node_modules\\/([^/.][^/]*)\\/(?!.*node_modules)/.exec(url)?.[1];
  if (name) process._rawDebug('loads ' + name);
  return next(url, context);
}`;
const asUrl = (text: string) => `data:text/javascript,${encodeURIComponent(text)}`;
const register = asUrl(`import { register } from 'node:module'; register(${JSON.stringify(asUrl(hooks))});`);

async function loadedBy(...args: string[]): Promise<string[]> {
  const [node, ...file] = program;
  const { stderr } = await execa(node!, ['--import', register, ...file, ...args], {
    input: '',
    reject: false,
  });
  return [...new Set([...stderr.matchAll(/^loads (.+)$/gm)].map(([, name]) => name!))];
}

test('a mock server needs no package but the one for the command line', async () => {
  expect(await loadedBy('mock', 'server')).toEqual(['commander']);
});

test('the mistakes of a command line are told before larger packages are loaded', async () => {
  expect(await loadedBy('server')).toEqual(['commander']);
  expect(await loadedBy('client', '--for', '1', '--', 'node')).toEqual(['commander']);
});

test('a run of a client needs no generator of values', async () => {
  expect(await loadedBy('client', '--', process.execPath, '--eval', '0')).not.toContain('fast-check');
});
