/** The public API, as used by the tests of an SDK. */

import fc from 'fast-check';
import { expect, it } from 'vitest';
import { type Json, kindOf } from '../../spec/json-rpc.js';
import { latestRevision } from '../../spec/revisions.js';
import * as api from './index.js';

/** Represents the parser of an SDK. */
const parse = (text: string): Json => JSON.parse(text) as Json;

const { id } = latestRevision;

it('example: every valid message is read, in every spelling', () => {
  fc.assert(
    fc.property(
      api
        .message(id, 'tools/call')
        .chain(request => fc.tuple(fc.constant(request), api.respellings(request))),
      ([request, text]) => {
        expect(kindOf(parse(text))).toBe('request');
        expect(parse(text)).toEqual(request);
      },
    ),
    { seed: 1 },
  );
});

it('example: valid arguments for an advertised tool, and invalid arguments for refusal', () => {
  const inputSchema = { type: 'object', properties: { n: { type: 'integer', minimum: 0 } }, required: ['n'] };
  const refuses = (args: Json) =>
    !(Number.isInteger((args as { n?: Json } | null)?.n) && (args as { n: number }).n >= 0);
  const { arbitrary, unsupported } = api.arbitraryOf(inputSchema);
  expect(unsupported).toEqual([]);
  fc.assert(
    fc.property(arbitrary, args => !refuses(args)),
    { seed: 1 },
  );
  fc.assert(
    fc.property(api.invalidOf(inputSchema).arbitrary, ({ value }) => refuses(value)),
    { seed: 1 },
  );
});

it('example: a faulty reader is found, and the reason is reported', () => {
  // Accepts any value as the name of a tool, text or not.
  const accepts = (request: Json) => Object.hasOwn((request as { params: object }).params, 'name');
  const run = fc.check(
    fc.property(
      api.invalidMessage(id, 'tools/call', { below: '/params/name' }),
      ({ value }) => !accepts(value),
    ),
    { seed: 1 },
  );
  expect(run.counterexample?.[0]).toMatchObject({
    value: { method: 'tools/call', params: { name: expect.not.stringMatching('') } },
    label: { path: '/params/name', mutation: expect.stringMatching(/^(?:type changed from string|null)/) },
  });
});

it('exports exactly these names', () => {
  expect(Object.keys(api).sort()).toEqual([
    'CannotGenerate',
    'arbitraryOf',
    'chunked',
    'chunkings',
    'commandsOf',
    'definedRevisions',
    'headerSpellings',
    'invalidMessage',
    'invalidOf',
    'message',
    'respellings',
    'spelled',
    'spellings',
    'sseDialects',
    'sseText',
    'sseTexts',
  ]);
});
