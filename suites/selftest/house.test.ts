/** House rules that a test checks, because a violation would stay unnoticed. */

import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { handshakeMethods } from '../../harness/record/handshake.js';
import { revisionIds } from '../../spec/revisions.js';
import { suite } from '../index.js';
import { expectNoGaps, type Gap } from './gaps.js';
import * as house from './house-rules.js';
import { namesIn } from './lists.js';
import { areaOf, rulePlaces, scenarioPlaces } from './places.js';
import { arrows, atRoot, roomOf } from './rooms.js';
import {
  circles,
  files,
  importsFrom,
  isTest,
  modules,
  namesAny,
  root,
  sources,
  topFolders,
  unusedExports,
} from './source-files.js';

type TopFolder = (typeof topFolders)[number];

const houseRules = 'suites/selftest/house-rules.ts';

describe('imports follow the layers of the design', () => {
  const allowed: Record<TopFolder, readonly TopFolder[]> = {
    spec: ['spec'],
    harness: ['spec', 'harness'],
    mocks: ['spec', 'harness', 'mocks'],
    suites: ['spec', 'harness', 'mocks', 'suites'],
    reports: ['spec', 'harness', 'reports'],
  };
  // the entry connects all parts, and the bench measures all parts
  const wiring = (file: string) => file.startsWith('harness/entry/') || file === 'harness/bench/index.ts';

  test.each(topFolders)('%s', folder => {
    const wrong = files
      .filter(file => file.startsWith(`${folder}/`) && !isTest(file) && !wiring(file))
      .flatMap(file => importsFrom(file).map(target => ({ file, target })))
      .filter(
        ({ target }) =>
          !allowed[folder].some(other => target.startsWith(`${other}/`)) ||
          target.startsWith('harness/entry/'),
      );
    expect(wrong).toEqual([]);
  });

  test('suites use the mock in self-tests only', () => {
    const wrong = files.filter(
      file =>
        file.startsWith('suites/') && !isTest(file) && importsFrom(file).some(t => t.startsWith('mocks/')),
    );
    expect(wrong).toEqual([]);
  });

  test('suites use no sockets, processes or clocks', () => {
    const banned =
      /from '(node:(child_process|net|http|https|timers|dgram|tls)|execa|cross-spawn|undici)'|setTimeout|setInterval|Date\.now|performance\.now/;
    const wrong = files.filter(
      file => file.startsWith('suites/') && !isTest(file) && banned.test(sources.get(file)!),
    );
    expect(wrong).toEqual([]);
  });
});

test('a value of a subject becomes a text by asText: String throws for an object with a member toString', () => {
  const rooms = /^(suites\/(rules|server|client)|harness\/(peer|oauth|scenario|protected-server))\//;
  const banned = /(?<![\w.])String\((?!error\b)/;
  const wrong = files.filter(file => rooms.test(file) && !isTest(file) && banned.test(sources.get(file)!));
  expect(wrong).toEqual(['suites/rules/derived/frontmatter.ts']); // a node of YAML
});

test('dates of revisions are in spec/ only', () => {
  const wrong = files.filter(
    file =>
      !file.startsWith('spec/') &&
      !/\.test(\.util)?\.ts$/.test(file) &&
      revisionIds.some(id => new RegExp(`['"\`]${id}['"\`]`).test(sources.get(file)!)),
  );
  expect(wrong).toEqual([]);
});

describe('the messages of the handshake', () => {
  const named = files.filter(
    file => !isTest(file) && !file.startsWith('spec/') && namesAny(file, Object.values(handshakeMethods)),
  );
  const isListed = (file: string) =>
    house.namesHandshake.some(pattern => pattern.test(file)) || Object.hasOwn(house.otherInitialize, file);

  test('are named by the eras, the pages about lifecycle and versions, and the mocks only', () => {
    const next = 'use beginsHandshake, endsHandshake or handshakeMethods of harness/record/handshake.ts';
    expectNoGaps(
      'The handshake is named where a revision has it',
      named
        .filter(file => !isListed(file))
        .map(file => ({ what: 'the name of a handshake message', file, next })),
    );
  });

  test('and each listed place names them', () => {
    const unused = [
      ...house.namesHandshake.filter(pattern => !named.some(file => pattern.test(file))).map(String),
      ...Object.keys(house.otherInitialize).filter(file => !named.includes(file)),
    ];
    expectNoGaps(
      'Each listed place names a handshake message',
      unused.map(what => ({ what, file: houseRules, next: 'remove the entry' })),
    );
  });
});

test('every file of suites/ that contains cases is reachable from suites/index.ts', () => {
  const reached = new Set<string>();
  const visit = (file: string) => {
    if (reached.has(file) || !sources.has(file)) return;
    reached.add(file);
    for (const target of importsFrom(file)) visit(target);
  };
  visit('suites/index.ts');
  visit('suites/gateway/index.ts');
  const lost = files.filter(file => file.startsWith('suites/') && !isTest(file) && !reached.has(file));
  expect(lost).toEqual([]);
});

describe('scenarios', () => {
  test('have unique names', () => {
    const names = suite.scenarios.map(s => s.name);
    expect(names.filter((name, at) => names.indexOf(name) !== at)).toEqual([]);
  });

  test('have the path of their file and a slug as their name', () => {
    const wrong = suite.scenarios.filter(({ name }) => {
      const at = name.lastIndexOf('/');
      const file = `suites/${name.slice(0, at)}.ts`;
      return !/^[a-z0-9-]+$/.test(name.slice(at + 1)) || !sources.get(file)?.includes(name.slice(0, at + 1));
    });
    expect(wrong.map(s => s.name)).toEqual([]);
  });

  test('have a title in the present tense, without modal verbs', () => {
    const wrong = suite.scenarios.filter(
      ({ title }) => /\b(must|should|shall|may|can|will|would|could)\b/i.test(title) || /[.]$/.test(title),
    );
    expect(wrong.map(s => s.title)).toEqual([]);
  });

  test('cite something', () => {
    expect(suite.scenarios.filter(s => s.verifies.length === 0).map(s => s.name)).toEqual([]);
  });
});

describe('the rooms of harness/', () => {
  const order = Object.keys(house.rooms);

  test('are listed from the bottom: a room imports only rooms before it', () => {
    const upwards = order.flatMap((room, at) =>
      house.rooms[room]!.filter(other => !order.slice(0, at).includes(other)).map(
        other => `${room} -> ${other}`,
      ),
    );
    expect(upwards).toEqual([]);
  });

  test('contain every file', () => {
    const outside = files.filter(f => f.startsWith('harness/') && !atRoot(f) && roomOf(f) === undefined);
    expectNoGaps(
      'Each folder of harness/ is a room',
      outside.map(file => ({
        what: file,
        file: houseRules,
        next: 'move the file into a room, or add the room',
      })),
    );
  });

  test('import along the listed arrows only', () => {
    const wrong = arrows.filter(({ from, to }) => !house.rooms[from]?.includes(to));
    expectNoGaps(
      'A room imports the rooms that house-rules.ts lists for it',
      wrong.map(({ from, to, file, target }) => ({
        what: `${from} -> ${to}: ${target}`,
        file,
        next:
          order.indexOf(to) < order.indexOf(from)
            ? `use another way, or add '${to}' to '${from}' in ${houseRules}`
            : `move what both need into '${to === 'entry' || to === 'bench' ? 'a lower room' : from}' or below`,
      })),
    );
  });

  test('have no arrow in the list without an import', () => {
    const unused = order.flatMap(room =>
      house.rooms[room]!.filter(other => !arrows.some(({ from, to }) => from === room && to === other)).map(
        other => ({ what: `${room} -> ${other}`, file: houseRules, next: 'remove the arrow' }),
      ),
    );
    expectNoGaps('Each listed arrow has an import', unused);
  });

  test('leave at most 12 files at the root', () => {
    const here = readdirSync(join(root, 'harness'), { withFileTypes: true }).filter(entry => entry.isFile());
    expect(here.length, `files: ${here.map(entry => entry.name).join(', ')}`).toBeLessThanOrEqual(12);
  });
});

describe('a row is judged in the file of its area', () => {
  const pageOf = (file: string): string => file.replace(/^suites\/(.*)\.ts$/, '$1');
  const allowedOn = (page: string): readonly string[] =>
    house.areasOfPages[page] ?? [page.slice(page.lastIndexOf('/') + 1)];
  const judging = [...rulePlaces, ...scenarioPlaces];

  test('by rules and scenarios', () => {
    const wrong = judging.filter(({ row, file }) => {
      const page = pageOf(file);
      const general = page.startsWith('rules/') ? [] : house.generalAreas;
      return ![...allowedOn(page), ...general].includes(areaOf(row));
    });
    const gaps = wrong.map(({ row, file }) => {
      const other = judging.find(place => areaOf(place.row) === areaOf(row) && place.file !== file);
      const next = `move it${other ? ` to a file like ${other.file}` : ''}, or add the area in ${houseRules}`;
      return { what: row, file, next };
    });
    expectNoGaps('A row is judged in the file of its area', gaps);
  });

  test('and the list of areas contains no area without a row', () => {
    const gaps = Object.entries(house.areasOfPages).flatMap(([page, areas]) =>
      areas
        .filter(area => !judging.some(({ row, file }) => pageOf(file) === page && areaOf(row) === area))
        .map(area => ({ what: `${page}: ${area}`, file: houseRules, next: 'remove the area' })),
    );
    expectNoGaps('Each listed area has a row', gaps);
  });
});

describe('files', () => {
  const linesIn = (file: string): number => sources.get(file)!.split('\n').length - 1;
  const tooLong = files.filter(
    file => linesIn(file) > house.mostLines && !house.data.some(pattern => pattern.test(file)),
  );

  test('that are not data have at most 400 lines', () => {
    const gaps = tooLong
      .filter(file => !(file in house.longFiles))
      .map(file => ({ what: `${linesIn(file)} lines`, file, next: 'split the file by subject' }));
    expectNoGaps(`A file that is not data has at most ${house.mostLines} lines`, gaps);
  });

  test('on the list of long files are long', () => {
    expectNoGaps(
      'Each listed file is long',
      Object.keys(house.longFiles)
        .filter(file => !tooLong.includes(file))
        .map(file => ({ what: file, file: houseRules, next: 'remove the file from `longFiles`' })),
    );
  });

  test.each([
    ['by types', ['static', 'type', 'lazy'], house.knownCircles],
    ['at run time', ['static'], []],
  ] as const)('import each other in no circle, %s', (_, kinds, known) => {
    const found = circles([...modules.keys()], file => importsFrom(file, kinds));
    const allows = ({ within }: (typeof known)[number], circle: readonly string[]) =>
      circle.every(file => within.some(prefix => file.startsWith(prefix)));
    const gaps: Gap[] = [
      ...found
        .filter(circle => !known.some(one => allows(one, circle)))
        .map(circle => ({
          what: circle.join(', '),
          file: circle[0]!,
          next: 'move what they share into a file that imports none of them',
        })),
      ...known
        .filter(one => !found.some(circle => allows(one, circle)))
        .map(one => ({
          what: one.within.join(', '),
          file: houseRules,
          next: 'remove the circle: it is gone',
        })),
    ];
    expectNoGaps('Files import each other in no circle', gaps);
  });

  test('export nothing that no file imports', () => {
    const listed = namesIn('unused-exports.txt');
    const list = 'suites/selftest/unused-exports.txt';
    const unused = unusedExports();
    expectNoGaps('Each export is imported, or is public', [
      ...unused
        .filter(name => !listed.includes(name))
        .map(name => ({
          what: name,
          file: name.split(':')[0]!,
          next: 'remove `export`, or the whole declaration',
        })),
      ...listed
        .filter(name => !unused.includes(name))
        .map(name => ({
          what: name,
          file: list,
          next: 'remove the line, or run npm run structure -- --write',
        })),
    ]);
  });
});
