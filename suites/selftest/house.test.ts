/** House rules that a test checks, because a violation would stay unnoticed. */

import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative, resolve, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { revisionIds } from '../../spec/revisions.js';
import { suite } from '../index.js';

const root = fileURLToPath(new URL('../..', import.meta.url));
const rooms = ['spec', 'harness', 'mocks', 'suites', 'reports'] as const;
type Room = (typeof rooms)[number];

const files = rooms.flatMap(room =>
  readdirSync(join(root, room), { recursive: true, encoding: 'utf8' })
    .filter(name => name.endsWith('.ts'))
    .map(name => `${room}/${name.split(sep).join('/')}`),
);
const sources = new Map(files.map(file => [file, readFileSync(join(root, file), 'utf8')]));
const isTest = (file: string) =>
  /\.(test|test\.util|examples)\.ts$/.test(file) || /^suites\/selftest\//.test(file);

/** The files of this project that a file imports. */
function imports(file: string): string[] {
  return [...sources.get(file)!.matchAll(/(?:from|import)\s*\(?\s*['"](\.[^'"]+)['"]/g)].map(found =>
    relative(root, resolve(root, dirname(file), found[1]!))
      .split(sep)
      .join('/'),
  );
}

describe('imports follow the layers of the design', () => {
  const allowed: Record<Room, readonly Room[]> = {
    spec: ['spec'],
    harness: ['spec', 'harness'],
    mocks: ['spec', 'harness', 'mocks'],
    suites: ['spec', 'harness', 'mocks', 'suites'],
    reports: ['spec', 'harness', 'reports'],
  };
  // the entry connects all parts, and the bench measures all parts
  const wiring = (file: string) => file.startsWith('harness/entry/') || file === 'harness/bench/index.ts';

  test.each(rooms)('%s', room => {
    const wrong = files
      .filter(file => file.startsWith(`${room}/`) && !isTest(file) && !wiring(file))
      .flatMap(file => imports(file).map(target => ({ file, target })))
      .filter(
        ({ target }) =>
          !allowed[room].some(other => target.startsWith(`${other}/`)) || target.startsWith('harness/entry/'),
      );
    expect(wrong).toEqual([]);
  });

  /** The rooms of harness, from the bottom; a file may import its own room and the rooms before. */
  const order = [
    'framing',
    'time',
    'record',
    'subject',
    'judge',
    'transports',
    'oauth',
    'generate',
    'peer',
    'protected-server',
    'scenario',
    'report',
    'run',
    'run/server',
    'run/client',
    'run/authorization-server',
    'run/proxy',
  ];
  /** `run/server` for a file of that room; undefined for a file directly in `harness/`, which every room may import. */
  const roomOf = (file: string): string | undefined => {
    const [, room, inner, name] = file.split('/');
    return inner === undefined ? undefined : room === 'run' && name !== undefined ? `run/${inner}` : room;
  };
  const ofHarness = files.filter(
    file => /^harness\/(?!entry\/|bench\/)/.test(file) && !isTest(file) && roomOf(file) !== undefined,
  );

  test('every room of harness has a place in the order', () => {
    expect([...new Set(ofHarness.map(roomOf))].filter(room => !order.includes(room!))).toEqual([]);
  });

  test('no room of harness imports a room above it', () => {
    const wrong = ofHarness.flatMap(file =>
      imports(file)
        .filter(target => target.startsWith('harness/'))
        .filter(target => order.indexOf(roomOf(target) ?? '') > order.indexOf(roomOf(file)!))
        .map(target => `${file} imports ${target}`),
    );
    expect(wrong).toEqual([]);
  });

  test('harness/ itself has at most 12 files', () => {
    expect(readdirSync(join(root, 'harness')).filter(name => name.includes('.')).length).toBeLessThanOrEqual(
      12,
    );
  });

  test('no import circle exists at run time', () => {
    const targets = (file: string): string[] =>
      [...sources.get(file)!.matchAll(/^(?:import|export) (?!type )(?:[^;]*? from )?'(\.[^']+)'/gm)]
        .filter(found => !/^(?:import|export) \{(?:\s*type [^,}]+,?)+\s*\}/.test(found[0]))
        .map(found => join(dirname(file), found[1]!).split(sep).join('/').replace(/\.js$/, '.ts'))
        .filter(target => sources.has(target));
    const done = new Set<string>();
    const circles: string[] = [];
    const visit = (file: string, path: readonly string[]): void => {
      if (path.includes(file)) circles.push([...path.slice(path.indexOf(file)), file].join(' -> '));
      if (done.has(file) || path.includes(file)) return;
      for (const target of targets(file)) visit(target, [...path, file]);
      done.add(file);
    };
    for (const file of files) if (!isTest(file)) visit(file, []);
    expect(circles).toEqual([]);
  });

  test('suites use the mock in self-tests only', () => {
    const wrong = files.filter(
      file => file.startsWith('suites/') && !isTest(file) && imports(file).some(t => t.startsWith('mocks/')),
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

test('dates of revisions are in spec/ only', () => {
  const wrong = files.filter(
    file =>
      !file.startsWith('spec/') &&
      !/\.test(\.util)?\.ts$/.test(file) &&
      revisionIds.some(id => new RegExp(`['"\`]${id}['"\`]`).test(sources.get(file)!)),
  );
  expect(wrong).toEqual([]);
});

test('every file of suites/ that contains cases is reachable from suites/index.ts', () => {
  const reached = new Set<string>();
  const visit = (file: string) => {
    if (reached.has(file) || !sources.has(file)) return;
    reached.add(file);
    for (const target of imports(file)) visit(target.replace(/\.js$/, '.ts'));
  };
  visit('suites/index.ts');
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
