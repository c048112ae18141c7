/** basic/index#error-codes: the codes that the specification reserves, defines, and has given up. */

import { fail, type Judgement, pass } from '../../../harness/judge/finding.js';
import { rule } from '../../../harness/judge/rule.js';
import type { Conversation } from '../../../harness/record/conversation.js';
import { declaredIn, namedVersion } from '../../../harness/record/envelope.js';
import { resultOf } from '../../../harness/record/message.js';
import { isObject, type Json } from '../../../spec/json-rpc.js';
import type { RequirementId } from '../../../spec/requirement.js';
import { refusals } from '../derived/stateless.js';

const headerMismatch = -32020;
const missingCapability = -32021;
const unsupportedVersion = -32022;
const defined: readonly number[] = [headerMismatch, missingCapability, unsupportedVersion];
const retired: readonly number[] = [-32002, -32042];
/** The codes of JSON-RPC itself. */
const standard: readonly number[] = [-32700, -32600, -32601, -32602, -32603];

const within = (code: number, least: number, most: number): boolean => code >= least && code <= most;

const isInteger = (code: unknown): code is number => Number.isInteger(code);

/** A rule about the code of each error. */
const codes = (row: RequirementId, isWrong: (code: number) => boolean, expected: string) =>
  rule.each(row, refusals, ({ request, reply, code }): Judgement | undefined => {
    if (!isInteger(code)) return undefined;
    return isWrong(code) ? fail(expected, [request, reply], `error ${code}`) : pass([request, reply]);
  });

/** The versions in the last result of server/discover. */
const supported = (conversation: Conversation): readonly Json[] | undefined =>
  conversation
    .exchanges({ by: 'peer', method: 'server/discover' })
    .map(e => resultOf(e)?.supportedVersions)
    .findLast(Array.isArray);

/** Whether all members of an object, at any depth, are members of another one. */
const isPart = (part: Json | undefined, whole: Json | undefined): boolean =>
  !isObject(part) ||
  (isObject(whole) && Object.entries(part).every(([key, value]) => isPart(value, whole[key])));

export const rules = [
  codes(
    'error-codes.reserved-range-undefined',
    code => within(code, -32099, -32020) && !defined.includes(code) && !retired.includes(code),
    'no undefined code from -32099 to -32020',
  ),
  codes('error-codes.retired-not-emitted', code => retired.includes(code), 'neither -32002 nor -32042'),
  codes(
    'error-codes.legacy-range-unused',
    code => within(code, -32019, -32000) && !retired.includes(code),
    'no code from -32019 to -32000',
  ),
  codes(
    'error-codes.application-codes-outside',
    code => within(code, -32768, -32100) && !standard.includes(code),
    'a code of JSON-RPC, or one outside of -32768 to -32000',
  ),

  rule.each('error-codes.defined-meaning', refusals, ({ request, reply, code, error }, conversation) => {
    const evidence = [request, reply];
    const data = isObject(error.data) ? error.data : {};
    if (code === headerMismatch) {
      if (conversation.transport === 'stdio') return fail('no -32020 over stdio', evidence, 'error -32020');
      const post = conversation.httpOf(request);
      const isExact = post && !post.request?.deliberate && !request.frame.deliberate;
      return isExact ? fail('no -32020 for headers that match', evidence, 'error -32020') : pass(evidence);
    }
    if (code === missingCapability) {
      const { requiredCapabilities: required } = data;
      const isDeclared =
        isObject(required) && Object.keys(required).length > 0 && isPart(required, declaredIn(request));
      return isDeclared
        ? fail('no -32021 for declared capabilities', evidence, JSON.stringify(required))
        : pass(evidence);
    }
    if (code === unsupportedVersion) {
      const version = namedVersion(request);
      const inHeader = conversation.httpOf(request)?.requestHeader('mcp-protocol-version');
      // the server looks at the header first: http-headers.version-mismatch-rejected
      if (inHeader !== undefined && inHeader !== version) return pass(evidence);
      const isListed = version !== undefined && supported(conversation)?.includes(version);
      return isListed
        ? fail('no -32022 for a version of server/discover', evidence, JSON.stringify(version))
        : pass(evidence);
    }
    return undefined;
  }),
];
