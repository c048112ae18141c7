/** How to repair a failure, and whether the SDK of the subject causes it, where the bytes tell. */

import { envelopeKeys } from '../harness/record/envelope.js';
import { handshakeMethods } from '../harness/record/handshake.js';
import type { FindingReport } from '../harness/report/summary.js';
import { type Fix, fixOf } from '../spec/fix.js';
import { isObject, type JsonObject } from '../spec/json-rpc.js';
import { findDefinedRevision, latestRevision, latestStateless } from '../spec/revisions.js';
import { visible } from './escape.js';
import { fitJson, withoutVersion } from './json-text.js';
import { truncate, width } from './style.js';

interface FixText extends Fix {
  /** That an SDK is the cause, in a sentence. */
  readonly sdk?: string;
}

const handled = 'handle the request yourself';

/** Texts that an SDK writes itself, before or instead of the code of its user, and what its user can do, if anything. */
const signatures: readonly (readonly [text: RegExp, sdk: string, remedy?: string])[] = [
  // the issues of zod as the message of an error
  [
    /^error -326\d\d "\[\s*(\\n)?\s*\{(?=.*\\?"(code|expected)\\?")/s,
    'TypeScript SDK, whose parser of requests answers before the code of the server runs',
    handled,
  ],
  [
    /^error -326\d\d "MCP error -326\d\d: (Tool|Resource|Prompt|Resource template) .*not found/s,
    'TypeScript SDK 1.x (class McpServer)',
    handled,
  ],
  [
    /^error -326\d\d "MCP error -326\d\d: (Invalid arguments for|Input validation error|Output validation error|Invalid task creation result)/s,
    'TypeScript SDK 1.x (class McpServer)',
    handled,
  ],
  [
    /^error 0 "/,
    'SDK: the Python SDK (in revisions up to 2025-11-25) and the Go SDK use code 0 for an error of a handler that has no code',
    handled,
  ],
  [
    /^2 of them: result .*, error 0 "Request cancelled"$/s,
    'Python SDK 1.x, which answers a request once more when its cancellation arrives late',
  ],
  [
    /the logger "mcp\.server\.exception_handler"/,
    'Python SDK 1.x, which sends a log message for each message that it cannot read',
    'declare the capability',
  ],
  [/"server-error"/, 'Python SDK 1.x, which uses the id "server-error" when it refuses an HTTP request'],
];

const failing: ReadonlySet<FindingReport['grade']> = new Set(['violation', 'warning', 'knownFailing']);

/** Areas about questions of a server and the answers of its client. */
const aboutQuestions = /^(?:roots|sampling|elicitation)\./;

const enveloped = (capabilities: JsonObject): JsonObject => ({
  [envelopeKeys.protocolVersion]: latestStateless.id,
  [envelopeKeys.clientCapabilities]: capabilities,
});

/** Members that no message of a revision without a handshake has. */
const removed: ReadonlySet<string> = new Set(['elicitationId', 'listChanged']);

/** Whether a result is the answer of a client to its server: a decision, a list of roots, or a message of a model. */
const isAnswer = (result: JsonObject): boolean => 'action' in result || 'roots' in result || 'role' in result;

/**
 * The same fix without a handshake: a client declares capabilities in each request, a server asks in its result, and the
 * client answers in a request that it repeats.
 */
function withoutHandshake(requirement: string, { fix, example }: Fix): Fix {
  if (!example.startsWith('{')) return { fix, example };
  const { method, params, result, error } = JSON.parse(example, (name, value) =>
    removed.has(name) ? undefined : value,
  ) as JsonObject;
  const [area = ''] = requirement.split('.', 1);
  const as = (given: JsonObject): Fix => ({
    fix,
    example: JSON.stringify({ jsonrpc: '2.0', id: 3, ...given }),
  });
  if (error !== undefined)
    return {
      fix: `${fix} In ${latestStateless.id} no error answers a question of a result: do not repeat the request.`,
      example: '(no message)',
    };
  if (isObject(result)) {
    if (!isAnswer(result)) return as({ result: { resultType: 'complete', ...result } });
    const _meta = enveloped({ [area]: {} });
    const inputResponses = { question: result };
    return as({ method: 'tools/call', params: { name: 'greet', arguments: {}, inputResponses, _meta } });
  }
  if (method !== handshakeMethods.request) {
    const question = { method: method!, ...(params !== undefined && { params }) };
    return as({ result: { resultType: 'input_required', inputRequests: { question } } });
  }
  const declared = isObject(params) && isObject(params.capabilities) ? params.capabilities : {};
  return as({ method: 'tools/list', params: { _meta: enveloped(declared) } });
}

/** Undefined for notes, and for results that are no failure. */
export function fixFor({ requirement, grade, actual, case: name }: FindingReport): FixText | undefined {
  const given = failing.has(grade) ? fixOf(requirement) : undefined;
  const revision = findDefinedRevision(name.split('/', 1)[0]);
  const isStateless = revision?.era === 'modern';
  const fix =
    given && isStateless && aboutQuestions.test(requirement) ? withoutHandshake(requirement, given) : given;
  const [, cause, remedy] = signatures.find(([text]) => actual !== null && text.test(actual)) ?? [];
  const advice = ['report it there', ...(remedy === undefined ? [] : [remedy])].join(', or ');
  return (
    fix && {
      ...fix,
      // where there is a handshake, the examples are in the latest of these revisions
      ...(revision && !isStateless && { example: fix.example.replaceAll(latestRevision.id, revision.id) }),
      ...(cause !== undefined && { sdk: `Most likely the cause is the ${cause}: ${advice}.` }),
    }
  );
}

/** An example in one line: a message without the version of JSON-RPC, or an HTTP message with its lines joined. */
export function exampleInLine(example: string, columns: number): string {
  const line = withoutVersion(example.replace(/\n+/g, '  '));
  if (width(line) <= columns) return visible(line);
  return fitJson(line, columns) ?? truncate(visible(line), columns);
}
