/** Legal oddities: whoever flags one of these is wrong. */

import type { Quirk } from './fault.js';
import { httpQuirks } from './quirks/http.js';
import { messageQuirks } from './quirks/messages.js';
import { offerQuirks } from './quirks/offers.js';
import { taskQuirks } from './quirks/tasks.js';
import { timingQuirks } from './quirks/timing.js';

/** All quirks. */
export const quirks: readonly Quirk[] = [
  ...messageQuirks,
  ...offerQuirks,
  ...timingQuirks,
  ...taskQuirks,
  ...httpQuirks,
];
