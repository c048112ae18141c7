/** Texts that users read are plain English, as far as a list of words can judge it. */

import { describe, expect, test } from 'vitest';
import { expectNoGaps } from './gaps.js';
import { firstWords, modalVerbs, type StopWord, stopWords } from './stop-words.js';
import { type Kind, type UserText, userTexts } from './user-texts.js';

const kinds = ['title', 'fault', 'quirk', 'row', 'help'] as const satisfies readonly Kind[];

/** The text is part of the message, so that it can be found. */
const gapsOf = (wrong: readonly UserText[], next: (text: string) => string) =>
  wrong.map(({ kind, name, text, file }) => ({ what: `${kind} ${name}: ${text}`, file, next: next(text) }));

const wordsIn = (words: readonly StopWord[], texts: readonly UserText[]) =>
  texts.flatMap(one => {
    const word = words.find(({ pattern }) => pattern.test(one.text));
    if (!word) return [];
    const found = word.pattern.exec(one.text)![0].trim();
    return gapsOf([one], () => `"${found}" is ${word.because}: write ${word.instead}`);
  });

describe.each(kinds)('each text of a %s', kind => {
  const texts = userTexts.filter(one => one.kind === kind);

  test('is found', () => {
    expect(texts.length).toBeGreaterThan(50);
  });

  test('contains no stop word', () => {
    expectNoGaps('A text contains no word of stop-words.ts', wordsIn(stopWords, texts));
  });

  test('has a noun as its subject', () => {
    expectNoGaps('A text begins with its subject, and not with a pronoun', wordsIn(firstWords, texts));
  });

  test('is one paragraph without double spaces', () => {
    const wrong = texts.filter(({ text, form }) => /\s\s|^\s|\s$/.test(text) && form !== 'mixed');
    expectNoGaps(
      'A text has single spaces',
      gapsOf(wrong, () => 'remove the white space'),
    );
  });
});

test('titles, faults and quirks state a fact: they have no modal verb', () => {
  const wrong = userTexts.filter(
    ({ kind, text }) => ['title', 'fault', 'quirk'].includes(kind) && modalVerbs.test(text),
  );
  expectNoGaps(
    'A title, a fault or a quirk has no modal verb',
    gapsOf(wrong, text => `write the present tense instead of "${modalVerbs.exec(text)![0]}"`),
  );
});

test('sentences end with a full stop, and titles and options do not', () => {
  const wrong = userTexts.filter(
    ({ form, text }) => form !== 'mixed' && /[.!?]$/.test(text) !== (form === 'sentence'),
  );
  expectNoGaps(
    'A sentence ends with a full stop; a title and an option do not',
    gapsOf(wrong, text => (text.endsWith('.') ? 'remove the full stop' : 'add a full stop')),
  );
});

test('titles begin in lower case, except for names in capitals', () => {
  const wrong = userTexts.filter(({ kind, text }) => kind === 'title' && /^[A-Z](?![A-Z])/.test(text));
  expectNoGaps(
    'A title begins in lower case',
    gapsOf(wrong, () => 'begin in lower case'),
  );
});

test('rows begin with a capital letter', () => {
  const wrong = userTexts.filter(({ kind, text }) => kind === 'row' && !/^[A-Z]/.test(text));
  expectNoGaps(
    'A row begins with a capital letter',
    gapsOf(wrong, () => 'begin with a capital letter'),
  );
});
