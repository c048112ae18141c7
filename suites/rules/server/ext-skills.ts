/** The skills extension (io.modelcontextprotocol/skills): what a server says about its skills. */

import { grouped } from '../../../harness/grouped.js';
import { fail, type Judgement, pass } from '../../../harness/judge/finding.js';
import { rule } from '../../../harness/judge/rule.js';
import { type Conversation, declares } from '../../../harness/record/conversation.js';
import { errorOf, type Message, resultOf } from '../../../harness/record/message.js';
import { extensionPath } from '../../../spec/extensions/index.js';
import { lengthOf } from '../../../spec/is-valid.js';
import { asText, isObject, type Json, type JsonObject, ownMember } from '../../../spec/json-rpc.js';
import type { RequirementId } from '../../../spec/requirement.js';
import {
  decoded,
  described,
  digestOf,
  entries,
  filesOf,
  filesRead,
  listedFilesRead,
  nameOf,
  rootOf,
  skillErrors,
  skillsExtension,
  stableEntries,
} from '../derived/ext-skills.js';
import { difference, frontmatterIn, isPlain, readings } from '../derived/frontmatter.js';
import { answered, shown } from '../derived/results.js';
import { resultType } from '../derived/stateless.js';

/** The bounds of the Agent Skills specification, in characters. */
const most = { name: 64, description: 1024, compatibility: 500 };
/** The limits of the extension for one skill. */
const limits = { files: 512, bytes: 16_777_216 };

/** A flaw as a failed judgement about an entry. */
const entry = (row: RequirementId, expected: string, flaw: (skill: JsonObject) => string | undefined) =>
  rule.each(row, entries, ({ skill, reply }) => {
    const actual = flaw(skill);
    return actual === undefined ? pass([reply]) : fail(expected, [reply], `${actual} in ${shown(skill.uri)}`);
  });

const files = (
  row: RequirementId,
  expected: string,
  flaw: (file: JsonObject, skill: JsonObject) => boolean,
) =>
  entry(row, expected, skill => {
    const wrong = filesOf(skill).find(file => flaw(file, skill));
    return wrong && shown(wrong);
  });

/**
 * The form of a member of each listed file, and its agreement with the file that was read.
 * @param differs what the file would need, where it differs
 */
const fileRule = (
  row: RequirementId,
  isWellFormed: (file: JsonObject) => boolean,
  form: string,
  differs: (bytes: Buffer, file: JsonObject) => string | undefined,
) =>
  rule(row, function* (conversation) {
    for (const { skill, reply } of entries(conversation)) {
      const wrong = filesOf(skill).find(file => !isWellFormed(file));
      yield wrong ? fail(form, [reply], `${shown(wrong)} in ${shown(skill.uri)}`) : pass([reply]);
    }
    for (const { entry: listedBy, file, reply, bytes } of listedFilesRead(conversation)) {
      const expected = differs(bytes, file);
      yield expected === undefined
        ? pass([listedBy.reply, reply])
        : fail(expected, [listedBy.reply, reply], shown(file));
    }
  });

const hints = (row: RequirementId, method: string) =>
  rule.each(
    row,
    conversation => answered(conversation, method),
    ({ request, reply, result: { ttlMs, cacheScope } }) =>
      Number.isInteger(ttlMs) && (cacheScope === 'public' || cacheScope === 'private')
        ? pass([request, reply])
        : fail(
            'ttlMs, and cacheScope public or private',
            [request, reply],
            `ttlMs ${shown(ttlMs)}, cacheScope ${shown(cacheScope)}`,
          ),
  );

/** A URI in its parts: authority, and the segments of the path before the name and SKILL.md. */
function partsOf(uri: Json | undefined): { authority: string; prefix: string[] } | undefined {
  const [, authority, path] = /^[a-z][a-z0-9+.-]*:\/\/([^/]*)(.*)$/i.exec(asText(uri)) ?? [];
  if (authority === undefined) return undefined;
  return { authority, prefix: (path ?? '').split('/').slice(1, -2) };
}

const isRegName = (text: string): boolean => /^(?:[\w.~!$&'()*+,;=-]|%[\da-f]{2})*$/i.test(text);
const isSegment = (text: string): boolean => /^(?:[\w.~!$&'()*+,;=:@-]|%[\da-f]{2})*$/i.test(text);

const isName = (name: string): boolean =>
  lengthOf(name) <= most.name && /^[\p{Ll}\p{Lo}\p{N}]+(?:-[\p{Ll}\p{Lo}\p{N}]+)*$/u.test(name);

const bounded = (text: string, bound: number) =>
  lengthOf(text) > bound ? `${lengthOf(text)} characters` : undefined;

const words = (text: Json | undefined): string | undefined =>
  typeof text !== 'string' ? undefined : text.replace(/\s+/g, ' ').trim();

/** A member of the resource of SKILL.md. */
const resourceOf = (
  row: RequirementId,
  member: 'mimeType' | 'name' | 'description',
  expected: (skill: JsonObject) => string,
  agrees: (value: Json | undefined, skill: JsonObject) => boolean,
) =>
  rule.each(row, described, ({ reply, resource, entry: { reply: shownBy, skill } }) =>
    agrees(resource[member], skill)
      ? pass([reply])
      : fail(`${member} ${shown(expected(skill))}`, [shownBy, reply], shown(resource[member])),
  );

/** SKILL.md as it was read, with its entry. */
const skillFiles = (conversation: Conversation) =>
  filesRead(conversation).flatMap(read => {
    const known = stableEntries(conversation).get(read.uri);
    return known ? [{ ...read, known }] : [];
  });

/** Whether entries list their SKILL.md, each file once, and the files of skills nested in theirs. */
function* complete(conversation: Conversation): Iterable<Judgement> {
  const stable = [...stableEntries(conversation).values()];
  for (const { skill, reply } of stable) {
    if (!Array.isArray(skill.resources)) continue;
    const uris = filesOf(skill).map(file => asText(file.uri));
    const twice = uris.find((uri, at) => uris.indexOf(uri) < at);
    const nested = stable.filter(other => asText(other.skill.uri).startsWith(`${rootOf(skill.uri)}/`));
    const lost = nested
      .flatMap(other => filesOf(other.skill).map(file => asText(file.uri)))
      .find(uri => !uris.includes(uri));
    if (!uris.includes(asText(skill.uri)))
      yield fail(`a file with the uri ${shown(skill.uri)}`, [reply], shown(uris));
    else if (twice !== undefined) yield fail('each file once', [reply], `${shown(twice)} is listed twice`);
    else if (lost !== undefined)
      yield fail(`the file ${shown(lost)} of a nested skill`, [reply], `not in ${shown(skill.uri)}`);
    else yield pass([reply]);
  }
  yield* otherFiles(conversation);
}

const urisIn = (skill: JsonObject): string =>
  filesOf(skill)
    .map(file => asText(file.uri))
    .sort()
    .join();

/** Files that skills/get leaves out or adds, where skills/list has the same ones before and after. */
function* otherFiles(conversation: Conversation): Iterable<Judgement> {
  for (const [uri, all] of grouped(entries(conversation), ({ skill }) => asText(skill.uri))) {
    if (!all.every(({ skill }) => Array.isArray(skill.resources))) continue;
    const [listed, got] = [true, false].map(is => all.filter(({ isListed }) => isListed === is)) as [
      typeof all,
      typeof all,
    ];
    const first = listed[0];
    if (!first || listed.some(({ skill }) => urisIn(skill) !== urisIn(first.skill))) continue;
    const other = got.find(
      ({ skill, request, reply }) =>
        urisIn(skill) !== urisIn(first.skill) &&
        first.reply.seq < request.seq &&
        listed.some(later => later.request.seq > reply.seq),
    );
    if (other)
      yield fail(
        `the files of ${shown(uri)} in skills/list`,
        [first.reply, other.reply],
        shown(filesOf(other.skill).map(file => asText(file.uri))),
      );
  }
}

/** The settings of the extension in a result of server/discover. */
function settingsIn({ capabilities }: JsonObject): JsonObject {
  const extensions = isObject(capabilities) ? capabilities.extensions : undefined;
  const settings = isObject(extensions) ? ownMember(extensions, skillsExtension) : undefined;
  return isObject(settings) ? settings : {};
}

export const rules = [
  rule('ext-skills.resources-declared', function* (conversation) {
    for (const { reply, result } of answered(conversation, 'server/discover')) {
      const { capabilities } = result;
      if (!isObject(capabilities) || !declares(capabilities, extensionPath(skillsExtension))) continue;
      yield isObject(capabilities.resources)
        ? pass([reply])
        : fail('the capability resources', [reply], shown(Object.keys(capabilities)));
    }
  }),

  rule('ext-skills.directory-read-boolean', function* (conversation) {
    for (const { request, reply, result } of answered(conversation, 'server/discover')) {
      const setting = settingsIn(result).directoryRead;
      if (setting === undefined) continue;
      yield typeof setting === 'boolean'
        ? pass([request, reply])
        : fail('true or false', [request, reply], `directoryRead ${shown(setting)}`);
    }
  }),

  entry('ext-skills.format', 'members in the bounds of the Agent Skills specification', ({ frontmatter }) => {
    if (!isObject(frontmatter)) return undefined;
    const { description, compatibility } = frontmatter;
    // a missing one is judged by the form of the entry
    if (typeof description !== 'string') return undefined;
    if (description.trim() === '') return 'an empty description';
    const tooLong = bounded(description, most.description);
    if (tooLong) return `a description of ${tooLong}`;
    const long = typeof compatibility === 'string' ? bounded(compatibility, most.compatibility) : undefined;
    return long && `compatibility of ${long}`;
  }),
  entry('ext-skills.skill-md', 'a uri that ends in /SKILL.md', ({ uri }) =>
    typeof uri === 'string' && !uri.endsWith('/SKILL.md') ? 'another file' : undefined,
  ),
  entry('ext-skills.scheme', 'the scheme skill', ({ uri }) =>
    typeof uri === 'string' && !/^skill:/i.test(uri) ? 'another scheme' : undefined,
  ),
  entry('ext-skills.path-ends-with-name', 'a directory with the name of the skill', skill => {
    const name = nameOf(skill);
    if (typeof name !== 'string' || !asText(skill.uri).endsWith('/SKILL.md')) return undefined;
    return decoded(rootOf(skill.uri)).split('/').at(-1) === name ? undefined : `the name ${shown(name)}`;
  }),
  entry('ext-skills.name-rules', 'a name by the rules of the Agent Skills specification', skill => {
    const name = nameOf(skill);
    return typeof name !== 'string' || isName(name) ? undefined : `the name ${shown(name)}`;
  }),
  entry('ext-skills.authority', 'a reg-name (RFC 3986) as the first segment', ({ uri }) => {
    const parts = partsOf(uri);
    return parts && !isRegName(parts.authority) ? shown(parts.authority) : undefined;
  }),
  entry('ext-skills.prefix-segments', 'segments of a path (RFC 3986) before the name', ({ uri }) => {
    const wrong = partsOf(uri)?.prefix.find(segment => !isSegment(segment));
    return wrong === undefined ? undefined : shown(wrong);
  }),

  resourceOf(
    'ext-skills.md-mime-type',
    'mimeType',
    () => 'text/markdown',
    value => /^text\/markdown\s*(;|$)/i.test(asText(value)),
  ),
  resourceOf(
    'ext-skills.md-name',
    'name',
    skill => asText(nameOf(skill)),
    (value, skill) => value === nameOf(skill),
  ),
  resourceOf(
    'ext-skills.md-description',
    'description',
    ({ frontmatter }) => asText(isObject(frontmatter) ? frontmatter.description : ''),
    (value, { frontmatter }) =>
      words(value) === words(isObject(frontmatter) ? frontmatter.description : undefined),
  ),

  rule.each('ext-skills.frontmatter-first', skillFiles, ({ reply, bytes }) => {
    const text = bytes.toString('utf8');
    const yaml = frontmatterIn(text);
    const expected = 'YAML frontmatter with a name and a description';
    if (yaml === undefined) return fail(expected, [reply], shown(text.slice(0, 80)));
    const mapping = readings(yaml)?.[0];
    if (!mapping) return fail(expected, [reply], 'no YAML mapping');
    const lacking = ['name', 'description'].find(name => mapping[name] === undefined);
    return lacking === undefined ? pass([reply]) : fail(expected, [reply], `no ${lacking}`);
  }),
  rule.each('ext-skills.frontmatter-identical', skillFiles, ({ reply, bytes, known }) => {
    const yaml = frontmatterIn(bytes.toString('utf8'));
    const asRead = yaml === undefined ? undefined : readings(yaml);
    const { frontmatter } = known.skill;
    if (!asRead || !isObject(frontmatter) || !isPlain(yaml!)) return undefined;
    const member = difference(frontmatter, asRead);
    if (member === undefined) return pass([known.reply, reply]);
    return fail(`${member} ${shown(asRead[0]![member])}`, [known.reply, reply], shown(frontmatter[member]));
  }),
  rule('ext-skills.names-unique', function* (conversation) {
    const seen = new Map<string, { uri: Json | undefined; reply: Message }>();
    for (const { skill, reply, isListed } of entries(conversation)) {
      const name = nameOf(skill);
      if (!isListed || typeof name !== 'string') continue;
      const before = seen.get(name);
      if (!before) seen.set(name, { uri: skill.uri, reply });
      yield before && before.uri !== skill.uri
        ? fail(`another name than ${shown(name)}`, [before.reply, reply], shown(skill.uri))
        : pass([reply]);
    }
  }),

  entry('ext-skills.resources-present', 'an array of files, or "dynamic"', ({ resources }) =>
    Array.isArray(resources) || resources === 'dynamic' ? undefined : shown(resources),
  ),
  rule('ext-skills.resources-complete', complete),
  files('ext-skills.resources-within', 'files in the directory of the skill', ({ uri }, skill) => {
    const text = asText(uri);
    const isBelow = text.startsWith(`${rootOf(skill.uri)}/`);
    return typeof uri === 'string' && (!isBelow || decoded(text).split('/').includes('..'));
  }),
  fileRule(
    'ext-skills.size',
    ({ size }) => Number.isInteger(size) && (size as number) >= 0,
    'the number of bytes as size',
    (bytes, { size }) =>
      bytes.length === size || typeof size !== 'number' ? undefined : `${bytes.length} bytes`,
  ),
  fileRule(
    'ext-skills.digest',
    ({ digest }) => typeof digest !== 'string' || /^sha256:[\da-f]{64}$/.test(digest),
    'sha256: and 64 lower-case hexadecimal digits',
    (bytes, { digest }) => {
      const expected = digestOf(bytes);
      return asText(digest).toLowerCase() === expected ? undefined : expected;
    },
  ),
  entry('ext-skills.limits', `at most ${limits.files} files and ${limits.bytes} bytes`, skill => {
    const listed = filesOf(skill);
    if (listed.length > limits.files) return `${listed.length} files`;
    const bytes = listed.reduce((sum, { size }) => sum + (typeof size === 'number' ? size : 0), 0);
    return bytes > limits.bytes ? `${bytes} bytes` : undefined;
  }),

  resultType('ext-skills.list-result-type', 'skills/list'),
  resultType('ext-skills.get-result-type', 'skills/get'),
  resultType('ext-skills.directory-result-type', 'resources/directory/read'),
  hints('ext-skills.list-hints', 'skills/list'),
  hints('ext-skills.get-hints', 'skills/get'),

  rule('ext-skills.files-readable', function* (conversation) {
    const stable = [...stableEntries(conversation).values()];
    for (const exchange of conversation.exchanges({ by: 'peer', method: 'resources/read' })) {
      const { request, reply } = exchange;
      const owner = stable.find(({ skill }) =>
        [skill.uri, ...filesOf(skill).map(file => file.uri)].includes(request.params?.uri),
      );
      // a server without resources/read breaks ext-skills.resources-declared, or the rows about resources
      if (!owner || !reply || errorOf(exchange)?.code === -32601) continue;
      if (errorOf(exchange)) yield fail('the content of the file', [owner.reply, request, reply], 'an error');
      else if (resultOf(exchange)) yield pass([request, reply]);
    }
  }),

  rule.each('ext-skills.error-informative', skillErrors, exchange => {
    const { request, reply } = exchange;
    const { message } = errorOf(exchange)!;
    return asText(message as Json).trim() === ''
      ? fail('a message', [request, reply], shown(message as Json))
      : pass([request, reply!]);
  }),
];
