/** Which server is tested, and over what: from the words of the command line. */

import type { RevisionId, TransportId } from '../../spec/revisions.js';
import { findRevision } from '../../spec/revisions.js';
import { UsageError } from '../pattern.js';
import { type Subject, spawn, url } from '../subject.js';
import { defaultTransport } from '../transports/connector.js';
import { parseChoice, parseEnvironment, parseFolder } from './arguments.js';

export interface SubjectOptions {
  readonly url?: string;
  readonly transport?: string;
  readonly header: readonly string[];
  readonly bearerToken?: string;
  readonly cwd?: string;
  readonly env: readonly string[];
  readonly revision: string;
}

const transports: readonly TransportId[] = ['stdio', 'streamable-http', 'http-sse'];

/** @throws UsageError when the words do not fit together */
export function chooseSubject(
  command: readonly string[],
  options: SubjectOptions,
): { subject: Subject; transport: TransportId } {
  const [file, ...args] = command;
  const process =
    file === undefined
      ? undefined
      : spawn(file, args, {
          ...(options.cwd && { cwd: parseFolder('--cwd', options.cwd) }),
          env: parseEnvironment(options.env as string[]),
        });
  const subject = options.url === undefined ? process : parseUrl(options.url, options, process);
  if (!subject)
    throw new UsageError(
      'no server given. Write its command after --, as in: mcp-conform server -- node server.js; or give its --url.',
    );
  const transport = options.transport
    ? parseChoice('--transport', options.transport, transports)
    : defaultTransport(subject);
  if (transport === 'stdio' && options.url !== undefined)
    throw new UsageError('--transport stdio and --url exclude each other.');
  if (transport !== 'stdio' && options.url === undefined)
    throw new UsageError(
      `--transport ${transport} needs the --url of the server, with or without its command.`,
    );
  if (options.url === undefined && (options.header.length > 0 || options.bearerToken !== undefined))
    throw new UsageError('--header and --bearer-token are for servers at a --url.');
  hasTransport(options.revision, transport);
  return { subject, transport };
}

function parseUrl(
  text: string,
  options: SubjectOptions,
  process: ReturnType<typeof spawn> | undefined,
): Subject {
  if (!URL.canParse(text))
    throw new UsageError(`--url takes an absolute URL, as in http://127.0.0.1:3000/mcp, not "${text}".`);
  const { protocol, username, password } = new URL(text);
  if (protocol !== 'http:' && protocol !== 'https:')
    throw new UsageError(`--url takes http or https, not "${text}".`);
  if (username || password)
    throw new UsageError(
      "--url holds a user name or password; give --header 'Authorization: Basic …' instead.",
    );
  return url(text, { headers: headers(options), ...(process && { process }) });
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
  // neither echoes the value: it may be a secret
  if (at < 1 || !/^[\w!#$%&'*+.^`|~-]+$/.test(name))
    throw new UsageError("--header takes 'Name: value'; there is no name before a colon.");
  if (/[^\t\x20-\x7e\x80-\xff]/.test(value))
    throw new UsageError(`--header ${name}: the value has characters that no header can have.`);
  return [name, value];
}

/** @throws UsageError when the revision does not have the transport */
export function hasTransport(text: string, transport: TransportId): void {
  const revision = findRevision(text as RevisionId);
  if (revision && !revision.transports.includes(transport))
    throw new UsageError(`revision ${text} has no ${transport}, only ${revision.transports.join(' and ')}.`);
}

/** What has to be given again when a finding is replayed; values of headers stay out of reports. */
export const repeatedSubject = ({ header, bearerToken, cwd, env }: SubjectOptions): string[] => [
  ...header.flatMap(text => ['--header', `${text.slice(0, text.indexOf(':'))}: …`]),
  ...(bearerToken === undefined ? [] : ['--bearer-token', '…']),
  ...(cwd === undefined ? [] : ['--cwd', cwd]),
  ...env.flatMap(pair => ['--env', pair]),
];
