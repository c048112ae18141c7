/** Secrets in records and reports: known values are replaced everywhere by a short hash. */

import { createHash } from 'node:crypto';
import { parseJson } from '../../spec/json-rpc.js';

/**
 * A short hash in place of a secret, so that equal secrets stay recognisable. The hash is valid without
 * escaping in a URL, a form and a JSON string.
 */
export const fingerprint = (secret: string): string =>
  `~${createHash('sha256').update(secret).digest('hex').slice(0, 8)}`;

/** Shorter values are not secrets, and occur everywhere. */
const shortest = 8;

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
  private readonly known = new Map<string, string>();
  private pattern: RegExp | undefined;

  /** True while there is nothing to hide. */
  get isEmpty(): boolean {
    return this.known.size === 0;
  }

  /** Hides this value from now on, in each of its encodings. */
  learn(value: unknown): void {
    if (typeof value !== 'string' || value.length < shortest || this.known.has(value)) return;
    const hash = fingerprint(value);
    const json = JSON.stringify(value).slice(1, -1);
    const form = new URLSearchParams({ v: value }).toString().slice(2);
    for (const written of [value, json, encodeURIComponent(value), form]) this.known.set(written, hash);
    this.pattern = undefined;
  }

  /** Hides the values with secret names in a URL, a form or a JSON object. */
  learnFrom(text: string): void {
    if (URL.canParse(text)) {
      const { searchParams, hash } = new URL(text);
      this.learnParams(searchParams);
      this.learnParams(new URLSearchParams(hash.slice(1)));
    } else if (/^\s*[{[]/.test(text)) this.learnJson(parseJson(text));
    else if (/^[^\s<>]*=[^\s<>]*$/.test(text)) this.learnParams(new URLSearchParams(text));
  }

  private learnParams(params: URLSearchParams): void {
    for (const [name, value] of params) if (names.has(name)) this.learn(value);
  }

  private learnJson(json: unknown): void {
    if (typeof json !== 'object' || json === null) return;
    for (const [name, value] of Object.entries(json)) {
      if (names.has(name)) this.learn(value);
      this.learnJson(value);
    }
  }

  hide(text: string): string {
    if (this.known.size === 0) return text;
    // longer values first, because one value may be part of another
    this.pattern ??= new RegExp(
      [...this.known.keys()]
        .sort((a, b) => b.length - a.length)
        .map(value => value.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&'))
        .join('|'),
      'g',
    );
    return text.replace(this.pattern, value => this.known.get(value)!);
  }

  /** Like `hide`, for all texts in a value; returns the same object when there is nothing to hide. */
  hideIn<T>(value: T): T {
    if (this.known.size === 0) return value;
    if (typeof value === 'string') return this.hide(value) as T;
    if (Array.isArray(value)) return value.map(item => this.hideIn(item)) as T;
    if (typeof value !== 'object' || value === null) return value;
    return Object.fromEntries(Object.entries(value).map(([name, item]) => [name, this.hideIn(item)])) as T;
  }

  /** Like `hideIn`, for an event of a record: a secret that equals a name of this project does not change the name. */
  hideInEvent<E extends object>(event: E): E {
    if (this.known.size === 0) return event;
    return Object.fromEntries(
      Object.entries(event).map(([name, item]) => [name, ownNames.has(name) ? item : this.hideIn(item)]),
    ) as E;
  }
}
