/** Secrets that a subject gets from the user: hidden in all reports of the run. */

import type { Credentials } from '../oauth/login.js';
import type { Secrets } from '../record/redaction.js';
import type { Subject } from '../subject/subject.js';

const saysSecret = (name: string): boolean => /token|secret|passw|passphrase|credential/i.test(name);

const soundsSecret = (name: string): boolean => saysSecret(name) || /auth|key|cookie|dsn/i.test(name);

/** Long values of headers are secret, whatever their names. */
const longHeader = 20;

const isWord = (value: string): boolean => /^[a-z]+([-_][a-z]+)*$/i.test(value);

/** A value that is not secret may occur anywhere in the record and stays readable. */
const looksRandom = (value: string): boolean =>
  value.length >= 12 && /[0-9]/.test(value) && /[a-z]/i.test(value) && !/[\s/\\]/.test(value);

/** Learns credentials, headers, and variables: those of `--env`, and inherited ones with a name of a secret. */
export function learnGiven(
  secrets: Secrets,
  subject: Subject | { readonly env?: Readonly<Record<string, string>> },
  { tokens = {}, login = {}, client }: Credentials = {},
): void {
  const started = 'url' in subject ? subject.process : subject;
  const headers = Object.entries('url' in subject ? subject.headers : {})
    .filter(([name, value]) => soundsSecret(name) || value.length >= longHeader)
    .map(([, value]) => value);
  const variables = Object.entries(started?.env ?? {})
    .filter(([name, value]) => saysSecret(name) || (soundsSecret(name) && !isWord(value)) || looksLong(value))
    .map(([, value]) => value);
  // each value of the environment is read by a call to the system
  const inherited = Object.keys(started ? process.env : {})
    .filter(soundsSecret)
    .map(name => process.env[name] ?? '')
    .filter(looksRandom);
  const given = [...headers, ...variables];
  const bare = given.map(value => value.replace(/^\w+ (?=\S)/, ''));
  const all = [...given, ...bare, ...variables.map(passwordIn), ...inherited];
  for (const value of [...all, ...Object.values(tokens), ...Object.values(login), client?.secret])
    secrets.learn(value);
}

const looksLong = (value: string): boolean => value.length >= longHeader && looksRandom(value);

/** The password in a URL such as that of a database. */
const passwordIn = (value: string): string | undefined =>
  URL.canParse(value) ? new URL(value).password : undefined;
