/** The skills extension (io.modelcontextprotocol/skills). */

import { isObject, type Json, type JsonObject, without } from '../../../spec/json-rpc.js';
import type { RequirementId } from '../../../spec/requirement.js';
import {
  type Fault,
  fault,
  type Middleware,
  onError,
  onReply,
  onResult,
  onWorld,
  refusal,
  result,
} from '../../fault.js';
import { type MockSkill, skillsExtension, skillsOf } from '../extensions/skills.js';
import { codes } from '../refusal.js';
import { isStateless, paramsOf } from './shared.js';

const isNamed = (skill: JsonObject, name: string): boolean => String(skill.uri).endsWith(`/${name}/SKILL.md`);

/** Entries of skills/list and skills/get, changed. */
const onEntries = (change: (skill: JsonObject) => JsonObject): Middleware =>
  onResult(['skills/list', 'skills/get'], body => ({
    ...body,
    ...(isObject(body.skill) && { skill: change(body.skill) }),
    ...(Array.isArray(body.skills) && { skills: body.skills.map(skill => change(skill as JsonObject)) }),
  }));

/** The entry of one skill, changed. */
const onEntry = (name: string, change: (skill: JsonObject) => JsonObject): Middleware =>
  onEntries(skill => (isNamed(skill, name) ? change(skill) : skill));

const onFrontmatter = (name: string, change: (frontmatter: JsonObject) => JsonObject): Middleware =>
  onEntry(name, skill => ({ ...skill, frontmatter: change(skill.frontmatter as JsonObject) }));

/** The list of files of one skill, changed. */
const onFiles = (name: string, change: (files: JsonObject[]) => Json[]): Middleware =>
  onEntry(name, skill => ({ ...skill, resources: change(skill.resources as JsonObject[]) }));

const last = (change: (file: JsonObject) => JsonObject) => (files: JsonObject[]) => [
  ...files.slice(0, -1),
  change(files.at(-1)!),
];

/** The text of SKILL.md of one skill, changed. */
const onText = (name: string, change: (text: string) => string): Middleware =>
  onResult('resources/read', body =>
    // other faults may leave contents out
    Array.isArray(body.contents)
      ? {
          ...body,
          contents: (body.contents as JsonObject[]).map(item =>
            isNamed(item, name) ? { ...item, text: change(String(item.text)) } : item,
          ),
        }
      : body,
  );

/** The children of directories, changed. */
const onChildren = (change: (children: JsonObject[], directory: string) => JsonObject[]): Middleware =>
  onResult('resources/directory/read', (body, ask) => ({
    ...body,
    resources: change(body.resources as JsonObject[], String(paramsOf(ask).uri)),
  }));

/** The resource of SKILL.md in directories, changed. */
const onSkillMd = (change: (resource: JsonObject) => JsonObject): Middleware =>
  onChildren(children =>
    children.map(child => (String(child.uri).endsWith('/SKILL.md') ? change(child) : child)),
  );

/** The skills of the server, changed before the first message. */
const onSkills = (change: (skills: MockSkill[]) => void): Middleware =>
  onWorld(world => change(skillsOf(world)));

/** A skill of one file. */
const simple = (root: string, name: string, description = 'A skill.'): MockSkill => ({
  root,
  files: [
    {
      path: 'SKILL.md',
      mimeType: 'text/markdown',
      text: `---\nname: ${name}\ndescription: ${description}\n---\n`,
    },
  ],
});

const withSkill = (root: string, name: string, description?: string): Middleware =>
  onSkills(skills => {
    skills.unshift(simple(root, name, description));
  });

const unknownMethod = (method: string): Middleware =>
  onReply(method, (_, ask) => refusal(ask, codes.methodNotFound, `There is no method "${method}".`));

/** A fault that shows one form of a breach. @param facet the row without its area, and the form */
const broken = (
  id: string,
  what: string,
  facet: `${string}#${string}`,
  middleware: Middleware,
  also: readonly RequirementId[] = [],
): Fault => {
  const shown = `ext-skills.${facet}` as const;
  return fault(
    id,
    { what, breaks: [shown.split('#')[0] as RequirementId, ...also], shows: [shown], where: isStateless },
    middleware,
  );
};

export const extSkillFaults = [
  broken(
    'ext-skills-no-list',
    'skills/list is an unknown method.',
    'list-implemented#unknown-method',
    unknownMethod('skills/list'),
  ),
  broken(
    'ext-skills-no-get',
    'skills/get is an unknown method.',
    'get-implemented#unknown-method',
    unknownMethod('skills/get'),
  ),
  broken(
    'ext-skills-no-directory',
    'resources/directory/read is an unknown method.',
    'directory-implemented#unknown-method',
    unknownMethod('resources/directory/read'),
  ),
  broken(
    'ext-skills-without-resources',
    'The server declares the extension without resources.',
    'resources-declared#none',
    onResult('server/discover', body => ({
      ...body,
      capabilities: without(body.capabilities as JsonObject, 'resources'),
    })),
    ['resources.capability-declared', 'tools.embedded-resource-capability', 'subscriptions.ack-subset'],
  ),
  broken(
    'ext-skills-directory-read-text',
    'The server declares directoryRead as a text.',
    'directory-read-boolean#text',
    onResult('server/discover', body => {
      const capabilities = body.capabilities as JsonObject;
      const extensions = capabilities.extensions as JsonObject;
      return {
        ...body,
        capabilities: {
          ...capabilities,
          extensions: { ...extensions, [skillsExtension]: { directoryRead: 'true' } },
        },
      };
    }),
  ),
  broken(
    'ext-skills-description-long',
    'A skill has a description of 1025 characters.',
    'format#description',
    withSkill('skill://long', 'long', 'x'.repeat(1025)),
  ),
  broken(
    'ext-skills-other-file',
    'The uri of an entry names README.md.',
    'skill-md#other',
    onSkills(skills => {
      const [first] = [simple('skill://readme', 'readme')];
      skills.unshift({ ...first!, files: [{ ...first!.files[0]!, path: 'README.md' }] });
    }),
    ['ext-skills.md-name', 'ext-skills.md-description'],
  ),
  broken(
    'ext-skills-no-frontmatter',
    'SKILL.md begins with a heading.',
    'frontmatter-first#missing',
    onText('daily', text => `# Daily\n\n${text}`),
  ),
  broken(
    'ext-skills-no-description',
    'The frontmatter of a skill has no description.',
    'frontmatter-first#no-description',
    onText('daily', text => text.replace('description', 'summary')),
    ['ext-skills.frontmatter-identical'],
  ),
  broken(
    'ext-skills-other-scheme',
    'A skill has a URI that begins with github://.',
    'scheme#other',
    withSkill('github://acme/tools', 'tools'),
  ),
  broken(
    'ext-skills-directory-name',
    'The directory of a skill has another name than the skill.',
    'path-ends-with-name#other',
    withSkill('skill://tools-2', 'tools'),
  ),
  broken(
    'ext-skills-name-upper',
    'The name of a skill begins with an upper-case letter.',
    'name-rules#upper',
    withSkill('skill://Tools', 'Tools'),
  ),
  broken(
    'ext-skills-name-long',
    'The name of a skill has 65 characters.',
    'name-rules#long',
    withSkill(`skill://${'x'.repeat(65)}`, 'x'.repeat(65)),
  ),
  broken(
    'ext-skills-authority',
    'The first segment of a skill has a character that RFC 3986 does not allow.',
    'authority#invalid',
    withSkill('skill://me@acme/tools', 'tools'),
  ),
  broken(
    'ext-skills-prefix',
    'A segment before the name has a character that RFC 3986 does not allow.',
    'prefix-segments#invalid',
    withSkill('skill://acme/a^b/tools', 'tools'),
    ['ext-skills.files-readable'],
  ),
  broken(
    'ext-skills-md-plain',
    'SKILL.md is text/plain in directories.',
    'md-mime-type#plain',
    onSkillMd(resource => ({ ...resource, mimeType: 'text/plain' })),
  ),
  broken(
    'ext-skills-md-file-name',
    'SKILL.md has the name SKILL.md in directories.',
    'md-name#file',
    onSkillMd(resource => ({ ...resource, name: 'SKILL.md' })),
  ),
  broken(
    'ext-skills-md-undescribed',
    'SKILL.md has no description in directories.',
    'md-description#missing',
    onSkillMd(resource => without(resource, 'description')),
  ),
  broken(
    'ext-skills-frontmatter-curated',
    'Entries have the name and the description of the frontmatter only.',
    'frontmatter-identical#missing',
    onFrontmatter('git-workflow', ({ name = '', description = '' }) => ({ name, description })),
  ),
  broken(
    'ext-skills-frontmatter-changed',
    'An entry has another description than SKILL.md.',
    'frontmatter-identical#changed',
    onFrontmatter('daily', frontmatter => ({ ...frontmatter, description: 'Makes reports.' })),
    ['ext-skills.md-description'],
  ),
  broken(
    'ext-skills-name-twice',
    'Two listed skills have one name.',
    'names-unique#twice',
    withSkill('skill://other/daily', 'daily'),
  ),
  broken(
    'ext-skills-resources-missing',
    'An entry has no resources.',
    'resources-present#missing',
    onEntry('daily', skill => without(skill, 'resources')),
  ),
  broken(
    'ext-skills-resources-generated',
    'The resources of an entry are the string generated.',
    'resources-present#other',
    onEntry('daily', skill => ({ ...skill, resources: 'generated' })),
  ),
  broken(
    'ext-skills-without-skill-md',
    'The files of an entry lack SKILL.md.',
    'resources-complete#no-skill-md',
    onFiles('git-workflow', files => files.slice(1)),
  ),
  broken(
    'ext-skills-file-twice',
    'An entry lists a file twice.',
    'resources-complete#twice',
    onFiles('git-workflow', files => [...files, files[1]!]),
  ),
  broken(
    'ext-skills-nested-left-out',
    'The files of a nested skill are not listed.',
    'resources-complete#nested',
    onFiles('refunds', files => files.filter(({ uri }) => !String(uri).includes('/policy/'))),
  ),
  broken(
    'ext-skills-get-without-a-file',
    'skills/get leaves out the last file of a skill.',
    'resources-complete#otherwise',
    onResult('skills/get', body => {
      const { skill } = body;
      if (!isObject(skill) || !Array.isArray(skill.resources) || skill.resources.length < 2) return body;
      return { ...body, skill: { ...skill, resources: skill.resources.slice(0, -1) } };
    }),
  ),
  broken(
    'ext-skills-file-outside',
    'An entry lists a file of another skill.',
    'resources-within#outside',
    onFiles('git-workflow', files => [...files, { ...files[0]!, uri: 'skill://daily/SKILL.md', size: 60 }]),
    ['ext-skills.digest', 'ext-skills.size'],
  ),
  broken(
    'ext-skills-size-missing',
    'A file of an entry has no size.',
    'size#missing',
    onFiles(
      'git-workflow',
      last(file => without(file, 'size')),
    ),
  ),
  broken(
    'ext-skills-size-in-characters',
    'The size of a file counts characters.',
    'size#wrong',
    onFiles(
      'translate',
      last(file => ({ ...file, size: Number(file.size) - 7 })),
    ),
  ),
  broken(
    'ext-skills-digest-upper',
    'The digest of a file has upper-case digits.',
    'digest#form',
    onFiles(
      'translate',
      last(file => ({ ...file, digest: `sha256:${String(file.digest).slice(7).toUpperCase()}` })),
    ),
  ),
  broken(
    'ext-skills-digest-other',
    'The digest of a file is that of an empty file.',
    'digest#wrong',
    onFiles(
      'git-workflow',
      last(file => ({
        ...file,
        digest: 'sha256:e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855',
      })),
    ),
  ),
  broken(
    'ext-skills-many-files',
    'A skill lists 513 files.',
    'limits#files',
    onFiles('translate', ([file]) => [
      file!,
      ...Array.from({ length: 512 }, (_, at) => ({
        ...file!,
        uri: `skill://translate/${at}.bin`,
        size: 1_000_001,
      })),
    ]),
    ['ext-skills.directory-children'],
  ),
  broken(
    'ext-skills-large',
    'The sizes of the files of a skill add up to more than 16 MiB.',
    'limits#bytes',
    onFiles('translate', ([file]) => [
      file!,
      { ...file!, uri: 'skill://translate/large.bin', size: 16_777_216 },
    ]),
    ['ext-skills.directory-children'],
  ),
  broken(
    'ext-skills-list-type',
    'skills/list returns resultType "listed".',
    'list-result-type#other',
    onResult('skills/list', body => ({ ...body, resultType: 'listed' })),
    ['result.type-known'],
  ),
  broken(
    'ext-skills-list-without-ttl',
    'skills/list returns no ttlMs.',
    'list-hints#missing',
    onResult('skills/list', body => without(body, 'ttlMs')),
  ),
  broken(
    'ext-skills-get-type',
    'skills/get returns resultType "found".',
    'get-result-type#other',
    onResult('skills/get', body => ({ ...body, resultType: 'found' })),
    ['result.type-known'],
  ),
  broken(
    'ext-skills-get-without-scope',
    'skills/get returns no cacheScope.',
    'get-hints#missing',
    onResult('skills/get', body => without(body, 'cacheScope')),
  ),
  broken(
    'ext-skills-get-internal',
    'skills/get of an unknown skill is an internal error.',
    'get-unknown#other-code',
    onError('skills/get', error => ({ ...error, code: codes.internalError })),
  ),
  broken(
    'ext-skills-get-another',
    'skills/get of an unknown skill returns another one.',
    'get-unknown#found',
    onReply('skills/get', (reply, ask, { world }) =>
      isObject(reply.error)
        ? result(ask, {
            skill: {
              uri: `${skillsOf(world)[3]!.root}/SKILL.md`,
              frontmatter: { name: 'daily', description: 'Makes the report of a day.' },
              resources: 'dynamic',
            },
            ttlMs: 0,
            cacheScope: 'public',
          })
        : reply,
    ),
  ),
  broken(
    'ext-skills-get-refuses',
    'skills/get of a listed skill is refused.',
    'get-every#refused',
    onReply('skills/get', (reply, ask) =>
      isNamed(paramsOf(ask), 'policy') ? refusal(ask, codes.invalidParams, 'It is nested.') : reply,
    ),
  ),
  broken(
    'ext-skills-file-unreadable',
    'resources/read refuses a supporting file.',
    'files-readable#refused',
    onReply('resources/read', (reply, ask) =>
      String(paramsOf(ask).uri).endsWith('/references/naming.md')
        ? refusal(ask, codes.invalidParams, 'There is no such resource.')
        : reply,
    ),
  ),
  broken(
    'ext-skills-directory-type',
    'resources/directory/read returns resultType "directory".',
    'directory-result-type#other',
    onResult('resources/directory/read', body => ({ ...body, resultType: 'directory' })),
    ['result.type-known'],
  ),
  broken(
    'ext-skills-directory-empty',
    'A directory that does not exist is empty.',
    'directory-unknown#unknown-listed',
    onReply('resources/directory/read', (reply, ask) =>
      isObject(reply.error) ? result(ask, { resources: [] }) : reply,
    ),
  ),
  broken(
    'ext-skills-directory-of-file',
    'The directory of a file has the file.',
    'directory-unknown#file-listed',
    onReply('resources/directory/read', (reply, ask) => {
      const { uri } = paramsOf(ask);
      return String(uri).endsWith('.md')
        ? result(ask, { resources: [{ uri: `${String(uri)}/self`, name: 'self' }] })
        : reply;
    }),
  ),
  broken(
    'ext-skills-directory-lacks',
    'A directory lacks its last child.',
    'directory-children#missing',
    onChildren(children => children.slice(0, -1)),
  ),
  broken(
    'ext-skills-directory-deep',
    'A directory has the files of its subdirectories too.',
    'directory-children#deep',
    onChildren(children =>
      children.flatMap(child =>
        child.mimeType === 'inode/directory'
          ? [child, { uri: `${String(child.uri)}/more.md`, name: 'more.md' }]
          : [child],
      ),
    ),
  ),
  broken(
    'ext-skills-directory-untyped',
    'Subdirectories have no mimeType.',
    'directory-children#type',
    onChildren(children =>
      children.map(child => (child.mimeType === 'inode/directory' ? without(child, 'mimeType') : child)),
    ),
  ),
  broken(
    'ext-skills-subdirectory-refused',
    'Subdirectories are refused.',
    'directory-every#subdirectory',
    onReply('resources/directory/read', (reply, ask) =>
      String(paramsOf(ask).uri).endsWith('/references')
        ? refusal(ask, codes.invalidParams, 'There is no such directory.')
        : reply,
    ),
  ),
  broken(
    'ext-skills-read-not-found',
    'Files that do not exist are refused with -32002.',
    'read-unknown#other-code',
    onError('resources/read', (error, ask) =>
      String(paramsOf(ask).uri).startsWith('skill:') ? { ...error, code: -32_002 } : error,
    ),
    ['error-codes.retired-not-emitted'],
  ),
  broken(
    'ext-skills-errors-silent',
    'Errors of requests about skills have an empty message.',
    'error-informative#empty',
    onError(['skills/list', 'skills/get', 'resources/directory/read'], error => ({ ...error, message: '' })),
  ),
];
