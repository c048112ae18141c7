/** Skills of the skills extension in a record: their entries, and the files that were read. */

import { createHash } from 'node:crypto';
import { type Conversation, derived } from '../../../harness/record/conversation.js';
import { type Exchange, errorOf, type Message } from '../../../harness/record/message.js';
import { asText, isObject, type Json, type JsonObject } from '../../../spec/json-rpc.js';
import { type Answered, answered, isBase64, objects } from './results.js';

export const skillsExtension = 'io.modelcontextprotocol/skills';

/** What a server says about one skill. */
interface Entry {
  readonly request: Message;
  readonly reply: Message;
  readonly skill: JsonObject;
  readonly isListed: boolean;
}

const lists = (conversation: Conversation): readonly Answered[] => answered(conversation, 'skills/list');
const gets = (conversation: Conversation): readonly Answered[] => answered(conversation, 'skills/get');

/** The entries in results of skills/list and skills/get, in order. */
export const entries = derived((conversation: Conversation): readonly Entry[] =>
  [
    ...lists(conversation).flatMap(({ request, reply, result }) =>
      objects(result.skills).map(skill => ({ request, reply, skill, isListed: true })),
    ),
    ...gets(conversation).flatMap(({ request, reply, result: { skill } }) =>
      isObject(skill) ? [{ request, reply, skill, isListed: false }] : [],
    ),
  ].sort((a, b) => a.reply.seq - b.reply.seq),
);

/** The directory of a skill, from the URI of its SKILL.md. */
export const rootOf = (uri: Json | undefined): string => asText(uri).replace(/\/[^/]*$/, '');

export const nameOf = ({ frontmatter }: JsonObject): Json | undefined =>
  isObject(frontmatter) ? frontmatter.name : undefined;

/** The listed files of an entry. */
export const filesOf = ({ resources }: JsonObject): JsonObject[] => objects(resources);

/** The URI in the form in which it is compared: encoded characters count as those that they stand for. */
export function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** The entries of each skill by its URI; those that change in the course of the conversation are left out. */
export const stableEntries = derived((conversation: Conversation): ReadonlyMap<string, Entry> => {
  const found = new Map<string, Entry>();
  const changed = new Set<string>();
  for (const entry of entries(conversation)) {
    const uri = asText(entry.skill.uri);
    const before = found.get(uri);
    if (before && JSON.stringify(before.skill) !== JSON.stringify(entry.skill)) changed.add(uri);
    if (!before) found.set(uri, entry);
  }
  return new Map([...found].filter(([uri]) => !changed.has(uri)));
});

/** A file that was read. */
interface FileRead {
  readonly request: Message;
  readonly reply: Message;
  readonly uri: string;
  readonly bytes: Buffer;
}

/** A blob that is no base64 breaks resources.binary-encoded, and has no bytes. */
const bytesOf = ({ text, blob }: JsonObject): Buffer | undefined => {
  if (typeof text === 'string') return Buffer.from(text, 'utf8');
  return typeof blob === 'string' && isBase64(blob) ? Buffer.from(blob, 'base64') : undefined;
};

/** The files that were read, one for each content. */
export const filesRead = derived((conversation: Conversation): readonly FileRead[] =>
  answered(conversation, 'resources/read').flatMap(({ request, reply, result }) => {
    const uri = asText(request.params?.uri);
    const contents = objects(result.contents).filter(item => item.uri === uri);
    const bytes = contents.length === 1 ? bytesOf(contents[0]!) : undefined;
    return bytes ? [{ request, reply, uri, bytes }] : [];
  }),
);

/** A file that an unchanged entry lists, with what was read of it. */
interface ListedFile extends FileRead {
  readonly entry: Entry;
  readonly file: JsonObject;
}

export const listedFilesRead = derived((conversation: Conversation): readonly ListedFile[] =>
  filesRead(conversation).flatMap(read =>
    [...stableEntries(conversation).values()].flatMap(entry =>
      filesOf(entry.skill)
        .filter(file => file.uri === read.uri)
        .map(file => ({ ...read, entry, file })),
    ),
  ),
);

export const digestOf = (bytes: Buffer): string =>
  `sha256:${createHash('sha256').update(bytes).digest('hex')}`;

/** Descriptions of SKILL.md as a resource, in lists and directories. */
export const described = derived((conversation: Conversation) =>
  [
    ...answered(conversation, 'resources/list'),
    ...answered(conversation, 'resources/directory/read'),
  ].flatMap(({ reply, result }) =>
    objects(result.resources).flatMap(resource => {
      const entry = stableEntries(conversation).get(asText(resource.uri));
      return entry ? [{ reply, resource, entry }] : [];
    }),
  ),
);

/** Errors of the methods of the extension. */
export const skillErrors = derived((conversation: Conversation): readonly Exchange[] =>
  ['skills/list', 'skills/get', 'resources/directory/read'].flatMap(method =>
    conversation.exchanges({ by: 'peer', method }).filter(exchange => errorOf(exchange) !== undefined),
  ),
);
