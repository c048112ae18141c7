/** Headers of a client without sessions that repeat members of the body (basic/transports/streamable-http#request-metadata). */

import { fail, type Judgement, pass } from '../../../harness/judge/finding.js';
import { rule } from '../../../harness/judge/rule.js';
import { type Conversation, derived } from '../../../harness/record/conversation.js';
import { namedVersion } from '../../../harness/record/envelope.js';
import type { HeaderList } from '../../../harness/record/event.js';
import { headerAnnotations, isValidAnnotation } from '../../../harness/record/header-annotations.js';
import type { HttpExchange } from '../../../harness/record/http-exchange.js';
import { type Message, resultOf } from '../../../harness/record/message.js';
import {
  argumentText,
  decodeHeader,
  encodeHeader,
  headerParameters,
  nameIn,
  needsName,
} from '../../../harness/record/mirrored-headers.js';
import { isObject, type Json, type JsonObject } from '../../../spec/json-rpc.js';
import type { RequirementId } from '../../../spec/requirement.js';
import { objects } from '../derived/results.js';
import { ownRequests } from '../derived/stateless-client.js';

interface Posted {
  readonly m: Message;
  readonly post: HttpExchange;
  readonly headers: HeaderList;
}

/** Requests with the POST that carried each. */
const posted = derived((conversation: Conversation): readonly Posted[] =>
  ownRequests(conversation).flatMap(m => {
    const post = conversation.httpOf(m);
    return post?.request ? [{ m, post, headers: post.request.headers }] : [];
  }),
);

/** All values of a header, by its name in lower case. */
const valuesOf = ({ headers }: Posted, name: string): string[] =>
  headers.filter(([header]) => header.toLowerCase() === name).map(([, value]) => value);

const shown = (values: readonly string[]): string =>
  values.map(value => value || 'an empty value').join(' | ') || 'none';

/** A value that must not be sent as it is. */
const needsEncoding = (value: string): boolean => encodeHeader(value) !== value;
const looksEncoded = (value: string): boolean => /^=\?base64\?.*\?=$/s.test(value);

const standard = (m: Message): string[] => [
  'mcp-protocol-version',
  'mcp-method',
  ...(needsName(m.method) ? ['mcp-name'] : []),
];

/** A parameter of a call that a header repeats, with its argument as text. */
interface Mirrored extends Posted {
  readonly header: string;
  readonly type: Json | undefined;
  readonly value: string | undefined;
  readonly given: readonly string[];
}

/** The input schema of each tool at the time of a message, where all its annotations are valid. */
function schemaBefore(
  conversation: Conversation,
  name: Json | undefined,
  seq: number,
): JsonObject | undefined {
  const lists = conversation.exchanges({ by: 'subject', method: 'tools/list' });
  for (const exchange of [...lists].reverse()) {
    if (!exchange.reply || exchange.reply.seq > seq) continue;
    const tool = objects(resultOf(exchange)?.tools).find(one => one.name === name);
    if (tool) return isObject(tool.inputSchema) ? tool.inputSchema : undefined;
  }
  return undefined;
}

const mirrored = derived((conversation: Conversation): readonly Mirrored[] =>
  posted(conversation).flatMap(one => {
    const { m } = one;
    if (m.method !== 'tools/call') return [];
    const { name, arguments: args } = m.params ?? {};
    const schema = schemaBefore(conversation, name, m.seq);
    if (!schema || !headerAnnotations(schema).every(isValidAnnotation)) return [];
    return headerParameters(schema).map(parameter => {
      const header = `Mcp-Param-${parameter.name}`;
      return {
        ...one,
        header,
        type: parameter.type,
        value: argumentText(parameter, args),
        given: valuesOf(one, header.toLowerCase()),
      };
    });
  }),
);

const custom = (row: RequirementId) =>
  rule(row, function* (conversation) {
    for (const { m, post, header, value, given } of mirrored(conversation)) {
      if (value === undefined) continue;
      yield given.length === 1
        ? pass([m, post])
        : fail(`one header ${header} for the argument`, [m, post], shown(given));
    }
  });

/** How the value of a header must look. */
function encoding({ m, post, header, value, given }: Mirrored, isUnsafe: boolean): Judgement | undefined {
  const [text] = given;
  if (value === undefined || text === undefined || looksEncoded(value)) return undefined;
  if (needsEncoding(value) !== isUnsafe) return undefined;
  // a value that is safe may be encoded too
  const isRight = isUnsafe ? text === encodeHeader(value) : decodeHeader(text) === value;
  const expected = `${header}: ${encodeHeader(value)}`;
  return isRight ? pass([m, post]) : fail(expected.slice(0, 200), [m, post], text.slice(0, 200));
}

const safeIntegers = (row: RequirementId) =>
  rule.each(row, mirrored, ({ m, post, header, type, value }) => {
    if (type !== 'integer' || value === undefined) return undefined;
    return Number.isSafeInteger(Number(value))
      ? pass([m, post])
      : fail(`an integer between -(2^53-1) and 2^53-1 for ${header}`, [m, post], value);
  });

export const rules = [
  rule.each('http-headers.client-sends-metadata', posted, one => {
    const { m, post } = one;
    const missing = standard(m).filter(name => valuesOf(one, name).length === 0);
    return missing.length === 0
      ? pass([m, post])
      : fail(`the headers ${standard(m).join(', ')}`, [m, post], `no ${missing.join(', ')}`);
  }),

  rule.each('http-headers.version-present', posted, one => {
    const { m, post } = one;
    const given = valuesOf(one, 'mcp-protocol-version');
    return given.length === 1 ? pass([m, post]) : fail('one MCP-Protocol-Version', [m, post], shown(given));
  }),

  rule.each('http-headers.version-matches-body', posted, one => {
    const { m, post } = one;
    const [given] = valuesOf(one, 'mcp-protocol-version');
    const version = namedVersion(m);
    if (given === undefined || typeof version !== 'string') return undefined;
    return given === version ? pass([m, post]) : fail(version, [m, post], given);
  }),

  rule.each('http-headers.method-header', posted, one => {
    const { m, post } = one;
    const given = valuesOf(one, 'mcp-method');
    return given.length === 1 && given[0] === m.method
      ? pass([m, post])
      : fail(`Mcp-Method: ${m.method}`, [m, post], shown(given));
  }),

  rule.each('http-headers.name-header', posted, one => {
    const { m, post } = one;
    const name = nameIn(m.method, m.params);
    if (name === undefined || needsEncoding(name)) return undefined;
    const given = valuesOf(one, 'mcp-name');
    return given.length === 1 && decodeHeader(given[0]!) === name
      ? pass([m, post])
      : fail(`Mcp-Name: ${name.slice(0, 100)}`, [m, post], shown(given).slice(0, 200));
  }),

  rule.each('http-headers.name-encoded', posted, one => {
    const { m, post } = one;
    const name = nameIn(m.method, m.params);
    const [given] = valuesOf(one, 'mcp-name');
    if (name === undefined || given === undefined || !needsEncoding(name) || looksEncoded(name))
      return undefined;
    return given === encodeHeader(name)
      ? pass([m, post])
      : fail(`Mcp-Name: ${encodeHeader(name)}`.slice(0, 200), [m, post], given.slice(0, 200));
  }),

  rule('http-headers.sentinel-escaped', function* (conversation) {
    const names = posted(conversation).map(one => ({
      ...one,
      value: nameIn(one.m.method, one.m.params),
      given: valuesOf(one, 'mcp-name'),
    }));
    for (const { m, post, value, given } of [...names, ...mirrored(conversation)]) {
      if (value === undefined || given[0] === undefined || !looksEncoded(value)) continue;
      yield given[0] === encodeHeader(value)
        ? pass([m, post])
        : fail(encodeHeader(value), [m, post], given[0]);
    }
  }),

  rule('http-headers.sentinel-exact', function* (conversation) {
    for (const { m, post, headers } of posted(conversation))
      for (const [name, value] of headers) {
        if (!/^mcp-(name|param-)/i.test(name) || !/^=\?(base64|utf-8\?b)\?/i.test(value)) continue;
        yield looksEncoded(value)
          ? pass([m, post])
          : fail('=?base64?…?= in lower case', [m, post], `${name}: ${value.slice(0, 100)}`);
      }
  }),

  custom('http-headers.custom-mirrored'),
  custom('http-headers.custom-supported'),
  rule.each('http-headers.value-encoding', mirrored, item => encoding(item, false)),
  rule.each('http-headers.value-base64', mirrored, item => encoding(item, true)),
  safeIntegers('http-headers.custom-safe-integers'),
  safeIntegers('tools.x-mcp-header-safe-integers'),

  rule.each('http-headers.param-omitted-when-absent', mirrored, ({ m, post, header, value, given }) => {
    if (value !== undefined) return undefined;
    return given.length === 0 ? pass([m, post]) : fail(`no header ${header}`, [m, post], shown(given));
  }),
];
