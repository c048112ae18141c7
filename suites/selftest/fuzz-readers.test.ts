/**
 * Random and damaged input for everything that reads what a subject or a user wrote: no reader throws, except for a
 * reason that is reported.
 * `MCP_CONFORM_FUZZ_RUNS` sets the number of samples for each reader, `MCP_CONFORM_FUZZ_SEED` the seed.
 */

import fc from 'fast-check';
import { beforeAll, describe, expect, test } from 'vitest';
import { SseReader } from '../../harness/framing/sse.js';
import { CannotGenerate } from '../../harness/generate/cannot-generate.js';
import { minimalObject } from '../../harness/generate/minimal.js';
import { arbitraryOf } from '../../harness/generate/schema.js';
import { parseChallenges } from '../../harness/oauth/challenge.js';
import { clientIn } from '../../harness/oauth/client.js';
import { CookieJar } from '../../harness/oauth/cookies.js';
import { endpointsFrom } from '../../harness/oauth/discovery.js';
import { formsOf, wordsOf } from '../../harness/oauth/forms.js';
import { History } from '../../harness/record/history.js';
import { Secrets } from '../../harness/record/redaction.js';
import { parseKnownFailing } from '../../harness/report/known-failing.js';
import { UsageError } from '../../harness/report/pattern.js';
import type { RunEvent } from '../../harness/report/run-event.js';
import { rejudge } from '../../harness/run/rejudge.js';
import { run } from '../../harness/run/server/run.js';
import { inProcess } from '../../harness/subject/subject.js';
import { LineReader } from '../../harness/transports/stdio/line-reader.js';
import { mockServer } from '../../mocks/server/server.js';
import { readRun } from '../../reports/jsonl.js';
import { isObject, type Json, type JsonObject } from '../../spec/json-rpc.js';
import { latestRevision } from '../../spec/revisions.js';
import { suite } from '../index.js';
import { checkSchema, judgeValue } from '../rules/derived/schemas.js';
import { collect, reportsOf } from './reports-of.test.util.js';

const samples = Number(process.env.MCP_CONFORM_FUZZ_RUNS ?? 200);
const seed = Number(process.env.MCP_CONFORM_FUZZ_SEED ?? 1);

const timeout = 60_000 + samples * 50;

/** Runs a reader on samples. @param share part of the usual number, for readers that take longer */
const tryAll = <T>(arbitrary: fc.Arbitrary<T>, read: (value: T) => void, share = 1): void =>
  fc.assert(
    fc.property(arbitrary, value => void read(value)),
    { numRuns: Math.max(20, Math.round(samples * share)), seed, endOnFailure: true },
  );

/** Accepts errors that name a reason for the user. */
function orReason(kinds: readonly (new (...args: never[]) => Error)[], act: () => void): void {
  try {
    act();
  } catch (error) {
    if (!kinds.some(kind => error instanceof kind)) throw error;
  }
}

const names = ['toString', '__proto__', 'constructor', 'length', 'then', 'toJSON', 'valueOf', ''];
const memberOf = (...own: readonly string[]) =>
  fc.oneof(fc.constantFrom(...own, ...names), fc.string({ maxLength: 6, unit: 'binary' }));

/** Any JSON, with members of these names. */
const jsonWith = (...own: readonly string[]): fc.Arbitrary<Json> =>
  fc.letrec<{ value: Json }>(tie => ({
    value: fc.oneof(
      { depthSize: 'small', withCrossShrink: true },
      fc.constantFrom<Json>(
        null,
        true,
        0,
        -1,
        1e308,
        5e-324,
        2 ** 53,
        '',
        '\u0000',
        '\ud800',
        'http://[',
        '#',
      ),
      fc.string({ unit: 'binary' }),
      fc.constantFrom(...own),
      fc.array(tie('value'), { maxLength: 4 }) as fc.Arbitrary<Json>,
      fc.dictionary(memberOf(...own), tie('value'), { maxKeys: 6 }) as fc.Arbitrary<Json>,
    ),
  })).value;

/** Bytes of texts, in chunks. */
const chunksOf = (text: fc.Arbitrary<string>): fc.Arbitrary<Buffer[]> =>
  fc
    .tuple(text, fc.array(fc.nat(200), { maxLength: 5 }), fc.uint8Array({ maxLength: 8 }))
    .map(([all, cuts, odd]) => {
      const bytes = Buffer.concat([Buffer.from(all), odd, Buffer.from('\n')]);
      const at = [0, ...cuts.map(cut => cut % bytes.length).sort((a, b) => a - b), bytes.length];
      return at.slice(1).map((end, index) => bytes.subarray(at[index], end));
    });

const texts = (...parts: readonly string[]): fc.Arbitrary<string> =>
  fc
    .array(
      fc.oneof(
        { arbitrary: fc.constantFrom(...parts), weight: 4 },
        fc.string({ unit: 'binary', maxLength: 8 }),
      ),
      {
        maxLength: 40,
      },
    )
    .map(all => all.join(''));

const message = fc
  .tuple(jsonWith('jsonrpc', 'id', 'method', 'params', 'result', 'error'), fc.boolean())
  .map(([json, whole]) => JSON.stringify(whole && isObject(json) ? { jsonrpc: '2.0', ...json } : json));

const lines = texts(
  '{"jsonrpc":"2.0",',
  '"id":1',
  '"result":{}',
  '}',
  '{',
  '[',
  ']',
  ',',
  '\n',
  '\r',
  '"',
  '\\u0000',
);

describe('input of a subject', { timeout }, () => {
  test('lines over stdio', () => {
    tryAll(chunksOf(fc.oneof(message, lines)), chunks => {
      const history = new History('server');
      const link = history.newLink('stdio', latestRevision);
      const tap = (event: Parameters<History['record']>[1]) => history.record(link, event).messages;
      const reader = new LineReader({ by: 'server', tap, onMessages: () => {}, onOverflow: () => {} });
      for (const chunk of chunks) reader.push(chunk);
      reader.end();
      for (const m of history.conversation(link).messages) void [m.method, m.params, m.kind];
    });
  });

  test('event streams: the same blocks in any chunks', () => {
    const stream = texts(
      'data: ',
      'data:',
      'id: ',
      'event: ',
      'retry: ',
      ': ',
      '\n',
      '\r',
      '\r\n',
      '\n\n',
      '\uFEFF',
    );
    tryAll(chunksOf(stream), chunks => {
      const read = (parts: readonly Buffer[]) => {
        const blocks: unknown[] = [];
        // the LF of a CRLF may belong to the text of the next block
        const reader = new SseReader(({ raw: _, ...block }) => blocks.push(block));
        for (const part of parts) reader.push(part);
        reader.end();
        return blocks;
      };
      expect(read(chunks)).toEqual(read([Buffer.concat(chunks)]));
    });
  });

  test('heads: challenges and cookies', () => {
    const head = texts(
      'Bearer ',
      'Basic ',
      'realm=',
      '"',
      '\\',
      ',',
      ' ',
      'a="b"',
      '=',
      ';',
      'Max-Age=1',
      '%zz',
    );
    tryAll(fc.array(head, { maxLength: 3 }), values => {
      parseChallenges(values);
      const jar = new CookieJar();
      jar.take(values, new URL('http://a.example/x'));
      jar.for(new URL('http://a.example/x/y'));
    });
  });

  test('metadata and registrations', () => {
    const members = [
      'issuer',
      'authorization_endpoint',
      'token_endpoint',
      'registration_endpoint',
      'client_id',
    ];
    const facts = { metadata: ['oauth', 'openid'], defaultPaths: true } as const;
    tryAll(jsonWith(...members, 'file:///x', 'mailto:x', 'http://a/', 'client_secret'), json => {
      const answer = { status: 200, json: isObject(json) ? json : undefined };
      const url = new URL('http://a.example/');
      endpointsFrom([{ kind: 'oauth', url, answer: answer as never }], url, facts);
      clientIn(answer.json, 'http://127.0.0.1/');
      const secrets = new Secrets();
      secrets.learnFrom(JSON.stringify(json));
      secrets.hideIn(json);
    });
  });

  test('login pages', () => {
    const tags = [
      '<form',
      ' action=',
      ' method=post',
      '>',
      '</form>',
      '<input',
      ' name=a',
      ' type=password',
      '<select>',
    ];
    const page = texts(
      ...tags,
      '<option',
      ' value=',
      '<div>',
      '</div>',
      '<button>',
      '"',
      '<table>',
      '<!--',
      '&#0;',
    );
    tryAll(page, html => {
      formsOf(html, new URL('http://a.example/login'));
      wordsOf(html);
    });
  });

  test('schemas', () => {
    const keywords = [
      'type',
      'properties',
      'required',
      'items',
      'enum',
      'const',
      'pattern',
      '$ref',
      '$defs',
      'anyOf',
    ];
    const values = [
      'object',
      'string',
      'number',
      '#',
      '#/$defs/a',
      '(a+)+$',
      '[',
      'minItems',
      'minLength',
      'format',
    ];
    tryAll(
      fc.tuple(jsonWith(...keywords, ...values, 'multipleOf', 'not', 'uniqueItems', 'oneOf'), jsonWith('a')),
      ([json, value]) => {
        const schema: JsonObject = isObject(json) ? json : { anyOf: [json] };
        checkSchema(schema, latestRevision);
        judgeValue(schema, value, { revision: latestRevision, expected: 'a valid value', evidence: [] });
        minimalObject(schema);
        orReason([CannotGenerate], () => fc.sample(arbitraryOf(schema).arbitrary, { numRuns: 2, seed: 1 }));
      },
      0.3,
    );
  });

  test('secrets in any text', () => {
    const secret = 'aB3+/x~"K9 q<Z&7é=Wp';
    tryAll(
      texts(secret, '\\', '\\u00', '%', '%2', '&', '&#x', '&amp;', Buffer.from(secret).toString('hex')),
      text => {
        const secrets = new Secrets();
        secrets.learn(secret);
        expect(secrets.hide(text)).not.toContain(secret);
      },
    );
  });
});

describe('files of a user', { timeout }, () => {
  let record: string[] = [];
  beforeAll(async () => {
    const selected = (name: string) => /\/server\/(base|ping|tools)\//.test(name);
    const subject = inProcess(streams => mockServer({ delayMs: 2 }).serve(streams));
    const events: RunEvent[] = await collect(run({ subject, suite, runs: 0, selected }));
    record = events.map(event => JSON.stringify(event));
  });

  /** A record with one line replaced. */
  async function judged(text: string): Promise<void> {
    const events: RunEvent[] = [];
    for await (const event of readRun(text)) events.push(event);
    await reportsOf([...rejudge(events, suite.rules)]);
  }

  async function isReadOrRefused(text: string): Promise<void> {
    try {
      await judged(text);
    } catch (error) {
      if (!(error instanceof UsageError)) throw error;
      expect(error.message).toMatch(/^line \d+: |^the (run|file) is /);
    }
  }

  test('the record itself is read', async () => {
    await judged(record.join('\n'));
  });

  test('damaged records', async () => {
    const places = fc.tuple(
      fc.nat(1_000_000),
      fc.nat(1_000_000),
      fc.nat(1_000_000),
      jsonWith('kind', 'frame'),
    );
    const damaged = fc.tuple(places, fc.constantFrom('value', 'character', 'line', 'deleted', 'added'));
    await fc.assert(
      fc.asyncProperty(damaged, async ([[which, where, code, json], how]) => {
        const changed = [...record];
        const at = which % changed.length;
        const line = changed[at]!;
        if (how === 'line') changed.splice(at, 1);
        else if (how === 'character') {
          const cut = where % line.length;
          changed[at] = line.slice(0, cut) + String.fromCharCode(32 + (code % 95)) + line.slice(cut + 1);
        } else changed[at] = JSON.stringify(withChange(JSON.parse(line), where, how, json));
        await isReadOrRefused(changed.join('\n'));
      }),
      { numRuns: Math.max(20, Math.round(samples * 0.1)), seed, endOnFailure: true },
    );
  });

  test('lists of known failures', () => {
    const list = texts(
      '**',
      '*',
      '/',
      '#',
      '# ',
      'server',
      'tools.list-answered',
      ' ',
      '\n',
      '  https://a/1',
      '\uFEFF',
    );
    tryAll(list, text => orReason([UsageError], () => parseKnownFailing(text, 'known.txt')));
  });
});

/** A value with one of its members replaced, deleted or added. */
function withChange(root: JsonObject, where: number, how: string, json: Json): Json {
  const places: [JsonObject, string][] = [];
  const visit = (value: Json): void => {
    if (typeof value !== 'object' || value === null) return;
    for (const [name, item] of Object.entries(value)) {
      places.push([value as JsonObject, name]);
      visit(item);
    }
  };
  visit(root);
  const [holder, name] = places[where % places.length]!;
  if (how === 'deleted') delete holder[name];
  else if (how === 'added') holder[`${name}2`] = json;
  else holder[name] = json;
  return root;
}
