/** Fixes in reports, and findings that the SDK of the subject causes. */

import { describe, expect, test } from 'vitest';
import type { FindingReport } from '../harness/report/summary.js';
import { latestStateless, newestFirst } from '../spec/revisions.js';
import { exampleInLine, fixFor } from './fix.js';

const finding = (more: Partial<FindingReport>): FindingReport => ({
  requirement: 'logging.invalid-level-error',
  grade: 'warning',
  case: '2025-11-25/stdio/server/logging/invalid-level',
  count: 1,
  expected: ['error -32602'],
  actual: 'error -32602 "Unknown level"',
  message: null,
  events: [],
  counterexample: null,
  reproduce: '',
  knownFailing: null,
  causedBy: null,
  confirmed: null,
  ...more,
});

describe('the fix of a finding', () => {
  test('has a sentence and a message', () => {
    const { fix, example, sdk } = fixFor(finding({}))!;
    expect(fix).toMatch(/-32602/);
    expect(JSON.parse(example)).toMatchObject({ error: { code: -32602 } });
    expect(sdk).toBeUndefined();
  });

  test.each([
    ['roots.uri-unique', { params: { inputResponses: { question: { roots: [{ name: 'project' }] } } } }],
    ['roots.capability-declared', { method: 'tools/list', params: { _meta: {} } }],
    ['sampling.iteration-limits', { result: { resultType: 'input_required' } }],
    ['elicitation.actions-handled', { result: { resultType: 'complete', content: [{ type: 'text' }] } }],
    ['elicitation.success-not-assumed', { result: { inputRequests: { name: {} } } }],
  ] as const)('%s has a message for a revision without a handshake', (requirement, message) => {
    const of = `${latestStateless.id}/streamable-http/client/x`;
    expect(JSON.parse(fixFor(finding({ requirement, case: of }))!.example)).toMatchObject(message);
  });

  test.each([
    ['elicitation.url-valid', 'elicitationId'],
    ['roots.capability-declared', 'listChanged'],
  ] as const)('%s names no member that only other revisions have', (requirement, member) => {
    const of = `${latestStateless.id}/stdio/x`;
    expect(fixFor(finding({ requirement }))!.example).toContain(member);
    expect(fixFor(finding({ requirement, case: of }))!.example).not.toContain(member);
  });

  test('the message names the revision of the finding', () => {
    const named = newestFirst().map(({ id }) => {
      const { example } = fixFor(
        finding({ requirement: 'lifecycle.version-echo', case: `${id}/stdio/server/x` }),
      )!;
      return [id, JSON.parse(example).result.protocolVersion];
    });
    for (const [id, version] of named) expect(version).toBe(id);
  });

  test('a client sends no error where there is no handshake', () => {
    const given = {
      requirement: 'sampling.message-content-validated',
      case: `${latestStateless.id}/stdio/x`,
    } as const;
    expect(fixFor(finding(given))).toMatchObject({
      fix: expect.stringContaining('do not repeat the request'),
      example: '(no message)',
    });
  });

  test.each(['note', 'inconclusive', 'error'] as const)('is absent for a result of grade %s', grade => {
    expect(fixFor(finding({ grade }))).toBeUndefined();
  });

  test.each([
    ['error -32603 "[\\n  {\\n    \\"code\\": \\"invalid_value\\",', 'TypeScript SDK'],
    ['error -32603 "[ { \\"expected\\": \\"object\\", \\"code\\": \\"invalid_type\\" } ]"', 'TypeScript SDK'],
    ['error -32602 "MCP error -32602: Resource demo://x not found"', 'class McpServer'],
    ['error 0 "Unknown resource: file:///x"', 'Python SDK'],
    ['error 0 "json: cannot unmarshal array into Go value"', 'Go SDK'],
    ['2 of them: result {"tools":[]}, error 0 "Request cancelled"', 'cancellation arrives late'],
    [
      'none; the logger "mcp.server.exception_handler" sends messages',
      'cannot read: report it there, or declare the capability.',
    ],
    ['error -32600 "server-error"', 'when it refuses an HTTP request: report it there.'],
  ])('names the SDK that causes %s', (actual, sdk) => {
    expect(fixFor(finding({ actual }))?.sdk).toContain(sdk);
  });

  test.each([
    'error -32603 "[object Object]"',
    'error -32602 "MCP error -32602: The city is not found"',
    'error -32000 "busy"',
    'result {"code":"[ {"}',
  ])('names no SDK for %s', actual => {
    expect(fixFor(finding({ actual }))?.sdk).toBeUndefined();
  });
});

test('an example in one line is without the version of JSON-RPC and without line breaks', () => {
  expect(exampleInLine('{"jsonrpc":"2.0","id":1,"result":{}}', 80)).toBe('{"id":1,"result":{}}');
  expect(exampleInLine('HTTP/1.1 401 Unauthorized\nWWW-Authenticate: Bearer', 80)).toBe(
    'HTTP/1.1 401 Unauthorized  WWW-Authenticate: Bearer',
  );
});
