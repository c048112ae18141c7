/**
 * Deviations of the mock authorization server, and of the gate before a protected server: one changed
 * decision.
 */

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
  readonly shows?: readonly string[];
  readonly where?: (revision: Revision) => boolean;
}

/** Declares a violation. @param id kebab-case, stable: the command line and self-tests cite it */
export const authorizationFault = (
  id: string,
  meaning: Meaning,
  policy: Partial<Policy>,
): AuthorizationDeviation => ({ ...fault(id, meaning), role: 'authorization-server', policy });

/** Declares a legal but unusual behaviour, which no rule may report. */
export const authorizationQuirk = (
  id: string,
  meaning: Omit<Meaning, 'breaks'>,
  policy: Partial<Policy>,
): AuthorizationDeviation => ({ ...quirk(id, meaning), role: 'authorization-server', policy });
