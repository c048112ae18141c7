/** Deviations of the mock authorization server, and of the gate before a protected server: one decision changed. */

import type { RequirementId } from '../../spec/requirement.js';
import type { Revision } from '../../spec/revisions.js';
import { type Deviation, fault, quirk } from '../fault.js';
import type { Policy } from './policy.js';

/** A named deviation of the mock authorization server. A quirk is one that breaks nothing. */
export interface AuthorizationDeviation extends Deviation {
  readonly policy: Partial<Policy>;
}

interface Meaning {
  readonly what: string;
  readonly breaks: readonly [RequirementId, ...RequirementId[]];
  readonly where?: (revision: Revision) => boolean;
}

/** Declares a violation. @param id kebab-case, stable: the command line and self-tests cite it */
export const authorizationFault = (
  id: string,
  meaning: Meaning,
  policy: Partial<Policy>,
): AuthorizationDeviation => ({ ...fault(id, meaning), role: 'authorization-server', policy });

/** Declares a legal oddity, which no judge may flag. */
export const authorizationQuirk = (
  id: string,
  meaning: Omit<Meaning, 'breaks'>,
  policy: Partial<Policy>,
): AuthorizationDeviation => ({ ...quirk(id, meaning), role: 'authorization-server', policy });
