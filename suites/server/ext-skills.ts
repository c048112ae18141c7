/** The skills extension (io.modelcontextprotocol/skills) for servers that declare it. */

import { NotObserved } from '../../harness/peer/deferred.js';
import type { Peer } from '../../harness/peer/peer.js';
import { type Exchange, errorOf, resultOf } from '../../harness/record/message.js';
import { describe } from '../../harness/scenario/expect.js';
import { scenario } from '../../harness/scenario/scenario.js';
import { asText, isObject, type JsonObject } from '../../spec/json-rpc.js';
import { filesOf, rootOf, skillsExtension } from '../rules/derived/ext-skills.js';
import { objects } from '../rules/derived/results.js';

const withSkills: JsonObject = { extensions: { [skillsExtension]: {} } };

/** Bounds for servers with many skills, files and directories. */
const most = { pages: 20, skills: 8, files: 40, bytes: 1_000_000, directories: 12 };

const noSkill = 'the server lists no skill';
const unknownName = 'mcp-conform-no-such-file.md';

/** All entries that the server lists, up to a number of pages. */
async function listSkills(peer: Peer): Promise<JsonObject[]> {
  const { items } = await peer.list('skills/list', 'skills', most.pages);
  return items.filter(({ uri }) => typeof uri === 'string');
}

/** Some skills of the server. @throws {NotObserved} when it lists none */
async function someSkills(peer: Peer): Promise<JsonObject[]> {
  const skills = await listSkills(peer);
  if (skills.length === 0) throw new NotObserved(noSkill);
  return skills.slice(0, most.skills);
}

const isListed = async (peer: Peer, uri: string): Promise<boolean> =>
  (await listSkills(peer)).some(skill => skill.uri === uri);

const getSkill = (peer: Peer, uri: string, deliberate = false): Promise<Exchange> =>
  peer.request('skills/get', { uri }, { deliberate });
const readDirectory = (peer: Peer, uri: string, deliberate = false): Promise<Exchange> =>
  peer.request('resources/directory/read', { uri }, { deliberate });

const isUnknownMethod = (exchange: Exchange): boolean => errorOf(exchange)?.code === -32601;

/** The directories of a skill by its files, the root first; each with the names of its children. */
function directoriesOf(skill: JsonObject): Map<string, Map<string, 'file' | 'directory'>> {
  const root = rootOf(skill.uri);
  const found = new Map<string, Map<string, 'file' | 'directory'>>([[root, new Map()]]);
  for (const { uri } of filesOf(skill)) {
    if (!asText(uri).startsWith(`${root}/`)) continue;
    const parts = asText(uri)
      .slice(root.length + 1)
      .split('/');
    let directory = root;
    for (const [at, part] of parts.entries()) {
      const child = `${directory}/${part}`;
      const isFile = at === parts.length - 1;
      found.get(directory)!.set(child, isFile ? 'file' : 'directory');
      if (!isFile && !found.has(child)) found.set(child, new Map());
      directory = child;
    }
  }
  return found;
}

/** What is wrong with the children of a directory; undefined if nothing is. */
function flawOf(
  directory: string,
  expected: ReadonlyMap<string, 'file' | 'directory'>,
  resources: readonly JsonObject[],
): string | undefined {
  const deep = resources.find(({ uri }) => {
    const text = asText(uri);
    return (
      text.startsWith(`${directory}/`) &&
      text
        .slice(directory.length + 1)
        .replace(/\/$/, '')
        .includes('/')
    );
  });
  if (deep) return `${asText(deep.uri)} is not a direct child`;
  for (const [uri, kind] of expected) {
    const child = resources.find(resource => resource.uri === uri);
    if (!child) return `no ${kind} ${uri}`;
    if (kind === 'directory' && child.mimeType !== 'inode/directory')
      return `mimeType ${asText(child.mimeType)} of the directory ${uri}`;
  }
  return undefined;
}

/** All pages of a directory. @returns the first page, and the children; undefined children where a page has an error */
async function wholeDirectory(peer: Peer, uri: string): Promise<[first: Exchange, children?: JsonObject[]]> {
  const first = await readDirectory(peer, uri);
  const children: JsonObject[] = [];
  let result = resultOf(first);
  for (let pages = 1; result; pages++) {
    children.push(...objects(result.resources));
    const { nextCursor: cursor } = result;
    if (typeof cursor !== 'string') return [first, children];
    if (pages === most.pages) break;
    result = resultOf(await peer.request('resources/directory/read', { uri, cursor }));
  }
  return [first];
}

export const scenarios = [
  scenario('server/ext-skills/list', {
    title: 'skills/list and skills/get return entries',
    verifies: [
      'ext-skills.list-implemented',
      'ext-skills.get-implemented',
      'ext-skills.get-every',
      'ext-skills.resources-declared',
    ],
    era: 'modern',
    declares: withSkills,
    async run({ peer, expect }) {
      expect('ext-skills.list-implemented', await peer.request('skills/list', {})).result();
      const skills = (await listSkills(peer)).slice(0, most.skills);
      if (skills.length === 0) expect.notObserved('ext-skills.get-every', noSkill);
      const unknown = await getSkill(peer, 'skill://mcp-conform-no-such-skill/SKILL.md', true);
      let reached = !isUnknownMethod(unknown);
      for (const { uri } of skills) {
        const got = await getSkill(peer, asText(uri));
        const found = resultOf(got)?.skill;
        reached &&= !isUnknownMethod(got);
        const ok = isObject(found) && found.uri === uri;
        if (isUnknownMethod(got) || (!ok && !(await isListed(peer, asText(uri))))) {
          expect.notObserved('ext-skills.get-every', 'skills/get found no listed skill');
          continue;
        }
        expect.that('ext-skills.get-every', {
          ok,
          expected: `the entry of ${asText(uri)}`,
          evidence: [got.request, got.reply],
          actual: describe(got),
        });
      }
      expect.that('ext-skills.get-implemented', {
        ok: reached,
        expected: 'a result, or error -32602',
        evidence: [unknown.request, unknown.reply],
        actual: describe(unknown),
      });
    },
  }),

  scenario('server/ext-skills/unknown', {
    title: 'skills/get and resources/read of unknown skills and files are refused with -32602',
    verifies: ['ext-skills.get-unknown', 'ext-skills.read-unknown', 'ext-skills.error-informative'],
    era: 'modern',
    declares: withSkills,
    async run({ peer, expect }) {
      const unknown = await getSkill(peer, 'skill://mcp-conform-no-such-skill/SKILL.md', true);
      if (isUnknownMethod(unknown)) throw new NotObserved('skills/get is an unknown method');
      expect('ext-skills.get-unknown', unknown).error(-32602);
      const skills = await listSkills(peer);
      const isSkill = (uri: string) => skills.some(skill => skill.uri === uri) || uri.endsWith('/SKILL.md');
      const file = skills.flatMap(filesOf).find(({ uri }) => typeof uri === 'string' && !isSkill(uri));
      if (file) expect('ext-skills.get-unknown', await getSkill(peer, asText(file.uri), true)).error(-32602);
      const [first] = skills;
      if (!first) return expect.notObserved('ext-skills.read-unknown', noSkill);
      const uri = `${rootOf(first.uri)}/${unknownName}`;
      const read = await peer.request('resources/read', { uri }, { deliberate: true });
      if (isUnknownMethod(read))
        return expect.notObserved('ext-skills.read-unknown', 'resources/read is an unknown method');
      expect('ext-skills.read-unknown', read).error(-32602);
    },
  }),

  scenario('server/ext-skills/read', {
    title: 'the files of listed skills agree with their entries',
    verifies: [
      'ext-skills.frontmatter-first',
      'ext-skills.frontmatter-identical',
      'ext-skills.size',
      'ext-skills.digest',
      'ext-skills.files-readable',
    ],
    era: 'modern',
    declares: withSkills,
    async run({ peer }) {
      let left = most.files;
      for (const skill of await someSkills(peer)) {
        const small = filesOf(skill).filter(
          ({ uri, size }) => uri !== skill.uri && Number(size) <= most.bytes,
        );
        const uris = [asText(skill.uri), ...small.map(({ uri }) => asText(uri)).slice(0, 4)];
        for (const uri of new Set(uris)) {
          if (left-- <= 0 || peer.ended) break;
          await peer.request('resources/read', { uri });
        }
      }
      // a skill that has changed meanwhile shows here
      await listSkills(peer);
    },
  }),

  scenario('server/ext-skills/directories', {
    title: 'resources/directory/read lists the directories of skills',
    verifies: [
      'ext-skills.directory-implemented',
      'ext-skills.directory-every',
      'ext-skills.directory-children',
      'ext-skills.directory-result-type',
    ],
    era: 'modern',
    declares: withSkills,
    async run({ peer, expect }) {
      let left = most.directories;
      for (const skill of await someSkills(peer))
        for (const [directory, expected] of directoriesOf(skill)) {
          if (left-- <= 0 || peer.ended) return;
          const [first, children] = await wholeDirectory(peer, directory);
          const { request, reply } = first;
          expect.that('ext-skills.directory-implemented', {
            ok: !isUnknownMethod(first),
            expected: 'another response than error -32601',
            evidence: [request, reply],
            actual: describe(first),
          });
          if (isUnknownMethod(first)) continue;
          if (errorOf(first) && !(await isListed(peer, asText(skill.uri)))) continue;
          expect('ext-skills.directory-every', first).result();
          if (!children) continue;
          const actual = flawOf(directory, expected, children);
          expect.that('ext-skills.directory-children', {
            ok: actual === undefined,
            expected: `the direct children of ${directory}`,
            evidence: [request, reply],
            actual: actual ?? 'the same',
          });
        }
    },
  }),

  scenario('server/ext-skills/no-directory', {
    title: 'resources/directory/read of a file and of an unknown directory is refused with -32602',
    verifies: ['ext-skills.directory-unknown'],
    era: 'modern',
    declares: withSkills,
    async run({ peer, expect }) {
      const unknown = await readDirectory(peer, 'skill://mcp-conform-no-such-directory', true);
      if (isUnknownMethod(unknown)) throw new NotObserved('resources/directory/read is an unknown method');
      expect('ext-skills.directory-unknown', unknown).error(-32602);
      const [first] = await listSkills(peer);
      if (first)
        expect('ext-skills.directory-unknown', await readDirectory(peer, asText(first.uri), true)).error(
          -32602,
        );
    },
  }),
];
