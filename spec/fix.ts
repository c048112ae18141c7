/** How to repair a violation of a requirement: data of `fixes/*.yaml`, compiled by `npm run spec`. */

import { readFileSync } from 'node:fs';
import type { RequirementId } from './requirement.js';

export interface Fix {
  /** One or two sentences for the author of the subject. */
  readonly fix: string;
  /** A message or an HTTP exchange that conforms; in parentheses where no message conforms. */
  readonly example: string;
}

let loaded: Readonly<Partial<Record<RequirementId, Fix>>> | undefined;

/** Undefined for a requirement whose failures are notes, or that is not judged. */
export function fixOf(id: RequirementId): Fix | undefined {
  loaded ??= JSON.parse(readFileSync(new URL('./fixes.json', import.meta.url), 'utf8')) as typeof loaded;
  return loaded![id];
}
