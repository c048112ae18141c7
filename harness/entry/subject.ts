/** The server under test and its transports, from the command line. */

import type { RevisionId, TransportId } from '../../spec/revisions.js';
import { findRevision } from '../../spec/revisions.js';
import { UsageError } from '../report/pattern.js';
import type { ServerTarget } from '../run/server/options.js';
import { type Subject, spawn, url } from '../subject/subject.js';
import {
  checkCommand,
  parseChoice,
  parseEnvironment,
  parseFolder,
  repeatedEnvironment,
} from './arguments.js';

export interface SubjectOptions {
  /** One URL for each HTTP transport, or one URL for all of them. */
  readonly url: readonly string[];
  readonly transport: readonly string[];
  readonly header: readonly string[];
  readonly bearerToken?: string;
  readonly allowExternal?: boolean;
  readonly cwd?: string;
  readonly env: readonly string[];
  readonly revision: string;
}

const transports: readonly TransportId[] = ['stdio', 'streamable-http', 'http-sse'];

/** Usual short names. */
const aliases: Readonly<Record<string, TransportId>> = { http: 'streamable-http', sse: 'http-sse' };

export const parseTransport = (name: string, allowed: readonly TransportId[] = transports): TransportId =>
  parseChoice('--transport', aliases[name] ?? name, allowed);

/**
 * The server, once for each transport under test.
 * @param of the command of mcp-conform, for messages
 * @throws UsageError when the options contradict each other
 */
export function chooseSubject(
  command: readonly string[],
  options: SubjectOptions,
  of = 'server',
): readonly [Required<ServerTarget>, ...Required<ServerTarget>[]] {
  const { url: urls, transport: named, header, bearerToken } = options;
  const process = parseCommand(command, options);
  if (!process && urls.length === 0)
    throw new UsageError(
      `no server given. Write the server command after --, as in: mcp-conform ${of} -- node server.js; or give its --url.`,
    );
  const given = named.map(name => parseTransport(name));
  const over = given.length > 0 ? given : ([urls.length > 0 ? 'streamable-http' : 'stdio'] as const);
  if (new Set(over).size < over.length) throw new UsageError('--transport names the same transport twice.');
  const overHttp = over.filter(transport => transport !== 'stdio');
  if (overHttp.length === 0 && urls.length > 0)
    throw new UsageError('--transport stdio and --url exclude each other.');
  if (overHttp.length > 0 && urls.length === 0)
    throw new UsageError(
      `--transport ${overHttp[0]} needs the --url of the server, with or without its command.`,
    );
  if (over.includes('stdio') && !process)
    throw new UsageError('--transport stdio needs the command of the server, after --.');
  if (urls.length > 1 && urls.length !== overHttp.length)
    throw new UsageError('--url is given once, or once for each HTTP --transport, in the same order.');
  if (urls.length === 0 && (header.length > 0 || bearerToken !== undefined))
    throw new UsageError('--header and --bearer-token need a --url.');
  // with stdio the command is a separate server, not the one behind the URL
  const behind = over.includes('stdio') ? undefined : process;
  const approaches = over.map((transport): Required<ServerTarget> => {
    hasTransport(options.revision, transport);
    if (transport === 'stdio') return { subject: process!, transport };
    const text = urls[urls.length > 1 ? overHttp.indexOf(transport) : 0]!;
    return { subject: parseUrl(text, options, behind), transport };
  });
  return approaches as [Required<ServerTarget>, ...Required<ServerTarget>[]];
}

function parseCommand(command: readonly string[], { cwd, env }: SubjectOptions) {
  const [file, ...args] = command;
  if (file === undefined) return undefined;
  checkCommand(command, cwd);
  return spawn(file, args, {
    ...(cwd && { cwd: parseFolder('--cwd', cwd) }),
    env: parseEnvironment(env as string[]),
  });
}

function parseUrl(
  text: string,
  options: SubjectOptions,
  process: ReturnType<typeof spawn> | undefined,
): Subject {
  if (/^[\w.-]+:\d+(\/|$)/.test(text) && URL.canParse(`http://${text}`))
    throw new UsageError(`--url needs the scheme. Did you mean "http://${text}"?`);
  if (!URL.canParse(text))
    throw new UsageError(`--url takes an absolute URL, as in http://127.0.0.1:3000/mcp, not "${text}".`);
  const { protocol, username, password } = new URL(text);
  if (protocol !== 'http:' && protocol !== 'https:')
    throw new UsageError(`--url takes http or https, not "${text}".`);
  if (username || password)
    throw new UsageError(
      "--url contains a user name or password; use --header 'Authorization: Basic …' instead.",
    );
  return url(text, {
    headers: headers(options),
    ...(process && { process }),
    ...(options.allowExternal && { allowExternal: true }),
  });
}

function headers({ header, bearerToken }: SubjectOptions): Record<string, string> {
  const token = bearerToken ?? globalThis.process.env.MCP_CONFORM_BEARER_TOKEN;
  return {
    ...Object.fromEntries(header.map(parseHeader)),
    ...(token && { Authorization: `Bearer ${token}` }),
  };
}

function parseHeader(text: string): [string, string] {
  const at = text.indexOf(':');
  const [name, value] = [text.slice(0, at).trim(), text.slice(at + 1).trim()];
  // no error shows the value: the value may be a secret
  if (at < 1 || !/^[\w!#$%&'*+.^`|~-]+$/.test(name))
    throw new UsageError("--header takes 'Name: value'; the name before the colon is missing or invalid.");
  if (/[^\t\x20-\x7e\x80-\xff]/.test(value))
    throw new UsageError(`--header ${name}: the value contains characters that are not allowed in a header.`);
  return [name, value];
}

/** @throws UsageError when the revision does not have the transport */
export function hasTransport(text: string, transport: TransportId): void {
  const revision = findRevision(text as RevisionId);
  if (revision && !revision.transports.includes(transport))
    throw new UsageError(
      `revision ${text} does not support ${transport}, only ${revision.transports.join(' and ')}.`,
    );
}

/** Options that a replay of a finding needs; values of headers and variables stay out of reports. */
export const repeatedSubject = ({
  header,
  bearerToken,
  allowExternal,
  cwd,
  env,
}: SubjectOptions): string[] => [
  ...header.flatMap(text => ['--header', `${text.slice(0, text.indexOf(':'))}: …`]),
  ...(bearerToken === undefined ? [] : ['--bearer-token', '…']),
  ...(allowExternal ? ['--allow-external'] : []),
  ...(cwd === undefined ? [] : ['--cwd', cwd]),
  ...repeatedEnvironment(env),
];
