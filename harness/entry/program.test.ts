import { expect, it } from 'vitest';
import { programWords } from './program.js';

it.each([
  ['a file', '/work/dist/bin.js', {}, 'node dist/bin.js'],
  ['a file elsewhere', '/other/dist/bin.js', {}, 'node /other/dist/bin.js'],
  ['a command of the PATH', '/usr/bin/mcp-conform', { PATH: '/bin:/usr/bin' }, 'mcp-conform'],
  [
    'npx',
    '/home/me/.npm/_npx/1/node_modules/.bin/mcp-conform',
    { PATH: '/home/me/.npm/_npx/1/node_modules/.bin:/bin', npm_command: 'exec' },
    'npx mcp-conform',
  ],
  [
    'a script of a package',
    '/work/node_modules/.bin/mcp-conform',
    { PATH: '/work/node_modules/.bin', npm_command: 'run-script' },
    'npx mcp-conform',
  ],
  ['a local command', '/work/node_modules/.bin/mcp-conform', { PATH: '/bin' }, 'npx mcp-conform'],
  ['its file', '/work/node_modules/mcp-conform/dist/bin.js', { PATH: '/bin' }, 'npx mcp-conform'],
])('commands are printed as the program was started: %s', (_, script, env, words) => {
  expect(programWords(script, env, '/work').join(' ')).toBe(words);
});
