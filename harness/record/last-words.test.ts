import { expect, test } from 'vitest';
import { lastWords } from './last-words.js';

test('the last lines', () => {
  expect(lastWords(['a', 'b', 'c'], 2)).toEqual(['b', 'c']);
  expect(lastWords([], 2)).toEqual([]);
});

test('lines of stack traces are left out, unless there are no others', () => {
  const trace = ['    at run (/app/server.js:7:1)', '    at node:internal/main/run_main_module:28:49'];
  expect(lastWords(['Error: no port', ...trace, 'Node.js v20.0.0'], 2)).toEqual([
    'Error: no port',
    'Node.js v20.0.0',
  ]);
  expect(lastWords(trace, 1)).toEqual(trace.slice(-1));
});

test('the message of a crash is shown where a long trace follows', () => {
  const calls = Array.from({ length: 20 }, (_, n) => [
    `main.f${n}(0xc000)`,
    `\t/app/main.go:${n} +0x1d`,
  ]).flat();
  const output = ['ready', 'panic: no tools', 'goroutine 1 [running]:', ...calls, 'exit status 2'];
  expect(lastWords(output, 3)).toEqual(['panic: no tools', 'main.f19(0xc000)', 'exit status 2']);
});
