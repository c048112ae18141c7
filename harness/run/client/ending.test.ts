import { expect, test } from 'vitest';
import { whyUnexercised } from './ending.js';

const crashed = {
  exit: { code: 1, signal: null },
  starved: undefined,
  wasSuspended: false,
  wasLoud: false,
} as never;

test('the reason of a crash quotes the error, not what Node prints after it', () => {
  const output = [
    'file:///client.mjs:3',
    '  throw new Error("No tool.");',
    '        ^',
    'Error: No tool.',
    '    at file:///client.mjs:3:9 {',
    "  code: 'NONE'",
    '}',
    'Node.js v20.20.2',
  ];
  const reason = 'the client did not connect: the client exited with code 1; last output: Error: No tool.';
  expect(whyUnexercised('exited', crashed, [], output)).toBe(reason);
});

test('the reason of a crash without an error quotes the last line', () => {
  const reason = 'the client did not connect: the client exited with code 1; last output: }';
  expect(whyUnexercised('exited', crashed, [], ['  {', '}'])).toBe(reason);
});
