/** What a deviation of the gateway means: data of each fault and quirk. */

import type { RequirementId } from '../../spec/requirement.js';
import type { Revision, TransportId } from '../../spec/revisions.js';
import type { TranslationPolicy } from './translation.js';

export interface Meaning {
  readonly what: string;
  readonly breaks: readonly [RequirementId, ...RequirementId[]];
  /** Revisions in which it is visible; default: those with a requirement of `breaks`. */
  readonly where?: (revision: Revision) => boolean;
  readonly over?: readonly TransportId[];
  readonly behind?: readonly TransportId[];
  /** The gateway translates for a client with a handshake, with these decisions. */
  readonly translation?: Partial<TranslationPolicy>;
}
