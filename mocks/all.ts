/** Every deviation of every mock, by role. */

import { authorizationFaults } from './authorization-server/faults/authorization-server.js';
import { clientCredentialsFaults } from './authorization-server/faults/ext-client-credentials.js';
import { dpopFaults } from './authorization-server/faults/ext-dpop.js';
import { dpopGateFaults, dpopGateQuirks } from './authorization-server/faults/ext-dpop-gate.js';
import { enterpriseFaults } from './authorization-server/faults/ext-enterprise.js';
import { gateFaults, gateQuirks } from './authorization-server/faults/gate.js';
import { proxyFaults } from './authorization-server/faults/proxy.js';
import { dpopQuirks } from './authorization-server/quirks/ext-dpop.js';
import { authorizationQuirks } from './authorization-server/quirks/index.js';
import { clientFaults } from './client/faults/index.js';
import { clientQuirks } from './client/quirks/index.js';
import { withFamilies } from './families.js';
import type { Deviation } from './fault.js';
import { networkClientFaults } from './network/client-faults.js';
import { networkServerFaults } from './network/server-faults.js';
import { faults } from './server/faults/index.js';
import { quirks } from './server/quirks/index.js';

/** All faults of servers, clients and authorization servers; ids are unique among them. */
export const allFaults: readonly Deviation<object>[] = withFamilies<Deviation<object>>([
  ...faults,
  ...gateFaults,
  ...clientFaults,
  ...authorizationFaults,
  ...proxyFaults,
  ...clientCredentialsFaults,
  ...dpopFaults,
  ...dpopGateFaults,
  ...enterpriseFaults,
  ...networkServerFaults,
  ...networkClientFaults,
]);

/** All quirks of servers, clients and authorization servers. */
export const allQuirks: readonly Deviation<object>[] = [
  ...quirks,
  ...gateQuirks,
  ...clientQuirks,
  ...authorizationQuirks,
  ...dpopQuirks,
  ...dpopGateQuirks,
];
