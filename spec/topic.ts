/** Topics of change from one revision to the next: data of `topics.yaml`, compiled by `npm run spec`. */

import { readFileSync } from 'node:fs';
import type { Role } from './json-rpc.js';
import type { RequirementId } from './requirement.js';
import type { RevisionId } from './revisions.js';

/** A sign in a record that a subject uses a topic; each sign has one member. */
export interface Sign {
  /** A message with this method from the subject, or a request with it that the subject answers with a result. */
  readonly method?: string;
  /** A header that the subject sends, in lower case. */
  readonly header?: string;
  /** An HTTP method that the subject uses, as a client, or serves, as a server. */
  readonly http?: string;
  /** The code of an error that the subject sends. */
  readonly error?: number;
  /** `<side>:<path>`: a capability that the side declares; `authorization`: the server requires a token. */
  readonly capability?: string;
  /** The subject sends a batch. */
  readonly batch?: boolean;
}

export interface Topic {
  readonly id: string;
  /** The revision that brings the change. */
  readonly to: RevisionId;
  readonly title: string;
  /** Any of these shows that the subject uses the topic; without signs it concerns every subject. */
  readonly seen?: readonly Sign[];
  /** The difference, for a reader who knows neither revision. */
  readonly change: string;
  /** The work of a role, if there is any. */
  readonly server?: string;
  readonly client?: string;
  /** The requirements that begin or end with the change, in the order of the ids. */
  readonly rows: readonly RequirementId[];
}

let loaded: readonly Topic[] | undefined;

/** Every topic in the order of `topics.yaml`: by revision, then by importance; read once from `topics.json`. */
export function topics(): readonly Topic[] {
  loaded ??= JSON.parse(readFileSync(new URL('./topics.json', import.meta.url), 'utf8')) as readonly Topic[];
  return loaded;
}

/** The work that a topic means for a role. */
export const workOf = (topic: Topic, role: Role): string | undefined => topic[role];
