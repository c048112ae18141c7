/**
 * Secrets in records and reports: known values are replaced everywhere by a short hash, in whichever way they are
 * written. The ways that are not recognized are in docs/limits.md.
 */

import { createHash } from 'node:crypto';
import { parseJson } from '../../spec/json-rpc.js';
import { type Match, PatternSearch } from './pattern-search.js';
import { fold, shortestSecret, spellingsOf, type Unescaped, unescapeOnce } from './spellings.js';

/**
 * A short hash in place of a secret, so that equal secrets stay recognisable. The hash is valid without
 * escaping in a URL, a form and a JSON string.
 */
export const fingerprint = (secret: string): string => `~${digest(secret).toString(16).padStart(8, '0')}`;

/** True for the hash of a secret. */
export const isFingerprint = (text: string): boolean => /^~[0-9a-f]{8}$/.test(text);

const digest = (secret: string): number => createHash('sha256').update(secret).digest().readUInt32BE();

/** What stands in place of a secret. For digits it is a number, because JSON text contains numbers without quotes. */
const substitute = (secret: string): string =>
  /^\d+$/.test(secret) ? `9${String(digest(secret)).padStart(10, '0')}` : fingerprint(secret);

/** Escapes of a text inside a text are resolved this often. */
const deepestEscape = 3;

/** Values nested deeper than this are not shown in a report. */
const deepestValue = 500;

/** Shorter values of cookies are settings. */
const shortestCookie = 16;

/** Names of parameters and members that contain secrets in OAuth: in queries, forms and JSON. */
const names = new Set([
  ...[
    'code',
    'code_verifier',
    'access_token',
    'refresh_token',
    'id_token',
    'token',
    'client_secret',
    'password',
  ],
  ...[
    'assertion',
    'client_assertion',
    'subject_token',
    'actor_token',
    'device_code',
    'registration_access_token',
  ],
]);

/** Members of events whose values are names of this project, never text of a subject. */
const ownNames = new Set([
  'kind',
  'by',
  'of',
  'transport',
  'revision',
  'stream',
  'endpoint',
  'label',
  'what',
]);

export class Secrets {
  private readonly known = new Set<string>();
  private readonly search = new PatternSearch<string>();

  /** True while there is nothing to hide. */
  get isEmpty(): boolean {
    return this.known.size === 0;
  }

  /** Hides this value from now on, in whichever way it is written. */
  learn(value: unknown): void {
    if (typeof value !== 'string' || value.length < shortestSecret || this.known.has(value)) return;
    this.known.add(value);
    const shown = substitute(value);
    for (const spelling of spellingsOf(value)) this.search.add(spelling, shown);
  }

  /** Hides the values with secret names in a URL, a form or a JSON object. */
  learnFrom(text: string): void {
    if (URL.canParse(text)) {
      const { searchParams, hash } = new URL(text);
      this.learnParams(searchParams);
      this.learnParams(new URLSearchParams(hash.slice(1)));
    } else if (/^\s*[{[]/.test(text)) this.learnJson(parseJson(text));
    else if (text.includes('=') && !/[\s<>]/.test(text)) this.learnParams(new URLSearchParams(text));
  }

  private learnParams(params: URLSearchParams): void {
    for (const [name, value] of params)
      if (names.has(name) && mayBeSecret(value)) this.learn(secretPart(name, value));
  }

  private learnJson(json: unknown): void {
    const open = [json];
    for (let item = open.pop(); item !== undefined; item = open.pop()) {
      if (typeof item !== 'object' || item === null) continue;
      for (const [name, value] of Object.entries(item)) {
        if (names.has(name) && mayBeSecret(value)) this.learn(value);
        if (typeof value === 'object' && value !== null) open.push(value);
      }
    }
  }

  /** Hides the credentials in a header that contains some: `Authorization`, `Cookie`, `Set-Cookie`. */
  learnHeader(name: string, value: string): void {
    const lower = name.toLowerCase();
    if (lower.endsWith('authorization')) this.learnCredentials(value);
    // what follows the first pair of Set-Cookie are attributes
    else if (lower.endsWith('cookie'))
      for (const pair of value.split(';').slice(0, lower === 'cookie' ? undefined : 1)) {
        const cookie = pair.slice(pair.indexOf('=') + 1).trim();
        if (cookie.length >= shortestCookie) this.learn(cookie);
      }
  }

  private learnCredentials(value: string): void {
    const [, scheme = '', bare = value] = /^(\w+) +(?=\S)(.*)$/s.exec(value) ?? [];
    this.learn(bare);
    if (scheme.toLowerCase() !== 'basic') return;
    const pair = Buffer.from(bare, 'base64').toString('utf8');
    this.learn(pair.slice(pair.indexOf(':') + 1));
  }

  hide(text: string): string {
    if (this.isEmpty || text.length < shortestSecret) return text;
    const found = this.find(text);
    if (found.length === 0) return text;
    const parts: string[] = [];
    let end = 0;
    for (const { from, to, value } of found) {
      // a match inside of another one, or one that overlaps it, is hidden with it
      if (from >= end) parts.push(text.slice(end, from), value);
      end = Math.max(end, to);
    }
    parts.push(text.slice(end));
    return parts.join('');
  }

  /** The matches in the text, and in the text with its escapes resolved; positions are those in the text. */
  private find(text: string): Match<string>[] {
    let found = this.search.find(fold(text));
    const steps: Unescaped[] = [];
    for (
      let step = unescapeOnce(text);
      step && steps.length < deepestEscape;
      step = unescapeOnce(step.text)
    ) {
      steps.unshift(step);
      const back = (position: number) => steps.reduce((at, { sourceOf }) => sourceOf(at), position);
      // the source of the end of a match is the end of its last escape
      found = found.concat(
        this.search.find(fold(step.text)).map(m => ({ from: back(m.from), to: back(m.to), value: m.value })),
      );
    }
    return steps.length === 0 ? found : found.sort((a, b) => a.from - b.from || b.to - a.to);
  }

  /** Like `hide`, for all texts in a value; returns the same object when there is nothing to hide. */
  hideIn<T>(value: T): T {
    return this.isEmpty ? value : (this.hidden(value, 0) as T);
  }

  private hidden(value: unknown, depth: number): unknown {
    if (typeof value === 'string') return this.hide(value);
    if (typeof value !== 'object' || value === null) return value;
    if (depth > deepestValue) return '(nested too deep to be shown)';
    if (Array.isArray(value)) return value.map(item => this.hidden(item, depth + 1));
    return Object.fromEntries(
      Object.entries(value).map(([name, item]) => [this.hide(name), this.hidden(item, depth + 1)]),
    );
  }

  /** Like `hideIn`, for an event of a record: a secret that equals a name of this project does not change the name. */
  hideInEvent<E extends object>(event: E): E {
    if (this.isEmpty) return event;
    return Object.fromEntries(
      Object.entries(event).map(([name, item]) => [name, ownNames.has(name) ? item : this.hideIn(item)]),
    ) as E;
  }
}

/**
 * The part of a value that is secret: of a JWT by which a client authenticates only the signature, because its claims are what
 * the requirements are about, and they are worth nothing without it.
 */
const secretPart = (name: string, value: string): string =>
  name === 'client_assertion' ? (/^[\w-]+\.[\w-]+\.([\w-]{8,})$/.exec(value)?.[1] ?? value) : value;

/**
 * A value that a subject sends under a secret name: codes of errors are no secrets, and a text with quotes could
 * equal a part of any JSON text.
 */
const mayBeSecret = (value: unknown): boolean =>
  typeof value === 'string' && !/"|^[a-z]+(_[a-z]+)+$/.test(value);
