/** Legal but unusual behaviours of servers: a finding about one of these is a false positive. */

import type { Quirk } from '../../fault.js';
import { extAppQuirks } from './ext-apps.js';
import { extSkillQuirks } from './ext-skills.js';
import { extTaskQuirks } from './ext-tasks.js';
import { httpQuirks } from './http.js';
import { messageQuirks } from './messages.js';
import { offerQuirks } from './offers.js';
import { roundQuirks } from './rounds.js';
import { statelessQuirks } from './stateless.js';
import { statelessHttpQuirks } from './stateless-http.js';
import { subscriptionQuirks } from './subscriptions.js';
import { taskQuirks } from './tasks.js';
import { timingQuirks } from './timing.js';

/** All quirks. */
export const quirks: readonly Quirk[] = [
  ...messageQuirks,
  ...offerQuirks,
  ...timingQuirks,
  ...taskQuirks,
  ...extAppQuirks,
  ...extSkillQuirks,
  ...extTaskQuirks,
  ...httpQuirks,
  ...roundQuirks,
  ...statelessQuirks,
  ...subscriptionQuirks,
  ...statelessHttpQuirks,
];
