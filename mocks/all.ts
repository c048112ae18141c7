/** Every deviation of every mock, by role. */

import { authorizationFaults } from './authorization/faults.js';
import { gateFaults, gateQuirks } from './authorization/gate-faults.js';
import { proxyFaults } from './authorization/proxy-faults.js';
import { authorizationQuirks } from './authorization/quirks.js';
import { clientFaults } from './client-faults/index.js';
import { clientQuirks } from './client-quirks.js';
import type { Deviation } from './fault.js';
import { faults } from './faults/index.js';
import { quirks } from './quirks.js';

/** All that servers, clients and authorization servers do wrong; ids are unique among them. */
export const allFaults: readonly Deviation<object>[] = [
  ...faults,
  ...gateFaults,
  ...clientFaults,
  ...authorizationFaults,
  ...proxyFaults,
];

/** All that they do in an odd but legal way. */
export const allQuirks: readonly Deviation<object>[] = [
  ...quirks,
  ...gateQuirks,
  ...clientQuirks,
  ...authorizationQuirks,
];
