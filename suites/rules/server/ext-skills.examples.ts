import { isObject, type Json, type JsonObject, without } from '../../../spec/json-rpc.js';
import type { RequirementId } from '../../../spec/requirement.js';
import { digestOf, skillsExtension } from '../derived/ext-skills.js';
import type { ExampleTable } from '../example.test.util.js';
import type { Line } from '../record.test.util.js';
import { complete, discovered, enveloped, stateless } from '../stateless.test.util.js';

const ask = (id: number, method: string, params: JsonObject): Line => ['c', enveloped(id, method, params)];
const says = (id: number, result: JsonObject): Line => ['s', complete(id, result)];
const refuses = (id: number, message: string, code = -32602): Line => [
  's',
  { jsonrpc: '2.0', id, error: { code, message } },
];
const hints = { ttlMs: 0, cacheScope: 'public' };
/** A server that declares the extension with this setting. */
const setTo = (directoryRead: Json | undefined): Line[] =>
  discovered({
    resources: {},
    extensions: { [skillsExtension]: { ...(directoryRead !== undefined && { directoryRead }) } },
  });
const declared = discovered({ resources: {}, extensions: { [skillsExtension]: { directoryRead: true } } });

const uri = 'skill://acme/tools/SKILL.md';
const md = '---\nname: tools\ndescription: Tools.\nversion: 1.10\nsince: 2026-01-01\nnone:\n---\n\n# Tools\n';
const frontmatter = {
  name: 'tools',
  description: 'Tools.',
  version: '1.10',
  since: '2026-01-01T00:00:00.000Z',
};
const file = (text: string, at = uri): JsonObject => ({
  uri: at,
  digest: digestOf(Buffer.from(text)),
  size: Buffer.byteLength(text),
});
const skill = (more: JsonObject = {}): JsonObject => ({ uri, frontmatter, resources: [file(md)], ...more });
const other = (more: JsonObject = {}, at = 'skill://acme/other/SKILL.md'): JsonObject =>
  skill({ uri: at, frontmatter: { name: 'other', description: 'Other.' }, resources: 'dynamic', ...more });
const named = (name: string): JsonObject =>
  skill({ uri: `skill://${name}/SKILL.md`, frontmatter: { ...frontmatter, name }, resources: 'dynamic' });
const listed = (...skills: Json[]): Line[] => [
  ...declared,
  ask(1, 'skills/list', {}),
  says(1, { skills, ...hints }),
];
const got = (entry: JsonObject, more: JsonObject = hints): Line[] => [
  ask(2, 'skills/get', { uri: entry.uri! }),
  says(2, { skill: entry, ...more }),
];
const reads = (text: string, at = uri): Line[] => [
  ask(3, 'resources/read', { uri: at }),
  says(3, { contents: [{ uri: at, text }], ...hints }),
];
const directory = (resource: JsonObject, more: JsonObject = {}): Line[] => [
  ask(4, 'resources/directory/read', { uri: 'skill://acme/tools' }),
  says(4, { resources: [resource], ...more }),
];
const described = (more: JsonObject = {}): JsonObject => ({
  uri,
  name: 'tools',
  description: 'Tools.',
  mimeType: 'text/markdown',
  ...more,
});
const sha = (skill().resources as JsonObject[])[0]!.digest as string;
const about = (change: (value: JsonObject) => JsonObject): JsonObject =>
  skill({ resources: (skill().resources as Json[]).filter(isObject).map(change) });
const filesOf = (count: number): JsonObject =>
  skill({
    resources: [
      file(md),
      ...Array.from({ length: count - 1 }, (_, at) => file('', `skill://acme/tools/${at}`)),
    ],
  });
const crlf = md.replaceAll('\n', '\r\n');
const whole = listed(skill(), other());
const nested = skill({
  uri: 'skill://acme/tools/sub/SKILL.md',
  frontmatter: { name: 'sub', description: 'S.' },
});
const sub = file(md, 'skill://acme/tools/sub/SKILL.md');
const dynamic = listed(skill({ resources: 'dynamic' }));
const again = (...skills: Json[]): Line[] => [ask(6, 'skills/list', {}), says(6, { skills, ...hints })];
const also = (lines: Line[], ...rows: RequirementId[]) => ({ lines, also: rows });
const entryExamples = (...bad: JsonObject[]) => ({ good: [whole], bad: bad.map(each => listed(each)) });

export const examples: ExampleTable = stateless({
  'ext-skills.resources-declared': {
    good: [declared],
    bad: [discovered({ extensions: { [skillsExtension]: {} } })],
  },
  'ext-skills.directory-read-boolean': {
    good: [declared],
    legal: [
      { lines: setTo(undefined), shows: 'absent', isUnobserved: true },
      { lines: setTo(false), shows: 'off' },
      // settings of another extension
      {
        lines: discovered({ resources: {}, extensions: { 'com.example/skills': { directoryRead: 1 } } }),
        isUnobserved: true,
      },
    ],
    bad: [
      { lines: setTo('yes'), shows: 'text' },
      { lines: setTo(null), shows: 'null' },
    ],
  },
  'base.schema-valid': {
    good: [whole],
    bad: [
      listed(without(skill({ resources: 'dynamic' }), 'uri')),
      listed(without(skill({ resources: 'dynamic' }), 'frontmatter')),
      listed(
        skill({ resources: 'dynamic', frontmatter: { description: 'x' } }),
        other({ frontmatter: { description: 'x' } }),
      ),
      listed(skill({ resources: 'dynamic', frontmatter: { name: 'tools' } })),
      listed(about(f => without(f, 'digest'))),
      listed(skill({ resources: [file(md), without(file(md), 'uri')] })),
    ],
  },
  'ext-skills.format': {
    good: [
      whole,
      listed(
        skill({
          frontmatter: { ...frontmatter, description: 'x'.repeat(1024), compatibility: 'x'.repeat(500) },
        }),
      ),
    ],
    bad: [{ description: 'x'.repeat(1025) }, { description: ' ' }, { compatibility: 'x'.repeat(501) }].map(
      more => listed(skill({ frontmatter: { ...frontmatter, ...more } })),
    ),
  },
  'ext-skills.skill-md': entryExamples(skill({ uri: 'skill://acme/docs/README.md', resources: 'dynamic' })),
  'ext-skills.scheme': {
    good: [whole, listed(skill({ uri: 'SKILL:acme/tools/SKILL.md', resources: 'dynamic' }))],
    bad: ['github://acme/tools/SKILL.md', ' skill://me@acme/tools/SKILL.md'].map(at =>
      listed(skill({ uri: at, resources: 'dynamic' })),
    ),
  },
  'ext-skills.path-ends-with-name': entryExamples(skill({ frontmatter: { ...frontmatter, name: 'tool' } })),
  'ext-skills.name-rules': {
    good: [listed(...['x'.repeat(64), 'ab-cd-ef'].map(named))],
    bad: [
      ...['Tools', 'x'.repeat(65), 'a--b', '-a', 'a_b'].map(named),
      // the segment of the name is judged as a name
      skill({
        uri: 'skill://acme/to^ols/SKILL.md',
        frontmatter: { ...frontmatter, name: 'to^ols' },
        resources: 'dynamic',
      }),
    ].map(each => listed(each)),
  },
  'ext-skills.authority': {
    good: [whole, listed(skill({ uri: 'skill://ac%C3%A9me/a%20b:c/tools/SKILL.md', resources: 'dynamic' }))],
    bad: [listed(skill({ uri: 'skill://me@acme/tools/SKILL.md', resources: 'dynamic' }))],
  },
  'ext-skills.prefix-segments': {
    good: [whole],
    bad: [listed(skill({ uri: 'skill://acme/a^b/tools/SKILL.md', resources: 'dynamic' }))],
  },
  'ext-skills.md-mime-type': {
    good: [
      [...whole, ...directory(described({ mimeType: 'text/markdown; charset=utf-8' }))],
      [...whole, ...directory(described({ mimeType: 'text/markdown ;charset=utf-8' }))],
    ],
    bad: [
      [...whole, ...directory(described({ mimeType: 'text/plain' }))],
      [...whole, ...directory(described({ mimeType: 'x-text/markdown' }))],
    ],
  },
  'ext-skills.md-name': {
    good: [[...whole, ...directory(described())]],
    bad: [[...whole, ...directory(described({ name: 'SKILL.md' }))]],
  },
  'ext-skills.md-description': {
    good: [
      [...whole, ...directory(described({ description: ' Tools. ' }))],
      [
        ...listed(skill({ frontmatter: { ...frontmatter, description: 'Reads\n  files.' } })),
        ...directory(described({ description: 'Reads files.' })),
      ],
    ],
    bad: [
      [...whole, ...directory(without(described(), 'description'))],
      [...whole, ...directory(described({ description: 'Other tools.' }))],
      [...whole, ...directory(described({ description: 'To ols.' }))],
    ],
  },
  'ext-skills.frontmatter-first': {
    good: [[...listed(skill({ resources: 'dynamic' })), ...reads(md)]],
    legal: [
      { lines: [...listed(skill({ resources: 'dynamic' })), ...reads(crlf)], shows: 'crlf' },
      [...listed(skill({ resources: 'dynamic' })), ...reads(`\ufeff${md}`)],
    ],
    bad: [
      [...listed(skill({ resources: 'dynamic' })), ...reads(`# Tools\n${md}`)],
      [...dynamic, ...reads('---\nname: tools\n')],
      [...dynamic, ...reads('---\n- tools\n---\n')],
      also([...dynamic, ...reads('---\nname: tools\n---\n')], 'ext-skills.frontmatter-identical'),
      also([...dynamic, ...reads('---\ndescription: Tools.\n---\n')], 'ext-skills.frontmatter-identical'),
    ],
  },
  'ext-skills.frontmatter-identical': {
    good: [[...listed(skill({ resources: 'dynamic' })), ...reads(md)]],
    legal: [
      [
        ...listed(skill({ frontmatter: { ...frontmatter, version: 1.1, none: null }, resources: 'dynamic' })),
        ...reads(md),
      ],
    ],
    bad: [
      [
        ...listed(skill({ frontmatter: { ...frontmatter, version: '2' }, resources: 'dynamic' })),
        ...reads(md),
      ],
      [
        ...listed(skill({ frontmatter: { ...frontmatter, extra: true }, resources: 'dynamic' })),
        ...reads(md),
      ],
    ],
  },
  'ext-skills.names-unique': {
    good: [[...whole, ...again(skill(), other())]],
    legal: [[...whole, ...got(skill({ uri: 'skill://tools/SKILL.md', resources: 'dynamic' }))]],
    bad: [listed(skill(), skill({ uri: 'skill://tools/SKILL.md', resources: 'dynamic' }))],
  },
  'ext-skills.resources-present': entryExamples(
    without(skill(), 'resources'),
    skill({ resources: 'generated' }),
    skill({ resources: null }),
  ),
  'ext-skills.resources-complete': {
    good: [
      listed(skill(), other({ resources: [file(md, 'skill://acme/other/SKILL.md')] })),
      listed(skill({ resources: [file(md), sub] }), { ...nested, resources: [sub] }),
    ],
    legal: [
      [
        ...listed(skill({ resources: [file(md), sub] })),
        ...got(skill({ resources: [sub, file(md)] })),
        ...again(skill({ resources: [file(md), sub] })),
      ],
      // the list may have changed before skills/get, or after it
      [...listed(skill({ resources: [file(md), sub] })), ...got(skill())],
      [...declared, ...got(skill()), ...again(skill({ resources: [file(md), sub] }))],
      [...listed(skill({ resources: [file(md), sub] })), ...got(skill()), ...again(skill())],
      [...whole, ...got(skill({ resources: 'dynamic' })), ...again(skill())],
    ],
    bad: [
      listed(skill({ resources: [] })),
      listed(skill({ resources: [file(md), file(md)] })),
      listed(skill(), { ...nested, resources: [sub] }),
      [
        ...listed(skill({ resources: [file(md), sub] })),
        ...got(skill()),
        ...again(skill({ resources: [file(md), sub] })),
      ],
    ],
  },
  'ext-skills.resources-within': entryExamples(
    skill({ resources: [file(md), file(md, 'skill://acme/other/SKILL.md')] }),
    skill({ resources: [file(md), file(md, 'skill://acme/tools/../x.md')] }),
  ),
  'ext-skills.size': {
    good: [[...whole, ...reads(md)]],
    bad: [
      listed(about(f => without(f, 'size'))),
      ...['5', 1.5, -1].map(size => listed(about(f => ({ ...f, size })))),
      [...listed(about(f => ({ ...f, size: 3 }))), ...reads(md)],
    ],
  },
  'ext-skills.digest': {
    good: [[...whole, ...reads(md)]],
    legal: [
      {
        lines: [
          ...whole,
          ask(3, 'resources/read', { uri }),
          says(3, { contents: [{ uri, blob: Buffer.from(md).toString('base64') }], ...hints }),
        ],
        shows: 'binary',
      },
      // the entry changed in the meantime
      [...whole, ...reads('---\nname: x\n---\n'), ...got(skill({ resources: [file('new')] }))],
    ],
    bad: [
      ...[sha.slice(7), `x${sha}`, `${sha}0`].map(digest => listed(about(f => ({ ...f, digest })))),
      [
        ...listed(about(f => ({ ...f, digest: sha.replace(/.$/, c => (c === '0' ? '1' : '0')) }))),
        ...reads(md),
      ],
    ],
  },
  'ext-skills.limits': {
    good: [listed(filesOf(512)), listed(skill({ resources: [{ ...file(md), size: 16_777_216 }] }))],
    bad: [
      listed(filesOf(513)),
      listed(skill({ resources: [{ ...file(md), size: 16_777_216 }, file('x', 'skill://acme/tools/a')] })),
      also(
        listed(
          skill({
            resources: [
              without(file('x', 'skill://acme/tools/a'), 'size'),
              { ...file(md), size: 16_777_217 },
            ],
          }),
        ),
        'ext-skills.size',
      ),
    ],
  },
  'ext-skills.list-result-type': {
    good: [whole],
    bad: [
      also(
        [...declared, ask(1, 'skills/list', {}), says(1, { resultType: 'listed', skills: [], ...hints })],
        'result.type-known',
      ),
    ],
  },
  'ext-skills.get-result-type': {
    good: [[...declared, ...got(skill())]],
    bad: [also([...declared, ...got(skill(), { ...hints, resultType: 'found' })], 'result.type-known')],
  },
  'ext-skills.directory-result-type': {
    good: [[...declared, ...directory(described())]],
    bad: [also([...declared, ...directory(described(), { resultType: 'directory' })], 'result.type-known')],
  },
  'ext-skills.list-hints': {
    good: [
      [...declared, ask(1, 'skills/list', {}), says(1, { skills: [], ttlMs: 9, cacheScope: 'private' })],
    ],
    bad: [[...declared, ask(1, 'skills/list', {}), says(1, { skills: [], ttlMs: 0 })]],
  },
  'ext-skills.get-hints': {
    good: [[...declared, ...got(skill())]],
    bad: [[...declared, ...got(skill(), { cacheScope: 'public' })]],
  },
  'ext-skills.files-readable': {
    good: [[...whole, ...reads(md)]],
    legal: [[...whole, ask(3, 'resources/read', { uri }), refuses(3, 'No.', -32601)]],
    bad: [
      [...whole, ask(3, 'resources/read', { uri }), refuses(3, 'No.')],
      [
        ...listed(skill({ resources: [file(md), sub] })),
        ask(3, 'resources/read', { uri: sub.uri! }),
        refuses(3, 'No.'),
      ],
    ],
  },
  'ext-skills.error-informative': {
    good: [[...declared, ask(5, 'skills/get', { uri }), refuses(5, 'There is no such skill.')]],
    bad: [[...declared, ask(5, 'skills/get', { uri }), refuses(5, ' ')]],
  },
});
