/** Each requirement that yields violations or warnings says how to repair them, with an example that is valid. */

import { expect, test } from 'vitest';
import { extensions } from '../../spec/extensions/index.js';
import { fixOf } from '../../spec/fix.js';
import { isObject, type Json, type JsonObject } from '../../spec/json-rpc.js';
import { type RequirementId, requirement, requirements } from '../../spec/requirement.js';
import { definedRevisions } from '../../spec/revisions.js';
import { vocabularyWith } from '../../spec/vocabulary.js';
import { rowFile } from './case-files.js';
import { judged } from './coverage.js';
import { expectNoGaps } from './gaps.js';

const yieldsOnlyNotes = (id: RequirementId): boolean => {
  const { contested, clauses } = requirement(id);
  return contested !== undefined || Object.values(clauses).every(({ level }) => level === 'MAY');
};

const ids = [...requirements().keys()].filter(id => judged.has(id) && !yieldsOnlyNotes(id));
const fixFile = (id: RequirementId) => rowFile(id)!.replace('/requirements', '/fixes');

test('each requirement with violations or warnings has a fix', () => {
  expectNoGaps(
    'Each requirement that yields violations or warnings says how to repair them',
    ids
      .filter(id => !fixOf(id))
      .map(id => ({ what: id, file: fixFile(id), next: 'add fix and example, and run npm run spec' })),
  );
});

test('no other requirement has one', () => {
  const wanted = new Set(ids);
  expect([...requirements().keys()].filter(id => fixOf(id) && !wanted.has(id))).toEqual([]);
});

test('a fix is short, and begins with what to do', () => {
  for (const id of ids) {
    const { fix } = fixOf(id) ?? { fix: 'Do.' };
    expect(fix, id).toMatch(/^[A-Z].*[.)]$/s);
    expect(fix.split(/\s+/).length, `${id}: ${fix}`).toBeLessThan(48);
  }
});

/** The messages of an example: the body of an HTTP message, or its lines, of which some are for one side only. */
const textsIn = (example: string): readonly string[] => {
  const body = /\n\n(\{"jsonrpc".*)$/s.exec(example)?.[1];
  return body === undefined ? example.split('\n').filter(line => /^[{[]/.test(line)) : [body];
};

const messagesIn = (example: string): JsonObject[] =>
  textsIn(example)
    .flatMap(text => JSON.parse(text) as Json)
    .filter(one => isObject(one) && 'jsonrpc' in one) as JsonObject[];

test('the requests and notifications of the examples are valid in a revision of the requirement', () => {
  const gaps = ids.flatMap(id => {
    return messagesIn(fixOf(id)?.example ?? '').flatMap(message => {
      // after a fallback a client of 2026-07-28 sends initialize
      const isFallback = message.method === 'initialize';
      const revisions = definedRevisions.filter(r => isFallback || requirement(id).clauses[r.id]);
      const problems = revisions.map(revision => {
        const identifiers = extensions.map(e => e.identifier);
        const { messageDefinition, validate, envelopeDefinition } = vocabularyWith(revision, identifiers);
        const { method } = message;
        if (typeof method !== 'string')
          return validate(envelopeDefinition('error' in message ? 'error' : 'result'), message);
        const definition = messageDefinition('client', method) ?? messageDefinition('server', method);
        return definition ? validate(definition, message) : [{ path: '/method', message: 'is unknown' }];
      });
      return problems.some(found => found.length === 0)
        ? []
        : [{ what: `${id}: ${JSON.stringify(problems.at(-1))}`, file: fixFile(id), next: 'correct it' }];
    });
  });
  expectNoGaps('The examples are valid', gaps);
});
