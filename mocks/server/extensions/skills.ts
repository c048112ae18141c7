/** The skills extension: skills, their files, and the requests about them. */

import { createHash } from 'node:crypto';
import { createRequire } from 'node:module';
import { keptByText } from '../../../harness/grouped.js';
import { declares } from '../../../harness/record/conversation.js';
import { extensionPath } from '../../../spec/extensions/index.js';
import type { JsonObject } from '../../../spec/json-rpc.js';
import type { Handler } from '../handlers/handler.js';
import { page } from '../handlers/pagination.js';
import type { Call, World } from '../interfaces.js';
import { codes, Refusal } from '../refusal.js';
import { png } from '../world/media.js';

export const skillsExtension = 'io.modelcontextprotocol/skills';
const needs = extensionPath(skillsExtension);

/** A file: its path below the root of the skill, and its content as text or in base64. */
interface SkillFile {
  readonly path: string;
  readonly mimeType: string;
  readonly text?: string;
  readonly blob?: string;
}

export interface MockSkill {
  readonly root: string;
  readonly files: readonly SkillFile[];
  /** Its files have no digests. */
  readonly isDynamic?: boolean;
  /** It is not listed, and is found by its URI. */
  readonly isHidden?: boolean;
}

/** SKILL.md. @param more further lines of the frontmatter */
const skillMd = (name: string, description: string, more: readonly string[] = [], end = '\n'): SkillFile => ({
  path: 'SKILL.md',
  mimeType: 'text/markdown',
  text: ['---', `name: ${name}`, `description: ${description}`, ...more, '---', '', `# ${name}`, ''].join(
    end,
  ),
});

const markdown = (path: string, text: string): SkillFile => ({ path, mimeType: 'text/markdown', text });

const policy = [skillMd('policy', 'The rules for refunds.'), markdown('rules.md', 'Ask first.\n')];

const skills: readonly MockSkill[] = [
  {
    root: 'skill://git-workflow',
    files: [
      skillMd('git-workflow', 'Conventions for branches.', ['license: MIT', 'metadata:', '  version: 1.10']),
      markdown('references/naming.md', 'Names of branches are short.\n'),
      { path: 'scripts/check.sh', mimeType: 'text/x-shellscript', text: 'echo checked\n' },
      { path: 'assets/deep/logo.png', mimeType: 'image/png', blob: png },
    ],
  },
  {
    root: 'skill://acme/billing/refunds',
    files: [
      skillMd('refunds', 'How to refund a payment.'),
      markdown('examples/email.md', 'Dear customer …\n'),
      ...policy.map(file => ({ ...file, path: `policy/${file.path}` })),
    ],
  },
  { root: 'skill://acme/billing/refunds/policy', files: policy },
  { root: 'skill://daily', files: [skillMd('daily', 'Makes the report of a day.')], isDynamic: true },
  {
    root: 'skill://windows-paths',
    files: [skillMd('windows-paths', 'Paths with a backslash.', ['allowed-tools: Read'], '\r\n')],
  },
  { root: 'skill://translate', files: [skillMd('translate', 'Übersetzt 漢字 🙂.')] },
  { root: 'skill://hidden', files: [skillMd('hidden', 'Is not listed.')], isHidden: true },
];

const stores = new WeakMap<World, MockSkill[]>();

/** The skills of a process. */
export function skillsOf(world: World): MockSkill[] {
  const store = stores.get(world) ?? [...skills];
  stores.set(world, store);
  return store;
}

const uriOf = ({ root, files }: MockSkill, path = files[0]!.path): string => `${root}/${path}`;
const bytesOf = ({ text, blob }: SkillFile): Buffer =>
  text === undefined ? Buffer.from(blob!, 'base64') : Buffer.from(text);

/** Each list has the frontmatter of every skill. The parser is loaded with the first list, so that a mock starts fast. */
const frontmatterIn = keptByText(text => {
  const { parse } = createRequire(import.meta.url)('yaml') as typeof import('yaml');
  return parse(/^---\r?\n([\s\S]*?)\r?\n---/.exec(text)![1]!) as JsonObject;
});

const frontmatterOf = ({ files }: MockSkill): JsonObject => structuredClone(frontmatterIn(files[0]!.text!));

function entryOf(skill: MockSkill): JsonObject {
  const resources = skill.files.map(file => ({
    uri: uriOf(skill, file.path),
    digest: `sha256:${createHash('sha256').update(bytesOf(file)).digest('hex')}`,
    size: bytesOf(file).length,
  }));
  return {
    uri: uriOf(skill),
    frontmatter: frontmatterOf(skill),
    resources: skill.isDynamic ? 'dynamic' : resources,
  };
}

/** The content of a file of a skill; undefined for another URI. */
export function skillFile(uri: string, { session, scope }: Call): JsonObject | undefined {
  if (!declares(scope.capabilities, needs)) return undefined;
  for (const skill of skillsOf(session.world))
    for (const { path, mimeType, text, blob } of skill.files)
      if (uriOf(skill, path) === uri)
        return { mimeType, ...(text === undefined ? { blob: blob! } : { text }) };
  return undefined;
}

/** @throws {Refusal} for a URI that is no directory of a skill */
function childrenOf(uri: string, world: World): JsonObject[] {
  const children = new Map<string, JsonObject>();
  for (const skill of skillsOf(world))
    for (const file of skill.files) {
      const full = uriOf(skill, file.path);
      if (!full.startsWith(`${uri}/`) || uri.length < skill.root.length) continue;
      const [first = '', ...rest] = full.slice(uri.length + 1).split('/');
      const child = `${uri}/${first}`;
      if (rest.length > 0) children.set(child, { uri: child, name: first, mimeType: 'inode/directory' });
      else children.set(child, { uri: child, ...describe(skill, file, first) });
    }
  if (children.size === 0) throw new Refusal(codes.invalidParams, `There is no directory "${uri}".`);
  return [...children.values()];
}

/** The resource of a file; that of SKILL.md has the name and the description of its skill. */
function describe(skill: MockSkill, file: SkillFile, name: string): JsonObject {
  const { mimeType } = file;
  if (name !== 'SKILL.md') return { name, mimeType };
  const { name: named, description } = frontmatterOf({ ...skill, files: [file] });
  return { name: String(named), description: String(description), mimeType };
}

export const skillExtensionHandlers: Readonly<Record<string, Handler>> = {
  'skills/list': {
    needs,
    run(params, { session: { world } }) {
      const listed = skillsOf(world).filter(skill => !skill.isHidden);
      return page('skills', listed, params.cursor, world, entryOf);
    },
  },
  'skills/get': {
    needs,
    run(params, { session: { world } }) {
      const skill = skillsOf(world).find(s => uriOf(s) === params.uri);
      if (!skill) throw new Refusal(codes.invalidParams, `There is no skill "${String(params.uri)}".`);
      return { skill: entryOf(skill) };
    },
  },
  'resources/directory/read': {
    needs: `${needs}#directoryRead`,
    run: (params, { session: { world } }) =>
      page(
        'resources',
        childrenOf(String(params.uri), world),
        params.cursor,
        { ...world, pageSize: 50 },
        child => child,
      ),
  },
};
