/**
 * Parsers for option values. Each error says in one line which value is invalid and which values are valid.
 */

import { accessSync, constants, createReadStream, existsSync, readFileSync, statSync } from 'node:fs';
import { delimiter, resolve } from 'node:path';
import { extensions } from '../../spec/extensions/index.js';
import type { JsonObject } from '../../spec/json-rpc.js';
import {
  definedRevisions,
  findDefinedRevision,
  type Revision,
  type RevisionId,
} from '../../spec/revisions.js';
import type { OAuthClient } from '../oauth/client.js';
import type { IdentityProvider, MachineClient, SigningKey } from '../oauth/machine-client.js';
import type { Login } from '../oauth/user-agent.js';
import { suggest, UsageError } from '../report/pattern.js';
import { type OwnTools, roles } from '../scenario/tool-roles.js';
import { runLimits } from '../time/budget.js';

/** An error with the valid names, or with the most similar name when the input looks like a typing error. */
export function unknownName(
  what: string,
  given: string,
  allowed: readonly string[],
  hint?: string,
): UsageError {
  const guess = suggest(given, allowed);
  const advice = guess ? `Did you mean "${guess}"?` : (hint ?? `Choose one of: ${allowed.join(', ')}.`);
  return new UsageError(`there is no ${what} "${given}". ${advice}`);
}

export function parseRevision(text: string): 'latest' | 'all' | Revision {
  if (text === 'latest' || text === 'all') return text;
  return findDefinedRevision(text) ?? noRevision(text, ['latest', 'all']);
}

/** @param words valid values that are not dates */
function noRevision(text: string, words: readonly string[] = []): never {
  const all = [...words, ...definedRevisions.map(r => r.id)];
  throw new UsageError(`there is no revision "${text}". Choose one of: ${all.join(', ')}.`);
}

/** A revision that a mock supports. */
export const parseOffered = (text: string): RevisionId =>
  (findDefinedRevision(text.trim()) ?? noRevision(text.trim())).id;

/** Identifiers of extensions in the catalogue, for subjects that do not declare them. */
export function parseExtensions(identifiers: readonly string[]): readonly string[] {
  const known = [...new Set(extensions.map(({ identifier }) => identifier))];
  for (const identifier of identifiers)
    if (!known.includes(identifier)) throw unknownName('extension', identifier, known);
  return identifiers;
}

/** A number above 0. */
export function parsePositive(option: string, text: string): number {
  const number = Number(text);
  if (!(Number.isFinite(number) && number > 0))
    throw new UsageError(`${option} takes a number above 0, not "${text}".`);
  return number;
}

/** The timeout of a response, in milliseconds. @param text seconds; at most the longest time of a run where this is not given */
export function parseTimeout(text: string, maxTime: string | undefined): number {
  const ms = parsePositive('--timeout', text) * 1000;
  if (ms <= runLimits.maxMs || maxTime !== undefined) return ms;
  throw new UsageError(
    `--timeout is in seconds: with ${text}, one response may take longer than the whole run (${runLimits.maxMs / 1000} seconds). Give a smaller number, or --max-time too.`,
  );
}

/** A number of bytes: `100000`, `16MB`. */
export function parseBytes(option: string, text: string): number {
  const [, number = '', unit = ''] = /^(\d+(?:\.\d+)?) ?(MB)?$/i.exec(text) ?? [];
  const bytes = Math.floor(Number(number) * (unit ? 2 ** 20 : 1));
  if (number === '' || bytes < 1)
    throw new UsageError(`${option} takes a number of bytes, or of megabytes as in 16MB, not "${text}".`);
  return bytes;
}

export function parseInteger(option: string, text: string): number {
  const number = Number(text);
  if (!Number.isSafeInteger(number) || number < 0)
    throw new UsageError(`${option} takes a whole number of at least 0, not "${text}".`);
  return number;
}

export function parseChoice<const T extends string>(option: string, text: string, choices: readonly T[]): T {
  const found = choices.find(c => c === text);
  if (found === undefined)
    throw new UsageError(`${option} must be one of ${choices.join(', ')}, not "${text}".`);
  return found;
}

export function parseEnvironment(pairs: readonly string[]): Record<string, string> {
  return Object.fromEntries(
    pairs.map(pair => {
      const [name, ...rest] = pair.split('=');
      if (!name) throw new UsageError(`--env takes NAME=value or NAME, not "${pair}".`);
      const value = rest.length > 0 ? rest.join('=') : process.env[name];
      if (value === undefined)
        throw new UsageError(`--env ${name}: this variable is not set here; write --env ${name}=value.`);
      return [name, value];
    }),
  );
}

export const environmentHelp =
  'environment variable for the process; NAME alone: with its value here (repeatable)';

/** Options that a replay of a finding needs: names alone, because a value may be a secret. */
export const repeatedEnvironment = (pairs: readonly string[]): string[] =>
  pairs.flatMap(pair => ['--env', pair.split('=', 1)[0]!]);

export function parseFolder(option: string, path: string): string {
  if (!existsSync(path) || !statSync(path).isDirectory())
    throw new UsageError(`${option}: the folder "${path}" does not exist.`);
  return path;
}

/** Whether a word names a program: a file, or a name in PATH. On Windows always true: the file of a name has one of several endings. */
function isProgram(file: string, cwd: string): boolean {
  if (process.platform === 'win32') return true;
  const folders = file.includes('/') ? [cwd] : (process.env.PATH ?? '').split(delimiter);
  return folders.some(folder => {
    try {
      accessSync(resolve(folder, file), constants.X_OK);
      return true;
    } catch {
      return false;
    }
  });
}

/**
 * @throws UsageError for a URL in the place of a command, for a command that is one quoted word, and for a word before `--`
 * that is no program
 */
export function checkCommand([file = '', ...args]: readonly string[], cwd = ''): void {
  if (/^https?:\/\//i.test(file))
    throw new UsageError(`"${file}" is a URL: a server that runs already is named with --url.`);
  if (args.includes('--') && !isProgram(file, cwd))
    throw new UsageError(
      `there is no program "${file}". Write only options and their values before --, and the command after it.`,
    );
  if (args.length === 0 && /\s/.test(file) && !existsSync(resolve(cwd, file)))
    throw new UsageError(`there is no program "${file}": write it without quotes, as in: -- ${file}`);
}

/** The text of a file named by the user. */
export function readGiven(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    throw unreadable(path, error);
  }
}

/** The bytes of a file named by the user, in pieces: a recorded run may be longer than a text can be. */
export async function* readGivenPieces(path: string): AsyncGenerator<Buffer> {
  try {
    yield* createReadStream(path, { highWaterMark: 2 ** 20 });
  } catch (error) {
    throw unreadable(path, error);
  }
}

function unreadable(path: string, error: unknown): UsageError {
  return new UsageError(
    (error as NodeJS.ErrnoException).code === 'ENOENT'
      ? `the file "${path}" does not exist.`
      : `"${path}" cannot be read: ${(error as Error).message}.`,
  );
}

/** `role=tool`, with arguments after a colon: `slow=wait:{"seconds":3}`. */
export function parseFixtures(texts: readonly string[]): OwnTools {
  return Object.fromEntries(
    texts.map(text => {
      const [, role = '', tool, args] = /^([^=]*)=(.+?)(?::(\{.*))?$/s.exec(text) ?? [];
      if (tool === undefined) throw new UsageError(`--fixture takes role=tool, not "${text}".`);
      const given = args === undefined ? undefined : parseObject('--fixture', args);
      return [parseChoice('--fixture', role, roles), { tool, ...(given && { arguments: given }) }];
    }),
  );
}

function parseObject(option: string, text: string): JsonObject {
  try {
    return JSON.parse(text) as JsonObject;
  } catch (error) {
    throw new UsageError(`${option}: "${text}" is not JSON: ${(error as Error).message}.`);
  }
}

/** Clients by id, each with the secret at the same position, if any. */
export function parseClients(
  ids: readonly string[],
  secrets: readonly string[],
  redirectUri: string | undefined,
): OAuthClient[] {
  if (ids.length > 0 && redirectUri === undefined)
    throw new UsageError('--client-id needs --redirect-uri: a redirect URI registered for the client.');
  if (secrets.length > ids.length)
    throw new UsageError('--client-secret needs a --client-id for each secret.');
  return ids.map((id, at) => {
    const secret = secrets[at];
    return {
      id,
      ...(secret !== undefined && { secret }),
      authMethod: secret === undefined ? 'none' : 'client_secret_basic',
      redirectUri: redirectUri!,
    };
  });
}

/** A client that gets tokens by its own credentials. @param file with its private key */
export async function parseMachine(
  id: string | undefined,
  secret: string | undefined,
  file: string | undefined,
): Promise<MachineClient | undefined> {
  if (id === undefined && secret === undefined && file === undefined) return undefined;
  if (id === undefined)
    throw new UsageError('--credentials-secret and --credentials-key need --credentials-client.');
  if (secret === undefined && file === undefined)
    throw new UsageError('--credentials-client needs --credentials-secret or --credentials-key.');
  if (file === undefined) return { id, ...(secret !== undefined && { secret }) };
  const key = await readKey('--credentials-key', file);
  return { id, ...(secret !== undefined && { secret }), key };
}

/** An identity provider that an authorization server trusts. @param machine the client that its ID-JAGs are for */
export async function parseIdentityProvider(
  issuer: string | undefined,
  file: string | undefined,
  machine: MachineClient | undefined,
): Promise<IdentityProvider | undefined> {
  if (issuer === undefined && file === undefined) return undefined;
  if (issuer === undefined || file === undefined || !machine)
    throw new UsageError('--idp-issuer, --idp-key and --credentials-client are used together.');
  return { issuer, key: await readKey('--idp-key', file) };
}

async function readKey(option: string, file: string): Promise<SigningKey> {
  const { readSigningKey } = await import('../oauth/machine-client.js');
  try {
    return readSigningKey(readFileSync(file, 'utf8'));
  } catch (error) {
    throw new UsageError(
      `${option} takes a file with a private key as PEM or JWK: ${(error as Error).message}.`,
    );
  }
}

/** Input for login pages. The error does not show the text: the text may contain a password. */
export function parseLogin(text: string): Login {
  const pairs = text.split(',').map(pair => {
    const at = pair.indexOf('=');
    if (at < 1)
      throw new UsageError('--login takes name=value pairs separated by commas: user=alice,password=….');
    return [pair.slice(0, at).trim(), pair.slice(at + 1)] as const;
  });
  return Object.fromEntries(pairs);
}

/** Collects a repeatable option. */
export const collect = (value: string, former: string[]): string[] => [...former, value];

/** Valid values of `--reporter`, for `--help`; a test compares them with the existing reporters. */
export const reporterHelp =
  'console, json, jsonl, junit, html, markdown, github, sarif, issue, badge, tier, profile (repeatable)';

/** @throws {UsageError} when the value of `--url`, with a number in place of `{port}`, is no absolute URL */
export function requireUrlWithPort(url: string): void {
  if (!URL.canParse(url.replaceAll('{port}', '80')))
    throw new UsageError(`--url takes an absolute URL, as in http://127.0.0.1:{port}/mcp, not "${url}".`);
}
