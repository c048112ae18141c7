/** All faults of clients. */

import type { ClientDeviation } from '../fault.js';
import { authorizationFaults } from './authorization.js';
import { authorizationIssuerFaults } from './authorization-issuer.js';
import { laterAuthorizationFaults } from './authorization-later.js';
import { baseFaults } from './base.js';
import { batchFaults } from './batch.js';
import { cancellationFaults, timeoutFaults } from './cancellation.js';
import { elicitationFaults, pageFaults } from './elicitation.js';
import { clientCredentialsFaults } from './ext-client-credentials.js';
import { dpopFaults } from './ext-dpop.js';
import { enterpriseFaults } from './ext-enterprise.js';
import { extTaskFaults } from './ext-tasks.js';
import { httpHeaderFaults } from './http-headers.js';
import { httpSseFaults } from './http-sse.js';
import { iconFaults } from './icons.js';
import { lifecycleFaults } from './lifecycle.js';
import { metaFaults } from './meta.js';
import { mrtrFaults } from './mrtr.js';
import { paginationFaults } from './pagination.js';
import { pingFaults } from './ping.js';
import { progressFaults } from './progress.js';
import { rootFaults } from './roots.js';
import { samplingFaults } from './sampling.js';
import { statelessFaults } from './stateless.js';
import { stdioFaults } from './stdio.js';
import { streamableHttpFaults } from './streamable-http.js';
import { streamFaults } from './streams.js';
import { taskRequestFaults } from './task-requests.js';
import { taskFaults } from './tasks.js';
import { toolFaults } from './tools.js';
import { utilityFaults } from './utilities.js';
import { versioningFaults } from './versioning.js';

export const clientAuthorizationFaults: readonly ClientDeviation[] = [
  ...authorizationFaults,
  ...authorizationIssuerFaults,
  ...laterAuthorizationFaults,
];

/** Faults about extensions of authorization. */
export const clientExtensionFaults: readonly ClientDeviation[] = [
  ...clientCredentialsFaults,
  ...dpopFaults,
  ...enterpriseFaults,
];

export const clientFaults: readonly ClientDeviation[] = [
  ...lifecycleFaults,
  ...baseFaults,
  ...metaFaults,
  ...batchFaults,
  ...cancellationFaults,
  ...timeoutFaults,
  ...progressFaults,
  ...utilityFaults,
  ...pingFaults,
  ...paginationFaults,
  ...toolFaults,
  ...iconFaults,
  ...samplingFaults,
  ...elicitationFaults,
  ...rootFaults,
  ...taskFaults,
  ...taskRequestFaults,
  ...extTaskFaults,
  ...stdioFaults,
  ...streamableHttpFaults,
  ...streamFaults,
  ...httpSseFaults,
  ...mrtrFaults,
  ...statelessFaults,
  ...httpHeaderFaults,
  ...versioningFaults,
  ...clientAuthorizationFaults,
  ...clientExtensionFaults,
  // last, so that the faults before are shown in the same eras
  ...pageFaults,
];
