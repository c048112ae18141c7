/** basic/transports/streamable-http#custom-headers-from-tool-parameters: headers that repeat arguments of tools. */

import { minimalObject, minimalValue } from '../../harness/generate/minimal.js';
import type { HttpExchange } from '../../harness/record/http-exchange.js';
import {
  argumentText,
  encodeHeader,
  type HeaderParameter,
  headerParameters,
} from '../../harness/record/mirrored-headers.js';
import { type Known, scenario } from '../../harness/scenario/scenario.js';
import type { HttpAsk } from '../../harness/transports/link.js';
import { isObject, type Json, type JsonObject } from '../../spec/json-rpc.js';
import { codeOf, encoded, isServed, send, shown } from './header-requests.js';
import { hasStatus429 } from './unrelated-refusals.js';

/** Parameters that are tried, at most. */
const most = 6;

/** The schema of a property that other properties lead to. */
const schemaAt = (schema: Json | undefined, [name, ...rest]: readonly string[]): JsonObject => {
  if (!isObject(schema)) return {};
  const { properties } = schema;
  return name === undefined ? schema : schemaAt(isObject(properties) ? properties[name] : {}, rest);
};

/** Arguments with another value of one parameter. */
function withValue(args: Json | undefined, [name, ...rest]: readonly string[], value: Json): Json {
  if (name === undefined) return value;
  const object = isObject(args) ? args : {};
  return { ...object, [name]: withValue(object[name], rest, value) };
}

/** A tool with parameters that headers repeat, and its arguments: all, and only those that it needs. */
function annotatedTool({ callable, tools }: Known) {
  for (const { name } of callable) {
    const schema = tools.find(t => t.name === name)?.inputSchema;
    const parameters = headerParameters(schema);
    if (parameters.length === 0 || !isObject(schema)) continue;
    const args = minimalObject(schema);
    const filled = parameters
      .filter(p => argumentText(p, args) === undefined)
      .reduce<Json>((all, { path }) => withValue(all, path, minimalValue(schemaAt(schema, path))), args);
    return { name, schema, parameters, args, filled, needed: minimalObject(schema, 'required') };
  }
  return undefined;
}

/** Keywords beside which a string may be any text. */
const anyText: ReadonlySet<string> = new Set([
  'type',
  'title',
  'description',
  'x-mcp-header',
  'default',
  'minLength',
]);

const none = 'no tool that may be called has parameters that headers repeat';

/** A text that no header can hold unchanged; each byte of Latin-1 is one character. */
const foreign = 'Zürich';

const headerOf = ({ name }: HeaderParameter): string => `Mcp-Param-${name}`;

/** A text with capital letters, or with small ones where it has only capital letters. */
const otherCase = (text: string): string => {
  const capital = text.toUpperCase();
  return capital === text ? text.toLowerCase() : capital;
};

/** The header of another value of the same type. */
const otherText = (text: string): string =>
  text === 'true' ? 'false' : text === 'false' ? 'true' : `${text}1`;

const rows = [
  'http-headers.param-validated',
  'http-headers.param-missing-rejected',
  'http-headers.param-mismatch-400',
  'http-headers.param-invalid-characters',
  'http-headers.param-not-expected-when-absent',
  'http-headers.integers-numeric',
  'http-headers.sentinel-decoded',
  'http-headers.values-case-sensitive',
] as const;

export const scenarios = [
  scenario.http('server/http-headers/parameters', {
    title: 'a tools/call whose Mcp-Param headers differ from the arguments is refused with -32020',
    verifies: rows,
    era: 'modern',
    isolation: 'shared',
    async run({ peer, http, expect, known }) {
      const found = annotatedTool(known);
      if (!found) return expect.notObserved(rows, none);
      const { name, schema, parameters, needed } = found;
      const at = { peer, http };
      const call = (values: Json, headers: NonNullable<HttpAsk['headers']> = {}) =>
        send(at, 'tools/call', { name, arguments: values }, headers);
      // the arguments decide: a tool may refuse some values
      let args: Json = found.filled;
      if (!isServed(await call(args))) {
        args = found.args;
        if (!isServed(await call(args))) return expect.notObserved(rows, `${name} is refused`);
      }
      const given = parameters.filter(p => argumentText(p, args) !== undefined).slice(0, most);
      const [parameter] = given;
      if (!parameter) return expect.notObserved(rows, `${name} is refused`);
      const header = headerOf(parameter);
      const refused = (row: (typeof rows)[number], e: HttpExchange, what: string) => {
        expect.that(row, {
          ok: !isServed(e),
          expected: `a request with ${what} to be refused`,
          evidence: [e],
          actual: shown(e),
        });
        const fits = e.status === 400 && codeOf(e) === -32020;
        if (!isServed(e) && !hasStatus429(e))
          expect.that('http-headers.param-mismatch-400', {
            ok: fits,
            expected: 'status 400 with error -32020',
            evidence: [e],
            actual: shown(e),
          });
      };
      for (const p of given) {
        const other = await call(args, { [headerOf(p)]: otherText(argumentText(p, args)!) });
        refused('http-headers.param-validated', other, `another ${headerOf(p)}`);
      }
      for (const p of new Set([parameter, given.at(-1)!])) {
        const missing = await call(args, { [headerOf(p)]: null });
        refused('http-headers.param-missing-rejected', missing, `a missing ${headerOf(p)}`);
      }
      const invalid = await call(args, { [header]: '=?base64?%%%?=' });
      expect.that('http-headers.param-invalid-characters', {
        ok: !isServed(invalid),
        expected: 'a request with invalid Base64 to be refused',
        evidence: [invalid],
        actual: shown(invalid),
      });
      // both marks of the encoding, with one question mark for the two
      const short = await call(args, { [header]: '=?base64?=' });
      refused('http-headers.param-validated', short, `=?base64?= as ${header}`);
      const absent = await call(needed);
      // The tool may refuse null, but not for a missing header.
      const isNull = await call(withValue(args, parameter.path, null));
      const isOptional = given.some(p => argumentText(p, needed) === undefined);
      for (const e of isOptional ? [absent, isNull] : [isNull])
        expect.that('http-headers.param-not-expected-when-absent', {
          ok: codeOf(e) !== -32020,
          expected: 'no error -32020',
          evidence: [e],
          actual: shown(e),
        });
      const integer = given.find(p => p.type === 'integer');
      if (!integer) expect.notObserved('http-headers.integers-numeric', 'no integer is repeated in a header');
      else {
        const text = `${argumentText(integer, args)}.0`;
        const numeric = await call(args, { [headerOf(integer)]: text });
        expect.that('http-headers.integers-numeric', {
          ok: isServed(numeric),
          expected: `a result for ${text}`,
          evidence: [numeric],
          actual: shown(numeric),
        });
      }
      const string = given.find(p => p.type === 'string');
      if (!string)
        return expect.notObserved(
          ['http-headers.sentinel-decoded', 'http-headers.values-case-sensitive'],
          'no text is repeated in a header',
        );
      const text = argumentText(string, args)!;
      const inOtherCase = otherCase(text);
      if (inOtherCase === text)
        expect.notObserved('http-headers.values-case-sensitive', 'the value has no letters');
      else
        refused(
          'http-headers.values-case-sensitive',
          await call(args, { [headerOf(string)]: encodeHeader(inOtherCase) }),
          `${headerOf(string)} in other letter case`,
        );
      const same = await call(args, { [headerOf(string)]: encoded(text) });
      if (hasStatus429(same)) return;
      expect.that('http-headers.sentinel-decoded', {
        ok: isServed(same),
        expected: `a result for ${headerOf(string)} in Base64`,
        evidence: [same],
        actual: shown(same),
      });
      const wrong = await call(args, { [headerOf(string)]: encoded(`${text}x`) });
      refused('http-headers.param-validated', wrong, `another ${headerOf(string)} in Base64`);
      if (!Object.keys(schemaAt(schema, string.path)).every(keyword => anyText.has(keyword))) return;
      const abroad = withValue(args, string.path, foreign);
      const fitting = await call(abroad);
      expect.that('http-headers.sentinel-decoded', {
        ok: codeOf(fitting) !== -32020,
        expected: 'no error -32020',
        evidence: [fitting],
        actual: shown(fitting),
      });
      if (!isServed(fitting)) return;
      const raw = await call(abroad, { [headerOf(string)]: foreign });
      refused('http-headers.param-invalid-characters', raw, 'characters that are not ASCII in a header');
    },
  }),
];
