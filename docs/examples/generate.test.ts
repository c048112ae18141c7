import fc from 'fast-check';
import { arbitraryOf, invalidMessage, message } from 'mcp-conform/generate';
import { expect, test } from 'vitest';

/** Represents your code: it accepts tool calls, and nothing else. */
function accepts(json: unknown): boolean {
  const { jsonrpc, id, method, params } = Object(json);
  const hasId = typeof id === 'string' || Number.isInteger(id);
  return jsonrpc === '2.0' && hasId && method === 'tools/call' && typeof params?.name === 'string';
}

test('every valid tool call is accepted', () => {
  fc.assert(fc.property(message('2025-11-25', 'tools/call'), request => accepts(request)));
});

test('a call with an invalid envelope is refused, and the label describes the defect', () => {
  const envelope = invalidMessage('2025-11-25', 'tools/call').filter(({ label }) => label.path === '/method');
  fc.assert(
    fc.property(envelope, ({ value, label }) => {
      expect(accepts(value), label.mutation).toBe(false);
    }),
  );
});

test('arguments are generated from the schema of a tool', () => {
  const { arbitrary, unsupported } = arbitraryOf({
    type: 'object',
    properties: { count: { type: 'integer', minimum: 1, maximum: 9 } },
    required: ['count'],
  });
  expect(unsupported).toEqual([]);
  fc.assert(
    fc.property(arbitrary, args => {
      expect(args).toMatchObject({ count: expect.any(Number) });
    }),
  );
});
