/** Resources and templates. */

import type { Resource, Template } from '../interfaces.js';
import { png } from './media.js';

/** All resources, including the one that can change. */
export interface Watched {
  readonly all: Resource[];
  readonly uri: string;
  change(): void;
}

const textResource = (slug: string, name: string, text: string, mimeType = 'text/plain'): Resource => ({
  definition: {
    uri: `test://${slug}`,
    name,
    title: `The ${name}`,
    description: `${name}, for testing.`,
    mimeType,
    size: Buffer.byteLength(text),
  },
  read: () => ({ mimeType, text }),
});

export function resources(): Watched {
  let version = 1;
  const uri = 'test://watched-resource';
  return {
    uri,
    change: () => {
      version++;
    },
    all: [
      textResource('static-text', 'Static text', 'This is the content of the static text resource.'),
      {
        definition: {
          uri: 'test://static-binary',
          name: 'Static binary',
          description: 'A picture, for testing.',
          mimeType: 'image/png',
          size: Buffer.from(png, 'base64').length,
        },
        read: () => ({ mimeType: 'image/png', blob: png }),
      },
      {
        definition: { uri, name: 'Watched resource', description: 'Can change.', mimeType: 'text/plain' },
        read: () => ({ mimeType: 'text/plain', text: `Version ${version}` }),
      },
      textResource('data.json', 'Data', JSON.stringify({ answer: 42 }), 'application/json'),
      textResource('unicode', 'Unicode', 'é 漢字 🙂 \u2028 \u0085 end'),
      textResource('empty', 'Empty text', ''),
      textResource('lines', 'Lines', 'one\ntwo\r\nthree\n'),
    ],
  };
}

const ids = Array.from({ length: 150 }, (_, at) => String(at + 1));

const template = (
  uriTemplate: string,
  name: string,
  matches: RegExp,
  text: Template['read'],
  completes?: Template['completes'],
): Template => ({
  definition: { uriTemplate, name, description: `${name}, for testing.` },
  matches,
  read: text,
  ...(completes && { completes }),
});

const plain =
  (sentence: (...variables: string[]) => string): Template['read'] =>
  variables => ({ mimeType: 'text/plain', text: sentence(...variables) });

export const templates = (): Template[] => [
  template(
    'test://template/{id}/data',
    'Data by id',
    /^test:\/\/template\/([^/?]+)\/data$/,
    ([id = '']) => ({
      mimeType: 'application/json',
      text: JSON.stringify({ id, templateTest: true, data: `Data for ID: ${id}` }),
    }),
    { id: ids },
  ),
  template(
    'test://users/{user}/notes/{note}',
    'Note of a user',
    /^test:\/\/users\/([^/?]+)\/notes\/([^/?]+)$/,
    plain((user, note) => `Note ${note} of ${user}`),
    { user: ['ada', 'alan', 'grace'] },
  ),
  template(
    'test://search{?query}',
    'Search',
    /^test:\/\/search(?:\?query=([^&]*))?$/,
    plain(query => `Found nothing for "${query}"`),
  ),
  template(
    'test://files/{+path}',
    'File',
    /^test:\/\/files\/([\w-]+(?:[./][\w-]+)*)$/,
    plain(path => `File ${path}`),
  ),
  template(
    'test://flags/{flag}',
    'Flag',
    /^test:\/\/flags\/([^/?]+)$/,
    plain(flag => `Flag of ${flag}`),
  ),
  template(
    'test://days/{day}',
    'Day',
    /^test:\/\/days\/(monday|tuesday|wednesday)$/,
    plain(day => `It is ${day}`),
    { day: ['monday', 'tuesday', 'wednesday'] },
  ),
];
